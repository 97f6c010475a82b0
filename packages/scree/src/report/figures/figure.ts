import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escaped, squeezed, unescaped } from '../plain-text.js';
import { LIGHT } from '../theme.js';

/** A figure is drawn by Observable Plot, and has a title, a description and a table of its numbers. */

/** Width of every figure in SVG units. A phone shows it at three quarters of that size, a wide page somewhat larger. */
export const WIDTH = 480;
export const FONT_SIZE = 13;
const HEADLINE = 34;
const FOOT = 8;

/** The numbers of a figure, for readers who cannot see it or who want exact values. Cells are plain text. */
export interface FigureTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Names the rows that the table leaves out. */
  readonly note?: string;
}

export interface Figure {
  /** File name without extension. */
  readonly name: string;
  readonly title: string;
  /** Describes the figure for screen readers: plain text. */
  readonly description: string;
  /** More details, shown below the title: plain text. */
  readonly caption?: string;
  readonly height: number;
  /** The content of the svg element. */
  readonly body: string;
  readonly table?: FigureTable;
}

/** Draws with Plot and returns an SVG group, without Plot's own style sheet, which is made for web pages. */
export function plot(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<html><body></body></html>');
  const drawn = Plot.plot({ document, width: WIDTH, ...options });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  return `<g font-size="${FONT_SIZE}" text-anchor="middle" fill="currentColor">${tidied(drawn.innerHTML)}</g>`;
}

export function moved(x: number, y: number, svg: string): string {
  return `<g transform="translate(${round(x)},${round(y)})">${svg}</g>`;
}

interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly colour?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Draws an outline in the colour of the background, so that the text can be read over points. */
  readonly halo?: boolean;
}

export function figureText(x: number, y: number, words: string, style: TextStyle = {}): string {
  const { size = FONT_SIZE, weight, colour = 'var(--ink)', anchor = 'start', halo = false } = style;
  const around = halo ? ' stroke="var(--paper)" stroke-width="4" stroke-linejoin="round" paint-order="stroke"' : '';
  const bold = weight === undefined ? '' : ` font-weight="${weight}"`;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}"${bold} text-anchor="${anchor}" fill="${colour}"${around}>${escaped(words)}</text>`;
}

/** Approximate width of a line of text: letters of a wide font are 0.6 times as wide as they are high. */
export function lineWidth(words: string, size = FONT_SIZE): number {
  return 0.6 * size * [...words].length;
}

/** Width of the margin for names beside a figure. At most `longest` letters of a name are shown. */
export function nameMargin(names: readonly string[], longest: number): number {
  return 14 + 8.2 * Math.min(longest, Math.max(...names.map((name) => [...name].length)));
}

/** A legend: names, each after a dot of its colour, in as many lines as needed. */
export function legend(entries: readonly (readonly [name: string, colour: string])[]): { svg: string; height: number } {
  const LINE = 20;
  let [x, y] = [0, 0];
  const parts = entries.map(([name, colour]) => {
    const width = 24 + lineWidth(name);
    if (x > 0 && x + width > WIDTH - 8) [x, y] = [0, y + LINE];
    const entry = `<circle cx="${round(x + 10)}" cy="${y + 10}" r="5" fill="${colour}"/>${figureText(x + 20, y + 14.5, name)}`;
    x += width + 10;
    return entry;
  });
  return { svg: parts.join(''), height: y + LINE + 4 };
}

/** A colour bar with labels at its ends and in the middle. */
export function colourBar(colours: readonly string[], labels: readonly [string, string, string], name: string): string {
  const [left, width] = [8, 180];
  const step = width / colours.length;
  const cells = colours.map(
    (colour, i) => `<rect x="${round(left + i * step)}" width="${round(step + 0.5)}" height="10" fill="${colour}"/>`,
  );
  const [low, middle, high] = labels;
  return [
    ...cells,
    figureText(left, 24, low, { size: 12 }),
    figureText(left + width / 2, 24, middle, { size: 12, anchor: 'middle' }),
    figureText(left + width, 24, high, { size: 12, anchor: 'end' }),
    figureText(left + width + 12, 10, name, { size: 12 }),
  ].join('');
}

/** The figure as an element of the page, which defines the colours. */
export function inlineSvg({ name, title, description, height, body }: Figure): string {
  return [
    `<svg viewBox="0 0 ${WIDTH} ${round(height)}" width="${WIDTH}" height="${round(height)}" role="img" aria-labelledby="${name}-t ${name}-d">`,
    `<title id="${name}-t">${escaped(title)}</title><desc id="${name}-d">${escaped(description)}</desc>`,
    `${body}</svg>`,
  ].join('');
}

/**
 * The figure as a separate file: light colours, with a background and a title. A file has no tooltips, so names that were cut are written
 * in full below the figure. `names` are all names that may occur in the figure.
 */
export function standaloneSvg(
  { title, description, height: inner, body }: Figure,
  names: readonly string[] = [],
): string {
  const notes = wholeNames(body, names);
  const height = round(HEADLINE + inner + FOOT + NOTE_LINE * notes.length);
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${1.5 * WIDTH}" height="${1.5 * height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" color="var(--ink)">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    '<rect width="100%" height="100%" fill="var(--paper)"/>',
    figureText(10, 22, title, { size: 15, weight: 600 }),
    moved(0, HEADLINE, body),
    ...notes.map((line, i) =>
      figureText(10, HEADLINE + inner + NOTE_LINE * (i + 0.7), line, { size: 11, colour: 'var(--faint)' }),
    ),
    '</svg>\n',
  ].join('\n');
  return inTags(svg, (tag) => tag.replace(/var\(--([a-z0-9]+)\)/g, (all, name) => LIGHT.get(name) ?? all));
}

const NOTE_LINE = 15;
/** Maximum number of lines of names below a figure, and of letters per line. */
const MOST_NOTES = 60;
const NOTE_LENGTH = 68;

/** "od280/od315_…d_wines: od280/od315_of_diluted_wines" for each name that was cut, in lines that fit. */
function wholeNames(body: string, names: readonly string[]): string[] {
  const cut = new Set(Array.from(body.matchAll(/>([^<>]*…[^<>]*)<\/text>/g), ([, shown]) => shown));
  if (cut.size === 0) return [];
  const notes = names.flatMap((name) => {
    // The same name may be cut to different lengths in one figure. The longest piece identifies it best.
    const shown = [...cut]
      .filter((words) => words === escaped(squeezed(name, [...unescaped(words)].length)))
      .sort((a, b) => b.length - a.length)[0];
    return shown === undefined ? [] : [`${unescaped(shown)}: ${name}`];
  });
  return [...new Set(notes)]
    .flatMap((note) => note.match(new RegExp(`.{1,${NOTE_LENGTH}}`, 'gu')) ?? [])
    .slice(0, MOST_NOTES);
}

/** Changes only the tags. In the text between them, < and > are escaped. */
function inTags(svg: string, change: (tag: string) => string): string {
  return svg.replace(/<[^<>]*>/g, change);
}

/** Rounds coordinates to a tenth of a pixel, which halves the size of the file. */
function tidied(svg: string): string {
  return inTags(svg, (tag) => tag.replace(/-?\d+\.\d{2,}(e-?\d+)?/g, (number) => String(round(Number(number)))));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

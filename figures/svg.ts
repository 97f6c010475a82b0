import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

/** SVG files: several plots on one sheet with a background, a title and a description. */

/** Width of every sheet: a documentation page shows it at full size, a phone at half size. */
export const WIDTH = 720;
/** Large enough to be read at half size. */
export const FONT_SIZE = 14;
export const INK = '#222';
export const FAINT = '#767676';
/** One colour per digit; also for other things that must be distinguished. */
export const COLOURS = [
  '#4e79a7',
  '#f28e2c',
  '#e15759',
  '#76b7b2',
  '#59a14f',
  '#b89a00',
  '#af7aa1',
  '#ff9da7',
  '#9c755f',
  '#7f7f7f',
] as const;
export const [BLUE, ORANGE, RED, , GREEN] = COLOURS;
/** Orange that is dark enough for text. */
export const DARK_ORANGE = '#b45f06';

export interface Part {
  readonly x: number;
  readonly y: number;
  readonly svg: string;
}

/** A plot as an SVG group, without Plot's style sheet, which is made for web pages. */
export function plot(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<html><body></body></html>');
  const drawn = Plot.plot({ document, ...options });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  return `<g font-size="${FONT_SIZE}" text-anchor="middle" fill="currentColor">${shortened(drawn.innerHTML)}</g>`;
}

interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly colour?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export function text(x: number, y: number, words: string, style: TextStyle = {}): Part {
  const { size = FONT_SIZE, weight = 400, colour = INK, anchor = 'start' } = style;
  const svg = `<text font-size="${size}" font-weight="${weight}" fill="${colour}" text-anchor="${anchor}">${escaped(words)}</text>`;
  return { x, y, svg };
}

/** A row of names, each after a dot of its colour. */
export function legend(x: number, y: number, entries: readonly (readonly [name: string, colour: string])[]): Part {
  let at = 0;
  const svg = entries.map(([name, colour]) => {
    const entry = `<circle cx="${at + 5}" cy="-5" r="5" fill="${colour}"/><text x="${at + 15}" font-size="${FONT_SIZE}" fill="${INK}">${escaped(name)}</text>`;
    // A letter of a proportional font is about half as wide as it is high.
    at += 34 + 0.53 * FONT_SIZE * name.length;
    return entry;
  });
  return { x, y, svg: svg.join('') };
}

export interface Sheet {
  /** Drawn as the headline, and read by screen readers. */
  readonly title: string;
  /** The figure in words, for screen readers. */
  readonly description: string;
  /** Height of the headline and all parts. */
  readonly height: number;
  readonly parts: readonly Part[];
}

/** Height of the headline. */
export const HEADLINE = 40;
const FOOT = 10;

export function sheet({ title, description, height: inner, parts }: Sheet): string {
  const height = inner + FOOT;
  const headline = text(16, 27, title, { size: 17, weight: 600 });
  const body = [headline, ...parts].map(({ x, y, svg }) => `<g transform="translate(${x},${y})">${svg}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" color="${INK}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...body,
    '</svg>\n',
  ].join('\n');
}

/** Powers of ten with their exponents raised, for logarithmic axes. */
export function powerOfTen(value: number): string {
  const exponent = Math.round(Math.log10(value));
  if (exponent === 0) return '1';
  return `10${String(exponent).replace(/./g, (sign) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '⁻')}`;
}

/** 10ᵃ, 10ᵃ⁺ˢ, … up to 10ᵇ. */
export function powersOfTen(from: number, to: number, by = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, i) => 10 ** (from + i * by));
}

/** Rounds coordinates to a hundredth of a pixel, which halves the file. */
function shortened(svg: string): string {
  return svg.replace(/="[^"]*"/g, (attribute) =>
    attribute.replace(/-?\d+\.\d{3,}(e-?\d+)?/g, (number) => String(Math.round(Number(number) * 100) / 100)),
  );
}

function escaped(words: string): string {
  return words.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}

import { count, formatNumber } from '@scree/analysis/describe';
import { labelWidth, svgElement } from '../charts/point-cloud/svg.js';
import type { CloudLegend } from '../charts/point-cloud/types.js';

/** The legend and the captions that explain a figure outside the page. */
export interface FigureNotes {
  readonly legend?: CloudLegend | undefined;
  readonly captions: readonly string[];
}

const LINE = 18;
const MARGIN = 10;
const SWATCH = 10;
const GAP = 14;
const RAMP_WIDTH = 144;
const FONT = { 'font-family': 'system-ui, sans-serif', 'font-size': 12, 'font-weight': 400, 'text-anchor': 'start' };

/** Draws the legend and the captions below a figure of this width, and returns them with their height. Names are not shortened; long lines are broken. */
export function drawNotes(
  { legend, captions }: FigureNotes,
  width: number,
  colours: { readonly text: string; readonly muted: string },
): { readonly group: SVGGElement; readonly height: number } {
  const group = svgElement('g');
  const room = Math.max(60, width - 2 * MARGIN);
  let y = MARGIN;
  const write = (text: string, x: number, fill: string): void => {
    const element = svgElement('text', { x: MARGIN + x, y: y + 10, fill, ...FONT });
    element.textContent = readable(text);
    group.append(element);
  };
  const paragraph = (text: string, fill: string): void => {
    for (const line of lines(text, room)) {
      write(line, 0, fill);
      y += LINE;
    }
  };
  if (legend) paragraph(legend.title, colours.muted);
  if (legend?.kind === 'groups') {
    let x = 0;
    for (const { name, colour, count: rows } of legend.entries) {
      const parts = lines(`${name} (${count(rows)})`, room - SWATCH - 6);
      const needed = SWATCH + 6 + labelWidth(parts[0]);
      if (x > 0 && (x + needed > room || parts.length > 1)) [x, y] = [0, y + LINE];
      const r = SWATCH / 2;
      group.append(svgElement('circle', { cx: MARGIN + x + r, cy: y + 6, r, fill: colour }));
      parts.forEach((part, at) => {
        if (at > 0) y += LINE;
        write(part, x + SWATCH + 6, colours.text);
      });
      x += needed + GAP;
      if (parts.length > 1) [x, y] = [0, y + LINE];
    }
    if (x > 0) y += LINE;
  } else if (legend) {
    const [low, high] = apart(legend.low, legend.high);
    write(low, 0, colours.text);
    const from = labelWidth(low) + 8;
    const step = RAMP_WIDTH / legend.palette.length;
    legend.palette.forEach((fill, i) => {
      // A little wider than a step, so that there are no gaps between the colours.
      group.append(svgElement('rect', { x: MARGIN + from + i * step, y: y + 1, width: step + 0.5, height: 10, fill }));
    });
    write(high, from + RAMP_WIDTH + 8, colours.text);
    y += LINE;
  }
  for (const caption of captions) paragraph(caption, colours.muted);
  return { group, height: legend || captions.length > 0 ? y + 4 : 0 };
}

/** Two numbers with enough digits to tell them apart. */
export function apart(low: number, high: number): [low: string, high: string] {
  let digits = 4;
  while (digits < 15 && low < high && formatNumber(low, digits) === formatNumber(high, digits)) digits++;
  return [formatNumber(low, digits), formatNumber(high, digits)];
}

/** Breaks a text between words; words that are longer than a line are broken too. */
function lines(text: string, room: number): string[] {
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (labelWidth(longer) <= room) {
      line = longer;
      continue;
    }
    if (line !== '') found.push(line);
    line = word;
    while (labelWidth(line) > room) {
      const letters = Array.from(line);
      const fits = Math.max(1, Math.floor((letters.length * room) / labelWidth(line)));
      found.push(letters.slice(0, fits).join(''));
      line = letters.slice(fits).join('');
    }
  }
  return [...found, line];
}

/** Names may contain characters that XML does not allow. */
export function readable(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}

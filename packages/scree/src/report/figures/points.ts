import * as Plot from '@observablehq/plot';
import type { RowFacts } from '@scree/analysis';
import { squeezed } from '../plain-text.js';
import { rampColour } from '../theme.js';
import type { RowColours } from './colouring.js';

/** A row as a point of a plot. */
export interface RowPoint {
  readonly x: number;
  readonly y: number;
  readonly colour: string;
  readonly row: number;
  readonly name: string | undefined;
  readonly label: string | undefined;
  /** cos²: the share of the row's squared distance from the mean that the two axes show. 1 if it was not computed. */
  readonly quality: number;
}

/** Up to this number, every point is an element with a tooltip that names its row and label. */
export const MAX_TOOLTIPS = 400;
/**
 * Number of points of one colour that are drawn one after the other. Colours alternate, so that the last group does not cover all others.
 */
const RUN_LENGTH = 200;

export function toPoints(
  { sample, numberOf, nameOf }: Pick<RowFacts, 'sample' | 'numberOf' | 'nameOf'>,
  colouring: RowColours,
  first: number,
  second: number,
): RowPoint[] {
  return sample.map(({ row, scores, square }) => ({
    x: scores[first],
    y: scores[second],
    colour: rowColour(row, colouring),
    row: numberOf(row),
    name: nameOf?.(row),
    label: colouring.labelOf(row),
    quality: square > 0 ? Math.min(1, (scores[first] ** 2 + scores[second] ** 2) / square) : 1,
  }));
}

/** The text beside the point of a row: its name, or its number. */
export function pointTitle({ numberOf, nameOf }: Pick<RowFacts, 'numberOf' | 'nameOf'>, row: number): string {
  return squeezed(nameOf?.(row) ?? String(numberOf(row)), 16);
}

/** "row 3: Karpov, Decastar". */
function tooltip({ row, name, label }: RowPoint): string {
  const about = [...new Set([name, label])].filter((text) => text !== undefined);
  return `row ${row}${about.length === 0 ? '' : `: ${about.join(', ')}`}`;
}

export function rowColour(row: number, colouring: RowColours): string {
  if (colouring.range) return rampColour(colouring.shareOf(row));
  return colouring.groups[colouring.groupOf(row)]?.colour ?? 'var(--accent)';
}

/** Points as dots. Many points of one colour are one path: lines of length zero with round ends. */
export function dotMarks(points: readonly RowPoint[], { faint = false, sized = false } = {}): Plot.Markish {
  const count = points.length;
  const r = count <= 300 ? 3.2 : count <= 1500 ? 2.3 : 1.7;
  const opacity = faint ? 0.28 : count <= 300 ? 0.85 : count <= 1500 ? 0.7 : 0.6;
  const channels = { x: 'x', y: 'y', r, fillOpacity: opacity } as const;
  if (count <= MAX_TOOLTIPS && !faint) {
    return Plot.dot(points, {
      ...channels,
      ...(sized ? { r: ({ quality }: RowPoint) => 1.6 + 2.6 * quality } : {}),
      fill: 'colour',
      title: (point: RowPoint) => `${tooltip(point)}${sized ? `, cos² ${point.quality.toFixed(2)}` : ''}`,
    });
  }
  return Plot.dot(points, {
    ...channels,
    render(index, _scales, { x, y }, _dimensions, { document }) {
      if (!x || !y) throw new TypeError('points have no place');
      const svg = (name: string): SVGElement =>
        document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement;
      const group = svg('g');
      group.setAttribute('fill', 'none');
      group.setAttribute('stroke-linecap', 'round');
      group.setAttribute('stroke-width', String(2 * r));
      group.setAttribute('stroke-opacity', String(opacity));
      for (let from = 0; from < index.length; from += RUN_LENGTH) {
        const paths = new Map<string, string>();
        for (const i of index.slice(from, from + RUN_LENGTH)) {
          const { colour } = points[i];
          paths.set(colour, `${paths.get(colour) ?? ''}M${x[i].toFixed(1)},${y[i].toFixed(1)}h0`);
        }
        for (const [colour, d] of paths) {
          const path = svg('path');
          path.setAttribute('stroke', colour);
          path.setAttribute('d', d);
          group.appendChild(path);
        }
      }
      return group;
    },
  });
}

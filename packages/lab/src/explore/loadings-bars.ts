import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { shortenMiddle } from '../shorten.js';
import { MAX_BARS } from './largest-weights.js';

/** Average width of a wide letter in the 12 pixel font of the charts. */
const LETTER_WIDTH = 7.5;

/** The weights of one component, largest first. With `whole`, for a file, names are not shortened and widen the figure. */
export function weightBars(
  { components: { data, cols } }: Model,
  c: number,
  columns: readonly string[],
  width: number,
  whole = false,
): Element {
  const weights = Array.from({ length: cols }, (_, j) => ({ column: j, weight: data[c * cols + j] }))
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
    .slice(0, MAX_BARS);
  const longest = Math.max(...weights.map(({ column }) => columns[column].length));
  const fitting = Math.min(longest, Math.floor((0.36 * width) / LETTER_WIDTH));
  const letters = whole ? longest : fitting;
  const marginLeft = 16 + LETTER_WIDTH * letters;
  const largest = weights.slice(0, 5).map(({ column, weight }) => `${columns[column]} ${weight.toFixed(3)}`);
  const most = Math.max(...weights.map(({ weight }) => Math.abs(weight)));
  return Plot.plot({
    width: width + LETTER_WIDTH * (letters - fitting),
    height: (whole ? 60 : 44) + 22 * weights.length,
    marginLeft,
    marginTop: whole ? 44 : 28,
    marginRight: 18,
    marginBottom: 12,
    ariaLabel: `Weights in component ${c + 1}: ${largest.join(', ')}.`,
    x: {
      axis: 'top',
      label: whole ? `weight in PC${c + 1}` : null,
      domain: [-most, most],
      nice: true,
      ticks: Math.min(5, Math.floor((width - 16 - LETTER_WIDTH * fitting) / 48)),
      grid: true,
    },
    y: {
      type: 'band',
      domain: weights.map(({ column }) => column),
      label: null,
      tickSize: 0,
      tickFormat: (j: number) => shortenMiddle(columns[j], letters),
    },
    marks: [
      Plot.barX(weights, {
        x: 'weight',
        y: 'column',
        fill: ({ weight }) => (weight < 0 ? 'var(--warm)' : 'var(--accent)'),
        title: ({ column, weight }) => `${columns[column]}: ${weight.toFixed(4)}`,
      }),
      Plot.ruleX([0]),
    ],
  });
}

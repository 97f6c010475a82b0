import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { several } from '@scree/core/describe';
import { shortenMiddle } from '../shorten.js';
import { columnsWithLargestWeights } from './largest-weights.js';

/** Average width of a wide letter in the 12 pixel font of the charts. */
const LETTER_WIDTH = 7.5;

/**
 * Components as a heat map: one row per column of the table, one cell per component. Of many columns, those with the largest
 * weights in the shown components, in the order of the table.
 */
export function heatMap(model: Model, shown: number, columns: readonly string[], width: number): Element {
  const { cols: d, data } = model.components;
  const drawn = columnsWithLargestWeights(model, shown);
  const fields = drawn.flatMap((column) =>
    Array.from({ length: shown }, (_, c) => ({ column, component: c + 1, weight: data[c * d + column] })),
  );
  const largest = Math.max(...fields.map(({ weight }) => Math.abs(weight)));
  const longest = Math.max(...drawn.map((j) => columns[j].length));
  const letters = Math.min(longest, Math.floor((0.36 * width) / LETTER_WIDTH));
  const marginLeft = 16 + LETTER_WIDTH * letters;
  const fieldWidth = (width - marginLeft) / shown;
  return Plot.plot({
    width,
    height: 40 + (drawn.length > 12 ? 19 : 26) * drawn.length,
    marginLeft,
    marginTop: 32,
    marginBottom: 8,
    marginRight: 0,
    ariaLabel: `Weights of ${several(drawn.length, 'column')} in ${several(shown, 'component')}, as a heat map.`,
    x: {
      type: 'band',
      axis: 'top',
      label: null,
      padding: 0.04,
      tickFormat: (c: number) => (fieldWidth < 34 ? String(c) : `PC${c}`),
      tickSize: 0,
    },
    y: {
      type: 'band',
      label: null,
      padding: 0.06,
      tickFormat: (j: number) => shortenMiddle(columns[j], letters),
      tickSize: 0,
    },
    color: { type: 'linear', domain: [-largest, largest], range: [0, 1], interpolate: () => tint },
    marks: [
      Plot.cell(fields, {
        x: 'component',
        y: 'column',
        fill: 'weight',
        title: ({ column, component, weight }) => `PC${component}, ${columns[column]}: ${weight.toFixed(3)}`,
      }),
      fieldWidth >= 36
        ? Plot.text(fields, { x: 'component', y: 'column', text: ({ weight }) => signed(weight), fill: 'currentColor' })
        : null,
    ],
  });
}

/** Mixed by the browser from colours of the style sheet, so that it follows the theme without a redraw. */
function tint(position: number): string {
  const weight = 2 * position - 1;
  return `color-mix(in oklab, var(${weight < 0 ? '--field-negative' : '--field-positive'}) ${Math.round(100 * Math.abs(weight))}%, var(--field))`;
}

function signed(weight: number): string {
  const text = Math.abs(weight).toFixed(2);
  return weight < 0 && text !== '0.00' ? `−${text}` : text;
}

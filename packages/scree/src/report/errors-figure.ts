import * as Plot from '@observablehq/plot';
import { type Figure, plot } from './figure.js';
import { count, powerOfTen, several, show } from './numbers.js';
import type { RowFacts } from './read-rows.js';

const BINS = 40;

/** How far rows are from their reconstructions. */
export function errorsFigure({ distances, rows }: RowFacts): Figure {
  const { bins, logarithmic } = distances.bins(BINS);
  const [median, far] = [distances.quantile(0.5), distances.quantile(0.99)];
  const marks = [
    { at: median, name: 'half of the rows' },
    { at: far, name: '99 %' },
  ].filter(({ at }) => at > 0);
  const height = 280;
  const body = plot({
    height,
    marginLeft: 54,
    marginBottom: 42,
    marginTop: 34,
    marginRight: 18,
    x: {
      label: 'distance from the reconstruction',
      ...(logarithmic ? { type: 'log', tickFormat: powerLabel, ticks: 6 } : { ticks: 6 }),
    },
    y: { label: 'rows', grid: true, ticks: 5 },
    marks: [
      Plot.rect(bins, {
        x1: 'from',
        x2: 'to',
        y1: 0,
        y2: 'count',
        fill: 'var(--accent)',
        inset: 0.4,
        title: (bin) => `${show(bin.from, 3)} to ${show(bin.to, 3)}: ${several(bin.count, 'row')}`,
      }),
      Plot.ruleX(marks, { x: 'at', stroke: 'var(--second)', strokeDasharray: '4 3' }),
      Plot.text(marks, {
        x: 'at',
        text: 'name',
        frameAnchor: 'top',
        dy: -14,
        fontSize: 12,
        textAnchor: 'middle',
        fill: 'var(--second)',
        stroke: 'var(--paper)',
      }),
      Plot.ruleY([0]),
    ],
  });
  return {
    name: 'reconstruction-error',
    title: 'Reconstruction error: how far rows are from what the components keep of them',
    description: `Histogram of the distances of ${several(rows, 'row')}. Half of them are within ${show(median, 3)}, 99 % within ${show(far, 3)}, the farthest is at ${show(distances.largest, 3)}.`,
    caption: `All ${count(rows)} rows. Distances are in the units of the columns${logarithmic ? '; the axis is logarithmic, because they differ by orders of magnitude' : ''}.`,
    height,
    body,
    table: {
      columns: ['from', 'to', 'rows'],
      rows: bins.filter((bin) => bin.count > 0).map((bin) => [show(bin.from), show(bin.to), count(bin.count)]),
    },
  };
}

/** Only powers of ten are labelled where there are several. */
function powerLabel(value: number): string {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9 ? powerOfTen(value) : '';
}

import * as Plot from '@observablehq/plot';
import { number, percent, shorten } from './format.js';
import { groupLabels } from './groups.js';
import type { Fit } from './messages.js';
import type { Table } from './table.js';

/** Points an SVG draws without stutter. */
const MOST_POINTS = 4000;

/** Of many rows one in this many is drawn; 1 when they all are. */
export function drawEvery(rows: number): number {
  return Math.ceil(rows / MOST_POINTS);
}

/** The rows on the first two components; on the first and their row number when there is one component only. */
export function scoresPlot(fit: Fit, label: Table['label'], width: number): Element {
  const { first, second, varianceRatios } = fit;
  const groups = label && groupLabels(label.values);
  const step = drawEvery(first.length);
  const points = Array.from({ length: Math.ceil(first.length / step) }, (_, i) => {
    const row = i * step;
    return { row, x: first[row], y: second ? second[row] : row + 1, group: groups ? groups.of[row] : 0 };
  });
  const axis = (c: number): string => `PC${c + 1} (${percent(varianceRatios[c])} of variance)`;
  // Groups go by number, never by name: a label that happens to be a colour or a shape must not be taken for one.
  const domain = groups ? groups.names.map((_, g) => g) : [0];
  const grouped = groups && { fill: 'group', symbol: 'group' };
  return Plot.plot({
    width,
    height: Math.min(460, Math.max(320, width * 0.75)),
    marginLeft: 48,
    marginTop: 28,
    marginBottom: 40,
    inset: 6,
    ariaLabel: `Scatter of ${points.length} rows on ${axis(0)}${second ? ` and ${axis(1)}` : ''}${label ? `, coloured by ${label.name}` : ''}.`,
    x: { label: axis(0), ticks: 6, nice: true, grid: true },
    y: { label: second ? axis(1) : 'row', ticks: 6, nice: true, grid: true },
    color: { type: 'ordinal', domain, range: domain.map((g) => `var(--group-${g})`) },
    symbol: {
      type: 'ordinal',
      domain,
      legend: groups !== undefined,
      tickFormat: (g: number) => shorten(groups?.names[g] ?? '', 28),
    },
    marks: [
      Plot.dot(points, { x: 'x', y: 'y', r: points.length > 1000 ? 2 : 3.5, fill: 'var(--accent)', ...grouped }),
      Plot.tip(
        points,
        Plot.pointer({
          x: 'x',
          y: 'y',
          title: ({ row, x, y }) =>
            [
              `row ${row + 1}`,
              ...(label ? [`${shorten(label.name, 20)}: ${shorten(label.values[row], 40)}`] : []),
              `PC1 ${number(x)}`,
              ...(second ? [`PC2 ${number(y)}`] : []),
            ].join('\n'),
        }),
      ),
    ],
  });
}

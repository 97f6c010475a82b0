import * as Plot from '@observablehq/plot';
import type { RowFacts } from '@scree/analysis';
import { count, formatNumber, plural, powerOfTen, rowTitle, tick } from '@scree/analysis/describe';
import { type Figure, plot } from './figure.js';

const BINS = 40;

/** How far rows are from their reconstructions. */
export function errorsFigure(facts: RowFacts, scaled: boolean): Figure {
  const { distances, rows, worst } = facts;
  const { bins, logarithmic } = distances.bins(BINS);
  const [median, far] = [distances.quantile(0.5), distances.quantile(0.99)];
  const about = distances.exact ? '' : 'about ';
  const height = 290;
  const [low, high] = [bins[0]?.from ?? 0, bins[bins.length - 1]?.to ?? 1];
  const outliers = worst.map(({ row, error }) => ({ row: rowTitle(facts, row), at: Math.sqrt(error) }));
  /** A vertical line at a distance, with its name above the plot in row `line`. */
  const mark = (at: number, name: string, line: number): Plot.Markish[] => {
    if (!(at > 0)) return [];
    const anchor = at > low + 0.7 * (high - low) ? 'end' : 'start';
    return [
      Plot.ruleX([at], { stroke: 'var(--second)', strokeWidth: 1.5, insetTop: -14 * line }),
      Plot.text([at], {
        x: (x) => x,
        text: () => name,
        frameAnchor: 'top',
        dx: anchor === 'start' ? 4 : -4,
        dy: -14 * line + 6,
        fontSize: 12,
        textAnchor: anchor,
        fill: 'var(--second)',
        stroke: 'var(--paper)',
      }),
    ];
  };
  const body = plot({
    height,
    marginLeft: 58,
    marginBottom: 42,
    marginTop: 48,
    marginRight: 20,
    x: {
      label: 'distance from the reconstruction',
      ...(logarithmic ? { type: 'log', tickFormat: powerLabel, ticks: 6 } : { ticks: 5, tickFormat: tick }),
    },
    y: { label: 'rows', grid: true, ticks: 5, tickFormat: tick },
    marks: [
      Plot.rect(bins, {
        x1: 'from',
        x2: 'to',
        y1: 0,
        y2: 'count',
        fill: 'var(--accent)',
        inset: 0.4,
        title: (bin) => `${formatNumber(bin.from, 3)} to ${formatNumber(bin.to, 3)}: ${plural(bin.count, 'row')}`,
      }),
      ...mark(median, 'half of the rows', 2),
      ...mark(far, '99 %', 1),
      Plot.ruleY([0]),
      Plot.dot(outliers, {
        x: 'at',
        frameAnchor: 'bottom',
        dy: -5,
        r: 3.5,
        fill: 'var(--alarm)',
        fillOpacity: 0.75,
        title: ({ row, at }) => `row ${row}: ${formatNumber(at)}`,
      }),
    ],
  });
  return {
    name: 'reconstruction-error',
    title: 'Reconstruction error of the rows',
    description: `Histogram of the distances of ${plural(rows, 'row')}. ${rows === 1 ? '' : `Half of them are within ${about}${formatNumber(median, 3)}, 99 % within ${about}${formatNumber(far, 3)}; `}${rows === 1 ? 'It' : 'the farthest'} is at ${formatNumber(distances.largest, 3)}.`,
    caption: `${rows === 1 ? 'One row.' : `All ${count(rows)} rows.`} Distances are in the units of the ${scaled ? 'scaled ' : ''}columns; ${worst.length === 1 ? 'the dot is the row farthest away' : `dots are the ${worst.length} rows farthest away`}${logarithmic ? '; the axis is logarithmic, because they differ by orders of magnitude' : ''}.`,
    height,
    body,
    table: {
      columns: ['from', 'to', 'rows'],
      rows: bins
        .filter((bin) => bin.count > 0)
        .map((bin) => [formatNumber(bin.from), formatNumber(bin.to), count(bin.count)]),
    },
  };
}

/** Labels only powers of ten if there are several. */
function powerLabel(value: number): string {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9 ? powerOfTen(value) : '';
}

import * as Plot from '@observablehq/plot';
import type { RowFacts, UnusualRows } from '@scree/analysis';
import { count, formatNumber, plural, tick } from '@scree/analysis/describe';
import { type Figure, moved, plot } from './figure.js';

/** Points of a chart. If there are more rows, a point is the largest value of several. */
const MOST_POINTS = 400;
const TABLE_ROWS = 20;
const PANEL = 170;

interface ChartPoint {
  readonly row: number;
  readonly value: number;
}

/** T² and Q of new rows in their order, with 95 % limits. Undefined if the values of single rows are not known, or if there is a single row. */
export function controlFigure(found: UnusualRows, facts: RowFacts): Figure | undefined {
  const [t2, distances] = [facts.t2.values, facts.distances.values];
  if (!t2 || !distances || t2.length < 2) return undefined;
  const q = distances.map((distance) => (distance * distance > found.rounding ? distance * distance : 0));
  const each = Math.ceil(t2.length / MOST_POINTS);
  const panels = [
    { name: 'T²', values: t2, limit: found.limits.t2 },
    { name: 'Q', values: q, limit: found.limits.q },
  ].filter(({ limit }) => limit !== null);
  const body = panels
    .map(({ name, values, limit }, p) => moved(0, p * PANEL, panel(name, values, limit, each)))
    .join('');
  const beyond = [...t2.keys()].filter(
    (i) => (found.limits.t2 !== null && t2[i] > found.limits.t2) || (found.limits.q !== null && q[i] > found.limits.q),
  );
  return {
    name: 'control-chart',
    title: 'Control charts: T² and Q in the order of the rows',
    description: `Charts of ${panels.map(({ name }) => name).join(' and ')} of ${plural(t2.length, 'row')} in their order. ${plural(beyond.length, 'row')} beyond a 95 % limit.`,
    caption: `${each === 1 ? 'A point per row.' : `Each point is the largest value of ${count(each)} rows.`} Dashed: the 95 % limit of new rows. Of good rows about one in twenty is beyond it. Rows that drift rise together.`,
    height: PANEL * panels.length,
    body,
    table: {
      columns: ['row', 'T²', 'Q'],
      rows: beyond
        .slice(0, TABLE_ROWS)
        .map((i) => [String(facts.numberOf(i)), formatNumber(t2[i], 6), formatNumber(q[i], 6)]),
      note: `The first rows beyond a limit, in their order; ${count(beyond.length)} in all.`,
    },
  };
}

function panel(name: string, values: Float64Array, limit: number | null, each: number): string {
  const points: ChartPoint[] = [];
  for (let from = 0; from < values.length; from += each) {
    const some = values.subarray(from, from + each);
    points.push({ row: from + 1, value: some.reduce((most, value) => Math.max(most, value), 0) });
  }
  const top = points.reduce((most, { value }) => Math.max(most, value), limit ?? 0);
  return plot({
    height: PANEL,
    marginLeft: 62,
    marginBottom: 38,
    marginTop: 16,
    marginRight: 40,
    x: { label: 'row', tickFormat: tick, ticks: 6 },
    // A few distant rows must not press all others to the axis.
    y: {
      label: name,
      type: limit !== null && top > 12 * limit ? 'sqrt' : 'linear',
      domain: [0, 1.06 * top || 1],
      ticks: 4,
      tickFormat: tick,
    },
    marks: [
      Plot.lineY(points, { x: 'row', y: 'value', stroke: 'var(--accent)', strokeWidth: 1 }),
      Plot.dot(
        points.filter(({ value }) => limit !== null && value > limit),
        {
          x: 'row',
          y: 'value',
          r: 2.5,
          fill: 'var(--alarm)',
          title: ({ row, value }: ChartPoint) => `row ${row}: ${formatNumber(value)}`,
        },
      ),
      ...(limit === null
        ? []
        : [Plot.ruleY([limit], { stroke: 'var(--second)', strokeWidth: 1.3, strokeDasharray: '4 3' })]),
    ],
  });
}

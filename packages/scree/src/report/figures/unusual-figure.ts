import * as Plot from '@observablehq/plot';
import type { RowFacts, UnusualRows } from '@scree/analysis';
import { count, formatNumber, plural, tick } from '@scree/analysis/describe';
import { type RowColours, rowColumns } from './colouring.js';
import { type Figure, type FigureTable, moved, plot } from './figure.js';
import { dotMarks, pointTitle, type RowPoint, rowColour } from './points.js';
import { legendOf } from './scores-figure.js';

/** Rows whose number stands beside their point. */
const NAMED = 8;
const TABLE_ROWS = 20;

type AxisType = 'linear' | 'sqrt' | 'log';

interface Axis {
  readonly type: AxisType;
  readonly domain: [number, number];
  /** Values below are drawn at the edge. */
  readonly least: number;
}

/** Rows by T² and Q, with the limits of both. */
export function unusualFigure(found: UnusualRows, facts: RowFacts, colouring: RowColours): Figure {
  const { limits, unusualLimits, ranked, unusual, complete } = found;
  const [largest, median] = [facts.distances.largest ** 2, facts.distances.quantile(0.5) ** 2].map((q) =>
    shownQ(q, found),
  );
  const drawn = new Map([...facts.sample, ...ranked].map(({ row, t2, error }) => [row, { row, t2, error }]));
  const x = axisOf(facts.t2.largest, [limits.t2, unusualLimits.t2], facts.t2.quantile(0.5));
  const y = axisOf(largest, [limits.q, unusualLimits.q], median);
  const at = ({ t2, error }: { t2: number; error: number }): { x: number; y: number } => ({
    x: Math.max(x.least, t2),
    y: Math.max(y.least, shownQ(error, found)),
  });
  const points = [...drawn.values()].map(
    (each): RowPoint => ({
      ...at(each),
      colour: rowColour(each.row, colouring),
      row: facts.numberOf(each.row),
      name: facts.nameOf?.(each.row),
      label: colouring.labelOf(each.row),
      quality: 1,
    }),
  );
  const named =
    complete && unusual.length <= NAMED
      ? unusual.map((each) => ({ ...at(each), title: pointTitle(facts, each.row) }))
      : [];
  const { svg: key, height: keyHeight } = legendOf(colouring);
  const height = 330;
  const body = plot({
    height,
    marginLeft: 62,
    marginBottom: 42,
    marginTop: 34,
    marginRight: 30,
    x: { label: 'T²', type: x.type, domain: x.domain, ...ticksOf(x) },
    y: { label: 'Q', type: y.type, domain: y.domain, ...ticksOf(y) },
    marks: [
      // The names point away from each other.
      ...limitMarks('x', limits.t2, '95 %', '4 3', 'end'),
      ...limitMarks('x', unusualLimits.t2, 'unusual', '', 'start'),
      ...limitMarks('y', limits.q, '95 %', '4 3'),
      ...limitMarks('y', unusualLimits.q, 'unusual', ''),
      // Below the points, which the edges of letters would hide.
      ...(['start', 'end'] as const).map((anchor) =>
        Plot.text(
          named.filter((point) => point.x > x.domain[1] / 2 === (anchor === 'end')),
          {
            x: 'x',
            y: 'y',
            text: 'title',
            dx: anchor === 'start' ? 7 : -7,
            textAnchor: anchor,
            fontSize: 12,
            fill: 'var(--ink)',
            stroke: 'var(--paper)',
          },
        ),
      ),
      dotMarks(points),
    ],
  });
  const clipped = [x, y].some(({ least }) => least > 0);
  const rare = [...(x.type === 'linear' ? [] : ['T²']), ...(y.type === 'linear' ? [] : ['Q'])];
  return {
    name: 't2-q',
    title: 'Unusual rows: T² and Q',
    description: `Scatter plot of ${plural(points.length, 'row')} by T² and Q. T² reaches ${formatNumber(facts.t2.largest, 3)}, Q ${formatNumber(largest, 3)}.`,
    caption: `${facts.rows === 1 ? 'One row.' : drawn.size === facts.rows ? `All ${count(facts.rows)} rows.` : `${count(drawn.size)} of ${count(facts.rows)} rows, the most extreme ones among them.`} Dashed: 95 % limits; solid: beyond these a row is called unusual.${rare.length === 0 ? '' : ` ${rare.length === 2 ? 'Neither axis is linear' : `The axis of ${rare[0]} is not linear`}, because rows lie far apart.`}${clipped ? ' Values near zero are drawn at the edge.' : ''}`,
    height: keyHeight + height,
    body: key + moved(0, keyHeight, body),
    table: tableOf(found, facts, colouring),
  };
}

/** Q, or 0 where it is rounding: components that leave nothing out. */
function shownQ(q: number, { rounding }: UnusualRows): number {
  return q > rounding ? q : 0;
}

/** Rows far beyond the limits must not push all others into a corner. */
function axisOf(largest: number, limits: readonly (number | null)[], median: number): Axis {
  const known = limits.filter((limit) => limit !== null);
  const top = Math.max(largest, ...known);
  const measure = known[0] ?? median;
  const type = !(top > 12 * measure) || measure === 0 ? 'linear' : top > 1000 * measure ? 'log' : 'sqrt';
  const least = type === 'log' ? measure / 100 : 0;
  return { type, domain: [least, top > 0 ? 1.06 * top : 1], least };
}

function ticksOf({ type, domain: [least, most] }: Axis): { ticks: number | number[]; tickFormat: typeof tick } {
  if (type !== 'log') return { ticks: 5, tickFormat: tick };
  const [low, high] = [Math.ceil(Math.log10(least)), Math.floor(Math.log10(most))];
  const step = Math.max(1, Math.ceil((high - low) / 6));
  return {
    ticks: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => 10 ** (low + i * step)),
    tickFormat: tick,
  };
}

/** A line at a limit, with its name at the end. */
function limitMarks(
  axis: 'x' | 'y',
  limit: number | null,
  name: string,
  dash: string,
  side: 'start' | 'end' = 'end',
): Plot.Markish[] {
  if (limit === null) return [];
  const stroke = { stroke: 'var(--second)', strokeWidth: 1.3, strokeDasharray: dash };
  const words = { text: () => name, fontSize: 11, fill: 'var(--second)', stroke: 'var(--paper)' };
  return axis === 'x'
    ? [
        Plot.ruleX([limit], stroke),
        Plot.text([limit], { ...words, x: (value) => value, frameAnchor: 'top', textAnchor: side, dy: -12 }),
      ]
    : [
        Plot.ruleY([limit], stroke),
        Plot.text([limit], { ...words, y: (value) => value, frameAnchor: 'right', textAnchor: 'end', dx: 26, dy: -7 }),
      ];
}

function tableOf(found: UnusualRows, facts: RowFacts, colouring: RowColours): FigureTable {
  const { titles, cells } = rowColumns(facts, colouring);
  return {
    columns: [...titles, 'T²', 'Q', 'unusual in'],
    rows: found.ranked
      .slice(0, TABLE_ROWS)
      .map(({ row, t2, error, ratios }) => [
        ...cells(row),
        formatNumber(t2, 6),
        formatNumber(shownQ(error, found), 6),
        [...(ratios.t2 > 1 ? ['T²'] : []), ...(ratios.q > 1 ? ['Q'] : [])].join(' and ') || '–',
      ]),
    note: 'The most extreme rows, most extreme first. Rows are counted from 1.',
  };
}

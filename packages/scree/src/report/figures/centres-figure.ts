import * as Plot from '@observablehq/plot';
import { formatNumber, listed, plural, tick } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { squeezed } from '../plain-text.js';
import { CATEGORIES } from '../theme.js';
import { type Figure, legend, moved, plot } from './figure.js';
import { dotBox, drawNames, placeNames } from './place-names.js';
import { MARGINS, planeOf } from './plane.js';
import { dotMarks, type RowPoint } from './points.js';
import { axisName } from './scores-figure.js';

/** The rows of one level of a column. */
export interface LevelCentre {
  readonly column: string;
  readonly level: string;
  /** Share of the rows, or their number. */
  readonly n: number;
  readonly center: readonly number[];
}

const TABLE_ROWS = 200;

/**
 * The centres of levels on two components: of the columns that divide the rows into groups, or of the categories that were analysed. Rows behind them
 * show whether centres are far apart.
 */
export function centresFigure(
  model: Model,
  levels: readonly LevelCentre[],
  kind: 'groups' | 'categories',
  [first, second]: readonly [number, number],
  rows: readonly RowPoint[] = [],
): Figure {
  const columns = [...new Set(levels.map(({ column }) => column))];
  const colour = (column: string): string => CATEGORIES[columns.indexOf(column)] ?? 'var(--other)';
  const key = legend([
    ...columns.slice(0, CATEGORIES.length).map((column, i) => [squeezed(column, 28), CATEGORIES[i]] as const),
    ...(columns.length > CATEGORIES.length ? [['other columns', 'var(--other)'] as const] : []),
  ]);
  const points = levels.map(({ center, ...level }) => ({ ...level, x: center[first], y: center[second] }));
  const plane = planeOf([...points, ...rows].map(({ x, y }) => [x, y] as const));
  const pixels = points.map(({ x, y }) => plane.toPixel(x, y));
  const order = [...points.keys()].sort((a, b) => size(points[b]) - size(points[a]));
  const names = placeNames(
    order.map((i) => ({ name: squeezed(points[i].level, 18), at: pixels[i], towards: [points[i].x, -points[i].y] })),
    { ...plane.frame, right: plane.frame.right + 18 },
    pixels.map((at) => dotBox(at, 3)),
    12,
  );
  const named = names.filter((name) => name).length;
  const body = plot({
    height: plane.height,
    ...MARGINS,
    x: { label: axisName(model, first), domain: plane.x, ticks: 5, tickFormat: tick },
    y: { label: axisName(model, second), domain: plane.y, ticks: 5, tickFormat: tick },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      ...(rows.length > 0 ? [dotMarks(rows, { faint: true })] : []),
      Plot.dot(points, {
        x: 'x',
        y: 'y',
        r: 4.5,
        symbol: 'square',
        fill: ({ column }) => colour(column),
        title: ({ column, level }) => `${column}: ${level}`,
      }),
    ],
  });
  return {
    name: `${kind}-${first + 1}-${second + 1}`,
    title: `${kind === 'groups' ? 'Groups' : 'Categories'} on components ${first + 1} and ${second + 1}`,
    description: `Squares are the centres of the rows of ${plural(levels.length, 'level')} of ${listed(columns.slice(0, 6))}.`,
    caption: [
      'A square is the mean of the scores of the rows of one level.',
      rows.length > 0 ? ' Pale points are the rows.' : '',
      kind === 'groups' ? ' These columns had no part in the fit.' : '',
      named < levels.length
        ? ` ${named} of ${levels.length} levels are named, where there is room; those far from the origin come first.`
        : '',
      plane.stretched ? ' The axes have scales of their own.' : ' Both axes have the same scale.',
    ].join(''),
    height: key.height + plane.height,
    body: key.svg + moved(0, key.height, body + drawNames(names, { size: 12 })),
    table: {
      columns: [
        'column',
        'level',
        kind === 'groups' ? 'rows' : 'share of the rows',
        `PC${first + 1}`,
        `PC${second + 1}`,
      ],
      rows: levels
        .slice(0, TABLE_ROWS)
        .map(({ column, level, n, center }) => [
          column,
          level,
          formatNumber(n, 3),
          formatNumber(center[first]),
          formatNumber(center[second]),
        ]),
      ...(levels.length > TABLE_ROWS ? { note: `The first ${TABLE_ROWS} of ${levels.length} levels.` } : {}),
    },
  };
}

function size({ x, y }: { x: number; y: number }): number {
  return Math.hypot(x, y);
}

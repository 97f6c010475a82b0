import * as Plot from '@observablehq/plot';
import type { SecondLook } from '@scree/analysis';
import { count, formatNumber, plural, tick } from '@scree/analysis/describe';
import { type Figure, type FigureTable, moved, plot, WIDTH } from './figure.js';

/** Rows whose numbers stand beside their points. */
const NAMED = 12;
const TABLE_ROWS = 40;
const HEIGHT = 270;

interface MapPoint {
  readonly x: number;
  readonly y: number;
  readonly number: number;
  readonly flagged: boolean;
}

interface MapLimits {
  readonly score: number;
  readonly orthogonal: number | null;
}

/** Rows by score distance and orthogonal distance: from the classical components, and below them from the robust ones. */
export function outlierMapFigure(look: SecondLook): Figure {
  const { map, scoreLimit, orthogonalLimit, classicalLimits, flaggedCount, components } = look;
  const pointsOf = (which: 'classical' | 'robust'): MapPoint[] =>
    map.map(({ number, flagged, [which]: [x, y] }) => ({ x, y, number, flagged }));
  const robustLimits = { score: scoreLimit, orthogonal: orthogonalLimit };
  const robust = pointsOf('robust');
  const flagged = plural(flaggedCount, 'row');
  return {
    name: 'outlier-map',
    title: 'Outlier map: classical and robust distances',
    description: `Two scatter plots of ${plural(map.length, 'row')} by score distance and orthogonal distance, from classical and from robust components. ${flagged} beyond the robust limits; the score distances reach ${formatNumber(Math.max(...robust.map(({ x }) => x)), 3)}.`,
    caption: `${map.length === look.ofRows ? `All ${count(map.length)} rows` : `${count(map.length)} of ${count(look.ofRows)} rows`}, by their distance within ${components === 1 ? 'one component' : `${components} components`} (score distance) and from them (orthogonal distance). Above: classical components; below: robust components (ROBPCA). Lines: 97.5 % limits. Filled: beyond the robust limits.`,
    height: 2 * HEIGHT,
    body:
      panel('classical', pointsOf('classical'), classicalLimits) +
      moved(0, HEIGHT, panel('robust', robust, robustLimits)),
    table: tableOf(look),
  };
}

function panel(title: string, points: readonly MapPoint[], limits: MapLimits): string {
  const [x, y] = [
    axis(
      points.map((point) => point.x),
      limits.score,
    ),
    axis(
      points.map((point) => point.y),
      limits.orthogonal,
    ),
  ];
  const flagged = points.filter((point) => point.flagged);
  const line = { stroke: 'var(--second)', strokeWidth: 1.3 };
  return plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 62,
    marginBottom: 42,
    marginTop: 26,
    marginRight: 30,
    x: { label: 'score distance', ...x },
    y: { label: 'orthogonal distance', ...y },
    marks: [
      Plot.text([title], { frameAnchor: 'top', dy: -16, fontSize: 13, fill: 'var(--ink)' }),
      Plot.ruleX([limits.score], line),
      ...(limits.orthogonal === null ? [] : [Plot.ruleY([limits.orthogonal], line)]),
      Plot.dot(
        points.filter((point) => !point.flagged),
        { x: 'x', y: 'y', r: 2.5, stroke: 'var(--faint)' },
      ),
      Plot.dot(flagged, { x: 'x', y: 'y', r: 3, fill: 'var(--second)' }),
      ...(flagged.length > NAMED
        ? []
        : [
            Plot.text(flagged, {
              x: 'x',
              y: 'y',
              text: (point: MapPoint) => String(point.number),
              dx: 6,
              textAnchor: 'start',
              fontSize: 11,
              fill: 'var(--ink)',
              stroke: 'var(--paper)',
            }),
          ]),
    ],
  });
}

/** A root scale if rows lie far beyond the limit, so that they do not push all others into a corner. */
function axis(
  values: readonly number[],
  limit: number | null,
): { type: 'linear' | 'sqrt'; domain: [number, number]; ticks: number; tickFormat: typeof tick } {
  const top = Math.max(limit ?? 0, ...values);
  const type = limit !== null && top > 12 * limit ? 'sqrt' : 'linear';
  return { type, domain: [0, top > 0 ? 1.06 * top : 1], ticks: 5, tickFormat: tick };
}

function tableOf({ map, flaggedCount }: SecondLook): FigureTable {
  const rows = map.filter(({ flagged }) => flagged).slice(0, TABLE_ROWS);
  const cells = (pair: readonly [number, number]): string[] => pair.map((value) => formatNumber(value, 5));
  return {
    columns: [
      'row',
      'name',
      'robust score distance',
      'robust orthogonal distance',
      'classical score distance',
      'classical orthogonal distance',
    ],
    rows: rows.map(({ number, name, robust, classical }) => [
      String(number),
      name ?? '',
      ...cells(robust),
      ...cells(classical),
    ]),
    note: `${rows.length < flaggedCount ? `The first ${count(rows.length)} of ${plural(flaggedCount, 'flagged row')}` : 'The flagged rows'}. Rows are counted from 1.`,
  };
}

import * as Plot from '@observablehq/plot';
import type { RowFacts } from '@scree/analysis';
import { count, formatNumber, listed, percent, plural, tick } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { squeezed, squeezedApart } from '../plain-text.js';
import { RAMP_STEPS, rampColour } from '../theme.js';
import { type RowColours, rowColumns } from './colouring.js';
import { ellipsesOf } from './ellipses.js';
import { colourBar, type Figure, type FigureTable, legend, lineWidth, moved, plot, WIDTH } from './figure.js';
import { dotBox, drawNames, type NameArea, overlap, type PlacedName, placeNames, type Wanted } from './place-names.js';
import { MARGINS, type Plane, planeOf } from './plane.js';
import { dotMarks, MAX_TOOLTIPS, pointTitle, type RowPoint, rowColour, toPoints } from './points.js';

/** With up to this many rows, the table lists every point. */
const MOST_ROWS = 200;
/** Unusual rows whose names stand beside their points. */
const MOST_NAMED = 8;

/** "PC1 (72.9 %)". */
export function axisName(model: Model, component: number): string {
  return `PC${component + 1} (${percent(model.varianceRatios[component])})`;
}

/** A supplementary row. */
export interface SupplementaryPoint {
  readonly name: string;
  readonly scores: ArrayLike<number>;
}

/** Rows on two components, coloured by their labels, with the ellipses of groups and with the names that fit. */
export function scoresFigure(
  model: Model,
  facts: RowFacts,
  colouring: RowColours,
  unusual: readonly { readonly row: number }[],
  supplementary: readonly SupplementaryPoint[],
  first = 0,
  second = 1,
): Figure {
  const { sample } = facts;
  const points = toPoints(facts, colouring, first, second);
  const ellipses = ellipsesOf(facts.groups, colouring, [first, second]);
  const apart = supplementary.map(({ name, scores }) => ({ name, x: scores[first], y: scores[second] }));
  const { svg: key, height: keyHeight } = legendOf(colouring);
  const plane = planeOf(
    [...points, ...apart].map(({ x, y }) => [x, y] as const),
    ellipses.points,
  );
  const titles = [`PC${first + 1}`, `PC${second + 1}`];
  const sized = isSized(points);
  const rings = unusual.length <= MOST_NAMED ? new Set(unusual.map(({ row }) => row)) : new Set<number>();
  const body = plot({
    height: plane.height,
    ...MARGINS,
    x: { label: axisName(model, first), domain: plane.x, ticks: 5, tickFormat: tick },
    y: { label: axisName(model, second), domain: plane.y, ticks: 5, tickFormat: tick },
    r: { type: 'identity' },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      dotMarks(points, { sized }),
      ...ellipses.marks(plane),
      Plot.dot(apart, {
        x: 'x',
        y: 'y',
        r: 4.5,
        symbol: 'diamond',
        stroke: 'var(--ink)',
        fill: 'var(--paper)',
        title: 'name',
      }),
      Plot.dot(
        sample.filter(({ row }) => rings.has(row)),
        {
          x: ({ scores }) => scores[first],
          y: ({ scores }) => scores[second],
          r: 5.5,
          stroke: 'var(--ink)',
          strokeWidth: 1.2,
        },
      ),
    ],
  });
  const diamonds = apart.map(({ x, y }) => dotBox(plane.toPixel(x, y), 6));
  const groups = groupNames(points, colouring, plane, diamonds);
  const names = rowNames(facts, points, rings, apart, [...groups, ...diamonds], plane);
  return {
    name: `scores-${first + 1}-${second + 1}`,
    title: `Scores: the rows on components ${first + 1} and ${second + 1}`,
    description: `Scatter plot of ${plural(points.length, 'row')} on ${titles.join(' and ')}${colouredBy(colouring)}. ${describeCentres(sample, colouring, first, second)}`,
    caption: [
      sampled(facts),
      rings.size === 0 ? '' : rings.size === 1 ? ' The ring marks the unusual row.' : ' Rings mark unusual rows.',
      apart.length === 0
        ? ''
        : ` ${apart.length === 1 ? 'The diamond is a row' : 'Diamonds are rows'} that had no part in the fit.`,
      sized ? ' The larger a point, the more of its row these two components keep (cos²).' : '',
      names.named === 0
        ? ''
        : ` ${count(names.named)} of ${count(facts.rows)} rows are named, where there is room; those far from the origin come first.`,
      ellipses.caption,
      ellipses.caption !== '' && sample.length < facts.rows ? ' Ellipses are of all rows.' : '',
      plane.stretched ? ' The axes have scales of their own.' : ' Both axes have the same scale.',
    ].join(''),
    height: keyHeight + plane.height,
    body: key + moved(0, keyHeight, body + names.svg + drawNames(groups, { size: GROUP_SIZE, weight: 700 })),
    table: scoresTable(facts, colouring, [first, second]),
  };
}

/** Size of the names of groups, and of rows. */
const GROUP_SIZE = 14;
const ROW_SIZE = 11.5;
/** Most rows that are named. */
const MOST_ROW_NAMES = 40;

/** Names of unusual rows and of supplementary rows, then names of other rows if they fit. */
function rowNames(
  facts: RowFacts,
  points: readonly RowPoint[],
  rings: ReadonlySet<number>,
  apart: readonly { readonly name: string; readonly x: number; readonly y: number }[],
  obstacles: readonly NameArea[],
  plane: Plane,
): { svg: string; named: number } {
  const own = facts.sample.map(({ row }, i) => ({ ...points[i], row, at: plane.toPixel(points[i].x, points[i].y) }));
  const dots = own.length <= MOST_OBSTACLES ? own.map(({ at }) => dotBox(at, 2.6)) : [];
  const centre = plane.toPixel(0, 0);
  const wanted = (name: string, at: [number, number], inwards: boolean): Wanted => ({
    name: squeezed(name, 18),
    at,
    towards: [inwards === at[0] > centre[0] ? -1 : 1, 0],
  });
  // These names are always drawn, even over points. They point to the middle, so that none is cut off.
  const sure = [
    ...apart.map(({ name, x, y }) => wanted(name, plane.toPixel(x, y), true)),
    ...own.filter(({ row }) => rings.has(row)).map(({ row, at }) => wanted(pointTitle(facts, row), at, true)),
  ];
  const first = placeNames(sure, { ...plane.frame, right: WIDTH }, obstacles, ROW_SIZE);
  if (!facts.nameOf) return { svg: drawNames(first, { size: ROW_SIZE }), named: 0 };
  const others = own
    .filter(({ row, name }) => name !== undefined && !rings.has(row))
    .sort((a, b) => Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y))
    .slice(0, 4 * MOST_ROW_NAMES)
    .map(({ name = '', at }) => wanted(name, at, false));
  const taken = [...obstacles, ...first].flatMap((box) => box ?? []);
  const rest = placeNames(others, { ...plane.frame, right: WIDTH }, [...taken, ...dots], ROW_SIZE)
    .filter((box) => box !== undefined)
    .slice(0, MOST_ROW_NAMES);
  const ringed = first.slice(apart.length).filter((box) => box !== undefined);
  return {
    svg: drawNames([...first, ...rest], { size: ROW_SIZE }),
    named: rest.length === 0 ? 0 : rest.length + ringed.length,
  };
}

/** Maximum number of points that names of rows must not cover. With more points, no place would be free. */
const MOST_OBSTACLES = 400;

/** Returns true if points are sized by cos²: cos² differs between rows, and there are few points. */
function isSized(points: readonly RowPoint[]): boolean {
  return points.length <= MAX_TOOLTIPS && 10 * points.filter(({ quality }) => quality < 0.8).length > points.length;
}

/** A histogram of the scores, if there is only one component. */
export function scoreHistogram(model: Model, facts: RowFacts, colouring: RowColours): Figure {
  const { sample } = facts;
  const points = sample.map(({ row, scores }) => ({ x: scores[0], colour: rowColour(row, colouring) }));
  const { svg: key, height: keyHeight } = legendOf(colouring);
  const height = 280;
  const body = plot({
    height,
    ...MARGINS,
    x: { label: axisName(model, 0), ticks: 5, tickFormat: tick },
    y: { label: 'rows', grid: true, ticks: 5, tickFormat: tick },
    marks: [
      Plot.rectY(
        points,
        Plot.binX<Plot.RectYOptions>({ y: 'count' }, { x: 'x', fill: 'colour', thresholds: 30, inset: 0.5 }),
      ),
      Plot.ruleY([0]),
    ],
  });
  return {
    name: 'scores-1',
    title: 'Scores: the rows on the one component',
    description: `Histogram of ${plural(points.length, 'row')} along PC1${colouredBy(colouring)}. ${describeCentres(sample, colouring, 0)}`,
    caption: sampled(facts),
    height: keyHeight + height,
    body: key + moved(0, keyHeight, body),
    table: scoresTable(facts, colouring, [0]),
  };
}

/** The legend of the colours. */
export function legendOf(colouring: RowColours): { svg: string; height: number } {
  const { groups, range, name } = colouring;
  if (range) {
    const colours = Array.from({ length: RAMP_STEPS }, (_, i) => rampColour((i + 0.5) / RAMP_STEPS));
    const [low, high] = range;
    return {
      svg: colourBar(
        colours,
        [formatNumber(low), formatNumber((low + high) / 2), formatNumber(high)],
        squeezed(name, 36),
      ),
      height: 34,
    };
  }
  if (groups.length === 0) return { svg: '', height: 0 };
  const names = squeezedApart(
    groups.map((group) => group.name),
    28,
  );
  return legend(groups.map((group, i) => [names[i], group.colour]));
}

/** The name of each group at its centre, so that colour is not the only key. */
function groupNames(
  points: readonly RowPoint[],
  colouring: RowColours,
  plane: Plane,
  obstacles: readonly NameArea[],
): PlacedName[] {
  const named = colouring.groups.filter((group) => group.named);
  if (named.length < 2) return [];
  const names = squeezedApart(
    named.map((group) => group.name),
    16,
  );
  const boxes = named.flatMap((group, i) => {
    const own = points.filter(({ colour }) => colour === group.colour);
    if (own.length === 0) return [];
    const [x, y] = plane.toPixel(median(own.map((point) => point.x)), median(own.map((point) => point.y)));
    const half = lineWidth(names[i], GROUP_SIZE) / 2;
    const middle = Math.min(WIDTH - 4 - half, Math.max(4 + half, x));
    return [{ name: names[i], left: middle - half, right: middle + half, y }];
  });
  const placed: PlacedName[] = [];
  for (const { name, left, right, y } of boxes.sort((a, b) => a.y - b.y)) {
    const at = (shift: number): PlacedName => {
      const top = y - GROUP_SIZE / 2 + shift;
      return { name, left, right, top, bottom: top + GROUP_SIZE };
    };
    const free = (boxes: readonly NameArea[]): number | undefined =>
      SHIFTS.find((shift) => !boxes.some((other) => overlap(at(shift), other)));
    const shift = free([...placed, ...obstacles]) ?? free(placed);
    if (shift !== undefined) placed.push(at(shift));
  }
  return placed;
}

/** Shifts of a name that are tried so that it covers nothing. Farther from its points it would mislead, and the legend has the name too. */
const SHIFTS = [0, 6, -6, 12, -12, 18, -18, 24, -24, 30, -30];

function colouredBy({ groups, range, name }: RowColours): string {
  if (range) return `, coloured by ${name} from ${formatNumber(range[0])} to ${formatNumber(range[1])}`;
  if (groups.length === 0) return '';
  return `, coloured by ${name}: ${listed(groups.map((group) => group.name))}`;
}

function sampled({ sample, rows }: RowFacts): string {
  if (rows === 1) return 'One row.';
  return sample.length === rows
    ? `All ${count(rows)} rows.`
    : `${count(sample.length)} of ${count(rows)} rows, spread evenly over the data.`;
}

/** Means below this share of the deviation are rounding. */
const ROUNDING = 1e-12;

interface GroupSummary {
  readonly name: string;
  readonly rows: number;
  readonly means: readonly number[];
  readonly deviations: readonly number[];
}

function summaries(sample: RowFacts['sample'], colouring: RowColours, axes: readonly number[]): GroupSummary[] {
  const groups = colouring.groups.length > 0 ? colouring.groups : [{ name: 'all rows' }];
  return groups.map(({ name }, g) => {
    const own = sample.filter(({ row }) => groups.length === 1 || colouring.groupOf(row) === g);
    const means = axes.map((axis) => own.reduce((sum, { scores }) => sum + scores[axis], 0) / own.length);
    const deviations = axes.map((axis, i) =>
      Math.sqrt(own.reduce((sum, { scores }) => sum + (scores[axis] - means[i]) ** 2, 0) / own.length),
    );
    // The mean of all scores is 0. Anything else is rounding.
    const shown = means.map((mean, i) => (Math.abs(mean) <= ROUNDING * deviations[i] ? 0 : mean));
    return { name, rows: own.length, means: shown, deviations };
  });
}

function describeCentres(sample: RowFacts['sample'], colouring: RowColours, ...axes: number[]): string {
  if (colouring.groups.length < 2) return '';
  const centres = summaries(sample, colouring, axes)
    .filter(({ rows }) => rows > 0)
    .map(({ name, means }) => `${name} around ${means.map((mean) => formatNumber(mean, 2)).join(', ')}`);
  return `On average: ${centres.join('; ')}.`;
}

/** Every point if there are few. Otherwise the centre of each group. */
function scoresTable(facts: RowFacts, colouring: RowColours, axes: readonly number[]): FigureTable {
  const { sample } = facts;
  const names = axes.map((axis) => `PC${axis + 1}`);
  if (sample.length <= MOST_ROWS) {
    const { titles, cells } = rowColumns(facts, colouring);
    return {
      columns: [...titles, ...names],
      rows: sample.map(({ row, scores }) => [...cells(row), ...axes.map((axis) => formatNumber(scores[axis]))]),
    };
  }
  return {
    columns: [
      colouring.name,
      'rows drawn',
      ...names.flatMap((name) => [`${name}, mean`, `${name}, standard deviation`]),
    ],
    rows: summaries(sample, colouring, axes).map(({ name, rows, means, deviations }) => [
      name,
      count(rows),
      ...axes.flatMap((_, i) => (rows === 0 ? ['', ''] : [formatNumber(means[i]), formatNumber(deviations[i])])),
    ]),
  };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { count, listed, percent, several, show, tick } from '@scree/core/describe';
import { squeezed, squeezedApart } from '../plain-text.js';
import type { RowFacts, SampledRow } from '../read-rows.js';
import { RAMP_STEPS, rampColour } from '../theme.js';
import { type Colouring, rowColumns } from './colouring.js';
import { colourBar, type Figure, legend, moved, plot, type Table, textWidth, WIDTH } from './figure.js';
import { colourOf, dots, type Point, pointTitle, toPoints } from './points.js';

/** With up to this many rows, the table lists every point. */
const MOST_ROWS = 200;
/** Unusual rows whose names stand beside their points. */
const MOST_NAMED = 8;
/** Farthest that the name of a group may be moved from its centre. */
const MAX_SHIFT = 34;

/** "PC1 (72.9 %)". */
export function axisName(model: Model, component: number): string {
  return `PC${component + 1} (${percent(model.varianceRatios[component])})`;
}

/** Rows on two components, coloured by their labels. */
export function scoresFigure(
  model: Model,
  facts: RowFacts,
  colouring: Colouring,
  unusual: readonly { readonly row: number }[],
  first = 0,
  second = 1,
): Figure {
  const { sample } = facts;
  const points = toPoints(facts, colouring, first, second);
  const { svg: key, height: keyHeight } = legendOf(colouring);
  const frame = frameOf(points);
  const names = [`PC${first + 1}`, `PC${second + 1}`];
  const body = plot({
    height: frame.height,
    ...MARGINS,
    x: { label: axisName(model, first), nice: true, ticks: 5, tickFormat: tick },
    y: { label: axisName(model, second), nice: true, ticks: 5, tickFormat: tick },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      dots(points),
      ...named(facts, unusual, first, second),
      ...centres(points, colouring),
    ],
  });
  return {
    name: `scores-${first + 1}-${second + 1}`,
    title: `Scores: the rows on components ${first + 1} and ${second + 1}`,
    description: `Scatter plot of ${several(points.length, 'row')} on ${names.join(' and ')}${colouredBy(colouring)}. ${describeCentres(sample, colouring, first, second)}`,
    caption: `${sampled(facts)}${ringed(unusual)}${frame.stretched ? ' The axes have scales of their own.' : ' Both axes have the same scale.'}`,
    height: keyHeight + frame.height,
    body: key + moved(0, keyHeight, body),
    table: scoresTable(facts, colouring, [first, second]),
  };
}

/** A histogram of the scores, if there is only one component. */
export function scoreHistogram(model: Model, facts: RowFacts, colouring: Colouring): Figure {
  const { sample } = facts;
  const points = sample.map(({ row, scores }) => ({ x: scores[0], colour: colourOf(row, colouring) }));
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
    description: `Histogram of ${several(points.length, 'row')} along PC1${colouredBy(colouring)}. ${describeCentres(sample, colouring, 0)}`,
    caption: sampled(facts),
    height: keyHeight + height,
    body: key + moved(0, keyHeight, body),
    table: scoresTable(facts, colouring, [0]),
  };
}

export const MARGINS = { marginLeft: 58, marginBottom: 42, marginTop: 26, marginRight: 22 } as const;

/** Equal scales on both axes, unless the figure would become too high or too low. */
export function frameOf(points: readonly { x: number; y: number }[]): { height: number; stretched: boolean } {
  const span = (values: number[]): number =>
    values.reduce((most, value) => Math.max(most, value), 0) -
    values.reduce((least, value) => Math.min(least, value), 0);
  const ratio = span(points.map(({ y }) => y)) / span(points.map(({ x }) => x));
  const wanted = (WIDTH - MARGINS.marginLeft - MARGINS.marginRight) * ratio + MARGINS.marginTop + MARGINS.marginBottom;
  const height = Number.isFinite(wanted) ? Math.round(Math.min(440, Math.max(280, wanted))) : 280;
  return { height, stretched: !(Math.abs(height - wanted) < 12) };
}

/** A ring around each unusual row and its name or number, as far as these are drawn and few. */
function named(
  facts: RowFacts,
  unusual: readonly { readonly row: number }[],
  first: number,
  second: number,
): Plot.Markish[] {
  if (unusual.length > MOST_NAMED) return [];
  const rows = new Set(unusual.map(({ row }) => row));
  const places = facts.sample
    .filter(({ row }) => rows.has(row))
    .map(({ row, scores }) => ({ x: scores[first], y: scores[second], title: pointTitle(facts, row) }));
  // Names point to the middle, so that none is cut off.
  const names = (['start', 'end'] as const).map((anchor) =>
    Plot.text(
      places.filter(({ x }) => x > 0 === (anchor === 'end')),
      {
        x: 'x',
        y: 'y',
        text: 'title',
        dx: anchor === 'start' ? 9 : -9,
        textAnchor: anchor,
        fontSize: 12,
        fill: 'var(--ink)',
        stroke: 'var(--paper)',
      },
    ),
  );
  return [Plot.dot(places, { x: 'x', y: 'y', r: 5.5, stroke: 'var(--ink)', strokeWidth: 1.2 }), ...names];
}

/** The legend of the colours. */
export function legendOf(colouring: Colouring): { svg: string; height: number } {
  const { groups, range, name } = colouring;
  if (range) {
    const colours = Array.from({ length: RAMP_STEPS }, (_, i) => rampColour((i + 0.5) / RAMP_STEPS));
    const [low, high] = range;
    return {
      svg: colourBar(colours, [show(low), show((low + high) / 2), show(high)], squeezed(name, 36)),
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
function centres(points: readonly Point[], colouring: Colouring): Plot.Markish[] {
  const named = colouring.groups.filter((group) => group.named);
  if (named.length < 2) return [];
  const names = squeezedApart(
    named.map((group) => group.name),
    16,
  );
  const places = named.flatMap((group, i) => {
    const own = points.filter(({ colour }) => colour === group.colour);
    if (own.length === 0) return [];
    return [{ x: median(own.map(({ x }) => x)), y: median(own.map(({ y }) => y)), name: names[i] }];
  });
  return [
    Plot.text(places, {
      x: 'x',
      y: 'y',
      text: 'name',
      fontWeight: 700,
      fontSize: 14,
      fill: 'var(--ink)',
      stroke: 'var(--paper)',
      strokeWidth: 4,
      strokeOpacity: 0.85,
      render(index, scales, values, dimensions, context, next) {
        const x = values.x && inside(values.x, places);
        const y = x && values.y && apart(x, values.y, places);
        if (!y) return null;
        // A name far from its points would mislead, and the legend has it too.
        const near = index.filter((i) => Math.abs(y[i] - (values.y?.[i] ?? 0)) < MAX_SHIFT);
        return next?.(near, scales, Object.assign({}, values, { x, y }), dimensions, context) ?? null;
      },
    }),
  ];
}

/** Moves names inside the edges of the figure. */
function inside(x: ArrayLike<number>, names: readonly { name: string }[]): number[] {
  return Array.from(x, (middle, i) => {
    const half = textWidth(names[i].name, 15) / 2 + 4;
    return Math.min(WIDTH - half, Math.max(half, middle));
  });
}

/** Moves names down so that they do not overlap. */
function apart(x: ArrayLike<number>, y: ArrayLike<number>, names: readonly { name: string }[]): number[] {
  const moved = Array.from(y);
  const order = [...moved.keys()].sort((a, b) => moved[a] - moved[b]);
  order.forEach((i, place) => {
    for (const j of order.slice(0, place)) {
      const width = (textWidth(names[i].name, 15) + textWidth(names[j].name, 15)) / 2;
      const apart = Math.abs(x[i] - x[j]) > width;
      if (!apart && moved[i] - moved[j] < 16) moved[i] = moved[j] + 16;
    }
  });
  return moved;
}

function colouredBy({ groups, range, name }: Colouring): string {
  if (range) return `, coloured by ${name} from ${show(range[0])} to ${show(range[1])}`;
  if (groups.length === 0) return '';
  return `, coloured by ${name}: ${listed(groups.map((group) => group.name))}`;
}

function ringed({ length }: readonly unknown[]): string {
  if (length === 0 || length > MOST_NAMED) return '';
  return length === 1 ? ' The ring marks the unusual row.' : ' Rings mark unusual rows.';
}

function sampled({ sample, rows }: RowFacts): string {
  if (rows === 1) return 'One row.';
  return sample.length === rows
    ? `All ${count(rows)} rows.`
    : `${count(sample.length)} of ${count(rows)} rows, spread evenly over the data.`;
}

interface GroupSummary {
  readonly name: string;
  readonly rows: number;
  readonly means: readonly number[];
  readonly deviations: readonly number[];
}

function summaries(sample: readonly SampledRow[], colouring: Colouring, axes: readonly number[]): GroupSummary[] {
  const groups = colouring.groups.length > 0 ? colouring.groups : [{ name: 'all rows' }];
  return groups.map(({ name }, g) => {
    const own = sample.filter(({ row }) => groups.length === 1 || colouring.groupOf(row) === g);
    const means = axes.map((axis) => own.reduce((sum, { scores }) => sum + scores[axis], 0) / own.length);
    const deviations = axes.map((axis, i) =>
      Math.sqrt(own.reduce((sum, { scores }) => sum + (scores[axis] - means[i]) ** 2, 0) / own.length),
    );
    return { name, rows: own.length, means, deviations };
  });
}

function describeCentres(sample: readonly SampledRow[], colouring: Colouring, ...axes: number[]): string {
  if (colouring.groups.length < 2) return '';
  const places = summaries(sample, colouring, axes)
    .filter(({ rows }) => rows > 0)
    .map(({ name, means }) => `${name} around ${means.map((mean) => show(mean, 2)).join(', ')}`);
  return `On average: ${places.join('; ')}.`;
}

/** Every point if there are few. Otherwise the centre of each group. */
function scoresTable(facts: RowFacts, colouring: Colouring, axes: readonly number[]): Table {
  const { sample } = facts;
  const names = axes.map((axis) => `PC${axis + 1}`);
  if (sample.length <= MOST_ROWS) {
    const { titles, cells } = rowColumns(facts, colouring);
    return {
      columns: [...titles, ...names],
      rows: sample.map(({ row, scores }) => [...cells(row), ...axes.map((axis) => show(scores[axis]))]),
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
      ...axes.flatMap((_, i) => (rows === 0 ? ['', ''] : [show(means[i]), show(deviations[i])])),
    ]),
  };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

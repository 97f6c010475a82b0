import * as Plot from '@observablehq/plot';
import type { RowFacts } from '@scree/analysis';
import { formatNumber, listed, plural, tick } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { componentOf, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { FEW_ARROWS, shownOf } from './circle-figure.js';
import type { RowColours } from './colouring.js';
import { type Figure, moved, plot, WIDTH } from './figure.js';
import { drawNames, placeArrowNames } from './place-names.js';
import { MARGINS, makePlane } from './plane.js';
import { dotMarks, toPoints } from './points.js';
import { axisName, legendOf } from './scores-figure.js';

/** Length in pixels below which an arrow is left out, because its name would overlap others near the origin. */
const SHORTEST = 14;
const POINTS = 800;
/** Share of the plot, horizontal and vertical, that the arrows fill. The rest is for their names. */
const REACH = [0.72, 0.86] as const;
const HEIGHT = 440;

/**
 * Rows as points and columns as arrows on the first two components. An arrow is √λ·v: if the scores are one standard deviation higher in
 * its direction, the column is higher by its length. Arrows have their own scale, which the figure states. The squared length of an arrow
 * is the column's contribution to the variance of the two components, so the columns that contribute most have the longest arrows. Arrows
 * whose names would not be readable are left out.
 */
export function biplotFigure(model: Model, facts: RowFacts, colouring: RowColours, nameOf: NameOf): Figure {
  const every = Math.ceil(facts.sample.length / POINTS);
  const points = toPoints(facts, colouring, 0, 1).filter((_, i) => i % every === 0);
  const loadings = [0, 1].map((c) => componentOf(model, c).map((entry) => entry * Math.sqrt(model.variances[c])));
  const lengths = loadings[0].map((x, j) => Math.hypot(x, loadings[1][j]));
  const longest = largest(lengths, MOST_TRIED).filter((j) => lengths[j] > 0);
  const ranges = [axisOf(points.map(({ x }) => x)), axisOf(points.map(({ y }) => y))] as const;
  const plane = makePlane(ranges[0], ranges[1], HEIGHT, true);
  const grow = (axis: 0 | 1): number =>
    REACH[axis] *
    Math.min(
      ...longest.map((j) => ranges[axis][loadings[axis][j] < 0 ? 0 : 1] / (loadings[axis][j] || Number.MIN_VALUE)),
    );
  const factor = longest.length === 0 ? 1 : Math.min(grow(0), grow(1));
  const centre = plane.toPixel(0, 0);
  const candidates = longest
    .map((j) => ({ j, x: factor * loadings[0][j], y: factor * loadings[1][j], name: nameOf(j) }))
    .map((arrow) => ({ ...arrow, at: plane.toPixel(arrow.x, arrow.y) }))
    .filter(({ at }) => Math.hypot(at[0] - centre[0], at[1] - centre[1]) >= SHORTEST);
  const names = placeArrowNames(
    candidates.map(({ at, name }) => ({ at, name: squeezed(name, 16) })),
    centre,
    { ...plane.frame, right: WIDTH },
    { drawAll: model.d <= FEW_ARROWS },
  );
  const arrows = candidates.filter((_, i) => names[i] || model.d <= FEW_ARROWS);
  const shown = shownOf(arrows.length, names.filter((name) => name).length, model.d);
  const legend = legendOf(colouring);
  const body = plot({
    height: HEIGHT,
    ...MARGINS,
    x: { label: axisName(model, 0), domain: plane.x, ticks: 5, tickFormat: tick },
    y: { label: axisName(model, 1), domain: plane.y, ticks: 5, tickFormat: tick },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      dotMarks(points, { faint: true }),
      Plot.arrow(arrows, {
        x1: 0,
        y1: 0,
        x2: 'x',
        y2: 'y',
        stroke: 'var(--ink)',
        strokeWidth: 1.6,
        headLength: 7,
        title: 'name',
      }),
    ],
  });
  return {
    name: 'biplot',
    title: 'Biplot: rows and columns together',
    description: `Points are rows on PC1 and PC2, arrows are columns. The longest arrows: ${listed(arrows.slice(0, 3).map(({ name }) => name))}.`,
    caption: `An arrow points to where its column is large; arrows of one direction are columns that rise together. ${shown.map((sentence) => `${sentence} `).join('')}Arrows are drawn ${formatNumber(factor, 2)} times as long as √variance × weight.${points.length < facts.rows ? ` ${plural(points.length, 'row')} are drawn.` : ''}`,
    height: legend.height + HEIGHT,
    body: legend.svg + moved(0, legend.height, body + drawNames(names, { weight: 600 })),
    table: {
      columns: ['column', 'weight × √variance, PC1', 'PC2', 'length'],
      rows: arrows.map(({ j, name }) => [
        name,
        formatNumber(loadings[0][j]),
        formatNumber(loadings[1][j]),
        formatNumber(lengths[j]),
      ]),
      ...(arrows.length < model.d ? { note: shown[0] } : {}),
    },
  };
}

/** Columns whose names are tried: those with the longest arrows. */
const MOST_TRIED = 60;

/** An axis with room for all values, and on the other side of zero for half as much, because arrows may point there. */
function axisOf(values: readonly number[]): [number, number] {
  let [low, high] = [0, 0];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const most = Math.max(-low, high) || 1;
  return [1.04 * Math.min(low, -most / 2), 1.04 * Math.max(high, most / 2)];
}

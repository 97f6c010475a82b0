import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { listed, several, show, tick } from '@scree/core/describe';
import { componentOf, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import type { RowFacts } from '../read-rows.js';
import type { Colouring } from './colouring.js';
import { type Figure, FONT_SIZE, moved, plot, text, textWidth, WIDTH } from './figure.js';
import { dots, toPoints } from './points.js';
import { axisName, legendOf } from './scores-figure.js';

/** Most arrows. More could not be told apart. */
const ARROWS = 10;
/** Shorter arrows than this many pixels are left out: their names would lie upon each other in the middle. */
const SHORTEST = 14;
const POINTS = 800;
/** Share of the plot, horizontal and vertical, that the arrows fill. The rest is for their names. */
const REACH = [0.66, 0.85] as const;
const LINE = 15;
const MARGIN = { left: 58, right: 20, top: 26, bottom: 42 };
const HEIGHT = 440;

/**
 * Rows as points and columns as arrows on the first two components. An arrow is √λ·v: if the
 * scores are one standard deviation higher in its direction, the column is higher by its length. Arrows have their own scale, which
 * the figure states.
 */
export function biplotFigure(model: Model, facts: RowFacts, colouring: Colouring, nameOf: NameOf): Figure {
  const every = Math.ceil(facts.sample.length / POINTS);
  const points = toPoints(facts, colouring, 0, 1).filter((_, i) => i % every === 0);
  const loadings = [0, 1].map((c) => componentOf(model, c).map((entry) => entry * Math.sqrt(model.variances[c])));
  const lengths = loadings[0].map((x, j) => Math.hypot(x, loadings[1][j]));
  const longest = largest(lengths, ARROWS).filter((j) => lengths[j] > 0);
  const [spanX, spanY] = [reach(points.map(({ x }) => x)), reach(points.map(({ y }) => y))];
  const grow = (axis: 0 | 1, span: number): number =>
    (REACH[axis] * span) / Math.max(...longest.map((j) => Math.abs(loadings[axis][j])), 1e-300);
  const factor = longest.length === 0 ? 1 : Math.min(grow(0, spanX), grow(1, spanY));
  const chosen = longest.filter((j) => {
    const x = (factor * loadings[0][j] * (WIDTH - MARGIN.left - MARGIN.right)) / (2 * spanX);
    const y = (factor * loadings[1][j] * (HEIGHT - MARGIN.top - MARGIN.bottom)) / (2 * spanY);
    return Math.hypot(x, y) >= SHORTEST;
  });
  const arrows = chosen.map((j) => ({ x: factor * loadings[0][j], y: factor * loadings[1][j], name: nameOf(j) }));
  const legend = legendOf(colouring);
  const body = plot({
    height: HEIGHT,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    x: { label: axisName(model, 0), domain: [-spanX, spanX], ticks: 5, tickFormat: tick },
    y: { label: axisName(model, 1), domain: [-spanY, spanY], ticks: 5, tickFormat: tick },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      dots(points, { faint: true }),
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
  const toPixel = ({ x, y }: { x: number; y: number }): [number, number] => [
    MARGIN.left + ((x + spanX) / (2 * spanX)) * (WIDTH - MARGIN.left - MARGIN.right),
    MARGIN.top + ((spanY - y) / (2 * spanY)) * (HEIGHT - MARGIN.top - MARGIN.bottom),
  ];
  const names = placed(arrows.map((arrow) => ({ at: toPixel(arrow), name: squeezed(arrow.name, 16) })));
  const omitted = model.d - chosen.length;
  return {
    name: 'biplot',
    title: 'Biplot: rows and columns together',
    description: `Points are rows on PC1 and PC2, arrows are columns. The longest arrows: ${listed(arrows.slice(0, 3).map(({ name }) => name))}.`,
    caption: `An arrow points to where its column is large; arrows of one direction are columns that rise together. ${
      omitted > 0
        ? `${chosen.length === 1 ? 'The longest' : `The ${chosen.length} longest`} of ${model.d} arrows. `
        : ''
    }Arrows are drawn ${show(factor, 2)} times as long as √variance × weight.${points.length < facts.rows ? ` ${several(points.length, 'row')} are drawn.` : ''}`,
    height: legend.height + HEIGHT,
    body: legend.svg + moved(0, legend.height, body + names),
    table: {
      columns: ['column', 'weight × √variance, PC1', 'PC2', 'length'],
      rows: chosen.map((j) => [nameOf(j), show(loadings[0][j]), show(loadings[1][j]), show(lengths[j])]),
      ...(omitted > 0
        ? { note: `${chosen.length === 1 ? 'The longest' : `The ${chosen.length} longest`} of ${model.d}.` }
        : {}),
    },
  };
}

/** Half the width of an axis around zero that contains all values. */
function reach(values: readonly number[]): number {
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return most > 0 ? 1.04 * most : 1;
}

interface Name {
  readonly at: readonly [x: number, y: number];
  readonly name: string;
}

/** Names at the tips of the arrows, moved so that they do not overlap and stay inside the frame. */
function placed(names: readonly Name[]): string {
  const centre = [(MARGIN.left + WIDTH - MARGIN.right) / 2, (MARGIN.top + HEIGHT - MARGIN.bottom) / 2];
  const boxes = names.map(({ at: [x, y], name }) => {
    const width = 1.08 * textWidth(name);
    const left = x >= centre[0] ? x + 4 : x - 4 - width;
    return {
      name,
      width,
      x: Math.min(WIDTH - 4 - width, Math.max(MARGIN.left + 4, left)),
      y: y + (y > centre[1] ? 10 : -2),
    };
  });
  boxes.sort((a, b) => a.y - b.y);
  for (let i = 1; i < boxes.length; i++) {
    for (let j = 0; j < i; j++) {
      const apart = boxes[j].x + boxes[j].width < boxes[i].x || boxes[i].x + boxes[i].width < boxes[j].x;
      if (!apart && boxes[i].y - boxes[j].y < LINE) boxes[i].y = boxes[j].y + LINE;
    }
  }
  const low = Math.max(0, ...boxes.map(({ y }) => y - (HEIGHT - MARGIN.bottom - 4)));
  return boxes.map(({ x, y, name }) => text(x, y - low, name, { size: FONT_SIZE, weight: 600, halo: true })).join('');
}

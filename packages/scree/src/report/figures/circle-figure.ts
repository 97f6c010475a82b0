import * as Plot from '@observablehq/plot';
import type { ColumnContribution, SupplementaryColumn } from '@scree/analysis';
import { listed, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { fixedDecimals, type NameOf } from '../columns.js';
import { plainText, squeezed } from '../plain-text.js';
import { type Figure, legend, moved, plot, WIDTH } from './figure.js';
import { drawNames, placeArrowNames } from './place-names.js';
import { MARGINS, makePlane, type Plane } from './plane.js';
import { axisName } from './scores-figure.js';

/** Half the height of the axis: the circle and names beside it. */
const REACH = 1.12;
const TABLE_ROWS = 200;
const NAME_SIZE = 12;
/** Arrows shorter than this are not drawn: they say nothing about the column. */
const SHORTEST = 0.1;

interface Arrow {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly supplementary: boolean;
}

/**
 * The correlation circle: an arrow ends at the correlations of its column with the two components. An arrow that reaches the circle is
 * a column that these two components explain completely. Columns that had no part in the fit are dashed.
 */
export function circleFigure(
  model: Model,
  columns: readonly ColumnContribution[],
  others: readonly SupplementaryColumn[],
  numeric: readonly number[],
  nameOf: NameOf,
  [first, second]: readonly [number, number],
): Figure {
  const ofFit = byContribution(model, columns, numeric, [first, second]).map((j): Arrow => {
    const { correlation } = columns[j];
    return { name: nameOf(j), x: correlation[first], y: correlation[second], supplementary: false };
  });
  const beside = others.map(
    ({ name, correlation }, i): Arrow => ({
      name: name === undefined ? `supplementary ${i + 1}` : plainText(name),
      x: correlation[first],
      y: correlation[second],
      supplementary: true,
    }),
  );
  const height = WIDTH - MARGINS.marginLeft - MARGINS.marginRight + MARGINS.marginTop + MARGINS.marginBottom - 24;
  const plane = makePlane([-REACH * ratioOf(height), REACH * ratioOf(height)], [-REACH, REACH], height);
  // Supplementary columns are few and were asked for, so they come first.
  const candidates = [...beside, ...ofFit].filter(({ x, y }) => Math.hypot(x, y) >= SHORTEST);
  const names = placeArrowNames(
    candidates.map(({ name, x, y }) => ({ name: squeezed(name, 18), at: plane.toPixel(x, y) })),
    plane.toPixel(0, 0),
    { ...plane.frame, right: WIDTH - 4 },
    { size: NAME_SIZE, drawAll: numeric.length <= FEW_ARROWS },
  );
  const arrows = candidates.filter((_, i) => names[i] || numeric.length <= FEW_ARROWS);
  const drawn = arrows.filter(({ supplementary }) => !supplementary);
  const named = candidates.filter(({ supplementary }, i) => names[i] && !supplementary).length;
  const key =
    beside.length === 0
      ? { svg: '', height: 0 }
      : legend([
          ['columns of the fit', 'var(--accent)'],
          ['supplementary', 'var(--second)'],
        ]);
  const body = circle(model, [first, second], plane, height, arrows);
  const pair = `PC${first + 1} and PC${second + 1}`;
  return {
    name: `correlations-${first + 1}-${second + 1}`,
    title: `Correlation circle: the columns on components ${first + 1} and ${second + 1}`,
    description: `Arrows are columns; an arrow ends at the correlations of its column with ${pair}. The longest: ${listed(
      [...drawn]
        .sort((a, b) => Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y))
        .slice(0, 3)
        .map(({ name, x, y }) => `${name} (${fixedDecimals(x, 2)}, ${fixedDecimals(y, 2)})`),
    )}.`,
    caption: [
      `An arrow ends at the correlations of its column with ${pair}; its squared length is the share of the column’s variance that they keep.`,
      ...shownOf(drawn.length, named, numeric.length),
      ...(beside.length > 0 ? ['Dashed: columns that had no part in the fit.'] : []),
    ].join(' '),
    height: key.height + height,
    body: key.svg + moved(0, key.height, body + drawNames(names, { size: NAME_SIZE, weight: 600 })),
    table: {
      columns: ['column', `correlation with PC${first + 1}`, `PC${second + 1}`, 'cos² of both'],
      rows: [...ofFit, ...beside]
        .slice(0, TABLE_ROWS)
        .map(({ name, x, y, supplementary }) => [
          supplementary ? `${name} (supplementary)` : name,
          fixedDecimals(x, 3),
          fixedDecimals(y, 3),
          fixedDecimals(x * x + y * y, 3),
        ]),
      ...(ofFit.length + beside.length > TABLE_ROWS
        ? { note: `${plural(TABLE_ROWS, 'column')} of ${ofFit.length + beside.length}, those that contribute most.` }
        : {}),
    },
  };
}

/** The circle and its arrows. Arrows of supplementary columns are dashed. */
function circle(
  model: Model,
  [first, second]: readonly [number, number],
  plane: Plane,
  height: number,
  arrows: readonly Arrow[],
): string {
  const colour = ({ supplementary }: Arrow): string => (supplementary ? 'var(--second)' : 'var(--accent)');
  const arrowsOf = (shown: readonly Arrow[], dash: string): Plot.Markish =>
    Plot.arrow(shown, {
      x1: 0,
      y1: 0,
      x2: 'x',
      y2: 'y',
      stroke: colour,
      strokeWidth: 1.6,
      strokeDasharray: dash,
      headLength: 7,
      title: ({ name, x, y }: Arrow) => `${name}: ${fixedDecimals(x, 2)}, ${fixedDecimals(y, 2)}`,
    });
  return plot({
    height,
    ...MARGINS,
    x: {
      label: axisName(model, first),
      domain: plane.x,
      ticks: [-1, -0.5, 0, 0.5, 1],
      tickFormat: (x) => fixedDecimals(x, 1),
    },
    y: {
      label: axisName(model, second),
      domain: plane.y,
      ticks: [-1, -0.5, 0, 0.5, 1],
      tickFormat: (y) => fixedDecimals(y, 1),
    },
    marks: [
      Plot.ruleX([0], { stroke: 'var(--line)' }),
      Plot.ruleY([0], { stroke: 'var(--line)' }),
      Plot.line(
        Array.from({ length: 121 }, (_, i): [number, number] => [
          Math.cos((i * Math.PI) / 60),
          Math.sin((i * Math.PI) / 60),
        ]),
        { stroke: 'var(--faint)', strokeWidth: 1 },
      ),
      arrowsOf(
        arrows.filter(({ supplementary }) => !supplementary),
        '',
      ),
      arrowsOf(
        arrows.filter(({ supplementary }) => supplementary),
        '4 3',
      ),
    ],
  });
}

/** Width of the plot by its height, so that the circle is round. */
function ratioOf(height: number): number {
  return (WIDTH - MARGINS.marginLeft - MARGINS.marginRight) / (height - MARGINS.marginTop - MARGINS.marginBottom);
}

/**
 * Columns by their contribution to the plane of two components, (λ₁c₁ + λ₂c₂)/(λ₁ + λ₂), largest first. Columns that do not vary
 * are left out.
 */
export function byContribution(
  { variances }: Model,
  columns: readonly ColumnContribution[],
  among: readonly number[],
  [first, second]: readonly [number, number],
): number[] {
  const part = among.map((j) => {
    const { contribution } = columns[j];
    return variances[first] * contribution[first] + variances[second] * contribution[second];
  });
  return [...among.keys()]
    .filter((i) => part[i] > 0 && Number.isFinite(columns[among[i]].correlation[first]))
    .sort((a, b) => part[b] - part[a] || a - b)
    .map((i) => among[i]);
}

/** Up to this many columns, arrows are drawn whether or not there is room for their names. */
export const FEW_ARROWS = 15;

/** "12 of 784 columns: …", where not all are drawn. Names that would cover others are left out, so it is not always the first ones. */
export function shownOf(drawn: number, named: number, all: number): string[] {
  if (all > FEW_ARROWS && drawn < all)
    return [`${drawn} of ${plural(all, 'column')}: of those that contribute most, the ones whose names can be read.`];
  return [
    ...(drawn < all ? [`${drawn} of ${plural(all, 'column')}; the other arrows are too short to draw.`] : []),
    ...(named < drawn ? [`${named} of ${plural(drawn, 'arrow')} are named, where there is room.`] : []),
  ];
}

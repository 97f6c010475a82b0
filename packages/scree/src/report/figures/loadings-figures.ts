import * as Plot from '@observablehq/plot';
import type { Rotation } from '@scree/analysis';
import { formatNumber, listed, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { componentOf, fixedDecimals, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { DIVERGING_STEPS, divergingColour } from '../theme.js';
import { colourBar, type Figure, type FigureTable, moved, nameMargin, plot } from './figure.js';

/** Rows and columns of the heat map. */
const MOST_ROWS = 40;
const MOST_COMPONENTS = 12;
/** With up to this many components, the numbers fit into the cells. */
const MAX_NUMBERED_COMPONENTS = 7;
/** Letters of a name that fit next to a figure. */
const NAME_LENGTH = 20;

/** A heat map of the weights of the columns in the components. */
export function loadingsFigure(model: Model, nameOf: NameOf): Figure {
  const { d } = model;
  const k = Math.min(model.k, MOST_COMPONENTS);
  const vectors = Array.from({ length: k }, (_, c) => componentOf(model, c));
  const columns = chosenColumns(vectors, d);
  const parts = [
    ...(columns.length < d ? [`The ${columns.length} of ${d} columns with the largest weights`] : []),
    ...(k < model.k ? [`the first ${k} of ${model.k} components`] : []),
  ];
  return {
    name: 'loadings',
    title: 'Loadings: what the components are made of',
    description: `Heat map of the weights of ${plural(columns.length, 'column')} in ${plural(k, 'component')}. ${mostly(vectors, 'PC', nameOf)}`,
    caption: `Weights of the columns in each component; their squares add up to 1. Columns of one colour rise together along it.${parts.length > 0 ? ` ${capital(listed(parts))}.` : ''}`,
    ...heatMap(vectors, columns, 'PC', 'weight', nameOf),
    table: tableOf(vectors, columns, 'PC', d, nameOf),
  };
}

/** A heat map of rotated loadings. */
export function rotationFigure(model: Model, rotation: Rotation, nameOf: NameOf): Figure {
  const { method, k, loadings, sumsOfSquares, varianceRatios, phi } = rotation;
  const vectors = Array.from({ length: Math.min(k, MOST_COMPONENTS) }, (_, c) =>
    loadings.data.subarray(c * model.d, (c + 1) * model.d),
  );
  const columns = chosenColumns(vectors, model.d);
  const oblique = Array.from(phi.data).some((value, at) => at % (k + 1) !== 0 && Math.abs(value) > 1e-12);
  return {
    name: 'rotated-loadings',
    title: `Rotated loadings: ${method}`,
    description: `Heat map of the loadings of ${plural(columns.length, 'column')} on ${plural(vectors.length, 'rotated component')}. ${mostly(vectors, 'RC', nameOf)}`,
    caption: [
      `${capital(plural(k, 'component'))} rotated by ${method}. A loading is weight × √variance${oblique ? '; the rotated components are correlated' : ''}.`,
      `They keep what the unrotated ones keep together, shared out anew: ${vectors.map((_, c) => `RC${c + 1} ${percent(varianceRatios[c])}`).join(', ')}. These are no eigenvalues.`,
      ...(columns.length < model.d ? [`The ${columns.length} of ${model.d} columns with the largest loadings.`] : []),
    ].join(' '),
    ...heatMap(vectors, columns, 'RC', 'loading', nameOf),
    table: {
      ...tableOf(vectors, columns, 'RC', model.d, nameOf),
      rows: [
        ...tableOf(vectors, columns, 'RC', model.d, nameOf).rows,
        ['sum of squares', ...vectors.map((_, c) => formatNumber(sumsOfSquares[c]))],
      ],
    },
  };
}

function heatMap(
  vectors: readonly Float64Array[],
  columns: readonly number[],
  prefix: 'PC' | 'RC',
  what: string,
  nameOf: NameOf,
): Pick<Figure, 'height' | 'body'> {
  const k = vectors.length;
  const cells = columns.flatMap((column) =>
    vectors.map((vector, c) => ({ column, component: c + 1, weight: vector[column] })),
  );
  const most = cells.reduce((largest, { weight }) => Math.max(largest, Math.abs(weight)), 0) || 1;
  const [rowHeight, top] = [22, 30];
  const height = top + columns.length * rowHeight + 6;
  const left = nameMargin(columns.map(nameOf), NAME_LENGTH);
  const body = plot({
    height,
    marginTop: top,
    marginLeft: left,
    marginRight: 8,
    marginBottom: 6,
    x: { axis: 'top', label: null, tickFormat: (c) => (k > 7 ? String(c) : `${prefix}${c}`), tickSize: 0 },
    y: { label: null, domain: columns, tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH), tickSize: 0 },
    marks: [
      Plot.cell(cells, {
        x: 'component',
        y: 'column',
        fill: ({ weight }) => divergingColour(weight / most),
        stroke: 'var(--line)',
        strokeWidth: 0.5,
        title: ({ column, component, weight }) => `${nameOf(column)}, ${prefix}${component}: ${formatNumber(weight)}`,
      }),
      ...(k <= MAX_NUMBERED_COMPONENTS
        ? [
            Plot.text(cells, {
              x: 'component',
              y: 'column',
              text: ({ weight }) => fixedDecimals(weight, 2),
              fill: 'var(--ink)',
              fontSize: 12,
            }),
          ]
        : []),
    ],
  });
  const bar = colourBar(
    Array.from({ length: DIVERGING_STEPS }, (_, i) => divergingColour((2 * i) / (DIVERGING_STEPS - 1) - 1)),
    [formatNumber(-most, 2), '0', formatNumber(most, 2)],
    what,
  );
  return { height: height + 34, body: body + moved(left - 8, height + 4, bar) };
}

/** "PC1 is mostly a (0.5), b (−0.4) and c (0.3)." */
function mostly(vectors: readonly Float64Array[], prefix: 'PC' | 'RC', nameOf: NameOf): string {
  return vectors
    .slice(0, 3)
    .map(
      (vector, c) =>
        `${prefix}${c + 1} is mostly ${listed(largest(vector, 3).map((j) => `${nameOf(j)} (${formatNumber(vector[j], 2)})`))}.`,
    )
    .join(' ');
}

function tableOf(
  vectors: readonly Float64Array[],
  columns: readonly number[],
  prefix: 'PC' | 'RC',
  d: number,
  nameOf: NameOf,
): FigureTable {
  return {
    columns: ['column', ...vectors.map((_, c) => `${prefix}${c + 1}`)],
    rows: columns.map((column) => [nameOf(column), ...vectors.map((vector) => formatNumber(vector[column]))]),
    ...(columns.length < d ? { note: `The ${columns.length} of ${d} columns with the largest weights.` } : {}),
  };
}

/** All columns in their order if there are few. Otherwise the columns with the largest weights, taking one from each component in turn. */
function chosenColumns(vectors: readonly Float64Array[], d: number): number[] {
  if (d <= MOST_ROWS) return Array.from({ length: d }, (_, column) => column);
  const chosen = new Set<number>();
  const orders = vectors.map((vector) => largest(vector, MOST_ROWS));
  for (let place = 0; place < MOST_ROWS; place++) {
    for (const order of orders) if (chosen.size < MOST_ROWS) chosen.add(order[place]);
  }
  return [...chosen].sort((a, b) => a - b);
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

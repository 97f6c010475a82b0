import * as Plot from '@observablehq/plot';
import type { Model } from '@scree/core';
import { listed, percent, several, show } from '@scree/core/describe';
import { componentOf, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { DIVERGING_STEPS, divergingColour } from '../theme.js';
import { colourBar, type Figure, moved, plot, text, WIDTH } from './figure.js';

/** Rows and columns of the heat map. */
const MOST_ROWS = 40;
const MOST_COMPONENTS = 12;
/** With up to this many components, the numbers fit into the cells. */
const MAX_NUMBERED_COMPONENTS = 7;
/** Number of components that are shown as bars. */
const BAR_COMPONENTS = 3;
const BARS = 8;
/** Letters of a name that fit next to a figure. */
const NAME_LENGTH = 20;

/** A heat map of the weights of the columns in the components. */
export function loadingsFigure(model: Model, nameOf: NameOf): Figure {
  const { d } = model;
  const k = Math.min(model.k, MOST_COMPONENTS);
  const columns = chosenColumns(model, k);
  const vectors = Array.from({ length: k }, (_, c) => componentOf(model, c));
  const cells = columns.flatMap((column) =>
    vectors.map((vector, c) => ({ column, component: c + 1, weight: vector[column] })),
  );
  const most = cells.reduce((largest, { weight }) => Math.max(largest, Math.abs(weight)), 0) || 1;
  const [rowHeight, top] = [22, 30];
  const height = top + columns.length * rowHeight + 6;
  const left = 16 + 7.7 * Math.min(NAME_LENGTH, Math.max(...columns.map((column) => [...nameOf(column)].length)));
  const body = plot({
    height,
    marginTop: top,
    marginLeft: left,
    marginRight: 8,
    marginBottom: 6,
    x: { axis: 'top', label: null, tickFormat: (c) => (k > 7 ? String(c) : `PC${c}`), tickSize: 0 },
    y: { label: null, domain: columns, tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH), tickSize: 0 },
    marks: [
      Plot.cell(cells, {
        x: 'component',
        y: 'column',
        fill: ({ weight }) => divergingColour(weight / most),
        stroke: 'var(--line)',
        strokeWidth: 0.5,
        title: ({ column, component, weight }) => `${nameOf(column)}, PC${component}: ${show(weight)}`,
      }),
      ...(k <= MAX_NUMBERED_COMPONENTS
        ? [
            Plot.text(cells, {
              x: 'component',
              y: 'column',
              text: ({ weight }) => fixed(weight, 2),
              fill: 'var(--ink)',
              fontSize: 12,
            }),
          ]
        : []),
    ],
  });
  const bar = colourBar(
    Array.from({ length: DIVERGING_STEPS }, (_, i) => divergingColour((2 * i) / (DIVERGING_STEPS - 1) - 1)),
    [show(-most, 2), '0', show(most, 2)],
    'weight',
  );
  const parts = [
    ...(columns.length < d ? [`The ${columns.length} of ${d} columns with the largest weights`] : []),
    ...(k < model.k ? [`the first ${k} of ${model.k} components`] : []),
  ];
  return {
    name: 'loadings',
    title: 'Loadings: what the components are made of',
    description: `Heat map of the weights of ${several(columns.length, 'column')} in ${several(k, 'component')}. ${vectors
      .slice(0, 3)
      .map(
        (vector, c) =>
          `PC${c + 1} is mostly ${listed(largest(vector, 3).map((j) => `${nameOf(j)} (${show(vector[j], 2)})`))}.`,
      )
      .join(' ')}`,
    caption: `Weights of the columns in each component; their squares add up to 1. Columns of one colour rise together along it.${parts.length > 0 ? ` ${capital(listed(parts))}.` : ''}`,
    height: height + 34,
    body: body + moved(left - 8, height + 4, bar),
    table: {
      columns: ['column', ...vectors.map((_, c) => `PC${c + 1}`)],
      rows: columns.map((column) => [nameOf(column), ...vectors.map((vector) => show(vector[column]))]),
      ...(columns.length < d ? { note: `The ${columns.length} of ${d} columns with the largest weights.` } : {}),
    },
  };
}

/** The largest weights of the first components, as bars. */
export function loadingBarsFigure(model: Model, nameOf: NameOf): Figure {
  const shown = Array.from({ length: Math.max(1, Math.min(model.uniqueness.rank, BAR_COMPONENTS)) }, (_, c) => {
    const vector = componentOf(model, c);
    const columns = largest(vector, BARS);
    const kept = columns.reduce((sum, j) => sum + vector[j] ** 2, 0);
    return { c, kept, bars: columns.map((column) => ({ column, weight: vector[column] })) };
  });
  // The same scale for all, so that bars can be compared.
  const weights = shown.flatMap(({ bars }) => bars.map(({ weight }) => weight));
  const [low, high] = [Math.min(0, ...weights), Math.max(0, ...weights)];
  const names = shown.flatMap(({ bars }) => bars.map(({ column }) => [...nameOf(column)].length));
  const left = 16 + 7.7 * Math.min(NAME_LENGTH, Math.max(...names));
  let y = 0;
  const parts = shown.map(({ c, bars, kept }) => {
    const height = bars.length * 20 + 6;
    const part = `the ${bars.length} largest, ${percent(kept)} of all squares`;
    const drawn = [
      moved(
        0,
        y,
        text(8, 15, `PC${c + 1} (${percent(model.varianceRatios[c])})`, { weight: 600 }) +
          (kept < 0.995 ? text(WIDTH - 8, 15, part, { size: 12, colour: 'var(--faint)', anchor: 'end' }) : ''),
      ),
      moved(
        0,
        y + 22,
        plot({
          height,
          marginTop: 0,
          marginBottom: 6,
          marginLeft: left,
          marginRight: 46,
          x: {
            domain: [low, high],
            insetLeft: low < 0 ? 46 : 0,
            axis: null,
          },
          y: {
            label: null,
            domain: bars.map(({ column }) => column),
            tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH),
            tickSize: 0,
            padding: 0.2,
          },
          marks: [
            Plot.barX(bars, {
              x: 'weight',
              y: 'column',
              fill: ({ weight }) => (weight < 0 ? 'var(--accent)' : 'var(--second)'),
              title: ({ column, weight }) => `${nameOf(column)}: ${show(weight)}`,
            }),
            Plot.text(
              bars.filter(({ weight }) => weight >= 0),
              {
                x: 'weight',
                y: 'column',
                text: ({ weight }) => fixed(weight, 3),
                textAnchor: 'start',
                dx: 4,
                fontSize: 12,
              },
            ),
            Plot.text(
              bars.filter(({ weight }) => weight < 0),
              {
                x: 'weight',
                y: 'column',
                text: ({ weight }) => fixed(weight, 3),
                textAnchor: 'end',
                dx: -4,
                fontSize: 12,
              },
            ),
            Plot.ruleX([0]),
          ],
        }),
      ),
    ];
    y += 22 + height + 12;
    return drawn.join('');
  });
  return {
    name: 'loading-bars',
    title: 'The largest weights of the first components',
    description: shown
      .map(
        ({ c, bars }) =>
          `PC${c + 1}: ${bars.map(({ column, weight }) => `${nameOf(column)} ${show(weight, 2)}`).join(', ')}.`,
      )
      .join(' '),
    caption: 'Orange to the right counts up, blue to the left counts down.',
    height: y,
    body: parts.join(''),
    table: {
      columns: ['component', 'column', 'weight'],
      rows: shown.flatMap(({ c, bars }) =>
        bars.map(({ column, weight }) => [`PC${c + 1}`, nameOf(column), show(weight)]),
      ),
    },
  };
}

/** All columns in their order if there are few. Otherwise the columns with the largest weights, taking one from each component in turn. */
function chosenColumns(model: Model, k: number): number[] {
  if (model.d <= MOST_ROWS) return Array.from({ length: model.d }, (_, column) => column);
  const chosen = new Set<number>();
  const orders = Array.from({ length: k }, (_, c) => largest(componentOf(model, c), MOST_ROWS));
  for (let place = 0; place < MOST_ROWS; place++) {
    for (const order of orders) if (chosen.size < MOST_ROWS) chosen.add(order[place]);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** A number with fixed decimals, but never −0.00. */
function fixed(weight: number, decimals: number): string {
  const text = weight.toFixed(decimals);
  return Number(text) === 0 ? '0' : text.replace('-', '−');
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

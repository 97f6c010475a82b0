import * as Plot from '@observablehq/plot';
import type { ColumnContribution } from '@scree/analysis';
import { count, formatNumber, percent } from '@scree/analysis/describe';
import type { Model, Stability } from '@scree/core';
import { componentOf, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { type Figure, type FigureTable, figureText, legend, moved, nameMargin, plot } from './figure.js';

/** Maximum number of components that are drawn, and of columns per component. */
const MOST_COMPONENTS = 3;
const MOST_COLUMNS = 10;
const NAME_LENGTH = 20;
const LINE = 20;

interface Row {
  readonly column: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % intervals of the correlations of columns with the first components. If columns have variance 1, the correlations are the loadings.
 * Otherwise loadings have units of their own, and only correlations can share an axis.
 */
export function intervalsFigure(
  model: Model,
  stability: Stability,
  columns: readonly ColumnContribution[],
  nameOf: NameOf,
  wanted: number,
): Figure {
  const { d } = model;
  const shown = Array.from({ length: Math.min(wanted, model.uniqueness.rank, MOST_COMPONENTS) }, (_, c) => ({
    c,
    rows: largest(componentOf(model, c), MOST_COLUMNS)
      .filter((j) => Number.isFinite(columns[j].correlation[c]))
      .map((column): Row => {
        const at = c * d + column;
        return {
          column,
          value: columns[column].correlation[c],
          low: stability.correlations.low[at],
          high: stability.correlations.high[at],
        };
      }),
  }));
  const names = shown.flatMap(({ rows }) => rows.map(({ column }) => nameOf(column)));
  const left = nameMargin(names, NAME_LENGTH);
  const key = legend([
    ['0 is outside', 'var(--accent)'],
    ['0 is inside', 'var(--faint)'],
  ]);
  let y = key.height;
  const parts = shown.map(({ c, rows }, i) => {
    const last = i === shown.length - 1;
    const height = rows.length * LINE + (last ? 40 : 6);
    const drawn =
      moved(0, y, figureText(8, 15, `PC${c + 1} (${percent(model.varianceRatios[c])})`, { weight: 600 })) +
      moved(
        0,
        y + 22,
        plot({
          height,
          marginTop: 0,
          marginBottom: last ? 40 : 6,
          marginLeft: left,
          marginRight: 14,
          x: last
            ? {
                domain: [-1, 1],
                ticks: [-1, -0.5, 0, 0.5, 1],
                tickFormat: (value: number) => String(value).replace('-', '−'),
                label: model.centered ? 'correlation with the component' : 'cosine with the component',
              }
            : { domain: [-1, 1], axis: null },
          y: {
            type: 'point',
            padding: 0.5,
            label: null,
            domain: rows.map(({ column }) => column),
            tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH),
            tickSize: 0,
          },
          marks: [
            Plot.gridX([-1, -0.5, 0.5, 1]),
            Plot.ruleX([0], { stroke: 'var(--faint)' }),
            Plot.ruleY(rows, { y: 'column', x1: 'low', x2: 'high', stroke: colourOf, strokeWidth: 2.4 }),
            Plot.dot(rows, {
              x: 'value',
              y: 'column',
              r: 4,
              stroke: colourOf,
              strokeWidth: 1.8,
              fill: (row: Row) => (hasZero(row) ? 'var(--paper)' : colourOf(row)),
              title: (row: Row) => `${nameOf(row.column)}: ${decimal(row.value)} (${interval(row)})`,
            }),
          ],
        }),
      );
    y += 22 + height + 8;
    return drawn;
  });
  const each = shown.reduce((most, { rows }) => Math.max(most, rows.length), 0);
  return {
    name: 'loading-intervals',
    title: 'Loadings with their 95 % intervals',
    description: shown
      .map(
        ({ c, rows }) =>
          `PC${c + 1}: ${rows.map((row) => `${nameOf(row.column)} ${decimal(row.value)} (${interval(row)})`).join(', ')}.`,
      )
      .join(' '),
    caption: `Correlations of the columns with the components${model.scaling === 'unit' ? ', which are the loadings' : ''}, with 95 % intervals from the bootstrap. Where 0 is inside, even the sign is uncertain.${each < d ? ` The ${count(each)} columns with the largest weights.` : ''}`,
    height: y,
    body: `${key.svg}${parts.join('')}`,
    table: tableOf(model, stability, nameOf, shown),
  };
}

function tableOf(
  model: Model,
  { loadings }: Stability,
  nameOf: NameOf,
  shown: readonly { readonly c: number; readonly rows: readonly Row[] }[],
): FigureTable {
  const own = model.loadings.data;
  return {
    columns: ['component', 'column', 'correlation', '95 % interval', 'loading', '95 % interval'],
    rows: shown.flatMap(({ c, rows }) =>
      rows.map((row) => {
        const at = c * model.d + row.column;
        return [
          `PC${c + 1}`,
          nameOf(row.column),
          decimal(row.value),
          interval(row),
          formatNumber(own[at]),
          `${formatNumber(loadings.low[at])} to ${formatNumber(loadings.high[at])}`,
        ];
      }),
    ),
  };
}

function hasZero({ low, high }: Row): boolean {
  return low <= 0 && high >= 0;
}

function colourOf(row: Row): string {
  return hasZero(row) ? 'var(--faint)' : 'var(--accent)';
}

function interval({ low, high }: Row): string {
  return `${decimal(low)} to ${decimal(high)}`;
}

function decimal(value: number): string {
  const fixed = value.toFixed(2);
  return (Number(fixed) === 0 ? '0' : fixed).replace('-', '−');
}

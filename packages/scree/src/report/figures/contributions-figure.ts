import * as Plot from '@observablehq/plot';
import type { ColumnContribution } from '@scree/analysis';
import { formatNumber, percent, plural } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { componentOf, largest, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { signColour } from '../theme.js';
import { type Figure, figureText, legend, moved, nameMargin, plot, WIDTH } from './figure.js';

/** 12.3 %, or < 0.1 %. */
function perCent(contribution: number): string {
  return contribution > 0 && contribution < 0.1 ? '< 0.1\u00a0%' : percent(contribution / 100);
}

/** Maximum number of components that are drawn, and of bars per component. */
const COMPONENTS = 3;
const BARS = 10;
const NAME_LENGTH = 20;
const TABLE_ROWS = 200;
const RIGHT = 56;

/**
 * The share of each component's variance that a column contributes, in per cent: 100·v². The shares of a component add up to 100. The
 * dashed line is the average share, 100/d.
 */
export function contributionsFigure(
  model: Model,
  columns: readonly ColumnContribution[],
  nameOf: NameOf,
  wanted: number,
): Figure {
  const { d } = model;
  const average = 100 / d;
  const shown = Array.from(
    { length: Math.max(1, Math.min(Math.max(2, wanted), model.uniqueness.rank, COMPONENTS)) },
    (_, c) => {
      const vector = componentOf(model, c);
      const bars = largest(vector, BARS).map((column) => ({
        column,
        contribution: columns[column].contribution[c],
        weight: vector[column],
      }));
      return { c, bars, sum: bars.reduce((sum, { contribution }) => sum + contribution, 0) };
    },
  );
  // The same scale for all, so that bars can be compared.
  const most = Math.max(average, ...shown.flatMap(({ bars }) => bars.map(({ contribution }) => contribution)));
  const names = shown.flatMap(({ bars }) => bars.map(({ column }) => nameOf(column)));
  const left = nameMargin(names, NAME_LENGTH);
  const key = legend([
    ['rises with the score', 'var(--accent)'],
    ['falls', 'var(--second)'],
  ]);
  let y = key.height;
  const parts = shown.map(({ c, bars, sum }) => {
    const drawn = [
      figureText(8, y + 15, `PC${c + 1} (${percent(model.varianceRatios[c])})`, { weight: 600 }),
      ...(bars.length < d
        ? [
            figureText(WIDTH - 8, y + 15, `the ${bars.length} largest, ${percent(sum / 100)} together`, {
              size: 12,
              colour: 'var(--faint)',
              anchor: 'end',
            }),
          ]
        : []),
      moved(0, y + 22, barsOf(bars, { most, average, left, nameOf })),
    ];
    y += 22 + heightOf(bars) + 12;
    return drawn.join('');
  });
  const listedComponents = Array.from({ length: Math.min(model.k, 4) }, (_, c) => c);
  const order = largest(
    Float64Array.from(columns, ({ contribution }) => contribution[0]),
    TABLE_ROWS,
  );
  return {
    name: 'contributions',
    title: 'Contributions: the columns that make the components',
    description: shown
      .map(
        ({ c, bars }) =>
          `PC${c + 1}: ${bars.map(({ column, contribution }) => `${nameOf(column)} ${percent(contribution / 100)}`).join(', ')}.`,
      )
      .join(' '),
    caption: `A column’s share of the variance of the component, which add up to 100 %. Dashed: ${percent(average / 100)}, what each of the ${plural(d, 'column')} would contribute if all contributed the same.`,
    height: y,
    body: key.svg + parts.join(''),
    table: {
      columns: ['column', ...listedComponents.flatMap((c) => [`PC${c + 1}, contribution`, 'weight'])],
      rows: order.map((j) => [
        nameOf(j),
        ...listedComponents.flatMap((c) => [
          percent(columns[j].contribution[c] / 100),
          formatNumber(componentOf(model, c)[j]),
        ]),
      ]),
      ...(d > TABLE_ROWS ? { note: `The ${TABLE_ROWS} of ${d} columns that contribute most to PC1.` } : {}),
    },
  };
}

/** A bar of a column. */
interface Bar {
  readonly column: number;
  readonly contribution: number;
  readonly weight: number;
}

function heightOf(bars: readonly Bar[]): number {
  return bars.length * 20 + 6;
}

/** The bars of one component. All components have the same scale, from 0 to `most`. */
function barsOf(
  bars: readonly Bar[],
  { most, average, left, nameOf }: { most: number; average: number; left: number; nameOf: NameOf },
): string {
  return plot({
    height: heightOf(bars),
    marginTop: 0,
    marginBottom: 6,
    marginLeft: left,
    marginRight: RIGHT,
    x: { domain: [0, most], axis: null },
    y: {
      label: null,
      domain: bars.map(({ column }) => column),
      tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH),
      tickSize: 0,
      padding: 0.2,
    },
    marks: [
      Plot.barX(bars, {
        x: 'contribution',
        y: 'column',
        fill: ({ weight }) => signColour(weight),
        title: ({ column, contribution, weight }) =>
          `${nameOf(column)}: ${percent(contribution / 100)}, weight ${formatNumber(weight)}`,
      }),
      Plot.ruleX([average], { stroke: 'var(--ink)', strokeDasharray: '4 3' }),
      Plot.text(bars, {
        stroke: 'var(--paper)',
        fill: 'var(--ink)',
        x: 'contribution',
        y: 'column',
        text: ({ contribution }) => perCent(contribution),
        textAnchor: 'start',
        dx: 4,
        fontSize: 12,
      }),
      Plot.ruleX([0]),
    ],
  });
}

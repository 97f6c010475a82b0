import * as Plot from '@observablehq/plot';
import type { ColumnContribution } from '@scree/analysis';
import { listed, percent } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import { fixedDecimals, type NameOf } from '../columns.js';
import { squeezed } from '../plain-text.js';
import { CATEGORIES } from '../theme.js';
import { type Figure, legend, moved, nameMargin, plot } from './figure.js';

/** Components with a colour of their own; the rest of the model is grey. */
const COMPONENTS = 4;
const MOST_COLUMNS = 30;
const TABLE_ROWS = 200;
const NAME_LENGTH = 20;

/** The share of each column's variance that the components keep: cos² of each component, stacked up to the communality. */
export function qualityFigure(model: Model, columns: readonly ColumnContribution[], nameOf: NameOf): Figure {
  const k = Math.min(COMPONENTS, model.uniqueness.rank);
  const varying = [...columns.keys()].filter((j) => Number.isFinite(columns[j].communality));
  // If the components keep all variance of every column, the first components decide the order.
  const kept = columns.map(({ cos2 }) => cos2.slice(0, k).reduce((sum, share) => sum + share, 0));
  const byQuality = [...varying].sort((a, b) => kept[b] - kept[a] || a - b);
  const chosen = byQuality.slice(0, MOST_COLUMNS);
  const titles = [
    ...Array.from({ length: k }, (_, c) => `PC${c + 1}`),
    ...(model.k > k ? [`PC${k + 1} and later`] : []),
  ];
  const colours = [...CATEGORIES.slice(0, k), 'var(--other)'];
  const parts = chosen.flatMap((column) => {
    const { cos2, communality } = columns[column];
    const own = cos2.slice(0, k);
    const rest = Math.max(0, communality - kept[column]);
    return [...own, ...(model.k > k ? [rest] : [])].map((share, c) => ({ column, c, share }));
  });
  const key = legend(titles.map((title, c) => [title, colours[c]]));
  const height = chosen.length * 20 + 44;
  const left = nameMargin(chosen.map(nameOf), NAME_LENGTH);
  const body = plot({
    height,
    marginTop: 4,
    marginBottom: 40,
    marginLeft: left,
    marginRight: 20,
    x: {
      domain: [0, 1],
      ticks: [0, 0.25, 0.5, 0.75, 1],
      tickFormat: (share: number) => `${100 * share}\u00a0%`,
      label: 'share of the column’s variance',
      grid: true,
    },
    y: {
      label: null,
      domain: chosen,
      tickFormat: (column) => squeezed(nameOf(column), NAME_LENGTH),
      tickSize: 0,
      padding: 0.2,
    },
    marks: [
      Plot.barX(parts, {
        x: 'share',
        y: 'column',
        fill: ({ c }) => colours[c],
        order: 'c',
        title: ({ column, c, share }) => `${nameOf(column)}, ${titles[c]}: ${percent(share)}`,
      }),
      Plot.ruleX([0]),
    ],
  });
  const first = k === 1 ? 'PC1' : `PC1 to PC${k}`;
  const worst = byQuality[byQuality.length - 1];
  return {
    name: 'cos2',
    title: 'cos²: how much of each column the components keep',
    description: `Stacked bars: cos² of each column with ${listed(titles)}. ${first} keep most of ${chosen
      .slice(0, 3)
      .map((j) => `${nameOf(j)} (${percent(kept[j])})`)
      .join(', ')}, and least of ${nameOf(worst)} (${percent(kept[worst])}).`,
    caption: `A bar is the share of a column’s variance that ${model.k === 1 ? 'the component keeps' : `all ${model.k} components keep`}, its communality; its parts are the cos² of single components.${chosen.length < varying.length ? ` The ${chosen.length} of ${varying.length} columns of which ${first} keep most.` : ''}`,
    height: key.height + height,
    body: key.svg + moved(0, key.height, body),
    table: {
      columns: ['column', ...Array.from({ length: k }, (_, c) => `PC${c + 1}`), 'communality'],
      rows: byQuality
        .slice(0, TABLE_ROWS)
        .map((j) => [
          nameOf(j),
          ...columns[j].cos2.slice(0, k).map((share) => fixedDecimals(share, 3)),
          fixedDecimals(columns[j].communality, 3),
        ]),
      ...(varying.length > TABLE_ROWS
        ? { note: `The ${TABLE_ROWS} of ${varying.length} columns of which ${first} keep most.` }
        : {}),
    },
  };
}

import { describeStability, percent, runs, STABLE_ANGLE, several } from '@scree/analysis/describe';
import type { Model } from '@scree/core';
import type { NameOf } from './columns.js';
import { firstComponents } from './describe-unusual.js';

/** Sentences with which a report begins: plain text. */

/** How many of the model's components are worth speaking of: those that are recommended, and at least the first. */
export function componentsWorth({ choice, k, uniqueness }: Model): number {
  const most = Math.max(1, Math.min(k, uniqueness.rank));
  return choice ? Math.min(most, Math.max(1, choice.k)) : most;
}

/** How many components to keep, how sure they are, and what decides them. Of the rows of the fit, whichever rows are shown. */
export function describeFit(model: Model, nameOf: NameOf): string[] {
  if (!(model.totalVariance > 0)) return [];
  return [...choiceSentences(model), ...sampleSentences(model), ...dominanceSentences(model, nameOf)];
}

function choiceSentences({ choice }: Model): string[] {
  if (!choice || choice.criteria.every((criterion) => criterion.k === null)) return [];
  return [choice.reason];
}

function sampleSentences(model: Model): string[] {
  const { stability, d } = model;
  // A single column has one direction, whatever the sample.
  if (d === 1) return [];
  if (!stability) return ['No bootstrap was made, so nothing is known here about other samples.'];
  const worth = componentsWorth(model);
  if (worth <= MOST_SPOKEN_OF) return describeStability(stability, worth, model.choice?.k).slice(0, 1);
  const stable = stability.angles.slice(0, worth).flatMap(({ q95 }, i) => (q95 <= STABLE_ANGLE ? [i + 1] : []));
  const which =
    stable.length === 0
      ? 'none is'
      : stable.length === worth
        ? 'all are'
        : `${runs(stable)} ${stable.length === 1 ? 'is' : 'are'}`;
  return [`Of the first ${worth} components, ${which} stable in other samples.`];
}

/** Components that are spoken of one by one. */
const MOST_SPOKEN_OF = 6;

/** Where rows are compared with another number of components than is recommended: "With the 10 components of this model, ". */
export function withComponents({ choice, k: all }: Model, compared: Model): string {
  const { k } = compared;
  if (!choice || choice.k === k) return '';
  return k < all ? `With ${firstComponents(compared)}, ` : `With the ${several(k, 'component')} of this model, `;
}

/**
 * Share of the variance above which one column dominates, how many times its part where all have the same variance, and how many times
 * the variance of the next column.
 */
const DOMINANT = { share: 0.5, times: 3, next: 2 } as const;

function dominanceSentences(
  { columnVariances, columnWeights, scaling, centered, d, totalVariance, warnings, columnNames }: Model,
  nameOf: NameOf,
): string[] {
  if (!columnVariances || columnWeights || scaling !== 'none' || !centered) return [];
  const column = columnVariances.reduce((most, value, j) => (value > columnVariances[most] ? j : most), 0);
  const share = columnVariances[column] / totalVariance;
  const next = columnVariances.reduce((most, value, j) => (j === column ? most : Math.max(most, value)), 0);
  if (!(share > DOMINANT.share && share >= DOMINANT.times / d)) return [];
  if (columnVariances[column] < DOMINANT.next * next) return [];
  // A warning says that it is better left out.
  if (isBetterLeftOut(warnings, columnNames?.[column] ?? column)) return [];
  const name = nameOf(column);
  return [
    `${name.startsWith('column ') ? name.replace('column', 'Column') : `Column ${name}`} dominates: it has ${percent(share)} of the variance, and nothing was scaled.`,
  ];
}

/** Whether a column was found to number rows, to tell the time or to hold codes of classes. */
function isBetterLeftOut(warnings: Model['warnings'], column: string | number): boolean {
  return warnings.some(({ code, details }) => {
    const columns = details?.columns as readonly (string | number)[] | undefined;
    if (details?.remedy === 'leave-out') return columns?.[0] === column;
    return (code === 'ID_COLUMN' || code === 'CATEGORY_CODES') && columns?.includes(column) === true;
  });
}

import { type Model, SOLVERS } from '@scree/core';
import { count, percent, several, shareKept, show } from '@scree/core/describe';
import type { RowFacts } from './read-rows.js';

/** Sentences of a report beyond those of `@scree/core/describe`. They are plain text, and must be escaped before they go into a document. */

/** Errors that are a part this small of the variance are rounding. */
const ROUNDING = 1e-20;

/** Whether rows are their reconstructions, apart from rounding. */
export function isLossless(model: Model, { errorSum, rows }: RowFacts): boolean {
  return errorSum <= ROUNDING * model.totalVariance * rows;
}

export function describeErrors(model: Model, facts: RowFacts): string[] {
  const { distances, rows, errorSum } = facts;
  if (isLossless(model, facts)) {
    return [
      model.totalVariance === 0
        ? 'All rows are the same, so nothing can be lost.'
        : `Nothing is lost: every row is its own reconstruction, apart from rounding (the largest distance is ${show(distances.largest, 2)}).`,
    ];
  }
  const quartiles = [distances.quantile(0.25), distances.quantile(0.75)];
  const fence = quartiles[1] + 1.5 * (quartiles[1] - quartiles[0]);
  const outside = fence > 0 ? distances.above(fence) : 0;
  return [
    `Rows are reconstructed from ${several(model.k, 'score')} instead of ${several(model.d, 'number')}. The squared distance between a row and its reconstruction is ${show(errorSum / rows)} on average: ${percent(1 - shareKept(model))} of the variance.`,
    `Half of the rows are within a distance of ${show(distances.quantile(0.5), 3)}, 99 % within ${show(distances.quantile(0.99), 3)}; the farthest is at ${show(distances.largest, 3)}.`,
    outside === 0
      ? 'No row stands out: all are within Tukey’s fence, the upper quartile and one and a half times the distance between the quartiles.'
      : `${several(outside, 'row')} (${percent(outside / rows)}) ${outside === 1 ? 'stands' : 'stand'} out: farther than ${show(fence, 3)}, Tukey’s fence, the upper quartile and one and a half times the distance between the quartiles.`,
  ];
}

/** How it was computed, as pairs of a name and what there is to say. */
export function methodFacts(
  model: Model,
  facts: RowFacts,
  { seconds, threads }: { readonly seconds?: number | undefined; readonly threads?: number | undefined },
): [name: string, value: string][] {
  const { plan, scale } = model;
  const scaled = scale.some((value) => value !== 1);
  const [least, most] = [scale.reduce((a, b) => Math.min(a, b)), scale.reduce((a, b) => Math.max(a, b))];
  const weighted = model.totalWeight !== model.n;
  return [
    [
      'Rows',
      `${count(model.n)} in the fit${facts.rows === model.n ? '' : `, ${count(facts.rows)} read for this report`}`,
    ],
    ['Columns', count(model.d)],
    ['Components', count(model.k)],
    ['Centred', model.centered ? 'yes: the mean of each column was subtracted' : 'no: columns were taken as they are'],
    [
      'Scaled',
      scaled ? `yes: each column was divided by a number of its own, from ${show(least)} to ${show(most)}` : 'no',
    ],
    [
      'Whitened',
      model.whiten === false
        ? 'no'
        : `yes, ${model.whiten === 'pca' ? 'along the components (pca)' : 'turned back to the columns (zca)'}; scores are shown here before whitening`,
    ],
    ['Weights', weighted ? `rows had weights, ${show(model.totalWeight)} together` : 'none: every row counts the same'],
    [
      'Variance',
      `sums of squares divided by ${weighted ? 'Σw' : 'n'}${model.ddof === 0 ? '' : ` − ${show(model.ddof)}`}; ${show(model.totalVariance, 6)} in all`,
    ],
    ['Numbers', `stored as ${model.dtype}`],
    ['Plan', plan.reason],
    ['Solver', `${plan.solver}: ${SOLVERS[plan.solver]?.method ?? 'unknown'}`],
    ['Engine', plan.engine],
    ...(threads === undefined ? [] : [['Threads', count(threads)] as [string, string]]),
    ...(model.trace ? [['Epochs', count(model.trace.length)] as [string, string]] : []),
    ...(seconds === undefined ? [] : [['Time', `${show(seconds, 3)} s for the fit`] as [string, string]]),
  ];
}

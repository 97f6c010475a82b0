import type { Model, SolverName } from '@scree/core';
import { componentsFor } from './components-for.js';
import { count, degrees, listed, percent, runs, several, show } from './numbers.js';
import type { RowFacts } from './read-rows.js';

/** What a model says, in sentences. All of it is plain text, to be escaped by whoever writes it into a document. */

/** Shares of the variance that people ask for. */
const SHARES = [0.8, 0.9, 0.95] as const;
/** Errors that are a part this small of the variance are rounding. */
const ROUNDING = 1e-20;

const SOLVERS: Record<SolverName, string> = {
  covariance: 'the eigenvectors of the covariance matrix',
  refined: 'the eigenvectors of a covariance matrix summed in float32, then refined in float64',
  dual: 'the eigenvectors of the products of the rows (the dual problem)',
  svd: 'the singular value decomposition of the data themselves',
  krylov: 'block Krylov iteration, which needs only products with the data',
  streaming: 'a sketch of the rows, kept while they were read once',
  points: 'points in the plane of the scores that learn where to be',
  autoencoder: 'a linear autoencoder that learns',
  hebbian: 'a Hebbian rule that learns from one row after the other',
};

export function shareKept(model: Model): number {
  return Math.min(
    1,
    model.varianceRatios.reduce((sum, ratio) => sum + ratio, 0),
  );
}

/** "k = 3 keep 80 %": how many components for which share of the variance. */
export function varianceWords(model: Model): string[] {
  const { k, d } = model;
  if (model.totalVariance === 0) return ['All rows are the same: there is no variance that components could keep.'];
  const kept = shareKept(model);
  const needed = SHARES.map((share) => ({ share, k: componentsFor(model.varianceRatios, share) }));
  const reached = needed.flatMap(({ share, k }) => (k === undefined ? [] : [`${k} for ${percentMark(share)}`]));
  const beyond = needed.flatMap(({ share, k }) => (k === undefined ? [percentMark(share)] : []));
  return [
    `${several(k, 'component')} ${k === 1 ? 'keeps' : 'keep'} ${percent(kept)} of the variance of ${several(d, 'column')}.`,
    ...(reached.length > 0
      ? [
          `It takes ${listed(reached.map((text, i) => (i === 0 ? text.replace(' for', ` ${text.startsWith('1 ') ? 'component' : 'components'} for`) : text)))}.`,
        ]
      : []),
    ...(beyond.length > 0 ? [`For ${listed(beyond)} more than the ${k} kept would be needed.`] : []),
  ];
}

/** How the variance is spread over the components. */
export function spreadWords(model: Model): string[] {
  const { k, d, variances, varianceRatios, totalVariance } = model;
  if (totalVariance === 0) return [];
  const rest = d - k;
  return [
    `The variance of all columns together is ${show(totalVariance, 6)}. The first component alone has ${show(variances[0], 6)} of it (${percent(varianceRatios[0])})${k > 1 ? `, the last one kept ${show(variances[k - 1], 6)} (${percent(varianceRatios[k - 1])})` : ''}.${
      rest > 0
        ? ` The ${rest === 1 ? 'direction' : `${count(rest)} directions`} left out ${rest === 1 ? 'has' : 'have'} ${show(model.noiseVariance)}${rest === 1 ? '' : ' each, on average'}.`
        : ''
    }`,
  ];
}

/** Which share of the variance takes how many components, for a table. */
export function neededComponents(model: Model): { share: string; components: string }[] {
  return SHARES.map((share) => {
    const needed = componentsFor(model.varianceRatios, share);
    return {
      share: percentMark(share),
      components: model.totalVariance === 0 ? '–' : needed === undefined ? `> ${model.k}` : String(needed),
    };
  });
}

/** Whether rows are their reconstructions, apart from rounding. */
export function isLossless(model: Model, { errorSum, rows }: RowFacts): boolean {
  return errorSum <= ROUNDING * model.totalVariance * rows;
}

export function errorWords(model: Model, facts: RowFacts): string[] {
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

/** The certificate in plain words, with its numbers. */
export function certificateWords(model: Model): string[] {
  const { certificate, variances } = model;
  const { varianceBounds, angleBounds, subspaceAngleBound, residuals, orthonormality } = certificate;
  const { rank } = model.uniqueness;
  const relative = varianceBounds.slice(0, rank).map((bound, i) => (variances[i] > 0 ? bound / variances[i] : 0));
  const worst = relative.reduce((at, value, i) => (value > relative[at] ? i : at), 0);
  const lost = angleBounds.flatMap((bound, i) => (bound >= Math.PI / 2 ? [i + 1] : []));
  const certain = angleBounds.filter((bound) => bound < Math.PI / 2);
  return [
    ...(rank === 0
      ? []
      : [
          relative[worst] > 0
            ? `Variances: each${rank < model.k ? ' that can be told from zero' : ''} is within ${percentOf(relative[worst])} of the exact one; the least certain is that of component ${worst + 1}, ${show(variances[worst], 6)} ± ${show(varianceBounds[worst], 2)}.`
            : 'Variances: exact as far as can be told.',
        ]),
    ...(rank < model.k
      ? [
          `From component ${rank + 1} on variances are zero, give or take ${show(Math.max(...varianceBounds.slice(rank)), 2)}.`,
        ]
      : []),
    ...(certain.length > 0
      ? [
          `Directions: ${lost.length === 0 ? 'no component is' : 'the others are'} ${lost.length === 0 ? '' : 'not '}farther than ${degrees(Math.max(...certain))} from the exact one.`,
        ]
      : []),
    ...(lost.length > 0
      ? [
          `Nothing can be promised about the direction of ${lost.length === 1 ? 'component' : 'components'} ${runs(lost)}: the bound is 90°.`,
        ]
      : []),
    subspaceAngleBound >= Math.PI / 2
      ? 'Subspace: nothing can be promised about the space that the components span together (the bound is 90°).'
      : subspaceAngleBound === 0
        ? 'Subspace: the components span all there is, so nothing can be missed.'
        : `Subspace: the space that the components span together is not farther than ${degrees(subspaceAngleBound)} from the best one.`,
    `Measured: ‖Cv − λv‖ is at most ${show(Math.max(...residuals), 2)} of the largest variance, and the components are orthonormal to ${show(orthonormality, 2)}.`,
  ];
}

/** Whether the data determine what was found. */
export function uniquenessWords(model: Model): string[] {
  const { uniqueness, k, d } = model;
  const { rank, subspace, axes } = uniqueness;
  const loose = axes.flatMap(({ determined }, i) => (determined ? [] : [i + 1]));
  const gap = subspace.gap;
  return [
    rank === k
      ? `${k === 1 ? 'The component has' : `All ${k} components have`} variance above zero.`
      : `${rank === 0 ? 'None' : `Only ${rank}`} of the ${several(k, 'component')} ${rank === 1 ? 'has' : 'have'} variance that can be told from zero: the rank of the data is ${rank}.`,
    loose.length === 0
      ? `Every axis is determined by the data, apart from its sign: another one would fit worse. Changing the data in their last digit would turn none by more than ${degrees(Math.max(...axes.map(({ noiseAngle }) => noiseAngle)))}.`
      : `Not determined: ${loose.length === k ? (k === 1 ? 'the component' : `all ${k} components`) : `${loose.length === 1 ? 'component' : 'components'} ${runs(loose)}`}. Other axes would fit as well as ${loose.length === 1 ? 'this one' : 'these'}, so their weights should not be interpreted one by one.`,
    k === d
      ? 'The components span the whole space, which is determined.'
      : subspace.determined
        ? `The space they span together is determined${gap === null || gap === 0 ? '' : `: the next variance is lower by ${show(gap)}`}.`
        : 'The space they span together is not determined by the data: another one would keep as much variance.',
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
    ['Solver', `${plan.solver}: ${SOLVERS[plan.solver] ?? 'unknown'}`],
    ['Engine', plan.engine],
    ...(threads === undefined ? [] : [['Threads', count(threads)] as [string, string]]),
    ...(model.trace ? [['Epochs', count(model.trace.length)] as [string, string]] : []),
    ...(seconds === undefined ? [] : [['Time', `${show(seconds, 3)} s for the fit`] as [string, string]]),
  ];
}

/** 0.8 as 80 %. */
function percentMark(share: number): string {
  return `${Math.round(100 * share)}\u00a0%`;
}

function percentOf(relative: number): string {
  return relative >= 1e-4 ? percent(relative) : `a part of ${show(relative, 2)}`;
}

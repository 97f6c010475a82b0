import type { RowFacts, RowsOf } from '@scree/analysis';
import { count, describeEncoding, formatNumber, percent, plural } from '@scree/analysis/describe';
import { type Model, SOLVERS } from '@scree/core';

/** Sentences of a report beyond those of `@scree/analysis/describe`. They are plain text, and must be escaped before they go into a document. */

/** A squared error below this share of the squared distances from the centre is rounding. */
const ROUNDING = 1e-20;

/** Returns true if rows equal their reconstructions, apart from rounding. */
export function isLossless({ errorSum, squareSum }: RowFacts): boolean {
  return errorSum <= ROUNDING * squareSum;
}

/** The share of the rows' squared distances from the centre that is lost. */
export function shareLost({ errorSum, squareSum }: RowFacts): number {
  return squareSum > 0 ? Math.min(1, errorSum / squareSum) : 0;
}

/** The name of the point from which distances and scores are measured. */
export function centreOf({ centered }: Model, kind: RowsOf): string {
  return centered ? (kind === 'new' ? 'the mean of the fit' : 'the mean') : 'the origin';
}

/** "38.7 % of the squared distance …": the lost share with its total. For the rows of a fit, the total is the variance. */
export function describeLoss(model: Model, facts: RowFacts, kind: RowsOf): string {
  const share = percent(shareLost(facts));
  if (kind === 'new') return `${share} of the squared distance from ${centreOf(model, kind)}`;
  if (!Object.is(model.totalWeight, model.n))
    return `${share} of the squared distance from ${centreOf(model, kind)}, where every row counts once, whatever its weight`;
  return model.centered ? `${share} of the variance` : `${share} of the squared distance from ${centreOf(model, kind)}`;
}

export function describeErrors(model: Model, facts: RowFacts, kind: RowsOf): string[] {
  const { distances, rows, errorSum, squareSum } = facts;
  if (isLossless(facts)) {
    return [
      squareSum === 0
        ? rows === 1
          ? `The row is ${centreOf(model, kind)}, so nothing can be lost.`
          : `All rows are the same as ${centreOf(model, kind)}, so nothing can be lost.`
        : `Nothing is lost: every row is its own reconstruction, apart from rounding (the largest distance is ${formatNumber(distances.largest, 2)}).`,
    ];
  }
  const about = distances.exact ? '' : 'about ';
  return [
    `${rows === 1 ? 'The row is' : 'Rows are'} reconstructed from ${plural(model.k, 'score')} instead of ${plural(model.d, 'number')}. The squared distance between a row and its reconstruction is ${formatNumber(errorSum / rows)} on average: ${describeLoss(model, facts, kind)}.`,
    ...(rows > 1
      ? [
          `Half of the rows are within a distance of ${about}${formatNumber(distances.quantile(0.5), 3)}, 99 % within ${about}${formatNumber(distances.quantile(0.99), 3)}; the farthest is at ${formatNumber(distances.largest, 3)}.`,
        ]
      : []),
  ];
}

/** How columns were centred and scaled: one sentence. */
export function describeScaling(model: Model): string {
  const { centered, d, coding: encoding } = model;
  const coded = encoding ? describeEncoding(encoding).join(' ') : '';
  if (encoding && encoding.method !== 'pca') return coded;
  return [coded, scalingWords(model, centered, d)].filter((words) => words !== '').join(' ');
}

function scalingWords(model: Model, centered: boolean, d: number): string {
  const columns = d === 1 ? 'The column was' : 'Columns were';
  const scaled = scaledBy(model);
  if (scaled === undefined)
    return centered ? `${columns} centred and not scaled.` : `${columns} neither centred nor scaled.`;
  return `${columns} ${centered ? 'centred and' : 'not centred, but'} divided by ${scaled}.`;
}

/** The divisor of columns in words. Undefined if columns were not divided. */
function scaledBy({ scaling, scale, centered, d, coding: encoding }: Model): string | undefined {
  if (encoding && encoding.method !== 'pca') return `the numbers that ${encoding.method.toUpperCase()} prescribes`;
  const [their, s] = d === 1 ? ['its', ''] : ['their', 's'];
  const [least, most] = [scale.reduce((a, b) => Math.min(a, b)), scale.reduce((a, b) => Math.max(a, b))];
  const range = least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
  const deviation = centered ? `standard deviation${s}` : `root mean square${s}`;
  switch (scaling) {
    case 'unit':
      return `${their} ${deviation}`;
    case 'pareto':
      return `the square root${s} of ${their} ${deviation}`;
    case 'range':
      return `${their} range${s} (largest minus smallest value)`;
    case 'median':
      return `1.4826 times ${their} median absolute deviation${s}`;
    case 'given':
      return `given number${s} (${range})`.replace(/^given number \(/, 'a given number (');
    case 'none':
      return undefined;
    default:
      // Models of version 0.1.0 do not say how their scales were chosen.
      return least === 1 && most === 1
        ? undefined
        : `number${s} of ${their} own (${range})`.replace(/^number of/, 'a number of');
  }
}

/** "12", or "5, 10 when encoded". */
function columnCount({ coding: encoding, d }: Model): string {
  const given = encoding?.columns.length ?? d;
  return given === d ? count(d) : `${count(given)}, ${count(d)} when coded`;
}

/** Facts about the computation, as pairs of a name and a value. */
export function methodFacts(
  model: Model,
  facts: RowFacts,
  kind: RowsOf,
  { seconds, threads }: { readonly seconds?: number | undefined; readonly threads?: number | undefined },
): [name: string, value: string][] {
  const { plan } = model;
  const scaled = scaledBy(model);
  const weighted = !Object.is(model.totalWeight, model.n);
  return [
    [
      'Rows',
      `${Number.isNaN(model.n) ? 'an unknown number' : count(model.n)} in the fit${kind === 'fit' && facts.rows === model.n ? '' : `, ${count(facts.rows)} read for this report`}`,
    ],
    ['Columns', columnCount(model)],
    ['Components', count(model.k)],
    ['Centred', model.centered ? 'yes: the mean of each column was subtracted' : 'no: nothing was subtracted'],
    ...(model.coding ? [['Coded', describeEncoding(model.coding).join(' ')] as [string, string]] : []),
    [
      'Scaled',
      scaled === undefined ? 'no' : `yes: ${model.d === 1 ? 'the column was' : 'columns were'} divided by ${scaled}`,
    ],
    [
      'Whitened',
      model.whiten === false
        ? 'no'
        : `yes, ${model.whiten === 'pca' ? 'along the components (pca)' : 'turned back to the columns (zca)'}; scores are shown here before whitening`,
    ],
    [
      'Weights',
      weighted ? `rows had weights, ${formatNumber(model.totalWeight)} together` : 'none: every row counts the same',
    ],
    [
      'Variance',
      `sums of squares divided by ${weighted ? 'Σw' : 'n'}${model.ddof === 0 ? '' : ` − ${formatNumber(model.ddof)}`}; ${formatNumber(model.totalVariance, 6)} in all`,
    ],
    ['Numbers', `stored as ${model.dtype}`],
    ['Plan', plan.reason],
    [
      'Solver',
      plan.solver === 'given'
        ? 'none: the components come from other software'
        : `${plan.solver}: ${SOLVERS[plan.solver]?.method ?? 'unknown'}`,
    ],
    ['Engine', plan.engine],
    ...(threads === undefined ? [] : [['Threads', count(threads)] as [string, string]]),
    ...(model.trace ? [['Epochs', count(model.trace.length)] as [string, string]] : []),
    ...(seconds === undefined ? [] : [['Time', `${formatNumber(seconds, 3)} s for the fit`] as [string, string]]),
  ];
}

import type { Encoding } from '../data/encoding/encoding.js';
import type { Scaling } from '../data/statistics/scaling.js';
import { DataError, describeValue } from '../errors.js';
import { orthonormalityDefect } from '../linalg/orthonormality.js';
import { descending, scale } from '../linalg/vector.js';
import type { Solution } from '../solvers/solver.js';
import type { Warning } from '../warning.js';
import { certify } from './certificate.js';
import { Model } from './model.js';
import type { Origin, Plan, Whiten } from './record.js';
import { assessUniqueness } from './uniqueness.js';

/** The facts about a fit that `finish` needs besides the solution. */
export interface FitFacts {
  readonly d: number;
  readonly rows: number;
  readonly weight: number;
  readonly ddof: number;
  /** S is the scatter over this number: 1 if it is the covariance itself. Default: weight − ddof. */
  readonly divisor?: number;
  readonly origin?: Origin;
  readonly centered: boolean;
  readonly mean: Float64Array;
  readonly scaling: Scaling;
  readonly columnWeights: Float64Array | undefined;
  /** Σw(x − c)² of each scaled column. Their sum is `scatterTrace`. */
  readonly columnEnergies: Float64Array;
  readonly whiten: Whiten;
  readonly columnNames: readonly string[] | undefined;
  readonly dtype: 'float32' | 'float64';
  /** The unit of the scaled data: a length in the user's units is a length of the scaled data times this. */
  readonly unit: number;
  readonly scatterTrace: number;
  readonly roundoff: number;
  readonly scalingError: number;
  /** For each column, the norm of its change if every number changes in its last place. */
  readonly noise: Float64Array;
  /** Makes warnings about the data. Present only for data that may need one: see `load-data-warnings.ts`. */
  readonly dataWarnings?: (facts: FitFacts, variances: Float64Array, values: Float64Array) => Warning[];
  readonly fewDigits?: readonly Warning[];
  readonly plan: Plan;
  readonly coding?: Encoding | undefined;
  /** Flips components, if an option chooses their signs. `scale` has the divisor of each column. */
  readonly orient?: ((basis: Float64Array, k: number, scale: Float64Array) => void) | undefined;
}

/**
 * Makes the model from the solution of any solver: order, signs, ddof, units, clipping, ratios, certificate, warnings. Only this
 * function does so, so that the numbers of a model mean the same for every solver.
 */
export function finish(found: Solution, facts: FitFacts, sourceWarnings: readonly Warning[] = []): Model {
  const { d } = facts;
  const solution = sortByVariance(found, d);
  const { k, basis, values } = solution;
  fixSigns(basis, k, d);
  facts.orient?.(basis, k, facts.scaling.scale);
  const divisor = facts.divisor ?? facts.weight - facts.ddof;
  // Variances in the user's units are eigenvalues of the scaled S times this factor.
  const toVariance = (facts.unit * facts.unit) / divisor;
  const defect = solution.defect ?? orthonormalityDefect(basis, k, d);
  const accuracy = certify(solution, facts, defect, toVariance);
  const judged = assessUniqueness(solution, accuracy, facts, toVariance);

  const variances = new Float64Array(k);
  const varianceRatios = new Float64Array(k);
  const singularValues = new Float64Array(k);
  const explained = values.reduce((sum, value) => sum + value, 0);
  // If data are far from zero, the solver counts rounding errors of the means as variance. The ratios then refer to the larger
  // sum, so that they do not exceed 1.
  const whole = explained > facts.scatterTrace * (1 + 1e-9) ? explained : facts.scatterTrace;
  for (let i = 0; i < k; i++) {
    variances[i] = values[i] * toVariance;
    varianceRatios[i] = whole > 0 ? Math.min(1, values[i] / whole) : 0;
    singularValues[i] = Math.sqrt(values[i]) * facts.unit * Math.sqrt((facts.weight - facts.ddof) / divisor);
  }
  const totalVariance = facts.scatterTrace * toVariance;
  if (!Number.isFinite(totalVariance)) {
    throw new DataError(
      'OUT_OF_RANGE',
      `The variance of these data, about ${describeValue(facts.unit)} squared, is beyond float64. Divide the data by ${facts.unit.toExponential(0)} first, or use scale: 'unit'.`,
      { value: facts.unit },
    );
  }
  const columnVariances = facts.columnEnergies.slice();
  scale(toVariance, columnVariances);
  const spectrum = wholeSpectrum(solution, facts, variances, toVariance);
  const record = {
    components: { rows: k, cols: d, data: basis },
    mean: facts.mean,
    scale: facts.scaling.scale,
    scaling: facts.scaling.rule,
    variances,
    spectrum,
    varianceRatios,
    totalVariance,
    singularValues,
    columnVariances,
    columnWeights: facts.columnWeights,
    noiseVariance: k < d ? (Math.max(0, facts.scatterTrace - explained) / (d - k)) * toVariance : 0,
    n: facts.rows,
    totalWeight: facts.weight,
    ddof: facts.ddof,
    centered: facts.centered,
    whiten: facts.whiten,
    columnNames: facts.columnNames,
    dtype: facts.dtype,
    plan: facts.plan,
    certificate: accuracy.certificate,
    uniqueness: judged.uniqueness,
    warnings: [
      ...sourceWarnings,
      ...(facts.dataWarnings?.(facts, variances, values) ?? []),
      // A solution that has not converged gets that warning, and none about its uniqueness.
      ...(solution.converged ? judged.warnings : []),
      ...whitenWarnings(facts, judged.uniqueness.rank, k),
      ...convergenceWarnings(solution),
      ...(facts.fewDigits ?? []),
    ],
    coding: facts.coding,
    trace: solution.trace,
    origin: facts.origin,
  };
  return new Model(record, defect);
}

/**
 * All variances in descending order, clipped at zero: min(d, n − 1) of them if data are centred, because the others are zero. The
 * first k are those of the model, which a solver may have computed more accurately. Undefined if the solver found only the
 * leading ones.
 */
function wholeSpectrum(
  { k, spectrum, values, converged, unchecked }: Solution,
  { d, rows, centered }: FitFacts,
  variances: Float64Array,
  toVariance: number,
): Float64Array | undefined {
  const most = rows - (centered ? 1 : 0);
  // The number of rows may be unknown.
  const length = Math.max(k, most < d ? most : d);
  const all = spectrum ?? (k === length && converged && !unchecked ? values : undefined);
  if (!all) return undefined;
  const whole = new Float64Array(length);
  whole.set(variances);
  for (let i = k; i < length; i++) whole[i] = Math.min(whole[i - 1], Math.max(0, (all[i] ?? 0) * toVariance));
  return whole;
}

/**
 * The first k components of a solution, as if only k had been requested. The next eigenvalue is then one that was found, and its
 * bound comes from its certificate.
 */
function firstComponents(found: Solution, k: number, facts: FitFacts): Solution {
  const solution = sortByVariance(found, facts.d);
  if (k >= solution.k) return solution;
  const { valueBounds } = certify(solution, facts, orthonormalityDefect(solution.basis, solution.k, facts.d), 1);
  const { bracket } = solution;
  return {
    ...solution,
    k,
    basis: solution.basis.slice(0, k * facts.d),
    values: solution.values.slice(0, k),
    residuals: solution.residuals.slice(0, k),
    next: { value: solution.values[k], bound: valueBounds[k] },
    ...(bracket ? { bracket: { ...bracket, above: bracket.above.slice(0, k) } } : {}),
  };
}

/** The models of one fit: all k components, and the first 1, 2, …, k. Each model has its own certificate and warnings. */
export interface NestedModels {
  readonly model: Model;
  /** The model of the first k components. k is at most that of `model`. */
  first(k: number): Model;
}

/** Makes the model of a solution, and a function that makes models of its first components. */
export function nested(solution: Solution, facts: FitFacts, warnings: readonly Warning[]): NestedModels {
  const model = finish(solution, facts, warnings);
  const first = (k: number): Model =>
    k === model.k ? model : finish(firstComponents(solution, k, facts), facts, warnings);
  return { model, first };
}

function fallsToZero(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (!(values[i] <= values[i - 1])) return false;
  return values[values.length - 1] >= 0;
}

/** Sorts components by descending variance, and clips variances at zero. */
function sortByVariance(found: Solution, d: number): Solution {
  if (fallsToZero(found.values)) return found;
  const order = descending(found.values);
  const basis = new Float64Array(found.k * d);
  order.forEach((from, to) => {
    basis.set(found.basis.subarray(from * d, (from + 1) * d), to * d);
  });
  const values = found.values.map((_, i) => Math.max(0, found.values[order[i]]));
  const residuals = found.residuals.map((_, i) => found.residuals[order[i]]);
  return { ...found, basis, values, residuals };
}

/**
 * Flips components so that their entry of largest magnitude is positive. Entries within a factor of 1e-6 of the largest count as
 * equal, and the first of them decides: otherwise rounding would choose the sign when two entries tie.
 */
export function fixSigns(basis: Float64Array, k: number, d: number): void {
  for (let r = 0; r < k; r++) {
    const end = (r + 1) * d;
    let largest = 0;
    for (let at = r * d; at < end; at++) largest = Math.max(largest, Math.abs(basis[at]));
    let leader = r * d;
    while (Math.abs(basis[leader]) < largest * (1 - 1e-6)) leader++;
    if (basis[leader] < 0) scale(-1, basis, r * d, d);
  }
}

function whitenWarnings(facts: FitFacts, rank: number, k: number): Warning[] {
  if (!facts.whiten || rank === k) return [];
  return [
    {
      code: 'NOT_WHITENED',
      message: `Whitening divides by the deviation along each component, and ${k - rank} of the ${k} have none: their scores are 0.`,
    },
  ];
}

function convergenceWarnings(solution: Solution): Warning[] {
  if (solution.unchecked) {
    return [
      {
        code: 'NOT_CHECKED',
        message:
          'The rows could be read only once: the variances are those of the last rows, and the error of the components is unknown. It is known for rows that can be read again, and for a sketch (solver: "streaming").',
      },
    ];
  }
  if (solution.converged) return [];
  return [
    {
      code: 'NOT_CONVERGED',
      message: `The solver stopped after ${solution.passes} passes without reaching the tolerance; the certificate says how close it came.`,
    },
  ];
}

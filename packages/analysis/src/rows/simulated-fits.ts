import { dot, type Random, random, symmetricEigen } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';
import { chiSquare } from '../statistics/gamma.js';
import { residualLimitOf } from './residual-limit.js';

/**
 * How rows behave that had no part in a fit. A fit turns its axes towards its own rows, so it underestimates what it leaves out of new
 * rows, and overestimates the variances of its components: formulas for Q and T² that take the fit for the truth flag too many new rows
 * by Q and too few by T². Here fits of normal rows are simulated and compared with new rows, as the fit would have been with many
 * calibration tables:
 *
 *   1. A population is chosen whose fits have, on average, the variances λ₁ … λ_k of the model. What it leaves out has the same sum and
 *      sum of squares as an unbiased estimate from the model's eigenvalues (Srivastava 2005): tr Σ = tr S,
 *      tr Σ² = m²/((m − 1)(m + 2))·(tr S² − (tr S)²/m), m degrees of freedom.
 *   2. Scatters of such fits are drawn (Bartlett 1933), and each fit meets new rows. Their T², and their Q divided by the limit that the
 *      same fit computes, are kept.
 *
 * The limit of T² at a level is then a quantile of the first, and that of Q a quantile of the second times the model's own limit. A
 * limit so calibrated is right on average over fits, for any n, d and k.
 */
export interface NewRowRatios {
  /** T² of new rows, in units of the fit's variances, in ascending order. */
  readonly t2: Float64Array;
  /** Q of new rows divided by the 95 % limit of their fit, in ascending order. */
  readonly q: Float64Array;
  /** T² and Q of the same rows, as they were drawn: for indexes of both. */
  readonly pairs: { readonly t2: Float64Array; readonly q: Float64Array };
}

/** The fit that is simulated. */
export interface SimulatedFit {
  /** All eigenvalues with the divisor m, largest first, without those that are zero because there are few rows. */
  readonly values: Float64Array;
  readonly d: number;
  readonly k: number;
  /** Degrees of freedom: n − 1, or n without centring. */
  readonly m: number;
  /** The variance of a new row about the fitted mean, relative to that of a row: 1 + 1/n, or 1 without centring. */
  readonly inflation: number;
}

/** Widest tables that are simulated: a fit takes d³ operations. */
export const WIDEST_SIMULATED = 64;
/** Fits that are simulated, and new rows per fit. */
const [FITS, ROWS] = [240, 64];
/** Rounds and fits of the search for the population. */
const [ROUNDS, ROUND_FITS] = [3, 48];
const SEED = 20_261;

/** Simulates fits and new rows. The same model gives the same numbers. */
export function simulateNewRows(fit: SimulatedFit): NewRowRatios {
  const { d, k, m, inflation } = fit;
  const population = findPopulation(fit);
  const rng = random(SEED);
  const deviations = population.map(Math.sqrt);
  const total = FITS * ROWS;
  const [t2, q] = [new Float64Array(total), new Float64Array(total)];
  const row = new Float64Array(d);
  const spread = Math.sqrt(inflation);
  let at = 0;
  for (let i = 0; i < FITS; i++) {
    const { values, vectors } = drawFit(deviations, d, k, m, rng);
    const limit = residualLimitOf(values.subarray(k), 0.05) ?? 1;
    for (let r = 0; r < ROWS; r++) {
      for (let j = 0; j < d; j++) row[j] = spread * deviations[j] * rng.normal();
      let [distance, rest] = [0, dot(row, 0, row, 0, d)];
      for (let c = 0; c < k; c++) {
        const score = dot(vectors, c * d, row, 0, d);
        distance += (score * score) / values[c];
        rest -= score * score;
      }
      t2[at] = distance;
      q[at++] = Math.max(0, rest) / limit;
    }
  }
  const pairs = { t2: t2.slice(), q: q.slice() };
  return { t2: t2.sort(), q: q.sort(), pairs };
}

/**
 * Eigenvalues of a population whose fits have the leading eigenvalues of the model on average: a fixed point of λ ← λ·l/E[l | λ]. If rows
 * are few for the columns, their fits say little of the last eigenvalues; these are a geometric sequence with the estimated sum and sum
 * of squares.
 */
function findPopulation({ values, d, k, m }: SimulatedFit): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  const unbiased = ((m * m) / ((m - 1) * (m + 2))) * (squares - (sum * sum) / m);
  const few = Math.max(k, Math.floor(Math.min(m, d) / 3));
  const count = m > 2 * d ? d : Math.min(d - 1, few);
  const leading = Float64Array.from(values.subarray(0, count));
  let population = withTail(leading, d, sum, unbiased);
  for (let round = 0; round < ROUNDS && count > 0; round++) {
    // The same random numbers in every round, so that the rounds converge.
    const rng = random(SEED + 1);
    const deviations = population.map(Math.sqrt);
    const mean = new Float64Array(count);
    for (let i = 0; i < ROUND_FITS; i++) {
      const drawn = drawFit(deviations, d, 0, m, rng).values;
      for (let c = 0; c < count; c++) mean[c] += drawn[c] / ROUND_FITS;
    }
    for (let c = 0; c < count; c++) leading[c] = mean[c] > 0 ? population[c] * (values[c] / mean[c]) : 0;
    leading.sort().reverse();
    population = withTail(leading, d, sum, unbiased);
  }
  return population;
}

/** The leading values, and a geometric sequence behind them, none of it larger than they are. The sum is as given. */
function withTail(leading: Float64Array, d: number, sum: number, squares: number): Float64Array {
  const first = leading.length;
  const count = d - first;
  const used = leading.reduce((total, value) => total + value, 0);
  if (count === 0) return leading.map((value) => (value * sum) / used);
  const population = new Float64Array(d);
  const rest = Math.max(sum - used, 0.02 * sum * (count / d));
  const tail = geometric(count, rest, squares - leading.reduce((total, value) => total + value * value, 0));
  const smallest = first > 0 ? tail[0] : 0;
  for (let j = 0; j < d; j++) population[j] = j < first ? Math.max(leading[j], smallest) : tail[j - first];
  return population;
}

/** `count` values in geometric sequence, largest first, with this sum and, if that is possible, this sum of squares. */
function geometric(count: number, sum: number, squares: number): Float64Array {
  const sequence = (ratio: number): Float64Array => {
    const values = Float64Array.from({ length: count }, (_, j) => ratio ** j);
    const total = values.reduce((a, value) => a + value, 0);
    return values.map((value) => (value * sum) / total);
  };
  const squaresOf = (values: Float64Array): number => values.reduce((a, value) => a + value * value, 0);
  let [low, high] = [0, 1];
  if (!(squares > squaresOf(sequence(1)))) return sequence(1);
  // The sum of squares falls as the ratio grows.
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (squaresOf(sequence(middle)) > squares) low = middle;
    else high = middle;
  }
  return sequence((low + high) / 2);
}

/** Eigenvalues, and the first k eigenvectors, of a covariance with m degrees of freedom of normal rows with these deviations. */
function drawFit(
  deviations: Float64Array,
  d: number,
  k: number,
  m: number,
  rng: Random,
): { values: Float64Array; vectors: Float64Array } {
  return m > d ? drawWishart(deviations, d, k, m, rng) : drawRows(deviations, d, k, m, rng);
}

/** S = LAAᵀL/m with A lower triangular: Aᵢᵢ² is χ² with m − i degrees of freedom, and the others are normal (Bartlett 1933). */
function drawWishart(
  deviations: Float64Array,
  d: number,
  k: number,
  m: number,
  rng: Random,
): { values: Float64Array; vectors: Float64Array } {
  const a = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) a[i * d + j] = deviations[i] * rng.normal();
    a[i * d + i] = deviations[i] * Math.sqrt(chiSquare(m - i, rng));
  }
  const s = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) s[i * d + j] = dot(a, i * d, a, j * d, i + 1) / m;
  }
  return runTaskSync(symmetricEigen(s, d, k));
}

/** The same from m rows, if there are fewer of them than columns: by the eigenproblem of their products. */
function drawRows(
  deviations: Float64Array,
  d: number,
  k: number,
  m: number,
  rng: Random,
): { values: Float64Array; vectors: Float64Array } {
  const rows = new Float64Array(m * d);
  for (let i = 0; i < m; i++) for (let j = 0; j < d; j++) rows[i * d + j] = deviations[j] * rng.normal();
  const products = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = i; j < m; j++) products[i * m + j] = dot(rows, i * d, rows, j * d, d) / m;
  }
  const { values, vectors: dual } = runTaskSync(symmetricEigen(products, m, k));
  const vectors = new Float64Array(k * d);
  for (let c = 0; c < k; c++) {
    const length = Math.sqrt(m * values[c]);
    for (let i = 0; i < m; i++) {
      const weight = dual[c * m + i] / length;
      for (let j = 0; j < d; j++) vectors[c * d + j] += weight * rows[i * d + j];
    }
  }
  return { values, vectors };
}

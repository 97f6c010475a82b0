import type { Task } from '../../base/progress.js';
import type { Random } from '../../linalg/random.js';
import { rowProductSteps } from '../../linalg/row-products.js';
import type { EpochState, RuleProblem } from './rule.js';

/** The parts that both rules for points share: start, gradient and epoch state. All in units in which σ₁ = 1. */

/** Step length. With longer steps than 1, the largest component diverges. */
export const POINTS_STEP = 0.25;
/** Norm of the random start. */
const START_NORM = 0.5;
/** Number of points between two pauses. */
const PAUSE_ROWS = 64;
/** Points with a smaller defect count as settled. The defect falls until their subspace is found. */
const SETTLED_DEFECT = 1e-3;

/**
 * The points at the start, for σ₁² = `top`: the given ones, or random ones that are too small to diverge. Centred if the rows are
 * centred.
 */
export function startPoints({ n, k, centred, start }: RuleProblem, { normal }: Random, top: number): Float64Array {
  const size = START_NORM / (Math.sqrt(n) + Math.sqrt(k));
  const y = start?.map((value) => value / Math.sqrt(top)) ?? new Float64Array(n * k).map(() => size * normal());
  if (centred) centrePoints(y, n, k);
  return y;
}

/** Subtracts the mean of all points from each. */
export function centrePoints(y: Float64Array, n: number, k: number): void {
  for (let c = 0; c < k; c++) {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += y[i * k + c] / n;
    for (let i = 0; i < n; i++) y[i * k + c] -= mean;
  }
}

/** YᵀY (k × k). */
export function* innerProducts(y: Float64Array, n: number, k: number): Task<Float64Array> {
  const out = new Float64Array(k * k);
  for (let i = 0; i < n; i++) {
    if (i % PAUSE_ROWS === 0) yield 2 * PAUSE_ROWS * k * k;
    for (let c = 0; c < k; c++) for (let e = 0; e < k; e++) out[c * k + e] += y[i * k + c] * y[i * k + e];
  }
  return out;
}

/** Y·G − image/top, where `image` is BBᵀY: a quarter of the gradient of ‖K − YYᵀ‖². */
export function* pointGradient(
  y: Float64Array,
  inner: Float64Array,
  image: Float64Array,
  top: number,
  n: number,
  k: number,
): Task<Float64Array> {
  const gradient = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    if (i % PAUSE_ROWS === 0) yield 2 * PAUSE_ROWS * k * k;
    for (let c = 0; c < k; c++) {
      let sum = -image[i * k + c] / top;
      for (let e = 0; e < k; e++) sum += y[i * k + e] * inner[e * k + c];
      gradient[i * k + c] = sum;
    }
  }
  return gradient;
}

/**
 * The loss and its parts. With A = YᵀB and G = YᵀY: f = 4·(‖S‖² − 2·‖A‖² + ‖G‖²). If Y are scores, AAᵀ = G², and the rows of the
 * decoder G⁻¹A are orthonormal. The defect is the difference between AAᵀ and G².
 */
export function* pointsState(
  a: Float64Array,
  inner: Float64Array,
  squares: number,
  top: number,
  d: number,
  k: number,
): Task<Pick<EpochState, 'loss' | 'terms' | 'defect' | 'rows' | 'unit'> & { readonly settled: boolean }> {
  const products = (yield* rowProductSteps(a, k, a, k, d)).map((value) => value / top);
  const square = yield* rowProductSteps(inner, k, inner, k, k);
  let [agreement, size, defect, largest] = [0, 0, 0, 0];
  for (let i = 0; i < k; i++) agreement += products[i * k + i];
  for (const value of inner) size += value * value;
  for (let at = 0; at < square.length; at++) {
    defect = Math.max(defect, Math.abs(products[at] - square[at]));
    largest = Math.max(largest, Math.abs(square[at]));
  }
  const relative = largest > 0 ? defect / largest : Number.POSITIVE_INFINITY;
  const terms = { data: 4 * squares, agreement: -8 * agreement, embedding: 4 * size };
  return {
    loss: terms.data + terms.agreement + terms.embedding,
    terms,
    defect: relative,
    rows: a,
    unit: Math.sqrt(top),
    settled: relative <= SETTLED_DEFECT,
  };
}

import type { Model } from '@scree/core';
import type { RowTitle } from '../rows/row-facts.js';
import type { LookedScores } from './looked-rows.js';
import { ascending } from './robust-order.js';

/**
 * The influence of single rows on components: the angle by which a component turns if the row is left out.
 *
 * In the coordinates of the components, leaving out a row with weight w and scores z changes the scatter D = diag(λᵢ·m) to
 * D − ρzzᵀ, ρ = wW/(W − w) for centred rows of total weight W. Its eigenvalues are the roots of 1 = ρΣzᵢ²/(dᵢ − μ), one between each two
 * neighbours of D, and the eigenvector of a root is (D − μ)⁻¹z (Golub 1973, Some Modified Matrix Eigenvalue Problems, §5). So the
 * angle is exact, with the scale of the columns held fixed. O(k) per step of a bisection.
 *
 * If the components leave variance out, the other directions count as one more direction towards the row, with the mean variance of
 * those left out. The angle is then exact to first order in the share of the row.
 */

/** The scatter in the coordinates of the components. */
export interface InfluenceSetting {
  /** Variances of the components, largest first, and of the direction that stands for those left out. */
  readonly variances: Float64Array;
  /** Σw − ddof, and Σw. */
  readonly divisor: number;
  readonly totalWeight: number;
}

/** Steps of the bisection: the root is then exact to the last digits. */
const STEPS = 60;

/** The angle in radians by which component c turns without a row with these scores. `scores` has one number per variance. */
export function turnWithout(
  scores: Float64Array,
  weight: number,
  c: number,
  { variances, divisor, totalWeight }: InfluenceSetting,
): number {
  const { length: k } = variances;
  if (weight >= totalWeight) return 0;
  const rho = (weight * totalWeight) / (totalWeight - weight);
  const d = (i: number): number => variances[i] * divisor;
  const own = scores[c] * scores[c];
  if (!(own > 0)) return 0;
  // The root lies τ below d_c, and above the next value; the last one lies above d_k − ρ‖z‖².
  let sum = 0;
  for (let i = 0; i < k; i++) sum += scores[i] * scores[i];
  let [low, high] = [0, c + 1 < k ? d(c) - d(c + 1) : rho * sum];
  if (!(high > 0)) return 0;
  // f(τ) = ρΣzᵢ²/(dᵢ − d_c + τ) − 1 falls from +∞ at 0.
  const f = (tau: number): number => {
    let value = 0;
    for (let i = 0; i < k; i++) value += (scores[i] * scores[i]) / (d(i) - d(c) + tau);
    return rho * value - 1;
  };
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  const tau = (low + high) / 2;
  let others = 0;
  for (let i = 0; i < k; i++) if (i !== c) others += (scores[i] / (d(i) - d(c) + tau)) ** 2;
  return Math.atan2(Math.sqrt(others), Math.abs(scores[c]) / tau);
}

/** The first-order angle: ρ|z_c|·√Σ(zᵢ/(d_c − dᵢ))² over the other directions (Critchley 1985). */
function firstOrder(
  scores: Float64Array,
  weight: number,
  c: number,
  { variances, divisor, totalWeight }: InfluenceSetting,
): number {
  let sum = 0;
  for (let i = 0; i < variances.length; i++) {
    if (i !== c && scores[i] !== 0) sum += (scores[i] / (variances[c] - variances[i])) ** 2;
  }
  return ((weight * totalWeight) / ((totalWeight - weight) * divisor)) * Math.abs(scores[c]) * Math.sqrt(sum);
}

/** A row, and how far a component turns without it. */
export interface InfluentialRow extends RowTitle {
  /** The component, from 1. */
  readonly component: number;
  /** In radians, with the scale of the columns held fixed. */
  readonly angle: number;
  /** False if the directions that the components leave out were taken together. */
  readonly exact: boolean;
}

/** Rows that are listed of each component, and rows whose angles are computed by leaving them out. */
const [LISTED, LEFT_OUT] = [5, 50];
/** Most flagged rows that are left out one by one. */
const MOST_FLAGGED_OUT = 1000;

/**
 * The rows that turn the first `kept` components most, largest angle first. All rows are ranked by the first-order angle. The 50 largest
 * and the flagged rows are left out one by one.
 */
export function influentialRows(
  { rows, k, scores, errors }: LookedScores,
  model: Model,
  kept: number,
  {
    flagged,
    weightOf,
    title,
  }: { readonly flagged: readonly number[]; weightOf(row: number): number; title(row: number): RowTitle },
): InfluentialRow[] {
  const { variances, noiseVariance, totalWeight, ddof, d } = model;
  const rest = k < d && noiseVariance > 0;
  const setting = {
    variances: rest ? Float64Array.of(...variances, noiseVariance) : Float64Array.from(variances),
    divisor: totalWeight - ddof,
    totalWeight,
  };
  const own = new Float64Array(setting.variances.length);
  const read = (row: number): Float64Array => {
    for (let i = 0; i < k; i++) own[i] = scores[row * k + i];
    if (rest) own[k] = Math.sqrt(errors[row]);
    return own;
  };
  const found: { row: number; component: number; angle: number }[] = [];
  for (let c = 0; c < Math.min(kept, k, model.uniqueness.rank); c++) {
    const rough = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      const weight = weightOf(row);
      if (weight > 0) rough[row] = firstOrder(read(row), weight, c, setting);
    }
    const order = ascending(rough.map((angle) => -angle)).slice(0, LEFT_OUT);
    const left = [...new Set([...order, ...flagged.slice(0, MOST_FLAGGED_OUT)])];
    const angles = left.map((row) => ({ row, angle: turnWithout(read(row), weightOf(row), c, setting) }));
    angles.sort((a, b) => b.angle - a.angle || a.row - b.row);
    for (const { row, angle } of angles.slice(0, LISTED)) if (angle > 0) found.push({ row, component: c + 1, angle });
  }
  return found
    .sort((a, b) => b.angle - a.angle || a.component - b.component)
    .map(({ row, component, angle }) => ({ ...title(row), component, angle, exact: !rest }));
}

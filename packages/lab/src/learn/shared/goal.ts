import { principalAngles } from '@scree/analysis';
import type { Matrix } from '@scree/core';
import { combineRows, type Eigen, eigenOf, orthonormalRows, rowProducts, scatterOf } from '@scree/core/learn';
import { angleText, indexed } from './format.js';

/** Variances that differ by less than this share of the largest count as equal, because no run on these screens can distinguish them. */
const EQUAL = 1e-9;

/**
 * The goal of the runs on these screens: the subspace of the first k axes. If λ_k = λ_{k+1}, several subspaces are equally good. Each
 * contains the axes before the equal ones, and any directions among the equal ones.
 */
export interface Goal {
  readonly k: number;
  readonly eigen: Eigen;
  /** The number of axes that every best subspace contains, and the number of axes that it may contain. */
  readonly surely: number;
  readonly perhaps: number;
}

export function goalOf(eigen: Eigen, k: number): Goal {
  const { values } = eigen;
  const [last, margin] = [values[k - 1], EQUAL * values[0]];
  const perhaps = values.filter((value) => value >= last - margin).length;
  const surely = perhaps === k ? k : values.filter((value) => value > last + margin).length;
  return { k, eigen, surely, perhaps };
}

/** True if the data determine the subspace. */
export const determined = ({ k, perhaps }: Goal): boolean => perhaps === k;

/** True if the data have no variance beyond the first axes. */
export function isFlat({ values }: Eigen, axes: number): boolean {
  return axes >= values.length || values[axes] <= EQUAL * values[0];
}

/** True if the lengths of k rows are determined in every direction, by the variance of the data there or by α. */
export function pinned(eigen: Eigen, k: number, alpha: number): boolean {
  return alpha > 0 || !isFlat(eigen, Math.min(k, eigen.values.length) - 1);
}

/** True if λ_i = λ_{i+1}, counted from 1. */
export function meet({ values }: Eigen, i: number): boolean {
  return values[i - 1] - values[i] <= EQUAL * values[0];
}

/** (λ_k − λ_{k+1})/λ₁. If it is small, a run needs many epochs to separate the two axes. */
export function gapAfter({ values }: Eigen, k: number): number {
  return k < values.length ? (values[k - 1] - values[k]) / values[0] : 1;
}

/** The tolerance of `descend` with which a run ends this close to its goal. At a small angle the residual is the angle times the gap. */
export function toleranceFor(goal: Goal, angle: number): number {
  return determined(goal) ? Math.max(1e-14, Math.min(1e-6, angle * gapAfter(goal.eigen, goal.k))) : 1e-6;
}

/** Angle from the span of rows (k × d) to the best subspace, or to the nearest one if several are equally good. */
export function angleToGoal({ k, eigen, surely, perhaps }: Goal, rows: Float64Array): number {
  const d = eigen.values.length;
  const span = { rows: k, cols: d, data: rows };
  const axes = (count: number): Matrix<Float64Array> => ({
    rows: count,
    cols: d,
    data: eigen.vectors.slice(0, count * d),
  });
  if (perhaps === k) return largest(principalAngles(span, axes(k)), k);
  // The subspace must contain the axes before the equal ones, and lie within the span of all axes that it may contain.
  return Math.max(
    surely === 0 ? 0 : largest(principalAngles(axes(surely), span), surely),
    perhaps === d ? 0 : largest(principalAngles(span, axes(perhaps)), 1),
  );
}

function largest(angles: Float64Array, count: number): number {
  return angles.length < count ? Math.PI / 2 : angles[angles.length - 1];
}

/** Orthonormal rows of the best subspace, or of the one nearest to the span of rows (k × d) if several are equally good. */
export function nearestGoal({ k, eigen, surely, perhaps }: Goal, rows: Float64Array): Float64Array {
  const d = eigen.values.length;
  const { vectors } = eigen;
  if (perhaps === k) return vectors.slice(0, k * d);
  const among = vectors.slice(surely * d, perhaps * d);
  const count = perhaps - surely;
  // Among the equal axes, the directions that are closest to the rows.
  const shares = rowProducts(orthonormalRows(rows, k, d), k, among, count, d);
  const closest = eigenOf(scatterOf(shares, k, count), count).vectors;
  const out = new Float64Array(k * d);
  out.set(vectors.subarray(0, surely * d));
  out.set(combineRows(closest, k - surely, among, count, d), surely * d);
  return out;
}

/** The angle to the goal as text; empty if every subspace is equally good. */
export function awayText(goal: Goal, angle: number): string {
  const what = goal.k === 1 ? 'axis' : 'plane';
  if (determined(goal)) return `, ${angleText(angle)} from the principal ${what}`;
  const free = goal.surely === 0 && goal.perhaps === goal.eigen.values.length;
  return free ? '' : `, ${angleText(angle)} from the nearest of the best ${goal.k === 1 ? 'axes' : 'planes'}`;
}

/** A sentence for a goal that is not determined; empty if it is determined. */
export function undetermined(goal: Goal): string {
  if (determined(goal)) return '';
  const { k, surely, perhaps } = goal;
  const names = Array.from({ length: perhaps - surely }, (_, j) => indexed('λ', surely + j + 1));
  const what = k === 1 ? 'axis' : 'plane';
  const where = perhaps < goal.eigen.values.length ? ' in the plane of the first two' : '';
  const others = surely > 0 ? ' through the first axis' : where;
  return `${names.join(' = ')}: the ${what} is not determined, every ${what}${others} is as good.`;
}

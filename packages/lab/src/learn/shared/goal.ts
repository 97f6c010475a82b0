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
  readonly fixedAxes: number;
  readonly possibleAxes: number;
}

export function goalOf(eigen: Eigen, k: number): Goal {
  const { values } = eigen;
  const [last, margin] = [values[k - 1], EQUAL * values[0]];
  const possibleAxes = values.filter((value) => value >= last - margin).length;
  const fixedAxes = possibleAxes === k ? k : values.filter((value) => value > last + margin).length;
  return { k, eigen, fixedAxes, possibleAxes };
}

/** True if the data determine the subspace. */
export const isDetermined = ({ k, possibleAxes }: Goal): boolean => possibleAxes === k;

/** True if the data have no variance beyond the first axes. */
export function isFlat({ values }: Eigen, axes: number): boolean {
  return axes >= values.length || values[axes] <= EQUAL * values[0];
}

/** True if the lengths of k rows are determined in every direction, by the variance of the data there or by α. */
export function areLengthsDetermined(eigen: Eigen, k: number, alpha: number): boolean {
  return alpha > 0 || !isFlat(eigen, Math.min(k, eigen.values.length) - 1);
}

/** True if λ_i = λ_{i+1}, counted from 1. */
export function areVariancesEqual({ values }: Eigen, i: number): boolean {
  return values[i - 1] - values[i] <= EQUAL * values[0];
}

/** (λ_k − λ_{k+1})/λ₁. If it is small, a run needs many epochs to separate the two axes. */
export function gapAfter({ values }: Eigen, k: number): number {
  return k < values.length ? (values[k - 1] - values[k]) / values[0] : 1;
}

/** The tolerance for `descend` with which a run ends within `angle` of its goal. At a small angle the residual is the angle times the gap. */
export function toleranceFor(goal: Goal, angle: number): number {
  return isDetermined(goal) ? Math.max(1e-14, Math.min(1e-6, angle * gapAfter(goal.eigen, goal.k))) : 1e-6;
}

/** Angle from the span of rows (k × d) to the best subspace, or to the nearest one if several are equally good. */
export function angleToGoal({ k, eigen, fixedAxes, possibleAxes }: Goal, rows: Float64Array): number {
  const d = eigen.values.length;
  const span = { rows: k, cols: d, data: rows };
  const axes = (count: number): Matrix<Float64Array> => ({
    rows: count,
    cols: d,
    data: eigen.vectors.slice(0, count * d),
  });
  if (possibleAxes === k) return largest(principalAngles(span, axes(k)), k);
  // The subspace must contain the axes before the equal ones, and lie within the span of all axes that it may contain.
  return Math.max(
    fixedAxes === 0 ? 0 : largest(principalAngles(axes(fixedAxes), span), fixedAxes),
    possibleAxes === d ? 0 : largest(principalAngles(span, axes(possibleAxes)), 1),
  );
}

function largest(angles: Float64Array, count: number): number {
  return angles.length < count ? Math.PI / 2 : angles[angles.length - 1];
}

/** Orthonormal rows of the best subspace, or of the one nearest to the span of rows (k × d) if several are equally good. */
export function nearestGoal({ k, eigen, fixedAxes, possibleAxes }: Goal, rows: Float64Array): Float64Array {
  const d = eigen.values.length;
  const { vectors } = eigen;
  if (possibleAxes === k) return vectors.slice(0, k * d);
  const among = vectors.slice(fixedAxes * d, possibleAxes * d);
  const count = possibleAxes - fixedAxes;
  // Among the equal axes, the directions that are closest to the rows.
  const shares = rowProducts(orthonormalRows(rows, k, d), k, among, count, d);
  const closest = eigenOf(scatterOf(shares, k, count), count).vectors;
  const out = new Float64Array(k * d);
  out.set(vectors.subarray(0, fixedAxes * d));
  out.set(combineRows(closest, k - fixedAxes, among, count, d), fixedAxes * d);
  return out;
}

/** The angle to the goal as text; empty if every subspace is equally good. */
export function angleToGoalText(goal: Goal, angle: number): string {
  const what = goal.k === 1 ? 'axis' : 'plane';
  if (isDetermined(goal)) return `, ${angleText(angle)} from the principal ${what}`;
  const free = goal.fixedAxes === 0 && goal.possibleAxes === goal.eigen.values.length;
  return free ? '' : `, ${angleText(angle)} from the nearest of the best ${goal.k === 1 ? 'axes' : 'planes'}`;
}

/** A sentence for a goal that is not determined; empty if it is determined. */
export function sentenceIfUndetermined(goal: Goal): string {
  if (isDetermined(goal)) return '';
  const { k, fixedAxes, possibleAxes } = goal;
  const names = Array.from({ length: possibleAxes - fixedAxes }, (_, j) => indexed('λ', fixedAxes + j + 1));
  const what = k === 1 ? 'axis' : 'plane';
  const where = possibleAxes < goal.eigen.values.length ? ' in the plane of the first two' : '';
  const others = fixedAxes > 0 ? ' through the first axis' : where;
  return `${names.join(' = ')}: the ${what} is not determined, every ${what}${others} is as good.`;
}

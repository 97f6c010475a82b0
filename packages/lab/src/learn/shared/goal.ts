import { type Matrix, principalAngles } from '@scree/core';
import { angleText, indexed } from './format.js';
import { type Eigen, eigenOf } from './small-matrix.js';
import { product, productTransposed, transposed } from './weight-terms.js';

/** Variances that differ by less than this share of the largest are equal: no road on these pages can tell them apart. */
const EQUAL = 1e-9;

/**
 * What the roads of these pages are on their way to: the first k axes. Where λ_k = λ_{k+1} that is not one subspace but many: all that hold
 * the axes before the equal ones, and for the rest any directions among the equal ones.
 */
export interface Goal {
  readonly k: number;
  readonly eigen: Eigen;
  /** Axes that every best subspace has, and axes that it may have. */
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

/** Whether the data say which subspace it is. */
export const determined = ({ k, perhaps }: Goal): boolean => perhaps === k;

/** Whether the data are flat: nothing is left beyond the first so many axes. */
export function isFlat({ values }: Eigen, axes: number): boolean {
  return axes >= values.length || values[axes] <= EQUAL * values[0];
}

/** Whether anything says how long k rows are in every direction: data do not in one that they do not have, but α does. */
export function pinned(eigen: Eigen, k: number, alpha: number): boolean {
  return alpha > 0 || !isFlat(eigen, Math.min(k, eigen.values.length) - 1);
}

/** Whether λ_i = λ_{i+1}, counted from 1. */
export function meet({ values }: Eigen, i: number): boolean {
  return values[i - 1] - values[i] <= EQUAL * values[0];
}

/** λ_k − λ_{k+1} as a share of λ₁: how slow a road is that has to tell them apart. */
export function gapAfter({ values }: Eigen, k: number): number {
  return k < values.length ? (values[k - 1] - values[k]) / values[0] : 1;
}

/** Angle from the span of rows (k × d) to the best subspace, the nearest where there are many. */
export function angleToGoal({ k, eigen, surely, perhaps }: Goal, rows: Float64Array): number {
  const d = eigen.values.length;
  const span = { rows: k, cols: d, data: rows };
  const axes = (count: number): Matrix<Float64Array> => ({
    rows: count,
    cols: d,
    data: eigen.vectors.slice(0, count * d),
  });
  if (perhaps === k) return largest(principalAngles(span, axes(k)), k);
  // It must have those before, and be within those that may be.
  return Math.max(
    surely === 0 ? 0 : largest(principalAngles(axes(surely), span), surely),
    perhaps === d ? 0 : largest(principalAngles(span, axes(perhaps)), 1),
  );
}

function largest(angles: Float64Array, count: number): number {
  return angles.length < count ? Math.PI / 2 : angles[angles.length - 1];
}

/** Orthonormal rows of the best subspace, the nearest to the span of rows (k × d) where there are many. */
export function nearestGoal({ k, eigen, surely, perhaps }: Goal, rows: Float64Array): Float64Array {
  const d = eigen.values.length;
  const { vectors } = eigen;
  if (perhaps === k) return vectors.slice(0, k * d);
  const among = vectors.slice(surely * d, perhaps * d);
  const count = perhaps - surely;
  // Of the directions that may be, those that the rows have most of.
  const shares = productTransposed(orthonormal(rows, k, d), among, k, d, count);
  const most = eigenOf(product(transposed(shares, k), shares, count, k, count), count).vectors;
  const out = new Float64Array(k * d);
  out.set(vectors.subarray(0, surely * d));
  out.set(product(most.slice(0, (k - surely) * count), among, k - surely, count, d), surely * d);
  return out;
}

/** Rows made orthonormal one after the other; what has no direction of its own becomes zero. */
function orthonormal(rows: Float64Array, k: number, d: number): Float64Array {
  const out = rows.slice();
  for (let i = 0; i < k; i++) {
    const row = out.subarray(i * d, i * d + d);
    const size = Math.hypot(...row);
    for (let j = 0; j < i; j++) {
      const other = out.subarray(j * d, j * d + d);
      const along = row.reduce((sum, value, at) => sum + value * other[at], 0);
      row.forEach((value, at) => {
        row[at] = value - along * other[at];
      });
    }
    const rest = Math.hypot(...row);
    const scale = rest > 1e-12 * size ? 1 / rest : 0;
    row.forEach((value, at) => {
      row[at] = value * scale;
    });
  }
  return out;
}

/** How far the goal is, in words; nothing where everything is as good. */
export function awayText(goal: Goal, angle: number): string {
  const what = goal.k === 1 ? 'axis' : 'plane';
  if (determined(goal)) return `, ${angleText(angle)} from the principal ${what}`;
  const free = goal.surely === 0 && goal.perhaps === goal.eigen.values.length;
  return free ? '' : `, ${angleText(angle)} from the nearest of the best ${goal.k === 1 ? 'axes' : 'planes'}`;
}

/** What is to be said where the goal is not determined; nothing where it is. */
export function undetermined(goal: Goal): string {
  if (determined(goal)) return '';
  const { k, surely, perhaps } = goal;
  const names = Array.from({ length: perhaps - surely }, (_, j) => indexed('λ', surely + j + 1));
  const what = k === 1 ? 'axis' : 'plane';
  const where = perhaps < goal.eigen.values.length ? ' in the plane of the first two' : '';
  const others = surely > 0 ? ' through the first axis' : where;
  return `${names.join(' = ')}: the ${what} is not determined, every ${what}${others} is as good.`;
}

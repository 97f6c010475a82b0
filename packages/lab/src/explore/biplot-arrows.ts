import type { Model } from '@scree/core';
import type { CloudArrow, CloudPoints } from '../charts/point-cloud/point-cloud.js';

/** How far arrows may reach along an axis, relative to the farthest score in their direction. */
const REACH = 0.9;
/** If scores reach much less far in one direction, arrows there may reach this share of the other direction. */
const LEAST_REACH = 1 / 3;

/**
 * The columns as arrows among the scores: column j points to (v_xj·√λ_x, v_yj·√λ_y), its covariance with the scores scaled
 * to unit variance. All arrows are scaled by one factor, as is usual in biplots: the largest factor with which all arrows stay
 * within the extent of the scores along every axis. So arrows do not enlarge the axes, apart from at most a third if scores reach
 * far in one direction only. If there are many columns, those that contribute most to the drawn components are returned: the
 * squared length Σ λᵢ·vᵢⱼ² is this contribution.
 */
export function biplotArrows(
  { components: { data, cols, rows } }: Model,
  drawn: readonly number[],
  points: CloudPoints,
  nameOf: (column: number) => string,
  most: number,
  colourOf?: (column: number) => string | undefined,
): CloudArrow[] {
  // Computed from the scores as they are drawn, because in the units of the data a variance may be too small for float64.
  const axes = [points.x, points.y, points.z].filter((scores) => scores !== undefined);
  const spreads = axes.map(spreadOf);
  const coordinates = Array.from({ length: cols }, (_, j) =>
    drawn.map((c, axis) => (c < rows ? data[c * cols + j] * spreads[axis] : 0)),
  );
  const lengths = coordinates.map((at) => Math.hypot(...at));
  const extents = axes.map(extentOf);
  const factor = coordinates.reduce((least, at) => Math.min(least, ...at.map(room)), Number.POSITIVE_INFINITY);
  if (!Number.isFinite(factor)) return [];
  return lengths
    .map((_, j) => j)
    .sort((a, b) => lengths[b] - lengths[a])
    .slice(0, most)
    .filter((j) => lengths[j] > 0)
    .map((j) => {
      const [x, y, z] = coordinates[j].map((value) => value * factor);
      return { x, y: y ?? 0, ...(z === undefined ? {} : { z }), label: nameOf(j), colour: colourOf?.(j) };
    });

  /** The factor with which an arrow fills the extent along one axis. */
  function room(value: number, axis: number): number {
    const [below, above] = extents[axis];
    return value === 0 ? Number.POSITIVE_INFINITY : (value < 0 ? below : above) / Math.abs(value);
  }
}

/** √λ times √(n − 1), a factor that all components share. Scores have mean 0. */
function spreadOf(scores: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += scores[i] ** 2;
  return Math.sqrt(sum);
}

/** How far arrows may reach below and above 0. */
function extentOf(scores: Float32Array): readonly [below: number, above: number] {
  let [below, above] = [0, 0];
  for (let i = 0; i < scores.length; i++) {
    if (-scores[i] > below) below = -scores[i];
    if (scores[i] > above) above = scores[i];
  }
  return [REACH * Math.max(below, LEAST_REACH * above), REACH * Math.max(above, LEAST_REACH * below)];
}

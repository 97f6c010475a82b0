import type { Model } from '@scree/core';
import type { CloudArrow, CloudPoints } from '../charts/point-cloud/point-cloud.js';

/** Length of the longest arrow, relative to the farthest score. */
const LONGEST_ARROW = 0.85;

/**
 * The columns as arrows among the scores: column j points to (v_xj·√λ_x, v_yj·√λ_y), its covariance with the scores scaled
 * to unit variance. All arrows are scaled by one factor, so that the longest nearly reaches the edge of the cloud. Of many
 * columns, those that contribute most to the drawn components together: the squared length Σ λᵢ·vᵢⱼ² is that contribution.
 */
export function biplotArrows(
  { components: { data, cols, rows } }: Model,
  drawn: readonly number[],
  points: CloudPoints,
  nameOf: (column: number) => string,
  most: number,
  colourOf?: (column: number) => string | undefined,
): CloudArrow[] {
  // From the scores as they are drawn: in the units of the data, a variance may be too small for float64.
  const spreads = [points.x, points.y, points.z].map((scores) => (scores ? spreadOf(scores) : 0));
  const coordinates = Array.from({ length: cols }, (_, j) =>
    drawn.map((c, axis) => (c < rows ? data[c * cols + j] * spreads[axis] : 0)),
  );
  const lengths = coordinates.map((at) => Math.hypot(...at));
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  if (longest === 0) return [];
  const factor = (LONGEST_ARROW * farthest(points)) / longest;
  return lengths
    .map((_, j) => j)
    .sort((a, b) => lengths[b] - lengths[a])
    .slice(0, most)
    .filter((j) => lengths[j] > 0)
    .map((j) => {
      const [x, y, z] = coordinates[j].map((value) => value * factor);
      return { x, y: y ?? 0, ...(z === undefined ? {} : { z }), label: nameOf(j), colour: colourOf?.(j) };
    });
}

/** √λ times a factor that all components share, because scores have mean 0. */
function spreadOf(scores: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += scores[i] ** 2;
  return Math.sqrt(sum);
}

function farthest({ x, y, z }: CloudPoints): number {
  let most = 0;
  for (let i = 0; i < x.length; i++) most = Math.max(most, x[i] ** 2 + y[i] ** 2 + (z ? z[i] ** 2 : 0));
  return Math.sqrt(most);
}

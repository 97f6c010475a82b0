import type { Model } from '@scree/core';
import type { CloudArrow, CloudPoints } from '../charts/point-cloud/point-cloud.js';

/** Arrows that can be told apart. */
const MOST = 12;
/** How far the longest reaches, of the farthest scores. */
const REACH = 0.85;

/**
 * The columns as arrows among the scores: column j points to (v_xj·√λ_x, v_yj·√λ_y), its covariance with the scores of
 * unit variance, all of them longer or shorter by one factor so that the longest nearly reaches the edge of the cloud. Of
 * many columns the longest arrows.
 */
export function biplotArrows(
  { components: { data, cols, rows }, variances }: Model,
  drawn: readonly number[],
  points: CloudPoints,
  names: readonly string[],
): CloudArrow[] {
  const coordinates = Array.from({ length: cols }, (_, j) =>
    drawn.map((c) => (c < rows ? data[c * cols + j] * Math.sqrt(variances[c]) : 0)),
  );
  const lengths = coordinates.map((at) => Math.hypot(...at));
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  if (longest === 0) return [];
  const factor = (REACH * farthest(points)) / longest;
  return lengths
    .map((_, j) => j)
    .sort((a, b) => lengths[b] - lengths[a])
    .slice(0, MOST)
    .filter((j) => lengths[j] > 0.02 * longest)
    .map((j) => {
      const [x, y, z] = coordinates[j].map((value) => value * factor);
      return { x, y: y ?? 0, ...(z === undefined ? {} : { z }), label: names[j] };
    });
}

function farthest({ x, y, z }: CloudPoints): number {
  let most = 0;
  for (let i = 0; i < x.length; i++) most = Math.max(most, x[i] ** 2 + y[i] ** 2 + (z ? z[i] ** 2 : 0));
  return Math.sqrt(most);
}

import type { Outliers } from './messages.js';

/** Number of rows listed. */
const MAX_WORST = 200;

/** Summarises distances, one per row, and lists the largest. */
export function findOutliers(distances: Float64Array): Outliers {
  const sorted = distances.slice().sort();
  const quantile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const [low, high] = [quantile(0.25), quantile(0.75)];
  const fence = high + 1.5 * (high - low);
  const least = sorted[Math.max(0, sorted.length - MAX_WORST)];
  const worst: number[] = [];
  let beyond = 0;
  distances.forEach((distance, i) => {
    if (distance > fence) beyond++;
    if (distance >= least) worst.push(i);
  });
  worst.sort((a, b) => distances[b] - distances[a]);
  return {
    worst: Uint32Array.from(worst.slice(0, MAX_WORST)),
    median: quantile(0.5),
    largest: sorted[sorted.length - 1],
    fence,
    beyond,
  };
}

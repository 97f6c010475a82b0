import { hotellingT2, rowLimits, unusualLevel } from '@scree/analysis';
import type { Matrix, Model } from '@scree/core';
import type { Outliers } from './messages.js';

/** Number of rows listed. */
const MAX_LISTED = 200;

/**
 * Rows that differ from the others, for the model of the first k components. `distances`, one per row, are those from the
 * reconstruction by k components; `scores` may be of more. A row is unusual if its T² or Q is beyond a limit that allows for the
 * number of rows, as in the report.
 */
export function findOutliers(model: Model, scores: Matrix, distances: Float64Array): Outliers {
  const n = distances.length;
  const sorted = distances.slice().sort();
  const limits = rowLimits(model, { rows: 'fit', level: unusualLevel(n), errors: squaresOf(distances) });
  const beyond = new Float64Array(n);
  let [t2, q, either] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const far = limits.t2 === null ? 0 : hotellingT2(model, scores.data, i * scores.cols) / limits.t2;
    const off = limits.q === null ? 0 : distances[i] ** 2 / limits.q;
    beyond[i] = Math.max(far, off);
    if (far > 1) t2++;
    if (off > 1) q++;
    if (beyond[i] > 1) either++;
  }
  return {
    worst: largestOf(distances, sorted),
    median: sorted[Math.min(n - 1, Math.floor(n / 2))],
    largest: sorted[n - 1],
    unusual: largestOf(beyond).subarray(0, either),
    counts: { t2: limits.t2 === null ? null : t2, q: limits.q === null ? null : q, either },
  };
}

/** Rows with the largest values, largest first. */
function largestOf(values: Float64Array, sorted = values.slice().sort()): Uint32Array {
  const least = sorted[Math.max(0, sorted.length - MAX_LISTED)];
  const rows: number[] = [];
  for (let i = 0; i < values.length; i++) if (values[i] >= least) rows.push(i);
  rows.sort((a, b) => values[b] - values[a]);
  return Uint32Array.from(rows.slice(0, MAX_LISTED));
}

/** Mean and variance of the squared distances. */
function squaresOf(distances: Float64Array): { mean: number; variance: number } {
  let [mean, sum] = [0, 0];
  distances.forEach((distance, i) => {
    const off = distance ** 2 - mean;
    mean += off / (i + 1);
    sum += off * (distance ** 2 - mean);
  });
  return { mean, variance: sum / Math.max(1, distances.length - 1) };
}

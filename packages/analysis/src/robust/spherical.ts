import type { RowSource } from '@scree/core';
import { type Block, mapBlocks, packTile } from '@scree/core/data';
import { dot } from '@scree/core/linalg';
import { nestedModels, type ProgressTracker } from '@scree/core/pipeline';
import { twoThirds } from './projection.js';
import { medianDeviation, median as medianOf } from './robust-order.js';
import { type RobustRows, readRobustRows, type SubspaceOfColumns } from './robust-rows.js';

/** Rows whose medians start the search, and whose scores give the variances. */
const SAMPLE = 20_000;
/** Components that are computed beyond twice as many as wanted. */
const MORE = 3;
/** Deviations of length^(2/3), which is nearly normal, beyond which a row is far: one of 10,000 good rows is. */
const FAR = 3.7;
/** Steps of the spatial median, and the relative change at which it stops. */
const [MOST_STEPS, CONVERGED] = [500, 1e-11];

/**
 * Spherical components: Locantore et al. (1999), Robust Principal Component Analysis for Functional Data, Test 8.
 *
 * 1. The spatial median μ minimises Σ‖b − μ‖ (Weiszfeld's iteration with the step of Vardi & Zhang 2000 at a row). It is computed once more
 *    without the rows that are much farther from it than the others, because many distant rows move it by a part of a deviation.
 * 2. Components are those of the rows projected on a sphere about it, (b − μ)/‖b − μ‖: PCA of b − μ with weights 1/‖b − μ‖². Far rows have
 *    weight 0, because a sphere limits the weight of distant rows, but not the direction that many of
 *    them share.
 * 3. The variance along a component is the squared median absolute deviation of its scores, times 1.4826². More components than wanted are
 *    computed, and those with the largest variance are kept: distant rows in one direction make a component on the sphere, but no deviation.
 *
 * The median withstands up to half of the rows. Every step reads all rows once, in blocks, so rows need not fit into memory. Axes of components with
 * equal variance are not determined, and variances are those of the middle half of the rows. Orthogonally equivariant.
 */
export async function sphericalComponents(
  source: RowSource,
  scale: Float64Array,
  { k, seed, rows }: { readonly k: number; readonly seed: number; readonly rows: ArrayLike<number> },
  progress: ProgressTracker,
): Promise<SubspaceOfColumns & { readonly steps: number }> {
  const d = source.cols;
  const step = Math.max(1, rows.length / SAMPLE);
  const sample = Uint32Array.from({ length: Math.min(rows.length, SAMPLE) }, (_, i) => rows[Math.floor(i * step)]);
  const robust = await readRobustRows(source, scale, sample, progress);
  const rough = await spatialMedian(source, robust, Number.POSITIVE_INFINITY, new Float64Array(d), progress);
  const near = lengthLimit(robust, rough.median);
  const { median, steps } = await spatialMedian(source, robust, near, rough.center, progress);
  const farthest = lengthLimit(robust, median);
  const scaler = { shift: median, factor: robust.divisor.map((value) => 1 / value) };
  const shifted = (block: Block): Block => {
    const data = new Float64Array(block.rows * d);
    packTile(block, scaler, { from: 0, to: block.rows, left: 0, right: d }, data);
    for (let i = 0; i < block.rows; i++) {
      const length = Math.sqrt(dot(data, i * d, data, i * d, d));
      // A row of zeros adds nothing.
      const inverse = length > 0 && length <= farthest ? 1 / length : 0;
      for (let j = 0; j < d; j++) data[i * d + j] = inverse === 0 ? 0 : data[i * d + j] * inverse;
    }
    return { kind: 'dense', rows: block.rows, cols: d, stride: d, data };
  };
  const onSphere = mapBlocks(source, shifted, {
    rows: source.rows,
    rereadable: true,
    close: () => {},
    warnings: () => [],
  });
  const most = Math.min(d, rows.length - 1, 2 * k + MORE);
  const { model } = await nestedModels(onSphere, { k: most, center: false, seed });
  const count = Math.max(1, Math.min(model.uniqueness.rank, model.k));
  const { data: components } = model.components;
  const { variances, total } = scoreVariances(robust, median, components, count);
  const order = Array.from(variances, (_, c) => c).sort((a, b) => variances[b] - variances[a] || a - b);
  const kept = order.slice(0, k);
  const ordered = new Float64Array(kept.length * d);
  kept.forEach((c, at) => {
    ordered.set(components.subarray(c * d, (c + 1) * d), at * d);
  });
  const squared = robust.unit ** 2;
  return {
    mean: median,
    components: ordered,
    variances: Float64Array.from(kept, (c) => variances[c] * squared),
    totalVariance: total * squared,
    steps,
  };
}

/** The distance from the median, in the unit of the rows, beyond which a row has no part in the axes. */
function lengthLimit({ rows, basis, origin, divisor, d }: RobustRows, median: Float64Array): number {
  const { data, n, p } = rows;
  const offset = median.map((value, j) => (value - origin[j]) / divisor[j]);
  const center = Float64Array.from({ length: p }, (_, c) => (basis ? dot(offset, 0, basis, c * d, d) : offset[c]));
  const powers = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let c = 0; c < p; c++) square += (data[i * p + c] - center[c]) ** 2;
    powers[i] = twoThirds(Math.sqrt(square));
  }
  const middle = medianOf(powers);
  return (middle + FAR * medianDeviation(powers, middle)) ** 1.5;
}

/** The spatial median, in the user's units and in those of the rows, of the rows within `near` of the start; and the steps that it took. */
async function spatialMedian(
  source: RowSource,
  { origin, divisor }: Pick<RobustRows, 'origin' | 'divisor'>,
  near: number,
  start: Float64Array,
  progress: ProgressTracker,
): Promise<{ median: Float64Array; center: Float64Array; steps: number }> {
  const d = source.cols;
  const scaler = { shift: origin, factor: divisor.map((value) => 1 / value) };
  const center = start.slice();
  let steps = 0;
  progress.begin('spatial median');
  for (; steps < MOST_STEPS; steps++) {
    const sums = { weights: 0, weighted: new Float64Array(d), pull: new Float64Array(d), here: 0 };
    for await (const block of source.blocks()) {
      const height = Math.max(1, Math.floor(2 ** 16 / d));
      const tile = new Float64Array(height * d);
      for (let from = 0; from < block.rows; from += height) {
        const to = Math.min(block.rows, from + height);
        packTile(block, scaler, { from, to, left: 0, right: d }, tile);
        addTile(tile, to - from, { center, start, near }, sums);
        await progress.step(to - from);
      }
    }
    // At a row the objective has no gradient: the row keeps its share of the step (Vardi & Zhang).
    const pull = Math.sqrt(dot(sums.pull, 0, sums.pull, 0, d));
    const kept = sums.here === 0 ? 0 : Math.min(1, sums.here / pull);
    let moved = 0;
    let size = 0;
    for (let j = 0; j < d && sums.weights > 0; j++) {
      const next = (1 - kept) * (sums.weighted[j] / sums.weights) + kept * center[j];
      moved += (next - center[j]) ** 2;
      size += next * next;
      center[j] = next;
    }
    if (moved <= CONVERGED ** 2 * Math.max(1, size)) break;
  }
  progress.end();
  return { median: origin.map((value, j) => value + center[j] * divisor[j]), center, steps };
}

interface MedianSums {
  /** Σ1/‖b − μ‖, and Σb/‖b − μ‖. */
  weights: number;
  readonly weighted: Float64Array;
  /** Σ(b − μ)/‖b − μ‖. */
  readonly pull: Float64Array;
  /** Rows at μ. */
  here: number;
}

function addTile(
  tile: Float64Array,
  rows: number,
  { center, start, near }: { readonly center: Float64Array; readonly start: Float64Array; readonly near: number },
  sums: MedianSums,
): void {
  const { length: d } = center;
  for (let i = 0; i < rows; i++) {
    let square = 0;
    let fromStart = 0;
    for (let j = 0; j < d; j++) {
      square += (tile[i * d + j] - center[j]) ** 2;
      fromStart += (tile[i * d + j] - start[j]) ** 2;
    }
    if (fromStart > near * near) continue;
    const length = Math.sqrt(square);
    if (!(length > 1e-14)) {
      sums.here++;
      continue;
    }
    sums.weights += 1 / length;
    for (let j = 0; j < d; j++) {
      sums.weighted[j] += tile[i * d + j] / length;
      sums.pull[j] += (tile[i * d + j] - center[j]) / length;
    }
  }
}

/** Squared median absolute deviations of the scores of sampled rows, and the sum of those of the columns. */
function scoreVariances(
  { rows, basis, origin, divisor, d }: RobustRows,
  median: Float64Array,
  components: Float64Array,
  count: number,
): { variances: Float64Array; total: number } {
  const { data, n, p } = rows;
  const offset = median.map((value, j) => (value - origin[j]) / divisor[j]);
  const column = new Float64Array(n);
  const variances = new Float64Array(count);
  const direction = new Float64Array(p);
  const about = (vector: Float64Array, start: number): number => {
    for (let c = 0; c < p; c++) direction[c] = basis ? dot(vector, start, basis, c * d, d) : vector[start + c];
    const center = dot(vector, start, offset, 0, d);
    for (let i = 0; i < n; i++) column[i] = dot(data, i * p, direction, 0, p) - center;
    return medianDeviation(column, 0) ** 2;
  };
  for (let c = 0; c < count; c++) variances[c] = about(components, c * d);
  let total = 0;
  const unit = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    unit.fill(0);
    unit[j] = 1;
    total += about(unit, 0);
  }
  return {
    variances,
    total: Math.max(
      total,
      variances.reduce((sum, value) => sum + value, 0),
    ),
  };
}

import type { Task } from '../../base/progress.js';
import { powerOfTwo } from '../../linalg/vector.js';
import type { Block, DenseBlock, SparseBlock } from '../blocks/block.js';
import { notFinite } from './not-finite.js';
import { addRowCounts, type ColumnStatistics, emptyStatistics, PARTIAL_SUM_ROWS, setMean } from './statistics.js';

/**
 * Statistics of one block. Throws if a value is not finite, so that the passes need no checks. `firstRow` and `names` are for the
 * message.
 */
export function* blockStatistics(
  block: Block,
  weights: Float64Array | undefined,
  firstRow: number,
  names?: readonly string[],
): Task<ColumnStatistics> {
  const { stats, absent } = yield* readMeans(block, weights, firstRow, names);
  if (stats.rows > 0) yield* addSpread(block, weights, stats, absent);
  return stats;
}

/** `blockStatistics` without the spread, for callers that compute the spread themselves. */
export function* blockMeans(
  block: Block,
  weights: Float64Array | undefined,
  firstRow: number,
  names?: readonly string[],
): Task<ColumnStatistics> {
  return (yield* readMeans(block, weights, firstRow, names)).stats;
}

/** `blockMeans`, with the weight of the rows in which a sparse column is not stored. */
function* readMeans(
  block: Block,
  weights: Float64Array | undefined,
  firstRow: number,
  names: readonly string[] | undefined,
): Task<{ stats: ColumnStatistics; absent: Float64Array }> {
  const stats = emptyStatistics(block.cols);
  const absent = new Float64Array(block.cols);
  addRowCounts(stats, block.rows, weights);
  if (block.kind === 'dense') yield* denseMeans(block, weights, firstRow, names, stats);
  else sparseMeans(block, weights, firstRow, names, stats, absent);
  if (stats.rows === 0) return { stats, absent };
  const { mean, meanRest, unit, min, max } = stats;
  for (let j = 0; j < block.cols; j++) {
    // The mean of a constant column is exactly its value, so that rounding does not give it a variance.
    if (min[j] === max[j]) {
      mean[j] = min[j];
      meanRest[j] = 0;
    }
    unit[j] = powerOfTwo(Math.max(max[j] - mean[j], mean[j] - min[j]));
  }
  return { stats, absent };
}

/** Σw(x − mean)² of each column, in its unit. */
function* addSpread(
  block: Block,
  weights: Float64Array | undefined,
  stats: ColumnStatistics,
  absent: Float64Array,
): Task<void> {
  const { mean, spread } = stats;
  // Units are powers of two, so multiplying by the reciprocal is exact.
  const reciprocal = stats.unit.map((unit) => 1 / unit);
  if (block.kind === 'dense') yield* denseSpread(block, weights, mean, reciprocal, spread);
  else sparseSpread(block, weights, mean, absent, reciprocal, spread);
  for (let j = 0; j < block.cols; j++) spread[j] = Math.max(0, spread[j] - weightOfRest(stats, j, j));
}

/**
 * The amount by which rounding of the means of two columns increases their product, in their units. With the rests r and s of the
 * means, Σw(x − m)(y − p) = Σw(x − m − r)(y − p − s) + W·r·s. Far from zero, this may be as large as the product itself.
 */
export function weightOfRest({ weight, meanRest, unit }: Readonly<ColumnStatistics>, i: number, j: number): number {
  return weight * (meanRest[i] / unit[i]) * (meanRest[j] / unit[j]);
}

/** Range and mean in one pass. The first row is subtracted, so that the mean loses no digits if the data are far from zero. */
function* denseMeans(
  block: DenseBlock,
  weights: Float64Array | undefined,
  firstRow: number,
  names: readonly string[] | undefined,
  stats: ColumnStatistics,
): Task<void> {
  const { rows, cols, stride, data } = block;
  const { mean, min, max } = stats;
  const shift = Float64Array.from(data.subarray(0, cols));
  const sums = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    const row = i * stride;
    const weight = weights ? weights[i] : 1;
    for (let j = 0; j < cols; j++) {
      const x = data[row + j];
      // x − x is 0 if x is finite, and NaN otherwise.
      if (x - x !== 0) throw notFinite(x, firstRow + i, j, names);
      sums[j] += weight * (x - shift[j]);
      if (weight === 0) continue;
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
    }
    if (!endsChain(i, rows)) continue;
    flush(sums, mean);
    yield PARTIAL_SUM_ROWS * cols;
  }
  if (stats.rows === 0) return;
  for (let j = 0; j < cols; j++) setMean(stats, j, shift[j], mean[j] / stats.weight);
}

function* denseSpread(
  { rows, cols, stride, data }: DenseBlock,
  weights: Float64Array | undefined,
  mean: Float64Array,
  reciprocal: Float64Array,
  spread: Float64Array,
): Task<void> {
  const sums = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    const row = i * stride;
    const weight = weights ? weights[i] : 1;
    for (let j = 0; j < cols; j++) {
      const deviation = (data[row + j] - mean[j]) * reciprocal[j];
      sums[j] += weight * deviation * deviation;
    }
    if (!endsChain(i, rows)) continue;
    flush(sums, spread);
    yield PARTIAL_SUM_ROWS * cols;
  }
}

function endsChain(i: number, rows: number): boolean {
  return i % PARTIAL_SUM_ROWS === PARTIAL_SUM_ROWS - 1 || i === rows - 1;
}

function flush(sums: Float64Array, into: Float64Array): void {
  for (let j = 0; j < sums.length; j++) into[j] += sums[j];
  sums.fill(0);
}

/**
 * Ranges and means, and the weight of the rows in which a column is not stored. This weight is exactly 0 if the column is stored
 * in all rows of weight above 0.
 */
function sparseMeans(
  { rows, cols, indptr, indices, data }: SparseBlock,
  weights: Float64Array | undefined,
  firstRow: number,
  names: readonly string[] | undefined,
  stats: ColumnStatistics,
  absent: Float64Array,
): void {
  const { mean, min, max } = stats;
  const stored = new Float64Array(cols);
  // Without weights, the number of rows is their weight.
  const storedRows = weights ? new Float64Array(cols) : stored;
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      const x = data[at];
      const j = indices[at];
      if (x - x !== 0) throw notFinite(x, firstRow + i, j, names);
      if (weight === 0) continue;
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
      stored[j] += weight;
      if (weights) storedRows[j]++;
    }
  }
  if (stats.rows === 0) return;
  // The middle of the range is subtracted, so that the mean loses no digits if all stored entries are far from zero.
  const middle = min.map((low, j) => (low > max[j] ? 0 : low / 2 + max[j] / 2));
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) mean[indices[at]] += weight * (data[at] - middle[indices[at]]);
  }
  for (let j = 0; j < cols; j++) {
    absent[j] = storedRows[j] === stats.rows ? 0 : Math.max(0, stats.weight - stored[j]);
    setMean(stats, j, middle[j] * (1 - absent[j] / stats.weight), mean[j] / stats.weight);
    if (absent[j] === 0) continue;
    min[j] = Math.min(min[j], 0);
    max[j] = Math.max(max[j], 0);
  }
}

/** Zeros that are not stored count like stored entries: Σw(x − m)² = Σ_stored w(x − m)² + w_absent·m². */
function sparseSpread(
  { rows, cols, indptr, indices, data }: SparseBlock,
  weights: Float64Array | undefined,
  mean: Float64Array,
  absent: Float64Array,
  reciprocal: Float64Array,
  spread: Float64Array,
): void {
  for (let j = 0; j < cols; j++) spread[j] = absent[j] * (mean[j] * reciprocal[j]) ** 2;
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      const j = indices[at];
      const deviation = (data[at] - mean[j]) * reciprocal[j];
      spread[j] += weight * deviation * deviation;
    }
  }
}

import { DataError, describeCell } from '../errors.js';
import { powerOfTwo } from '../linalg/vector.js';
import type { Task } from '../progress.js';
import type { Block, DenseBlock, SparseBlock } from './block.js';
import { decoded } from './float16.js';

/**
 * Statistics of the columns from one reading: count, mean, spread and range of each. Mergeable: those of two sets of rows
 * give those of both.
 *
 * Spreads are Σw(x − mean)² in units of `unit[j]²`, a power of two near the column's own size, so that columns of
 * 1e-200 or 1e200 neither vanish nor overflow when they are squared.
 */
export interface ColumnStatistics {
  /** Rows with a weight above zero. */
  rows: number;
  /** Σw: the number of rows when they have no weights. */
  weight: number;
  /** The means, rounded to float64. */
  readonly mean: Float64Array;
  /** What rounding left of them: mean + meanRest is the mean of the rows to the accuracy of their sums, however far they are from zero. */
  readonly meanRest: Float64Array;
  readonly unit: Float64Array;
  readonly spread: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /**
   * The factor by which rounding in a spread grew because squares were summed about a provisional mean p (`engines/pilot.ts`):
   * Σw(x − p)²/Σw(x − mean)² of the worst column. It is 1 where sums are taken about the mean itself.
   */
  inflation: number;
  /** Whether the rest of the means is unknown: in moments that were stored without it. */
  restUnknown?: boolean;
  /** Statistics of parts that were merged into these, where an engine summed up several parts of a block. */
  merges?: number;
}

/** Rows added up before their sum is added to the others: rounding grows with CHAIN + n/CHAIN, not n. */
const CHAIN = 256;

/** Relative rounding error of a sum over the rows, at most. */
export function sumBound(rows: number, sparse: boolean, merges: number): number {
  return 2 ** -53 * ((sparse ? rows : Math.min(rows, CHAIN) + Math.ceil(rows / CHAIN)) + 4 * merges + 4);
}

/** How far rounding may have taken a column's mean from the exact one. */
export function meanBound(stats: Readonly<ColumnStatistics>, j: number, sparse: boolean, merges: number): number {
  const range = stats.max[j] - stats.min[j];
  if (range === 0) return 0;
  return 2 ** -52 * Math.abs(stats.mean[j]) + sumBound(stats.rows, sparse, merges) * range;
}

/**
 * The same for mean + meanRest. It does not grow with the distance of the rows from zero, so that merging means of blocks loses
 * nothing there.
 */
export function wholeMeanBound(stats: Readonly<ColumnStatistics>, j: number, sparse: boolean, merges: number): number {
  if (stats.restUnknown) return meanBound(stats, j, sparse, merges);
  return (2 ** -52 + sumBound(stats.rows, sparse, merges)) * (stats.max[j] - stats.min[j]);
}

/** Statistics of no rows. */
export function emptyStatistics(cols: number): ColumnStatistics {
  return {
    rows: 0,
    weight: 0,
    mean: new Float64Array(cols),
    meanRest: new Float64Array(cols),
    unit: new Float64Array(cols).fill(1),
    spread: new Float64Array(cols),
    min: new Float64Array(cols).fill(Number.POSITIVE_INFINITY),
    max: new Float64Array(cols).fill(Number.NEGATIVE_INFINITY),
    inflation: 1,
  };
}

export function copyStatistics(from: Readonly<ColumnStatistics>): ColumnStatistics {
  const { mean, meanRest, unit, spread, min, max } = from;
  return {
    ...from,
    mean: mean.slice(),
    meanRest: meanRest.slice(),
    unit: unit.slice(),
    spread: spread.slice(),
    min: min.slice(),
    max: max.slice(),
  };
}

/** Statistics of one block. Values that are not finite are rejected here, once for all passes; `firstRow` and `names` are for that message. */
export function* blockStatistics(
  block: Block,
  weights: Float64Array | undefined,
  firstRow: number,
  names?: readonly string[],
): Task<ColumnStatistics> {
  const stats = yield* blockMeans(block, weights, firstRow, names);
  if (stats.rows > 0) yield* addSpread(block, weights, stats);
  return stats;
}

/** The same without the spread, for callers that compute it elsewhere. */
export function* blockMeans(
  block: Block,
  weights: Float64Array | undefined,
  firstRow: number,
  names?: readonly string[],
): Task<ColumnStatistics> {
  const stats = emptyStatistics(block.cols);
  addRowCounts(stats, block.rows, weights);
  if (block.kind === 'dense') yield* denseMeans(block, weights, firstRow, names, stats);
  else sparseMeans(block, weights, firstRow, names, stats);
  if (stats.rows === 0) return stats;
  const { mean, meanRest, unit, min, max } = stats;
  for (let j = 0; j < block.cols; j++) {
    // A constant column has its value as its mean, to the last bit: rounding must not give it a variance.
    if (min[j] === max[j]) {
      mean[j] = min[j];
      meanRest[j] = 0;
    }
    unit[j] = powerOfTwo(Math.max(max[j] - mean[j], mean[j] - min[j]));
  }
  return stats;
}

/** Adds the number of rows of weight above 0, and their weight, to the statistics. */
export function addRowCounts(stats: ColumnStatistics, rows: number, weights: Float64Array | undefined): void {
  if (!weights) {
    stats.weight += rows;
    stats.rows += rows;
    return;
  }
  for (let i = 0; i < rows; i++) {
    stats.weight += weights[i];
    if (weights[i] > 0) stats.rows++;
  }
}

/** Σw(x − mean)² of each column, in its unit. */
function* addSpread(block: Block, weights: Float64Array | undefined, stats: ColumnStatistics): Task<void> {
  const { mean, spread } = stats;
  // Units are powers of two, so multiplying by the reciprocal is dividing.
  const reciprocal = stats.unit.map((unit) => 1 / unit);
  if (block.kind === 'dense') yield* denseSpread(block, weights, mean, reciprocal, spread);
  else sparseSpread(block, weights, stats, reciprocal, spread);
}

/** Sets a mean to base + rest: the sum in float64, and what rounding leaves of it (Knuth's error-free sum). */
export function setMean({ mean, meanRest }: ColumnStatistics, j: number, base: number, rest: number): void {
  const sum = base + rest;
  const taken = sum - base;
  mean[j] = sum;
  meanRest[j] = Number.isFinite(sum) ? base - (sum - taken) + (rest - taken) : 0;
}

/** The mean of `more` minus that of `from`, of one column. */
export function meanDifference(from: Readonly<ColumnStatistics>, more: Readonly<ColumnStatistics>, j: number): number {
  return more.mean[j] - from.mean[j] + (more.meanRest[j] - from.meanRest[j]);
}

/** Range and mean in one reading. The mean is taken from the first row, so that an offset costs it no digits. */
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
      // x − x is 0 for every finite number and NaN for the others.
      if (x - x !== 0) throw notFinite(x, firstRow + i, j, names);
      sums[j] += weight * (x - shift[j]);
      if (weight === 0) continue;
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
    }
    if (!endsChain(i, rows)) continue;
    flush(sums, mean);
    yield CHAIN * cols;
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
    yield CHAIN * cols;
  }
}

function endsChain(i: number, rows: number): boolean {
  return i % CHAIN === CHAIN - 1 || i === rows - 1;
}

function flush(sums: Float64Array, into: Float64Array): void {
  for (let j = 0; j < sums.length; j++) into[j] += sums[j];
  sums.fill(0);
}

function sparseMeans(
  block: SparseBlock,
  weights: Float64Array | undefined,
  firstRow: number,
  names: readonly string[] | undefined,
  stats: ColumnStatistics,
): void {
  const { rows, cols, indptr, indices, data } = block;
  const { mean, min, max } = stats;
  for (let i = 0; i < rows; i++) {
    const counts = !weights || weights[i] > 0;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      const x = data[at];
      const j = indices[at];
      if (x - x !== 0) throw notFinite(x, firstRow + i, j, names);
      if (!counts) continue;
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
    }
  }
  if (stats.rows === 0) return;
  // From the middle of what is stored: an offset that all stored entries share costs no digits.
  const middle = min.map((low, j) => (low > max[j] ? 0 : low / 2 + max[j] / 2));
  const absent = absentWeights(block, weights, stats);
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) mean[indices[at]] += weight * (data[at] - middle[indices[at]]);
  }
  for (let j = 0; j < cols; j++) {
    setMean(stats, j, middle[j] * (1 - absent[j] / stats.weight), mean[j] / stats.weight);
    if (absent[j] === 0) continue;
    min[j] = Math.min(min[j], 0);
    max[j] = Math.max(max[j], 0);
  }
}

/** Zeros that are not stored count as rows like any other: Σw(x − m)² = Σ_stored w(x − m)² + w_absent·m². */
function sparseSpread(
  block: SparseBlock,
  weights: Float64Array | undefined,
  stats: ColumnStatistics,
  reciprocal: Float64Array,
  spread: Float64Array,
): void {
  const { rows, cols, indptr, indices, data } = block;
  const { mean } = stats;
  const absent = absentWeights(block, weights, stats);
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

/** The weight of the rows in which a column is not stored: exactly 0 where it is stored in all rows of weight above 0. */
function absentWeights(
  { rows, cols, indptr, indices }: SparseBlock,
  weights: Float64Array | undefined,
  stats: ColumnStatistics,
): Float64Array {
  const stored = new Float64Array(cols);
  const storedRows = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    if (weight === 0) continue;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      stored[indices[at]] += weight;
      storedRows[indices[at]]++;
    }
  }
  return stored.map((weight, j) => (storedRows[j] === stats.rows ? 0 : Math.max(0, stats.weight - weight)));
}

/** What merging did to each column, for callers that merge products of columns too. */
export interface Merged {
  /** Difference of the means, in the new unit. */
  readonly delta: Float64Array;
  /** Old units of both sides over the new one: powers of two up to 1, or 0 where a side had no spread. */
  readonly mine: Float64Array;
  readonly theirs: Float64Array;
  /** w₁w₂/w. */
  readonly coupling: number;
}

/**
 * Adds the statistics of more rows to `into` (Chan, Golub & LeVeque 1983): with δ the difference of the means,
 * mean += δ·w₂/w and spread += spread₂ + δ²·w₁w₂/w.
 */
export function mergeStatistics(into: ColumnStatistics, more: Readonly<ColumnStatistics>): Merged {
  const cols = into.mean.length;
  const weight = into.weight + more.weight;
  const coupling = weight > 0 ? (into.weight * more.weight) / weight : 0;
  const merged = {
    coupling,
    delta: new Float64Array(cols),
    mine: new Float64Array(cols).fill(1),
    theirs: new Float64Array(cols),
  };
  if (more.rows === 0) return merged;
  for (let j = 0; j < cols; j++) {
    const difference = into.rows === 0 ? 0 : meanDifference(into, more, j);
    const mine = into.spread[j] > 0 ? into.unit[j] : 0;
    const theirs = more.spread[j] > 0 ? more.unit[j] : 0;
    const unit = Math.max(mine, theirs, difference === 0 ? 0 : powerOfTwo(difference)) || 1;
    merged.delta[j] = difference / unit;
    merged.mine[j] = mine / unit;
    merged.theirs[j] = theirs / unit;
    if (into.rows === 0) setMean(into, j, more.mean[j], more.meanRest[j]);
    else setMean(into, j, into.mean[j], into.meanRest[j] + difference * (more.weight / weight));
    into.min[j] = Math.min(into.min[j], more.min[j]);
    into.max[j] = Math.max(into.max[j], more.max[j]);
    into.unit[j] = unit;
    into.spread[j] =
      into.spread[j] * merged.mine[j] ** 2 + more.spread[j] * merged.theirs[j] ** 2 + coupling * merged.delta[j] ** 2;
  }
  into.rows += more.rows;
  into.weight = weight;
  into.inflation = Math.max(into.inflation, more.inflation);
  if (more.restUnknown) into.restUnknown = true;
  return merged;
}

/** Adds the scatter of more rows to `into`, both upper triangles: S = S₁ + S₂ + (w₁w₂/w)·δδᵀ, with what `mergeStatistics` returned. */
export function mergeScatter(into: Float64Array, more: Float64Array, { delta, mine, theirs, coupling }: Merged): void {
  const d = delta.length;
  // Changing units multiplies by powers of two: nothing is rounded.
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const at = i * d + j;
      into[at] = into[at] * mine[i] * mine[j] + more[at] * theirs[i] * theirs[j] + coupling * delta[i] * delta[j];
    }
  }
}

/** Σw(x − c)² of a column about its mean or about zero, as `sum`·`unit`² so that it cannot leave float64's range. */
export function columnSquares(
  stats: ColumnStatistics,
  j: number,
  aboutMean: boolean,
): { readonly sum: number; readonly unit: number } {
  if (aboutMean || stats.mean[j] === 0) return { sum: stats.spread[j], unit: stats.unit[j] };
  const unit = Math.max(stats.unit[j], powerOfTwo(stats.mean[j]));
  const offset = stats.mean[j] / unit;
  return { sum: stats.spread[j] * (stats.unit[j] / unit) ** 2 + stats.weight * offset * offset, unit };
}

/** Throws where a block has a value that is not finite. */
export function* checkFinite(given: Block, firstRow: number, names?: readonly string[]): Task<void> {
  const block = given.kind === 'dense' ? decoded(given) : given;
  const { rows, cols, data } = block;
  // Whole numbers are finite.
  if (!(data instanceof Float64Array || data instanceof Float32Array)) return;
  const dense = block.kind === 'dense';
  for (let top = 0; top < rows; top += CHAIN) {
    const bottom = Math.min(rows, top + CHAIN);
    const together = !dense || block.stride === cols;
    const [start, end] = dense ? [top * cols, bottom * cols] : [block.indptr[top], block.indptr[bottom]];
    if (!(together && allFinite(data, start, end))) {
      for (let i = top; i < bottom; i++) {
        const [from, to] = dense ? [i * block.stride, i * block.stride + cols] : [block.indptr[i], block.indptr[i + 1]];
        for (let at = from; at < to; at++) {
          const x = data[at];
          if (x - x !== 0) throw notFinite(x, firstRow + i, dense ? at - from : block.indices[at], names);
        }
      }
    }
    yield CHAIN * cols;
  }
}

/** Whether numbers are finite. Four sums without a branch: three times as fast as checking each number. */
function allFinite(numbers: Float64Array | Float32Array, from: number, to: number): boolean {
  let [a, b, c, d] = [0, 0, 0, 0];
  let at = from;
  for (; at + 3 < to; at += 4) {
    a += numbers[at] * 0;
    b += numbers[at + 1] * 0;
    c += numbers[at + 2] * 0;
    d += numbers[at + 3] * 0;
  }
  for (; at < to; at++) a += numbers[at] * 0;
  return a + b + c + d === 0;
}

function notFinite(value: number, row: number, column: number, names?: readonly string[]): DataError {
  const where = describeCell(row, column, names);
  const remedy = Number.isNaN(value)
    ? 'A missing or invalid value: drop the row or fill the value in first.'
    : 'Infinite values have no variance: drop the row or cap the value first.';
  return new DataError('NOT_FINITE', `The value at ${where} is ${value}. ${remedy}`, {
    row,
    column,
    ...(names?.[column] === undefined ? {} : { columnName: names[column] }),
    value,
  });
}

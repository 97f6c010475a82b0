import { isFloatArray } from '../../base/built-in-name.js';
import type { Task } from '../../base/progress.js';
import { powerOfTwo } from '../../linalg/vector.js';
import type { Block } from '../blocks/block.js';
import { decoded } from '../blocks/float16.js';
import { notFinite } from './not-finite.js';

/**
 * Column statistics from one pass: count, mean, spread and range. Mergeable: the statistics of two sets of rows give those of
 * both.
 *
 * Spreads are Σw(x − mean)² in units of `unit[j]²`. The unit is a power of two near the size of the column, so that squares of
 * columns of 1e-200 or 1e200 neither vanish nor overflow.
 */
export interface ColumnStatistics {
  /** Rows with a weight above zero. */
  rows: number;
  /** Σw; the number of rows if they have no weights. */
  weight: number;
  /** The means, rounded to float64. */
  readonly mean: Float64Array;
  /** The rounding errors of `mean`: mean + meanRest has the accuracy of the sums, even if the rows are far from zero. */
  readonly meanRest: Float64Array;
  readonly unit: Float64Array;
  readonly spread: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /**
   * The factor by which rounding in a spread grew because squares were summed about a provisional mean p (`engines/provisional-means.ts`):
   * Σw(x − p)²/Σw(x − mean)² of the worst column. It is 1 where sums are taken about the mean itself.
   */
  inflation: number;
  /** True if `meanRest` is unknown: moments were stored without it. */
  restUnknown?: boolean;
  /** Number of merged parts, if an engine summed several parts of a block. */
  merges?: number;
}

/** Number of rows per partial sum. Rounding grows with PARTIAL_SUM_ROWS + n/PARTIAL_SUM_ROWS instead of n. */
export const PARTIAL_SUM_ROWS = 256;

/**
 * Numbers below 2^-1022 are 2^-1074 apart, so their rounding errors are those of a number of this size. Bounds use at least this
 * range.
 */
const LEAST_RANGE = 2 ** -1021;

/** Upper bound on the relative rounding error of a sum over the rows. */
export function sumBound(rows: number, sparse: boolean, merges: number): number {
  return (
    2 ** -53 *
    ((sparse ? rows : Math.min(rows, PARTIAL_SUM_ROWS) + Math.ceil(rows / PARTIAL_SUM_ROWS)) + 4 * merges + 4)
  );
}

/** Upper bound on the rounding error of the mean of a column. */
export function meanBound(stats: Readonly<ColumnStatistics>, j: number, sparse: boolean, merges: number): number {
  const range = stats.max[j] - stats.min[j];
  if (range === 0) return 0;
  return 2 ** -52 * Math.abs(stats.mean[j]) + sumBound(stats.rows, sparse, merges) * (range + LEAST_RANGE);
}

/**
 * Upper bound on the error of mean + meanRest. It does not grow with the distance of the rows from zero, so that merging the
 * means of blocks is accurate there.
 */
export function wholeMeanBound(stats: Readonly<ColumnStatistics>, j: number, sparse: boolean, merges: number): number {
  if (stats.restUnknown) return meanBound(stats, j, sparse, merges);
  const range = stats.max[j] - stats.min[j] + LEAST_RANGE;
  return (2 ** -52 + sumBound(stats.rows, sparse, merges)) * range;
}

/** The statistics of zero rows. */
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

/** Adds the number of rows with a weight above 0, and their weight, to the statistics. */
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

/** Sets a mean to base + rest: the rounded sum, and its rounding error (Knuth's error-free sum). */
export function setMean({ mean, meanRest }: ColumnStatistics, j: number, base: number, rest: number): void {
  const sum = base + rest;
  const taken = sum - base;
  mean[j] = sum;
  meanRest[j] = Number.isFinite(sum) ? base - (sum - taken) + (rest - taken) : 0;
}

/** The mean of column j in `more` minus that in `from`. */
export function meanDifference(from: Readonly<ColumnStatistics>, more: Readonly<ColumnStatistics>, j: number): number {
  return more.mean[j] - from.mean[j] + (more.meanRest[j] - from.meanRest[j]);
}

/** The effect of a merge on each column, for callers that also merge products of columns. */
export interface Merged {
  /** Difference between the means, in the new unit. */
  readonly delta: Float64Array;
  /** Old unit over new unit for both sides: powers of two up to 1, or 0 if the side has no spread. */
  readonly mine: Float64Array;
  readonly theirs: Float64Array;
  /** w₁w₂/w. */
  readonly coupling: number;
}

/**
 * Adds the statistics of more rows to `into` (Chan, Golub & LeVeque 1983): with the difference δ between the means, mean +=
 * δ·w₂/w and spread += spread₂ + δ²·w₁w₂/w.
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

/**
 * Adds the scatter of more rows to `into`, both upper triangles: S = S₁ + S₂ + (w₁w₂/w)·δδᵀ. The last argument is the result of
 * `mergeStatistics`.
 */
export function mergeScatter(into: Float64Array, more: Float64Array, { delta, mine, theirs, coupling }: Merged): void {
  const d = delta.length;
  // Units are powers of two, so changing them is exact.
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const at = i * d + j;
      into[at] = into[at] * mine[i] * mine[j] + more[at] * theirs[i] * theirs[j] + coupling * delta[i] * delta[j];
    }
  }
}

/** Σw(x − c)² of a column about its mean or about zero, as `sum`·`unit`², which cannot overflow. */
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

/** Σw(x − c)² of a column times a factor, as one number. A column of zeros has an arbitrary unit. */
export function scaledSquares(stats: ColumnStatistics, j: number, aboutMean: boolean, factor: number): number {
  const { sum, unit } = columnSquares(stats, j, aboutMean);
  return sum === 0 ? 0 : sum * (unit * factor) ** 2;
}

/** Throws if a block has a value that is not finite. */
export function* checkFinite(given: Block, firstRow: number, names?: readonly string[]): Task<void> {
  const block = given.kind === 'dense' ? decoded(given) : given;
  const { rows, cols, data } = block;
  // Integer arrays have only finite numbers.
  if (!isFloatArray(data)) return;
  const dense = block.kind === 'dense';
  for (let top = 0; top < rows; top += PARTIAL_SUM_ROWS) {
    const bottom = Math.min(rows, top + PARTIAL_SUM_ROWS);
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
    yield PARTIAL_SUM_ROWS * cols;
  }
}

/** Returns true if all numbers are finite. Four sums without a branch are three times as fast as checking each number. */
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

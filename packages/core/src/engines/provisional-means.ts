import type { DenseBlock, Scaler } from '../data/blocks/block.js';
import { numbersOf } from '../data/blocks/float16.js';
import { type ColumnStatistics, setMean } from '../data/statistics/statistics.js';
import { powerOfTwo } from '../linalg/vector.js';

/**
 * Statistics of columns and their scatter in one reading of the rows. Sums are taken about a provisional p, the mean of a sample of
 * the rows, and moved to the mean afterwards: S = Σw(x − p)(x − p)ᵀ − W·δδᵀ with δ = x̄ − p. That costs digits only
 * where the provisional is far from the mean. How far it was is known afterwards and is part of the rounding bound (`inflation`); a
 * bad provisional costs a second reading.
 */

/** Rows of the sample that pilots are taken from: fewer where they are long, or where there are few of them. */
const SAMPLE = 256;
const SAMPLED = 1 << 20;
const SHARE = 1 / 8;
const SAMPLED_COLS = 512;
/** A provisional is a good one where the squares about it are no more than this many times those about the mean. */
const MOST_INFLATION = 4;
/** How many times larger or smaller than the unit that the sample suggested a column may be, in float64 and float32. */
const REACH = { float64: 2 ** 300, float32: 2 ** 40 };

/** Sums over the rows of each column as the scaler sees it: t = √w·(x − shift)/unit. */
export class ShiftedSums {
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  readonly least: Float64Array;
  readonly largest: Float64Array;
  /** The first row of the first tile with a value that is not finite. */
  bad: number | undefined;

  constructor(cols: number) {
    this.sum = new Float64Array(cols);
    this.squares = new Float64Array(cols);
    this.least = new Float64Array(cols).fill(Number.POSITIVE_INFINITY);
    this.largest = new Float64Array(cols).fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds a tile that starts at row `first`: planes of sums, squares, least, largest. */
  add(planes: Float64Array, first: number): void {
    const d = this.sum.length;
    let all = 0;
    for (let j = 0; j < d; j++) {
      const sum = planes[j];
      const squares = planes[d + j];
      this.sum[j] += sum;
      this.squares[j] += squares;
      all += sum - sum + (squares - squares);
      if (planes[2 * d + j] < this.least[j]) this.least[j] = planes[2 * d + j];
      if (planes[3 * d + j] > this.largest[j]) this.largest[j] = planes[3 * d + j];
    }
    // A value that is not finite makes the sums not finite.
    if (all !== 0) this.bad ??= first;
  }
}

/** A provisional mean of each column, from a sample: sums are taken about it, in one reading, before the mean is known. */
export interface ProvisionalMeans {
  /** The provisional means. */
  readonly shift: Float64Array;
  /** Powers of two near the size of each column about its provisional. */
  readonly unit: Float64Array;
}

/** A provisional, and how far each column goes from its first value in the sample: 0 where it has one value. */
export interface SampledMeans extends ProvisionalMeans {
  readonly reach: Float64Array;
}

/** The scaler of a pass that sums rows about a provisional. */
export function provisionalScaler({ shift, unit }: ProvisionalMeans, weights: Float64Array | undefined): Scaler {
  const factor = new Float64Array(unit.length);
  for (let j = 0; j < unit.length; j++) factor[j] = 1 / unit[j];
  return { shift, factor, ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}) };
}

/**
 * A provisional for each column from rows of weight above 0, spread evenly over the block. That of a constant column is its value, to
 * the last bit. Columns that are mostly zero keep zero as their provisional where the mean is not far from it: zeros then stay
 * zeros, and are skipped.
 */
export function sampleMeans(block: DenseBlock, weights: Float64Array | undefined): SampledMeans {
  const { rows, cols, stride, data, half } = block;
  const sampled = Math.min(rows, SAMPLE, Math.max(16, Math.ceil(Math.min(SAMPLED / cols, SHARE * rows))));
  const leader = weights
    ? Math.max(
        0,
        weights.findIndex((weight) => weight > 0),
      )
    : 0;
  const shift = new Float64Array(cols);
  const squares = new Float64Array(cols);
  const zeros = new Float64Array(cols);
  const origin = new Float64Array(cols);
  origin.set(numbersOf(block, leader * stride, leader * stride + cols));
  const reach = new Float64Array(cols);
  let count = 0;
  // Some columns at a time, whose sums stay in the nearest cache.
  for (let left = 0; left < cols; left += SAMPLED_COLS) {
    const right = Math.min(cols, left + SAMPLED_COLS);
    count = 0;
    for (let s = 0; s < sampled; s++) {
      const i = s === 0 ? leader : Math.floor((s * rows) / sampled);
      if (weights && weights[i] === 0) continue;
      count++;
      const start = i * stride;
      const numbers = half ? numbersOf(block, start + left, start + right) : data;
      addSampled(numbers, half ? -left : start, left, right, origin, zeros, shift, squares, reach);
    }
  }
  const unit = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    const offset = count > 0 ? shift[j] / count : 0;
    const mean = origin[j] + offset;
    const variance = squares[j] / count - offset * offset;
    const stay = 2 * zeros[j] >= count && mean * mean <= variance;
    shift[j] = stay || !Number.isFinite(mean) ? 0 : mean;
    unit[j] = powerOfTwo(reach[j] > 0 ? reach[j] : shift[j]);
  }
  return { shift, unit, reach };
}

/** Adds a row to the sums of a sample. A function of its own, so that it is compiled after a few rows. */
function addSampled(
  numbers: ArrayLike<number>,
  row: number,
  left: number,
  right: number,
  origin: Float64Array,
  zeros: Float64Array,
  sums: Float64Array,
  squares: Float64Array,
  reach: Float64Array,
): void {
  for (let j = left; j < right; j++) {
    const x = numbers[row + j];
    if (x === 0) zeros[j]++;
    const deviation = x - origin[j];
    sums[j] += deviation;
    squares[j] += deviation * deviation;
    const distance = Math.abs(deviation);
    if (distance > reach[j]) reach[j] = distance;
  }
}

/**
 * Statistics from sums about a provisional; false where the provisional was too far from the mean, or its unit from the column's size for
 * the arithmetic of the products.
 */
export function statisticsFromSums(
  stats: ColumnStatistics,
  provisional: ProvisionalMeans,
  sums: ShiftedSums,
  arithmetic: keyof typeof REACH,
): boolean {
  const reach = REACH[arithmetic];
  const { mean, min, max, unit, spread } = stats;
  let good = true;
  stats.inflation = 1;
  for (let j = 0; j < mean.length; j++) {
    const scale = provisional.unit[j];
    const shift = provisional.shift[j];
    const delta = sums.sum[j] / stats.weight;
    const least = sums.least[j];
    const largest = sums.largest[j];
    min[j] = shift + least * scale;
    max[j] = shift + largest * scale;
    if (least === largest) setMean(stats, j, min[j], 0);
    else setMean(stats, j, shift, delta * scale);
    const size = Math.max(largest - delta, delta - least);
    // The smallest numbers may round to 0 here, and are not of size 1.
    unit[j] = size > 0 ? powerOfTwo(Math.max(size * scale, Number.MIN_VALUE)) : 1;
    spread[j] = Math.max(0, sums.squares[j] - stats.weight * delta * delta) * (scale / unit[j]) ** 2;
    if (least === largest) {
      spread[j] = 0;
      if (least !== 0) good = false;
      continue;
    }
    if (!(size < reach && size > 1 / reach)) good = false;
    const inflation = sums.squares[j] / (sums.squares[j] - stats.weight * delta * delta);
    if (!(inflation >= 1 && inflation <= MOST_INFLATION)) good = false;
    stats.inflation = Math.max(stats.inflation, Math.min(MOST_INFLATION, inflation));
  }
  return good;
}

/**
 * The scatter about the pilots, in their units, becomes that about the means, in the columns' own. Its diagonal is the spread
 * that was summed in float64 where that is the better one (`ownSpread`).
 */
export function scatterAboutMeans(
  scatter: Float64Array,
  stats: ColumnStatistics,
  provisional: ProvisionalMeans,
  sums: ShiftedSums,
  ownSpread: boolean,
): void {
  const d = stats.mean.length;
  // Powers of two: multiplying by them rounds nothing.
  const scale = provisional.unit.map((unit, j) => unit / stats.unit[j]);
  const delta = sums.sum.map((sum) => sum / stats.weight);
  for (let i = 0; i < d; i++) {
    moveRow(scatter.subarray(i * d, (i + 1) * d), i, stats.weight * delta[i], delta, scale[i], scale);
    const own = i * d + i;
    if (ownSpread) scatter[own] = stats.spread[i];
    else stats.spread[i] = scatter[own] = Math.max(0, scatter[own]);
  }
}

/** xⱼ ← (xⱼ − moved·deltaⱼ)·factor·scaleⱼ from entry `first` on. */
function moveRow(
  x: Float64Array,
  first: number,
  moved: number,
  delta: Float64Array,
  factor: number,
  scale: Float64Array,
): void {
  for (let j = first; j < x.length; j++) x[j] = (x[j] - moved * delta[j]) * factor * scale[j];
}

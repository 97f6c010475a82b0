import type { DenseBlock, Scaler } from '../data/blocks/block.js';
import { numbersOf } from '../data/blocks/float16.js';
import { type ColumnStatistics, setMean } from '../data/statistics/statistics.js';
import { powerOfTwo } from '../linalg/vector.js';

/**
 * Column statistics and the scatter in one reading of the rows (the shifted-data algorithm; Chan, Golub & LeVeque 1983). Sums are taken
 * about a provisional mean p, the mean of a sample of the rows, and moved to the mean afterwards: S = Σw(x − p)(x − p)ᵀ − W·δδᵀ with δ = x̄
 * − p. This loses digits only if p is far from the mean. The distance is known afterwards and is part of the rounding bound (`inflation`).
 * If it is too large, the rows are read a second time.
 */

/** Rows of the sample. Fewer rows are sampled if they are long, or if the block has few rows. */
const SAMPLE = 256;
const SAMPLED = 1 << 20;
const SHARE = 1 / 8;
const SAMPLED_COLS = 512;
/** A provisional mean is accepted if the squares about it are at most this many times the squares about the mean. */
const MOST_INFLATION = 4;
/** The largest allowed ratio of a column's size to the unit that the sample suggested, or of the unit to the size, in float64 and float32. */
const REACH = { float64: 2 ** 300, float32: 2 ** 40 };

/** Sums over the rows of each scaled column: t = √w·(x − shift)/unit. */
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

  /** Adds the planes of a tile that starts at row `first`: sums, squares, least, largest. */
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
    // If a value is not finite, neither are the sums.
    if (all !== 0) this.bad ??= first;
  }
}

/** A provisional mean of each column, from a sample. Sums are taken about it before the mean is known. */
export interface ProvisionalMeans {
  /** The provisional means. */
  readonly shift: Float64Array;
  /** Powers of two near the size of each column about its provisional mean. */
  readonly unit: Float64Array;
}

/** Provisional means, and the largest distance of each column from its first value in the sample: 0 for a constant column. */
export interface SampledMeans extends ProvisionalMeans {
  readonly reach: Float64Array;
}

/** Returns the scaler of a pass that sums rows about provisional means. */
export function provisionalScaler({ shift, unit }: ProvisionalMeans, weights: Float64Array | undefined): Scaler {
  const factor = new Float64Array(unit.length);
  for (let j = 0; j < unit.length; j++) factor[j] = 1 / unit[j];
  return { shift, factor, ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}) };
}

/**
 * Computes provisional means from rows of weight above 0, spread evenly over the block. The provisional mean of a constant column is
 * exactly its value. A column that is mostly zero gets the provisional mean 0 if its mean is not far from 0: its zeros then stay zeros, and
 * products skip them.
 */
export function sampleMeans(block: DenseBlock, weights: Float64Array | undefined): SampledMeans {
  const { rows, cols, stride, data, half } = block;
  const sampled = Math.min(rows, SAMPLE, Math.max(16, Math.ceil(Math.min(SAMPLED / cols, SHARE * rows))));
  const first = weights
    ? Math.max(
        0,
        weights.findIndex((weight) => weight > 0),
      )
    : 0;
  const numbers = (): Float64Array => new Float64Array(cols);
  const sample: SampleSums = {
    origin: new Float64Array(numbersOf(block, first * stride, first * stride + cols)),
    zeros: numbers(),
    sums: numbers(),
    squares: numbers(),
    reach: numbers(),
  };
  let count = 0;
  // The sums of some columns at a time stay in the L1 cache.
  for (let left = 0; left < cols; left += SAMPLED_COLS) {
    const right = Math.min(cols, left + SAMPLED_COLS);
    count = 0;
    for (let s = 0; s < sampled; s++) {
      const i = s === 0 ? first : Math.floor((s * rows) / sampled);
      if (weights && weights[i] === 0) continue;
      count++;
      const start = i * stride;
      if (half) addSampled(numbersOf(block, start + left, start + right), -left, left, right, sample);
      else addSampled(data, start, left, right, sample);
    }
  }
  const { origin, zeros, sums, squares, reach } = sample;
  const [shift, unit] = [numbers(), numbers()];
  for (let j = 0; j < cols; j++) {
    const offset = count > 0 ? sums[j] / count : 0;
    const mean = origin[j] + offset;
    const variance = squares[j] / count - offset * offset;
    const keepsZero = 2 * zeros[j] >= count && mean * mean <= variance;
    shift[j] = keepsZero || !Number.isFinite(mean) ? 0 : mean;
    unit[j] = powerOfTwo(reach[j] > 0 ? reach[j] : shift[j]);
  }
  return { shift, unit, reach };
}

/** Sums over a sample of rows, per column. Deviations are taken from the first row, `origin`. */
interface SampleSums {
  readonly origin: Float64Array;
  /** Number of zeros. */
  readonly zeros: Float64Array;
  /** Sum of the deviations, of their squares, and the largest deviation. */
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  readonly reach: Float64Array;
}

/** Adds a row to the sums of a sample. A separate function, so that the engine compiles it after a few rows. */
function addSampled(
  numbers: ArrayLike<number>,
  row: number,
  left: number,
  right: number,
  { origin, zeros, sums, squares, reach }: SampleSums,
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
 * Computes statistics from sums about provisional means. Returns false if a provisional mean is too far from the mean, or its unit too far
 * from the column's size for the arithmetic of the products.
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
    // The smallest numbers may round to 0 here.
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
 * Moves the scatter from the provisional means to the means, and from their units to the units of the columns. If `ownSpread` is true, the
 * diagonal becomes the spread that was summed in float64.
 */
export function scatterAboutMeans(
  scatter: Float64Array,
  stats: ColumnStatistics,
  provisional: ProvisionalMeans,
  sums: ShiftedSums,
  ownSpread: boolean,
): void {
  const d = stats.mean.length;
  // Multiplying by powers of two is exact.
  const scale = provisional.unit.map((unit, j) => unit / stats.unit[j]);
  const delta = sums.sum.map((sum) => sum / stats.weight);
  for (let i = 0; i < d; i++) {
    moveRow(scatter.subarray(i * d, (i + 1) * d), i, stats.weight * delta[i], delta, scale[i], scale);
    const own = i * d + i;
    if (ownSpread) scatter[own] = stats.spread[i];
    else stats.spread[i] = scatter[own] = Math.max(0, scatter[own]);
  }
}

/** xⱼ ← (xⱼ − moved·deltaⱼ)·factor·scaleⱼ for j ≥ `first`. */
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

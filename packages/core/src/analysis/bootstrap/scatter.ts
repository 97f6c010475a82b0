import { identityFrame } from '../../data/block.js';
import type { RowSource } from '../../data/open-source.js';
import type { Scale } from '../../data/scaling.js';
import type { ColumnStatistics } from '../../data/statistics.js';
import type { RowWeights } from '../../data/weights.js';
import type { Engine } from '../../engines/engine.js';
import { powerOfTwo } from '../../linalg/vector.js';
import type { ProgressTracker } from '../../progress.js';
import type { Draws } from './draws.js';
import { type Replicate, type ReplicateOptions, type Replicates, variancesAlong } from './replicate.js';
import { rowTiles } from './row-tiles.js';

/** Numbers of a tile of column products: 4 MB. */
const TILE_NUMBERS = 1 << 19;
/** Sums that the engine holds at once: 64 MB. */
const ENGINE_NUMBERS = 1 << 23;
/** A variance below this share of the sum of squares about the shift is rounding: the column does not vary in that replicate. */
const CONSTANT = 2 ** -40;

/** The rows, and how they are looked at. */
export interface Rows {
  readonly source: RowSource;
  readonly columns: Readonly<ColumnStatistics>;
  readonly weights: RowWeights;
  readonly scale: Scale;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** Σw, Σwy and Σwyᵢyⱼ of one replicate, in that order: 1 + d + d(d + 1)/2 numbers. */
export function sumsLength(d: number): number {
  return 1 + d + (d * (d + 1)) / 2;
}

/** The shift and factor of each column: y = (x − shift)·factor is of size 1, and 0 in columns that do not vary. */
export interface ColumnFrame {
  readonly shift: Float64Array;
  readonly factor: Float64Array;
}

/**
 * The shift lies within a thousandth of the column's size from its mean, so that sums of squares about it lose nothing; being
 * rounded, it is the same however the mean was rounded. Factors are powers of two.
 */
export function columnFrame({ mean, unit, min, max }: Readonly<ColumnStatistics>, center: boolean): ColumnFrame {
  const size = unit.map((unit, j) => (center ? unit : Math.max(unit, powerOfTwo(mean[j]))));
  return {
    shift: mean.map((mean, j) => (center ? Math.round((mean / size[j]) * 1024) * (size[j] / 1024) : 0)),
    factor: size.map((size, j) => (center && min[j] === max[j] ? 0 : 1 / size)),
  };
}

/**
 * The sums of many replicates in one reading: with P the rows (1, y, products of pairs of y) and W the weights, they are WᵀP. So a
 * replicate costs no more than its share of one matrix product, and rows are never copied.
 */
export async function sumReplicates(
  rows: Rows,
  frame: ColumnFrame,
  draws: Draws,
  numbers: readonly number[],
  onShare: (share: number) => void | Promise<void>,
): Promise<{ sums: Float64Array; ranges: { low: Float64Array; high: Float64Array } | undefined }> {
  const { source, columns, weights, engine } = rows;
  const d = source.cols;
  const width = sumsLength(d);
  const count = numbers.length;
  const sums = new Float64Array(count * width);
  const ranges =
    rows.scale === 'range'
      ? {
          low: new Float64Array(count * d).fill(Number.POSITIVE_INFINITY),
          high: new Float64Array(count * d).fill(Number.NEGATIVE_INFINITY),
        }
      : undefined;
  const size = Math.max(16, Math.min(4096, columns.rows, Math.floor(TILE_NUMBERS / width)));
  const products = new Float64Array(size * width);
  const group = Math.max(1, Math.min(count, Math.floor(ENGINE_NUMBERS / width)));
  const counts = new Float64Array(size * group);
  for await (const tile of rowTiles(source, frame, weights, size, columns.rows)) {
    multiplyPairs(tile.data, tile.rows, d, products);
    const block = { kind: 'dense', rows: tile.rows, cols: width, stride: width, data: products } as const;
    const loaded = await engine.load(block);
    try {
      for (let from = 0; from < count; from += group) {
        const some = Math.min(group, count - from);
        for (let c = 0; c < some; c++) {
          writeWeights(draws, numbers[from + c], tile.first, tile.rows, tile.weights, counts, c, some);
          if (ranges) widenRanges(tile.data, tile.rows, d, counts, c, some, ranges, from + c);
        }
        const into = sums.subarray(from * width, (from + some) * width);
        await loaded.multiplyTransposed(identityFrame(width), counts.subarray(0, tile.rows * some), some, into, () =>
          rows.progress.yieldToEventLoop(),
        );
      }
    } finally {
      loaded.release();
    }
    const pause = onShare(tile.rows / columns.rows);
    if (pause) await pause;
  }
  return { sums, ranges };
}

/** The weights of a tile's rows in one replicate: how often each was drawn, times its own weight. Replicate 0 is the sample. */
export function writeWeights(
  draws: Draws,
  replicate: number,
  first: number,
  rows: number,
  weights: Float64Array | undefined,
  out: Float64Array,
  start: number,
  stride: number,
): void {
  if (replicate === 0) for (let i = 0; i < rows; i++) out[start + i * stride] = 1;
  else draws.write(replicate, first, first + rows, out, start, stride);
  if (weights) for (let i = 0; i < rows; i++) out[start + i * stride] *= weights[i];
}

/** Per row: 1, its numbers y, and their products yᵢyⱼ for i ≤ j. */
function multiplyPairs(data: Float64Array, rows: number, d: number, out: Float64Array): void {
  let at = 0;
  for (let r = 0; r < rows; r++) {
    const row = r * d;
    out[at++] = 1;
    for (let j = 0; j < d; j++) out[at++] = data[row + j];
    for (let i = 0; i < d; i++) {
      const y = data[row + i];
      for (let j = i; j < d; j++) out[at++] = y * data[row + j];
    }
  }
}

function widenRanges(
  data: Float64Array,
  rows: number,
  d: number,
  counts: Float64Array,
  start: number,
  stride: number,
  { low, high }: { low: Float64Array; high: Float64Array },
  at: number,
): void {
  for (let r = 0; r < rows; r++) {
    if (counts[start + r * stride] === 0) continue;
    for (let j = 0; j < d; j++) {
      const y = data[r * d + j];
      if (y < low[at * d + j]) low[at * d + j] = y;
      if (y > high[at * d + j]) high[at * d + j] = y;
    }
  }
}

/** Mean, scale and covariance of the scaled columns from a replicate's sums. */
export interface Covariance {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  /** Upper triangle, d × d, in units of unit². */
  readonly matrix: Float64Array;
}

/**
 * C = (Σwyyᵀ − (Σwy)(Σwy)ᵀ/Σw)/(Σw − ddof), then scaled as the replicate itself asks for. `unit` is a power of two; 0 lets the
 * replicate choose it.
 */
export function covarianceOf(
  sums: Float64Array,
  frame: ColumnFrame,
  scale: Scale,
  { center, ddof }: Pick<ReplicateOptions, 'center' | 'ddof'>,
  ranges: { low: Float64Array; high: Float64Array } | undefined,
  unit: number,
): Covariance & { readonly unit: number } {
  const d = frame.shift.length;
  const weight = sums[0];
  const divisor = weight - ddof > 0 ? weight - ddof : Number.POSITIVE_INFINITY;
  const mean = new Float64Array(d);
  const matrix = new Float64Array(d * d);
  for (let i = 0, at = 1 + d; i < d; i++) {
    const centre = center && weight > 0 ? sums[1 + i] / weight : 0;
    mean[i] = center ? frame.shift[i] + (frame.factor[i] > 0 ? centre / frame.factor[i] : 0) : 0;
    const squares = sums[at];
    for (let j = i; j < d; j++) matrix[i * d + j] = (sums[at++] - centre * sums[1 + j]) / divisor;
    if (!(matrix[i * d + i] > (CONSTANT * squares) / divisor)) matrix[i * d + i] = 0;
  }
  // In the units of the data a column's deviation is its deviation here over its factor.
  const size = frame.factor.map((factor) => (factor > 0 ? 1 / factor : 0));
  const scales = new Float64Array(d).fill(1);
  if (scale !== 'none') {
    for (let j = 0; j < d; j++) {
      const deviation = Math.sqrt(matrix[j * d + j]) * size[j];
      const wanted =
        typeof scale !== 'string'
          ? scale[j]
          : scale === 'range'
            ? ((ranges as { high: Float64Array }).high[j] - (ranges as { low: Float64Array }).low[j]) * size[j]
            : scale === 'pareto'
              ? Math.sqrt(deviation)
              : deviation;
      if (wanted > 0 && Number.isFinite(1 / wanted)) scales[j] = wanted;
    }
  }
  let chosen = unit;
  if (chosen === 0) {
    let largest = 0;
    for (let j = 0; j < d; j++) {
      largest = Math.max(largest, (Math.sqrt(matrix[j * d + j]) * size[j]) / scales[j]);
    }
    chosen = powerOfTwo(largest);
  }
  const toUnits = size.map((size, j) => (matrix[j * d + j] > 0 ? size / scales[j] / chosen : 0));
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) matrix[i * d + j] *= toUnits[i] * toUnits[j];
  }
  return { mean, scale: scales, matrix, unit: chosen };
}

/** The components of a covariance matrix; `axes` are the sample's, where this is not the sample. The matrix is destroyed. */
export async function replicateOf(
  { mean, scale, matrix }: Covariance,
  k: number,
  axes: Float64Array | undefined,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Replicate> {
  const d = mean.length;
  const deviations = new Float64Array(d);
  let total = 0;
  for (let j = 0; j < d; j++) {
    total += matrix[j * d + j];
    deviations[j] = Math.sqrt(matrix[j * d + j]);
  }
  const along = axes && variancesAlong(matrix, d, axes, k);
  const found = await engine.symmetricEigen(matrix, d, k, () => progress.yieldToEventLoop());
  const values = found.values.slice(0, k).map((value) => Math.max(0, value));
  return { mean, scale, values, total, vectors: found.vectors, deviations, along: along ?? values };
}

/** Replicates from their covariance matrices, `most` at a time for one reading of the rows. */
export async function* replicatesByScatter(
  rows: Rows,
  draws: Draws,
  options: ReplicateOptions,
  most: number,
  onUnit: (unit: number) => void,
): Replicates {
  const { engine, progress, columns, scale } = rows;
  const width = sumsLength(rows.source.cols);
  const d = rows.source.cols;
  const frame = columnFrame(columns, options.center);
  let unit = 0;
  let axes: Float64Array | undefined;
  for (let from = 0; from <= options.replicates; from += most) {
    const numbers = Array.from({ length: Math.min(most, options.replicates + 1 - from) }, (_, i) => from + i);
    const { sums, ranges } = await sumReplicates(rows, frame, draws, numbers, (share) =>
      progress.step(share * numbers.length),
    );
    for (let at = 0; at < numbers.length; at++) {
      const own = ranges && {
        low: ranges.low.subarray(at * d, (at + 1) * d),
        high: ranges.high.subarray(at * d, (at + 1) * d),
      };
      const found = covarianceOf(sums.subarray(at * width, (at + 1) * width), frame, scale, options, own, unit);
      if (unit === 0) {
        unit = found.unit;
        onUnit(unit);
      }
      const replicate = await replicateOf(found, options.k, axes, engine, progress);
      axes ??= replicate.vectors;
      yield replicate;
    }
  }
}

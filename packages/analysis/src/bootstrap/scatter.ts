import type { Engine, RowSource, Scale } from '@scree/core';
import { type ColumnStatistics, identityScaler, type RowWeights } from '@scree/core/data';
import { powerOfTwo } from '@scree/core/linalg';
import type { ProgressTracker } from '@scree/core/pipeline';
import type { Draws } from './draws.js';
import { type Replicate, type ReplicateOptions, type Replicates, variancesAlong } from './replicate.js';
import { rowTiles, type Tile } from './row-tiles.js';

/** Numbers of a tile of column products: 4 MB. */
const TILE_NUMBERS = 1 << 19;
/** Sums that the engine holds at once: 64 MB. */
const ENGINE_NUMBERS = 1 << 23;
/** Most rows of a tile. */
export const MOST_TILE_ROWS = 4096;
/** A variance below this share of the sum of squares about the shift is rounding: the column is constant in that replicate. */
const CONSTANT = 2 ** -40;

/** The rows, their weights and their scaling. */
export interface BootstrapRows {
  readonly source: RowSource;
  readonly columns: Readonly<ColumnStatistics>;
  readonly weights: RowWeights;
  readonly scale: Scale;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** Which products of columns are summed: those of all pairs, or squares. */
export type SumKind = 'pairs' | 'squares';

/** The number of sums of one replicate: Σw, Σwy and Σwyᵢyⱼ (or Σwy²), in that order. */
export function sumsLength(d: number, products: SumKind): number {
  return 1 + d + (products === 'pairs' ? (d * (d + 1)) / 2 : d);
}

/** The indexes of the sums of squares among the sums of pairs. */
export function diagonalOf(d: number): Int32Array {
  return Int32Array.from({ length: d }, (_, j) => 1 + d + j * d - (j * (j - 1)) / 2);
}

/** The shift and factor of each column: y = (x − shift)·factor is of size 1, and 0 in columns that do not vary. */
export interface ColumnScaler {
  readonly shift: Float64Array;
  readonly factor: Float64Array;
}

/**
 * The shift lies within a thousandth of the column's range from its mean, so that sums of squares about it lose no digits. It is
 * rounded, so that it does not depend on the rounding of the mean. Factors are powers of two, from ranges, which are exact.
 */
export function columnScaler({ mean, min, max }: Readonly<ColumnStatistics>, center: boolean): ColumnScaler {
  const size = mean.map((_, j) => powerOfTwo(center ? max[j] - min[j] : Math.max(-min[j], max[j])));
  return {
    shift: mean.map((mean, j) => {
      if (!center) return 0;
      return min[j] === max[j] ? min[j] : Math.round((mean / size[j]) * 1024) * (size[j] / 1024);
    }),
    factor: size.map((size, j) => (center && min[j] === max[j] ? 0 : 1 / size)),
  };
}

/**
 * Sums many replicates in one reading: with P the rows (1, y, products of pairs of y) and W the weights, the sums are WᵀP. So a
 * replicate costs its share of one matrix product, and rows are never copied.
 */
export async function sumReplicates(
  rows: BootstrapRows,
  scaler: ColumnScaler,
  draws: Draws,
  numbers: readonly number[],
  kind: SumKind,
  onShare: (share: number) => void | Promise<void>,
): Promise<{ sums: Float64Array; ranges: Ranges | undefined }> {
  const { source, columns, weights, engine } = rows;
  const d = source.cols;
  const width = sumsLength(d, kind);
  const count = numbers.length;
  const sums = new Float64Array(count * width);
  const ranges =
    rows.scale === 'range'
      ? {
          low: new Float64Array(count * d).fill(Number.POSITIVE_INFINITY),
          high: new Float64Array(count * d).fill(Number.NEGATIVE_INFINITY),
        }
      : undefined;
  const size = Math.max(16, Math.min(MOST_TILE_ROWS, columns.rows, Math.floor(TILE_NUMBERS / width)));
  const products = new Float64Array(size * width);
  const group = Math.max(1, Math.min(count, Math.floor(ENGINE_NUMBERS / width)));
  const counts = new Float64Array(size * group);
  for await (const tile of rowTiles(source, scaler, weights, size, columns.rows)) {
    (kind === 'pairs' ? multiplyPairs : squareColumns)(tile.data, tile.rows, d, products);
    const block = { kind: 'dense', rows: tile.rows, cols: width, stride: width, data: products } as const;
    const loaded = await engine.load(block);
    try {
      for (let from = 0; from < count; from += group) {
        const some = Math.min(group, count - from);
        for (let c = 0; c < some; c++) {
          writeWeights(draws, numbers[from + c], tile, counts, c, some);
          if (ranges) widenRanges(tile, d, counts, c, some, ranges, from + c);
        }
        const into = sums.subarray(from * width, (from + some) * width);
        await loaded.multiplyTransposed(identityScaler(width), counts.subarray(0, tile.rows * some), some, into, () =>
          rows.progress.yieldToEventLoop(),
        );
      }
    } finally {
      loaded.release();
    }
    const pause = onShare(tile.rows / columns.rows);
    if (pause) await pause;
  }
  // The next reading draws other replicates.
  draws.clear();
  return { sums, ranges };
}

/** Writes the weights of a tile's rows in one replicate: the count of each row times its own weight. Replicate 0 is the sample. */
export function writeWeights(
  draws: Draws,
  replicate: number,
  { first, rows, weights }: Omit<Tile, 'data'>,
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

/** Per row: 1, its numbers y, and their squares. */
function squareColumns(data: Float64Array, rows: number, d: number, out: Float64Array): void {
  for (let r = 0; r < rows; r++) {
    const to = r * (1 + 2 * d);
    out[to] = 1;
    for (let j = 0; j < d; j++) {
      const y = data[r * d + j];
      out[to + 1 + j] = y;
      out[to + 1 + d + j] = y * y;
    }
  }
}

/** Smallest and largest y of each column, for each replicate. */
export interface Ranges {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

function widenRanges(
  { data, rows }: Tile,
  d: number,
  counts: Float64Array,
  start: number,
  stride: number,
  { low, high }: Ranges,
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

/** Centre, scale and deviations of a replicate's columns. */
export interface ReplicateColumns {
  /** Σw − ddof. */
  readonly divisor: number;
  /** In the units of the data. */
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  /** Standard deviations after scaling, exactly 0 for a constant column. */
  readonly deviations: Float64Array;
}

/** Centre, scale and deviation of each column from Σw, Σwy and Σwy². `ranges` are those of this replicate. */
export function replicateColumns(
  weight: number,
  sums: Float64Array,
  squares: Float64Array,
  scaler: ColumnScaler,
  wanted: Scale,
  { center, ddof, columnWeights }: Pick<ReplicateOptions, 'center' | 'ddof' | 'columnWeights'>,
  ranges: Ranges | undefined,
): ReplicateColumns {
  const d = sums.length;
  // If the weights sum to ddof or less, the replicate has no variance.
  const divisor = weight > ddof ? weight - ddof : Number.POSITIVE_INFINITY;
  const [mean, scale, deviations] = [new Float64Array(d), new Float64Array(d).fill(1), new Float64Array(d)];
  for (let j = 0; j < d; j++) {
    const size = scaler.factor[j] > 0 ? 1 / scaler.factor[j] : 0;
    const centre = center && weight > 0 ? sums[j] / weight : 0;
    mean[j] = center ? scaler.shift[j] + centre * size : 0;
    const square = squares[j] - centre * sums[j];
    const deviation = square > CONSTANT * squares[j] ? Math.sqrt(square / divisor) * size : 0;
    const divide =
      typeof wanted !== 'string'
        ? wanted[j]
        : wanted === 'none'
          ? 1
          : wanted === 'range'
            ? ((ranges?.high[j] ?? 0) - (ranges?.low[j] ?? 0)) * size
            : deviation ** (wanted === 'pareto' ? 0.5 : 1);
    if (divide > 0 && Number.isFinite(1 / divide)) scale[j] = divide;
    if (columnWeights) scale[j] /= Math.sqrt(columnWeights[j]);
    deviations[j] = deviation / scale[j];
  }
  return { divisor, mean, scale, deviations };
}

/** The ranges of one replicate of several. */
export function rangesOf(ranges: Ranges | undefined, at: number, d: number): Ranges | undefined {
  return ranges && { low: ranges.low.subarray(at * d, (at + 1) * d), high: ranges.high.subarray(at * d, (at + 1) * d) };
}

/** The largest deviation as a power of two. Deviations are divided by it before they are squared. */
export function unitOf(deviations: Float64Array): number {
  return powerOfTwo(Math.max(...deviations));
}

/** C = (Σwyyᵀ − (Σwy)(Σwy)ᵀ/Σw)/(Σw − ddof), scaled by the replicate's own columns: upper triangle, in units of unit². */
export function replicateCovariance(
  sums: Float64Array,
  columns: ReplicateColumns,
  scaler: ColumnScaler,
  center: boolean,
  unit: number,
): Float64Array {
  const d = scaler.shift.length;
  const { divisor, scale, deviations } = columns;
  const matrix = new Float64Array(d * d);
  const size = scale.map((scale, j) => (deviations[j] > 0 ? 1 / scaler.factor[j] / scale / unit : 0));
  for (let i = 0, at = 1 + d; i < d; i++) {
    const centre = center ? sums[1 + i] / sums[0] : 0;
    for (let j = i; j < d; j++, at++) {
      matrix[i * d + j] = ((sums[at] - centre * sums[1 + j]) / divisor) * size[i] * size[j];
    }
  }
  return matrix;
}

/** The components of a covariance matrix. `axes` are those of the sample; undefined for the sample itself. The matrix is destroyed. */
export async function replicateOf(
  { mean, scale }: Pick<ReplicateColumns, 'mean' | 'scale'>,
  matrix: Float64Array,
  k: number,
  axes: Float64Array | undefined,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Replicate> {
  const d = mean.length;
  const deviations = Float64Array.from({ length: d }, (_, j) => Math.sqrt(matrix[j * d + j]));
  const total = deviations.reduce((sum, deviation) => sum + deviation * deviation, 0);
  const along = axes && variancesAlong(matrix, d, axes, k);
  const found = await engine.symmetricEigen(matrix, d, k, () => progress.yieldToEventLoop());
  const values = found.values.slice(0, k).map((value) => Math.max(0, value));
  return { mean, scale, values, total, vectors: found.vectors, deviations, along: along ?? values };
}

/** Replicates from their covariance matrices. One reading of the rows sums up to `most` replicates. */
export async function* replicatesByScatter(
  rows: BootstrapRows,
  draws: Draws,
  options: ReplicateOptions,
  most: number,
  onUnit: (unit: number) => void,
): Replicates {
  const { engine, progress, scale } = rows;
  const d = rows.source.cols;
  const width = sumsLength(d, 'pairs');
  const diagonal = diagonalOf(d);
  const scaler = columnScaler(rows.columns, options.center);
  let unit = 0;
  let axes: Float64Array | undefined;
  for (let from = 0; from <= options.replicates; from += most) {
    const numbers = Array.from({ length: Math.min(most, options.replicates + 1 - from) }, (_, i) => from + i);
    const { sums, ranges } = await sumReplicates(rows, scaler, draws, numbers, 'pairs', (share) =>
      progress.step(share * numbers.length),
    );
    for (let at = 0; at < numbers.length; at++) {
      const own = sums.subarray(at * width, (at + 1) * width);
      const squares = Float64Array.from(diagonal, (at) => own[at]);
      const range = rangesOf(ranges, at, d);
      const columns = replicateColumns(own[0], own.subarray(1, 1 + d), squares, scaler, scale, options, range);
      if (unit === 0) {
        unit = unitOf(columns.deviations);
        onUnit(unit);
      }
      const matrix = replicateCovariance(own, columns, scaler, options.center, unit);
      const replicate = await replicateOf(columns, matrix, options.k, axes, engine, progress);
      axes ??= replicate.vectors;
      yield replicate;
    }
  }
}

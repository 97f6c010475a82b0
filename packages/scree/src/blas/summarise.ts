import type { Scaler } from '@scree/core/data';
import { addRowCounts, type ColumnStatistics, emptyStatistics } from '@scree/core/data';
import {
  type OnStep,
  provisionalScaler,
  type RowsAt,
  ShiftedSums,
  sampleMeans,
  scatterAboutMeans,
  statisticsFromSums,
} from '@scree/core/engine';
import type { MatrixProducts, Numbers } from './functions.js';
import { LaneSums } from './lane-sums.js';
import { type FloatBlock, Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { findRowWidths, type RowWidths } from './row-widths.js';
import { rowsPerTile, tilesInMemory } from './tiles.js';

/** Rows of the sample for `isNearOrigin`. */
const SAMPLE = 256;
/** Maximum (and, inverted, minimum) size of columns whose squares need no unit, by bytes per number. */
const IN_RANGE = { 8: 2 ** 200, 4: 2 ** 20 } as const;

/**
 * Count, mean, spread and range of each column, and S about the means if `scatter` is given, in one pass about provisional means
 * (`engines/provisional-means.ts` of core). Returns undefined if a provisional mean is too far from the mean or a value is not finite. The
 * caller then uses two passes.
 *
 * BLAS receives the rows in one of three forms: in classes of about the same width, if many entries equal their column's provisional mean
 * (`row-widths.ts`); in place, with provisional means of 0, if all columns are near the origin; or packed.
 */
export async function blasSummarise(
  block: FloatBlock,
  products: MatrixProducts,
  at: RowsAt,
  scatter: Float64Array | undefined,
  onStep: OnStep,
): Promise<ColumnStatistics | undefined> {
  const { rows: n, cols: d } = block;
  const blas = LaneSums.lanes(products.lanes, d, d) < products.lanes ? products.singleLane : products;
  const stats = emptyStatistics(d);
  addRowCounts(stats, n, at.weights);
  if (stats.rows === 0) return undefined;
  const sampled = sampleMeans(block, at.weights);
  const classes = scatter && findRowWidths(block, sampled);
  const inPlace = scatter !== undefined && !classes && !at.weights && isNearOrigin(block, blas.bytes);
  const arithmetic = scatter && blas.bytes === 4 ? 'float32' : 'float64';
  // The range of float64 is large enough to apply the units later, so packing does not apply them.
  const unit = arithmetic === 'float32' && !inPlace ? sampled.unit : new Float64Array(d).fill(1);
  const provisional = { shift: inPlace ? new Float64Array(d) : sampled.shift, unit };
  const scaler = provisionalScaler(provisional, at.weights);
  const tiles = classes ? blas.lanes + classes.widths.length : tilesInMemory(blas.lanes);
  const height = rowsPerTile(n, d, blas.bytes, blas.lanes, tiles);
  const packer = new Packer(block, scatter && !inPlace ? tiles : 0, height, d, blas.bytes === 4);
  try {
    packer.through(scaler);
    packer.clearSummary();
    const totals = new Totals(d, packer);
    if (scatter) {
      const made = classes
        ? tilesOfClasses(packer, classes, height, blas.lanes, scaler, totals)
        : inPlace
          ? tilesInPlace(block, packer, height, totals)
          : packedTiles(block, packer, height, scaler, totals);
      await sumProducts(made, blas, scatter, d, onStep);
    } else await sumColumns(n, packer, height, scaler, totals, onStep);
    if (!totals.finite) return undefined;
    const sums = totals.scaled(scaler);
    if (!statisticsFromSums(stats, provisional, sums, arithmetic)) return undefined;
    totals.restoreRanges(stats);
    if (scatter) {
      if (classes) inColumnOrder(scatter, d, classes.order);
      // These sums of squares are more accurate than the diagonal of BLAS, because their chains are shorter.
      scatterAboutMeans(scatter, stats, provisional, sums, true);
    }
    return stats;
  } finally {
    packer.release();
  }
}

/**
 * Returns true if BLAS can read the rows in place: in a sample of every column, squares about 0 are at most about three times the squares
 * about the mean, and the size needs no unit.
 */
function isNearOrigin({ rows, cols, stride, data }: FloatBlock, bytes: 4 | 8): boolean {
  if (data.BYTES_PER_ELEMENT !== bytes) return false;
  const sampled = Math.min(rows, SAMPLE);
  const sum = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let s = 0; s < sampled; s++) {
    const start = Math.floor((s * rows) / sampled) * stride;
    for (let j = 0; j < cols; j++) {
      const x = data[start + j];
      sum[j] += x;
      squares[j] += x * x;
    }
  }
  return sum.every((total, j) => {
    const size = Math.sqrt(squares[j] / sampled);
    const mean = total / sampled;
    return size === 0 || (1.5 * mean * mean <= size * size && size < IN_RANGE[bytes] && size > 1 / IN_RANGE[bytes]);
  });
}

/** Σw·t and Σw·t² of each column with t = (x − shift)·factor, and its minimum and maximum. */
export class Totals {
  readonly #packer: Packer;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** False after a value that is not finite. */
  finite = true;

  constructor(cols: number, packer: Packer) {
    this.#packer = packer;
    this.sums = new Float64Array(cols);
    this.squares = new Float64Array(cols);
    this.min = new Float64Array(cols).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(cols).fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds the packer's summary of some rows, and clears it. Returns false if a value is not finite. */
  take(): boolean {
    const { sums, squares, min, max } = this.#packer.summary();
    for (let j = 0; j < sums.length; j++) {
      this.sums[j] += sums[j];
      this.squares[j] += squares[j];
      if (min[j] < this.min[j]) this.min[j] = min[j];
      if (max[j] > this.max[j]) this.max[j] = max[j];
      // x − x is 0 for every finite number and NaN for the others.
      if (squares[j] - squares[j] !== 0) this.finite = false;
    }
    this.#packer.clearSummary();
    return this.finite;
  }

  /** Returns the totals with scaled minima and maxima. */
  scaled({ shift, factor }: Scaler): ShiftedSums {
    const sums = new ShiftedSums(this.sums.length);
    sums.sum.set(this.sums);
    sums.squares.set(this.squares);
    for (let j = 0; j < shift.length; j++) {
      sums.least[j] = (this.min[j] - shift[j]) * factor[j];
      sums.largest[j] = (this.max[j] - shift[j]) * factor[j];
    }
    return sums;
  }

  /** Sets minimum and maximum to the stored values, without the rounding of scaling. */
  restoreRanges({ min, max, mean }: ColumnStatistics): void {
    min.set(this.min);
    max.set(this.max);
    for (let j = 0; j < mean.length; j++) if (min[j] === max[j]) mean[j] = min[j];
  }
}

/** Computes only sums and sums of squares. */
async function sumColumns(
  n: number,
  packer: Packer,
  height: number,
  { rootWeights }: Scaler,
  totals: Totals,
  onStep: OnStep,
): Promise<void> {
  for (let from = 0; from < n; from += height) {
    const rows = Math.min(height, n - from);
    packer.summarise(from, rows, rootWeights);
    if (!totals.take()) return;
    const pause = onStep(rows);
    if (pause) await pause;
  }
}

/** A tile of rows for BLAS. */
interface SummedTile {
  readonly numbers: Numbers;
  readonly rows: number;
  readonly width: number;
  readonly stride: number;
}

/** Yields the rows in place. They are summed up while BLAS multiplies them. */
function* tilesInPlace(
  { rows: n, cols, stride, data }: FloatBlock,
  packer: Packer,
  height: number,
  totals: Totals,
): Generator<SummedTile> {
  for (let from = 0; from < n && totals.finite; from += height) {
    const rows = Math.min(height, n - from);
    yield { numbers: data.subarray(from * stride, (from + rows) * stride), rows, width: cols, stride };
    packer.summarise(from, rows, undefined);
    totals.take();
  }
}

function* packedTiles(
  { rows: n, cols }: FloatBlock,
  packer: Packer,
  height: number,
  { rootWeights }: Scaler,
  totals: Totals,
): Generator<SummedTile> {
  for (let from = 0, index = 0; from < n; from += height, index++) {
    const rows = Math.min(height, n - from);
    const numbers = packer.packSummed(index, from, rows, rootWeights);
    if (!totals.take()) return;
    yield { numbers, rows, width: cols, stride: cols };
  }
}

function* tilesOfClasses(
  packer: Packer,
  classes: RowWidths,
  height: number,
  lanes: number,
  scaler: Scaler,
  totals: Totals,
): Generator<SummedTile> {
  for (const tile of packer.packClasses(classes, height, lanes, scaler, () => totals.take())) {
    yield { ...tile, stride: tile.width };
  }
}

/** Adds the products of all tiles to S. A tile fills the first rows and columns of S. */
function sumProducts(
  tiles: Iterable<SummedTile>,
  blas: MatrixProducts,
  scatter: Float64Array,
  d: number,
  onStep: OnStep,
): Promise<void> {
  const sums = new LaneSums(blas, blas.lanes, { products: scatter, size: d, row: 0, column: 0 }, d, d, true);
  return pipeline(
    tiles,
    blas.lanes,
    ({ numbers, rows, width, stride }, lane) => {
      const { into, beta, size } = sums.next(lane, width);
      return blas.syrk(true, width, rows, numbers, stride, beta, into, size);
    },
    [sums],
    ({ rows }) => onStep(rows),
  );
}

/** Reorders the scatter (upper triangle) from the columns in `order` to the order of the data. */
function inColumnOrder(scatter: Float64Array, d: number, order: Int32Array): void {
  const ordered = scatter.slice();
  scatter.fill(0);
  for (let p = 0; p < d; p++) {
    for (let q = p; q < d; q++) {
      const [i, j] = [order[p], order[q]];
      scatter[i < j ? i * d + j : j * d + i] = ordered[p * d + q];
    }
  }
}

import type { DenseBlock, Frame, OnStep, RowsAt } from '@scree/core';
import {
  addRowCounts,
  type ColumnStatistics,
  emptyStatistics,
  PilotSums,
  pilotFrame,
  samplePilot,
  scatterAboutMeans,
  statisticsFromSums,
} from '@scree/core/engine';
import type { Numbers, Products } from './functions.js';
import { Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { Sums } from './sums.js';
import { tileRows, tilesFor } from './tiles.js';

/**
 * Count, mean, spread and range of each column, and with `scatter` S about the means, in one reading about a pilot
 * (`engines/pilot.ts` of core). Where the pilot was bad or a value is not finite the answer is undefined, and the caller reads
 * twice.
 *
 * A column that has the same value in all rows of the sample stays out of the products until a tile shows another: what is
 * constant costs next to nothing.
 */
export async function summariseOnce(
  block: DenseBlock,
  products: Products,
  at: RowsAt,
  scatter: Float64Array | undefined,
  onStep: OnStep,
): Promise<ColumnStatistics | undefined> {
  const { rows: n, cols: d } = block;
  const blas = Sums.lanes(products.lanes, d, d) < products.lanes ? products.alone : products;
  const stats = emptyStatistics(d);
  addRowCounts(stats, n, at.weights);
  if (stats.rows === 0) return undefined;
  const height = tileRows(n, d, blas.bytes, blas.lanes);
  const packer = new Packer(block, scatter ? tilesFor(blas.lanes) : 0, height, d, blas.bytes === 4);
  try {
    const arithmetic = scatter && blas.bytes === 4 ? 'float32' : 'float64';
    const sampled = samplePilot(block, at.weights);
    // float64 has the range to leave units for later, and its packing leaves them out.
    const pilot = arithmetic === 'float32' ? sampled : { ...sampled, unit: new Float64Array(d).fill(1) };
    const frame = pilotFrame(pilot, at.weights);
    const totals = new Totals(d);
    const order = scatter
      ? await sumProducts(block, blas, packer, frame, pilot.varies, scatter, totals, height, onStep)
      : await sumColumns(block, packer, frame, totals, height, onStep);
    if (!order) return undefined;
    const sums = totals.framed(frame);
    if (!statisticsFromSums(stats, pilot, sums, arithmetic)) return undefined;
    totals.restoreRanges(stats);
    if (scatter) {
      inColumnOrder(scatter, d, order);
      // Sums of squares are shorter chains than BLAS's own.
      scatterAboutMeans(scatter, stats, pilot, sums, true);
    }
    return stats;
  } finally {
    packer.release();
  }
}

/** Σw·t and Σw·t² of each column, t = (x − shift)·factor, and its least and greatest x. */
class Totals {
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;

  constructor(cols: number) {
    this.sums = new Float64Array(cols);
    this.squares = new Float64Array(cols);
    this.min = new Float64Array(cols).fill(Number.POSITIVE_INFINITY);
    this.max = new Float64Array(cols).fill(Number.NEGATIVE_INFINITY);
  }

  /** Adds the packer's summary of a tile, whose columns are `order`; false where something is not finite. */
  add(packer: Packer, order: readonly number[]): boolean {
    const { sums, squares, min, max } = packer.summary();
    let finite = true;
    for (let position = 0; position < order.length; position++) {
      const j = order[position];
      this.sums[j] += sums[position];
      this.squares[j] += squares[position];
      if (min[position] < this.min[j]) this.min[j] = min[position];
      if (max[position] > this.max[j]) this.max[j] = max[position];
      // x − x is 0 for every finite number and NaN for the others.
      if (squares[position] - squares[position] !== 0) finite = false;
    }
    return finite;
  }

  /** The same with the range as the frame sees it; columns that never left their pilot are 0 there. */
  framed({ shift, factor }: Frame): PilotSums {
    const sums = new PilotSums(this.sums.length);
    sums.sum.set(this.sums);
    sums.squares.set(this.squares);
    for (let j = 0; j < shift.length; j++) {
      if (this.max[j] < this.min[j]) this.min[j] = this.max[j] = shift[j];
      sums.least[j] = (this.min[j] - shift[j]) * factor[j];
      sums.largest[j] = (this.max[j] - shift[j]) * factor[j];
    }
    return sums;
  }

  /** Least and greatest values are known as they are stored, without the rounding of a frame. */
  restoreRanges({ min, max, mean }: ColumnStatistics): void {
    min.set(this.min);
    max.set(this.max);
    for (let j = 0; j < mean.length; j++) if (min[j] === max[j]) mean[j] = min[j];
  }
}

/** Sums and squares alone, tile by tile. */
async function sumColumns(
  block: DenseBlock,
  packer: Packer,
  frame: Frame,
  totals: Totals,
  height: number,
  onStep: OnStep,
): Promise<number[] | undefined> {
  const order = Array.from({ length: block.cols }, (_, j) => j);
  packer.through(frame);
  for (let from = 0; from < block.rows; from += height) {
    const rows = Math.min(height, block.rows - from);
    packer.clearSummary();
    packer.summarise(from, rows, frame.rootWeights);
    if (!totals.add(packer, order)) return undefined;
    const pause = onStep(rows);
    if (pause) await pause;
  }
  return order;
}

/**
 * The same with the scatter. Gives the columns in the order in which they take part in `scatter`, those that never left
 * their pilot excepted; undefined where something is not finite.
 */
async function sumProducts(
  block: DenseBlock,
  blas: Products,
  packer: Packer,
  frame: Frame,
  varies: Uint8Array,
  scatter: Float64Array,
  totals: Totals,
  height: number,
  onStep: OnStep,
): Promise<number[] | undefined> {
  const { rows: n, cols: d } = block;
  const order: number[] = [];
  let still: number[] = [];
  for (let j = 0; j < d; j++) (varies[j] === 1 ? order : still).push(j);
  // S of the columns that take part, in their order; `scatter` itself where the order is that of the columns.
  const sums = new Sums(blas, blas.lanes, { products: scatter, size: d, row: 0, column: 0 }, d, d, true);
  let finite = true;
  const rowsOf = (index: number): number => Math.min(height, n - index * height);
  const read = (index: number): { tile: Numbers; width: number } | undefined => {
    if (!finite) return undefined;
    const [from, rows] = [index * height, rowsOf(index)];
    const kept = keeping(block, frame.shift, still, from, rows);
    order.push(...still.filter((_, c) => kept[c] === 0));
    still = still.filter((_, c) => kept[c] === 1);
    packer.throughColumns(frame, order);
    packer.clearSummary();
    const tile = packer.packSummed(index, from, rows, frame.rootWeights);
    finite = totals.add(packer, order);
    return finite ? { tile, width: order.length } : undefined;
  };
  await pipeline(
    Math.ceil(n / height),
    blas.lanes,
    read,
    async (tile, index, lane) => {
      if (!tile || tile.width === 0) return;
      const { into, beta, size } = sums.next(lane);
      await blas.syrk(true, tile.width, rowsOf(index), tile.tile, tile.width, beta, into, size);
    },
    [sums],
    (index) => onStep(rowsOf(index)),
  );
  return finite ? order : undefined;
}

/** 1 for each of the columns that have kept their value so far and keep it in these rows. */
function keeping(
  { data, stride }: DenseBlock,
  value: Float64Array,
  still: readonly number[],
  from: number,
  rows: number,
): Int32Array {
  return Int32Array.from(still, (j) => {
    const end = (from + rows) * stride;
    let at = from * stride + j;
    while (at < end && data[at] === value[j]) at += stride;
    return at < end ? 0 : 1;
  });
}

/** The scatter of columns that are in `order` (upper triangle) becomes that of all columns in their own order. */
function inColumnOrder(scatter: Float64Array, d: number, order: readonly number[]): void {
  if (order.length === d && order.every((j, position) => j === position)) return;
  const ordered = scatter.slice();
  scatter.fill(0);
  for (let p = 0; p < order.length; p++) {
    for (let q = p; q < order.length; q++) {
      const [i, j] = order[p] < order[q] ? [order[p], order[q]] : [order[q], order[p]];
      scatter[i * d + j] = ordered[p * d + q];
    }
  }
}

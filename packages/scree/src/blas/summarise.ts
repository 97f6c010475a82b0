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
 * Count, mean, spread and range of each column, and with `scatter` S about the means, in one pass about a pilot
 * (`engines/pilot.ts` of core). If the pilot was bad or a value is not finite, the result is undefined, and the caller reads
 * twice.
 *
 * A column with the same value in all rows of the sample is left out of the products until a tile has another value, so constant
 * columns cost almost nothing.
 */
export async function summariseOnce(
  block: DenseBlock,
  products: Products,
  at: RowsAt,
  scatter: Float64Array | undefined,
  onStep: OnStep,
): Promise<ColumnStatistics | undefined> {
  const { rows: n, cols: d } = block;
  const blas = Sums.lanes(products.lanes, d, d) < products.lanes ? products.singleLane : products;
  const stats = emptyStatistics(d);
  addRowCounts(stats, n, at.weights);
  if (stats.rows === 0) return undefined;
  const height = tileRows(n, d, blas.bytes, blas.lanes);
  const packer = new Packer(block, scatter ? tilesFor(blas.lanes) : 0, height, d, blas.bytes === 4);
  try {
    const arithmetic = scatter && blas.bytes === 4 ? 'float32' : 'float64';
    const sampled = samplePilot(block, at.weights);
    // The range of float64 is large enough to apply the units later, so packing does not apply them.
    const pilot = arithmetic === 'float32' ? sampled : { ...sampled, unit: new Float64Array(d).fill(1) };
    const frame = pilotFrame(pilot, at.weights);
    const totals = new Totals(d);
    const order = scatter
      ? await sumProducts(block, blas, packer, frame, pilot.reach, scatter, totals, height, onStep)
      : await sumColumns(block, packer, frame, totals, height, onStep);
    if (!order) return undefined;
    const sums = totals.framed(frame);
    if (!statisticsFromSums(stats, pilot, sums, arithmetic)) return undefined;
    totals.restoreRanges(stats);
    if (scatter) {
      inColumnOrder(scatter, d, order);
      // The sums of squares here are more accurate than BLAS's diagonal, because their chains are shorter.
      scatterAboutMeans(scatter, stats, pilot, sums, true);
    }
    return stats;
  } finally {
    packer.release();
  }
}

/** Σw·t and Σw·t² of each column, t = (x − shift)·factor, and its minimum and maximum. */
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

  /** Adds the packer's summary of a tile, whose columns are `order`. False if a value is not finite. */
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

  /** The totals with the range in the frame, where constant columns are 0. */
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

  /** Sets minimum and maximum to the stored values, without the rounding of the frame. */
  restoreRanges({ min, max, mean }: ColumnStatistics): void {
    min.set(this.min);
    max.set(this.max);
    for (let j = 0; j < mean.length; j++) if (min[j] === max[j]) mean[j] = min[j];
  }
}

/** Only sums and sums of squares, tile by tile. */
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
 * The same with the scatter. Returns the order of the columns in `scatter`, without constant columns, or undefined if a value is
 * not finite.
 */
async function sumProducts(
  block: DenseBlock,
  blas: Products,
  packer: Packer,
  frame: Frame,
  reach: Float64Array,
  scatter: Float64Array,
  totals: Totals,
  height: number,
  onStep: OnStep,
): Promise<number[] | undefined> {
  const { rows: n, cols: d } = block;
  const order: number[] = [];
  let still: number[] = [];
  for (let j = 0; j < d; j++) (reach[j] > 0 ? order : still).push(j);
  // S of the columns in `order`. It is `scatter` itself if that is the order of the data.
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

/** For each column, 1 if it was constant so far and is constant in these rows too. */
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

/** Rearranges the scatter of the columns in `order` (upper triangle) into that of all columns in the order of the data. */
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

import type { Beat, DenseBlock, RowsAt } from '@scree/core';
import { type ColumnStatistics, countRows, emptyStatistics, powerOfTwo } from '@scree/core/engine';
import type { Numbers, Products } from './functions.js';
import { Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { Sums } from './sums.js';
import { tileRows, tilesFor } from './tiles.js';

/** Rows that the pilot is taken from, evenly spaced. */
const SAMPLE = 256;
/** The pilot serves while the mean is within half a standard deviation of it: Wδ² ≤ spread/4. */
const OFF = 0.25;
/**
 * Powers of two that a column's size may be away from the unit it is summed in, so that squares neither vanish nor
 * overflow, with room for the number of rows.
 */
const ROOM = { 8: 400, 4: 30 } as const;

/**
 * Count, mean, spread and range of each column, and with `scatter` S about the means, in one reading.
 *
 * A pilot p near the mean is taken from a sample of the rows, and everything is summed about it: Σw(x − p), Σw(x − p)²
 * and the scatter. With δ = x̄ − p, S = Σw(x − p)(x − p)ᵀ − W·δδᵀ: δ is a small part of the spread, so nothing cancels,
 * wherever the data lie. Where a column's mean turns out far from its pilot, its size far from what the sample
 * showed, or a value is not finite, the answer is undefined: who asks reads twice.
 *
 * A column that has the same value in all rows of the sample stays out of the products until a tile shows another: what is
 * constant costs next to nothing.
 */
export async function summariseOnce(
  block: DenseBlock,
  products: Products,
  at: RowsAt,
  scatter: Float64Array | undefined,
  beat: Beat,
): Promise<ColumnStatistics | undefined> {
  const { rows: n, cols: d } = block;
  const blas = Sums.lanes(products.lanes, d, d) < products.lanes ? products.alone : products;
  const stats = emptyStatistics(d);
  countRows(stats, n, at.weights);
  if (stats.rows === 0) return undefined;
  const roots = at.weights?.map(Math.sqrt);
  const height = tileRows(n, d, blas.bytes, blas.lanes);
  const packer = new Packer(block, scatter ? tilesFor(blas.lanes) : 0, height, d, blas.bytes === 4);
  try {
    // float64 has the range to leave units for later; float32 products have not.
    const bytes = scatter ? blas.bytes : 8;
    const pilot = takePilot(block, packer, roots, bytes === 4);
    if (!pilot) return undefined;
    const totals = new Totals(d);
    const read = scatter
      ? await sumProducts(block, blas, packer, pilot, roots, scatter, totals, height, beat)
      : await sumColumns(block, packer, pilot, roots, totals, height, beat);
    if (!read || !settleColumns(stats, pilot, totals, bytes)) return undefined;
    if (scatter) settleScatter(scatter, stats, pilot, totals, read);
    return stats;
  } finally {
    packer.release();
  }
}

/** What is subtracted and multiplied by on the way into the sums, and which columns varied in the sample. */
interface Pilot {
  readonly shift: Float64Array;
  readonly factor: Float64Array;
  readonly varies: Uint8Array;
}

/** Σw·t, Σw·t², least and greatest of each column, t = (x − shift)·factor. */
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
}

/** The pilot: x₀ + mean(x − x₀) over a sample, exact where all of it is the same. */
function takePilot(
  block: DenseBlock,
  packer: Packer,
  roots: Float64Array | undefined,
  scaled: boolean,
): Pilot | undefined {
  const { rows: n, cols: d, stride, data } = block;
  const step = Math.max(1, Math.floor(n / SAMPLE));
  const rows = Math.min(SAMPLE, n);
  let first = 0;
  let weight = 0;
  for (let i = rows - 1; i >= 0; i--) {
    const root = roots ? roots[i * step] : 1;
    weight += root * root;
    if (root > 0) first = i * step;
  }
  if (!(weight > 0)) return undefined;
  const shift = Float64Array.from(data.subarray(first * stride, first * stride + d));
  const factor = new Float64Array(d).fill(1);
  packer.through({ shift, factor });
  packer.clearSummary();
  packer.summarise(0, rows, roots, step);
  const { sums, min, max } = packer.summary();
  const varies = new Uint8Array(d);
  for (let j = 0; j < d; j++) {
    const moved = sums[j] / weight;
    if (moved - moved !== 0) return undefined;
    varies[j] = max[j] > min[j] ? 1 : 0;
    if (varies[j] === 1) shift[j] += moved;
    if (scaled) factor[j] = 1 / powerOfTwo(varies[j] === 1 ? max[j] - min[j] : shift[j]);
  }
  return { shift, factor, varies };
}

/** Sums and squares alone, tile by tile. */
async function sumColumns(
  block: DenseBlock,
  packer: Packer,
  pilot: Pilot,
  roots: Float64Array | undefined,
  totals: Totals,
  height: number,
  beat: Beat,
): Promise<number[] | undefined> {
  const order = Array.from({ length: block.cols }, (_, j) => j);
  packer.through(pilot);
  for (let from = 0; from < block.rows; from += height) {
    const rows = Math.min(height, block.rows - from);
    packer.clearSummary();
    packer.summarise(from, rows, roots);
    if (!totals.add(packer, order)) return undefined;
    const pause = beat(rows);
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
  pilot: Pilot,
  roots: Float64Array | undefined,
  scatter: Float64Array,
  totals: Totals,
  height: number,
  beat: Beat,
): Promise<number[] | undefined> {
  const { rows: n, cols: d } = block;
  const order: number[] = [];
  let still: number[] = [];
  for (let j = 0; j < d; j++) (pilot.varies[j] === 1 ? order : still).push(j);
  // S of the columns that take part, in their order; `scatter` itself where the order is that of the columns.
  const sums = new Sums(blas, blas.lanes, { products: scatter, size: d, row: 0, column: 0 }, d, d, true);
  let finite = true;
  const rowsOf = (index: number): number => Math.min(height, n - index * height);
  const read = (index: number): { tile: Numbers; width: number } | undefined => {
    if (!finite) return undefined;
    const [from, rows] = [index * height, rowsOf(index)];
    const kept = keeping(block, pilot.shift, still, from, rows);
    order.push(...still.filter((_, c) => kept[c] === 0));
    still = still.filter((_, c) => kept[c] === 1);
    packer.throughColumns(pilot, order);
    packer.clearSummary();
    const tile = packer.packSummed(index, from, rows, roots);
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
    (index) => beat(rowsOf(index)),
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

/** Means, units and spreads from the sums; false where a pilot or its unit did not serve. */
function settleColumns(stats: ColumnStatistics, pilot: Pilot, totals: Totals, bytes: 4 | 8): boolean {
  const { mean, unit, spread, min, max, weight } = stats;
  for (let j = 0; j < mean.length; j++) {
    const used = 1 / pilot.factor[j];
    if (totals.max[j] < totals.min[j]) totals.min[j] = totals.max[j] = pilot.shift[j];
    min[j] = totals.min[j];
    max[j] = totals.max[j];
    if (min[j] === max[j]) {
      mean[j] = min[j];
      // A constant column that was not summed about its value had a pilot of rows that do not count.
      if (totals.squares[j] !== 0) return false;
      continue;
    }
    const offset = totals.sums[j] / weight;
    const correction = weight * offset * offset;
    const energy = totals.squares[j] - correction;
    if (!(correction <= OFF * energy)) return false;
    mean[j] = pilot.shift[j] + offset * used;
    unit[j] = powerOfTwo(Math.max(max[j] - mean[j], mean[j] - min[j]));
    const ratio = used / unit[j];
    if (Math.abs(Math.log2(ratio)) > ROOM[bytes]) return false;
    spread[j] = energy * ratio * ratio;
    if (!Number.isFinite(mean[j] + spread[j])) return false;
  }
  return true;
}

/** S about the means from S about the pilots, each entry at its place and in its units. */
function settleScatter(
  scatter: Float64Array,
  { unit, spread, weight }: ColumnStatistics,
  pilot: Pilot,
  totals: Totals,
  order: readonly number[],
): void {
  const d = unit.length;
  const inOrder = order.length === d && order.every((j, position) => j === position);
  const about = inOrder ? scatter : scatter.slice();
  if (!inOrder) scatter.fill(0);
  const offset = totals.sums.map((sum) => sum / weight);
  const ratio = unit.map((u, j) => 1 / pilot.factor[j] / u);
  for (let p = 0; p < order.length; p++) {
    const i = order[p];
    const [moved, scale] = [weight * offset[i], ratio[i]];
    for (let q = p + 1; q < order.length; q++) {
      const j = order[q];
      const target = i < j ? i * d + j : j * d + i;
      scatter[target] = (about[p * d + q] - moved * offset[j]) * scale * ratio[j];
    }
  }
  // Sums of squares are shorter chains than BLAS's own.
  for (let j = 0; j < d; j++) scatter[j * d + j] = spread[j];
}

import { addRowCounts, type ColumnStatistics, emptyStatistics } from '@scree/core/data';
import {
  type EarlyDual,
  type EarlyFrame,
  type OnStep,
  pilotFrame,
  type RowsAt,
  samplePilot,
  statisticsFromSums,
} from '@scree/core/engine';
import type { Products } from './functions.js';
import { type FloatBlock, Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { Totals } from './summarise.js';
import { Sums } from './sums.js';
import { parts, tileCols, tilesFor } from './tiles.js';

/** Most rows: the products are kept until they are asked for, 32 MB. */
const MOST_ROWS = 2048;

/**
 * Statistics of the columns and K = BBᵀ in one reading, for few rows and many columns: all rows of some columns are summed up about a pilot, packed
 * through the frame that follows from their statistics, and multiplied while the next columns are packed. Undefined where the pilot was bad, a value is
 * not finite, or there is no frame.
 */
export async function summariseAndMultiply(
  block: FloatBlock,
  blas: Products,
  at: RowsAt,
  early: EarlyFrame,
  onStep: OnStep,
): Promise<{ readonly stats: ColumnStatistics; readonly dual: EarlyDual } | undefined> {
  const { rows: n, cols: d } = block;
  const total = emptyStatistics(d);
  addRowCounts(total, n, at.weights);
  if (blas.bytes !== 8 || n > MOST_ROWS || total.rows === 0) return undefined;
  const pilot = { shift: samplePilot(block, at.weights).shift, unit: new Float64Array(d).fill(1) };
  const seen = pilotFrame(pilot, at.weights);
  const frame = { ...seen, shift: new Float64Array(d), factor: new Float64Array(d) };
  const products = new Float64Array(n * n);
  const sums = new Sums(blas, blas.lanes, { products, size: n, row: 0, column: 0 }, n, n, true);
  const width = tileCols(n, d, blas.bytes, blas.lanes);
  const packer = new Packer(block, tilesFor(blas.lanes), n, width, false);
  let unit = 0;

  /** The statistics of some columns, and with them their frame. */
  const settle = (left: number, cols: number): boolean => {
    const part = (numbers: Float64Array): Float64Array => numbers.subarray(left, left + cols);
    packer.through(seen, left, cols);
    packer.clearSummary();
    packer.summarise(0, n, seen.rootWeights, left);
    const totals = new Totals(cols, packer);
    if (!totals.take()) return false;
    const stats = { ...emptyStatistics(cols), rows: total.rows, weight: total.weight };
    const own = { shift: part(pilot.shift), unit: part(pilot.unit) };
    if (!statisticsFromSums(stats, own, totals.framed(pilotFrame(own, undefined)), 'float64')) return false;
    totals.restoreRanges(stats);
    for (const name of ['mean', 'meanRest', 'min', 'max', 'unit', 'spread'] as const)
      part(total[name]).set(stats[name]);
    total.inflation = Math.max(total.inflation, stats.inflation);
    const framing = early(stats, left);
    if (!framing) return false;
    // All columns in the unit of the first. Units are powers of two, so nothing is rounded.
    unit ||= framing.unit;
    part(frame.shift).set(framing.shift);
    part(frame.factor).set(framing.factor.map((value) => value * (framing.unit / unit)));
    return true;
  };

  let good = true;
  const tiles = parts(d, width, (left, cols, index) => {
    good &&= settle(left, cols);
    if (good) packer.through(frame, left, cols);
    return { numbers: good ? packer.pack(index, 0, n, frame.rootWeights, left) : undefined, cols };
  });
  try {
    await pipeline(
      tiles,
      blas.lanes,
      async ({ numbers, cols }, lane) => {
        const { into, beta, size } = sums.next(lane);
        if (numbers) await blas.syrk(false, n, cols, numbers, cols, beta, into, size);
      },
      [sums],
      () => onStep(0),
    );
  } finally {
    packer.release();
  }
  if (!good) return undefined;
  await onStep(n);
  return { stats: total, dual: { frame, products } };
}

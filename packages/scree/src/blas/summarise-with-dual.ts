import { addRowCounts, type ColumnStatistics, emptyStatistics } from '@scree/core/data';
import {
  type DualScaler,
  type OnStep,
  type PrecomputedDual,
  provisionalScaler,
  type RowsAt,
  sampleMeans,
  statisticsFromSums,
} from '@scree/core/engine';
import type { MatrixProducts } from './functions.js';
import { LaneSums } from './lane-sums.js';
import { type FloatBlock, Packer } from './pack.js';
import { pipeline } from './pipeline.js';
import { Totals } from './summarise.js';
import { columnsPerTile, parts, tilesInMemory } from './tiles.js';

/** Maximum rows: the products, up to 32 MB, are kept for the `dual` pass. */
const MOST_ROWS = 2048;

/**
 * Column statistics and K = BBᵀ in one reading, for few rows and many columns. All rows of some columns are summed up about provisional
 * means, scaled by the scaler that follows from their statistics, and multiplied while the next columns are packed. Returns undefined if a
 * provisional mean is too far from the mean, a value is not finite, or no scaler is known.
 */
export async function blasSummariseWithDual(
  block: FloatBlock,
  blas: MatrixProducts,
  at: RowsAt,
  dualScaler: DualScaler,
  onStep: OnStep,
): Promise<{ readonly stats: ColumnStatistics; readonly dual: PrecomputedDual } | undefined> {
  const { rows: n, cols: d } = block;
  const total = emptyStatistics(d);
  addRowCounts(total, n, at.weights);
  if (blas.bytes !== 8 || n > MOST_ROWS || total.rows === 0) return undefined;
  const provisional = { shift: sampleMeans(block, at.weights).shift, unit: new Float64Array(d).fill(1) };
  const seen = provisionalScaler(provisional, at.weights);
  const scaler = { ...seen, shift: new Float64Array(d), factor: new Float64Array(d) };
  const products = new Float64Array(n * n);
  const sums = new LaneSums(blas, blas.lanes, { products, size: n, row: 0, column: 0 }, n, n, true);
  const width = columnsPerTile(n, d, blas.bytes, blas.lanes);
  const packer = new Packer(block, tilesInMemory(blas.lanes), n, width, false);
  let unit = 0;

  /** Computes the statistics of some columns, and their scaler. Returns false if it cannot. */
  const settle = (left: number, cols: number): boolean => {
    const part = (numbers: Float64Array): Float64Array => numbers.subarray(left, left + cols);
    packer.through(seen, left, cols);
    packer.clearSummary();
    packer.summarise(0, n, seen.rootWeights, left);
    const totals = new Totals(cols, packer);
    if (!totals.take()) return false;
    const stats = { ...emptyStatistics(cols), rows: total.rows, weight: total.weight };
    const own = { shift: part(provisional.shift), unit: part(provisional.unit) };
    if (!statisticsFromSums(stats, own, totals.scaled(provisionalScaler(own, undefined)), 'float64')) return false;
    totals.restoreRanges(stats);
    for (const name of ['mean', 'meanRest', 'min', 'max', 'unit', 'spread'] as const)
      part(total[name]).set(stats[name]);
    total.inflation = Math.max(total.inflation, stats.inflation);
    const chosen = dualScaler(stats, left);
    if (!chosen) return false;
    // All columns use the unit of the first ones. Units are powers of two, so nothing is rounded.
    unit ||= chosen.unit;
    part(scaler.shift).set(chosen.shift);
    part(scaler.factor).set(chosen.factor.map((value) => value * (chosen.unit / unit)));
    return true;
  };

  let good = true;
  const tiles = parts(d, width, (left, cols, index) => {
    good &&= settle(left, cols);
    if (good) packer.through(scaler, left, cols);
    return { numbers: good ? packer.pack(index, 0, n, scaler.rootWeights, left) : undefined, cols };
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
  return { stats: total, dual: { scaler, products } };
}

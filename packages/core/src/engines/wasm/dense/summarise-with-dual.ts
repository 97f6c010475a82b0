import type { DenseBlock } from '../../../data/blocks/block.js';
import { addRowCounts, type ColumnStatistics, emptyStatistics } from '../../../data/statistics/statistics.js';
import type { DualScaler, OnStep } from '../../engine.js';
import type { PrecomputedDual } from '../../precomputed-dual.js';
import {
  type ProvisionalMeans,
  provisionalScaler,
  ShiftedSums,
  sampleMeans,
  statisticsFromSums,
} from '../../provisional-means.js';
import type { JobRunner } from '../threads/job-runner.js';
import { RowLines } from './dual.js';
import { chunkCols, TILE } from './layout.js';

/** Numbers after each row of a chunk, so that rows do not share cache sets. */
const PADDING = 8;
/** Maximum readings of a chunk until its provisional means are accepted. */
const READINGS = 3;

/**
 * Column statistics and K = BBᵀ in one reading, for few rows and many columns. All rows of some columns are in memory together, so their
 * means and scales are known before they are multiplied. A chunk of columns goes through four stages: it is copied in, summed up, packed
 * and multiplied. The stages of four successive chunks run at the same time. Returns undefined if a value is not finite or no provisional
 * means are accepted. The caller then calls `summariseOnePass`, which reports the error.
 */
export async function summariseWithDual(
  runner: JobRunner,
  block: DenseBlock,
  weights: Float64Array | undefined,
  dualScaler: DualScaler,
  onStep: OnStep,
): Promise<{ readonly stats: ColumnStatistics; readonly dual: PrecomputedDual } | undefined> {
  const { rows: n, cols: d } = block;
  const { kernels } = runner;
  const provisional = sampleMeans(block, weights);
  const seen = provisionalScaler(provisional, weights);
  const scaler = { ...seen, shift: new Float64Array(d), factor: new Float64Array(d) };
  const width = chunkCols(n);
  const chunks = Math.ceil(d / width);
  const sums = kernels.zeros(n * n);
  const lines = new RowLines(runner, { block, scaler, first: 0, count: n }, width, { chunks: 3, padding: PADDING });
  const [shift, factor] = [kernels.put(seen.shift), kernels.put(seen.factor)];
  const [tall, strips] = [Math.ceil(n / TILE), width / TILE];
  const planes = kernels.allocate(tall * 4 * width * 8);
  const { groups } = lines;
  runner.reserve(groups * groups + strips * (groups + tall) + (lines.byJobs ? n : 0));
  const total = emptyStatistics(d);
  addRowCounts(total, n, weights);
  if (total.rows === 0) return undefined;
  let unit = 0;

  /** Adds jobs that sum up the columns of a chunk about their provisional means. */
  const addSums = (c: number): void => {
    const { start, type, stride, cols, bytes, roots } = lines.raw(c);
    for (let t = 0; t < tall; t++) {
      const top = t * TILE;
      for (let left = 0; left < cols; left += TILE) {
        const column = (c * width + left) * 8;
        const count = Math.min(TILE, cols - left);
        runner.addJob(
          'packColumns',
          ...[start + (top * stride + left) * bytes, type, stride, Math.min(TILE, n - top), count, 0],
          ...[shift + column, factor + column, roots === 0 ? 0 : roots + top * 8, 0, 0],
          ...[planes + (t * 4 * cols + left) * 8, cols * 8, TILE, 0],
        );
      }
    }
  };

  /**
   * Computes the statistics of a chunk from its sums, and its scaler. Returns false after replacing provisional means that were too far
   * from the means, and undefined if it cannot continue.
   */
  const settleChunk = (c: number): boolean | undefined => {
    const left = c * width;
    const { cols } = lines.raw(c);
    const part = <Numbers extends Float64Array>(numbers: Numbers): Float64Array => numbers.subarray(left, left + cols);
    const found = new ShiftedSums(cols);
    for (let t = 0; t < tall; t++) found.add(kernels.doubles(planes + t * 4 * cols * 8, 4 * cols), t * TILE);
    if (found.bad !== undefined) return undefined;
    const stats = { ...emptyStatistics(cols), rows: total.rows, weight: total.weight };
    const own: ProvisionalMeans = { shift: part(provisional.shift), unit: part(provisional.unit) };
    if (!statisticsFromSums(stats, own, found, 'float64')) {
      own.shift.set(stats.mean);
      own.unit.set(stats.unit);
      kernels.doubles(shift + left * 8, cols).set(own.shift);
      kernels.doubles(factor + left * 8, cols).set(own.unit.map((size) => 1 / size));
      return false;
    }
    for (const name of ['mean', 'meanRest', 'min', 'max', 'unit', 'spread'] as const)
      part(total[name]).set(stats[name]);
    total.inflation = Math.max(total.inflation, stats.inflation);
    const chosen = dualScaler(stats, left);
    if (!chosen) return undefined;
    // All chunks use the unit of the first. Units are powers of two, so nothing is rounded.
    unit ||= chosen.unit;
    part(scaler.shift).set(chosen.shift);
    part(scaler.factor).set(chosen.factor.map((value) => value * (chosen.unit / unit)));
    kernels.doubles(lines.shift + left * 8, cols).set(part(scaler.shift));
    kernels.doubles(lines.factor + left * 8, cols).set(part(scaler.factor));
    return true;
  };

  const copy = (c: number, now: boolean): void => {
    if (c < 0 || c >= chunks) return;
    const [left, right] = [c * width, Math.min(d, (c + 1) * width)];
    if (now) lines.load(c, left, right);
    else lines.addCopies(c, left, right);
  };
  const go: OnStep = () => onStep(0);
  for (let c = -3; c < chunks; c++) {
    if (c >= 0) lines.multiply(c, lines, sums, n);
    if (c + 1 >= 0 && c + 1 < chunks) lines.pack(c + 1, (c + 1) * width);
    const summed = c + 2 >= 0 && c + 2 < chunks;
    if (summed) addSums(c + 2);
    copy(c + 3, false);
    await runner.runJobs(go, () => copy(c + 3, true));
    for (let reading = 1; summed; reading++) {
      const good = settleChunk(c + 2);
      if (good) break;
      if (good === undefined || reading === READINGS) return undefined;
      addSums(c + 2);
      await runner.runJobs(go);
    }
    await onStep(0);
  }
  await onStep(n);
  return { stats: total, dual: { scaler, products: kernels.doubles(sums, n * n).slice() } };
}

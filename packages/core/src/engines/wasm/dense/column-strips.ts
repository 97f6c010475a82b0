import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { OnStep } from '../../engine.js';
import type { JobRunner } from '../threads/job-runner.js';
import { Chunk } from './chunk.js';
import { chunkCols, TILE } from './layout.js';

/** Rows that are scaled together: their part of a strip stays in the L1 cache. */
const HEIGHT = 32;

/** Z += YᵀB for few vectors and wide data. Reads all rows of some columns at a time, so that each column is summed in one step. */
export async function collectStrips(
  runner: JobRunner,
  block: DenseBlock,
  scaler: Scaler,
  scores: Float64Array,
  k: number,
  out: Float64Array,
  onStep: OnStep,
): Promise<void> {
  const { rows: n, cols: d, data } = block;
  const { kernels } = runner;
  const width = Math.min(d, chunkCols(n));
  const chunks = Math.ceil(d / width);
  const raw = [0, 1].slice(0, chunks).map(() => new Chunk(kernels, block, scaler, n, width));
  const [shift, factor] = [kernels.put(scaler.shift), kernels.put(scaler.factor)];
  // The kernel reads four scores at a time, so three numbers follow the last score.
  const y = kernels.allocate((n * k + 3) * 8);
  kernels.doubles(y, n * k).set(scores);
  const [strips, stride] = [Math.ceil(width / TILE), TILE + 8];
  const tiles = kernels.allocate(strips * HEIGHT * stride * 8);
  const sums = kernels.allocate(strips * k * stride * 8);
  const byJobs = runner.copiesFrom(data);
  runner.reserve(strips + (byJobs ? n : 0));
  const load = (c: number, now: boolean): void => {
    if (c >= chunks || now === byJobs) return;
    const [left, right] = [c * width, Math.min(d, (c + 1) * width)];
    if (now) raw[c % 2].load(0, n, left, right);
    else raw[c % 2].addCopies(runner, 0, n, left, right);
  };
  load(0, true);
  load(0, false);
  if (byJobs) await runner.runJobs(() => onStep(0));
  for (let c = 0; c < chunks; c++) {
    const { start, bytes, type, cols, roots } = raw[c % 2];
    kernels.doubles(sums, strips * k * stride).fill(0);
    for (let s = 0; s * TILE < cols; s++) {
      const left = s * TILE;
      const column = (c * width + left) * 8;
      runner.addJob(
        'collectColumns',
        ...[start + left * bytes, type, cols, n, Math.min(TILE, cols - left), shift + column, factor + column, roots],
        ...[tiles + s * HEIGHT * stride * 8, stride, y, k, sums + s * k * stride * 8, HEIGHT],
      );
    }
    load(c + 1, false);
    await runner.runJobs(
      () => onStep(0),
      () => load(c + 1, true),
    );
    for (let s = 0; s * TILE < cols; s++) {
      const count = Math.min(TILE, cols - s * TILE);
      for (let r = 0; r < k; r++) {
        const sum = kernels.doubles(sums + (s * k + r) * stride * 8, count);
        const at = r * d + c * width + s * TILE;
        for (let j = 0; j < count; j++) out[at + j] += sum[j];
      }
    }
    await onStep(0);
  }
  await onStep(n);
}

import { type LearnOptions, type Matrix, pca, type SolverName, wasmEngine } from 'scree';
import { readArguments } from './arguments.js';
import type { Contender } from './contender.js';
import { mnist } from './data.js';
import { environment } from './environment.js';
import { count, milliseconds } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { save } from './results.js';
import { Peer } from './sklearn.js';
import { LEARNING } from './workloads.js';

/** What an epoch of learning costs beside the passes it is made of, on MNIST. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 5, most: 9, budget: 60 };
const data = await mnist(LEARNING.rows, 'float64');
const contenders = [
  await twoPasses(data, 2),
  epochs('points, one epoch', 'points', 2, { epochs: 12 }),
  onePass('hebbian, one pass over a stream, batches of 512', data, 10, { batch: 512 }),
  onePass('hebbian, one pass over a stream', data, 10, {}),
  epochs('hebbian, one epoch with its anchor', 'hebbian', 10, { epochs: 6 }),
  epochs('autoencoder, one epoch through S', 'autoencoder', 10, { epochs: 200 }),
];
const entries = [];
for (const contender of contenders) entries.push({ contender, trial: await trial(contender) });
const samples = await interleave(entries, rounds, () => {});
const measured = entries.map(({ contender: { name } }, i) => {
  const time = spread(samples[i]);
  const rate = (1000 * LEARNING.rows) / time.median;
  console.log(`  ${name}: ${milliseconds(time.median)}, ${count(Math.round(rate))} rows/s`);
  return { name, time };
});
save(
  'learning',
  { environment: await environment(threads, Peer.start(threads)), epochs: measured, skipped: [] },
  quick,
);
process.exit();

/** One `multiply` and one `multiplyTransposed`: what an epoch of points is made of. */
async function twoPasses({ rows, cols, data }: Matrix, k: number): Promise<Contender> {
  const engine = await wasmEngine({ threads });
  if (!engine) throw new Error('There is no WebAssembly SIMD here.');
  const frame = { shift: new Float64Array(cols).fill(0.13), factor: new Float64Array(cols).fill(1) };
  const vectors = new Float64Array(k * cols).fill(0.03);
  const scores = new Float64Array(rows * k);
  return {
    name: 'multiply and multiplyTransposed',
    group: 'ceiling',
    async fit(repeat) {
      const loaded = await engine.load({ kind: 'dense', rows, cols, stride: cols, data });
      const start = performance.now();
      for (let i = 0; i < repeat; i++) {
        await loaded.multiply(frame, vectors, k, scores, () => {});
        await loaded.multiplyTransposed(frame, scores, k, new Float64Array(k * cols), () => {});
      }
      const seconds = (performance.now() - start) / 1000 / repeat;
      loaded.release();
      return { seconds };
    },
  };
}

/** Rows that come in blocks and are seen once, from the first to the model. */
function onePass(name: string, { rows, cols, data }: Matrix, k: number, learn: LearnOptions): Contender {
  const blocks = function* (): Generator<Matrix> {
    for (let i = 0; i < rows; i += 4096) {
      const count = Math.min(4096, rows - i);
      yield { rows: count, cols, data: data.subarray(i * cols, (i + count) * cols) };
    }
  };
  return {
    name,
    group: 'scree',
    async fit(repeat) {
      const start = performance.now();
      for (let i = 0; i < repeat; i++) {
        await pca(blocks(), { k, solver: 'hebbian', engine: 'wasm', threads, learn: { ...learn, epochs: 1 } });
      }
      return { seconds: (performance.now() - start) / 1000 / repeat };
    },
  };
}

/** The median time of an epoch, of as many as are allowed; that they are too few to converge does not matter. */
function epochs(name: string, solver: SolverName, k: number, learn: LearnOptions): Contender {
  return {
    name,
    group: 'scree',
    async fit() {
      const times: number[] = [];
      let last = Number.NaN;
      const onEpoch = (): void => {
        const now = performance.now();
        if (last > 0) times.push(now - last);
        last = now;
      };
      const options = { k, solver, engine: 'wasm', threads, tolerance: 1e-12 } as const;
      await pca(data, { ...options, learn: { ...learn, onEpoch } }).catch((error) => {
        if (error.code !== 'NOT_CONVERGED') throw error;
      });
      return { seconds: spread(times).median / 1000 };
    },
  };
}

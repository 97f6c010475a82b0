import { type Engine, type Matrix, wasmEngine } from 'scree';
import { readArguments } from './arguments.js';
import type { Contender } from './contender.js';
import { type FloatType, mixture } from './data.js';
import { environment } from './environment.js';
import { interleave, spread, trial } from './measure.js';
import { save } from './results.js';
import { Peer } from './sklearn.js';
import { store } from './stored.js';
import { temporaryFolder } from './temporary.js';

/** Arithmetic a second of `gram`, the pass that covariance lives on, beside OpenBLAS: n·d² operations. Saves the result. */

const [N, D] = [20_000, 512];

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 3, most: 7, budget: 10 };
const skipped: string[] = [];
const skip = (why: string): void => {
  skipped.push(why);
  console.log(`  !! ${why}`);
};
const folder = temporaryFolder();
const counts = [...new Set([1, threads])];
const kernels = [];
for (const type of ['float64', 'float32'] as const) kernels.push(...(await measure(type)));
save('kernels', { environment: await environment(threads, Peer.start(threads)), kernels, skipped }, quick);
process.exit();

/** The wasm engine on so many threads, in the arithmetic of the type; undefined where there is none. */
async function engineWith(count: number, type: FloatType): Promise<Engine | undefined> {
  const engine = await wasmEngine({ threads: count });
  return type === 'float32' ? engine?.float32 : engine;
}

async function measure(type: FloatType) {
  const data = mixture({ rows: N, cols: D, type, deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
  store(folder, data);
  const entries = [];
  for (const count of counts) {
    const engine = await engineWith(count, type);
    const peer = Peer.start(count);
    await peer?.load(folder);
    if (!engine) skip('gram of scree/wasm: there is no WebAssembly SIMD here');
    if (!peer) skip('OpenBLAS: scikit-learn is not set up');
    for (const contender of [engine && gram(engine, data), peer?.ceiling()]) {
      if (contender) entries.push({ count, contender, trial: await trial(contender) });
    }
  }
  const samples = await interleave(entries, rounds, () => {});
  return entries.map(({ count, contender: { name } }, i) => {
    const gflops = (N * D * D) / spread(samples[i]).median / 1e6;
    console.log(`  ${name}, ${type}, ${count} threads: ${gflops.toFixed(1)} GFLOP/s`);
    return { name, type, threads: count, gflops };
  });
}

function gram(engine: Engine, { rows, cols, data }: Matrix): Contender {
  const frame = { shift: new Float64Array(cols).fill(0.1), factor: new Float64Array(cols).fill(1) };
  return {
    name: `scree/${engine.name} gram`,
    group: 'scree',
    async fit(repeat) {
      const loaded = await engine.load({ kind: 'dense', rows, cols, stride: cols, data });
      const start = performance.now();
      for (let i = 0; i < repeat; i++) await loaded.gram(frame, new Float64Array(cols * cols), () => {});
      const seconds = (performance.now() - start) / 1000 / repeat;
      loaded.release();
      return { seconds };
    },
  };
}

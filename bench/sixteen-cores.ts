import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resetThreadTimes, threadTimes } from '@scree/core/engine';
import { type Matrix, type PcaOptions, pca } from 'scree';
import { type FloatType, mixture, mnist } from './data.js';
import { milliseconds, percent, table } from './format.js';

/**
 * The workloads on 1, 2, 4, 8 … threads of a larger machine, with the time of every phase and the share of the work that one thread does alone. Needs neither a
 * network nor scikit-learn; where Python has NumPy, its covariance and eigenvectors run beside. Prints tables; `node sixteen-cores.js [seconds]`.
 */

interface Case {
  readonly name: string;
  readonly k: number;
  readonly make: () => Matrix | Promise<Matrix>;
}

const factors =
  (rows: number, cols: number, type: FloatType, deviation: (j: number) => number, unit = false) =>
  () =>
    mixture({ rows, cols, type, deviation, offset: 0.1, unit });
const CASES: readonly Case[] = [
  { name: 'mnist', k: 50, make: () => mnist(60_000, 'float64') },
  { name: 'tall', k: 10, make: factors(1_000_000, 100, 'float64', (j) => (j + 1) ** -0.5) },
  { name: 'wide', k: 10, make: factors(500, 100_000, 'float64', (j) => (j + 1) ** -0.7) },
  { name: 'square', k: 20, make: factors(4000, 4000, 'float64', (j) => 1 / (j + 1)) },
  { name: 'embeddings', k: 128, make: factors(100_000, 1536, 'float32', (j) => Math.sqrt(1 / (j + 1) + 1e-3), true) },
];
const most = availableParallelism();
const COUNTS = [1, 2, 4, 8, 16].filter((count) => count <= Math.max(2, most));
const deadline = performance.now() + 1000 * Number(process.argv[2] ?? 280);

const rows: string[][] = [];
const phases: string[][] = [];
for (const { name, k, make } of CASES) {
  if (performance.now() > deadline) break;
  const data = await make();
  const one: number[] = [];
  for (const engine of ['wasm', 'blas']) {
    for (const threads of engine === 'wasm' ? COUNTS : COUNTS.filter((count) => count >= 4 || count === most)) {
      if (performance.now() > deadline) break;
      const found = await measure(data, { k, engine, threads }, threads === 1 || data.data.length > 1e8 ? 1 : 2).catch(
        (error: Error) => error,
      );
      if (found instanceof Error) {
        rows.push([name, engine, String(threads), found.message.slice(0, 80)]);
        continue;
      }
      if (engine === 'wasm' && threads === 1) one[0] = found.time;
      const speedup = engine === 'wasm' && one[0] ? `${(one[0] / found.time).toFixed(1)}×` : '';
      const alone = threads === 2 ? percent(found.single / (one[0] ?? found.time)) : '';
      rows.push([name, engine, String(threads), found.solver, milliseconds(found.time), speedup, alone]);
      console.error(rows.at(-1)?.join(', '));
      if (threads === 1 || threads === most) {
        for (const [phase, time] of found.phases)
          phases.push([name, engine, String(threads), phase, milliseconds(time)]);
      }
    }
  }
}
console.log(`${most} cores, ${process.version}\n`);
console.log(
  table(['workload', 'engine', 'threads', 'solver', 'time', 'speed-up', 'one thread alone'], rows).join('\n'),
);
console.log(`\n${table(['workload', 'engine', 'threads', 'phase', 'time'], phases).join('\n')}`);
console.log(`\n${numpy()}`);
process.exit();

interface Measured {
  readonly time: number;
  readonly solver: string;
  /** Milliseconds in which only one thread worked, on two threads. */
  readonly single: number;
  readonly phases: readonly (readonly [string, number])[];
}

async function measure(data: Matrix, options: PcaOptions, runs: number): Promise<Measured> {
  let best: Measured | undefined;
  for (let run = 0; run <= runs; run++) {
    const times = new Map<string, number>();
    let [phase, since] = ['start', performance.now()];
    const start = since;
    const turn = (next: string): void => {
      const now = performance.now();
      times.set(phase, (times.get(phase) ?? 0) + now - since);
      [phase, since] = [next, now];
    };
    resetThreadTimes(true);
    const { plan } = await pca(data, { ...options, onProgress: ({ phase: next }) => next !== phase && turn(next) });
    turn('end');
    const time = performance.now() - start;
    const { wall, own, workers } = threadTimes;
    const single = time - wall + Math.max(0, 2 * wall - own - workers);
    // The first run starts threads and compiles.
    if (run > 0 && !(best && best.time < time)) best = { time, solver: plan.solver, single, phases: [...times] };
  }
  resetThreadTimes(false);
  return best as Measured;
}

/** NumPy on all threads, where it is there: the covariance by one product and all eigenvectors, as scikit-learn's covariance_eigh. */
function numpy(): string {
  const program = `
import time, numpy as np
print('NumPy', np.__version__)
for name, n, d, t in [('mnist', 60000, 784, 'f8'), ('tall', 1000000, 100, 'f8'), ('embeddings', 100000, 1536, 'f4')]:
    x = np.random.default_rng(0).standard_normal((n, d), dtype=t); best = 1e9
    for _ in range(3):
        s = time.time(); c = x.T @ x; m = x.mean(0); c -= n * np.outer(m, m); np.linalg.eigh(c); best = min(best, time.time() - s)
    print(name, round(1000 * best), 'ms')
`;
  try {
    return execFileSync('python3', ['-c', program], { encoding: 'utf8', timeout: 100_000 });
  } catch (error) {
    return `no NumPy: ${String(error).slice(0, 200)}`;
  }
}

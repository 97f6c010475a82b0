import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resetThreadTimes, threadTimes } from '@scree/core/engine';
import { type Matrix, type PcaOptions, pca } from 'scree';
import { type FloatType, mixture, mnist } from './data.js';
import { environment } from './environment.js';
import { milliseconds, percent, table } from './format.js';
import { type ScalingResult, save } from './results.js';

/**
 * How the workloads scale with threads. From one and two threads: for every phase, the time in which only one thread works, by the workers' own clocks, and
 * from that the time on more cores, t(T) = alone + (t(1) − alone)/T. Then the times themselves on as many threads as there are, and NumPy's
 * covariance and eigenvectors where Python has it. Saves the predictions as a part of the benchmark and prints all; by itself, `node scaling.js scaling
 * --seconds 240` stops early and needs neither a network nor scikit-learn.
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
const at = process.argv.indexOf('--seconds');
const deadline = at < 0 ? Number.POSITIVE_INFINITY : performance.now() + 1000 * Number(process.argv[at + 1]);
const quick = process.argv.includes('--quick');
const most = availableParallelism();
const counts = [...new Set([1, 2, most])];

const times: string[][] = [];
const phases: ScalingResult['phases'][number][] = [];
for (const { name, k, make } of CASES) {
  if (performance.now() > deadline) break;
  const data = await make();
  const wasm = new Map<number, Measured>();
  for (const engine of ['wasm', 'blas']) {
    for (const threads of engine === 'wasm' ? counts : [most]) {
      if (performance.now() > deadline) break;
      const runs = quick || threads === 1 || data.data.length > 1e8 ? 1 : 3;
      const found = await measure(data, { k, engine, threads }, runs).catch((error: Error) => error);
      if (found instanceof Error) {
        times.push([name, engine, String(threads), found.message.slice(0, 80)]);
        continue;
      }
      if (engine === 'wasm') wasm.set(threads, found);
      const one = engine === 'wasm' ? wasm.get(1)?.time : undefined;
      const speedUp = one ? `${(one / found.time).toFixed(1)}×` : '';
      times.push([name, engine, String(threads), found.solver, milliseconds(found.time), speedUp]);
      console.error(`  ${times.at(-1)?.join(', ')}`);
    }
  }
  if (performance.now() < deadline) {
    const found = await measure(shared(data), { k, engine: 'wasm', threads: most }, 1);
    times.push([name, 'wasm, shared data', String(most), found.solver, milliseconds(found.time), '']);
  }
  const [one, two, all] = [wasm.get(1), wasm.get(2), wasm.get(most)];
  for (const [phase, { time }] of one?.phases ?? []) {
    const alone = Math.min(time, two?.phases.get(phase)?.alone ?? time);
    phases.push({
      workload: name,
      phase,
      one: time,
      alone,
      measured: all?.phases.get(phase)?.time ?? 0,
      threads: most,
    });
  }
}
if (phases.length > 0 && at < 0)
  save('scaling', { environment: await environment(2, undefined), phases, skipped: [] }, quick);
console.log(`\n${most} cores, ${process.version}\n`);
console.log(table(['workload', 'engine', 'threads', 'solver', 'time', 'speed-up'], times).join('\n'));
console.log(`\n${phaseTable().join('\n')}`);
console.log(`\n${numpy()}`);
process.exit();

/** Every phase of at least a millisecond: its time on one thread, the share of one thread alone, and the times that follow for more. */
function phaseTable(): string[] {
  const head = ['workload', 'phase', '1 thread', 'one alone', '4', '8', '16', '32', `measured on ${most}`];
  return table(
    head,
    phases
      .filter(({ one }) => one >= 1)
      .map(({ workload, phase, one, alone, measured }) => [
        ...[workload, phase, milliseconds(one), percent(alone / one)],
        ...[4, 8, 16, 32].map((threads) => milliseconds(alone + (one - alone) / threads)),
        milliseconds(measured),
      ]),
  );
}

/** The data in memory that workers can read. */
function shared({ rows, cols, data }: Matrix): Matrix {
  const buffer = new SharedArrayBuffer(data.byteLength);
  const copy = data instanceof Float32Array ? new Float32Array(buffer) : new Float64Array(buffer);
  copy.set(data);
  return { rows, cols, data: copy };
}

interface Measured {
  readonly time: number;
  readonly solver: string;
  /** Milliseconds of each phase, and how long only one of two threads worked. */
  readonly phases: ReadonlyMap<string, { readonly time: number; readonly alone: number }>;
}

async function measure(data: Matrix, options: PcaOptions, runs: number): Promise<Measured> {
  let best: Measured | undefined;
  for (let run = 0; run <= runs; run++) {
    const found = new Map<string, { time: number; alone: number }>();
    let [phase, since] = ['start', performance.now()];
    const start = since;
    const turn = (next: string): void => {
      const now = performance.now();
      const { wall, own, workers } = threadTimes;
      const { time, alone } = found.get(phase) ?? { time: 0, alone: 0 };
      const single = now - since - wall + Math.max(0, 2 * wall - own - workers);
      found.set(phase, { time: time + now - since, alone: alone + single });
      resetThreadTimes(true);
      [phase, since] = [next, now];
    };
    resetThreadTimes(true);
    const { plan } = await pca(data, { ...options, onProgress: ({ phase: next }) => next !== phase && turn(next) });
    turn('end');
    const time = performance.now() - start;
    // The first run starts threads and compiles.
    if (run > 0 && !(best && best.time < time)) best = { time, solver: plan.solver, phases: found };
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
    return execFileSync('python3', ['-c', program], {
      encoding: 'utf8',
      timeout: 100_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return 'There is no Python with NumPy here.';
  }
}

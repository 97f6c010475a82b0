import type { Rates } from '@scree/core/engine';
import { type Engine, makePlan, wasmEngine } from 'scree';
import { readArguments } from './arguments.js';
import { type FloatType, mixture } from './data.js';
import { environment } from './environment.js';
import { milliseconds } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { type RegretResult, save } from './results.js';
import { findEngines, scree } from './scree.js';

/**
 * What the plan's choices lose: its solver against the best solver of the same engine, and the engine that 'auto' takes against the best
 * engine, over shapes and types. Then the same for a machine of 16 cores, predicted from rates that were measured on one. Saves the result.
 */

const SHAPES: readonly (readonly [rows: number, cols: number, k: number])[] = [
  [1000, 20, 5],
  [20_000, 300, 10],
  [200_000, 50, 10],
  [4000, 1000, 10],
  [10_000, 1000, 100],
  [2000, 2000, 5],
  [300, 20_000, 10],
];
const TYPES: readonly FloatType[] = ['float64', 'float32'];
/** Solvers predicted to take more than this many times the best are left out. */
const HOPELESS = 6;
/** GFLOP/s and billions of numbers per second of the wasm engine, measured on 16 cores of an Intel server. */
const SIXTEEN: { readonly float64: Rates; readonly float32: Rates } = {
  float64: { products: 130, sparse: 40, eigen: 14, reading: 0.85, again: { vectors: 64, numbers: 24e6, reading: 1 } },
  float32: { products: 210, sparse: 40, eigen: 14, reading: 0.85, again: { vectors: 64, numbers: 24e6, reading: 1 } },
};

const { threads, engines: names, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 3, most: 5, budget: 3 };
const skipped: string[] = [];
const engines = await findEngines(names, threads, (why) => skipped.push(why));
const auto = { name: 'auto', threads, options: { threads } };
const rows: RegretResult['rows'][number][] = [];
for (const [n, d, k] of SHAPES) for (const type of TYPES) rows.push(...(await measure(n, d, k, type)));
const sixteen = predicted((await wasmEngine()) as Engine);
save('regret', { environment: await environment(threads, undefined), rows, sixteen, skipped }, quick);
process.exit();

async function measure(n: number, d: number, k: number, type: FloatType): Promise<RegretResult['rows']> {
  const data = mixture({ rows: n, cols: d, type, deviation: (j) => (j + 1) ** -0.7, offset: 0.5 });
  const contenders = [scree(data, k, auto)];
  for (const engine of engines) {
    const planned = scree(data, k, engine);
    const { costs = {}, solver } = await planned.fit(1);
    const least = Math.min(...Object.values(costs));
    contenders.push(planned);
    for (const [name, seconds] of Object.entries(costs)) {
      if (name !== solver && seconds < HOPELESS * least) contenders.push(scree(data, k, engine, name as 'svd'));
    }
  }
  const entries = [];
  for (const contender of contenders) entries.push({ contender, trial: await trial(contender) });
  const samples = await interleave(entries, rounds, () => {});
  const results = entries.map(({ contender, trial: fit }, i) => ({
    ...{ group: contender.group, engine: contender.engine ?? '', solver: fit.solver ?? '' },
    time: spread(samples[i]).median,
  }));
  return results
    .filter(({ group }) => group === 'scree')
    .map(({ engine, solver, time }) => {
      const best = results
        .filter((other) => engine === 'auto' || other.engine === engine)
        .reduce((a, b) => (b.time < a.time ? b : a));
      const data = `${n}×${d} ${type}, k = ${k}`;
      console.log(`  ${data}: ${engine} ${solver} ${milliseconds(time)}, best ${best.engine} ${best.solver}`);
      return { data, engine, chosen: { solver, time }, best };
    });
}

function predicted(engine: Engine): RegretResult['sixteen'] {
  const there = { name: 'wasm', rates: SIXTEEN.float64, float32: { rates: SIXTEEN.float32 }, skipsZeros: true };
  return SHAPES.flatMap(([n, d, k]) =>
    TYPES.map((dtype) => {
      const shape = { rows: n, cols: d, dtype, rereadable: true };
      const { solver } = makePlan(shape, { k, solver: 'auto', engine });
      const best = makePlan(shape, { k, solver: 'auto', engine: there });
      const regret = (best.costs[solver] ?? 0) / (best.costs[best.solver] ?? 1) - 1;
      return { data: `${n}×${d} ${dtype}, k = ${k}`, chosen: solver, best: best.solver, regret: Math.max(0, regret) };
    }),
  );
}

import { type Matrix, type Model, Moments, pca, type StreamOptions, stream } from 'scree';
import { readArguments } from './arguments.js';
import type { Contender } from './contender.js';
import { mixture } from './data.js';
import { environment } from './environment.js';
import { milliseconds, times } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { save } from './results.js';
import { Peer } from './sklearn.js';
import { STREAMING } from './workloads.js';

/** A model by one reading of the rows, from a sketch of 2k + 10 of them and from moments, d × d numbers. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 5, most: 9, budget: 60 };
const { rows, cols } = STREAMING;
const data = mixture({ rows, cols, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
const options = { k: 10, engine: 'wasm', threads } as const;

const contenders = [
  contender('moments', async () => pca(await new Moments(cols).add(data, { engine: 'wasm', threads }), options)),
  contender('incremental', () => sketch(data, 'incremental')),
  contender('frequent-directions', () => sketch(data, 'frequent-directions')),
  contender('streaming, measured', () => pca(data, { ...options, solver: 'streaming' })),
];
const entries = [];
for (const one of contenders) entries.push({ contender: one, trial: await trial(one) });
const samples = await interleave(entries, rounds, () => {});
const moments = spread(samples[0]).median;
const rules = entries.map(({ contender: { name } }, i) => {
  const time = spread(samples[i]);
  console.log(`  ${name}: ${milliseconds(time.median)}, ${times(time.median / moments)} of moments`);
  return { name, time, ratio: time.median / moments };
});
save('streaming', { environment: await environment(threads, Peer.start(threads)), rules, skipped: [] }, quick);
process.exit();

async function sketch(matrix: Matrix, rule: NonNullable<StreamOptions['rule']>): Promise<Model> {
  const s = stream({ ...options, rule });
  await s.add(matrix);
  return s.model();
}

function contender(name: string, model: () => Promise<Model>): Contender {
  return {
    name,
    group: 'solver',
    async fit(repeat) {
      const start = performance.now();
      for (let i = 0; i < repeat; i++) await model();
      return { seconds: (performance.now() - start) / 1000 / repeat };
    },
  };
}

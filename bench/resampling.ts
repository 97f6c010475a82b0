import * as scree from 'scree';
import { readArguments } from './arguments.js';
import type { Contender } from './contender.js';
import { mixture } from './data.js';
import { environment } from './environment.js';
import { milliseconds, times } from './format.js';
import { interleave, spread, trial } from './measure.js';
import { type ResamplingResult, save } from './results.js';
import { Peer } from './sklearn.js';
import { store } from './stored.js';
import { temporaryFolder } from './temporary.js';
import { RESAMPLING, type Resampling } from './workloads.js';

/** Bootstrap and permutation against the straightforward loop in NumPy: copy the rows, centre, scale, covariance, eigh. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? { least: 1, most: 1, budget: 0 } : { least: 3, most: 5, budget: 60 };
const peer = Peer.start(threads);
const skipped: string[] = [];
const skip = (why: string): void => {
  skipped.push(why);
  console.log(`  !! ${why}`);
};
if (!peer) skip('NumPy is not set up: its loops are left out');
const folder = temporaryFolder();
const rows: ResamplingResult['rows'][number][] = [];
for (const work of RESAMPLING.works) {
  const ours = contenderFor(work);
  if (!ours) {
    skip(`this version of scree has no ${work.kind}`);
    continue;
  }
  store(folder, dataOf(work));
  await peer?.load(folder);
  const contenders = [ours, ...(peer ? [peer.resample(work.kind, work.repeats, work.k)] : [])];
  const entries = [];
  for (const contender of contenders) entries.push({ contender, trial: await trial(contender) });
  const samples = await interleave(entries, rounds, () => {});
  const [own, loop] = samples.map(spread);
  const ratio = loop && loop.median / own.median;
  console.log(
    `  ${nameOf(work)}: ${milliseconds(own.median)}${loop ? `, NumPy ${milliseconds(loop.median)}, ${times(ratio)}` : ''}`,
  );
  rows.push({ name: nameOf(work), target: work.target, time: own, ...(loop ? { loop } : {}) });
}
save('resampling', { environment: await environment(threads, peer), rows, skipped }, quick);
process.exit();

function nameOf({ kind, n, d, repeats }: Resampling): string {
  return `${kind}, ${repeats} of ${n} × ${d}`;
}

function dataOf({ n, d }: Resampling): scree.Matrix {
  return mixture({ rows: n, cols: d, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
}

/** scree on data in memory; undefined where this version cannot do it. */
function contenderFor(work: Resampling): Contender | undefined {
  const { kind, repeats, k } = work;
  const { chooseComponents } = scree as unknown as {
    chooseComponents?: (data: scree.Matrix, options: object) => Promise<unknown>;
  };
  if (kind === 'permutation' && !chooseComponents) return undefined;
  const data = dataOf(work);
  const scale = 'unit';
  const run = (): Promise<unknown> =>
    kind === 'bootstrap'
      ? scree.bootstrap(data, { k, scale, replicates: repeats, threads })
      : (chooseComponents?.(data, { scale, criteria: ['permutation'], permutations: repeats, threads }) ??
        Promise.resolve());
  return {
    name: `scree ${kind}`,
    group: 'scree',
    async fit(repeat) {
      const start = performance.now();
      for (let i = 0; i < repeat; i++) await run();
      return { seconds: (performance.now() - start) / 1000 / repeat };
    },
  };
}

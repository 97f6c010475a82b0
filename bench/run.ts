import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import {
  type Model,
  makePlan,
  pca,
  principalAngles,
  reference,
  type SolverName,
  toRows,
  wasmEngine,
} from '@scree/core';
import { PCA } from 'ml-pca';
import { type Contender, interleave, milliseconds, type Timing } from './measure.js';
import { type Workload, workloads } from './workloads.js';

/**
 * Every solver on every workload, beside ml-pca where it ends in a minute: who is fastest, what the plan chose and what
 * that choice cost, and how exact each answer is. Writes docs/benchmarks.md.
 */

/** Operations above which a solver is left out of a workload: about twenty seconds of plain JavaScript. */
const TOO_LONG = 2e10;
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const lines: string[] = [];
const say = (line = ''): void => {
  console.log(line);
  lines.push(line);
};

/** The engine under test: `npm run bench -- --reference` measures the plain one. */
const engine = process.argv.includes('--reference') ? reference : ((await wasmEngine()) ?? reference);
const solvers: SolverName[] = ['covariance', 'dual', 'svd', 'krylov'];

async function measureWorkload(workload: Workload): Promise<void> {
  const { data, k } = workload;
  const nonzeros = 'indptr' in data ? data.data.length : undefined;
  const shape = { rows: data.rows, cols: data.cols, rewindable: true, ...(nonzeros === undefined ? {} : { nonzeros }) };
  const plan = makePlan(shape, { k, solver: 'auto', engine });
  const contenders: Contender<Model | undefined>[] = solvers
    .filter((solver) => (plan.costs[solver] ?? Number.POSITIVE_INFINITY) < TOO_LONG)
    .map((solver) => ({ name: solver, run: () => pca(data, { k, solver, engine }) }));
  if (!('indptr' in data) && data.rows * data.cols * Math.min(data.rows, data.cols) < 2e8) {
    const rows = toRows(data);
    contenders.push({ name: 'ml-pca', run: () => void new PCA(rows, { method: 'SVD' }) });
  }
  const timings = await interleave(contenders, { budget: 6000 });
  report(workload, plan.solver, plan.costs, timings);
}

function report(
  workload: Workload,
  chosen: SolverName,
  costs: Partial<Record<SolverName, number>>,
  timings: readonly Timing<Model | undefined>[],
): void {
  const ours = timings.filter(({ name }) => name !== 'ml-pca');
  const best = Math.min(...ours.map(({ median }) => median));
  const truth = ours.find(({ name }) => name === 'svd')?.result ?? ours[0].result;
  for (const timing of timings) {
    const { name, median, low, high, samples, result } = timing;
    const estimate = costs[name as SolverName];
    const cells = [
      workload.name,
      workload.what,
      String(workload.k),
      name + (name === chosen ? ' ←' : ''),
      milliseconds(median),
      `${milliseconds(low)} – ${milliseconds(high)}`,
      String(samples),
      `${(median / best).toFixed(2)}×`,
      estimate === undefined ? '' : `${(estimate / median / 1e6).toFixed(2)}`,
      result && truth ? angleTo(result, truth) : '',
      result ? Math.max(...result.certificate.residuals).toExponential(0) : '',
    ];
    say(`| ${cells.join(' | ')} |`);
  }
}

/** Largest principal angle to the svd's answer. */
function angleTo(model: Model, truth: Model): string {
  const angles = principalAngles(model.components, truth.components);
  return angles[angles.length - 1].toExponential(0);
}

say('# Benchmarks');
say();
say(
  'Made by `npm run bench`: contenders take turns in one run, on the same data; medians and the middle half of the samples.',
);
say();
say(
  `${cpus()[0].model.trim()}, ${cpus().length} cores · Node ${process.version} · ${new Date().toISOString().slice(0, 10)} · engine \`${engine.name}\`, one thread`,
);
say();
say(
  '← is what the plan chooses; "×" is time over the fastest of ours; "Gop/s" is the plan’s estimate of operations over the time; "angle" is the largest principal angle to the `svd` answer; ml-pca runs its SVD method and gives all components.',
);
say();
say('| workload | shape | k | solver | median | middle half | runs | × | Gop/s | angle | residual |');
say('|---|---|---|---|---|---|---|---|---|---|---|');
for (const workload of await workloads()) {
  if (only.length === 0 || only.includes(workload.name)) await measureWorkload(workload);
}
if (only.length === 0) writeFileSync(new URL('../../docs/benchmarks.md', import.meta.url), `${lines.join('\n')}\n`);

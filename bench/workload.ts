import { type CsrMatrix, type Matrix, type PcaOptions, pca } from 'scree';
import { barOf, type Errors, errorsOf, excess, gapOf, type Truth } from './accuracy.js';
import { type Arguments, readArguments } from './arguments.js';
import type { Contender, Fit } from './contender.js';
import { environment } from './environment.js';
import { milliseconds, scientific } from './format.js';
import { javascript } from './javascript.js';
import { interleave, type Rounds, spread, trial } from './measure.js';
import { memoryInNode, memoryInPython } from './memory.js';
import { type Measurement, save } from './results.js';
import { findEngines, type ScreeEngine, scree } from './scree.js';
import { Peer } from './sklearn.js';
import { startTimes } from './start.js';
import { store } from './stored.js';
import { temporaryFolder } from './temporary.js';
import { OVERHEAD, type Workload, workloads } from './workloads.js';

/**
 * One workload in a process of its own: everybody fits once, which shows who is accurate and who is far too slow; then
 * the others take turns, round by round; then each one's memory is measured in a fresh process. Saves the result.
 */

const FULL: Rounds = { least: 3, most: 7, budget: 30 };
const QUICK: Rounds = { least: 1, most: 1, budget: 0 };
/** Seconds after which a peer's first fit is all it gets. */
const LONG = 10;
/** A solver that took so many times the fastest of its group at first will not be the fastest in the end. */
const HOPELESS = 1.5;
/** Solvers of scree that cost more than so many times the plan's choice, by the plan's own estimate, are not tried. */
const NOT_TRIED = 10;

/** Below this many operations of syrk a call's overhead is all there is: no ceiling for anything. */
const TINY = 1e7;

type Enter = (contender: Contender) => Promise<Fit | undefined>;

interface Entry {
  readonly contender: Contender;
  readonly trial: Fit;
  readonly errors: Errors;
}

const skipped: string[] = [];
const say = (line: string): void => console.log(`  ${line}`);
const skip = (why: string): void => {
  skipped.push(why);
  say(`!! ${why}`);
};

async function main(workload: Workload, options: Arguments, folder: string): Promise<void> {
  const { k } = workload;
  say('making the data');
  const data = await workload.make();
  store(folder, data);
  const peer = Peer.start(options.threads);
  if (!peer) skip('scikit-learn is not set up: it is left out, and so is the ceiling');
  await peer?.load(folder);
  const engines = await findEngines(options.engines, options.threads, skip);

  say('computing the accurate answer');
  const truth = await findTruth(peer, data, k);
  const gap = gapOf(truth);
  const bar = barOf(workload.type, gap);

  const entries: Entry[] = [];
  const enter: Enter = async (contender) => {
    try {
      const fit = await trial(contender);
      const errors = errorsOf(fit, truth);
      entries.push({ contender, trial: fit, errors });
      const found = `variances off by ${scientific(errors.variance)}, subspace by ${scientific(errors.angle)}`;
      say(`${contender.name}: ${milliseconds(1000 * fit.seconds)}${contender.group === 'ceiling' ? '' : `, ${found}`}`);
      return fit;
    } catch (error) {
      skip(`${contender.name}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  };
  for (const engine of engines) await enterEngine(data, k, engine, enter);
  if (peer) await enterSklearn(peer, workload, enter);
  for (const other of workload.peers) await enter(javascript(data as Matrix, k, other, options.slow));
  const { rows, cols } = workload;
  if (peer && !('indptr' in data) && rows * cols * Math.min(rows, cols) > TINY) await enter(peer.ceiling());

  const playing = entries.filter((entry) => takesPart(entry, entries, (errors) => excess(errors, bar) <= 1));
  const rounds = options.quick ? QUICK : FULL;
  const samples = await interleave(playing, rounds, (round) => say(`round ${round}, at most ${rounds.most}`));
  const result = {
    environment: await environment(options.threads, peer),
    truth: truth.by,
    gap,
    measurements: [] as Measurement[],
    skipped,
    ...(workload.name === OVERHEAD.workload ? { start: await startTimes(options.quick ? 3 : 11) } : {}),
  };
  peer?.close();

  say('measuring memory');
  for (const entry of entries) {
    const { contender, trial, errors } = entry;
    const at = playing.indexOf(entry);
    const memory =
      at < 0 || contender.group === 'solver' ? undefined : await memoryOf(contender, workload, options, folder);
    result.measurements.push({
      name: contender.name,
      group: contender.group,
      time: spread(at < 0 ? [1000 * trial.seconds] : samples[at]),
      errors,
      ...(contender.engine ? { engine: contender.engine } : {}),
      ...(trial.solver ? { solver: trial.solver } : {}),
      ...(trial.note ? { note: trial.note } : {}),
      ...(memory === undefined ? {} : { memory }),
    });
  }
  save(workload.name, result, options.quick);
}

/** scree as the plan has it, then with every other solver that is not hopeless: was the plan right? */
async function enterEngine(data: Matrix | CsrMatrix, k: number, engine: ScreeEngine, enter: Enter): Promise<void> {
  const planned = await enter(scree(data, k, engine));
  if (!planned) return;
  const costs = Object.entries(planned.costs ?? {});
  const limit = NOT_TRIED * Math.min(...costs.map(([, cost]) => cost));
  for (const [solver, cost] of costs) {
    if (solver === planned.solver || cost > limit) continue;
    await enter(scree(data, k, engine, solver as NonNullable<PcaOptions['solver']>));
  }
}

/** scikit-learn as it comes, then with every solver that makes sense and that it did not choose itself. */
async function enterSklearn(peer: Peer, { k, sklearn }: Workload, enter: Enter): Promise<void> {
  const auto = await enter(peer.contender('auto', k));
  for (const solver of sklearn) if (solver !== auto?.solver) await enter(peer.contender(solver, k));
}

/** Without Python scree's own direct solver has to be the judge, in float64. */
async function findTruth(peer: Peer | undefined, data: Matrix | CsrMatrix, k: number): Promise<Truth> {
  if (peer) {
    const { variances, components, by } = await peer.truth(k);
    return { variances, by, components: { rows: k, cols: data.cols, data: components } };
  }
  const exact = 'indptr' in data ? data : { ...data, data: Float64Array.from(data.data) };
  const model = await pca(exact, { k: k + 1, tolerance: 1e-13 });
  const components = { rows: k, cols: data.cols, data: model.components.data.subarray(0, k * data.cols) };
  return { variances: model.variances, components, by: `scree itself (${model.plan.solver}, float64)` };
}

/** Who goes on to the rounds: everybody whose time will be compared. */
function takesPart(
  { contender, trial, errors }: Entry,
  all: readonly Entry[],
  accurate: (e: Errors) => boolean,
): boolean {
  const { group, engine, name } = contender;
  const fastest = (rivals: readonly Entry[]): number => Math.min(...rivals.map((rival) => rival.trial.seconds));
  switch (group) {
    case 'scree':
    case 'ceiling':
      return true;
    case 'solver':
      return trial.seconds <= HOPELESS * fastest(all.filter((other) => other.contender.engine === engine));
    case 'javascript':
      return trial.seconds <= LONG && !trial.note;
    case 'scikit-learn': {
      if (name.endsWith(' auto')) return trial.seconds <= 3 * LONG;
      const rivals = all.filter((other) => other.contender.group === group);
      const good = rivals.filter((rival) => accurate(rival.errors));
      const field = good.length > 0 ? good : rivals;
      return (good.length === 0 || accurate(errors)) && trial.seconds <= HOPELESS * fastest(field);
    }
    default:
      return group satisfies never;
  }
}

function memoryOf(
  { group, name, engine }: Contender,
  { k, peers }: Workload,
  { threads }: Arguments,
  folder: string,
): Promise<number | undefined> | undefined {
  if (group === 'scree') return memoryInNode(folder, { k, engine: engine!, threads });
  if (group === 'javascript') return memoryInNode(folder, { k, peer: peers.find((peer) => peer.name === name)! });
  return group === 'scikit-learn' ? memoryInPython(folder, name.split(' ')[1], k, threads) : undefined;
}

const options = readArguments(process.argv.slice(2));
const workload = workloads.find(({ name }) => name === options.names[0])!;
await main(workload, options, temporaryFolder());
process.exit();

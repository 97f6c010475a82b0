import { afterAll, vi } from 'vitest';
import { type Call, type Fault, faultsOf, type Observed, withFaults } from './inject.js';

/** Milliseconds after which a run counts as hanging: a hundred times what the slowest takes. */
const HANG = 20_000;
/** SCREE_FAULTS=all runs every fault, once and lasting; otherwise lasting errors are tried at every third call, and of all faults every second. */
const EVERYTHING = process.env.SCREE_FAULTS === 'all';

// A test is many runs, and each of them is watched.
vi.setConfig({ testTimeout: EVERYTHING ? 900_000 : 180_000 });

const total = { calls: 0, runs: 0 };
afterAll(() => {
  process.stderr.write(`faults injected: ${total.runs} runs over ${total.calls} calls\n`);
});

export interface Scenario<Result> {
  readonly folder: string;
  /** Puts the folder into the state that every run starts from. */
  prepare(): Promise<void> | void;
  work(): Promise<Result>;
  /** For slow runs: a larger step tries fewer faults, except in the full test. */
  readonly step?: number | undefined;
  /** Looks at what a run did; what it throws names the fault. */
  check(run: Observed<Result>, without: Observed<Result>, fault: Fault, call: Call): Promise<void> | void;
}

/** Runs the work once without faults, then once for every call and everything that can go wrong with it. The number of runs. */
export async function sweep<Result>(scenario: Scenario<Result>): Promise<{ calls: number; runs: number }> {
  const { folder, prepare, work, check, step = 1 } = scenario;
  await prepare();
  // The first run loads modules and compiles kernels, which open no files here but may change what is done.
  await work();
  await prepare();
  const without = await withFaults(folder, undefined, work);
  const problems: string[] = [];
  const stray: unknown[] = [];
  const hear = (error: unknown): void => void stray.push(error);
  process.on('unhandledRejection', hear);
  let runs = 0;
  try {
    for (const [number, fault] of faultsFor(without.calls).entries()) {
      // Others on every run: the printed seed says which.
      if (!EVERYTHING && (number + Number(process.env.SCREE_SEED)) % (2 * step) > 0) continue;
      const call = without.calls[fault.call];
      const told = `${fault.lasting ? 'lasting ' : ''}${fault.kind} in call ${fault.call}, ${call.name} ${call.path.slice(folder.length + 1)}`;
      await prepare();
      runs++;
      try {
        const run = await within(HANG, () => withFaults(folder, fault, work));
        await new Promise((turn) => setImmediate(turn));
        if (stray.length > 0) throw new Error(`unhandled rejection: ${stray.splice(0)}`);
        await check(run, without, fault, call);
      } catch (error) {
        problems.push(`${told}: ${error instanceof Error ? error.message : error}`);
      }
    }
  } finally {
    process.off('unhandledRejection', hear);
  }
  total.calls += without.calls.length;
  total.runs += runs;
  if (problems.length > 0) throw new Error(`${problems.length} of ${runs} runs are wrong:\n${problems.join('\n')}`);
  return { calls: without.calls.length, runs };
}

function faultsFor(calls: readonly Call[]): Fault[] {
  return calls.flatMap((one, call) =>
    faultsOf(one).flatMap((kind): Fault[] => {
      const once = { call, kind };
      return EVERYTHING || kind === 'end' || (kind !== 'EACCES' && kind !== 'EMFILE' && call % 3 === 0)
        ? [once, { ...once, lasting: true }]
        : [once];
    }),
  );
}

async function within<Result>(limit: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: nothing came within ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

import fc from 'fast-check';
import { wasmEngine } from '../../src/index.js';
import { digests, kernelsHere } from '../conformance/digests.js';
import { engineChecks } from '../conformance/engines.js';
import { type EngineSetup, engineOf, type SolverSetup } from '../conformance/setups.js';
import { checkSolver, solverCases } from '../conformance/solvers.js';

/** The functions of the page: the conformance checks, with failures as text. */
const checks = {
  /** Random checks draw their cases from this seed. */
  seed(seed: number): void {
    fc.configureGlobal({ seed, numRuns: 100 });
  },

  /** The permissions of the page. */
  async facts(): Promise<{ isolated: boolean; sharedMemory: boolean; kernels: string; threads: number | undefined }> {
    const sharedMemory = typeof SharedArrayBuffer !== 'undefined';
    const threads = (await wasmEngine({ threads: 3 }))?.threads;
    return { isolated: crossOriginIsolated, sharedMemory, kernels: await kernelsHere(), threads };
  },

  /** One check of one engine. */
  engine(setup: EngineSetup, check: string): Promise<string[]> {
    return failures([{ name: check, run: async () => engineChecks[check](await engineOf(setup)) }]);
  },

  /** Every case of one setup, or those of some shapes only. */
  setup(setup: SolverSetup, shapes?: readonly string[]): Promise<string[]> {
    const cases = solverCases.filter(({ shape }) => shapes?.includes(shape) ?? true);
    return failures(
      cases.map((one) => ({ name: `${one.shape}: ${one.name}`, run: async () => checkSolver(setup, one) })),
    );
  },

  digests,

  /** The same in a worker. */
  digestsInWorker(setup: EngineSetup): Promise<Record<string, string>> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    return new Promise<Record<string, string>>((resolve, reject) => {
      worker.onmessage = ({ data }) => ('failure' in data ? reject(new Error(data.failure)) : resolve(data.digests));
      worker.onerror = ({ message }) => reject(new Error(message || 'The worker did not start.'));
      worker.postMessage(setup);
    }).finally(() => worker.terminate());
  },
};

async function failures(checks: readonly { name: string; run: () => Promise<void> }[]): Promise<string[]> {
  const found: string[] = [];
  for (const { name, run } of checks) {
    try {
      await run();
    } catch (error) {
      found.push(`${name}: ${describeError(error)}`);
    }
  }
  return found;
}

/** The message of a failed check; the stack of any other error. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = (error.name === 'Error' ? error.message : error.stack) ?? String(error);
  return error.cause === undefined ? text : `${text}\nbecause ${describeError(error.cause)}`;
}

export type Conformance = typeof checks;

declare global {
  var conformance: Conformance;
}

globalThis.conformance = checks;

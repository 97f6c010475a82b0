import { type Engine, referenceEngine, type SolverName, wasmEngine } from '../../src/index.js';
import { solverNames } from '../support/data.js';

const reference = referenceEngine();

export type EngineName = 'reference' | 'wasm';

/** The engine and threads of a test, as plain data that can be sent to a page. `auto` is any available engine. */
export interface EngineSetup<Name = EngineName | 'auto'> {
  readonly engine: Name;
  readonly threads?: number;
}

/** A setup with a solver. */
export interface SolverSetup<Name = EngineName | 'auto'> extends EngineSetup<Name> {
  readonly solver: SolverName;
}

/** Every engine with the numbers of threads to test. If undefined, the engine chooses the number. */
const threadCounts: Record<EngineName, readonly (number | undefined)[]> = { reference: [undefined], wasm: [1, 2, 3] };

const engineNames = Object.keys(threadCounts) as EngineName[];

export const engineSetups: readonly EngineSetup<EngineName>[] = engineNames.flatMap((engine) =>
  threadCounts[engine].map((threads) => (threads === undefined ? { engine } : { engine, threads })),
);

export const solverSetups: readonly SolverSetup<EngineName>[] = engineSetups.flatMap((setup) =>
  solverNames.map((solver) => ({ ...setup, solver })),
);

/** A setup as the title of a test. */
function nameOf({ engine, threads, solver }: EngineSetup & Partial<SolverSetup>): string {
  const count = threads === undefined ? '' : `, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  return `${solver ? `${solver} on ` : ''}${engine}${count}`;
}

/** Setups with their titles, for `it.each`. */
export function named<T extends EngineSetup & Partial<SolverSetup>>(list: readonly T[]): [string, T][] {
  return list.map((one) => [nameOf(one), one]);
}

/** Returns the engine. Throws if it is not available, so that a test cannot pass without running. */
export async function engineOf({ engine: name, threads }: EngineSetup): Promise<Engine> {
  if (name === 'reference') return reference;
  const engine = await wasmEngine({ threads });
  if (!engine) throw new Error('There is no WebAssembly SIMD here, so the wasm engine cannot be tested.');
  return engine;
}

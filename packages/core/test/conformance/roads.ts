import { type Engine, referenceEngine, type SolverName, wasmEngine } from '../../src/index.js';
import { solverNames } from '../support/data.js';

const reference = referenceEngine();

export type EngineName = 'reference' | 'wasm';

/** What runs the passes, in plain words, so that it can be told to a page; `auto` is whatever engine is there. */
export interface Way<Name = EngineName | 'auto'> {
  readonly engine: Name;
  readonly threads?: number;
}

/** A way through the library. */
export interface Road<Name = EngineName | 'auto'> extends Way<Name> {
  readonly solver: SolverName;
}

/** Every engine there is, with the numbers of threads it is tried with; undefined leaves the number to the engine. */
const threadCounts: Record<EngineName, readonly (number | undefined)[]> = { reference: [undefined], wasm: [1, 2, 3] };

const engineNames = Object.keys(threadCounts) as EngineName[];

export const ways: readonly Way<EngineName>[] = engineNames.flatMap((engine) =>
  threadCounts[engine].map((threads) => (threads === undefined ? { engine } : { engine, threads })),
);

export const roads: readonly Road<EngineName>[] = ways.flatMap((way) =>
  solverNames.map((solver) => ({ ...way, solver })),
);

/** A way or a road as a test's name has it. */
function nameOf({ engine, threads, solver }: Way & Partial<Road>): string {
  const count = threads === undefined ? '' : `, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
  return `${solver ? `${solver} on ` : ''}${engine}${count}`;
}

/** Ways or roads with their names before them, as `it.each` likes them. */
export function named<T extends Way & Partial<Road>>(list: readonly T[]): [string, T][] {
  return list.map((one) => [nameOf(one), one]);
}

/** The engine itself; an error where there is none, so that nothing passes for not having been tried. */
export async function engineOf({ engine: name, threads }: Way): Promise<Engine> {
  if (name === 'reference') return reference;
  const engine = await wasmEngine({ threads });
  if (!engine) throw new Error('There is no WebAssembly SIMD here, so the wasm engine cannot be tested.');
  return engine;
}

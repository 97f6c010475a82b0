import { type Engine, reference, type SolverName, wasmEngine } from '../../src/index.js';
import { solverNames } from '../support/data.js';

export type EngineName = 'reference' | 'wasm';

/** A way through the library, in plain words, so that it can be told to a page; `auto` is whatever engine is there. */
export interface Road {
  readonly engine: EngineName | 'auto';
  readonly solver: SolverName;
  readonly threads?: number;
}

/** Every engine there is, with the numbers of threads it is tried with; none leaves the number to the engine. */
const threads: Record<EngineName, readonly (number | undefined)[]> = { reference: [undefined], wasm: [undefined] };

export const engineNames = Object.keys(threads) as EngineName[];

export const roads: readonly Road[] = engineNames.flatMap((engine) =>
  threads[engine].flatMap((count) =>
    solverNames.map((solver) => ({ engine, solver, ...(count === undefined ? {} : { threads: count }) })),
  ),
);

/** A road as a test's name has it. */
export function nameOf({ engine, solver, threads }: Road): string {
  return `${solver} on ${engine}${threads === undefined ? '' : `, ${threads} ${threads === 1 ? 'thread' : 'threads'}`}`;
}

/** The engine itself; an error where there is none, so that nothing passes for not having been tried. */
export async function engineOf(name: EngineName): Promise<Engine> {
  if (name === 'reference') return reference;
  const engine = await wasmEngine();
  if (!engine) throw new Error('There is no WebAssembly SIMD here, so the wasm engine cannot be tested.');
  return engine;
}

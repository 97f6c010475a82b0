import type { Blocking } from '../base/progress.js';
import { describeValue, OptionError } from '../errors.js';
import type { Engine, OfferedEngine } from './engine.js';
import { reference } from './reference/reference.js';
import type { WasmOptions } from './wasm/wasm.js';
import { webGpuOffer } from './webgpu/offer.js';

export type { OfferedEngine } from './engine.js';

const offered = new Map<string, OfferedEngine>([[webGpuOffer.name, webGpuOffer]]);

/** Size of the data, in numbers, from which `'auto'` considers an offered engine: smaller fits take less time than loading one. */
const WORTH_LOADING = 1_000_000;

/** Registers an engine under its name: `engine: name` selects it, and `'auto'` compares it with the others. */
export function offerEngine(engine: OfferedEngine): void {
  offered.set(engine.name, engine);
}

/** An engine, or its name. Packages offer `blas` and other names by `offerEngine`. */
export type EngineChoice = 'auto' | 'wasm' | 'reference' | 'webgpu' | 'blas' | (string & {}) | Engine;

export interface EngineRequest {
  readonly engine?: EngineChoice | undefined;
  readonly threads?: number | undefined;
  /** How long a pass may block the calling thread. */
  readonly blocking?: Blocking | undefined;
}

/**
 * The engines to choose from, probably fastest first. A requested engine is the only one. For `'auto'`, these are the available offered
 * engines, if the data are large or of unknown size, and then WebAssembly, or plain TypeScript if WebAssembly is not available.
 */
export async function availableEngines(
  { engine: wanted = 'auto', threads, blocking }: EngineRequest,
  numbers = Number.POSITIVE_INFINITY,
): Promise<readonly [Engine, ...Engine[]]> {
  if (typeof wanted === 'object') return [wanted];
  if (wanted === 'reference') return [reference];
  if (wanted === 'auto') {
    const wasm = await loadWasm({ threads, blocking });
    const own = typeof wasm === 'string' ? referenceInsteadOfWasm(wasm) : wasm;
    if (numbers < WORTH_LOADING) return [own];
    // Loading an offered engine takes a while.
    const worthy = [...offered.values()].filter(({ worth = WORTH_LOADING }) => numbers >= worth);
    if (worthy.length === 0) return [own];
    const others = await Promise.all(worthy.map((offer) => offer.make(threads, true)));
    const [first, ...rest] = [...others.filter((engine) => engine !== undefined), own];
    return [first, ...rest];
  }
  if (wanted === 'wasm') {
    const wasm = await loadWasm({ threads, blocking });
    if (typeof wasm === 'string') throw unavailable(wanted, wasm);
    return [wasm];
  }
  const offer = offered.get(wanted);
  if (!offer) throw unavailable(wanted, 'no imported package has it; `blas` comes with the package scree');
  const engine = await offer.make(threads);
  if (!engine) throw unavailable(wanted, await offer.why());
  return [engine];
}

/** Returns the WebAssembly engine, or the reason why it is not available. Its code is loaded on demand, so that pages start sooner. */
async function loadWasm(options: WasmOptions): Promise<Engine | string> {
  return (await import('./wasm/wasm.js')).wasmEngineOrWhy(options);
}

/**
 * The WebAssembly engine: SIMD, on several threads if workers can share memory. Undefined if WebAssembly SIMD or its memory is not
 * available. The result does not depend on the number of threads.
 */
export async function wasmEngine({ threads }: WasmOptions = {}): Promise<Engine | undefined> {
  const engine = await loadWasm({ threads });
  return typeof engine === 'string' ? undefined : engine;
}

/** Returns the first available engine, for work without a plan. */
export async function chooseEngine(request: EngineRequest, numbers?: number): Promise<Engine> {
  return (await availableEngines(request, numbers))[0];
}

/** Returns the reference engine with a warning that gives the cause. */
function referenceInsteadOfWasm(cause: string): Engine {
  const message = `The slower reference engine was used instead of WebAssembly: ${cause}. The result is as accurate. With engine: 'reference' this warning goes away.`;
  return { ...reference, warnings: [{ code: 'ENGINE_FALLBACK', message, details: { engine: 'reference', cause } }] };
}

function unavailable(wanted: string, why: string): OptionError {
  return new OptionError(
    'BAD_OPTION',
    `engine is ${describeValue(wanted)}, which is not available: ${why}. Or use engine: 'auto'.`,
    { option: 'engine', value: wanted, cause: why },
  );
}

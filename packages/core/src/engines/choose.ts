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

/** By name, `blas` and others where a package offers them (`offerEngine`), or an engine itself. */
export type EngineChoice = 'auto' | 'wasm' | 'reference' | 'webgpu' | 'blas' | (string & {}) | Engine;

export interface EngineRequest {
  readonly engine?: EngineChoice | undefined;
  readonly threads?: number | undefined;
  /** How long passes may keep the calling thread. */
  readonly blocking?: Blocking | undefined;
}

/**
 * The engines to choose from, probably fastest first: the one that was requested; or, for `'auto'`, the offered engines that are
 * available, if the data are large (or their size is unknown), then WebAssembly, or plain TypeScript where there is none.
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
    // Engines that are offered are loaded, which takes a while.
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
  if (!offer) throw unavailable(wanted, 'no package that was imported has it; `blas` comes with the package scree');
  const engine = await offer.make(threads);
  if (!engine) throw unavailable(wanted, await offer.why());
  return [engine];
}

/** The WebAssembly engine, or why there is none. Its code is loaded here, so that a page can show something before. */
async function loadWasm(options: WasmOptions): Promise<Engine | string> {
  return (await import('./wasm/wasm.js')).wasmEngineOrWhy(options);
}

/**
 * The WebAssembly engine: SIMD, on several threads where workers can share memory. Undefined where WebAssembly SIMD or its
 * memory is missing. The result does not depend on the number of threads.
 */
export async function wasmEngine({ threads }: WasmOptions = {}): Promise<Engine | undefined> {
  const engine = await loadWasm({ threads });
  return typeof engine === 'string' ? undefined : engine;
}

/** The engine for work without a plan: the first of the available ones. */
export async function chooseEngine(request: EngineRequest, numbers?: number): Promise<Engine> {
  return (await availableEngines(request, numbers))[0];
}

/** The reference engine, with a warning that says why. */
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

import { OptionError, show } from '../errors.js';
import type { Engine } from './engine.js';
import { reference } from './reference/reference.js';
import { wasmEngineOrWhy } from './wasm/wasm.js';

/** An engine that another package brings along. Nothing of it is loaded before a fit asks for it. */
export interface OfferedEngine {
  readonly name: string;
  /** The engine, or undefined where the machine has not what it needs. Never throws. */
  make(threads?: number): Promise<Engine | undefined>;
  /** Why `make` gave nothing, and what to do about it. */
  why(): Promise<string>;
}

const offered = new Map<string, OfferedEngine>();

/** Numbers in the data from which `'auto'` looks for an offered engine: below, a fit takes less time than loading one. */
const WORTH_LOADING = 1_000_000;

/** Offers an engine under its name: `engine: name` asks for it, and `'auto'` weighs it against the others. */
export function offerEngine(engine: OfferedEngine): void {
  offered.set(engine.name, engine);
}

export type EngineChoice = 'auto' | 'wasm' | 'reference' | 'blas' | Engine;

export interface EngineRequest {
  readonly engine?: EngineChoice | undefined;
  readonly threads?: number | undefined;
}

/**
 * The engines that may do it, the likely best first: the one that was asked for; or, for `'auto'`, those that are offered
 * and available where the data have enough numbers (or nobody knows how many), and WebAssembly, else plain TypeScript.
 */
export async function availableEngines(
  { engine: wanted = 'auto', threads }: EngineRequest,
  numbers = Number.POSITIVE_INFINITY,
): Promise<readonly [Engine, ...Engine[]]> {
  if (typeof wanted === 'object') return [wanted];
  if (wanted === 'reference') return [reference];
  if (wanted === 'auto') {
    const wasm = await wasmEngineOrWhy({ threads });
    const own = typeof wasm === 'string' ? insteadOfWasm(wasm) : wasm;
    if (numbers < WORTH_LOADING) return [own];
    const others = await Promise.all(Array.from(offered.values(), ({ make }) => make(threads)));
    const [first, ...rest] = [...others.filter((engine) => engine !== undefined), own];
    return [first, ...rest];
  }
  if (wanted === 'wasm') {
    const wasm = await wasmEngineOrWhy({ threads });
    if (typeof wasm === 'string') throw unavailable(wanted, wasm);
    return [wasm];
  }
  const offer = offered.get(wanted);
  if (!offer) throw unavailable(wanted, 'no package that was imported has it; `blas` comes with the package scree');
  const engine = await offer.make(threads);
  if (!engine) throw unavailable(wanted, await offer.why());
  return [engine];
}

/** The engine for work that needs no plan: the likely best. */
export async function chooseEngine(request: EngineRequest, numbers?: number): Promise<Engine> {
  return (await availableEngines(request, numbers))[0];
}

/** Plain TypeScript, with a warning that says why. */
function insteadOfWasm(cause: string): Engine {
  const message = `The slower reference engine was used instead of WebAssembly: ${cause}. The result is as accurate. With engine: 'reference' this warning goes away.`;
  return { ...reference, warnings: [{ code: 'ENGINE_FALLBACK', message, details: { engine: 'reference', cause } }] };
}

function unavailable(wanted: string, why: string): OptionError {
  return new OptionError(
    'BAD_OPTION',
    `engine is ${show(wanted)}, which is not available: ${why}. Or use engine: 'auto'.`,
    { option: 'engine', value: wanted },
  );
}

import { OptionError, show } from '../errors.js';
import type { PcaOptions } from '../options.js';
import type { Engine } from './engine.js';
import { reference } from './reference/reference.js';
import { wasmEngine } from './wasm/wasm.js';

/** An engine that another package brings along. Nothing of it is loaded before a fit asks for it. */
export interface OfferedEngine {
  readonly name: string;
  /** The engine, or undefined where the machine has not what it needs. Never throws. */
  make(): Promise<Engine | undefined>;
  /** Why `make` gave nothing, and what to do about it. */
  why(): Promise<string>;
}

const offered = new Map<string, OfferedEngine>();

/**
 * Numbers in the data from which `'auto'` looks for an offered engine: below, a fit takes less time than loading one.
 * Where shapes are weighed in earnest, this is the place to ask.
 */
const WORTH_LOADING = 200_000;

/** Offers an engine under its name: `engine: name` asks for it, and `'auto'` prefers it. */
export function offerEngine(engine: OfferedEngine): void {
  offered.set(engine.name, engine);
}

/**
 * The engine that was asked for. `'auto'` is the first offered one that is available, for data of enough numbers (or of
 * unknown size); else WebAssembly; else plain TypeScript.
 */
export async function chooseEngine(wanted: PcaOptions['engine'] = 'auto', numbers?: number): Promise<Engine> {
  if (typeof wanted === 'object') return wanted;
  if (wanted === 'reference') return reference;
  if (wanted === 'auto' && (numbers ?? Number.POSITIVE_INFINITY) >= WORTH_LOADING) {
    for (const { make } of offered.values()) {
      const engine = await make();
      if (engine) return engine;
    }
  }
  if (wanted === 'auto' || wanted === 'wasm') {
    const wasm = await wasmEngine();
    if (wasm) return wasm;
    if (wanted === 'auto') return reference;
    throw unavailable(wanted, 'this machine has no WebAssembly SIMD');
  }
  const offer = offered.get(wanted);
  if (!offer) throw unavailable(wanted, 'no package that was imported has it; `blas` comes with the package scree');
  const engine = await offer.make();
  if (!engine) throw unavailable(wanted, await offer.why());
  return engine;
}

function unavailable(wanted: string, why: string): OptionError {
  return new OptionError(
    'BAD_OPTION',
    `engine is ${show(wanted)}, which is not available: ${why}. Or use engine: 'auto'.`,
    { option: 'engine', value: wanted },
  );
}

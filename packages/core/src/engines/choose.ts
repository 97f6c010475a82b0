import { OptionError } from '../errors.js';
import type { PcaOptions } from '../options.js';
import type { Engine } from './engine.js';
import { reference } from './reference/reference.js';
import { wasmEngine } from './wasm/wasm.js';

/** The engine that was asked for: WebAssembly unless said otherwise, plain TypeScript where there is no WebAssembly SIMD. */
export async function chooseEngine(wanted: PcaOptions['engine'] = 'auto', threads?: number): Promise<Engine> {
  if (typeof wanted === 'object') return wanted;
  if (wanted === 'reference') return reference;
  const wasm = await wasmEngine(threads);
  if (wasm) return wasm;
  if (wanted === 'auto') return reference;
  throw new OptionError(
    'BAD_OPTION',
    "engine is 'wasm', but this machine has no WebAssembly SIMD. Use engine: 'auto'.",
    {
      option: 'engine',
      value: wanted,
    },
  );
}

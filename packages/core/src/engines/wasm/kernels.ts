import { plainSimd, relaxedSimd } from './kernels-binary.js';

/** The functions of assembly/kernels.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  multiplyPanels(
    a: number,
    aPanel: number,
    rows: number,
    b: number,
    bPanel: number,
    cols: number,
    steps: number,
    c: number,
    stride: number,
    upper: boolean,
  ): void;
  tridiagonaliseSteps(
    a: number,
    size: number,
    diagonal: number,
    offDiagonal: number,
    taus: number,
    w: number,
    p: number,
    from: number,
    to: number,
  ): void;
  packColumns: Pack;
  packRows: Pack;
}

type Pack = (
  source: number,
  single: boolean,
  stride: number,
  rows: number,
  cols: number,
  shift: number,
  factor: number,
  roots: number,
  out: number,
) => void;

/** A page of WebAssembly memory. */
const PAGE = 65536;

/**
 * One instance of the kernels and its memory. A pass borrows one for itself and lays its arrays out in it from the
 * start; nothing in it outlives the pass.
 */
export class Kernels {
  readonly run: Exports;
  #top = 0;

  constructor(module: WebAssembly.Module) {
    this.run = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  /** Size of the memory. */
  get bytes(): number {
    return this.run.memory.buffer.byteLength;
  }

  /** Forgets all arrays. */
  clear(): void {
    // Address 0 stays unused: it means "none".
    this.#top = 64;
  }

  /** Room for `bytes`, at a multiple of 64; the memory grows as needed. What is there is not zeroed. */
  allocate(bytes: number): number {
    const start = this.#top;
    this.#top = Math.ceil((start + bytes) / 64) * 64;
    const missing = this.#top - this.run.memory.buffer.byteLength;
    if (missing > 0) this.run.memory.grow(Math.ceil(missing / PAGE));
    return start;
  }

  /** Numbers copied into the memory. */
  put(numbers: Float64Array): number {
    const start = this.allocate(numbers.byteLength);
    this.doubles(start, numbers.length).set(numbers);
    return start;
  }

  /** A view of float64 numbers; good until the next `allocate`. */
  doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.run.memory.buffer, start, length);
  }

  singles(start: number, length: number): Float32Array {
    return new Float32Array(this.run.memory.buffer, start, length);
  }
}

/** The compiled kernels, fused multiply-add where the machine has it; undefined where WebAssembly SIMD is missing. */
export interface Compiled {
  readonly module: WebAssembly.Module;
  readonly relaxed: boolean;
}

let compiling: Promise<Compiled | undefined> | undefined;

/** Compiles the kernels, once. */
export function compileKernels(): Promise<Compiled | undefined> {
  compiling ??= compile();
  return compiling;
}

async function compile(): Promise<Compiled | undefined> {
  if (typeof WebAssembly === 'undefined') return undefined;
  for (const relaxed of [true, false]) {
    const bytes = decode(relaxed ? relaxedSimd : plainSimd);
    if (!WebAssembly.validate(bytes) && !(relaxed && enableRelaxed() && WebAssembly.validate(bytes))) continue;
    try {
      return { module: await WebAssembly.compile(bytes), relaxed };
    } catch {
      // A page whose Content-Security-Policy has no 'wasm-unsafe-eval' may not compile: it has the reference engine.
      return undefined;
    }
  }
  return undefined;
}

/** Node 20 has relaxed SIMD behind a flag of V8 that may be set while it runs; later ones and browsers have it anyway. */
function enableRelaxed(): boolean {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { setFlagsFromString(flag: string): void } | undefined };
  };
  const v8 = process?.getBuiltinModule?.('v8');
  v8?.setFlagsFromString('--experimental-wasm-relaxed-simd');
  return v8 !== undefined;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

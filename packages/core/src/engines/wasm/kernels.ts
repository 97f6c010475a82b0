import { messageOf } from '../../errors.js';
import { keepAlive } from '../../keep-alive.js';
import { plainSimd, relaxedSimd } from './kernels-binary.js';
import { type FunctionName, QUEUE_BYTES, QUEUE_START } from './threads/job-queue.js';

/** The functions of assembly/kernels.ts: addresses, counts and switches, all of them 32-bit numbers. */
type Exports = Readonly<
  Record<FunctionName | 'packVectors' | 'beginColumn' | 'endColumn', (...numbers: number[]) => void>
>;

/** A page of WebAssembly memory. */
const PAGE = 65536;
/** Pages that a memory may grow to: 4 GB, or as much of that as the system lets us reserve. */
const MOST_PAGES = [65536, 16384, 4096, 1024];

let made = 0;

/**
 * One instance of the kernels and its memory, which workers can share. A pass borrows one for itself and lays its arrays
 * out in it from the start; nothing in it outlives the pass, unless it is kept.
 */
export class Kernels {
  readonly id = ++made;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly run: Exports;
  /** Set where a worker was lost that may still write into the memory: nobody may use it again. */
  broken = false;
  #base = QUEUE_START + QUEUE_BYTES;
  #top = this.#base;

  constructor(module: WebAssembly.Module) {
    this.module = module;
    this.memory = sharedMemory();
    this.run = new WebAssembly.Instance(module, { env: { memory: this.memory } }).exports as unknown as Exports;
  }

  /** Size of the memory. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** Forgets all arrays but those that are kept. */
  clear(): void {
    this.#top = this.#base;
  }

  /** Keeps the arrays that are there now for the passes to come. */
  keep(): void {
    this.#base = this.#top;
  }

  /** Keeps nothing any more. */
  forget(): void {
    // What comes before is the runner's queue, and address 0, which means "none".
    this.#base = QUEUE_START + QUEUE_BYTES;
    this.#top = this.#base;
  }

  /** Room for `bytes`, at a multiple of 64; the memory grows as needed. What is there is not zeroed. */
  allocate(bytes: number): number {
    const start = this.#top;
    this.#top = Math.ceil((start + bytes) / 64) * 64;
    const missing = this.#top - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    return start;
  }

  /** Numbers copied into the memory. */
  put(numbers: Float64Array): number {
    const start = this.allocate(numbers.byteLength);
    this.doubles(start, numbers.length).set(numbers);
    return start;
  }

  /** Room for `length` numbers, all 0. */
  zeros(length: number): number {
    const start = this.allocate(length * 8);
    this.doubles(start, length).fill(0);
    return start;
  }

  /** A view of float64 numbers; good until the next `allocate`. */
  doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, start, length);
  }
}

/**
 * Memory that workers can share; without workers it does no harm. One that is not shared would need no fewer addresses, so
 * there is no point in trying that where this fails.
 */
function sharedMemory(): WebAssembly.Memory {
  let failure: unknown;
  for (const maximum of MOST_PAGES) {
    const memory = new WebAssembly.Memory({ initial: 4, maximum, shared: true });
    try {
      // Where V8 cannot reserve the maximum it makes a memory that cannot grow at all.
      memory.grow(1);
      return memory;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The compiled kernels, with fused multiply-add where the machine has it. */
export interface Compiled {
  readonly module: WebAssembly.Module;
  readonly relaxed: boolean;
}

let compiling: Promise<Compiled | string> | undefined;

/** The compiled kernels; undefined where they cannot be compiled. */
export async function compileKernels(): Promise<Compiled | undefined> {
  const compiled = await compileOrWhy();
  return typeof compiled === 'string' ? undefined : compiled;
}

/** Compiles the kernels, once; or says why that is not possible. */
export function compileOrWhy(): Promise<Compiled | string> {
  compiling ??= keepAlive(compile);
  return compiling;
}

async function compile(): Promise<Compiled | string> {
  if (typeof WebAssembly === 'undefined') return 'there is no WebAssembly here (node --jitless switches it off)';
  for (const relaxed of [true, false]) {
    const bytes = decode(relaxed ? relaxedSimd : plainSimd);
    if (!WebAssembly.validate(bytes) && !(relaxed && enableRelaxed() && WebAssembly.validate(bytes))) continue;
    try {
      return { module: await WebAssembly.compile(bytes), relaxed };
    } catch (error) {
      // Not allowed, for example: a page whose Content-Security-Policy has no 'wasm-unsafe-eval'.
      return `WebAssembly cannot be compiled here (${messageOf(error)})`;
    }
  }
  return 'WebAssembly has no SIMD here';
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
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

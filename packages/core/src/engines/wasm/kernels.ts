import { builtinModule } from '../../base/builtin-module.js';
import { keepAlive } from '../../base/keep-alive.js';
import { messageOf } from '../../errors.js';
import { FUNCTIONS, type FunctionName, QUEUE_BYTES, QUEUE_START } from './threads/job-queue.js';
import { nextMemory } from './threads/worker-pool.js';

/** The functions of assembly/kernels.ts. All arguments (addresses, counts, flags) are 32-bit numbers. */
type Exports = Readonly<Record<FunctionName | 'packVectors', (...numbers: number[]) => void>>;

/** A page of WebAssembly memory. */
const PAGE = 65536;
/** Maximum sizes of a memory to try, in pages: 4 GB first, then less, if the system refuses to reserve it. */
const MOST_PAGES = [65536, 16384, 4096, 1024];

/**
 * One instance of the kernels and its memory, which workers can share. Only one pass uses an instance at a time. The pass allocates its
 * arrays from the start of the memory. They do not outlive the pass, unless it calls `keep`.
 */
export class Kernels {
  /** Workers identify the memory by this number. */
  readonly id = nextMemory();
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly run: Exports;
  /** The functions of jobs, by index. */
  readonly calls: ((...numbers: number[]) => void)[];
  /** True after a worker failed that may still write into the memory. The memory must not be used again. */
  broken = false;
  /** The job queue. */
  readonly queue: Int32Array;
  #buffer: ArrayBufferLike;
  #bytes: number;
  #base = QUEUE_START + QUEUE_BYTES;
  #top = this.#base;

  constructor(module: WebAssembly.Module) {
    this.module = module;
    this.memory = sharedMemory();
    this.#buffer = this.memory.buffer;
    this.#bytes = this.#buffer.byteLength;
    this.queue = new Int32Array(this.#buffer, QUEUE_START, QUEUE_BYTES / 4);
    const imports = { env: { memory: this.memory }, reduce: { now: () => performance.now() } };
    this.run = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.calls = FUNCTIONS.map((name) => this.run[name]);
  }

  /** The buffer of the memory, valid until the next `allocate`. */
  get buffer(): ArrayBufferLike {
    return this.#buffer;
  }

  /** Size of the memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Frees all arrays except kept ones. */
  clear(): void {
    this.#top = this.#base;
  }

  /** Keeps the current arrays for later passes. */
  keep(): void {
    this.#base = this.#top;
  }

  /** Frees all arrays, kept ones included. */
  forget(): void {
    // The job queue and address 0, which means "none", come first.
    this.#base = QUEUE_START + QUEUE_BYTES;
    this.#top = this.#base;
  }

  /** Allocates `bytes` bytes at a multiple of 64, without clearing them. The memory grows as needed. */
  allocate(bytes: number): number {
    const start = this.#top;
    this.#top = Math.ceil((start + bytes) / 64) * 64;
    const missing = this.#top - this.#bytes;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / PAGE));
      this.#buffer = this.memory.buffer;
      this.#bytes = this.#buffer.byteLength;
    }
    return start;
  }

  /** Copies numbers into the memory and returns their address. */
  put(numbers: Float64Array): number {
    const start = this.allocate(numbers.byteLength);
    const target = this.doubles(start, numbers.length);
    // For few numbers a loop is faster than `set`.
    if (numbers.length > 16) target.set(numbers);
    else for (let i = 0; i < numbers.length; i++) target[i] = numbers[i];
    return start;
  }

  /** Allocates `length` numbers, all 0. */
  zeros(length: number): number {
    const start = this.allocate(length * 8);
    this.doubles(start, length).fill(0);
    return start;
  }

  /** Returns a view of float64 numbers, valid until the next `allocate`. */
  doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.#buffer, start, length);
  }
}

/**
 * Creates a memory that workers can share. It works without workers too. Unshared memory would need the same address space, so it would not
 * help as a fallback.
 */
function sharedMemory(): WebAssembly.Memory {
  let failure: unknown;
  for (const maximum of MOST_PAGES) {
    const memory = new WebAssembly.Memory({ initial: 4, maximum, shared: true });
    try {
      // If V8 cannot reserve the maximum, it creates a memory that cannot grow at all.
      memory.grow(1);
      return memory;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** The compiled kernels, with fused multiply-add (`relaxed`) if the machine has it. */
export interface Compiled {
  readonly module: WebAssembly.Module;
  readonly relaxed: boolean;
}

/** The compiled kernels. Cached for the process. */
let compiled: Promise<Compiled | string> | undefined;

/** Returns the compiled kernels, or undefined if they cannot be compiled. */
export async function compileKernels(): Promise<Compiled | undefined> {
  const compiled = await compileOrWhy();
  return typeof compiled === 'string' ? undefined : compiled;
}

/** Compiles the kernels once, or returns the reason why they cannot be compiled. */
export function compileOrWhy(): Promise<Compiled | string> {
  compiled ??= keepAlive(compile);
  return compiled;
}

async function compile(): Promise<Compiled | string> {
  if (typeof WebAssembly === 'undefined') return 'there is no WebAssembly here (node --jitless switches it off)';
  for (const relaxed of [true, false]) {
    // assembly/build.js writes these modules.
    const loading = relaxed ? import('./kernels-relaxed.js') : import('./kernels-plain.js');
    // The flag is set while the module loads.
    if (relaxed) enableRelaxed();
    const bytes = decode((await loading).kernels);
    if (!WebAssembly.validate(bytes)) continue;
    try {
      return { module: await WebAssembly.compile(bytes), relaxed };
    } catch (error) {
      // For example: a page whose Content-Security-Policy has no 'wasm-unsafe-eval'.
      return `WebAssembly cannot be compiled here (${messageOf(error)})`;
    }
  }
  return 'WebAssembly has no SIMD here';
}

/** A WebAssembly module with one function, which uses the fused multiply-add of relaxed SIMD. */
const RELAXED = '0061736d010000000105016000017b030201000a130111004100fd114100fd114100fd11fd87020b';

/** Node 20 has relaxed SIMD behind a flag of V8 that may be set while it runs; later ones and browsers have it anyway. */
function enableRelaxed(): void {
  if (WebAssembly.validate(decode(RELAXED))) return;
  builtinModule<{ setFlagsFromString(flag: string): void }>('v8')?.setFlagsFromString(
    '--experimental-wasm-relaxed-simd',
  );
}

/** Bytes from their hexadecimal digits: gzip makes these a quarter shorter than base64. The codes of 0 are 48 and of a 97. */
function decode(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = digits.charCodeAt(2 * i);
    const low = digits.charCodeAt(2 * i + 1);
    bytes[i] = 16 * ((high & 15) + 9 * (high >> 6)) + (low & 15) + 9 * (low >> 6);
  }
  return bytes;
}

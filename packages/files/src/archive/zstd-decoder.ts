import { zstdWasm } from './zstd-wasm.js';

/** Exports of the decoder. Addresses and sizes are 32-bit numbers. */
type Exports = {
  readonly memory: WebAssembly.Memory;
  readonly malloc: (bytes: number) => number;
  readonly ZSTD_createDCtx: () => number;
  readonly ZSTD_freeDCtx: (context: number) => void;
  readonly ZSTD_decompressStream: (context: number, output: number, input: number) => number;
};

/** Bytes given to the decoder at once, and the most that it returns at once, which is a block. */
const [INPUT, OUTPUT] = [1 << 16, 1 << 17];

/** Results from here on are error codes, counted down from 2^32 (zstd_errors.h). */
const FIRST_ERROR = 2 ** 32 - 120;
const REASONS: Readonly<Record<number, string>> = {
  22: 'its checksum says that it was changed or damaged',
  64: 'the system refuses the memory that it needs',
};

/** Part of a frame, unpacked. */
export interface Step {
  /** Packed bytes that were used. */
  readonly read: number;
  /** The unpacked bytes, valid until the next step. */
  readonly unpacked: Uint8Array;
  /** True if the frame is complete, and its size and checksum are right. */
  readonly done: boolean;
}

/** The reference implementation of zstd, which the package zstddec compiles to WebAssembly, with buffers for one step. */
export class ZstdDecoder {
  readonly #exports: Exports;
  #context = 0;
  readonly #input: number;
  readonly #output: number;
  /** ZSTD_outBuffer and ZSTD_inBuffer: address, size and position of each. */
  readonly #buffers: number;
  readonly #initialBytes: number;

  constructor(module: WebAssembly.Module) {
    const imports = { env: { emscripten_notify_memory_growth: () => {} } };
    this.#exports = new WebAssembly.Instance(module, imports).exports as Exports;
    const { memory, malloc } = this.#exports;
    this.#input = malloc(INPUT);
    this.#output = malloc(OUTPUT);
    this.#buffers = malloc(6 * 4);
    this.#initialBytes = memory.buffer.byteLength;
  }

  /** Unpacks a part of a frame from the beginning of `packed`. Throws a RangeError if the frame is damaged. */
  step(packed: Uint8Array): Step {
    const { memory, ZSTD_decompressStream } = this.#exports;
    const input = packed.subarray(0, INPUT);
    new Uint8Array(memory.buffer, this.#input).set(input);
    new Uint32Array(memory.buffer, this.#buffers).set([this.#output, OUTPUT, 0, this.#input, input.length, 0]);
    const missing = ZSTD_decompressStream(this.#context, this.#buffers, this.#buffers + 12) >>> 0;
    if (missing >= FIRST_ERROR) throw new RangeError(REASONS[2 ** 32 - missing] ?? 'its packed data are damaged');
    const [, , written, , , read] = new Uint32Array(memory.buffer, this.#buffers);
    return { read, unpacked: new Uint8Array(memory.buffer, this.#output, written), done: missing === 0 };
  }

  /** Forgets the last frame. */
  start(): void {
    this.#context = this.#exports.ZSTD_createDCtx();
  }

  /** Frees what the frames took. Returns false if a large window made the memory grow: WebAssembly memory never shrinks. */
  end(): boolean {
    this.#exports.ZSTD_freeDCtx(this.#context);
    return this.#exports.memory.buffer.byteLength === this.#initialBytes;
  }
}

/** A cache: the compiled module. */
let module: Promise<WebAssembly.Module> | undefined;
/** A cache: the last decoder that was returned. */
let idle: ZstdDecoder | undefined;

/** WebAssembly is switched off here, or the system refuses its memory. */
export class ZstdUnavailable extends Error {
  constructor(why: unknown) {
    super(`WebAssembly, which unpacks it, is not available (${why instanceof Error ? why.message : why})`);
  }
}

/** Compiles the decoder, once. */
export function compileZstd(): Promise<WebAssembly.Module> {
  module ??= compile();
  return module;
}

async function compile(): Promise<WebAssembly.Module> {
  const bytes = new Uint8Array(zstdWasm.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(zstdWasm.slice(2 * i, 2 * i + 2), 16);
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new ZstdUnavailable(error);
  }
}

/** A decoder for one caller, at the beginning of a frame. */
export function acquireDecoder(module: WebAssembly.Module): ZstdDecoder {
  const decoder = idle ?? newDecoder(module);
  idle = undefined;
  decoder.start();
  return decoder;
}

function newDecoder(module: WebAssembly.Module): ZstdDecoder {
  try {
    return new ZstdDecoder(module);
  } catch (error) {
    throw new ZstdUnavailable(error);
  }
}

export function releaseDecoder(decoder: ZstdDecoder): void {
  if (decoder.end()) idle = decoder;
}

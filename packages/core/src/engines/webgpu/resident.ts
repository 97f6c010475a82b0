import type { DenseBlock } from '../../data/blocks/block.js';
import type { NumberArray } from '../../data/blocks/matrix.js';
import { BYTES, type ElementType } from './decode-code.js';
import { DeviceFailure, type Gpu } from './device.js';

/** Bytes of stored rows per buffer. */
const CHUNK_BYTES = 64 * 2 ** 20;

/** Returns the type of a block's numbers. */
export function elementType({ data, half }: DenseBlock): ElementType {
  if (half) return 'float16';
  const types: readonly [new (length: number) => NumberArray, ElementType][] = [
    [Float64Array, 'float64'],
    [Float32Array, 'float32'],
    [Int8Array, 'int8'],
    [Uint16Array, 'uint16'],
    [Int16Array, 'int16'],
    [Uint32Array, 'uint32'],
    [Int32Array, 'int32'],
  ];
  return types.find(([kind]) => data instanceof kind)?.[1] ?? 'uint8';
}

/** Rows on the device: a buffer, and the index of their first row in it. */
export interface RowsOnDevice {
  readonly buffer: GPUBuffer;
  readonly first: number;
}

/**
 * The stored rows of a block on the device, bit for bit, in buffers of up to 64 MB. Rows are uploaded when a pass first needs them, and
 * stay there while the device has room. Other rows are uploaded for every pass.
 */
export class ResidentRows {
  readonly type: ElementType;
  readonly #gpu: Gpu;
  readonly #block: DenseBlock;
  readonly #chunkRows: number;
  readonly #rowBytes: number;
  readonly #chunks: (GPUBuffer | undefined)[] = [];
  #stream: { buffer: GPUBuffer; chunk: number } | undefined;
  #full = false;
  #users = 1;

  /** A buffer holds a multiple of `slab` rows. A pass works on `slab` rows at a time. */
  constructor(gpu: Gpu, block: DenseBlock, slab: number) {
    this.#gpu = gpu;
    this.#block = block;
    this.type = elementType(block);
    this.#rowBytes = block.cols * BYTES[this.type];
    this.#chunkRows =
      slab * Math.max(1, Math.floor(Math.min(CHUNK_BYTES, gpu.largestBinding) / (slab * this.#rowBytes)));
  }

  share(): this {
    this.#users++;
    return this;
  }

  /** Returns the buffer that holds row `row` and the rows after it in the same slab. */
  async rows(row: number, onSlice: () => void | Promise<void>): Promise<RowsOnDevice> {
    const index = Math.floor(row / this.#chunkRows);
    const start = index * this.#chunkRows;
    const at = (buffer: GPUBuffer): RowsOnDevice => ({ buffer, first: row - start });
    const kept = this.#chunks[index];
    if (kept) return at(kept);
    if (this.#stream?.chunk === index) return at(this.#stream.buffer);
    const rows = Math.min(this.#chunkRows, this.#block.rows - start);
    const bytes = rows * this.#rowBytes;
    const buffer = (await this.#keep(index, bytes)) ?? (await this.#streamed(index));
    try {
      await this.#gpu.upload(buffer, bytes, (into, from) => this.#copy(into, start, from), onSlice);
    } catch (error) {
      // A partly uploaded buffer must not be used.
      if (this.#stream) this.#stream.chunk = -1;
      if (this.#chunks[index]) {
        this.#gpu.free(buffer);
        this.#chunks[index] = undefined;
      }
      throw error;
    }
    return at(buffer);
  }

  async #keep(index: number, bytes: number): Promise<GPUBuffer | undefined> {
    if (this.#full || this.#gpu.buffers.bytes + bytes > this.#gpu.memory) return undefined;
    try {
      const buffer = await this.#gpu.allocate(bytes);
      this.#chunks[index] = buffer;
      return buffer;
    } catch (error) {
      if (!(error instanceof DeviceFailure) || this.#gpu.failure !== undefined) throw error;
      // The device is full. The other rows are uploaded for every pass.
      this.#full = true;
      return undefined;
    }
  }

  async #streamed(index: number): Promise<GPUBuffer> {
    this.#stream ??= { buffer: await this.#gpu.allocate(this.#chunkRows * this.#rowBytes), chunk: -1 };
    this.#stream.chunk = index;
    return this.#stream.buffer;
  }

  /** Copies stored bytes, from byte `from` of the chunk that starts at row `start`. */
  #copy(into: Uint8Array, start: number, from: number): void {
    const { data, stride, cols } = this.#block;
    const size = data.BYTES_PER_ELEMENT;
    const base = data.byteOffset + start * stride * size;
    if (stride === cols) {
      into.set(new Uint8Array(data.buffer as ArrayBuffer, base + from, into.length));
      return;
    }
    for (let done = 0; done < into.length; ) {
      const [row, within] = [Math.floor((from + done) / this.#rowBytes), (from + done) % this.#rowBytes];
      const count = Math.min(this.#rowBytes - within, into.length - done);
      into.set(new Uint8Array(data.buffer as ArrayBuffer, base + row * stride * size + within, count), done);
      done += count;
    }
  }

  release(): void {
    if (--this.#users > 0) return;
    for (const buffer of this.#chunks) if (buffer) this.#gpu.free(buffer);
    if (this.#stream) this.#gpu.free(this.#stream.buffer);
    this.#chunks.length = 0;
    this.#stream = undefined;
  }
}

import type { Scaler } from '../../data/blocks/block.js';
import { powerOfTwo } from '../../linalg/vector.js';
import { columnsCode, DECODE_PARAMS, decodeCode, STRIP, SUM_COLUMNS } from './decode-code.js';
import type { Gpu } from './device.js';
import { type GpuMatrix, padded } from './matrices.js';
import type { ResidentRows } from './resident.js';

/** Numbers of a slab. A pass decodes and multiplies the rows of a slab together. */
const SLAB = 2 ** 23;
const MOST_SLAB_ROWS = 8192;
/** Approximate operations to sum up a number. */
const SUM_COST = 100;

/** Returns the rows of a slab, which depend on the number of columns alone. */
export function slabRows(cols: number): number {
  return Math.max(64, Math.min(MOST_SLAB_ROWS, Math.floor(SLAB / padded(cols) / 64) * 64));
}

/** Decodes and scales rows on the device, slab by slab: the scaler and one slab of B. */
export class ScaledRows {
  readonly ld: number;
  readonly slab: number;
  readonly #gpu: Gpu;
  readonly #rows: ResidentRows;
  readonly #scaler: Scaler;
  readonly #cols: number;
  readonly #count: number;
  readonly #two: boolean;
  readonly #buffers: GPUBuffer[] = [];
  #columns!: GPUBuffer;
  #weights!: GPUBuffer;
  #flags!: GPUBuffer;
  #b!: GpuMatrix;

  private constructor(gpu: Gpu, rows: ResidentRows, count: number, cols: number, scaler: Scaler, two: boolean) {
    this.#gpu = gpu;
    this.#rows = rows;
    this.#scaler = scaler;
    this.#cols = cols;
    this.#count = count;
    this.#two = two;
    this.ld = padded(cols);
    this.slab = Math.min(slabRows(cols), padded(count));
  }

  /** If `two` is true, B has low parts too. `slab` may be smaller than usual. */
  static async make(
    gpu: Gpu,
    rows: ResidentRows,
    count: number,
    cols: number,
    scaler: Scaler,
    two: boolean,
  ): Promise<ScaledRows> {
    const scaled = new ScaledRows(gpu, rows, count, cols, scaler, two);
    try {
      await scaled.#allocate();
    } catch (error) {
      scaled.release();
      throw error;
    }
    return scaled;
  }

  async #allocate(): Promise<void> {
    const make = async (bytes: number): Promise<GPUBuffer> => {
      const buffer = await this.#gpu.allocate(bytes);
      this.#buffers.push(buffer);
      return buffer;
    };
    this.#columns = await make(this.ld * 32);
    this.#weights = await make(this.slab * 8);
    this.#flags = await make(this.slab * 4);
    const bytes = this.slab * this.ld * 4;
    this.#b = { high: await make(bytes), low: this.#two ? await make(bytes) : undefined, ld: this.ld };
    this.#gpu.write(this.#columns, columnVectors(this.#scaler, this.ld));
  }

  /** Yields the first row and the number of rows of each slab, or of slab `only`. */
  *slabs(only?: number): Generator<{ first: number; rows: number }> {
    for (let first = 0; first < this.#count; first += this.slab) {
      if (only !== undefined && first !== only * this.slab) continue;
      yield { first, rows: Math.min(this.slab, this.#count - first) };
    }
  }

  /** Decodes B of a slab, and overwrites the slab before it. */
  async decode(first: number, rows: number, onSlice: () => void | Promise<void>): Promise<GpuMatrix> {
    const gpu = this.#gpu;
    const { buffer, first: at } = await this.#rows.rows(first, onSlice);
    this.#writeWeights(first, rows);
    gpu.clear(this.#flags);
    const { type } = this.#rows;
    const pipeline = gpu.pipeline(`decode ${type} ${this.#two}`, () => decodeCode(type, this.#two, gpu.arithmetic));
    const { high, low } = this.#b;
    const buffers = [buffer, this.#columns, this.#weights, high, this.#flags, ...(low ? [low] : [])];
    gpu.dispatch(pipeline, this.#params(at, rows), buffers, [this.ld / 64, Math.ceil(padded(rows) / 4)]);
    return this.#b;
  }

  /** Returns the rows of the last decoded slab that have a value that is not finite. */
  badRows(rows: number): Promise<number[]> {
    return readFlags(this.#gpu, this.#flags, rows);
  }

  /** Sums the columns of a slab, strip by strip, from index `strip` on. Each strip has eight planes: see `columnsCode`. */
  async sums(
    first: number,
    rows: number,
    into: { sums: GPUBuffer; flags: GPUBuffer; strip: number },
    onSlice: () => void | Promise<void>,
  ): Promise<void> {
    const gpu = this.#gpu;
    const { buffer, first: at } = await this.#rows.rows(first, onSlice);
    this.#writeWeights(first, rows);
    const { type } = this.#rows;
    const pipeline = gpu.pipeline(`column sums ${type}`, () => columnsCode(type, gpu.arithmetic));
    const buffers = [buffer, this.#columns, this.#weights, into.sums, into.flags];
    const groups = [this.ld / SUM_COLUMNS, Math.ceil(rows / STRIP)] as const;
    gpu.dispatch(pipeline, this.#params(at, rows, into.strip), buffers, groups);
    await gpu.step(SUM_COST * rows * this.ld, onSlice);
  }

  release(): void {
    // Added commands use these buffers.
    this.#gpu.submit();
    for (const buffer of this.#buffers) this.#gpu.free(buffer);
    this.#buffers.length = 0;
  }

  #params(first: number, rows: number, strip = 0): number[] {
    const given: Record<(typeof DECODE_PARAMS)[number], number> = {
      first,
      rows,
      cols: this.#cols,
      ld: this.ld,
      weighted: this.#scaler.rootWeights ? 1 : 0,
      strip,
    };
    return DECODE_PARAMS.map((key) => given[key]);
  }

  #writeWeights(first: number, rows: number): void {
    const { rootWeights } = this.#scaler;
    if (!rootWeights) return;
    const parts = new Float32Array(2 * rows);
    for (let i = 0; i < rows; i++) {
      parts[2 * i] = rootWeights[first + i];
      parts[2 * i + 1] = rootWeights[first + i] - parts[2 * i];
    }
    this.#gpu.write(this.#weights, parts);
  }
}

/** Returns the indexes of the flags that are set. */
export async function readFlags(gpu: Gpu, flags: GPUBuffer, count: number): Promise<number[]> {
  const set: number[] = [];
  await gpu.read([flags], count, ([found], start) => {
    const bits = new Uint32Array(found.buffer, found.byteOffset, found.length);
    for (let i = 0; i < bits.length; i++) if (bits[i] !== 0) set.push(start + i);
  });
  return set;
}

/** Returns the shift and factor of each column in the layout of the kernels: see `decode-code.ts`. */
function columnVectors({ shift, factor }: Scaler, ld: number): Float32Array {
  const out = new Float32Array(8 * ld);
  for (let j = 0; j < shift.length; j++) {
    const power = factor[j] === 0 ? 1 : powerOfTwo(Math.abs(factor[j]));
    let rest = shift[j] * power;
    for (let part = 0; part < 3; part++) {
      out[8 * j + part] = rest;
      rest -= out[8 * j + part];
    }
    const left = factor[j] / power;
    out[8 * j + 3] = left;
    out[8 * j + 4] = left - out[8 * j + 3];
    out[8 * j + 5] = Math.round(Math.log2(power));
  }
  return out;
}

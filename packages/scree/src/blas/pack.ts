import type { DenseBlock, FloatArray, Scaler } from '@scree/core/data';
import type { Numbers } from './functions.js';
import { packBinary } from './pack-binary.js';
import { classOf, type RowWidths } from './row-widths.js';

/** Dense rows of float32 or float64, which BLAS can read. */
export type FloatBlock = DenseBlock & { readonly data: FloatArray };

/** The functions of assembly/pack.ts. */
interface Kernel {
  packRows(
    fromSingle: boolean,
    toSingle: boolean,
    source: number,
    stride: number,
    rows: number,
    cols: number,
    shift: number,
    factor: number,
    roots: number,
    out: number,
    outStride: number,
  ): void;
  packSummed(
    fromSingle: boolean,
    toSingle: boolean,
    source: number,
    stride: number,
    rows: number,
    cols: number,
    shift: number,
    factor: number,
    roots: number,
    out: number,
    outStride: number,
    summary: number,
    width: number,
  ): void;
  summariseRows(
    fromSingle: boolean,
    toSingle: boolean,
    source: number,
    stride: number,
    rows: number,
    cols: number,
    shift: number,
    factor: number,
    roots: number,
    summary: number,
    width: number,
  ): void;
  gatherRow(
    fromSingle: boolean,
    toSingle: boolean,
    source: number,
    columns: number,
    cols: number,
    shift: number,
    factor: number,
    root: number,
    out: number,
  ): void;
  columnsNeeded(single: boolean, source: number, columns: number, cols: number, shift: number): number;
}

/** Maximum rows that are staged together, and their maximum bytes: a part of the L2 cache. */
const STRIP_ROWS = 64;
const STRIP_BYTES = 2 ** 18;
/** Columns that are staged together. Not a power of two, so that the rows of a strip do not share cache sets. */
const CHUNK = 1000;
/** A memory of up to this many bytes is kept for the next pass, because allocating new memory takes longer than packing. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;
const PAGE = 65536;

/** A WebAssembly memory and its kernel. */
interface Workspace {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
}

/** The compiled kernel. Cached for the process. */
let compiled: WebAssembly.Module | undefined;
/** A workspace for the next pass. Cached for the process. */
let idle: Workspace | undefined;

function takeWorkspace(bytes: number): Workspace {
  const workspace = idle;
  if (workspace) {
    idle = undefined;
    // The memory grows in place. A second memory would reserve 10 GB of address space, which a limit may not allow.
    const missing = bytes - workspace.memory.buffer.byteLength;
    if (missing > 0) workspace.memory.grow(Math.ceil(missing / PAGE));
    return workspace;
  }
  compiled ??= new WebAssembly.Module(Uint8Array.from(Buffer.from(packBinary, 'base64')));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  return { memory, kernel: instance.exports as unknown as Kernel };
}

/** Returns true if memory for packing is available. It needs WebAssembly and enough address space. */
export function canPack(): boolean {
  try {
    idle ??= takeWorkspace(PAGE);
    return true;
  } catch {
    return false;
  }
}

/** Returns the rows of a strip of `width` columns. */
function stripRows(width: number, bytes: number): number {
  return Math.max(1, Math.min(STRIP_ROWS, Math.floor(STRIP_BYTES / (width * bytes))));
}

/** Packed rows of one class. */
export interface ClassTile {
  readonly numbers: Numbers;
  readonly rows: number;
  readonly width: number;
}

/**
 * Packs rows of a block into tiles that BLAS can read. A strip of rows is copied into WebAssembly memory, then scaled and written into a
 * tile. A few tiles are filled in turn, and BLAS reads them in place.
 */
export class Packer {
  readonly #workspace: Workspace;
  readonly #block: DenseBlock;
  readonly #single: boolean;
  readonly #width: number;
  readonly #at: Readonly<Record<'shift' | 'factor' | 'ordered' | 'columns' | 'summary' | 'roots' | 'stage', number>>;
  readonly #tiles: readonly number[];
  #columns = 0;

  /** Allocates `tiles` tiles of `rows` rows and `width` columns, of float32 if `single` is true. */
  constructor(block: DenseBlock, tiles: number, rows: number, width: number, single: boolean) {
    const bytes = block.data.BYTES_PER_ELEMENT;
    this.#block = block;
    this.#single = single;
    this.#width = width;
    // Address 0 means "none".
    let top = 64;
    const allocate = (size: number): number => {
      const start = top;
      top = Math.ceil((start + size) / 64) * 64;
      return start;
    };
    this.#at = {
      shift: allocate(8 * width),
      factor: allocate(8 * width),
      ordered: allocate(16 * width),
      columns: allocate(4 * width),
      summary: allocate(32 * width),
      roots: allocate(8 * STRIP_ROWS),
      stage: allocate(Math.max(STRIP_BYTES, width * bytes)),
    };
    const tile = rows * width * (single ? 4 : 8);
    this.#tiles = Array.from({ length: tiles }, () => allocate(tile));
    this.#workspace = takeWorkspace(top);
  }

  /** Releases the memory. No tile may be in use. */
  release(): void {
    const { byteLength } = this.#workspace.memory.buffer;
    if (byteLength <= MAX_KEPT_BYTES && byteLength >= (idle?.memory.buffer.byteLength ?? 0)) idle = this.#workspace;
  }

  /** Selects `width` columns from `left` on, and a scaler for them. */
  through(scaler: Pick<Scaler, 'shift' | 'factor'>, left = 0, width = this.#width): void {
    this.#doubles(this.#at.shift, width).set(scaler.shift.subarray(left, left + width));
    this.#doubles(this.#at.factor, width).set(scaler.factor.subarray(left, left + width));
    this.#columns = width;
  }

  /** Packs rows [from, from + rows) into tile `which`. Its first column is column `left` of the data. */
  pack(which: number, from: number, rows: number, roots: Float64Array | undefined, left = 0): Numbers {
    const { shift, factor, stage } = this.#at;
    const { start, stride, bytes } = this.#tile(which);
    for (let first = 0; first < this.#columns; first += CHUNK) {
      const width = Math.min(CHUNK, this.#columns - first);
      this.#strips(from, rows, left + first, width, roots, (done, count, rootsAt) => {
        this.#workspace.kernel.packRows(
          ...([this.#fromSingle, this.#single, stage, width * this.#block.data.BYTES_PER_ELEMENT, count] as const),
          ...([width, shift + 8 * first, factor + 8 * first, rootsAt] as const),
          ...([start + done * stride + first * bytes, stride] as const),
        );
      });
    }
    return this.#view(which, rows);
  }

  /** Packs all columns of the rows, and adds them to the summary. */
  packSummed(which: number, from: number, rows: number, roots: Float64Array | undefined): Numbers {
    const { shift, factor, summary, stage } = this.#at;
    const { start, stride } = this.#tile(which);
    this.#strips(from, rows, 0, this.#width, roots, (done, count, rootsAt) => {
      this.#workspace.kernel.packSummed(
        ...([this.#fromSingle, this.#single, stage, this.#width * this.#block.data.BYTES_PER_ELEMENT, count] as const),
        ...([this.#width, shift, factor, rootsAt] as const),
        ...([start + done * stride, stride, summary, 8 * this.#columns] as const),
      );
    });
    return this.#view(which, rows);
  }

  /**
   * Packs all rows into tiles of `height` rows of the same class, and adds them to the summary. `take` empties the summary about every
   * `height` rows; if it returns false, packing ends. A tile is yielded when it is full, and reused after `lanes` further tiles.
   */
  *packClasses(
    { order, widths }: RowWidths,
    height: number,
    lanes: number,
    scaler: Scaler,
    take: () => boolean,
  ): Generator<ClassTile> {
    const { shift, factor, ordered, columns, summary, stage } = this.#at;
    const { kernel } = this.#workspace;
    const [fromSingle, single] = [this.#fromSingle, this.#single];
    const bytes = this.#block.data.BYTES_PER_ELEMENT;
    const [cols, rowBytes, factors] = [this.#width, this.#width * bytes, ordered + 8 * this.#width];
    this.#doubles(ordered, cols).set(Float64Array.from(order, (j) => scaler.shift[j]));
    this.#doubles(factors, cols).set(Float64Array.from(order, (j) => scaler.factor[j]));
    this.#integers(columns, cols).set(order.map((j) => j * bytes));
    const free = this.#tiles.slice();
    const lent: number[] = [];
    const filling = widths.map((width) => ({ width, start: 0, rows: 0 }));
    const finish = (tile: { width: number; start: number; rows: number }): ClassTile => {
      const { width, start, rows } = tile;
      lent.push(start);
      if (lent.length > lanes) free.push(lent.shift() as number);
      tile.rows = 0;
      return { width, rows, numbers: this.#numbers(start, rows * width) };
    };
    const strip = stripRows(cols, bytes);
    let taken = 0;
    for (let from = 0; from < this.#block.rows; from += strip) {
      const count = Math.min(strip, this.#block.rows - from);
      this.#strips(from, count, 0, cols, scaler.rootWeights, (_, rows, rootsAt) => {
        kernel.summariseRows(
          ...([fromSingle, single, stage, rowBytes, rows, cols, shift, factor, rootsAt, summary, 8 * cols] as const),
        );
      });
      for (let i = 0; i < count; i++) {
        const source = stage + i * rowBytes;
        const tile = filling[classOf(widths, kernel.columnsNeeded(fromSingle, source, columns, cols, ordered))];
        if (tile.rows === 0) tile.start = free.pop() as number;
        const out = tile.start + tile.rows++ * tile.width * (single ? 4 : 8);
        const root = scaler.rootWeights ? scaler.rootWeights[from + i] : 1;
        kernel.gatherRow(fromSingle, single, source, columns, tile.width, ordered, factors, root, out);
        if (tile.rows === height) yield finish(tile);
      }
      if (from + count - taken < height && from + count < this.#block.rows) continue;
      if (!take()) return;
      taken = from + count;
    }
    for (const tile of filling) if (tile.rows > 0) yield finish(tile);
  }

  /** Adds rows to the summary of the columns from `left` on, without packing them. */
  summarise(from: number, rows: number, roots: Float64Array | undefined, left = 0): void {
    const { shift, factor, summary, stage } = this.#at;
    for (let first = 0; first < this.#columns; first += CHUNK) {
      const width = Math.min(CHUNK, this.#columns - first);
      this.#strips(from, rows, left + first, width, roots, (_, count, rootsAt) => {
        this.#workspace.kernel.summariseRows(
          ...([this.#fromSingle, this.#single, stage, width * this.#block.data.BYTES_PER_ELEMENT, count] as const),
          ...([width, shift + 8 * first, factor + 8 * first, rootsAt] as const),
          ...([summary + 8 * first, 8 * this.#columns] as const),
        );
      });
    }
  }

  /** Returns views of the sums, minima, maxima and sums of squares of the columns. */
  summary(): { sums: Float64Array; min: Float64Array; max: Float64Array; squares: Float64Array } {
    const width = this.#columns;
    const [sums, min, max, squares] = [0, 1, 2, 3].map((part) =>
      this.#doubles(this.#at.summary + part * 8 * width, width),
    );
    return { sums, min, max, squares };
  }

  /** Resets the summary. */
  clearSummary(): void {
    const { sums, min, max, squares } = this.summary();
    sums.fill(0);
    squares.fill(0);
    min.fill(Number.POSITIVE_INFINITY);
    max.fill(Number.NEGATIVE_INFINITY);
  }

  get #fromSingle(): boolean {
    return this.#block.data.BYTES_PER_ELEMENT === 4;
  }

  #tile(which: number): { start: number; stride: number; bytes: number } {
    const bytes = this.#single ? 4 : 8;
    return { start: this.#tiles[which % this.#tiles.length], stride: this.#columns * bytes, bytes };
  }

  #view(which: number, rows: number): Numbers {
    return this.#numbers(this.#tile(which).start, rows * this.#columns);
  }

  #numbers(start: number, length: number): Numbers {
    return new (this.#single ? Float32Array : Float64Array)(this.#workspace.memory.buffer, start, length);
  }

  /** Stages columns [left, left + width) of the rows strip by strip, and the roots of their weights. */
  #strips(
    from: number,
    rows: number,
    left: number,
    width: number,
    roots: Float64Array | undefined,
    visit: (done: number, count: number, rootsAt: number) => void,
  ): void {
    const { data, stride } = this.#block;
    const { stage } = this.#at;
    const { buffer } = this.#workspace.memory;
    const whole = width === stride;
    const strip = stripRows(width, data.BYTES_PER_ELEMENT);
    for (let done = 0; done < rows; done += strip) {
      const count = Math.min(strip, rows - done);
      const first = from + done;
      const target = this.#fromSingle
        ? new Float32Array(buffer, stage, count * width)
        : new Float64Array(buffer, stage, count * width);
      if (whole) {
        target.set(data.subarray(first * stride, (first + count) * stride));
      } else {
        for (let i = 0; i < count; i++) {
          const at = (first + i) * stride + left;
          target.set(data.subarray(at, at + width), i * width);
        }
      }
      if (roots) {
        const staged = this.#doubles(this.#at.roots, count);
        for (let i = 0; i < count; i++) staged[i] = roots[first + i];
      }
      visit(done, count, roots ? this.#at.roots : 0);
    }
  }

  #doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.#workspace.memory.buffer, start, length);
  }

  #integers(start: number, length: number): Int32Array {
    return new Int32Array(this.#workspace.memory.buffer, start, length);
  }
}

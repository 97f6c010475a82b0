import type { DenseBlock, Frame } from '@scree/core';
import type { Numbers } from './functions.js';
import { packBinary } from './pack-binary.js';

/** The functions of assembly/pack.ts. */
interface Kernel {
  packRows(
    fromSingle: boolean,
    toSingle: boolean,
    source: number,
    stride: number,
    rows: number,
    runs: number,
    runCount: number,
    shift: number,
    factor: number,
    roots: number,
    out: number,
    outStride: number,
    summary: number,
    width: number,
  ): void;
  summariseRows(
    single: boolean,
    source: number,
    stride: number,
    rows: number,
    runs: number,
    runCount: number,
    shift: number,
    factor: number,
    roots: number,
    summary: number,
    width: number,
  ): void;
}

/** Most rows that are staged at a time, and the bytes they may have: a part of the second-level cache. */
const STRIP_ROWS = 64;
const STRIP_BYTES = 2 ** 18;
/** Rooms of up to this many bytes are kept for the next pass: fresh memory costs more than packing does. */
const KEPT = 64 * 2 ** 20;
const PAGE = 65536;

/** A memory and the kernel that works in it. */
interface Room {
  readonly memory: WebAssembly.Memory;
  readonly kernel: Kernel;
}

let compiled: WebAssembly.Module | undefined;
let idle: Room | undefined;

function takeRoom(bytes: number): Room {
  const room = idle;
  if (room && room.memory.buffer.byteLength >= bytes) {
    idle = undefined;
    return room;
  }
  compiled ??= new WebAssembly.Module(Uint8Array.from(Buffer.from(packBinary, 'base64')));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  return { memory, kernel: instance.exports as unknown as Kernel };
}

/** Rows in a strip of `width` numbers of the block's own type. */
export function stripRows(width: number, bytes: number): number {
  return Math.max(1, Math.min(STRIP_ROWS, Math.floor(STRIP_BYTES / (width * bytes))));
}

/**
 * Packs rows of a block into tiles that BLAS can read: a strip of rows is copied into WebAssembly memory as it is, then
 * goes through the frame into a tile. There are a few tiles, filled in turn; BLAS reads them where they lie.
 */
export class Packer {
  readonly #room: Room;
  readonly #block: DenseBlock;
  readonly #single: boolean;
  readonly #width: number;
  readonly #strip: number;
  readonly #at: Readonly<Record<'shift' | 'factor' | 'runs' | 'summary' | 'roots' | 'stage', number>>;
  readonly #tiles: readonly number[];
  #runCount = 0;
  #columns = 0;

  /** Room for `tiles` tiles of `rows` rows and `width` columns, in float32 where `single`. */
  constructor(block: DenseBlock, tiles: number, rows: number, width: number, single: boolean) {
    const bytes = block.data.BYTES_PER_ELEMENT;
    this.#block = block;
    this.#single = single;
    this.#width = width;
    this.#strip = stripRows(width, bytes);
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
      runs: allocate(8 * width),
      summary: allocate(32 * width),
      roots: allocate(8 * this.#strip),
      stage: allocate(this.#strip * width * bytes),
    };
    const tile = rows * width * (single ? 4 : 8);
    this.#tiles = Array.from({ length: tiles }, () => allocate(tile));
    this.#room = takeRoom(top);
  }

  /** Gives the memory back: no tile may be in use any more. */
  release(): void {
    const { byteLength } = this.#room.memory.buffer;
    if (byteLength <= KEPT && byteLength >= (idle?.memory.buffer.byteLength ?? 0)) idle = this.#room;
  }

  /** The columns from `left` on, `width` of them, seen through a frame. */
  through(frame: Pick<Frame, 'shift' | 'factor'>, left = 0, width = this.#width): void {
    this.#doubles(this.#at.shift, width).set(frame.shift.subarray(left, left + width));
    this.#doubles(this.#at.factor, width).set(frame.factor.subarray(left, left + width));
    this.#integers(this.#at.runs, 2).set([0, width]);
    this.#runCount = 1;
    this.#columns = width;
  }

  /** Some columns in some order, seen through a frame. Neighbours in both make a run. */
  throughColumns(frame: Pick<Frame, 'shift' | 'factor'>, columns: readonly number[]): void {
    const shift = this.#doubles(this.#at.shift, columns.length);
    const factor = this.#doubles(this.#at.factor, columns.length);
    const runs: number[] = [];
    columns.forEach((column, position) => {
      shift[position] = frame.shift[column];
      factor[position] = frame.factor[column];
      if (position > 0 && columns[position - 1] === column - 1) runs[runs.length - 1]++;
      else runs.push(column, 1);
    });
    this.#integers(this.#at.runs, runs.length).set(runs);
    this.#runCount = runs.length / 2;
    this.#columns = columns.length;
  }

  /** Rows `from` to `from + rows` − 1 as the packed tile `which`; `left` is the first column of what is staged. */
  pack(which: number, from: number, rows: number, roots: Float64Array | undefined, left = 0, summed = false): Numbers {
    const { shift, factor, runs, summary, stage } = this.#at;
    const start = this.#tiles[which % this.#tiles.length];
    const stride = this.#columns * (this.#single ? 4 : 8);
    const staged = summed ? this.#width : this.#columns;
    this.#strips(from, rows, staged, left, roots, (done, count, rootsAt) => {
      this.#room.kernel.packRows(
        ...([this.#fromSingle, this.#single, stage, staged * this.#block.data.BYTES_PER_ELEMENT, count] as const),
        ...([runs, this.#runCount, shift, factor, rootsAt, start + done * stride, stride] as const),
        ...([summed ? summary : 0, this.#columns * 8] as const),
      );
    });
    const { buffer } = this.#room.memory;
    return this.#single
      ? new Float32Array(buffer, start, rows * this.#columns)
      : new Float64Array(buffer, start, rows * this.#columns);
  }

  /** Adds rows to the summary of all columns, and packs nothing; `step` − 1 rows are left out between two. */
  summarise(from: number, rows: number, roots: Float64Array | undefined, step = 1): void {
    const { shift, factor, runs, summary, stage } = this.#at;
    this.#strips(
      from,
      rows,
      this.#width,
      0,
      roots,
      (_, count, rootsAt) =>
        this.#room.kernel.summariseRows(
          ...([this.#fromSingle, stage, this.#width * this.#block.data.BYTES_PER_ELEMENT, count] as const),
          ...([runs, this.#runCount, shift, factor, rootsAt, summary, this.#columns * 8] as const),
        ),
      step,
    );
  }

  /** Sums, least, greatest and squares of the columns, as they stand: views. */
  summary(): { sums: Float64Array; min: Float64Array; max: Float64Array; squares: Float64Array } {
    const width = this.#columns;
    const [sums, min, max, squares] = [0, 1, 2, 3].map((part) =>
      this.#doubles(this.#at.summary + part * 8 * width, width),
    );
    return { sums, min, max, squares };
  }

  /** Starts the summary anew. */
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

  /** Stages rows strip by strip, columns `left` to `left + width` − 1, and their roots of weights. */
  #strips(
    from: number,
    rows: number,
    width: number,
    left: number,
    roots: Float64Array | undefined,
    visit: (done: number, count: number, rootsAt: number) => void,
    step = 1,
  ): void {
    const { data, stride } = this.#block;
    const { stage } = this.#at;
    const { buffer } = this.#room.memory;
    const whole = step === 1 && width === stride;
    for (let done = 0; done < rows; done += this.#strip) {
      const count = Math.min(this.#strip, rows - done);
      const first = from + done * step;
      const target = this.#fromSingle
        ? new Float32Array(buffer, stage, count * width)
        : new Float64Array(buffer, stage, count * width);
      if (whole) {
        target.set(data.subarray(first * stride, (first + count) * stride));
      } else {
        for (let i = 0; i < count; i++) {
          const at = (first + i * step) * stride + left;
          target.set(data.subarray(at, at + width), i * width);
        }
      }
      if (roots) {
        const staged = this.#doubles(this.#at.roots, count);
        for (let i = 0; i < count; i++) staged[i] = roots[first + i * step];
      }
      visit(done, count, roots ? this.#at.roots : 0);
    }
  }

  #doubles(start: number, length: number): Float64Array {
    return new Float64Array(this.#room.memory.buffer, start, length);
  }

  #integers(start: number, length: number): Int32Array {
    return new Int32Array(this.#room.memory.buffer, start, length);
  }
}

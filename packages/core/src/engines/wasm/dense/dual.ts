import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { OnStep } from '../../engine.js';
import type { JobRunner } from '../threads/job-runner.js';
import { Chunk } from './chunk.js';
import { chunkCols, groupLines, slotBytes, TILE } from './layout.js';

interface LineOptions {
  /** True for panels of float32. */
  readonly float32?: boolean;
  readonly chunks?: number;
  readonly padding?: number;
}

/** Some rows of a block as lines of slots. A tile has TILE columns and `groups` slots of rows. */
export class RowLines {
  readonly groups: number;
  readonly slot: number;
  readonly tile: number;
  /** True if jobs copy the rows. This needs rows in shared memory. */
  readonly byJobs: boolean;
  readonly #runner: JobRunner;
  readonly #first: number;
  readonly #rows: number;
  readonly #width: number;
  readonly #float32: boolean;
  readonly #raw: Chunk[];
  readonly #slots: number[];
  /** Addresses of the scaler's numbers. */
  readonly shift: number;
  readonly factor: number;

  /** Allocates `chunks` chunks of up to `cols` columns of the rows, with `padding` numbers after each row. */
  constructor(
    runner: JobRunner,
    { block, scaler, first, count: rows }: RowRange,
    cols: number,
    { float32 = false, chunks = 2, padding = 0 }: LineOptions = {},
  ) {
    const { kernels } = runner;
    this.#runner = runner;
    this.byJobs = runner.copiesFrom(block.data);
    this.#first = first;
    this.#rows = rows;
    this.#float32 = float32;
    this.#width = groupLines(rows);
    this.groups = Math.ceil(rows / this.#width);
    this.slot = slotBytes(Math.min(rows, this.#width), Math.min(cols, TILE), float32);
    this.tile = this.slot * this.groups;
    const buffers = Math.ceil(block.cols / cols);
    this.#raw = Array.from(
      { length: Math.min(chunks, buffers) },
      () => new Chunk(kernels, block, scaler, rows, cols, padding),
    );
    this.#slots = Array.from({ length: Math.min(2, buffers) }, () =>
      kernels.allocate(Math.ceil(cols / TILE) * this.tile),
    );
    this.shift = kernels.put(scaler.shift);
    this.factor = kernels.put(scaler.factor);
  }

  /** Returns chunk c in its stored type. */
  raw(c: number): Chunk {
    return this.#raw[c % this.#raw.length];
  }

  load(c: number, left: number, right: number): void {
    if (!this.byJobs) this.raw(c).load(this.#first, this.#rows, left, right);
  }

  addCopies(c: number, left: number, right: number): void {
    if (this.byJobs) this.raw(c).addCopies(this.#runner, this.#first, this.#rows, left, right);
  }

  pack(c: number, left: number): void {
    const raw = this.raw(c);
    for (let t = 0; t * TILE < raw.cols; t++) {
      for (let g = 0; g < this.groups; g++) {
        const row = g * this.#width;
        const column = (left + t * TILE) * 8;
        this.#runner.addJob(
          'packRows',
          raw.start + (row * raw.stride + t * TILE) * raw.bytes,
          raw.type,
          raw.stride,
          Math.min(this.#width, this.#rows - row),
          Math.min(TILE, raw.cols - t * TILE),
          row,
          this.shift + column,
          this.factor + column,
          raw.roots === 0 ? 0 : raw.roots + row * 8,
          this.slotAt(c, t, g),
          this.#float32 ? 1 : 0,
        );
      }
    }
  }

  slotAt(c: number, t: number, g: number): number {
    return this.#slots[c % 2] + t * this.tile + g * this.slot;
  }

  /**
   * Adds the products of chunk c with the same columns of `right` to `sums`, which has `size` columns. If `right` is this object, only the
   * upper triangle is computed.
   */
  multiply(c: number, right: RowLines, sums: number, size: number): void {
    const same = right === this;
    const tiles = Math.ceil(this.raw(c).cols / TILE);
    for (let g = 0; g < this.groups; g++) {
      for (let h = same ? g : 0; h < right.groups; h++) {
        const [from, to] = [this.slotAt(c, 0, g), right.slotAt(c, 0, h)];
        const [upper, narrow] = [same && g === h ? 1 : 0, this.#float32 ? 1 : 0];
        this.#runner.addJob('multiplySlots', from, this.tile, to, right.tile, tiles, sums, size, upper, narrow, 1, 0);
      }
    }
  }
}

/** Consecutive rows of a block, and their scaler. */
export interface RowRange {
  readonly block: DenseBlock;
  readonly scaler: Scaler;
  readonly first: number;
  readonly count: number;
}

/**
 * Computes K = B₁B₂ᵀ of two row ranges and returns its address. If the ranges are the same, only the upper triangle is computed. The
 * columns are read chunk by chunk, each number once.
 */
export async function multiplyRows(
  runner: JobRunner,
  a: RowRange,
  b: RowRange,
  float32: boolean,
  onStep: OnStep,
): Promise<number> {
  const d = a.block.cols;
  const same = a.block === b.block && a.first === b.first;
  const width = Math.min(d, chunkCols(Math.max(a.count, b.count)));
  const sums = runner.kernels.zeros(a.count * b.count);
  const left = new RowLines(runner, a, width, { float32 });
  const right = same ? left : new RowLines(runner, b, width, { float32 });
  const sides = same ? [left] : [left, right];
  const tiles = Math.ceil(width / TILE);
  const copies = left.byJobs || right.byJobs ? a.count + b.count : 0;
  runner.reserve(left.groups * right.groups + tiles * (left.groups + right.groups) + copies);
  const chunks = Math.ceil(d / width);
  const load = (c: number): void => {
    if (c < chunks) for (const side of sides) side.load(c, c * width, Math.min(d, (c + 1) * width));
  };
  const pack = (c: number): void => {
    if (c < chunks) for (const side of sides) side.pack(c, c * width);
  };
  const copy = (c: number): void => {
    if (c < chunks) for (const side of sides) side.addCopies(c, c * width, Math.min(d, (c + 1) * width));
  };
  load(0);
  if (copies > 0) {
    copy(0);
    await runner.runJobs(onStep);
  }
  pack(0);
  copy(1);
  await runner.runJobs(onStep, () => load(1));
  for (let c = 0; c < chunks; c++) {
    left.multiply(c, right, sums, b.count);
    pack(c + 1);
    copy(c + 2);
    await runner.runJobs(onStep, () => load(c + 2));
    await onStep(0);
  }
  return sums;
}

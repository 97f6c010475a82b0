import type { SeekableBytes } from '../archive/zip.js';
import type { BufferPool } from '../bytes/buffer-pool.js';
import type { PageTools } from './codecs.js';
import type { ChunkPlace } from './footer.js';
import { NumberColumnDecoder, type NumberColumnSpec } from './number-column.js';
import { type PageBudget, Scratch, Share } from './pages.js';

/** Columns whose first bytes are read at once. */
const AT_A_TIME = 8;
/** Numbers that are written to a block before the next columns follow: a part of the block that stays in the processor's cache. */
const TILE = 1 << 15;
/** Bytes that are read ahead for each column. */
const [LEAST_WINDOW, MOST_WINDOW] = [1 << 12, 1 << 18];

/** One reading of columns of numbers, as plain data: it may be sent to a thread. */
export interface NumberTask {
  readonly columns: readonly NumberColumnSpec[];
  /** Rows of each group. */
  readonly groups: readonly number[];
  /** The chunks of each group, in the order of the columns. */
  readonly places: readonly (readonly ChunkPlace[])[];
  /** Numbers per row of a block. */
  readonly stride: number;
  /** Bytes that are read ahead for all columns together. */
  readonly ahead: number;
  readonly budget: PageBudget;
}

/** How many numbers were rounded, by column of the block. */
export type RoundedSlots = readonly (readonly [slot: number, count: number])[];

/** Decodes the numbers of one reading, from the first row to the last. */
export interface NumberDecoder {
  /** Writes the next rows to the beginning of a block. */
  fill(block: Float32Array | Float64Array, rows: number): Promise<RoundedSlots>;
  /** Ends the reading, after a call that is under way. */
  close(): Promise<void>;
}

export class LocalDecoder implements NumberDecoder {
  readonly #task: NumberTask;
  readonly #columns: readonly NumberColumnDecoder[];
  readonly #scratch: Scratch;
  readonly #tile: number;
  #group = -1;
  #left = 0;
  /** Rows of the groups before. */
  #before = 0;

  constructor(file: SeekableBytes, tools: PageTools, task: NumberTask, pool: BufferPool) {
    this.#task = task;
    const { columns, ahead, budget, stride } = task;
    this.#scratch = new Scratch(new Share(file.path, budget), pool);
    const window = windowOf(ahead, columns.length);
    this.#columns = columns.map(
      (spec) => new NumberColumnDecoder(spec, { file, tools, budget, pool, window, scratch: this.#scratch }),
    );
    this.#tile = Math.max(16, Math.floor(TILE / Math.max(1, stride)));
  }

  async fill(block: Float32Array | Float64Array, rows: number): Promise<RoundedSlots> {
    const rounded = new Map<number, number>();
    for (let done = 0; done < rows; ) {
      if (this.#left === 0) await this.#nextGroup();
      const count = Math.min(this.#tile, this.#left, rows - done);
      for (const column of this.#columns) {
        for (let written = 0; written < count; ) {
          if (column.ready === 0) await column.load();
          const some = Math.min(count - written, column.ready);
          addRounded(column, some, rounded);
          column.write(block, done + written, this.#task.stride, some);
          written += some;
        }
      }
      done += count;
      this.#left -= count;
    }
    return [...rounded];
  }

  async close(): Promise<void> {
    this.#scratch.release();
    for (const column of this.#columns) column.release();
  }

  async #nextGroup(): Promise<void> {
    const { groups, places } = this.#task;
    if (this.#group >= 0) this.#before += groups[this.#group];
    do this.#group++;
    while (groups[this.#group] === 0);
    this.#left = groups[this.#group];
    this.#columns.forEach((column, c) => {
      column.start(places[this.#group][c], this.#left, this.#before);
    });
    for (let at = 0; at < this.#columns.length; at += AT_A_TIME)
      await Promise.all(this.#columns.slice(at, at + AT_A_TIME).map((column) => column.prefetch()));
  }
}

/** Bytes that are read ahead for each of some columns. */
export function windowOf(ahead: number, columns: number): number {
  return Math.max(LEAST_WINDOW, Math.min(MOST_WINDOW, Math.floor(ahead / Math.max(1, columns))));
}

function addRounded(column: NumberColumnDecoder, rows: number, rounded: Map<number, number>): void {
  const sums = column.roundedIn(rows);
  if (!sums) return;
  const { entries, slots } = column.spec;
  entries.forEach((entry, i) => {
    if (sums[entry] > 0) rounded.set(slots[i], (rounded.get(slots[i]) ?? 0) + sums[entry]);
  });
}

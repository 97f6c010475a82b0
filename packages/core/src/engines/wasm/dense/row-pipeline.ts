import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { OnStep } from '../../engine.js';
import type { JobRunner } from '../threads/job-runner.js';
import { Chunk, copiedRows } from './chunk.js';
import { chunkTiles, groupLines, passRows, slotBytes, tileRows } from './layout.js';

/** Maximum columns per packing job: a whole number of slots, few enough that several threads can share a tile. */
const PACKED = 256;

/** A chunk of rows in panels. A tile has up to `height` rows and `groups` slots of columns. */
export interface Packed {
  /** Its first row. */
  readonly first: number;
  readonly rows: number;
  readonly tiles: number;
  /** Addresses of its slots and its statistics. */
  readonly slots: number;
  readonly stats: number;
  /** The buffer that holds it. */
  readonly buffer: 0 | 1;
}

/** The steps of a pass for each chunk. */
export interface ChunkSteps {
  /** Adds jobs that run together with the packing jobs. */
  begin?: (chunk: Packed) => void;
  /** Adds the jobs of the chunk. */
  first?: ((chunk: Packed) => void) | undefined;
  /** Adds jobs that run after those of `first`, because they need their results. */
  second?: (chunk: Packed) => void;
  /** Called when all jobs of the chunk are done. */
  after?: ((chunk: Packed) => void) | undefined;
}

export interface PipelineOptions {
  /** Panels of float32. */
  readonly float32?: boolean;
  /** True if rows are packed, false if they are only summed up. */
  readonly slots?: boolean;
  /** True if statistics are kept. */
  readonly stats?: boolean;
  /** True if the pass computes d × d sums. */
  readonly squares?: boolean;
}

/**
 * Streams rows through the memory, chunk by chunk. This thread copies a chunk in while jobs pack the previous chunk and multiply the chunk
 * before that. Jobs also copy shared data.
 */
export class RowPipeline {
  readonly height: number;
  readonly groups: number;
  readonly width: number;
  readonly slot: number;
  /** Bytes of a tile: the distance between the same slot of two tiles. */
  readonly tile: number;
  readonly #runner: JobRunner;
  readonly #block: DenseBlock;
  readonly #float32: boolean;
  /** True if jobs copy the rows. This needs rows in shared memory. */
  readonly #byJobs: boolean;
  readonly #chunkRows: number;
  readonly #chunks: number;
  readonly #raw: Chunk[] = [];
  readonly #slots: number[] = [];
  readonly #stats: number[] = [];
  readonly #shift: number;
  readonly #factor: number;

  constructor(
    runner: JobRunner,
    block: DenseBlock,
    scaler: Scaler,
    { float32 = false, slots = true, stats = false, squares = false }: PipelineOptions = {},
  ) {
    const { rows: n, cols: d } = block;
    const { kernels } = runner;
    this.#runner = runner;
    this.#block = block;
    this.#byJobs = runner.copiesFrom(block.data);
    this.#float32 = float32;
    this.height = Math.min(Math.ceil(n / 8) * 8, squares ? tileRows(d) : passRows(d));
    this.width = groupLines(d);
    this.groups = Math.ceil(d / this.width);
    this.slot = slotBytes(Math.min(d, this.width), this.height, float32);
    this.tile = this.slot * this.groups;
    const tiles = Math.min(Math.ceil(n / this.height), chunkTiles(d, this.height));
    this.#chunkRows = tiles * this.height;
    this.#chunks = Math.ceil(n / this.#chunkRows);
    this.#shift = kernels.put(scaler.shift);
    this.#factor = kernels.put(scaler.factor);
    for (let buffer = 0; buffer < Math.min(2, this.#chunks); buffer++) {
      this.#raw.push(new Chunk(kernels, block, scaler, Math.min(n, this.#chunkRows), d));
      this.#slots.push(slots ? kernels.allocate(tiles * this.tile) : 0);
      this.#stats.push(stats ? kernels.allocate(tiles * 4 * d * 8) : 0);
    }
  }

  /** Maximum tiles of a chunk. */
  get tiles(): number {
    return this.#chunkRows / this.height;
  }

  /** Maximum number of jobs to pack a chunk and copy another. */
  get packJobs(): number {
    const { data, cols } = this.#block;
    const copies = this.#byJobs ? Math.ceil(this.#chunkRows / copiedRows(cols * data.BYTES_PER_ELEMENT)) : 0;
    return this.tiles * Math.ceil(cols / PACKED) + copies;
  }

  /** Rows of tile t of a chunk. */
  rowsOf(chunk: Packed, t: number): number {
    return Math.min(this.height, chunk.rows - t * this.height);
  }

  async run(onStep: OnStep, steps: ChunkSteps): Promise<void> {
    const runner = this.#runner;
    const go: OnStep = () => onStep(0);
    this.#load(0);
    if (this.#byJobs) {
      this.#addCopies(0);
      await runner.runJobs(go);
    }
    this.#pack(0, steps);
    this.#addCopies(1);
    await runner.runJobs(go, this.#loading(1));
    for (let c = 0; c < this.#chunks; c++) {
      const chunk = this.#chunk(c);
      if (steps.first && steps.second) {
        steps.first(chunk);
        await runner.runJobs(go);
      }
      (steps.second ?? steps.first)?.(chunk);
      this.#pack(c + 1, steps);
      this.#addCopies(c + 2);
      await runner.runJobs(go, this.#loading(c + 2));
      steps.after?.(chunk);
      await onStep(chunk.rows);
    }
  }

  #chunk(c: number): Packed {
    const first = c * this.#chunkRows;
    const rows = Math.min(this.#chunkRows, this.#block.rows - first);
    const buffer = (c % 2) as 0 | 1;
    return {
      first,
      rows,
      tiles: Math.ceil(rows / this.height),
      slots: this.#slots[buffer],
      stats: this.#stats[buffer],
      buffer,
    };
  }

  /** Returns a function that copies a chunk in while jobs run, or undefined after the last chunk. */
  #loading(c: number): (() => void) | undefined {
    return c < this.#chunks ? () => this.#load(c) : undefined;
  }

  /** Copies a chunk in, unless jobs copy it. */
  #load(c: number): void {
    if (c >= this.#chunks || this.#byJobs) return;
    const { first, rows, buffer } = this.#chunk(c);
    this.#raw[buffer].load(first, rows, 0, this.#block.cols);
  }

  #addCopies(c: number): void {
    if (c >= this.#chunks || !this.#byJobs) return;
    const { first, rows, buffer } = this.#chunk(c);
    this.#raw[buffer].addCopies(this.#runner, first, rows, 0, this.#block.cols);
  }

  #pack(c: number, steps: ChunkSteps): void {
    if (c >= this.#chunks) return;
    const chunk = this.#chunk(c);
    const { slots, stats, tiles, buffer } = chunk;
    const raw = this.#raw[buffer];
    const d = this.#block.cols;
    for (let t = 0; t < tiles; t++) {
      for (let left = 0; left < d; left += PACKED) {
        this.#runner.addJob(
          'packColumns',
          raw.start + (t * this.height * d + left) * raw.bytes,
          raw.type,
          d,
          this.rowsOf(chunk, t),
          Math.min(PACKED, d - left),
          left,
          this.#shift + left * 8,
          this.#factor + left * 8,
          raw.roots === 0 ? 0 : raw.roots + t * this.height * 8,
          slots === 0 ? 0 : slots + t * this.tile + (left / this.width) * this.slot,
          this.#float32 ? 1 : 0,
          stats === 0 ? 0 : stats + (t * 4 * d + left) * 8,
          d * 8,
          this.width,
          this.slot,
        );
      }
    }
    steps.begin?.(chunk);
  }
}

import type { JobRunner } from '../threads/job-runner.js';
import { HEADER, slotBytes } from './layout.js';
import type { Packed, RowPipeline } from './row-pipeline.js';

/** Vectors per slot of scores. */
const WIDTH = 64;
/** Maximum collecting jobs per slot of scores. */
const JOBS = 64;

/** Scores of the tiles of a chunk, stored as slots. The lines of a slot are up to 64 of the k vectors, and its steps are the tile's rows. */
export class Scores {
  readonly #runner: JobRunner;
  readonly #pipeline: RowPipeline;
  readonly #k: number;
  readonly #slot: number;
  readonly #tile: number;
  /** Rows per scoring job: an eighth of a tile, so that there are jobs for all threads. */
  readonly #strip: number;
  readonly #groups: number;
  readonly #slots: [number, number];

  constructor(runner: JobRunner, pipeline: RowPipeline, k: number) {
    this.#runner = runner;
    this.#pipeline = pipeline;
    this.#k = k;
    this.#groups = Math.ceil(k / WIDTH);
    this.#slot = slotBytes(Math.min(k, WIDTH), pipeline.height, false);
    this.#tile = this.#slot * this.#groups;
    this.#strip = runner.workers === 0 ? pipeline.height : Math.max(4, Math.ceil(pipeline.height / 32) * 4);
    const bytes = pipeline.tiles * this.#tile;
    this.#slots = [runner.kernels.allocate(bytes), runner.kernels.allocate(bytes)];
    for (const slots of this.#slots) this.#nameLines(slots);
  }

  /** Maximum number of jobs that score a chunk. */
  get scoreJobs(): number {
    return this.#pipeline.tiles * this.#groups * Math.ceil(this.#pipeline.height / this.#strip);
  }
  get collectJobs(): number {
    return this.#groups * Math.ceil(this.#pipeline.groups / this.#together);
  }

  /** Column slots per collecting job. Very wide data have thousands of slots, and one slot is too little work for a job. */
  get #together(): number {
    return Math.ceil(this.#pipeline.groups / JOBS);
  }

  /** Y = BVᵀ for a chunk; `vectors` are k packed vectors of length d. */
  score(chunk: Packed, vectors: number, d: number): void {
    const { slot, tile, groups } = this.#pipeline;
    const step = this.#strip;
    for (let t = 0; t < chunk.tiles; t++) {
      const rows = this.#pipeline.rowsOf(chunk, t);
      for (let q = 0; q < this.#groups; q++) {
        const k = Math.min(WIDTH, this.#k - q * WIDTH);
        const out = this.#slots[chunk.buffer] + t * this.#tile + q * this.#slot;
        const packed = vectors + q * WIDTH * d * 8;
        for (let from = 0; from < rows; from += step) {
          const to = Math.min(rows, from + step);
          this.#runner.addJob('scoreSlots', chunk.slots + t * tile, slot, groups, rows, from, to, packed, k, d, out);
        }
      }
    }
  }

  /** Packs given scores (rows × k at `source`) into slots. `shift` and `factor` are k zeros and k ones, so the scores are not scaled. */
  pack(chunk: Packed, source: number, shift: number, factor: number): void {
    const k = this.#k;
    for (let t = 0; t < chunk.tiles; t++) {
      const rows = this.#pipeline.rowsOf(chunk, t);
      const from = source + t * this.#pipeline.height * k * 8;
      const out = this.#slots[chunk.buffer] + t * this.#tile;
      this.#runner.addJob('packColumns', from, 0, k, rows, k, 0, shift, factor, 0, out, 0, 0, 0, WIDTH, this.#slot);
    }
  }

  /** Z += YᵀB for a chunk; Z is k × d at `sums`. */
  collect(chunk: Packed, sums: number, d: number): void {
    const { slot, tile, groups } = this.#pipeline;
    const together = this.#together;
    for (let q = 0; q < this.#groups; q++) {
      const left = this.#slots[chunk.buffer] + q * this.#slot;
      for (let g = 0; g < groups; g += together) {
        const [right, count] = [chunk.slots + g * slot, Math.min(together, groups - g)];
        this.#runner.addJob('multiplySlots', left, this.#tile, right, tile, chunk.tiles, sums, d, 0, 0, count, slot);
      }
    }
  }

  /** Copies the scores of a chunk to their rows of `out` (n × k). */
  read(chunk: Packed, out: Float64Array): void {
    const k = this.#k;
    for (let t = 0; t < chunk.tiles; t++) {
      const rows = this.#pipeline.rowsOf(chunk, t);
      const target = (chunk.first + t * this.#pipeline.height) * k;
      for (let r = 0; r < k; r++) {
        const slot = this.#slots[chunk.buffer] + t * this.#tile + Math.floor(r / WIDTH) * this.#slot;
        const line = r % WIDTH;
        const panel = this.#runner.kernels.doubles(slot + HEADER + (line >> 2) * rows * 32, rows * 4);
        for (let i = 0; i < rows; i++) out[target + i * k + r] = panel[i * 4 + (line & 3)];
      }
    }
  }

  /** Writes the line indexes, which never change: line i of slot q is vector 64q + i. */
  #nameLines(slots: number): void {
    for (let t = 0; t < this.#pipeline.tiles; t++) {
      for (let q = 0; q < this.#groups; q++) {
        const start = slots + t * this.#tile + q * this.#slot + 16;
        const lines = new Int32Array(this.#runner.kernels.buffer, start, WIDTH);
        for (let i = 0; i < WIDTH; i++) lines[i] = q * WIDTH + i;
      }
    }
  }
}

import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { OnStep } from '../../engine.js';
import { sameScaler } from '../../same-scaler.js';
import type { Kernels } from '../kernels.js';
import type { RunnerProvider } from '../runner-provider.js';
import type { JobRunner } from '../threads/job-runner.js';
import { Chunk, copiedRows } from './chunk.js';
import { MOST_RESIDENT_BYTES, MOST_ROWWISE_VECTORS, WIDE_COLUMNS } from './layout.js';

/** Parts of the rows, each with its own sums. The number is fixed, so that results do not depend on threads. */
const PARTS = 16;
/** Numbers that the sums of all parts may take: 64 MB. */
const MOST_SUMS = 2 ** 23;
/** Values of a tile, which stays in a cache between its two products; its rows at least and at most. */
const TILE_VALUES = 3 * 2 ** 15;
const [FEWEST_ROWS, MOST_ROWS] = [16, 256];
/** Values of a chunk of tiles, which is copied in at once. */
const CHUNK_VALUES = 2 ** 19;

/** RowRange in their scaler, in a memory of their own. */
interface Kept {
  readonly kernels: Kernels;
  readonly scaler: Scaler;
  readonly start: number;
  /** Whether all rows are there. */
  filled: boolean;
}

/** What the jobs of a pass have in common: where its vectors, sums, scores and scaler are. */
interface Pass {
  readonly runner: JobRunner;
  readonly d: number;
  readonly k: number;
  readonly v: number;
  readonly sums: number;
  readonly scores: number;
  shift: number;
  factor: number;
}

/**
 * Z += VBᵀB for few vectors. Tile t of the rows belongs to part t mod 16; a job scalers a tile, computes its scores and adds its share to the sums of its
 * part, which are added up in their order. RowRange of up to 192 MB stay as the scaler sees them in a memory of their own, and later passes neither copy
 * nor scaler them: the same numbers, and the same bits. Where one pass is all that is wanted (`once`), they stay from the second on.
 */
export class NormalByRows {
  readonly #block: DenseBlock;
  readonly #provider: RunnerProvider;
  readonly #stride: number;
  readonly #height: number;
  readonly #parts: number;
  #scaler: Scaler | undefined;
  #kept: Kept | undefined;
  #busy = false;

  constructor(block: DenseBlock, provider: RunnerProvider) {
    const { rows, cols } = block;
    this.#block = block;
    this.#provider = provider;
    // An odd number of cache lines: columns of a tile do not compete for the same places of a cache.
    this.#stride = (Math.ceil(cols / 8) | 1) * 8;
    this.#height = Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, Math.floor(TILE_VALUES / cols / 4) * 4));
    this.#parts = Math.min(PARTS, Math.ceil(rows / this.#height));
  }

  /** Whether so many vectors are few. */
  suits(k: number): boolean {
    const { cols } = this.#block;
    return k <= MOST_ROWWISE_VECTORS && cols <= WIDE_COLUMNS && PARTS * k * this.#stride <= MOST_SUMS;
  }

  async normal(
    flops: number,
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    once: boolean,
  ): Promise<void> {
    const { data } = this.#block;
    const again = !once || (this.#scaler !== undefined && sameScaler(this.#scaler, scaler));
    this.#scaler = scaler;
    const kept = this.#busy || !again ? undefined : this.#keep(scaler);
    const pass = (runner: JobRunner): Promise<void> => this.#normal(runner, kept, scaler, vectors, k, out, onStep);
    if (!kept) {
      await this.#provider.withRunner(flops, pass, data.buffer);
      return;
    }
    this.#busy = true;
    try {
      await this.#provider.runOn(kept.kernels, flops, pass, data.buffer);
      kept.filled = true;
    } finally {
      this.#busy = false;
      // A lost worker may still write into the memory.
      if (kept.kernels.broken) this.#kept = undefined;
    }
  }

  release(): void {
    if (this.#kept) this.#provider.returnKernels(this.#kept.kernels);
    this.#kept = undefined;
    this.#scaler = undefined;
  }

  /** Room where the rows stay, if there is any. */
  #keep(scaler: Scaler): Kept | undefined {
    if (this.#kept && sameScaler(this.#kept.scaler, scaler)) return this.#kept;
    const bytes = this.#block.rows * this.#stride * 8;
    if (bytes > MOST_RESIDENT_BYTES) return undefined;
    const kernels = this.#kept?.kernels ?? this.#provider.takeKernels();
    if (!kernels) return undefined;
    kernels.forget();
    const start = kernels.allocate(bytes);
    kernels.keep();
    this.#kept = { kernels, scaler, start, filled: false };
    return this.#kept;
  }

  async #normal(
    runner: JobRunner,
    kept: Kept | undefined,
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
  ): Promise<void> {
    const { rows: n, cols: d, data } = this.#block;
    const { kernels } = runner;
    const stride = this.#stride;
    const height = this.#height;
    const parts = this.#parts;
    const v = kernels.zeros(k * stride);
    for (let r = 0; r < k; r++) kernels.doubles(v + r * stride * 8, d).set(vectors.subarray(r * d, (r + 1) * d));
    const sums = kernels.zeros(parts * k * stride);
    // Three numbers more than the scores: four vectors are read at a time.
    const scores = kernels.allocate(parts * (height * k + 3) * 8);
    const pass: Pass = { runner, d, k, v, sums, scores, shift: 0, factor: 0 };
    if (kept?.filled) {
      runner.reserve(Math.max(parts, k));
      for (let p = 0; p < parts; p++) {
        this.#addTile(pass, p, 0, 0, n - p * height, 0, kept.start + p * height * stride * 8);
      }
      await runner.runJobs(() => onStep(0));
      await onStep(n);
    } else {
      const together = Math.max(1, Math.min(parts, Math.floor(CHUNK_VALUES / (d * height))));
      const chunkRows = together * height;
      const chunks = Math.ceil(n / chunkRows);
      const raw: Chunk[] = [];
      for (let c = 0; c < Math.min(2, chunks); c++) {
        raw.push(new Chunk(kernels, this.#block, scaler, Math.min(n, chunkRows), d));
      }
      const tiles = kept ? 0 : kernels.allocate(chunkRows * stride * 8);
      pass.shift = kernels.put(scaler.shift);
      pass.factor = kernels.put(scaler.factor);
      const byJobs = runner.copiesFrom(data);
      const copies = byJobs ? Math.ceil(chunkRows / copiedRows(d * data.BYTES_PER_ELEMENT)) : 0;
      runner.reserve(Math.max(together + copies, k));
      if (byJobs) {
        raw[0].addCopies(runner, 0, Math.min(chunkRows, n), 0, d);
        await runner.runJobs(() => onStep(0));
      } else raw[0].load(0, Math.min(chunkRows, n), 0, d);
      for (let c = 0; c < chunks; c++) {
        const { start, bytes, type, rows, roots } = raw[c % 2];
        for (let from = 0; from < rows; from += height) {
          const b = (kept ? kept.start + c * chunkRows * stride * 8 : tiles) + from * stride * 8;
          const weights = roots === 0 ? 0 : roots + from * 8;
          const part = (c * together + from / height) % parts;
          this.#addTile(pass, part, start + from * d * bytes, type, Math.min(height, rows - from), weights, b);
        }
        const next = raw[(c + 1) % 2];
        const first = (c + 1) * chunkRows;
        const more = Math.min(chunkRows, n - first);
        if (byJobs && more > 0) next.addCopies(runner, first, more, 0, d);
        const meanwhile = byJobs || more <= 0 ? undefined : () => next.load(first, more, 0, d);
        await runner.runJobs(() => onStep(0), meanwhile);
        await onStep(rows);
      }
    }
    // The vectors are no longer needed: the sums of all parts take their place.
    const row = (r: number): Float64Array => kernels.doubles(v + r * stride * 8, d);
    for (let r = 0; r < k; r++) {
      row(r).set(out.subarray(r * d, (r + 1) * d));
      runner.addJob('addParts', sums + r * stride * 8, parts, k * stride, v + r * stride * 8, stride);
    }
    await runner.runJobs(() => onStep(0));
    for (let r = 0; r < k; r++) out.set(row(r), r * d);
  }

  /** Adds the job of a tile of part p: `rows` from `source` on, which it scalers at `b`; from 0 where they are there already. */
  #addTile(pass: Pass, p: number, source: number, type: number, rows: number, weights: number, b: number): void {
    const { runner, d, k, v, sums, scores, shift, factor } = pass;
    const stride = this.#stride;
    const height = this.#height;
    const own = scores + p * (height * k + 3) * 8;
    const into = sums + p * k * stride * 8;
    const rest = this.#parts * height;
    // biome-ignore format: one call
    runner.addJob(
      'normalRows', source, type, rows, d, shift, factor, weights, b, stride, v, k, own, into, height, rest,
    );
  }
}

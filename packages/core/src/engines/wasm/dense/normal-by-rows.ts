import type { DenseBlock, Scaler } from '../../../data/blocks/block.js';
import type { OnStep } from '../../engine.js';
import { sameScaler } from '../../same-scaler.js';
import type { Kernels } from '../kernels.js';
import type { RunnerProvider } from '../runner-provider.js';
import type { JobRunner } from '../threads/job-runner.js';
import { Chunk, copiedRows } from './chunk.js';
import { MOST_RESIDENT_BYTES, MOST_ROWWISE_VECTORS, WIDE_COLUMNS } from './layout.js';

/** Parts of the rows, each with separate sums. The number is fixed, so that results do not depend on threads. */
const PARTS = 16;
/** Maximum numbers in the sums of all parts: 64 MB. */
const MOST_SUMS = 2 ** 23;
/** Values of a tile, which stays in a cache between its two products, and the minimum and maximum rows of a tile. */
const TILE_VALUES = 3 * 2 ** 15;
const [FEWEST_ROWS, MOST_ROWS] = [16, 256];
/** Values of a chunk of tiles, which is copied in one step. */
const CHUNK_VALUES = 2 ** 19;

/** Scaled rows in a separate memory. */
interface Kept {
  readonly kernels: Kernels;
  readonly scaler: Scaler;
  readonly start: number;
  /** True after a pass has written all rows. */
  filled: boolean;
}

/** Addresses that the jobs of a pass share: vectors, sums, scores and the scaler. */
interface Pass {
  readonly runner: JobRunner;
  readonly k: number;
  readonly vectors: number;
  readonly sums: number;
  readonly scores: number;
}

/** The rows of a job: the address of the stored rows (0 if B is filled already), their type and weights, and the address of B. */
interface Tile {
  readonly part: number;
  readonly source: number;
  readonly type: number;
  readonly rows: number;
  readonly shift: number;
  readonly factor: number;
  readonly roots: number;
  readonly b: number;
}

/**
 * The `normal` pass Z += VBᵀB for few vectors, row by row and without packing. A job scales a tile of rows, computes its scores BVᵀ, and adds
 * its part of Z while the tile is in a cache. Tile t belongs to part t mod 16 of the rows. Each part has separate sums, which are added in the
 * order of the parts.
 *
 * Scaled rows of up to 192 MB stay in a separate memory, and later passes neither copy nor scale them. The numbers, and so the bits of the
 * result, are the same. If the caller announces a single pass (`once`), rows stay from the second pass on.
 */
export class NormalByRows {
  readonly #block: DenseBlock;
  readonly #provider: RunnerProvider;
  readonly #stride: number;
  /** Rows of a tile. */
  readonly #height: number;
  readonly #parts: number;
  /** The scaler of the last pass. */
  #scaler: Scaler | undefined;
  #kept: Kept | undefined;
  /** True while a pass uses the kept rows. */
  #busy = false;

  constructor(block: DenseBlock, provider: RunnerProvider) {
    const { rows, cols } = block;
    this.#block = block;
    this.#provider = provider;
    // An odd number of cache lines, so that the columns of a tile do not share cache sets.
    this.#stride = (Math.ceil(cols / 8) | 1) * 8;
    this.#height = Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, Math.floor(TILE_VALUES / cols / 4) * 4));
    this.#parts = Math.min(PARTS, Math.ceil(rows / this.#height));
  }

  /** Returns true if k vectors are few enough for this class. */
  suits(k: number): boolean {
    const { cols } = this.#block;
    return k <= MOST_ROWWISE_VECTORS && cols <= WIDE_COLUMNS && PARTS * k * this.#stride <= MOST_SUMS;
  }

  async normal(
    scaler: Scaler,
    vectors: Float64Array,
    k: number,
    out: Float64Array,
    onStep: OnStep,
    { flops, once }: { readonly flops: number; readonly once: boolean },
  ): Promise<void> {
    const { data } = this.#block;
    const repeated = !once || (this.#scaler !== undefined && sameScaler(this.#scaler, scaler));
    this.#scaler = scaler;
    const kept = repeated && !this.#busy ? this.#keep(scaler) : undefined;
    const run = async (runner: JobRunner): Promise<void> => {
      const pass = this.#allocate(runner, vectors, k);
      if (kept?.filled) await this.#multiplyKept(pass, kept.start, onStep);
      else await this.#multiplyStreamed(pass, scaler, kept, onStep);
      await this.#addSums(pass, out, onStep);
    };
    if (!kept) {
      await this.#provider.withRunner(flops, run, data.buffer);
      return;
    }
    this.#busy = true;
    try {
      await this.#provider.runOn(kept.kernels, flops, run, data.buffer);
      kept.filled = true;
    } finally {
      this.#busy = false;
      // A lost worker may still write into this memory.
      if (kept.kernels.broken) this.#kept = undefined;
    }
  }

  release(): void {
    if (this.#kept) this.#provider.returnKernels(this.#kept.kernels);
    this.#kept = undefined;
    this.#scaler = undefined;
  }

  /** Returns the kept rows of this scaler, or allocates memory for them. Returns undefined if the memory is full. */
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

  /** Copies the vectors in, and allocates the sums and scores. */
  #allocate(runner: JobRunner, vectors: Float64Array, k: number): Pass {
    const { kernels } = runner;
    const d = this.#block.cols;
    const v = kernels.zeros(k * this.#stride);
    for (let r = 0; r < k; r++) kernels.doubles(v + r * this.#stride * 8, d).set(vectors.subarray(r * d, (r + 1) * d));
    const sums = kernels.zeros(this.#parts * k * this.#stride);
    const scores = kernels.allocate(this.#parts * this.#scoreBytes(k));
    return { runner, k, vectors: v, sums, scores };
  }

  /** Bytes of the scores of a tile. The kernel reads four scores at a time, so three numbers follow the last score. */
  #scoreBytes(k: number): number {
    return (this.#height * k + 3) * 8;
  }

  /** Multiplies rows that an earlier pass has kept: one job per part. */
  async #multiplyKept(pass: Pass, start: number, onStep: OnStep): Promise<void> {
    const n = this.#block.rows;
    pass.runner.reserve(Math.max(this.#parts, pass.k));
    for (let part = 0; part < this.#parts; part++) {
      const b = start + part * this.#height * this.#stride * 8;
      const rows = n - part * this.#height;
      this.#addJob(pass, { part, source: 0, type: 0, rows, shift: 0, factor: 0, roots: 0, b });
    }
    await pass.runner.runJobs(() => onStep(0));
    await onStep(n);
  }

  /** Multiplies the stored rows: one chunk of tiles is copied in while jobs multiply the chunk before it. */
  async #multiplyStreamed(pass: Pass, scaler: Scaler, kept: Kept | undefined, onStep: OnStep): Promise<void> {
    const { rows: n, cols: d, data } = this.#block;
    const { runner } = pass;
    const { kernels } = runner;
    const height = this.#height;
    const rowBytes = this.#stride * 8;
    const tilesPerChunk = Math.max(1, Math.min(this.#parts, Math.floor(CHUNK_VALUES / (d * height))));
    const chunkRows = tilesPerChunk * height;
    const chunks = Math.ceil(n / chunkRows);
    const stored = [0, 1]
      .slice(0, chunks)
      .map(() => new Chunk(kernels, this.#block, scaler, Math.min(n, chunkRows), d));
    const scaled = kept ? kept.start : kernels.allocate(chunkRows * rowBytes);
    const [shift, factor] = [kernels.put(scaler.shift), kernels.put(scaler.factor)];
    const byJobs = runner.copiesFrom(data);
    const copies = byJobs ? Math.ceil(chunkRows / copiedRows(d * data.BYTES_PER_ELEMENT)) : 0;
    runner.reserve(Math.max(tilesPerChunk + copies, pass.k));

    /** Copies chunk c by jobs, or returns a function that copies it on this thread. */
    const copy = (c: number): (() => void) | undefined => {
      const first = c * chunkRows;
      const count = Math.min(chunkRows, n - first);
      if (count <= 0) return undefined;
      const chunk = stored[c % 2];
      if (!byJobs) return () => chunk.load(first, count, 0, d);
      chunk.addCopies(runner, first, count, 0, d);
      return undefined;
    };

    const copyFirst = copy(0);
    if (copyFirst) copyFirst();
    else await runner.runJobs(() => onStep(0));
    for (let c = 0; c < chunks; c++) {
      const { start, bytes, type, rows, roots } = stored[c % 2];
      for (let from = 0; from < rows; from += height) {
        this.#addJob(pass, {
          part: (c * tilesPerChunk + from / height) % this.#parts,
          source: start + from * d * bytes,
          type,
          rows: Math.min(height, rows - from),
          shift,
          factor,
          roots: roots === 0 ? 0 : roots + from * 8,
          b: scaled + ((kept ? c * chunkRows : 0) + from) * rowBytes,
        });
      }
      await runner.runJobs(() => onStep(0), copy(c + 1));
      await onStep(rows);
    }
  }

  /** Adds the sums of all parts to `out`, in the order of the parts. */
  async #addSums({ runner, k, vectors, sums }: Pass, out: Float64Array, onStep: OnStep): Promise<void> {
    const d = this.#block.cols;
    const stride = this.#stride;
    // The vectors are no longer needed, so their memory takes the total.
    const total = (r: number): Float64Array => runner.kernels.doubles(vectors + r * stride * 8, d);
    for (let r = 0; r < k; r++) {
      total(r).set(out.subarray(r * d, (r + 1) * d));
      const row = r * stride * 8;
      runner.addJob('addParts', sums + row, this.#parts, k * stride, vectors + row, stride);
    }
    await runner.runJobs(() => onStep(0));
    for (let r = 0; r < k; r++) out.set(total(r), r * d);
  }

  /** Adds the job of a tile. The job scales the rows at `source` into B, unless B is filled, and multiplies B and the later tiles of its part. */
  #addJob(
    { runner, k, vectors, sums, scores }: Pass,
    { part, source, type, rows, shift, factor, roots, b }: Tile,
  ): void {
    const stride = this.#stride;
    const ownScores = scores + part * this.#scoreBytes(k);
    const ownSums = sums + part * k * stride * 8;
    const nextTile = this.#parts * this.#height;
    runner.addJob(
      'normalRows',
      ...[source, type, rows, this.#block.cols, shift, factor, roots],
      ...[b, stride, vectors, k, ownScores, ownSums, this.#height, nextTile],
    );
  }
}

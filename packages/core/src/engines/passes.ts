import { type Block, type Frame, packTile } from '../data/block.js';
import { everyNth, everyNthOf } from '../data/every-nth.js';
import type { RowSource } from '../data/open-source.js';
import type { RowWeights } from '../data/weights.js';
import { DataError } from '../errors.js';
import type { ProgressTracker } from '../progress.js';
import type { Engine, LoadedBlock, OnStep } from './engine.js';
import { remoteRowsFor } from './remote.js';

/** Rows of a packed tile. Larger tiles round more within a tile; smaller tiles make more sums. */
const TILE_LINES = 256;

/** Some rows for a step of a solver that learns, and the product of their scatter with vectors. */
export interface MiniBatch {
  readonly rows: number;
  normal(vectors: Float64Array, k: number): Promise<Float64Array>;
}

/**
 * The engine's passes over a whole source: block after block in their order, with progress and cancellation. A
 * solver sees the data only through these.
 */
export class Passes {
  readonly rows: number;
  readonly cols: number;
  /**
   * What the cost of a pass grows with: the number of vectors, where rows are sparse and in memory; the readings, where rows are
   * read from elsewhere; both, where they are dense and in memory.
   */
  readonly costs: 'vectors' | 'both' | 'readings';
  readonly #source: RowSource;
  readonly #engine: Engine;
  readonly #frame: Frame;
  readonly #weights: RowWeights;
  readonly #progress: ProgressTracker;
  readonly #kept: (LoadedBlock | undefined)[];

  constructor(
    source: RowSource,
    rows: number,
    engine: Engine,
    frame: Frame,
    weights: RowWeights,
    progress: ProgressTracker,
    loaded: (LoadedBlock | undefined)[] = [],
  ) {
    this.rows = rows;
    this.cols = source.cols;
    this.costs = !source.resident ? 'readings' : source.nonzeros === undefined ? 'both' : 'vectors';
    this.#source = source;
    this.#engine = engine;
    this.#frame = frame;
    this.#weights = weights;
    this.#progress = progress;
    this.#kept = loaded;
  }

  /** S = BᵀB, upper triangle (d × d). */
  async gram(): Promise<Float64Array> {
    const scatter = new Float64Array(this.cols * this.cols);
    await this.#each('covariance', (block, frame, _, onStep) => block.gram(frame, scatter, onStep));
    return scatter;
  }

  /** K = BBᵀ, upper triangle (n × n). Pairs of blocks are read together: data of several blocks are read several times. */
  async dual(): Promise<Float64Array> {
    const n = this.rows;
    const products = new Float64Array(n * n);
    await this.#each('row products', async (left, frame, i0, onStep, index) => {
      let j0 = 0;
      let other = 0;
      for await (const block of this.#source.blocks()) {
        if (other >= index) {
          const right = other === index ? left : await this.#load(block, other);
          const into = { products, size: n, row: i0, column: j0 };
          await left.dual(frame, right, this.#frameAt(j0, block.rows), into, () => this.#progress.yieldToEventLoop());
          if (right !== left) this.#done(right);
        }
        j0 += block.rows;
        other++;
      }
      await onStep(left.rows);
    });
    return products;
  }

  /** Y = BVᵀ (n × k) for V given as k rows. */
  async multiply(vectors: Float64Array, k: number): Promise<Float64Array> {
    const scores = new Float64Array(this.rows * k);
    await this.#each('scores', (block, frame, first, onStep) =>
      block.multiply(frame, vectors, k, scores.subarray(first * k, (first + block.rows) * k), onStep),
    );
    return scores;
  }

  /** Z = YᵀB (k × d). */
  async multiplyTransposed(scores: Float64Array, k: number): Promise<Float64Array> {
    const out = new Float64Array(k * this.cols);
    await this.#each('back to columns', (block, frame, first, onStep) =>
      block.multiplyTransposed(frame, scores.subarray(first * k, (first + block.rows) * k), k, out, onStep),
    );
    return out;
  }

  /** Z = VBᵀB (k × d): the scatter times each of k vectors, without the scatter. `measured` where a certificate rests on it. */
  async normal(vectors: Float64Array, k: number, measured = false): Promise<Float64Array> {
    const out = new Float64Array(k * this.cols);
    await this.#each('passes over the data', (block, frame, _, onStep) =>
      block.normal(frame, vectors, k, out, onStep, measured),
    );
    return out;
  }

  /**
   * The rows in batches of about `size`, for solvers that take a step after each. A batch is every m-th row of a block, so
   * that it is a fair sample even where rows are sorted. Dense rows are not copied.
   */
  async *batches(size: number): AsyncGenerator<MiniBatch, void, void> {
    let first = 0;
    for await (const block of this.#source.blocks()) {
      const weights = this.#weights.slice(first, block.rows);
      const count = Math.ceil(block.rows / size);
      for (let b = 0; b < count; b++) {
        const rows = everyNth(block, b, count);
        const own = weights && everyNthOf(weights, b, count);
        const frame = own ? { ...this.#frame, rootWeights: own.map(Math.sqrt) } : this.#frame;
        yield {
          rows: rows.rows,
          normal: async (vectors, k) => {
            const out = new Float64Array(k * this.cols);
            const loaded = await this.#engine.load(rows);
            try {
              await loaded.normal(frame, vectors, k, out, (done) => this.#progress.step(done));
            } finally {
              loaded.release();
            }
            return out;
          },
        };
      }
      first += block.rows;
    }
    this.#checkRows(first);
  }

  /** B itself, in packed tiles of whole rows. */
  async rowTiles(visit: (tile: Float64Array, rows: number) => Promise<void>): Promise<void> {
    let tile = new Float64Array(0);
    let first = 0;
    for await (const block of this.#source.blocks()) {
      const frame = this.#frameAt(first, block.rows);
      for (let from = 0; from < block.rows; from += TILE_LINES) {
        const to = Math.min(block.rows, from + TILE_LINES);
        if (tile.length < (to - from) * this.cols) tile = new Float64Array((to - from) * this.cols);
        packTile(block, frame, from, to, 0, this.cols, tile);
        await visit(tile, to - from);
      }
      first += block.rows;
    }
    this.#checkRows(first);
  }

  /** Bᵀ in packed tiles of whole columns: each visit gets some columns of B as rows of length n. Reads the data once per tile. */
  async columnTiles(visit: (tile: Float64Array, cols: number) => Promise<void>): Promise<void> {
    const n = this.rows;
    const tile = new Float64Array(Math.min(TILE_LINES, this.cols) * n);
    let packed = new Float64Array(0);
    for (let left = 0; left < this.cols; left += TILE_LINES) {
      const right = Math.min(this.cols, left + TILE_LINES);
      let first = 0;
      for await (const block of this.#source.blocks()) {
        if (packed.length < block.rows * (right - left)) packed = new Float64Array(block.rows * (right - left));
        packTile(block, this.#frameAt(first, block.rows), 0, block.rows, left, right, packed);
        for (let i = 0; i < block.rows; i++) {
          for (let c = 0; c < right - left; c++) tile[c * n + first + i] = packed[i * (right - left) + c];
        }
        first += block.rows;
      }
      this.#checkRows(first);
      await visit(tile, right - left);
    }
  }

  /** Frees the blocks that the engine has loaded. */
  release(): void {
    for (const loaded of this.#kept) loaded?.release();
    this.#kept.length = 0;
  }

  async #each(
    phase: string,
    visit: (block: LoadedBlock, frame: Frame, first: number, onStep: OnStep, index: number) => void | Promise<void>,
  ): Promise<void> {
    this.#progress.begin(phase, this.rows);
    let first = 0;
    let index = 0;
    const remote = remoteRowsFor(this.#source, this.#engine);
    for await (const block of remote ? [remote.load()] : this.#source.blocks()) {
      const loaded = remote ? (block as LoadedBlock) : await this.#load(block as Block, index);
      await visit(loaded, this.#frameAt(first, block.rows), first, (rows) => this.#progress.step(rows), index);
      this.#done(loaded);
      first += loaded.rows;
      index++;
    }
    this.#checkRows(first);
    this.#progress.end();
  }

  async #load(block: Block, index: number): Promise<LoadedBlock> {
    const kept = this.#kept[index];
    if (kept) return kept;
    const loaded = await this.#engine.load(block);
    if (this.#source.resident) this.#kept[index] = loaded;
    return loaded;
  }

  #done(loaded: LoadedBlock): void {
    if (!this.#source.resident) loaded.release();
  }

  #frameAt(first: number, rows: number): Frame {
    const weights = this.#weights.slice(first, rows);
    return weights ? { ...this.#frame, rootWeights: weights.map(Math.sqrt) } : this.#frame;
  }

  #checkRows(seen: number): void {
    if (seen === this.rows) return;
    throw new DataError(
      'SOURCE_CHANGED',
      `The source had ${this.rows} rows when it was first read and ${seen} now. Do not change data while they are fitted.`,
      { value: seen, expected: this.rows },
    );
  }
}

import type { ProgressTracker } from '../base/progress.js';
import { type Block, packTile, type Scaler } from '../data/blocks/block.js';
import type { RowSource } from '../data/blocks/row-source.js';
import type { RowWeights } from '../data/statistics/weights.js';
import { DataError } from '../errors.js';
import type { Engine, LoadedBlock, OnStep } from './engine.js';
import { remoteRowsFor } from './remote.js';

/** Rows of a packed tile. Larger tiles round more within a tile; smaller tiles make more sums. */
const TILE_LINES = 256;

/** Some rows for one step of a learned solver, and the product of their scatter with vectors. */
export interface MiniBatch {
  readonly rows: number;
  normal(vectors: Float64Array, k: number): Promise<Float64Array>;
}

/** Visits a loaded block. */
type VisitLoaded = (
  block: LoadedBlock,
  scaler: Scaler,
  first: number,
  onStep: OnStep,
  index: number,
) => void | Promise<void>;

/** Visits a tile of `lines` lines, stored column by column. */
type VisitTile = (tile: Float64Array, lines: number) => void | Promise<void>;

/**
 * The engine's passes over a whole source: block by block in order, with progress and cancellation. A solver reads the data only through
 * these passes.
 */
export class Passes {
  readonly rows: number;
  readonly cols: number;
  /**
   * The main cost of a pass: the number of vectors if rows are sparse and in memory, the readings if rows are read from elsewhere, and both
   * if rows are dense and in memory.
   */
  readonly costs: 'vectors' | 'both' | 'readings';
  readonly #source: RowSource;
  readonly #engine: Engine;
  readonly #scaler: Scaler;
  readonly #weights: RowWeights;
  readonly #progress: ProgressTracker;
  readonly #kept: (LoadedBlock | undefined)[];

  constructor(
    source: RowSource,
    rows: number,
    engine: Engine,
    scaler: Scaler,
    weights: RowWeights,
    progress: ProgressTracker,
    loaded: (LoadedBlock | undefined)[] = [],
  ) {
    this.rows = rows;
    this.cols = source.cols;
    this.costs = !source.resident ? 'readings' : source.nonzeros === undefined ? 'both' : 'vectors';
    this.#source = source;
    this.#engine = engine;
    this.#scaler = scaler;
    this.#weights = weights;
    this.#progress = progress;
    this.#kept = loaded;
  }

  /** The rounding bound of `dual` and `multiplyTransposed`, divided by the engine's bound for all passes. */
  get dualShare(): number {
    const { rows, cols } = this;
    const own = this.#source.nonzeros === undefined ? this.#engine.dualRoundoff?.(rows, cols) : undefined;
    return own === undefined ? 1 : own / this.#engine.roundoff(rows, cols, false);
  }

  /** S = BᵀB, upper triangle (d × d). */
  async gram(): Promise<Float64Array> {
    const scatter = new Float64Array(this.cols * this.cols);
    await this.#each('covariance', (block, scaler, _, onStep) => block.gram(scaler, scatter, onStep));
    return scatter;
  }

  /** K = BBᵀ, upper triangle (n × n). Blocks are read in pairs, so data of several blocks are read several times. */
  async dual(): Promise<Float64Array> {
    const products = new Float64Array(this.rows * this.rows);
    await this.#each('row products', (left, scaler, i0, onStep, index) =>
      this.#dualWith(left, scaler, i0, onStep, index, products),
    );
    return products;
  }

  /** The products of one block's rows with their own and with those of the blocks after it. */
  async #dualWith(
    left: LoadedBlock,
    scaler: Scaler,
    i0: number,
    onStep: OnStep,
    index: number,
    products: Float64Array,
  ): Promise<void> {
    let j0 = 0;
    let other = 0;
    for await (const block of this.#source.blocks()) {
      if (other >= index) {
        const right = other === index ? left : await this.#load(block, other);
        const into = { products, size: this.rows, row: i0, column: j0 };
        const pause = (): void | Promise<void> => this.#progress.yieldToEventLoop();
        await left.dual(scaler, right, this.#scalerAt(j0, block.rows), into, pause);
        if (right !== left) this.#done(right);
      }
      j0 += block.rows;
      other++;
    }
    await onStep(left.rows);
  }

  /** Y = BVᵀ (n × k) for V given as k rows. */
  async multiply(vectors: Float64Array, k: number): Promise<Float64Array> {
    const scores = new Float64Array(this.rows * k);
    await this.#each('scores', (block, scaler, first, onStep) =>
      block.multiply(scaler, vectors, k, scores.subarray(first * k, (first + block.rows) * k), onStep),
    );
    return scores;
  }

  /** Z = YᵀB (k × d). */
  async multiplyTransposed(scores: Float64Array, k: number): Promise<Float64Array> {
    const out = new Float64Array(k * this.cols);
    await this.#each('back to columns', (block, scaler, first, onStep) =>
      block.multiplyTransposed(scaler, scores.subarray(first * k, (first + block.rows) * k), k, out, onStep),
    );
    return out;
  }

  /** Z = VBᵀB (k × d): the scatter times each of k vectors, without forming the scatter. Set `measured` if a certificate depends on Z. */
  async normal(vectors: Float64Array, k: number, measured = false): Promise<Float64Array> {
    const out = new Float64Array(k * this.cols);
    await this.#each('passes over the data', (block, scaler, _, onStep) =>
      block.normal(scaler, vectors, k, out, onStep, measured),
    );
    return out;
  }

  /**
   * The rows in batches of about `size`, for solvers that take a step after each batch. A batch is every m-th row of a block, so that it is
   * a fair sample even if rows are sorted. Dense rows are not copied.
   */
  async *batches(size: number): AsyncGenerator<MiniBatch, void, void> {
    const { everyNth, everyNthOf } = await import('../data/blocks/block-rows.js');
    let first = 0;
    for await (const block of this.#source.blocks()) {
      const weights = this.#weights.slice(first, block.rows);
      const count = Math.ceil(block.rows / size);
      for (let b = 0; b < count; b++) {
        const rows = everyNth(block, b, count);
        const own = weights && everyNthOf(weights, b, count);
        const scaler = own ? { ...this.#scaler, rootWeights: own.map(Math.sqrt) } : this.#scaler;
        yield {
          rows: rows.rows,
          normal: async (vectors, k) => {
            const out = new Float64Array(k * this.cols);
            const loaded = await this.#engine.load(rows);
            try {
              await loaded.normal(scaler, vectors, k, out, (done) => this.#progress.step(done));
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

  /** B itself, in tiles of whole rows. */
  async rowTiles(visit: VisitTile): Promise<void> {
    let first = 0;
    for await (const block of this.#source.blocks()) {
      await this.#rowTilesOf(block, this.#scalerAt(first, block.rows), visit);
      first += block.rows;
    }
    this.#checkRows(first);
  }

  async #rowTilesOf(block: Block, scaler: Scaler, visit: VisitTile): Promise<void> {
    const { rows, cols } = block;
    const tile = new Float64Array(Math.min(TILE_LINES, rows) * cols);
    for (let from = 0; from < rows; from += TILE_LINES) {
      const lines = Math.min(rows - from, TILE_LINES);
      packTile(block, scaler, { from, to: from + lines, left: 0, right: cols }, tile, {
        start: 0,
        down: 1,
        across: lines,
      });
      await visit(tile, lines);
    }
  }

  /** Bᵀ in tiles of whole columns: each visit gets some columns of B as lines of length n. Reads the data once per tile. */
  async columnTiles(visit: VisitTile): Promise<void> {
    const n = this.rows;
    const tile = new Float64Array(Math.min(TILE_LINES, this.cols) * n);
    for (let left = 0; left < this.cols; left += TILE_LINES) {
      const lines = Math.min(this.cols - left, TILE_LINES);
      let first = 0;
      for await (const block of this.#source.blocks()) {
        const scaler = this.#scalerAt(first, block.rows);
        packTile(block, scaler, { from: 0, to: block.rows, left, right: left + lines }, tile, { start: first * lines });
        first += block.rows;
      }
      this.#checkRows(first);
      await visit(tile, lines);
    }
  }

  /** Frees the blocks that the engine has loaded. */
  release(): void {
    for (const loaded of this.#kept) loaded?.release();
    this.#kept.length = 0;
  }

  async #each(phase: string, visit: VisitLoaded): Promise<void> {
    this.#progress.begin(phase, this.rows);
    const at = { first: 0, index: 0 };
    const remote = remoteRowsFor(this.#source, this.#engine);
    if (remote) await this.#visit(remote.load(), visit, at);
    else {
      for await (const block of this.#source.blocks()) await this.#visit(await this.#load(block, at.index), visit, at);
    }
    this.#checkRows(at.first);
    this.#progress.end();
  }

  async #visit(loaded: LoadedBlock, visit: VisitLoaded, at: { first: number; index: number }): Promise<void> {
    const scaler = this.#scalerAt(at.first, loaded.rows);
    await visit(loaded, scaler, at.first, this.#progress.onStep, at.index);
    this.#done(loaded);
    at.first += loaded.rows;
    at.index++;
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

  #scalerAt(first: number, rows: number): Scaler {
    const weights = this.#weights.slice(first, rows);
    return weights ? { ...this.#scaler, rootWeights: weights.map(Math.sqrt) } : this.#scaler;
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

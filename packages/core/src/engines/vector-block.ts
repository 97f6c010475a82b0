import { identityScaler, type Scaler } from '../data/blocks/block.js';
import { transpose } from '../linalg/transpose.js';
import { completeSymmetric } from '../linalg/upper.js';
import type { Engine, LoadedBlock } from './engine.js';

/** The engine that multiplies, and the progress to call between its tiles. */
export interface VectorTools {
  readonly engine: Engine;
  readonly progress: { yieldToEventLoop(): void | Promise<void> };
}

/** Vectors as the rows of an engine block, so that a solver can multiply its own vectors with the same passes. */
export class VectorBlock {
  readonly count: number;
  readonly d: number;
  readonly #block: LoadedBlock;
  readonly #scaler: Scaler;
  readonly #progress: VectorTools['progress'];

  private constructor(block: LoadedBlock, progress: VectorTools['progress']) {
    this.count = block.rows;
    this.d = block.cols;
    this.#block = block;
    this.#progress = progress;
    this.#scaler = identityScaler(this.d);
  }

  /** Loads the first `count` vectors of `data`, each of length d, while `use` runs. */
  static async use<Result>(
    data: Float64Array,
    count: number,
    d: number,
    { engine, progress }: VectorTools,
    use: (vectors: VectorBlock) => Promise<Result>,
  ): Promise<Result> {
    const block = await engine.load({ kind: 'dense', rows: count, cols: d, stride: d, data });
    try {
      return await use(new VectorBlock(block, progress));
    } finally {
      block.release();
    }
  }

  /** QQᵀ, upper triangle (count × count). */
  async products(products: Float64Array = new Float64Array(this.count * this.count)): Promise<Float64Array> {
    const { count } = this;
    const into = { products, size: count, row: 0, column: 0 };
    await this.#block.dual(this.#scaler, this.#block, this.#scaler, into, () => this.#progress.yieldToEventLoop());
    return products;
  }

  /** QXᵀ for k rows X (count × k). */
  async coordinates(rows: Float64Array, k: number): Promise<Float64Array> {
    const out = new Float64Array(this.count * k);
    await this.#block.multiply(this.#scaler, rows, k, out, () => this.#progress.yieldToEventLoop());
    return out;
  }

  /** Adds CᵀQ (k rows) to `out`, for coordinates C (count × k). */
  async combine(
    coordinates: Float64Array,
    k: number,
    out: Float64Array = new Float64Array(k * this.d),
  ): Promise<Float64Array> {
    const pause = (): void | Promise<void> => this.#progress.yieldToEventLoop();
    await this.#block.multiplyTransposed(this.#scaler, coordinates, k, out, pause);
    return out;
  }

  /** X −= (XQᵀ)Q for k rows X, twice, so that the rest is orthogonal up to rounding. */
  async remove(rows: Float64Array, k: number): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const inside = await this.combine(await this.coordinates(rows, k), k);
      for (let i = 0; i < inside.length; i++) rows[i] -= inside[i];
    }
  }
}

/** Returns a matrix to pass to `symmetricEigen`: a copy if the engine would overwrite it. */
export function keptMatrix({ keepsMatrix }: Engine, a: Float64Array): Float64Array {
  return keepsMatrix ? a : a.slice();
}

/** Returns Sv for each of k rows v. S is given by its upper triangle; its lower triangle is filled in. */
export async function multiplySymmetric(
  upper: Float64Array,
  vectors: Float64Array,
  k: number,
  d: number,
  tools: VectorTools,
): Promise<Float64Array> {
  completeSymmetric(upper, d);
  const image = await VectorBlock.use(upper, d, d, tools, (matrix) => matrix.coordinates(vectors, k));
  return transpose(image, d, k);
}

import type { Frame } from '../data/block.js';
import { transpose } from '../data/matrix.js';
import type { Engine, LoadedBlock } from '../engines/engine.js';
import type { Pace } from '../pace.js';

/** Some rows of length d as a block of the engine: products of a solver's own vectors are passes like any other. */
export class Span {
  readonly count: number;
  readonly d: number;
  readonly #block: LoadedBlock;
  readonly #frame: Frame;
  readonly #pace: Pace;

  private constructor(block: LoadedBlock, pace: Pace) {
    this.count = block.rows;
    this.d = block.cols;
    this.#block = block;
    this.#pace = pace;
    this.#frame = { shift: new Float64Array(this.d), factor: new Float64Array(this.d).fill(1) };
  }

  /** The first `count` rows of `data`, for as long as `use` takes. */
  static async use<Result>(
    data: Float64Array,
    count: number,
    d: number,
    { engine, pace }: { readonly engine: Engine; readonly pace: Pace },
    use: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    const block = await engine.load({ kind: 'dense', rows: count, cols: d, stride: d, data });
    try {
      return await use(new Span(block, pace));
    } finally {
      block.release();
    }
  }

  /** QQᵀ, upper triangle (count × count). */
  async products(): Promise<Float64Array> {
    const { count } = this;
    const products = new Float64Array(count * count);
    const into = { products, size: count, row: 0, column: 0 };
    await this.#block.dual(this.#frame, this.#block, this.#frame, into, () => this.#pace.breathe());
    return products;
  }

  /** QXᵀ for k rows X (count × k). */
  async coordinates(rows: Float64Array, k: number): Promise<Float64Array> {
    const out = new Float64Array(this.count * k);
    await this.#block.multiply(this.#frame, rows, k, out, () => this.#pace.breathe());
    return out;
  }

  /** CᵀQ for coordinates C (count × k): k rows. */
  async combine(coordinates: Float64Array, k: number): Promise<Float64Array> {
    const out = new Float64Array(k * this.d);
    await this.#block.multiplyTransposed(this.#frame, coordinates, k, out, () => this.#pace.breathe());
    return out;
  }

  /** X −= (XQᵀ)Q for k rows X, twice, so that what is left is orthogonal to rounding. */
  async remove(rows: Float64Array, k: number): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const inside = await this.combine(await this.coordinates(rows, k), k);
      for (let i = 0; i < inside.length; i++) rows[i] -= inside[i];
    }
  }
}

/** Sv for each of k rows v, S given by its upper triangle, which is completed. */
export async function multiplySymmetric(
  upper: Float64Array,
  vectors: Float64Array,
  k: number,
  d: number,
  tools: { readonly engine: Engine; readonly pace: Pace },
): Promise<Float64Array> {
  completeSymmetric(upper, d);
  const image = await Span.use(upper, d, d, tools, (matrix) => matrix.coordinates(vectors, k));
  return transpose(image, d, k);
}

/** Copies the upper triangle to the lower one. */
export function completeSymmetric(upper: Float64Array, d: number): void {
  for (let i = 0; i < d; i++) for (let j = i + 1; j < d; j++) upper[j * d + i] = upper[i * d + j];
}

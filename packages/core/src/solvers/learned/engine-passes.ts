import type { ProgressTracker } from '../../base/progress.js';
import type { MiniBatch, Passes } from '../../engines/passes.js';
import { VectorBlock } from '../../engines/vector-block.js';
import { random } from '../../linalg/random.js';
import { transpose } from '../../linalg/transpose.js';
import { completeSymmetric } from '../../linalg/upper.js';
import { dot } from '../../linalg/vector.js';
import type { ScatterProblem } from '../solver.js';
import { NO_RESULT, type PassRequest, type PassResult } from './rule.js';

/** Runs the passes that a rule requests. */
export interface PassRunner {
  reply(query: PassRequest): Promise<PassResult>;
}

/** The result of a pass over all rows. */
export function allRowsResult(product: Float64Array): PassResult {
  return { product, share: 1, last: true };
}

/** Runs passes on the scatter, for rules that request only WS. */
export async function withScatterPasses<Result>(
  problem: ScatterProblem,
  use: (replies: PassRunner) => Promise<Result>,
): Promise<Result> {
  const { d, scatter } = problem;
  completeSymmetric(scatter, d);
  return VectorBlock.use(scatter, d, d, problem, (matrix) =>
    use({
      async reply(query) {
        if (query.pass === 'pause') {
          await problem.progress.yieldToEventLoop();
          return NO_RESULT;
        }
        if (query.pass !== 'normal') throw new TypeError(`A rule that learns from the scatter queried ${query.pass}.`);
        return allRowsResult(transpose(await matrix.coordinates(query.vectors, query.k), d, query.k));
      },
    }),
  );
}

/** ‖S‖² is computed exactly if it takes at most this number of operations. Otherwise random vectors estimate it. */
const MOST_EXACT_OPERATIONS = 2e11;
const PROBES = 32;

/** Runs passes over the rows on the engine. */
export class EnginePasses implements PassRunner {
  readonly #passes: Passes;
  readonly #progress: ProgressTracker;
  readonly #seed: number;
  #batches: AsyncGenerator<MiniBatch, void, void> | undefined;
  #seen = 0;

  constructor(passes: Passes, progress: ProgressTracker, seed: number) {
    this.#passes = passes;
    this.#progress = progress;
    this.#seed = seed;
  }

  async reply(query: PassRequest): Promise<PassResult> {
    const passes = this.#passes;
    switch (query.pass) {
      case 'normal':
        return allRowsResult(await passes.normal(query.vectors, query.k));
      case 'multiply':
        return allRowsResult(await passes.multiply(query.vectors, query.k));
      case 'multiplyTransposed':
        return allRowsResult(await passes.multiplyTransposed(query.scores, query.k));
      case 'batch':
        return this.#batch(query.vectors, query.k, query.rows, query.first);
      case 'rows':
        return allRowsResult(await this.#rows());
      case 'squares':
        return allRowsResult(Float64Array.of(await this.#squares()));
      case 'pause':
        await this.#progress.yieldToEventLoop();
        return NO_RESULT;
    }
  }

  /** Ends an unfinished epoch. */
  async close(): Promise<void> {
    await this.#batches?.return();
    this.#batches = undefined;
  }

  async #batch(vectors: Float64Array, k: number, size: number, first: boolean): Promise<PassResult> {
    if (first || !this.#batches) {
      await this.close();
      this.#batches = this.#passes.batches(size);
      this.#seen = 0;
      this.#progress.begin('passes over the data', this.#passes.rows);
    }
    const { value: batch } = await this.#batches.next();
    if (!batch) throw new TypeError('An epoch ended before all rows were seen.');
    this.#seen += batch.rows;
    const last = this.#seen === this.#passes.rows;
    const product = await batch.normal(vectors, k);
    if (last) await this.close();
    return { product, share: batch.rows / this.#passes.rows, last };
  }

  async #rows(): Promise<Float64Array> {
    const { rows, cols } = this.#passes;
    const out = new Float64Array(rows * cols);
    let at = 0;
    await this.#passes.rowTiles(async (tile, count) => {
      for (let i = 0; i < count; i++) for (let j = 0; j < cols; j++) out[at++] = tile[j * count + i];
      await this.#progress.yieldToEventLoop();
    });
    return out;
  }

  /** ‖S‖² = ‖K‖², from the smaller matrix. */
  async #squares(): Promise<number> {
    const { rows: n, cols: d } = this.#passes;
    const size = Math.min(n, d);
    if (n * d * size > MOST_EXACT_OPERATIONS) {
      const { normal } = random(this.#seed);
      const images = await this.#passes.normal(new Float64Array(PROBES * d).map(normal), PROBES);
      return dot(images, 0, images, 0, images.length) / PROBES;
    }
    const square = d <= n ? await this.#passes.gram() : await this.#passes.dual();
    let sum = 0;
    for (let i = 0; i < size; i++) {
      sum += square[i * size + i] ** 2 + 2 * dot(square, i * size + i + 1, square, i * size + i + 1, size - i - 1);
    }
    return sum;
  }
}

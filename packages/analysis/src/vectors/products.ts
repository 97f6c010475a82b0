import { type Engine, referenceEngine, wasmEngine } from '@scree/core';
import { identityScaler } from '@scree/core/data';
import type { LoadedBlock } from '@scree/core/engine';
import type { ProgressTracker } from '@scree/core/pipeline';

/** Some columns of row-major float32 rows. */
export interface ColumnRange {
  readonly data: Float32Array;
  readonly rows: number;
  /** Numbers per row. */
  readonly stride: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Products of rows with rows by the engine's `dual` pass, in float32 if the engine has it, and exact products with components. The engine
 * is WebAssembly, or plain JavaScript: their float64 sums have the same bits on any number of threads.
 */
export class VectorProducts {
  readonly #engine: Engine;
  readonly #progress: ProgressTracker;
  readonly #scratch: [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];

  private constructor(engine: Engine, progress: ProgressTracker) {
    this.#engine = engine;
    this.#progress = progress;
  }

  static async open(threads: number | undefined, progress: ProgressTracker): Promise<VectorProducts> {
    return new VectorProducts((await wasmEngine({ threads })) ?? referenceEngine(), progress);
  }

  /** One of two arrays for products, which the next call for it overwrites. New arrays of many megabytes cost more than the products. */
  scratch(which: 0 | 1, length: number): Float64Array {
    if (this.#scratch[which].length < length) this.#scratch[which] = new Float64Array(length);
    return this.#scratch[which].subarray(0, length);
  }

  /** out[i·count + q] = ⟨row i of `a`, row q of `b`⟩ over the same number of columns. Errors are those of float32 sums. */
  async between(a: ColumnRange, b: ColumnRange, out: Float64Array): Promise<void> {
    const engine = this.#engine.float32 ?? this.#engine;
    const scaler = identityScaler(a.right - a.left);
    const [left, right] = [await load(engine, a), await load(engine, b)];
    try {
      const into = { products: out, size: b.rows, row: 0, column: 0 };
      await left.dual(scaler, right, scaler, into, () => this.#progress.yieldToEventLoop());
    } finally {
      left.release();
      right.release();
    }
  }

  /** out = rows × componentsᵀ in float64: exact for rows of `toFixedPoint` and components of `roundComponents`. */
  async exact(
    rows: Float64Array,
    count: number,
    components: Float64Array,
    k: number,
    out: Float64Array,
  ): Promise<void> {
    const d = components.length / k;
    const block = await this.#engine.load({ kind: 'dense', rows: count, cols: d, stride: d, data: rows });
    try {
      await block.multiply(identityScaler(d), components, k, out, () => this.#progress.yieldToEventLoop());
    } finally {
      block.release();
    }
  }
}

/** Bound of the rounding error of a float32 product of rows of length d, relative to ‖a‖·‖b‖, whatever the order of the sum. */
export const productError = (d: number): number => (d + 4) * 2 ** -24;

function load(engine: Engine, { data, rows, stride, left, right }: ColumnRange): LoadedBlock | Promise<LoadedBlock> {
  const numbers = data.subarray(left, (rows - 1) * stride + right);
  return engine.load({ kind: 'dense', rows, cols: right - left, stride, data: numbers });
}

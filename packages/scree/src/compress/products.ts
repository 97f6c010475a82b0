import { type Engine, referenceEngine, wasmEngine } from '@scree/core';
import type { Block, Scaler } from '@scree/core/data';
import { identityScaler } from '@scree/core/data';
import type { OnStep } from '@scree/core/engine';

const reference = referenceEngine();

/** The components, mean and scale of a model. */
export interface StoredBasis {
  /** k × d, orthonormal rows. */
  readonly components: Float64Array;
  readonly k: number;
  readonly d: number;
  readonly mean: Float64Array;
  readonly scale: Float64Array;
}

export async function productEngine(threads?: number): Promise<Engine> {
  return (await wasmEngine({ threads })) ?? reference;
}

/** Computes scores of rows, and rows from scores, with the engine's `multiply`: the same bits on any number of threads. */
export class ModelProducts {
  readonly #basis: StoredBasis;
  readonly #engine: Engine;
  readonly #onStep: OnStep;
  readonly #frame: Scaler;
  readonly #plain: Scaler;
  /** d × k. */
  readonly #transposed: Float64Array;

  constructor(basis: StoredBasis, engine: Engine, onStep: OnStep = () => {}) {
    const { components, k, d, mean, scale } = basis;
    this.#basis = basis;
    this.#engine = engine;
    this.#onStep = onStep;
    this.#frame = { shift: mean, factor: scale.map((value) => 1 / value) };
    this.#plain = identityScaler(k);
    this.#transposed = turned(components, k, d);
  }

  /** Z = V(x − mean)/scale, n × k. Never whitened, even if the model is. */
  scores(block: Block): Promise<Float64Array> {
    const { components, k } = this.#basis;
    return multiply(this.#engine, block, this.#frame, components, k, this.#onStep);
  }

  /** X̂ = mean + scale·VᵀZ, n × d. */
  async rows(scores: Float64Array): Promise<Float64Array> {
    const { k, d, mean, scale } = this.#basis;
    const rows = scores.length / k;
    const block: Block = { kind: 'dense', rows, cols: k, stride: k, data: scores };
    const out = await multiply(this.#engine, block, this.#plain, this.#transposed, d, this.#onStep);
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j < d; j++, at++) out[at] = out[at] * scale[j] + mean[j];
    return out;
  }
}

/** Tolerance of the iteration, and the limit of its steps. Convergence is quadratic. */
const ORTHONORMAL = 1e-13;
const ROUNDS = 30;

/**
 * The orthonormal rows nearest to given ones, by the Newton–Schulz iteration V ← V − ½(VVᵀ − I)V. It converges if all
 * singular values of V are below √3. Returns undefined if it does not converge.
 */
export async function nearestOrthonormal(
  vectors: Float64Array,
  k: number,
  d: number,
  engine: Engine,
): Promise<{ readonly components: Float64Array; readonly defect: number } | undefined> {
  let components = vectors;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const rows: Block = { kind: 'dense', rows: k, cols: d, stride: d, data: components };
    const gram = await multiply(engine, rows, identityScaler(d), components, k);
    let defect = 0;
    for (let r = 0; r < k; r++) {
      for (let c = 0; c < k; c++) {
        const off = Math.abs(gram[r * k + c] - (r === c ? 1 : 0));
        // Math.max would also keep NaN, but is slower.
        if (!(off <= defect)) defect = off;
      }
    }
    if (Number.isNaN(defect) || defect > 1e6) return undefined;
    // The rounding of long sums may prevent the tolerance: then it stops when the error no longer decreases.
    if (defect < ORTHONORMAL || (defect < 1e-10 && defect >= least / 2)) return { components, defect };
    least = Math.min(least, defect);
    for (let r = 0; r < k; r++) for (let c = 0; c < k; c++) gram[r * k + c] = (r === c ? 1.5 : 0) - gram[r * k + c] / 2;
    const square: Block = { kind: 'dense', rows: k, cols: k, stride: k, data: gram };
    components = await multiply(engine, square, identityScaler(k), turned(components, k, d), d);
  }
  return undefined;
}

async function multiply(
  engine: Engine,
  block: Block,
  frame: Scaler,
  vectors: Float64Array,
  count: number,
  onStep: OnStep = () => {},
): Promise<Float64Array> {
  const out = new Float64Array(block.rows * count);
  const loaded = await engine.load(block);
  try {
    await loaded.multiply(frame, vectors, count, out, onStep);
  } finally {
    loaded.release();
  }
  return out;
}

function turned(values: Float64Array, rows: number, cols: number): Float64Array {
  const out = new Float64Array(values.length);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) out[j * rows + i] = values[i * cols + j];
  return out;
}

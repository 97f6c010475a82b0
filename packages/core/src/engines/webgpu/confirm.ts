import type { DenseBlock, Scaler } from '../../data/blocks/block.js';
import { random } from '../../linalg/random.js';
import { axpy, dot, norm } from '../../linalg/vector.js';
import type { LoadedBlock, OnStep } from '../engine.js';
import { DeviceFailure, type Gpu } from './device.js';
import { gramPass } from './gram-pass.js';
import { IntegerPanel } from './integer-gram.js';
import type { Meanwhile, StoredRows } from './pass-buffers.js';
import { normalPass } from './products-pass.js';
import { slabRows } from './scaled-rows.js';

/** Maximum relative difference between the sums of two kernels, or of a kernel and the processor: a thousand times the usual rounding. */
const CONFIRMED = 1e-10;
/** Number of vectors whose products are compared. */
const CONFIRMED_PAIRS = 8;

/** The processor reads one in this many rows of a slab. */
const SAMPLED = 8;

/**
 * BᵀB of some rows of one slab times one vector, computed by the processor in float64. The shape of the data selects the slab. The
 * processor computes while the device works on all rows: give `meanwhile` to the pass. Then the device computes the same product with
 * weight 0 for the other rows of the slab, so it sums the usual number of terms.
 */
export class SlabCheck {
  readonly slab: number;
  readonly meanwhile: Meanwhile;
  /** The scaler of the pass, and the same scaler with weight 0 for rows that are not sampled. */
  readonly #given: Scaler;
  readonly #scaler: Scaler;
  readonly #vector: Float64Array;
  readonly #expected: Float64Array;

  constructor(
    block: DenseBlock,
    load: (block: DenseBlock) => Promise<LoadedBlock>,
    scaler: Scaler,
    vector: Float64Array,
    report: OnStep,
  ) {
    const { rows: total, cols, stride, data } = block;
    const height = slabRows(cols);
    this.slab = Math.floor(random(total + cols).uniform() * Math.ceil(total / height));
    this.#vector = vector;
    this.#expected = new Float64Array(cols);
    const first = this.slab * height;
    const rows = Math.ceil(Math.min(height, total - first) / SAMPLED);
    const rootWeights = new Float64Array(rows);
    const sampled = new Float64Array(total);
    for (let i = 0; i < rows; i++) {
      const row = first + i * SAMPLED;
      sampled[row] = rootWeights[i] = scaler.rootWeights?.[row] ?? 1;
    }
    this.#given = scaler;
    this.#scaler = { ...scaler, rootWeights: sampled };
    this.meanwhile = async () => {
      const loaded = await load({ ...block, rows, stride: stride * SAMPLED, data: data.subarray(first * stride) });
      try {
        await loaded.normal({ ...scaler, rootWeights }, vector, 1, this.#expected, () => report(0));
      } finally {
        loaded.release();
      }
    };
  }

  /** Confirms products VBᵀB. The device multiplies the slab by the vector with the same kernels. */
  async products(stored: StoredRows, report: OnStep): Promise<void> {
    this.#compare(
      stored.gpu,
      await normalPass(stored, this.#scaler, this.#vector, 1, () => report(0), { slab: this.slab }),
    );
  }

  /** Confirms a scatter. The device sums only the slab. */
  async scatter(stored: StoredRows, report: OnStep): Promise<void> {
    const d = stored.cols;
    const part = new Float64Array(d * d);
    // Kernels for bytes have no weights. They leave rows out.
    const bytes = IntegerPanel.suits(stored, this.#given);
    const [scaler, every] = bytes ? [this.#given, SAMPLED] : [this.#scaler, 1];
    await gramPass(stored, scaler, true, part, () => report(0), { slab: this.slab, every });
    const vector = this.#vector;
    const image = new Float64Array(d);
    for (let i = 0; i < d; i++) {
      image[i] += part[i * d + i] * vector[i] + dot(part, i * d + i + 1, vector, i + 1, d - i - 1);
      axpy(vector[i], part, i * d + i + 1, image, i + 1, d - i - 1);
    }
    this.#compare(stored.gpu, image);
  }

  #compare(gpu: Gpu, image: Float64Array): void {
    const difference = this.#expected.slice();
    axpy(-1, image, 0, difference, 0, image.length);
    expectRounding(gpu, norm(difference), norm(this.#expected));
  }
}

/** Returns a random combination of k vectors. */
export function randomCombination(vectors: Float64Array, k: number, d: number): Float64Array {
  const { normal } = random(k + d);
  const vector = new Float64Array(d);
  for (let c = 0; c < k; c++) axpy(normal() / (norm(vectors, c * d, d) || 1), vectors, c * d, vector, 0, d);
  return vector;
}

/** Confirms products VBᵀB of all rows: M = (VBᵀB)Vᵀ must be symmetric, and an error in a part of the products breaks the symmetry. */
export function confirmSymmetry(gpu: Gpu, vectors: Float64Array, k: number, found: Float64Array, d: number): void {
  for (let i = 0; i < Math.min(k, CONFIRMED_PAIRS); i++) {
    for (let j = 0; j < i; j++) {
      const difference = dot(found, i * d, vectors, j * d, d) - dot(found, j * d, vectors, i * d, d);
      const size = norm(found, i * d, d) * norm(vectors, j * d, d) + norm(found, j * d, d) * norm(vectors, i * d, d);
      expectRounding(gpu, Math.abs(difference), size);
    }
  }
}

/** Confirms a scatter of all rows: its diagonal must equal the sums of squares of another kernel. */
export function confirmDiagonal(gpu: Gpu, scatter: Float64Array, squares: Float64Array, d: number): void {
  for (let j = 0; j < d; j++) expectRounding(gpu, Math.abs(scatter[j * d + j] - squares[j]), squares[j]);
}

/** Throws if the error exceeds the rounding of a number of this size. */
function expectRounding(gpu: Gpu, error: number, size: number): void {
  if (error <= CONFIRMED * size) return;
  gpu.failure ??= `it computed something wrong (off by ${(error / size).toExponential(1)}, found by checking its sums)`;
  throw new DeviceFailure(gpu.failure);
}

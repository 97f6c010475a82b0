import { transpose } from '../data/matrix.js';
import type { Engine } from '../engines/engine.js';
import { axpy, norm } from '../linalg/vector.js';
import type { Pace } from '../pace.js';

/** ‖Sv − λv‖ of each row v, given the rows Sv (`image`, destroyed). */
export function residualNorms(
  image: Float64Array,
  basis: Float64Array,
  values: Float64Array,
  k: number,
  d: number,
): Float64Array {
  return Float64Array.from({ length: k }, (_, r) => {
    axpy(-values[r], basis, r * d, image, r * d, d);
    return norm(image, r * d, d);
  });
}

/** Sv for each row v, S given by its upper triangle, which is completed. */
export async function multiplySymmetric(
  upper: Float64Array,
  vectors: Float64Array,
  k: number,
  d: number,
  engine: Engine,
  pace: Pace,
): Promise<Float64Array> {
  for (let i = 0; i < d; i++) for (let j = i + 1; j < d; j++) upper[j * d + i] = upper[i * d + j];
  const matrix = await engine.load({ kind: 'dense', rows: d, cols: d, stride: d, data: upper });
  try {
    const image = new Float64Array(d * k);
    const plain = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
    await matrix.multiply(plain, vectors, k, image, () => pace.breathe());
    return transpose(image, d, k);
  } finally {
    matrix.release();
  }
}

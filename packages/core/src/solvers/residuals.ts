import type { Beat, Engine } from '../engines/engine.js';
import { axpy, norm } from '../linalg/vector.js';

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

/** Rows and columns of a tile of the mirrored triangle: both tiles stay in the first-level cache. */
const TILE = 32;

/** Sv for each row v, S given by its upper triangle: one product on the engine, V times the whole of S. */
export async function multiplySymmetric(
  engine: Engine,
  upper: Float64Array,
  vectors: Float64Array,
  k: number,
  d: number,
  beat: Beat,
): Promise<Float64Array> {
  const image = new Float64Array(k * d);
  const block = { kind: 'dense', rows: k, cols: d, stride: d, data: vectors } as const;
  const plain = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const loaded = await engine.load(block);
  await loaded.multiply(plain, mirrored(upper, d), d, image, beat);
  loaded.release();
  return image;
}

/** A symmetric matrix in full. */
function mirrored(upper: Float64Array, d: number): Float64Array {
  const full = upper.slice();
  for (let top = 0; top < d; top += TILE) {
    for (let left = top; left < d; left += TILE) {
      for (let i = top; i < Math.min(d, top + TILE); i++) {
        for (let j = Math.max(i + 1, left); j < Math.min(d, left + TILE); j++) full[j * d + i] = full[i * d + j];
      }
    }
  }
  return full;
}

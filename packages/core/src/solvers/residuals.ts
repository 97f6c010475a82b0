import { axpy, norm } from '../linalg/vector.js';
import type { Steps } from '../pace.js';

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

/** Sv for each row v, S given by its upper triangle. */
export function* multiplySymmetric(
  upper: Float64Array,
  vectors: Float64Array,
  k: number,
  d: number,
): Steps<Float64Array> {
  const image = new Float64Array(k * d);
  for (let i = 0; i < d; i++) {
    const line = i * d;
    for (let r = 0; r < k; r++) {
      const row = r * d;
      const vi = vectors[row + i];
      let sum = upper[line + i] * vi;
      for (let j = i + 1; j < d; j++) {
        sum += upper[line + j] * vectors[row + j];
        image[row + j] += upper[line + j] * vi;
      }
      image[row + i] += sum;
    }
    yield 4 * (d - i) * k;
  }
  return image;
}

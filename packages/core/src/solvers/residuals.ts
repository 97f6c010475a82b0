import { axpy, norm } from '../linalg/vector.js';

/** ‖Sv − λv‖ of each row v, from the rows Sv (`image`, overwritten). */
export function residualNorms(
  image: Float64Array,
  basis: Float64Array,
  values: Float64Array,
  k: number,
  d: number,
): Float64Array {
  const norms = new Float64Array(k);
  for (let r = 0; r < k; r++) {
    axpy(-values[r], basis, r * d, image, r * d, d);
    norms[r] = norm(image, r * d, d);
  }
  return norms;
}

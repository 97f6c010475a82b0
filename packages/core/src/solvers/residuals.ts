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

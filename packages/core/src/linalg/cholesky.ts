/**
 * Returns the lower triangle L of A = LLᵀ. A (size × size) is given by its upper triangle. Returns undefined if A is not positive definite:
 * if a row keeps less than the share `least` of its diagonal entry, it depends on earlier rows.
 */
export function cholesky(a: Float64Array, size: number, least: number): Float64Array | undefined {
  const l = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    for (let i = 0; i <= j; i++) {
      let sum = a[i * size + j];
      for (let c = 0; c < i; c++) sum -= l[i * size + c] * l[j * size + c];
      if (i < j) {
        l[j * size + i] = sum / l[i * size + i];
      } else {
        if (!(sum > least * a[j * size + j] && sum > Number.MIN_VALUE / Number.EPSILON)) return undefined;
        l[j * size + j] = Math.sqrt(sum);
      }
    }
  }
  return l;
}

/** L⁻¹ of a lower triangle. */
export function invertLower(l: Float64Array, size: number): Float64Array {
  const inverse = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    inverse[j * size + j] = 1 / l[j * size + j];
    for (let i = j + 1; i < size; i++) {
      let sum = 0;
      for (let c = j; c < i; c++) sum -= l[i * size + c] * inverse[c * size + j];
      inverse[i * size + j] = sum / l[i * size + i];
    }
  }
  return inverse;
}

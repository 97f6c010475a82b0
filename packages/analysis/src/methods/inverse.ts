/** A⁻¹ (size × size) by Gauss–Jordan elimination with partial pivoting, for small matrices; undefined if A is singular. */
export function inverse(a: Float64Array, size: number): Float64Array | undefined {
  const work = a.slice();
  const out = new Float64Array(size * size);
  for (let i = 0; i < size; i++) out[i * size + i] = 1;
  for (let c = 0; c < size; c++) {
    let pivot = c;
    for (let i = c + 1; i < size; i++) if (Math.abs(work[i * size + c]) > Math.abs(work[pivot * size + c])) pivot = i;
    const value = work[pivot * size + c];
    if (!(Math.abs(value) > 0)) return undefined;
    for (const m of [work, out]) {
      const row = m.slice(pivot * size, (pivot + 1) * size);
      m.copyWithin(pivot * size, c * size, (c + 1) * size);
      for (let j = 0; j < size; j++) m[c * size + j] = row[j] / value;
    }
    for (let i = 0; i < size; i++) {
      const factor = work[i * size + c];
      if (i === c || factor === 0) continue;
      for (const m of [work, out]) for (let j = 0; j < size; j++) m[i * size + j] -= factor * m[c * size + j];
    }
  }
  return out;
}

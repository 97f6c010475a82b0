import { runTaskSync, type Task } from '../base/progress.js';
import { dot } from './vector.js';

/** Products and combinations of few long rows. Rows are processed two or four at a time, for speed. */

/** ABᵀ for ka and kb rows of the same length: ka × kb. */
export function rowProducts(a: Float64Array, ka: number, b: Float64Array, kb: number, length: number): Float64Array {
  return runTaskSync(rowProductSteps(a, ka, b, kb, length));
}

/** `rowProducts` in steps of two rows. */
export function* rowProductSteps(
  a: Float64Array,
  ka: number,
  b: Float64Array,
  kb: number,
  length: number,
): Task<Float64Array> {
  const out = new Float64Array(ka * kb);
  let i = 0;
  for (; i + 1 < ka; i += 2) {
    yield 4 * kb * length;
    let j = 0;
    for (; j + 1 < kb; j += 2) twoByTwo(a, i * length, b, j * length, length, out, i * kb + j, kb);
    if (j === kb) continue;
    out[i * kb + j] = dot(a, i * length, b, j * length, length);
    out[(i + 1) * kb + j] = dot(a, (i + 1) * length, b, j * length, length);
  }
  if (i < ka) for (let j = 0; j < kb; j++) out[i * kb + j] = dot(a, i * length, b, j * length, length);
  return out;
}

/** The products of two neighbouring rows with two others. */
function twoByTwo(
  a: Float64Array,
  aStart: number,
  b: Float64Array,
  bStart: number,
  length: number,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  let s00 = 0;
  let s01 = 0;
  let s10 = 0;
  let s11 = 0;
  for (let i = 0; i < length; i++) {
    const a0 = a[aStart + i];
    const a1 = a[aStart + length + i];
    const b0 = b[bStart + i];
    const b1 = b[bStart + length + i];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s10 += a1 * b0;
    s11 += a1 * b1;
  }
  out[at] = s00;
  out[at + 1] = s01;
  out[at + stride] = s10;
  out[at + stride + 1] = s11;
}

/** CR for coefficients C (count × k) of k rows R: count × length. */
export function combineRows(
  coefficients: Float64Array,
  count: number,
  rows: Float64Array,
  k: number,
  length: number,
): Float64Array {
  const out = new Float64Array(count * length);
  addCombination(1, coefficients, count, rows, k, length, out);
  return out;
}

/** Out += α·C·R for coefficients C (count × k) of k rows R. */
export function addCombination(
  alpha: number,
  coefficients: Float64Array,
  count: number,
  rows: Float64Array,
  k: number,
  length: number,
  out: Float64Array,
): void {
  runTaskSync(addCombinationSteps(alpha, coefficients, count, rows, k, length, out));
}

/** `addCombination` in steps of one row. */
export function* addCombinationSteps(
  alpha: number,
  coefficients: Float64Array,
  count: number,
  rows: Float64Array,
  k: number,
  length: number,
  out: Float64Array,
): Task<void> {
  for (let i = 0; i < count; i++) {
    yield 2 * k * length;
    const own = i * k;
    let j = 0;
    for (; j + 3 < k; j += 4) addFour(alpha, coefficients, own + j, rows, j * length, length, out, i * length);
    for (; j < k; j++) addOne(alpha * coefficients[own + j], rows, j * length, length, out, i * length);
  }
}

function addFour(
  alpha: number,
  coefficients: Float64Array,
  first: number,
  rows: Float64Array,
  start: number,
  length: number,
  out: Float64Array,
  to: number,
): void {
  const c0 = alpha * coefficients[first];
  const c1 = alpha * coefficients[first + 1];
  const c2 = alpha * coefficients[first + 2];
  const c3 = alpha * coefficients[first + 3];
  for (let i = 0; i < length; i++) {
    const at = start + i;
    out[to + i] += c0 * rows[at] + c1 * rows[at + length] + (c2 * rows[at + 2 * length] + c3 * rows[at + 3 * length]);
  }
}

function addOne(
  factor: number,
  rows: Float64Array,
  start: number,
  length: number,
  out: Float64Array,
  to: number,
): void {
  if (factor === 0) return;
  for (let i = 0; i < length; i++) out[to + i] += factor * rows[start + i];
}

/**
 * Householder reduction of a symmetric matrix to tridiagonal form, one column at a time. The mathematics and the
 * layout are those of src/linalg/tridiagonalise.ts. The update of one step waits for the product of the next, so
 * that the matrix is read and written once per step and not twice: `v` and `w` of the previous step are applied late.
 *
 * A step is three calls: `beginColumn`, then `reduceRows` for each of a fixed number of parts, at the same time and in
 * any order, then `endColumn`, which adds the results of the parts in their order.
 */

import { madd } from './madd';

/** Applies the pending update to row j; then computes the reflector that clears it right of the off-diagonal. */
export function beginColumn(
  a: usize,
  size: i32,
  diagonal: usize,
  offDiagonal: usize,
  taus: usize,
  w: usize,
  j: i32,
): void {
  const stride = (<usize>size) << 3;
  const row = a + <usize>j * stride;
  const at = (<usize>j) << 3;
  if (pending(taus, j)) {
    const before = row - stride;
    subtractRow(row, before, w, load<f64>(before + at), load<f64>(w + at), j, size);
  }
  store<f64>(diagonal + at, load<f64>(row + at));
  if (j === size - 1) return;
  store<f64>(taus + at, reflector(row + at + 8, size - j - 1, offDiagonal + at));
}

/** Whether the step before j left a pending update. */
function pending(taus: usize, j: i32): bool {
  return j > 0 && load<f64>(taus + ((<usize>(j - 1)) << 3)) !== 0;
}

/**
 * Rows below j that belong to a part, every `parts`-th pair of them: their pending update, and their share of p = Av,
 * into the part's own `p`.
 */
export function reduceRows(a: usize, size: i32, taus: usize, w: usize, p: usize, j: i32, part: i32, parts: i32): void {
  const stride = (<usize>size) << 3;
  const row = a + <usize>j * stride;
  const before = row - stride;
  const updates = pending(taus, j);
  memory.fill(p + ((<usize>(j + 1)) << 3), 0, (<usize>(size - j - 1)) << 3);
  for (let first = j + 1 + 2 * part; first < size; first += 2 * parts) {
    const end = min(size, first + 2);
    for (let i = first; i < end; i++) {
      const line = a + <usize>i * stride;
      const iAt = (<usize>i) << 3;
      const vi = load<f64>(row + iAt);
      const sum = updates
        ? updateAndMultiply(line, before, w, load<f64>(before + iAt), load<f64>(w + iAt), row, p, vi, i, size)
        : multiply(line, row, p, vi, i, size);
      store<f64>(p + iAt, load<f64>(p + iAt) + sum);
    }
  }
}

/** p of all parts together, `partBytes` apart, then w = τ(p − ½τ(pᵀv)v). */
export function endColumn(
  a: usize,
  size: i32,
  taus: usize,
  w: usize,
  p: usize,
  partBytes: usize,
  j: i32,
  parts: i32,
): void {
  const row = a + ((<usize>j * <usize>size) << 3);
  const tau = load<f64>(taus + ((<usize>j) << 3));
  let product = 0.0;
  for (let i = j + 1; i < size; i++) {
    const iAt = (<usize>i) << 3;
    let sum = load<f64>(p + iAt);
    for (let part = 1; part < parts; part++) sum += load<f64>(p + <usize>part * partBytes + iAt);
    store<f64>(p + iAt, sum);
    product += sum * load<f64>(row + iAt);
  }
  const half = 0.5 * tau * product;
  for (let i = j + 1; i < size; i++) {
    const iAt = (<usize>i) << 3;
    store<f64>(w + iAt, tau * (load<f64>(p + iAt) - half * load<f64>(row + iAt)));
  }
}

/** row[c] −= vᵢw[c] + wᵢv[c] for c from `start` on. */
function subtractRow(row: usize, v: usize, w: usize, vi: f64, wi: f64, start: i32, size: i32): void {
  for (let c = start; c < size; c++) {
    const at = (<usize>c) << 3;
    store<f64>(row + at, load<f64>(row + at) - (vi * load<f64>(w + at) + wi * load<f64>(v + at)));
  }
}

/**
 * The pending update of row i, and its part in p = A·x: returns Σ_{c ≥ i} a[c]x[c], adds a[c]·xᵢ to p[c] for c > i.
 */
function updateAndMultiply(
  row: usize,
  v: usize,
  w: usize,
  vi: f64,
  wi: f64,
  x: usize,
  p: usize,
  xi: f64,
  i: i32,
  size: i32,
): f64 {
  let at = (<usize>i) << 3;
  const end = (<usize>size) << 3;
  let entry = load<f64>(row + at) - (vi * load<f64>(w + at) + wi * load<f64>(v + at));
  store<f64>(row + at, entry);
  let sum = entry * xi;
  at += 8;
  const minusVi = f64x2.splat(-vi);
  const minusWi = f64x2.splat(-wi);
  const scale = f64x2.splat(xi);
  let sums = f64x2.splat(0);
  let more = f64x2.splat(0);
  for (; at + 24 < end; at += 32) {
    let low = madd(minusVi, v128.load(w + at), v128.load(row + at));
    let high = madd(minusVi, v128.load(w + at, 16), v128.load(row + at, 16));
    low = madd(minusWi, v128.load(v + at), low);
    high = madd(minusWi, v128.load(v + at, 16), high);
    v128.store(row + at, low);
    v128.store(row + at, high, 16);
    sums = madd(low, v128.load(x + at), sums);
    more = madd(high, v128.load(x + at, 16), more);
    v128.store(p + at, madd(low, scale, v128.load(p + at)));
    v128.store(p + at, madd(high, scale, v128.load(p + at, 16)), 16);
  }
  for (; at < end; at += 8) {
    entry = load<f64>(row + at) - (vi * load<f64>(w + at) + wi * load<f64>(v + at));
    store<f64>(row + at, entry);
    sum += entry * load<f64>(x + at);
    store<f64>(p + at, load<f64>(p + at) + entry * xi);
  }
  sums = f64x2.add(sums, more);
  return sum + f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
}

/** The same where nothing is pending. */
function multiply(row: usize, x: usize, p: usize, xi: f64, i: i32, size: i32): f64 {
  const diagonal = (<usize>i) << 3;
  let sum = load<f64>(row + diagonal) * xi;
  for (let c = i + 1; c < size; c++) {
    const at = (<usize>c) << 3;
    const entry = load<f64>(row + at);
    sum += entry * load<f64>(x + at);
    store<f64>(p + at, load<f64>(p + at) + entry * xi);
  }
  return sum;
}

/** As src/linalg/reflector.ts: overwrites x with v (v₀ = 1), stores β, returns τ. */
function reflector(x: usize, length: i32, beta: usize): f64 {
  const alpha = load<f64>(x);
  let largest = 0.0;
  for (let i = 1; i < length; i++) largest = max(largest, abs(load<f64>(x + ((<usize>i) << 3))));
  if (largest === 0) {
    store<f64>(x, 1);
    store<f64>(beta, alpha);
    return 0;
  }
  largest = max(largest, abs(alpha));
  let sum = 0.0;
  for (let i = 0; i < length; i++) {
    const scaled = load<f64>(x + ((<usize>i) << 3)) / largest;
    sum += scaled * scaled;
  }
  const norm = (alpha > 0 ? -largest : largest) * sqrt(sum);
  const pivot = alpha - norm;
  store<f64>(x, 1);
  for (let i = 1; i < length; i++) {
    const at = (<usize>i) << 3;
    store<f64>(x + at, load<f64>(x + at) / pivot);
  }
  store<f64>(beta, norm);
  return -pivot / norm;
}

/**
 * Eigenvectors of T become those of A: rows `from` to `to` − 1 of `vectors`, four at a time, go through all reflectors,
 * last to first: z −= τ(vᵀz)v.
 */
export function backTransform(reflectors: usize, size: i32, taus: usize, vectors: usize, from: i32, to: i32): void {
  const stride = (<usize>size) << 3;
  for (let r = from; r < to; r += 4) {
    const z0 = vectors + <usize>r * stride;
    // Rows that are not there are the last one again, and left alone.
    const z1 = r + 1 < to ? z0 + stride : z0;
    const z2 = r + 2 < to ? z1 + stride : z1;
    const z3 = r + 3 < to ? z2 + stride : z2;
    for (let j = size - 2; j >= 0; j--) {
      const tau = load<f64>(taus + ((<usize>j) << 3));
      if (tau === 0) continue;
      const v = reflectors + <usize>j * stride;
      const start = (<usize>(j + 1)) << 3;
      let s0 = f64x2.splat(0);
      let s1 = s0;
      let s2 = s0;
      let s3 = s0;
      let at = start;
      for (; at + 8 < stride; at += 16) {
        const pair = v128.load(v + at);
        s0 = madd(pair, v128.load(z0 + at), s0);
        s1 = madd(pair, v128.load(z1 + at), s1);
        s2 = madd(pair, v128.load(z2 + at), s2);
        s3 = madd(pair, v128.load(z3 + at), s3);
      }
      const odd = at < stride;
      const last = odd ? load<f64>(v + at) : 0;
      const t0 = -tau * (total(s0) + (odd ? last * load<f64>(z0 + at) : 0));
      const t1 = -tau * (total(s1) + (odd ? last * load<f64>(z1 + at) : 0));
      const t2 = -tau * (total(s2) + (odd ? last * load<f64>(z2 + at) : 0));
      const t3 = -tau * (total(s3) + (odd ? last * load<f64>(z3 + at) : 0));
      add(z0, v, t0, start, stride);
      if (z1 !== z0) add(z1, v, t1, start, stride);
      if (z2 !== z1) add(z2, v, t2, start, stride);
      if (z3 !== z2) add(z3, v, t3, start, stride);
    }
  }
}

function total(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/** z += t·v from byte `at` to byte `end`. */
function add(z: usize, v: usize, t: f64, at: usize, end: usize): void {
  const both = f64x2.splat(t);
  for (; at + 8 < end; at += 16) v128.store(z + at, madd(both, v128.load(v + at), v128.load(z + at)));
  if (at < end) store<f64>(z + at, load<f64>(z + at) + t * load<f64>(v + at));
}

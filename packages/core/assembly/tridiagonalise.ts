/**
 * Householder reduction of a symmetric matrix to tridiagonal form, steps `from` to `to` − 1. The mathematics, and what
 * is stored where, are those of src/linalg/tridiagonalise.ts. The update of one step waits for the product of the next,
 * so that the matrix is read and written once a step and not twice: `v` and `w` of the step before ride along.
 */

import { madd } from './madd';

export function tridiagonaliseSteps(
  a: usize,
  size: i32,
  diagonal: usize,
  offDiagonal: usize,
  taus: usize,
  w: usize,
  p: usize,
  from: i32,
  to: i32,
): void {
  const stride = (<usize>size) << 3;
  for (let j = from; j < to; j++) {
    const row = a + <usize>j * stride;
    const at = (<usize>j) << 3;
    const before = j > 0 ? row - stride : 0;
    const pending = j > 0 && load<f64>(taus + at - 8) !== 0;
    // What the step before left to do on this row.
    if (pending) subtractRow(row, before, w, load<f64>(before + at), load<f64>(w + at), j, size);
    store<f64>(diagonal + at, load<f64>(row + at));
    if (j === size - 1) return;
    const tau = reflector(row + at + 8, size - j - 1, offDiagonal + at);
    store<f64>(taus + at, tau);
    for (let i = j + 1; i < size; i++) store<f64>(p + ((<usize>i) << 3), 0);
    for (let i = j + 1; i < size; i++) {
      const line = a + <usize>i * stride;
      const iAt = (<usize>i) << 3;
      const vi = load<f64>(row + iAt);
      let sum = 0.0;
      if (pending) {
        sum = updateAndMultiply(line, before, w, load<f64>(before + iAt), load<f64>(w + iAt), row, p, vi, i, size);
      } else {
        sum = multiply(line, row, p, vi, i, size);
      }
      store<f64>(p + iAt, load<f64>(p + iAt) + sum);
    }
    // w = τ(p − ½τ(pᵀv)v)
    let product = 0.0;
    for (let i = j + 1; i < size; i++) product += load<f64>(p + ((<usize>i) << 3)) * load<f64>(row + ((<usize>i) << 3));
    const half = 0.5 * tau * product;
    for (let i = j + 1; i < size; i++) {
      const iAt = (<usize>i) << 3;
      store<f64>(w + iAt, tau * (load<f64>(p + iAt) - half * load<f64>(row + iAt)));
    }
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

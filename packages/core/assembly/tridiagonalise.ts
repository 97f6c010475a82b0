/**
 * Householder reduction of a symmetric matrix to tridiagonal form, a panel of columns at a time (LAPACK's dlatrd; Golub & Van Loan §8.3.1).
 * The reflectors v of a panel and their w are applied to the rows below the panel together, at the end of the panel. Until then, products
 * with the matrix are corrected: A = A₀ − Σ(vwᵀ + wvᵀ). So a column reads the matrix once and does not write it.
 *
 * A column takes three calls: `beginColumn`, then `multiplyUpper` for each of a fixed number of parts (at the same time and in any order),
 * then `endColumn`, which adds the results of the parts in order. `updatePart` ends a panel. reduce.ts calls them.
 *
 * The kernels read and write the upper triangle, with whole 4 × 4 squares on the diagonal. Rows are `stride` numbers apart. The stride and
 * the number of rows are multiples of 4, and rows and columns from `size` on are zero, so all loops take four numbers at a time. `panel`
 * holds v and w of each column in turn, with zeros up to the column.
 */

import { madd } from './madd';

/** Number of neighbouring rows that belong to the same part. */
export const GROUP: i32 = 8;

/** Returns the byte offset of the first of the four columns that contain column j. */
function fourOf(j: i32): usize {
  return (<usize>(j & ~3)) << 3;
}

/** Updates row j by the `before` earlier columns of the panel, then computes the reflector that clears it right of the off-diagonal. */
export function beginColumn(
  a: usize,
  stride: i32,
  size: i32,
  diagonal: usize,
  offDiagonal: usize,
  taus: usize,
  panel: usize,
  j: i32,
  before: i32,
): void {
  const bytes = (<usize>stride) << 3;
  const row = a + <usize>j * bytes;
  const at = (<usize>j) << 3;
  const v = panel + <usize>(2 * before) * bytes;
  let other = panel;
  for (; other + 2 * bytes < v; other += 4 * bytes) {
    const w = other + 2 * bytes;
    subtractFour(
      row,
      other,
      bytes,
      load<f64>(other + bytes + at),
      load<f64>(other + at),
      load<f64>(w + bytes + at),
      load<f64>(w + at),
      fourOf(j),
    );
  }
  if (other < v)
    addTwo(row, other, -load<f64>(other + bytes + at), other + bytes, -load<f64>(other + at), fourOf(j), bytes);
  store<f64>(diagonal + at, load<f64>(row + at));
  if (j < size - 1) store<f64>(taus + at, reflector(row + at + 8, row + bytes, offDiagonal + at));
  memory.fill(row + fourOf(j), 0, at + 8 - fourOf(j));
  memory.fill(v, 0, at + 8);
  memory.copy(v + at + 8, row + at + 8, bytes - at - 8);
}

/** Computes a part of p = A₀v: every `parts`-th group of `GROUP` rows below row j, in the upper triangle. Each part has a separate `p`. */
export function multiplyUpper(
  a: usize,
  stride: i32,
  rows: i32,
  v: usize,
  p: usize,
  j: i32,
  part: i32,
  parts: i32,
): void {
  const bytes = (<usize>stride) << 3;
  const first = (j + 1) & ~3;
  memory.fill(p + fourOf(first), 0, bytes - fourOf(first));
  for (let i = firstIn(first, part, parts); i < rows; i = nextIn(i, parts)) {
    // Four rows from the diagonal on: computes their products with v, and adds the rows times v's entries to p.
    const r0 = a + <usize>i * bytes;
    const at = fourOf(i);
    const r1 = r0 + bytes;
    const r2 = r1 + bytes;
    const r3 = r2 + bytes;
    const x0 = f64x2.splat(load<f64>(v + at));
    const x1 = f64x2.splat(load<f64>(v + at, 8));
    const x2 = f64x2.splat(load<f64>(v + at, 16));
    const x3 = f64x2.splat(load<f64>(v + at, 24));
    const low = v128.load(v + at);
    const high = v128.load(v + at, 16);
    let s0 = inSquare(r0 + at, low, high);
    let s1 = inSquare(r1 + at, low, high);
    let s2 = inSquare(r2 + at, low, high);
    let s3 = inSquare(r3 + at, low, high);
    for (let c = at + 32; c < bytes; c += 16) {
      const x = v128.load(v + c);
      const a0 = v128.load(r0 + c);
      const a1 = v128.load(r1 + c);
      const a2 = v128.load(r2 + c);
      const a3 = v128.load(r3 + c);
      s0 = madd(a0, x, s0);
      s1 = madd(a1, x, s1);
      s2 = madd(a2, x, s2);
      s3 = madd(a3, x, s3);
      v128.store(p + c, madd(a3, x3, madd(a2, x2, madd(a1, x1, madd(a0, x0, v128.load(p + c))))));
    }
    const sums = p + at;
    store<f64>(sums, load<f64>(sums) + total(s0));
    store<f64>(sums, load<f64>(sums, 8) + total(s1), 8);
    store<f64>(sums, load<f64>(sums, 16) + total(s2), 16);
    store<f64>(sums, load<f64>(sums, 24) + total(s3), 24);
  }
}

/** Returns the first row of a part from row `first` on. */
export function firstIn(first: i32, part: i32, parts: i32): i32 {
  const group = first / GROUP;
  const skipped = (part - (group % parts) + parts) % parts;
  return skipped === 0 ? first : (group + skipped) * GROUP;
}

/** Returns the first of the next four rows of a part. */
function nextIn(i: i32, parts: i32): i32 {
  return (i + 4) % GROUP === 0 ? i + 4 + (parts - 1) * GROUP : i + 4;
}

/** Computes the products of one row of a square on the diagonal. */
function inSquare(at: usize, low: v128, high: v128): v128 {
  return madd(v128.load(at), low, f64x2.mul(v128.load(at, 16), high));
}

/** Adds p of all parts, which are `partBytes` apart, corrects the sum by the panel, and computes w = τ(p − ½τ(pᵀv)v). */
export function endColumn(
  stride: i32,
  taus: usize,
  panel: usize,
  p: usize,
  partBytes: usize,
  j: i32,
  before: i32,
  parts: i32,
): void {
  const bytes = (<usize>stride) << 3;
  const first = fourOf(j + 1);
  const end = p + <usize>parts * partBytes;
  if (parts > 1) {
    for (let c = first; c < bytes; c += 32) {
      let low = v128.load(p + c);
      let high = v128.load(p + c, 16);
      for (let more = p + partBytes; more < end; more += partBytes) {
        low = f64x2.add(low, v128.load(more + c));
        high = f64x2.add(high, v128.load(more + c, 16));
      }
      v128.store(p + c, low);
      v128.store(p + c, high, 16);
    }
  }
  const v = panel + <usize>(2 * before) * bytes;
  const w = v + bytes;
  let other = panel;
  for (; other + 2 * bytes < v; other += 4 * bytes) {
    let v0 = f64x2.splat(0);
    let w0 = v0;
    let v1 = v0;
    let w1 = v0;
    for (let c = first; c < bytes; c += 16) {
      const x = v128.load(v + c);
      v0 = madd(v128.load(other + c), x, v0);
      w0 = madd(v128.load(other + bytes + c), x, w0);
      v1 = madd(v128.load(other + 2 * bytes + c), x, v1);
      w1 = madd(v128.load(other + 3 * bytes + c), x, w1);
    }
    subtractFour(p, other, bytes, total(w0), total(v0), total(w1), total(v1), first);
  }
  if (other < v) {
    const alongW = dot(other + bytes, v, first, bytes);
    const alongV = dot(other, v, first, bytes);
    addTwo(p, other, -alongW, other + bytes, -alongV, first, bytes);
  }
  const tau = load<f64>(taus + ((<usize>j) << 3));
  const minusHalf = f64x2.splat(-0.5 * tau * dot(p, v, first, bytes));
  const factor = f64x2.splat(tau);
  for (let c = first; c < bytes; c += 16) {
    v128.store(w + c, f64x2.mul(factor, madd(minusHalf, v128.load(v + c), v128.load(p + c))));
  }
  memory.fill(w, 0, (<usize>(j + 1)) << 3);
}

/** Ends a panel of `count` columns: A −= Σ(vwᵀ + wvᵀ) for a part of the rows from `first` on. */
export function updatePart(
  a: usize,
  stride: i32,
  rows: i32,
  panel: usize,
  count: i32,
  first: i32,
  part: i32,
  parts: i32,
): void {
  for (let i = firstIn(first, part, parts); i < rows; i += parts * GROUP) {
    updateRows(a, stride, rows, panel, count, i, min(rows, i + GROUP));
  }
}

/** A −= Σ(vwᵀ + wvᵀ) for rows [from, to), upper triangle, in squares of 4 × 4. */
function updateRows(a: usize, stride: i32, rows: i32, panel: usize, count: i32, from: i32, to: i32): void {
  const bytes = (<usize>stride) << 3;
  const end = panel + <usize>(2 * count) * bytes;
  for (let c = from; c < rows; c += 4) {
    const last = min(to, c + 4);
    const column = fourOf(c);
    for (let r = from; r < last; r += 4) {
      const row = fourOf(r);
      let s00 = f64x2.splat(0);
      let s01 = s00;
      let s10 = s00;
      let s11 = s00;
      let s20 = s00;
      let s21 = s00;
      let s30 = s00;
      let s31 = s00;
      // Alternates between v times w and w times v.
      let other: isize = bytes;
      for (let x = panel; x < end; x += bytes, other = -other) {
        const y = x + other;
        const y0 = v128.load(y + column);
        const y1 = v128.load(y + column, 16);
        const x0 = v128.load64_splat(x + row);
        s00 = madd(x0, y0, s00);
        s01 = madd(x0, y1, s01);
        const x1 = v128.load64_splat(x + row, 8);
        s10 = madd(x1, y0, s10);
        s11 = madd(x1, y1, s11);
        const x2 = v128.load64_splat(x + row, 16);
        s20 = madd(x2, y0, s20);
        s21 = madd(x2, y1, s21);
        const x3 = v128.load64_splat(x + row, 24);
        s30 = madd(x3, y0, s30);
        s31 = madd(x3, y1, s31);
      }
      const at = a + <usize>r * bytes + column;
      subtract(at, s00, s01);
      subtract(at + bytes, s10, s11);
      subtract(at + 2 * bytes, s20, s21);
      subtract(at + 3 * bytes, s30, s31);
    }
  }
}

function subtract(at: usize, low: v128, high: v128): void {
  v128.store(at, f64x2.sub(v128.load(at), low));
  v128.store(at, f64x2.sub(v128.load(at, 16), high), 16);
}

/** z += s·x + t·y for bytes [from, to). */
function addTwo(z: usize, x: usize, s: f64, y: usize, t: f64, from: usize, to: usize): void {
  const xs = f64x2.splat(s);
  const yt = f64x2.splat(t);
  for (let c = from; c < to; c += 16) {
    v128.store(z + c, madd(yt, v128.load(y + c), madd(xs, v128.load(x + c), v128.load(z + c))));
  }
}

/** z −= Σ sx for four vectors x that are `bytes` apart, from byte `from` on. */
function subtractFour(z: usize, x: usize, bytes: usize, s0: f64, s1: f64, s2: f64, s3: f64, from: usize): void {
  const t0 = f64x2.splat(-s0);
  const t1 = f64x2.splat(-s1);
  const t2 = f64x2.splat(-s2);
  const t3 = f64x2.splat(-s3);
  const y = x + bytes;
  const u = y + bytes;
  const w = u + bytes;
  for (let c = from; c < bytes; c += 16) {
    const sum = madd(t1, v128.load(y + c), madd(t0, v128.load(x + c), v128.load(z + c)));
    v128.store(z + c, madd(t3, v128.load(w + c), madd(t2, v128.load(u + c), sum)));
  }
}

/** xᵀy for bytes [from, to). */
function dot(x: usize, y: usize, from: usize, to: usize): f64 {
  let low = f64x2.splat(0);
  let high = low;
  for (let c = from; c < to; c += 32) {
    low = madd(v128.load(x + c), v128.load(y + c), low);
    high = madd(v128.load(x + c, 16), v128.load(y + c, 16), high);
  }
  return total(f64x2.add(low, high));
}

function total(pair: v128): f64 {
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/**
 * Like src/linalg/reflector.ts: overwrites the numbers from byte `x` to byte `end` with v (v₀ = 1), stores β and returns τ. The numbers
 * after the last one are zeros or the next row, and are not read.
 */
function reflector(x: usize, end: usize, beta: usize): f64 {
  const alpha = load<f64>(x);
  const first = x + 8;
  // Squares of numbers below 1e-140 would underflow.
  let unit = 1.0;
  let rest = squares(first, end, unit);
  if (rest < 1e-280) {
    unit = SMALL;
    rest = squares(first, end, unit);
  }
  if (rest === 0) {
    store<f64>(x, 1);
    store<f64>(beta, alpha);
    return 0;
  }
  const scaled = alpha * unit;
  const length = sqrt(scaled * scaled + rest) / unit;
  const norm = alpha > 0 ? -length : length;
  const pivot = alpha - norm;
  store<f64>(x, 1);
  const pivots = f64x2.splat(pivot);
  let at = first;
  for (; at + 8 < end; at += 16) v128.store(at, f64x2.div(v128.load(at), pivots));
  if (at < end) store<f64>(at, load<f64>(at) / pivot);
  store<f64>(beta, norm);
  return -pivot / norm;
}

/** After multiplication by this, the squares of numbers below 1e-140 do not underflow. */
const SMALL: f64 = 2.582249878086909e120;

/** Σ(x·unit)² of the numbers from byte `from` to byte `end`. */
function squares(from: usize, end: usize, unit: f64): f64 {
  const units = f64x2.splat(unit);
  let low = f64x2.splat(0);
  let high = low;
  let at = from;
  for (; at + 24 < end; at += 32) {
    const x = f64x2.mul(v128.load(at), units);
    const y = f64x2.mul(v128.load(at, 16), units);
    low = madd(x, x, low);
    high = madd(y, y, high);
  }
  let sum = total(f64x2.add(low, high));
  for (; at < end; at += 8) {
    const x = load<f64>(at) * unit;
    sum += x * x;
  }
  return sum;
}

/**
 * Converts eigenvectors of T to eigenvectors of A. Rows [from, to) of `vectors` are processed two at a time. All reflectors are applied to
 * them, last to first, four at a time: z −= Σyv with y = τ(vᵀz − Σ y'vᵀv'), summed over the later reflectors of the four.
 */
export function backTransform(
  reflectors: usize,
  stride: i32,
  rows: i32,
  taus: usize,
  vectors: usize,
  from: i32,
  to: i32,
): void {
  const bytes = (<usize>stride) << 3;
  for (let j = rows - 4; j >= 0; j -= 4) {
    const v0 = reflectors + <usize>j * bytes;
    const v1 = v0 + bytes;
    const v2 = v1 + bytes;
    const v3 = v2 + bytes;
    const first = fourOf(j);
    const tau = taus + first;
    const p01 = dot(v0, v1, first, bytes);
    const p02 = dot(v0, v2, first, bytes);
    const p03 = dot(v0, v3, first, bytes);
    const p12 = dot(v1, v2, first, bytes);
    const p13 = dot(v1, v3, first, bytes);
    const p23 = dot(v2, v3, first, bytes);
    for (let r = from; r < to; r += 2) {
      const z = vectors + <usize>r * bytes;
      const u = z + bytes;
      let z0 = f64x2.splat(0);
      let z1 = z0;
      let z2 = z0;
      let z3 = z0;
      let u0 = z0;
      let u1 = z0;
      let u2 = z0;
      let u3 = z0;
      for (let c = first; c < bytes; c += 16) {
        const zc = v128.load(z + c);
        const uc = v128.load(u + c);
        const a0 = v128.load(v0 + c);
        z0 = madd(a0, zc, z0);
        u0 = madd(a0, uc, u0);
        const a1 = v128.load(v1 + c);
        z1 = madd(a1, zc, z1);
        u1 = madd(a1, uc, u1);
        const a2 = v128.load(v2 + c);
        z2 = madd(a2, zc, z2);
        u2 = madd(a2, uc, u2);
        const a3 = v128.load(v3 + c);
        z3 = madd(a3, zc, z3);
        u3 = madd(a3, uc, u3);
      }
      // Both vectors together.
      const y3 = f64x2.mul(f64x2.splat(-load<f64>(tau, 24)), totals(z3, u3));
      const y2 = f64x2.mul(f64x2.splat(-load<f64>(tau, 16)), madd(y3, f64x2.splat(p23), totals(z2, u2)));
      const y1 = f64x2.mul(
        f64x2.splat(-load<f64>(tau, 8)),
        madd(y2, f64x2.splat(p12), madd(y3, f64x2.splat(p13), totals(z1, u1))),
      );
      const y0 = f64x2.mul(
        f64x2.splat(-load<f64>(tau)),
        madd(y1, f64x2.splat(p01), madd(y2, f64x2.splat(p02), madd(y3, f64x2.splat(p03), totals(z0, u0)))),
      );
      z0 = f64x2.splat(f64x2.extract_lane(y0, 0));
      z1 = f64x2.splat(f64x2.extract_lane(y1, 0));
      z2 = f64x2.splat(f64x2.extract_lane(y2, 0));
      z3 = f64x2.splat(f64x2.extract_lane(y3, 0));
      u0 = f64x2.splat(f64x2.extract_lane(y0, 1));
      u1 = f64x2.splat(f64x2.extract_lane(y1, 1));
      u2 = f64x2.splat(f64x2.extract_lane(y2, 1));
      u3 = f64x2.splat(f64x2.extract_lane(y3, 1));
      for (let c = first; c < bytes; c += 16) {
        const a0 = v128.load(v0 + c);
        const a1 = v128.load(v1 + c);
        const a2 = v128.load(v2 + c);
        const a3 = v128.load(v3 + c);
        v128.store(z + c, madd(z3, a3, madd(z2, a2, madd(z1, a1, madd(z0, a0, v128.load(z + c))))));
        v128.store(u + c, madd(u3, a3, madd(u2, a2, madd(u1, a1, madd(u0, a0, v128.load(u + c))))));
      }
    }
  }
}

/** Returns the sums of two pairs. */
function totals(x: v128, y: v128): v128 {
  return f64x2.replace_lane(f64x2.splat(total(x)), 1, total(y));
}

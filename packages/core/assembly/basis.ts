/**
 * Products of many long vectors Q with few vectors Z, to keep a block orthogonal to a basis. The rows of both start `stride` numbers apart
 * and are padded with zeros. Q is never packed, because each of its numbers is multiplied only a few times.
 */

import { madd } from './madd';

/**
 * Columns that are processed together, so that their part of Z stays in the L1 cache. Also the length of a chain of sums, which bounds the
 * rounding.
 */
const TILE: i32 = 512;

/** H = QZᵀ (rows × count) for `rows` rows of Q and `count` rows of Z. */
export function basisProducts(q: usize, rows: i32, stride: i32, z: usize, count: i32, h: usize): void {
  const line = (<usize>stride) << 3;
  memory.fill(h, 0, (<usize>rows * <usize>count) << 3);
  for (let left = 0; left < stride; left += TILE) {
    const bytes = (<usize>min(TILE, stride - left)) << 3;
    const from = (<usize>left) << 3;
    for (let r = 0; r < rows; r += 4) {
      const q0 = q + <usize>r * line + from;
      const q1 = r + 1 < rows ? q0 + line : q0;
      const q2 = r + 2 < rows ? q1 + line : q0;
      const q3 = r + 3 < rows ? q2 + line : q0;
      for (let c = 0; c < count; c += 2) {
        const z0 = z + <usize>c * line + from;
        const z1 = c + 1 < count ? z0 + line : z0;
        let s00 = f64x2.splat(0);
        let s01 = s00;
        let s10 = s00;
        let s11 = s00;
        let s20 = s00;
        let s21 = s00;
        let s30 = s00;
        let s31 = s00;
        for (let at: usize = 0; at < bytes; at += 16) {
          const a = v128.load(z0 + at);
          const b = v128.load(z1 + at);
          let x = v128.load(q0 + at);
          s00 = madd(x, a, s00);
          s01 = madd(x, b, s01);
          x = v128.load(q1 + at);
          s10 = madd(x, a, s10);
          s11 = madd(x, b, s11);
          x = v128.load(q2 + at);
          s20 = madd(x, a, s20);
          s21 = madd(x, b, s21);
          x = v128.load(q3 + at);
          s30 = madd(x, a, s30);
          s31 = madd(x, b, s31);
        }
        const target = h + ((<usize>r * <usize>count + <usize>c) << 3);
        const step = (<usize>count) << 3;
        const two = c + 1 < count;
        join(target, s00, s01, two);
        if (r + 1 < rows) join(target + step, s10, s11, two);
        if (r + 2 < rows) join(target + 2 * step, s20, s21, two);
        if (r + 3 < rows) join(target + 3 * step, s30, s31, two);
      }
    }
  }
}

/** Adds two sums to H, each in two halves. If `two` is false, adds only the first. */
function join(at: usize, first: v128, second: v128, two: bool): void {
  store<f64>(at, load<f64>(at) + (f64x2.extract_lane(first, 0) + f64x2.extract_lane(first, 1)));
  if (two) store<f64>(at, load<f64>(at, 8) + (f64x2.extract_lane(second, 0) + f64x2.extract_lane(second, 1)), 8);
}

/** Z −= HᵀQ for columns [left, right), an even number of columns. */
export function basisSubtract(
  q: usize,
  rows: i32,
  stride: i32,
  z: usize,
  count: i32,
  h: usize,
  left: i32,
  right: i32,
): void {
  const line = (<usize>stride) << 3;
  const step = (<usize>count) << 3;
  for (let start = left; start < right; start += TILE) {
    const bytes = (<usize>min(TILE, right - start)) << 3;
    const from = (<usize>start) << 3;
    for (let r = 0; r < rows; r += 4) {
      const q0 = q + <usize>r * line + from;
      const q1 = r + 1 < rows ? q0 + line : q0;
      const q2 = r + 2 < rows ? q1 + line : q0;
      const q3 = r + 3 < rows ? q2 + line : q0;
      const height = rows - r;
      for (let c = 0; c < count; c += 2) {
        const z0 = z + <usize>c * line + from;
        const at0 = h + <usize>r * step + ((<usize>c) << 3);
        const h00 = minus(at0, 0, height, step);
        const h10 = minus(at0, 1, height, step);
        const h20 = minus(at0, 2, height, step);
        const h30 = minus(at0, 3, height, step);
        if (c + 1 === count) {
          for (let at: usize = 0; at < bytes; at += 16) {
            let sum = madd(h00, v128.load(q0 + at), v128.load(z0 + at));
            sum = madd(h10, v128.load(q1 + at), sum);
            sum = madd(h20, v128.load(q2 + at), sum);
            v128.store(z0 + at, madd(h30, v128.load(q3 + at), sum));
          }
          continue;
        }
        const z1 = z0 + line;
        const h01 = minus(at0 + 8, 0, height, step);
        const h11 = minus(at0 + 8, 1, height, step);
        const h21 = minus(at0 + 8, 2, height, step);
        const h31 = minus(at0 + 8, 3, height, step);
        for (let at: usize = 0; at < bytes; at += 16) {
          let x = v128.load(q0 + at);
          let a = madd(h00, x, v128.load(z0 + at));
          let b = madd(h01, x, v128.load(z1 + at));
          x = v128.load(q1 + at);
          a = madd(h10, x, a);
          b = madd(h11, x, b);
          x = v128.load(q2 + at);
          a = madd(h20, x, a);
          b = madd(h21, x, b);
          x = v128.load(q3 + at);
          v128.store(z0 + at, madd(h30, x, a));
          v128.store(z1 + at, madd(h31, x, b));
        }
      }
    }
  }
}

/** Returns −H of a row, or 0 beyond the last row. */
function minus(at: usize, row: i32, height: i32, step: usize): v128 {
  return f64x2.splat(row < height ? -load<f64>(at + <usize>row * step) : 0);
}

/**
 * The dense kernels, in AssemblyScript. Everything is one product of packed panels:
 *
 *   C[i, j] += Σ_k A[k, i]·B[k, j]
 *
 * A panel holds four lines side by side: entry (k, i) of lines 4p … 4p+3 is at (k·4 + i) of panel p, zero beyond the last
 * line. Four by four results live in eight vector registers while k runs. Whether a line is a column or a row of the data
 * is the packing's business, so gram, dual, multiply and multiplyTransposed are this one product.
 *
 * Pointers are bytes; counts and strides are elements. build.js compiles this with plain and with relaxed SIMD.
 */

import { madd } from './madd';

export { tridiagonaliseSteps } from './tridiagonalise';

/** The four by four product of panels a and b over k steps, added to C where it has rows and cols. */
function product4x4(a: usize, b: usize, steps: i32, c: usize, stride: i32, rows: i32, cols: i32): void {
  let c00 = f64x2.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  for (let k = 0; k < steps; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let line = v128.load64_splat(a);
    c00 = madd(line, b0, c00);
    c01 = madd(line, b1, c01);
    line = v128.load64_splat(a, 8);
    c10 = madd(line, b0, c10);
    c11 = madd(line, b1, c11);
    line = v128.load64_splat(a, 16);
    c20 = madd(line, b0, c20);
    c21 = madd(line, b1, c21);
    line = v128.load64_splat(a, 24);
    c30 = madd(line, b0, c30);
    c31 = madd(line, b1, c31);
    a += 32;
    b += 32;
  }
  addRow(c, c00, c01, cols);
  if (rows > 1) addRow(c + ((<usize>stride) << 3), c10, c11, cols);
  if (rows > 2) addRow(c + ((<usize>stride) << 4), c20, c21, cols);
  if (rows > 3) addRow(c + <usize>stride * 24, c30, c31, cols);
}

function addRow(c: usize, low: v128, high: v128, cols: i32): void {
  if (cols >= 4) {
    v128.store(c, f64x2.add(v128.load(c), low));
    v128.store(c, f64x2.add(v128.load(c, 16), high), 16);
    return;
  }
  store<f64>(c, load<f64>(c) + f64x2.extract_lane(low, 0));
  if (cols > 1) store<f64>(c, load<f64>(c, 8) + f64x2.extract_lane(low, 1), 8);
  if (cols > 2) store<f64>(c, load<f64>(c, 16) + f64x2.extract_lane(high, 0), 16);
}

/**
 * C += AᵀB for `rows` lines of A and `cols` lines of B over `steps`; `aPanel` and `bPanel` are the distances of panels.
 * With `upper` only panels on or above the diagonal are computed.
 */
export function multiplyPanels(
  a: usize,
  aPanel: i32,
  rows: i32,
  b: usize,
  bPanel: i32,
  cols: i32,
  steps: i32,
  c: usize,
  stride: i32,
  upper: bool,
): void {
  for (let i = 0; i < rows; i += 4) {
    const left = a + ((<usize>(i >> 2) * <usize>aPanel) << 3);
    for (let j = upper ? i : 0; j < cols; j += 4) {
      const right = b + ((<usize>(j >> 2) * <usize>bPanel) << 3);
      product4x4(left, right, steps, c + ((<usize>i * <usize>stride + <usize>j) << 3), stride, rows - i, cols - j);
    }
  }
}

/** Entry `at` of float64 or float32 numbers, as float64. */
function entry(source: usize, at: usize, single: bool): f64 {
  return single ? <f64>load<f32>(source + (at << 2)) : load<f64>(source + (at << 3));
}

/** Panels whose lines are columns: value (r, c) goes to step r of line c. The frame is applied on the way. */
export function packColumns(
  source: usize,
  single: bool,
  stride: i32,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
): void {
  for (let c = 0; c < cols; c += 4) {
    const width = min(4, cols - c);
    for (let r = 0; r < rows; r++) {
      const root = roots ? load<f64>(roots + ((<usize>r) << 3)) : 1.0;
      const at = <usize>r * <usize>stride + <usize>c;
      if (width === 4) {
        let low: v128;
        let high: v128;
        if (single) {
          const four = v128.load(source + (at << 2));
          low = f64x2.promote_low_f32x4(four);
          high = f64x2.promote_low_f32x4(
            i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
          );
        } else {
          low = v128.load(source + (at << 3));
          high = v128.load(source + (at << 3), 16);
        }
        const s = shift + ((<usize>c) << 3);
        const f = factor + ((<usize>c) << 3);
        low = f64x2.mul(f64x2.sub(low, v128.load(s)), v128.load(f));
        high = f64x2.mul(f64x2.sub(high, v128.load(s, 16)), v128.load(f, 16));
        if (roots) {
          low = f64x2.mul(low, f64x2.splat(root));
          high = f64x2.mul(high, f64x2.splat(root));
        }
        v128.store(out, low);
        v128.store(out, high, 16);
      } else {
        for (let i = 0; i < 4; i++) {
          let value = 0.0;
          if (i < width) {
            const column = (<usize>(c + i)) << 3;
            value =
              (entry(source, at + <usize>i, single) - load<f64>(shift + column)) * load<f64>(factor + column) * root;
          }
          store<f64>(out + ((<usize>i) << 3), value);
        }
      }
      out += 32;
    }
  }
}

/** Panels whose lines are rows: value (r, c) goes to step c of line r. */
export function packRows(
  source: usize,
  single: bool,
  stride: i32,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
): void {
  for (let r = 0; r < rows; r += 4) {
    for (let i = 0; i < 4; i++) {
      let target = out + ((<usize>i) << 3);
      if (r + i < rows) {
        const root = roots ? load<f64>(roots + ((<usize>(r + i)) << 3)) : 1.0;
        const at = <usize>(r + i) * <usize>stride;
        for (let c = 0; c < cols; c++) {
          const column = (<usize>c) << 3;
          const value = entry(source, at + <usize>c, single) - load<f64>(shift + column);
          store<f64>(target, value * load<f64>(factor + column) * root);
          target += 32;
        }
      } else {
        for (let c = 0; c < cols; c++) {
          store<f64>(target, 0);
          target += 32;
        }
      }
    }
    out += (<usize>cols) << 5;
  }
}

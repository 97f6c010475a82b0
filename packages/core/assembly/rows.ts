/**
 * Products of rows with few vectors. The rows are scaled and multiplied without packing, because panels save time only if each number is
 * multiplied many times.
 */

import { basisProducts } from './basis';
import { entry, F16, F32, F64, four, I8, I16, shiftOf, U8, U16, U32, upperHalf, widen } from './entry';
import { madd } from './madd';

/**
 * Z += (BVᵀ)ᵀB for tiles of `height` rows that start `apart` rows after one another, within `rows` rows. B is at `b`, with rows `stride`
 * numbers apart. If `source` is not 0, B is first filled with the scaled rows stored there. V and Z are k rows of `stride` numbers. Y
 * (height × k) is working memory.
 */
export function normalRows(
  source: usize,
  type: i32,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  b: usize,
  stride: i32,
  v: usize,
  k: i32,
  y: usize,
  z: usize,
  height: i32,
  apart: i32,
): void {
  for (let from = 0; from < rows; from += apart) {
    const count = min(height, rows - from);
    if (source) scaleRows(source, type, cols, count, cols, shift, factor, roots, b, stride);
    basisProducts(b, count, stride, v, k, y);
    collectRows(b, count, stride, y, k, z);
    b += (<usize>apart * <usize>stride) << 3;
  }
}

/**
 * Z += YᵀB for some columns of all rows. `height` rows at a time are scaled and stored at `b`. Rows at `source` are `apart` numbers apart.
 * Y is rows × k, and Z is k rows of `stride` numbers.
 */
export function collectColumns(
  source: usize,
  type: i32,
  apart: i32,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  b: usize,
  stride: i32,
  y: usize,
  k: i32,
  z: usize,
  height: i32,
): void {
  for (let from = 0; from < rows; from += height) {
    const count = min(height, rows - from);
    scaleRows(source, type, apart, count, cols, shift, factor, roots, b, stride);
    collectRows(b, count, stride, y, k, z);
    source += (<usize>height * <usize>apart) << shiftOf(type);
    y += (<usize>height * <usize>k) << 3;
    if (roots) roots += (<usize>height) << 3;
  }
}

/**
 * out += the sums of all parts, in the order of the parts. The sums of a part are `length` numbers, an even number, and start `apart`
 * numbers after those of the part before.
 */
export function addParts(sums: usize, parts: i32, apart: i32, out: usize, length: i32): void {
  const end = out + ((<usize>length) << 3);
  for (; out < end; out += 16, sums += 16) {
    let total = v128.load(out);
    for (let p = 0; p < parts; p++) total = f64x2.add(total, v128.load(sums + ((<usize>p * <usize>apart) << 3)));
    v128.store(out, total);
  }
}

/** Writes scaled rows: entry (r, c) is √w·(x − shift)·factor, with zeros after the last column. */
function scaleRows(
  source: usize,
  type: i32,
  apart: i32,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  stride: i32,
): void {
  const step = (<usize>apart) << shiftOf(type);
  for (let r = 0; r < rows; r++) {
    const root = roots ? load<f64>(roots + ((<usize>r) << 3)) : 1;
    let done = 0;
    if (type === F64) done = scaleRow<f64>(source, cols, shift, factor, root, out);
    else if (type === F32) done = scaleRow<f32>(source, cols, shift, factor, root, out);
    else if (type === U8) done = scaleRow<u8>(source, cols, shift, factor, root, out);
    else if (type === I8) done = scaleRow<i8>(source, cols, shift, factor, root, out);
    else if (type === U16) done = scaleRow<u16>(source, cols, shift, factor, root, out);
    else if (type === I16) done = scaleRow<i16>(source, cols, shift, factor, root, out);
    else if (type === F16) done = scaleRow<u64>(source, cols, shift, factor, root, out);
    else if (type === U32) done = scaleRow<u32>(source, cols, shift, factor, root, out);
    else done = scaleRow<i32>(source, cols, shift, factor, root, out);
    for (let c = done; c < stride; c++) {
      const at = (<usize>c) << 3;
      const x = c < cols ? entry(source + ((<usize>c) << shiftOf(type)), type) - load<f64>(shift + at) : 0;
      store<f64>(out + at, c < cols ? x * load<f64>(factor + at) * root : 0);
    }
    source += step;
    out += (<usize>stride) << 3;
  }
}

/** Scales a row, four columns at a time. Returns the number of scaled columns. */
function scaleRow<T>(source: usize, cols: i32, shift: usize, factor: usize, root: f64, out: usize): i32 {
  const roots = f64x2.splat(root);
  let c = 0;
  for (; c + 3 < cols; c += 4) {
    let low: v128;
    let high: v128;
    if (isFloat<T>() && sizeof<T>() === 8) {
      low = v128.load(source);
      high = v128.load(source, 16);
    } else {
      const quad = four<T>(source);
      low = widen<T>(quad);
      high = widen<T>(upperHalf(quad));
    }
    // u64 stands for float16, which has two bytes.
    source += isFloat<T>() || sizeof<T>() < 8 ? 4 * sizeof<T>() : 8;
    const at = (<usize>c) << 3;
    low = f64x2.mul(f64x2.sub(low, v128.load(shift + at)), v128.load(factor + at));
    high = f64x2.mul(f64x2.sub(high, v128.load(shift + at, 16)), v128.load(factor + at, 16));
    v128.store(out + at, f64x2.mul(low, roots));
    v128.store(out + at, f64x2.mul(high, roots), 16);
  }
  return c;
}

/** Z += YᵀB for `rows` rows. Registers hold the sums of four vectors by four columns. Y is rows × k, and three readable numbers follow it. */
function collectRows(b: usize, rows: i32, stride: i32, y: usize, k: i32, z: usize): void {
  const line = (<usize>stride) << 3;
  const step = (<usize>k) << 3;
  for (let c: usize = 0; c < line; c += 32) {
    for (let p = 0; p < k; p += 4) {
      let s00 = f64x2.splat(0);
      let s01 = s00;
      let s10 = s00;
      let s11 = s00;
      let s20 = s00;
      let s21 = s00;
      let s30 = s00;
      let s31 = s00;
      let x = b + c;
      let at = y + ((<usize>p) << 3);
      for (let r = 0; r < rows; r++) {
        const x0 = v128.load(x);
        const x1 = v128.load(x, 16);
        let score = v128.load64_splat(at);
        s00 = madd(score, x0, s00);
        s01 = madd(score, x1, s01);
        score = v128.load64_splat(at, 8);
        s10 = madd(score, x0, s10);
        s11 = madd(score, x1, s11);
        score = v128.load64_splat(at, 16);
        s20 = madd(score, x0, s20);
        s21 = madd(score, x1, s21);
        score = v128.load64_splat(at, 24);
        s30 = madd(score, x0, s30);
        s31 = madd(score, x1, s31);
        x += line;
        at += step;
      }
      let to = z + <usize>p * line + c;
      v128.store(to, f64x2.add(v128.load(to), s00));
      v128.store(to, f64x2.add(v128.load(to, 16), s01), 16);
      if (p + 1 === k) continue;
      to += line;
      v128.store(to, f64x2.add(v128.load(to), s10));
      v128.store(to, f64x2.add(v128.load(to, 16), s11), 16);
      if (p + 2 === k) continue;
      to += line;
      v128.store(to, f64x2.add(v128.load(to), s20));
      v128.store(to, f64x2.add(v128.load(to, 16), s21), 16);
      if (p + 3 === k) continue;
      to += line;
      v128.store(to, f64x2.add(v128.load(to), s30));
      v128.store(to, f64x2.add(v128.load(to, 16), s31), 16);
    }
  }
}

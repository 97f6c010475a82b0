/**
 * Packs four neighbouring columns of the stored rows into a panel and applies the scaler. The loop is compiled for every stored type, with
 * and without weights, because a branch in it costs up to half its speed. Only the branch at its end, which chooses how to store, is free.
 */

import { F16, F32, F64, four, I8, I16, U8, U16, U32, upperHalf, widen } from './entry';
import { madd } from './madd';

/** Statistics of the last four columns, in pairs. Globals, unlike the memory, belong to one thread. */
export let lowSum: v128 = f64x2.splat(0);
export let highSum: v128 = f64x2.splat(0);
export let lowSquare: v128 = f64x2.splat(0);
export let highSquare: v128 = f64x2.splat(0);
export let lowMin: v128 = f64x2.splat(0);
export let highMin: v128 = f64x2.splat(0);
export let lowMax: v128 = f64x2.splat(0);
export let highMax: v128 = f64x2.splat(0);

/**
 * Packs four columns of rows that are `step` bytes apart into a panel at `to` (0: computes only statistics). A panel is float64, or half a
 * panel of float32 if `float32` is true. If there are fewer columns, the numbers after them are read and packed too. That memory must
 * exist, and the caller clears the lanes.
 */
export function packFour(
  type: i32,
  from: usize,
  step: usize,
  rows: i32,
  lowShift: v128,
  highShift: v128,
  lowFactor: v128,
  highFactor: v128,
  roots: usize,
  to: usize,
  float32: bool,
): void {
  if (type === F64) packAs<f64>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === F32) packAs<f32>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === U8) packAs<u8>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === I8) packAs<i8>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === U16) packAs<u16>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === I16) packAs<i16>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === F16) packAs<Half>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else if (type === U32) packAs<u32>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else packAs<i32>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
}

/** A stand-in for float16: see `four`. */
type Half = u64;
/** Types that say whether rows have weights, so that each case is compiled separately. */
type Weighted = f64;
type Unweighted = i32;

function packAs<T>(
  from: usize,
  step: usize,
  rows: i32,
  lowShift: v128,
  highShift: v128,
  lowFactor: v128,
  highFactor: v128,
  roots: usize,
  to: usize,
  float32: bool,
): void {
  if (roots) pack<T, Weighted>(from, step, rows, lowShift, highShift, lowFactor, highFactor, roots, to, float32);
  else pack<T, Unweighted>(from, step, rows, lowShift, highShift, lowFactor, highFactor, 0, to, float32);
}

function pack<T, W>(
  from: usize,
  step: usize,
  rows: i32,
  lowShift: v128,
  highShift: v128,
  lowFactor: v128,
  highFactor: v128,
  roots: usize,
  to: usize,
  float32: bool,
): void {
  const zero = f64x2.splat(0);
  let sum0 = zero;
  let sum1 = zero;
  let square0 = zero;
  let square1 = zero;
  let min0 = f64x2.splat(Infinity);
  let min1 = min0;
  let max0 = f64x2.splat(-Infinity);
  let max1 = max0;
  for (let r = 0; r < rows; r++) {
    let low: v128;
    let high: v128;
    if (isFloat<T>() && sizeof<T>() === 8) {
      low = v128.load(from);
      high = v128.load(from, 16);
    } else {
      const quad = four<T>(from);
      low = widen<T>(quad);
      high = widen<T>(upperHalf(quad));
    }
    low = f64x2.mul(f64x2.sub(low, lowShift), lowFactor);
    high = f64x2.mul(f64x2.sub(high, highShift), highFactor);
    if (isFloat<W>()) {
      const root = v128.load64_splat(roots);
      // Rows of weight 0 become NaN, which is neither less nor greater than any number.
      const nothing = f64x2.eq(root, zero);
      const low0 = v128.or(low, nothing);
      const high0 = v128.or(high, nothing);
      min0 = f64x2.pmin(min0, low0);
      min1 = f64x2.pmin(min1, high0);
      max0 = f64x2.pmax(max0, low0);
      max1 = f64x2.pmax(max1, high0);
      low = f64x2.mul(low, root);
      high = f64x2.mul(high, root);
      sum0 = f64x2.add(sum0, f64x2.mul(low, root));
      sum1 = f64x2.add(sum1, f64x2.mul(high, root));
      roots += 8;
    } else {
      min0 = f64x2.pmin(min0, low);
      min1 = f64x2.pmin(min1, high);
      max0 = f64x2.pmax(max0, low);
      max1 = f64x2.pmax(max1, high);
      sum0 = f64x2.add(sum0, low);
      sum1 = f64x2.add(sum1, high);
    }
    square0 = madd(low, low, square0);
    square1 = madd(high, high, square1);
    if (to) {
      if (float32) {
        v128.store(to, narrow(low, high));
      } else {
        v128.store(to, low);
        v128.store(to, high, 16);
      }
      to += 32;
    }
    from += step;
  }
  lowSum = sum0;
  highSum = sum1;
  lowSquare = square0;
  highSquare = square1;
  lowMin = min0;
  highMin = min1;
  lowMax = max0;
  highMax = max1;
}

/** Converts two pairs of float64 to four float32. */
export function narrow(low: v128, high: v128): v128 {
  return i8x16.shuffle(
    f32x4.demote_f64x2_zero(low),
    f32x4.demote_f64x2_zero(high),
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
    23,
  );
}

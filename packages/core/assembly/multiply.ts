/**
 * Products of panels: C[i, j] += Σ_s A[s, i]·B[s, j]. Registers hold 4 × 4 (float64) or 4 × 8 (float32) results during the sum over s. The
 * sums of a slot are added to C in float64, in the order of the slots, so C does not depend on the threads.
 */

import { upperHalf } from './entry';
import { madd, maddSingle } from './madd';
import { ACTIVE, HEADER, listNone } from './pack';

/**
 * Number of steps that are summed in float32 before their sum is added to the sum of the slot. Data of few digits, such as bytes, always
 * round in the same direction, so the error of such a chain grows with the square of its length.
 */
const CHAIN: i32 = 64;

/**
 * C += AᵀB for the lines of `tiles` slots at `a` and at `b`. The slots are `aTile` and `bTile` bytes apart. Line i of a slot of a is row
 * `lines[i]` of C, and line i of a slot of b is column `lines[i]`. If `upper` is true, a and b are the same slots, and panels below the
 * diagonal are left out. `groups` slots of b, `bGroup` bytes apart, are processed one after the other.
 */
export function multiplySlots(
  a: usize,
  aTile: usize,
  b: usize,
  bTile: usize,
  tiles: i32,
  c: usize,
  stride: i32,
  upper: bool,
  float32: bool,
  groups: i32,
  bGroup: usize,
): void {
  for (let g = 0; g < groups; g++) {
    multiplyGroup(a, aTile, b + <usize>g * bGroup, bTile, tiles, c, stride, upper, float32);
  }
}

function multiplyGroup(
  a: usize,
  aTile: usize,
  b: usize,
  bTile: usize,
  tiles: i32,
  origin: usize,
  stride: i32,
  upper: bool,
  float32: bool,
): void {
  for (let t = 0; t < tiles; t++) {
    const steps = load<i32>(b, 4);
    const panel = (<usize>steps) << 5;
    const rows = load<i32>(a);
    const cols = load<i32>(b);
    const lanes = float32 ? 8 : 4;
    const aLists = listsOf(a, panel);
    const bLists = listsOf(b, panel);
    for (let i = 0; i < rows; i += 4) {
      const aPanel = i / lanes;
      const left = a + HEADER + <usize>aPanel * panel + (float32 ? (<usize>(i & 4)) << 2 : 0);
      const aLines = a + 16 + ((<usize>i) << 2);
      const aActive = activeOf(a, aPanel, steps);
      for (let j = upper ? i & ~(lanes - 1) : 0; j < cols; j += lanes) {
        const bPanel = j / lanes;
        const right = b + HEADER + <usize>bPanel * panel;
        const bLines = b + 16 + ((<usize>j) << 2);
        const bActive = activeOf(b, bPanel, steps);
        // Only steps with nonzero entries in both panels count. The shorter list contains them all.
        const active = min(aActive, bActive);
        if (active >= steps - (steps >> 2)) {
          if (float32) product4x8(left, right, steps, origin, stride, aLines, rows - i, bLines, cols - j);
          else product4x4(left, right, steps, origin, stride, aLines, rows - i, bLines, cols - j);
        } else if (active > 0) {
          const index = <usize>(aActive < bActive ? aPanel : bPanel) * ((<usize>steps) << 2);
          const list = (aActive < bActive ? aLists : bLists) + index;
          if (float32) listed4x8(left, right, list, active, origin, stride, aLines, rows - i, bLines, cols - j);
          else listed4x4(left, right, list, active, origin, stride, aLines, rows - i, bLines, cols - j);
        }
      }
    }
    a += aTile;
    b += bTile;
  }
}

/** Returns the address of the lists of a slot, after its panels. */
function listsOf(slot: usize, panel: usize): usize {
  return slot + HEADER + <usize>load<i32>(slot, 8) * panel;
}

/** Returns the number of steps of a panel that are not all zero, or the number of all steps if they were not counted. */
function activeOf(slot: usize, panel: i32, steps: i32): i32 {
  const active = load<i32>(slot + ACTIVE + ((<usize>panel) << 2));
  return active < 0 ? steps : active;
}

function product4x4(
  a: usize,
  b: usize,
  steps: i32,
  c: usize,
  stride: i32,
  aLines: usize,
  rows: i32,
  bLines: usize,
  cols: i32,
): void {
  let c00 = f64x2.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  for (let s = 0; s < steps; s++) {
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
  add4(c, stride, aLines, bLines, cols, c00, c01);
  if (rows > 1) add4(c, stride, aLines + 4, bLines, cols, c10, c11);
  if (rows > 2) add4(c, stride, aLines + 8, bLines, cols, c20, c21);
  if (rows > 3) add4(c, stride, aLines + 12, bLines, cols, c30, c31);
}

/** `product4x4` over the steps of a list. */
function listed4x4(
  a: usize,
  b: usize,
  list: usize,
  count: i32,
  c: usize,
  stride: i32,
  aLines: usize,
  rows: i32,
  bLines: usize,
  cols: i32,
): void {
  let c00 = f64x2.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  for (let s = 0; s < count; s++) {
    const at = <usize>load<i32>(list + ((<usize>s) << 2));
    const x = a + at;
    const y = b + at;
    const b0 = v128.load(y);
    const b1 = v128.load(y, 16);
    let line = v128.load64_splat(x);
    c00 = madd(line, b0, c00);
    c01 = madd(line, b1, c01);
    line = v128.load64_splat(x, 8);
    c10 = madd(line, b0, c10);
    c11 = madd(line, b1, c11);
    line = v128.load64_splat(x, 16);
    c20 = madd(line, b0, c20);
    c21 = madd(line, b1, c21);
    line = v128.load64_splat(x, 24);
    c30 = madd(line, b0, c30);
    c31 = madd(line, b1, c31);
  }
  add4(c, stride, aLines, bLines, cols, c00, c01);
  if (rows > 1) add4(c, stride, aLines + 4, bLines, cols, c10, c11);
  if (rows > 2) add4(c, stride, aLines + 8, bLines, cols, c20, c21);
  if (rows > 3) add4(c, stride, aLines + 12, bLines, cols, c30, c31);
}

/** Adds four results of one line of A to C, at the columns in `bLines`. */
function add4(c: usize, stride: i32, aLine: usize, bLines: usize, cols: i32, low: v128, high: v128): void {
  const row = c + ((<usize>load<i32>(aLine) * <usize>stride) << 3);
  const first = load<i32>(bLines);
  if (cols >= 4 && load<i32>(bLines, 12) - first === 3) {
    const at = row + ((<usize>first) << 3);
    v128.store(at, f64x2.add(v128.load(at), low));
    v128.store(at, f64x2.add(v128.load(at, 16), high), 16);
    return;
  }
  add1(row, first, f64x2.extract_lane(low, 0));
  if (cols > 1) add1(row, load<i32>(bLines, 4), f64x2.extract_lane(low, 1));
  if (cols > 2) add1(row, load<i32>(bLines, 8), f64x2.extract_lane(high, 0));
  if (cols > 3) add1(row, load<i32>(bLines, 12), f64x2.extract_lane(high, 1));
}

function add1(row: usize, column: i32, value: f64): void {
  const at = row + ((<usize>column) << 3);
  store<f64>(at, load<f64>(at) + value);
}

/** 4 × 8 results in float32: sums over CHAIN steps, then the sum of these sums. */
function product4x8(
  a: usize,
  b: usize,
  steps: i32,
  c: usize,
  stride: i32,
  aLines: usize,
  rows: i32,
  bLines: usize,
  cols: i32,
): void {
  const zero = f32x4.splat(0);
  let s00 = zero;
  let s01 = zero;
  let s10 = zero;
  let s11 = zero;
  let s20 = zero;
  let s21 = zero;
  let s30 = zero;
  let s31 = zero;
  for (let done = 0; done < steps; ) {
    let c00 = zero;
    let c01 = zero;
    let c10 = zero;
    let c11 = zero;
    let c20 = zero;
    let c21 = zero;
    let c30 = zero;
    let c31 = zero;
    for (let end = min(steps, done + CHAIN); done < end; done++) {
      const b0 = v128.load(b);
      const b1 = v128.load(b, 16);
      let line = v128.load32_splat(a);
      c00 = maddSingle(line, b0, c00);
      c01 = maddSingle(line, b1, c01);
      line = v128.load32_splat(a, 4);
      c10 = maddSingle(line, b0, c10);
      c11 = maddSingle(line, b1, c11);
      line = v128.load32_splat(a, 8);
      c20 = maddSingle(line, b0, c20);
      c21 = maddSingle(line, b1, c21);
      line = v128.load32_splat(a, 12);
      c30 = maddSingle(line, b0, c30);
      c31 = maddSingle(line, b1, c31);
      a += 32;
      b += 32;
    }
    s00 = f32x4.add(s00, c00);
    s01 = f32x4.add(s01, c01);
    s10 = f32x4.add(s10, c10);
    s11 = f32x4.add(s11, c11);
    s20 = f32x4.add(s20, c20);
    s21 = f32x4.add(s21, c21);
    s30 = f32x4.add(s30, c30);
    s31 = f32x4.add(s31, c31);
  }
  add8(c, stride, aLines, bLines, cols, s00, s01);
  if (rows > 1) add8(c, stride, aLines + 4, bLines, cols, s10, s11);
  if (rows > 2) add8(c, stride, aLines + 8, bLines, cols, s20, s21);
  if (rows > 3) add8(c, stride, aLines + 12, bLines, cols, s30, s31);
}

function listed4x8(
  a: usize,
  b: usize,
  list: usize,
  count: i32,
  c: usize,
  stride: i32,
  aLines: usize,
  rows: i32,
  bLines: usize,
  cols: i32,
): void {
  const zero = f32x4.splat(0);
  let s00 = zero;
  let s01 = zero;
  let s10 = zero;
  let s11 = zero;
  let s20 = zero;
  let s21 = zero;
  let s30 = zero;
  let s31 = zero;
  for (let done = 0; done < count; ) {
    let c00 = zero;
    let c01 = zero;
    let c10 = zero;
    let c11 = zero;
    let c20 = zero;
    let c21 = zero;
    let c30 = zero;
    let c31 = zero;
    for (let end = min(count, done + CHAIN); done < end; done++) {
      const at = <usize>load<i32>(list + ((<usize>done) << 2));
      const x = a + at;
      const y = b + at;
      const b0 = v128.load(y);
      const b1 = v128.load(y, 16);
      let line = v128.load32_splat(x);
      c00 = maddSingle(line, b0, c00);
      c01 = maddSingle(line, b1, c01);
      line = v128.load32_splat(x, 4);
      c10 = maddSingle(line, b0, c10);
      c11 = maddSingle(line, b1, c11);
      line = v128.load32_splat(x, 8);
      c20 = maddSingle(line, b0, c20);
      c21 = maddSingle(line, b1, c21);
      line = v128.load32_splat(x, 12);
      c30 = maddSingle(line, b0, c30);
      c31 = maddSingle(line, b1, c31);
    }
    s00 = f32x4.add(s00, c00);
    s01 = f32x4.add(s01, c01);
    s10 = f32x4.add(s10, c10);
    s11 = f32x4.add(s11, c11);
    s20 = f32x4.add(s20, c20);
    s21 = f32x4.add(s21, c21);
    s30 = f32x4.add(s30, c30);
    s31 = f32x4.add(s31, c31);
  }
  add8(c, stride, aLines, bLines, cols, s00, s01);
  if (rows > 1) add8(c, stride, aLines + 4, bLines, cols, s10, s11);
  if (rows > 2) add8(c, stride, aLines + 8, bLines, cols, s20, s21);
  if (rows > 3) add8(c, stride, aLines + 12, bLines, cols, s30, s31);
}

function add8(c: usize, stride: i32, aLine: usize, bLines: usize, cols: i32, low: v128, high: v128): void {
  const first = load<i32>(bLines);
  if (cols >= 8 && load<i32>(bLines, 28) - first === 7) {
    const at = c + ((<usize>load<i32>(aLine) * <usize>stride + <usize>first) << 3);
    v128.store(at, f64x2.add(v128.load(at), f64x2.promote_low_f32x4(low)));
    v128.store(at, f64x2.add(v128.load(at, 16), f64x2.promote_low_f32x4(upperHalf(low))), 16);
    v128.store(at, f64x2.add(v128.load(at, 32), f64x2.promote_low_f32x4(high)), 32);
    v128.store(at, f64x2.add(v128.load(at, 48), f64x2.promote_low_f32x4(upperHalf(high))), 48);
    return;
  }
  add4(c, stride, aLine, bLines, cols, f64x2.promote_low_f32x4(low), f64x2.promote_low_f32x4(upperHalf(low)));
  if (cols <= 4) return;
  add4(
    c,
    stride,
    aLine,
    bLines + 16,
    cols - 4,
    f64x2.promote_low_f32x4(high),
    f64x2.promote_low_f32x4(upperHalf(high)),
  );
}

/** Number of slots whose products are summed before they are added to the scores: 256 columns. */
const SLOTS_A_SUM: i32 = 4;

/**
 * Scores of rows [from, to) of a tile: Y = BVᵀ for `groups` slots of columns, `group` bytes apart, and k vectors of `length` entries,
 * packed by packVectors. Y is stored as a slot: its lines are the k vectors, and its steps the tile's rows. The entries of a row are read
 * from the column panels.
 */
export function scoreSlots(
  slots: usize,
  group: usize,
  groups: i32,
  rows: i32,
  from: i32,
  to: i32,
  vectors: usize,
  k: i32,
  length: i32,
  out: usize,
): void {
  const panel = (<usize>rows) << 5;
  store<i32>(out, k);
  store<i32>(out, rows, 4);
  listNone(out);
  for (let p = 0; p < k; p += 4) {
    const y = out + HEADER + <usize>(p >> 2) * panel;
    memory.fill(y + ((<usize>from) << 5), 0, (<usize>(to - from)) << 5);
  }
  // A few slots at a time for all vectors and rows, so that their pages stay in the TLB.
  for (let g = 0; g < groups; g += SLOTS_A_SUM) {
    const few = slots + <usize>g * group;
    const count = min(SLOTS_A_SUM, groups - g);
    for (let p = 0; p < k; p += 4) {
      const v = vectors + ((<usize>(p >> 2) * <usize>length) << 5);
      const y = out + HEADER + <usize>(p >> 2) * panel;
      for (let i = from; i < to; i += 4) {
        scoreFour(few, group, count, panel, i, min(4, to - i), v, y + ((<usize>i) << 5));
      }
    }
  }
}

/** Four rows by four vectors. Results of rows beyond the last row of the tile are dropped. */
function scoreFour(
  slot: usize,
  group: usize,
  groups: i32,
  panel: usize,
  row: i32,
  height: i32,
  vectors: usize,
  y: usize,
): void {
  let c00 = f64x2.splat(0);
  let c01 = c00;
  let c10 = c00;
  let c11 = c00;
  let c20 = c00;
  let c21 = c00;
  let c30 = c00;
  let c31 = c00;
  for (let g = 0; g < groups; g++) {
    const count = load<i32>(slot);
    let line = slot + 16;
    for (let j = 0; j < count; j++) {
      const a = slot + HEADER + <usize>(j >> 2) * panel + ((<usize>row) << 5) + ((<usize>(j & 3)) << 3);
      const v = vectors + ((<usize>load<i32>(line)) << 5);
      line += 4;
      const b0 = v128.load(v);
      const b1 = v128.load(v, 16);
      let entry = v128.load64_splat(a);
      c00 = madd(entry, b0, c00);
      c01 = madd(entry, b1, c01);
      entry = v128.load64_splat(a, 32);
      c10 = madd(entry, b0, c10);
      c11 = madd(entry, b1, c11);
      entry = v128.load64_splat(a, 64);
      c20 = madd(entry, b0, c20);
      c21 = madd(entry, b1, c21);
      entry = v128.load64_splat(a, 96);
      c30 = madd(entry, b0, c30);
      c31 = madd(entry, b1, c31);
    }
    slot += group;
  }
  accumulate(y, c00, c01);
  if (height > 1) accumulate(y + 32, c10, c11);
  if (height > 2) accumulate(y + 64, c20, c21);
  if (height > 3) accumulate(y + 96, c30, c31);
}

function accumulate(at: usize, low: v128, high: v128): void {
  v128.store(at, f64x2.add(v128.load(at), low));
  v128.store(at, f64x2.add(v128.load(at, 16), high), 16);
}

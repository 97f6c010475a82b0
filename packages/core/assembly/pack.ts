/**
 * Packs stored rows into panels and applies the scaler: entry (r, c) becomes √w·(x − shift)·factor.
 *
 * A slot holds up to 64 lines over up to 256 steps. It stores the number of lines and steps, the index of each line (its column or row in
 * the data), and then the panels. A panel has 32 bytes per step: four lines of float64, or eight lines of float32 in a `float32` slot.
 * Lanes beyond the last line are 0. The passes differ only in whether lines are columns or rows of the data. After the panels follow lists
 * of the nonzero steps of panels with many zeros. Products use the lists to skip zeros.
 */

import { entry, F64, shiftOf } from './entry';
import {
  highMax,
  highMin,
  highSquare,
  highSum,
  lowMax,
  lowMin,
  lowSquare,
  lowSum,
  narrow,
  packFour,
} from './four-columns';

/**
 * Bytes before the panels: the number of lines and steps, the capacity in panels, the indexes of 64 lines, and the number of nonzero steps
 * of each panel.
 */
export const HEADER: usize = 384;
/** Offset of the numbers of nonzero steps. If one is negative, the steps were not counted, and every step is used. */
export const ACTIVE: usize = 272;
/** Number of steps that are checked before a panel is listed, and the maximum number of nonzero steps among them. */
const LOOK: i32 = 32;
const MANY: i32 = 26;

/** Stores a statistic of a tile. The planes (sums, squares, least, largest) are arrays over the columns. */
function put(stats: usize, plane: usize, which: usize, column: usize, value: f64): void {
  store<f64>(stats + which * plane + (column << 3), value);
}

/** Stores a statistic of four columns. */
function putFour(at: usize, low: v128, high: v128): void {
  v128.store(at, low);
  v128.store(at, high, 16);
}

/** Returns a mask of the columns (of two) that are 0 in all rows. NaN affects the sum, but not the least and largest value. */
function zeros(least: v128, largest: v128, sum: v128): v128 {
  const zero = f64x2.splat(0);
  return v128.and(v128.and(f64x2.ge(least, zero), f64x2.le(largest, zero)), f64x2.eq(sum, zero));
}

/**
 * Packs `cols` columns from `column` on, over `rows` rows, into slots whose lines are columns, `width` per slot. Columns that are 0 in all
 * rows are left out. If `stats` is not 0, writes statistics in planes of `plane` bytes: Σ√w·b, Σb², and the least and largest entry before
 * weighting, of rows with weight above 0. If `slot` is 0, computes only statistics.
 */
export function packColumns(
  source: usize,
  type: i32,
  stride: i32,
  rows: i32,
  cols: i32,
  column: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  slot: usize,
  float32: bool,
  stats: usize,
  plane: usize,
  width: i32,
  slotBytes: usize,
): void {
  for (let c = 0; c < cols; c += width) {
    const numbers = (<usize>c) << 3;
    packSlot(
      source + ((<usize>c) << shiftOf(type)),
      type,
      stride,
      rows,
      min(width, cols - c),
      column + c,
      shift + numbers,
      factor + numbers,
      roots,
      slot ? slot + <usize>(c / width) * slotBytes : 0,
      float32,
      stats ? stats + numbers : 0,
      plane,
    );
  }
}

function packSlot(
  source: usize,
  type: i32,
  stride: i32,
  rows: i32,
  cols: i32,
  column: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  slot: usize,
  float32: bool,
  stats: usize,
  plane: usize,
): void {
  const bytes = shiftOf(type);
  const step = (<usize>stride) << bytes;
  const lines = slot + 16;
  const panels = slot + HEADER;
  let count = 0;
  let moved = false;
  for (let c = 0; c < cols; c += 4) {
    const width = min(4, cols - c);
    const at = source + ((<usize>c) << bytes);
    const out = float32
      ? panels + <usize>(c >> 3) * ((<usize>rows) << 5) + ((<usize>(c & 4)) << 2)
      : panels + <usize>(c >> 2) * ((<usize>rows) << 5);
    const known = (<usize>c) << 3;
    packFour(
      type,
      at,
      step,
      rows,
      two(shift + known, 0, width),
      two(shift + known, 2, width),
      two(factor + known, 0, width),
      two(factor + known, 2, width),
      roots,
      slot ? out : 0,
      float32,
    );
    const whole = width === 4;
    if (stats && whole) {
      putFour(stats + known, lowSum, highSum);
      putFour(stats + known + plane, lowSquare, highSquare);
      putFour(stats + known + 2 * plane, lowMin, highMin);
      putFour(stats + known + 3 * plane, lowMax, highMax);
    }
    if (
      slot &&
      whole &&
      !moved &&
      !v128.any_true(v128.or(zeros(lowMin, lowMax, lowSum), zeros(highMin, highMax, highSum)))
    ) {
      v128.store(lines + ((<usize>count) << 2), i32x4.add(i32x4.splat(column + c), i32x4(0, 1, 2, 3)));
      count += 4;
      continue;
    }
    for (let i = 0; i < width; i++) {
      const least = lane(lowMin, highMin, i);
      const largest = lane(lowMax, highMax, i);
      if (stats && !whole) {
        const where = <usize>(c + i);
        put(stats, plane, 0, where, lane(lowSum, highSum, i));
        put(stats, plane, 1, where, lane(lowSquare, highSquare, i));
        put(stats, plane, 2, where, least);
        put(stats, plane, 3, where, largest);
      }
      if (!slot) continue;
      // As in `zeros`.
      if (least >= 0 && largest <= 0 && lane(lowSum, highSum, i) === 0) {
        moved = true;
        continue;
      }
      if (moved) moveLine(panels, rows, c + i, count, float32);
      store<i32>(lines + ((<usize>count) << 2), column + c + i);
      count++;
    }
  }
  if (!slot) return;
  store<i32>(slot, count);
  store<i32>(slot, rows, 4);
  const lanes = float32 ? 8 : 4;
  clearLanes(panels, rows, count, lanes, moved, cols, float32);
  listSteps(slot, rows, (count + lanes - 1) / lanes, (cols + lanes - 1) / lanes);
}

/** Writes the lists of the nonzero steps of each panel, after all panels. */
function listSteps(slot: usize, steps: i32, panels: i32, room: i32): void {
  store<i32>(slot, room, 8);
  const bytes = (<usize>steps) << 5;
  for (let p = 0; p < panels; p++) {
    const panel = slot + HEADER + <usize>p * bytes;
    const list = slot + HEADER + <usize>room * bytes + <usize>p * ((<usize>steps) << 2);
    let count = 0;
    for (let s = 0; s < steps; s++) {
      if (s === LOOK && count > MANY) {
        count = -1;
        break;
      }
      const at = (<usize>s) << 5;
      store<i32>(list + ((<usize>count) << 2), <i32>at);
      count += i32(v128.any_true(v128.or(v128.load(panel + at), v128.load(panel + at, 16))));
    }
    store<i32>(slot + ACTIVE + ((<usize>p) << 2), count);
  }
}

/** Marks every step of all panels as used. */
export function listNone(slot: usize): void {
  memory.fill(slot + ACTIVE, 0xff, 64);
}

/** Returns numbers i and i + 1 at `from`, or 0 for indexes from `width` on. */
function two(from: usize, i: i32, width: i32): v128 {
  return f64x2(
    i < width ? load<f64>(from + ((<usize>i) << 3)) : 0,
    i + 1 < width ? load<f64>(from + ((<usize>(i + 1)) << 3)) : 0,
  );
}

function lane(low: v128, high: v128, i: i32): f64 {
  if (i === 0) return f64x2.extract_lane(low, 0);
  if (i === 1) return f64x2.extract_lane(low, 1);
  if (i === 2) return f64x2.extract_lane(high, 0);
  return f64x2.extract_lane(high, 1);
}

/** Returns the address of step 0 of a line. */
function lineAt(panels: usize, steps: i32, line: i32, float32: bool): usize {
  return float32
    ? panels + <usize>(line >> 3) * ((<usize>steps) << 5) + ((<usize>(line & 7)) << 2)
    : panels + <usize>(line >> 2) * ((<usize>steps) << 5) + ((<usize>(line & 3)) << 3);
}

function moveLine(panels: usize, steps: i32, source: i32, target: i32, float32: bool): void {
  let from = lineAt(panels, steps, source, float32);
  let to = lineAt(panels, steps, target, float32);
  for (let s = 0; s < steps; s++) {
    if (float32) store<f32>(to, load<f32>(from));
    else store<f64>(to, load<f64>(from));
    from += 32;
    to += 32;
  }
}

/** Clears the lanes of the last panel that have no line. */
function clearLanes(panels: usize, steps: i32, count: i32, lanes: i32, moved: bool, cols: i32, float32: bool): void {
  const end = (count + lanes - 1) & ~(lanes - 1);
  for (let line = moved ? count : cols; line < end; line++) {
    let to = lineAt(panels, steps, line, float32);
    for (let s = 0; s < steps; s++) {
      if (float32) store<f32>(to, 0);
      else store<f64>(to, 0);
      to += 32;
    }
  }
}

/** Packs `rows` rows from `row` on, over `cols` columns, into a slot whose lines are rows. */
export function packRows(
  source: usize,
  type: i32,
  stride: i32,
  rows: i32,
  cols: i32,
  row: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  slot: usize,
  float32: bool,
): void {
  const bytes = shiftOf(type);
  const step = (<usize>stride) << bytes;
  const panels = slot + HEADER;
  store<i32>(slot, rows);
  store<i32>(slot, cols, 4);
  listNone(slot);
  const end = float32 ? (rows + 7) & ~7 : (rows + 3) & ~3;
  for (let r = 0; r < rows; r++) store<i32>(slot + 16 + ((<usize>r) << 2), row + r);
  for (let r = 0; r < end; r += 4) {
    let to = lineAt(panels, cols, r, float32);
    const height = rows - r;
    const w0 = root(roots, r, height > 0);
    const w1 = root(roots, r + 1, height > 1);
    const w2 = root(roots, r + 2, height > 2);
    const w3 = root(roots, r + 3, height > 3);
    // Beyond the last row, the first row is read with weight 0. An infinite entry in it is rejected elsewhere.
    const a0 = source + (height > 0 ? <usize>r * step : 0);
    const a1 = height > 1 ? a0 + step : a0;
    const a2 = height > 2 ? a1 + step : a0;
    const a3 = height > 3 ? a2 + step : a0;
    let c = 0;
    if (type === F64) {
      const v0 = f64x2.splat(w0);
      const v1 = f64x2.splat(w1);
      const v2 = f64x2.splat(w2);
      const v3 = f64x2.splat(w3);
      // Two columns of four rows, transposed.
      for (; c + 1 < cols; c += 2) {
        const at = (<usize>c) << 3;
        const s = v128.load(shift + at);
        const f = v128.load(factor + at);
        const x0 = f64x2.mul(f64x2.mul(f64x2.sub(v128.load(a0 + at), s), f), v0);
        const x1 = f64x2.mul(f64x2.mul(f64x2.sub(v128.load(a1 + at), s), f), v1);
        const x2 = f64x2.mul(f64x2.mul(f64x2.sub(v128.load(a2 + at), s), f), v2);
        const x3 = f64x2.mul(f64x2.mul(f64x2.sub(v128.load(a3 + at), s), f), v3);
        if (float32) {
          v128.store(to, narrow(firsts(x0, x1), firsts(x2, x3)));
          v128.store(to, narrow(seconds(x0, x1), seconds(x2, x3)), 32);
        } else {
          v128.store(to, firsts(x0, x1));
          v128.store(to, firsts(x2, x3), 16);
          v128.store(to, seconds(x0, x1), 32);
          v128.store(to, seconds(x2, x3), 48);
        }
        to += 64;
      }
    }
    for (; c < cols; c++) {
      const at = (<usize>c) << bytes;
      const s = load<f64>(shift + ((<usize>c) << 3));
      const f = load<f64>(factor + ((<usize>c) << 3));
      const low = f64x2((entry(a0 + at, type) - s) * f * w0, (entry(a1 + at, type) - s) * f * w1);
      const high = f64x2((entry(a2 + at, type) - s) * f * w2, (entry(a3 + at, type) - s) * f * w3);
      if (float32) {
        v128.store(to, narrow(low, high));
      } else {
        v128.store(to, low);
        v128.store(to, high, 16);
      }
      to += 32;
    }
  }
}

/** Returns the first numbers of two pairs. */
function firsts(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

function seconds(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}

function root(roots: usize, r: i32, there: bool): f64 {
  return !there ? 0 : roots ? load<f64>(roots + ((<usize>r) << 3)) : 1;
}

/** Packs vectors (k × length) side by side: entry c of vectors 4p … 4p + 3 is at (p·length + c)·4. Missing vectors are 0. */
export function packVectors(source: usize, k: i32, length: i32, out: usize): void {
  for (let p = 0; p < k; p += 4) {
    for (let i = 0; i < 4; i++) {
      let to = out + ((<usize>i) << 3);
      let from = source + ((<usize>(p + i) * <usize>length) << 3);
      for (let c = 0; c < length; c++) {
        store<f64>(to, p + i < k ? load<f64>(from) : 0);
        from += 8;
        to += 32;
      }
    }
    out += (<usize>length) << 5;
  }
}

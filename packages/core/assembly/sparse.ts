/**
 * Products of sparse rows and dense vectors. Panels store vectors side by side: entry j of up to eight vectors is one cache line. So a
 * stored entry of the data reads one line of V, and writes one line of Z, for eight vectors.
 *
 * A panel has `lanes` (8, 4 or 2) numbers for each of the d columns, and one more line at its end for the shift of every row. A row of B
 * has its stored entries, and in column d minus the root of its weight. Line d of V is Vt. See src/engines/wasm/sparse/sparse.ts.
 */

import { madd } from './madd';

/** Columns per partial sum of Vt: rounding grows with the number of sums instead of columns. */
const CHAIN: i32 = 256;

/**
 * Packs `width` vectors of length d into a panel. At `source` they are stored one after the other. Line d is Σⱼ t[j]·V[j]. Lanes beyond
 * `width` are 0. Also clears `cleared` bytes at `sums`.
 */
export function sparsePack(
  source: usize,
  d: i32,
  lanes: i32,
  width: i32,
  t: usize,
  panel: usize,
  sums: usize,
  cleared: usize,
): void {
  if (cleared !== 0) memory.fill(sums, 0, cleared);
  const line = (<usize>lanes) << 3;
  const last = panel + <usize>d * line;
  for (let c = 0; c < lanes; c++) {
    const at = (<usize>c) << 3;
    const vector = source + ((<usize>c * <usize>d) << 3);
    let total = 0.0;
    let sum = 0.0;
    for (let j = 0; j < d; j++) {
      const value = c < width ? load<f64>(vector + ((<usize>j) << 3)) : 0;
      store<f64>(panel + at + <usize>j * line, value);
      sum += load<f64>(t + ((<usize>j) << 3)) * value;
      if ((j & (CHAIN - 1)) !== CHAIN - 1) continue;
      total += sum;
      sum = 0;
    }
    store<f64>(last + at, total + sum);
  }
}

/** out[c, j] = Σₐ zₐ[j, c] + Σₐ zₐ[d, c]·t[j]: the sums of all parts of the rows, in the order of the parts, minus the shift. */
export function sparseAddParts(
  sums: usize,
  part: usize,
  parts: i32,
  d: i32,
  lanes: i32,
  width: i32,
  t: usize,
  out: usize,
): void {
  const line = (<usize>lanes) << 3;
  const last = <usize>d * line;
  for (let c = 0; c < width; c++) {
    let at = sums + ((<usize>c) << 3);
    let all = load<f64>(at + last);
    for (let a = 1; a < parts; a++) all += load<f64>(at + <usize>a * part + last);
    let target = out + ((<usize>c * <usize>d) << 3);
    for (let j = 0; j < d; j++) {
      let sum = load<f64>(at);
      for (let a = 1; a < parts; a++) sum += load<f64>(at + <usize>a * part);
      store<f64>(target, sum + all * load<f64>(t + ((<usize>j) << 3)));
      at += line;
      target += 8;
    }
  }
}

/** Z += (BVᵀ)ᵀB for some rows and one panel. The entries of row i begin at index `starts[i]`. */
export function sparseNormal(
  values: usize,
  columns: usize,
  starts: usize,
  rows: i32,
  roots: usize,
  d: i32,
  lanes: i32,
  v: usize,
  z: usize,
): void {
  if (lanes === 8) walk<f64>(values, columns, starts, rows, roots, d, v, 0, 0, 0, z);
  else if (lanes === 4) walk<f32>(values, columns, starts, rows, roots, d, v, 0, 0, 0, z);
  else walk<i16>(values, columns, starts, rows, roots, d, v, 0, 0, 0, z);
}

/**
 * Copies the entries of some rows by column. `byColumn` receives d + 1 starts, then the rows, then the values, each in the order of the rows.
 * See `byColumnBytes` of src/engines/wasm/sparse/sparse-rows.ts.
 */
export function sparseByColumn(values: usize, columns: usize, starts: usize, rows: i32, d: i32, byColumn: usize): void {
  const entries = load<u32>(starts + ((<usize>rows) << 2));
  const names = rowsAt(byColumn, d);
  const numbers = valuesAt(names, entries);
  const room = (<usize>d + 2) << 2;
  memory.fill(byColumn, 0, room);
  // Counts are stored two positions ahead, become starts one position ahead, and move to their final position during filling.
  for (let e: u32 = 0; e < entries; e++) {
    const at = byColumn + ((<usize>load<u32>(columns + ((<usize>e) << 2))) << 2);
    store<u32>(at, load<u32>(at, 8) + 1, 8);
  }
  for (let j: usize = 2; j <= <usize>d; j++) {
    const at = byColumn + (j << 2);
    store<u32>(at, load<u32>(at) + load<u32>(at - 4));
  }
  for (let i = 0; i < rows; i++) {
    const to = load<u32>(starts, 4);
    for (let e = load<u32>(starts); e < to; e++) {
      const at = byColumn + ((<usize>load<u32>(columns + ((<usize>e) << 2))) << 2);
      const place = load<u32>(at, 4);
      store<u32>(at, place + 1, 4);
      store<u32>(names + ((<usize>place) << 2), i);
      store<f64>(numbers + ((<usize>place) << 3), load<f64>(values + ((<usize>e) << 3)));
    }
    starts += 4;
  }
}

/** Returns the address of the rows in the copy by column; `valuesAt` returns the address of the values. */
function rowsAt(byColumn: usize, d: i32): usize {
  return byColumn + ((((<usize>d + 2) << 2) + 63) & ~63);
}
function valuesAt(names: usize, entries: u32): usize {
  return names + ((((<usize>entries) << 2) + 63) & ~63);
}

/**
 * `sparseNormal` with eight lanes and the same bits: it writes the scores of all rows to `y` first, then every column gathers its sum. The
 * scores of a part fit into the L2 cache, and Z often does not.
 */
export function sparseNormalByColumn(
  values: usize,
  columns: usize,
  starts: usize,
  rows: i32,
  roots: usize,
  d: i32,
  v: usize,
  z: usize,
  y: usize,
  byColumn: usize,
): void {
  const entries = load<u32>(starts + ((<usize>rows) << 2));
  walk<f64>(values, columns, starts, rows, roots, d, v, y, 8, 8, 0);
  let name = rowsAt(byColumn, d);
  let value = valuesAt(name, entries);
  for (let j = 0; j < d; j++) {
    const count = load<u32>(byColumn, 4) - load<u32>(byColumn);
    byColumn += 4;
    if (count > 0) {
      let c0 = v128.load(z);
      let c1 = v128.load(z, 16);
      let c2 = v128.load(z, 32);
      let c3 = v128.load(z, 48);
      const end = value + ((<usize>count) << 3);
      while (value < end) {
        const entry = v128.load64_splat(value);
        const at = y + ((<usize>load<u32>(name)) << 6);
        c0 = madd(entry, v128.load(at), c0);
        c1 = madd(entry, v128.load(at, 16), c1);
        c2 = madd(entry, v128.load(at, 32), c2);
        c3 = madd(entry, v128.load(at, 48), c3);
        value += 8;
        name += 4;
      }
      v128.store(z, c0);
      v128.store(z, c1, 16);
      v128.store(z, c2, 32);
      v128.store(z, c3, 48);
    }
    z += 64;
  }
  // The shift, in column d.
  let c0 = v128.load(z);
  let c1 = v128.load(z, 16);
  let c2 = v128.load(z, 32);
  let c3 = v128.load(z, 48);
  for (let i = 0; i < rows; i++) {
    const root = f64x2.splat(roots === 0 ? -1.0 : -load<f64>(roots + ((<usize>i) << 3)));
    c0 = madd(root, v128.load(y), c0);
    c1 = madd(root, v128.load(y, 16), c1);
    c2 = madd(root, v128.load(y, 32), c2);
    c3 = madd(root, v128.load(y, 48), c3);
    y += 64;
  }
  v128.store(z, c0);
  v128.store(z, c1, 16);
  v128.store(z, c2, 32);
  v128.store(z, c3, 48);
}

/** Y = BVᵀ: `width` scores of row i at y + i·stride. */
export function sparseScore(
  values: usize,
  columns: usize,
  starts: usize,
  rows: i32,
  roots: usize,
  d: i32,
  lanes: i32,
  v: usize,
  y: usize,
  stride: i32,
  width: i32,
): void {
  if (lanes === 8) walk<f64>(values, columns, starts, rows, roots, d, v, y, stride, width, 0);
  else if (lanes === 4) walk<f32>(values, columns, starts, rows, roots, d, v, y, stride, width, 0);
  else walk<i16>(values, columns, starts, rows, roots, d, v, y, stride, width, 0);
}

/** Z += YᵀB: `width` scores of row i at y + i·stride. */
export function sparseCollect(
  values: usize,
  columns: usize,
  starts: usize,
  rows: i32,
  roots: usize,
  d: i32,
  lanes: i32,
  y: usize,
  stride: i32,
  width: i32,
  z: usize,
): void {
  if (lanes === 8) walk<f64>(values, columns, starts, rows, roots, d, 0, y, stride, width, z);
  else if (lanes === 4) walk<f32>(values, columns, starts, rows, roots, d, 0, y, stride, width, z);
  else walk<i16>(values, columns, starts, rows, roots, d, 0, y, stride, width, z);
}

/**
 * Visits row by row. Computes the scores of a row from `v`, or reads them from `y` if `v` is 0. Then adds them to `z`, or writes them to
 * `y` if `z` is 0. The number of lanes of a line is the number of bytes of the type Line: a constant, so that each of the three copies has
 * only the lanes it needs.
 */
function walk<Line>(
  values: usize,
  columns: usize,
  starts: usize,
  rows: i32,
  roots: usize,
  d: i32,
  v: usize,
  y: usize,
  stride: i32,
  width: i32,
  z: usize,
): void {
  const line = sizeof<Line>() << 3;
  const last = <usize>d * line;
  for (let i = 0; i < rows; i++) {
    const from = values + ((<usize>load<u32>(starts)) << 3);
    const to = values + ((<usize>load<u32>(starts, 4)) << 3);
    const names = columns + ((<usize>load<u32>(starts)) << 2);
    starts += 4;
    const root = f64x2.splat(roots === 0 ? -1.0 : -load<f64>(roots + ((<usize>i) << 3)));
    let c0 = f64x2.splat(0);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    if (v !== 0) {
      c0 = f64x2.mul(root, v128.load(v + last));
      if (sizeof<Line>() > 2) c1 = f64x2.mul(root, v128.load(v + last, 16));
      if (sizeof<Line>() > 4) c2 = f64x2.mul(root, v128.load(v + last, 32));
      if (sizeof<Line>() > 4) c3 = f64x2.mul(root, v128.load(v + last, 48));
      let name = names;
      for (let value = from; value < to; value += 8) {
        const entry = v128.load64_splat(value);
        const at = v + <usize>load<u32>(name) * line;
        c0 = madd(entry, v128.load(at), c0);
        if (sizeof<Line>() > 2) c1 = madd(entry, v128.load(at, 16), c1);
        if (sizeof<Line>() > 4) c2 = madd(entry, v128.load(at, 32), c2);
        if (sizeof<Line>() > 4) c3 = madd(entry, v128.load(at, 48), c3);
        name += 4;
      }
    } else {
      c0 = pair(y, width);
      if (sizeof<Line>() > 2) c1 = pair(y + 16, width - 2);
      if (sizeof<Line>() > 4) c2 = pair(y + 32, width - 4);
      if (sizeof<Line>() > 4) c3 = pair(y + 48, width - 6);
    }
    if (z !== 0) {
      let name = names;
      for (let value = from; value < to; value += 8) {
        const entry = v128.load64_splat(value);
        const at = z + <usize>load<u32>(name) * line;
        v128.store(at, madd(entry, c0, v128.load(at)));
        if (sizeof<Line>() > 2) v128.store(at, madd(entry, c1, v128.load(at, 16)), 16);
        if (sizeof<Line>() > 4) v128.store(at, madd(entry, c2, v128.load(at, 32)), 32);
        if (sizeof<Line>() > 4) v128.store(at, madd(entry, c3, v128.load(at, 48)), 48);
        name += 4;
      }
      const at = z + last;
      v128.store(at, madd(root, c0, v128.load(at)));
      if (sizeof<Line>() > 2) v128.store(at, madd(root, c1, v128.load(at, 16)), 16);
      if (sizeof<Line>() > 4) v128.store(at, madd(root, c2, v128.load(at, 32)), 32);
      if (sizeof<Line>() > 4) v128.store(at, madd(root, c3, v128.load(at, 48)), 48);
    } else {
      putPair(y, width, c0);
      if (sizeof<Line>() > 2) putPair(y + 16, width - 2, c1);
      if (sizeof<Line>() > 4) putPair(y + 32, width - 4, c2);
      if (sizeof<Line>() > 4) putPair(y + 48, width - 6, c3);
    }
    y += (<usize>stride) << 3;
  }
}

/** Reads up to two numbers: `count`, if it is less. */
function pair(at: usize, count: i32): v128 {
  if (count > 1) return v128.load(at);
  return count > 0 ? v128.load64_zero(at) : f64x2.splat(0);
}

function putPair(at: usize, count: i32, two: v128): void {
  if (count > 1) v128.store(at, two);
  else if (count > 0) store<f64>(at, f64x2.extract_lane(two, 0));
}

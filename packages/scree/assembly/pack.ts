/**
 * Rows on their way to BLAS, in AssemblyScript: entry (i, j) becomes √wᵢ·(xᵢⱼ − shiftⱼ)·factorⱼ in a packed tile, and
 * where asked the column's sum, range and squares are taken in the same reading.
 *
 * Factors are left out of summaries beside float64, which has the range to do without: there they must be 1. Four columns are
 * worked on at a time, down all rows, so that their sums stay in registers. Pointers and strides are bytes; counts are elements.
 */

/**
 * What is made is a type, so that each kind is compiled by itself: the tile and its summary, or only the summary. Sizes
 * tell them apart.
 */
type Both = u16;
type Summary = u32;

function two<S>(at: usize): v128 {
  if (sizeof<S>() === 4) return f64x2.promote_low_f32x4(v128.load64_zero(at));
  return v128.load(at);
}

function putTwo<O>(at: usize, value: v128): void {
  if (sizeof<O>() === 4) v128.store64_lane(at, f32x4.demote_f64x2_zero(value), 0);
  else v128.store(at, value);
}

/** Rows of four neighbouring columns. `summary` has sums, least, greatest and squares, each `width` bytes long. */
function four<S, O, What>(
  source: usize,
  stride: usize,
  rows: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  outStride: usize,
  summary: usize,
  width: usize,
): void {
  const s0 = v128.load(shift);
  const s1 = v128.load(shift, 16);
  const f0 = v128.load(factor);
  const f1 = v128.load(factor, 16);
  let sum0 = f64x2.splat(0);
  let sum1 = sum0;
  let square0 = sum0;
  let square1 = sum0;
  let low0 = v128.load(summary + width);
  let low1 = v128.load(summary + width, 16);
  let high0 = v128.load(summary + 2 * width);
  let high1 = v128.load(summary + 2 * width, 16);
  for (let r = 0; r < rows; r++) {
    const x0 = two<S>(source);
    const x1 = two<S>(source + 2 * sizeof<S>());
    let t0 = f64x2.sub(x0, s0);
    let t1 = f64x2.sub(x1, s1);
    if (sizeof<O>() === 4) {
      t0 = f64x2.mul(t0, f0);
      t1 = f64x2.mul(t1, f1);
    }
    let counts = true;
    let root = s0;
    if (roots) {
      const w = load<f64>(roots + ((<usize>r) << 3));
      counts = w !== 0;
      root = f64x2.splat(w);
      t0 = f64x2.mul(t0, root);
      t1 = f64x2.mul(t1, root);
    }
    if (sizeof<What>() !== sizeof<Summary>()) {
      putTwo<O>(out, t0);
      putTwo<O>(out + 2 * sizeof<O>(), t1);
      out += outStride;
    }
    square0 = f64x2.add(square0, f64x2.mul(t0, t0));
    square1 = f64x2.add(square1, f64x2.mul(t1, t1));
    sum0 = f64x2.add(sum0, roots ? f64x2.mul(t0, root) : t0);
    sum1 = f64x2.add(sum1, roots ? f64x2.mul(t1, root) : t1);
    if (counts) {
      low0 = f64x2.pmin(low0, x0);
      low1 = f64x2.pmin(low1, x1);
      high0 = f64x2.pmax(high0, x0);
      high1 = f64x2.pmax(high1, x1);
    }
    source += stride;
  }
  v128.store(summary, f64x2.add(v128.load(summary), sum0));
  v128.store(summary, f64x2.add(v128.load(summary, 16), sum1), 16);
  v128.store(summary + width, low0);
  v128.store(summary + width, low1, 16);
  v128.store(summary + 2 * width, high0);
  v128.store(summary + 2 * width, high1, 16);
  const squares = summary + 3 * width;
  v128.store(squares, f64x2.add(v128.load(squares), square0));
  v128.store(squares, f64x2.add(v128.load(squares, 16), square1), 16);
}

/** Rows of one column: what is left of a run. */
function one<S, O, What>(
  source: usize,
  stride: usize,
  rows: i32,
  shift: f64,
  factor: f64,
  roots: usize,
  out: usize,
  outStride: usize,
  summary: usize,
  width: usize,
): void {
  let sum = 0.0;
  let square = 0.0;
  let low = load<f64>(summary + width);
  let high = load<f64>(summary + 2 * width);
  for (let r = 0; r < rows; r++) {
    const x = <f64>load<S>(source);
    const root = roots ? load<f64>(roots + ((<usize>r) << 3)) : 1.0;
    const t = (x - shift) * factor * root;
    if (sizeof<What>() !== sizeof<Summary>()) {
      store<O>(out, <O>t);
      out += outStride;
    }
    square += t * t;
    sum += t * root;
    if (root !== 0) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    source += stride;
  }
  store<f64>(summary, load<f64>(summary) + sum);
  store<f64>(summary + width, low);
  store<f64>(summary + 2 * width, high);
  store<f64>(summary + 3 * width, load<f64>(summary + 3 * width) + square);
}

/** All columns, summed and packed or only summed. */
function sumUp<S, O, What>(
  source: usize,
  stride: usize,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  outStride: usize,
  summary: usize,
  width: usize,
): void {
  let left = cols;
  for (; left >= 4; left -= 4) {
    four<S, O, What>(source, stride, rows, shift, factor, roots, out, outStride, summary, width);
    source += 4 * sizeof<S>();
    out += 4 * sizeof<O>();
    shift += 32;
    factor += 32;
    summary += 32;
  }
  for (; left > 0; left--) {
    one<S, O, What>(source, stride, rows, load<f64>(shift), load<f64>(factor), roots, out, outStride, summary, width);
    source += sizeof<S>();
    out += sizeof<O>();
    shift += 8;
    factor += 8;
    summary += 8;
  }
}

/** Some columns of a row in a given order. `columns` are their offsets in bytes; shift and factor follow the order. */
function gather<S, O>(
  source: usize,
  columns: usize,
  cols: i32,
  shift: usize,
  factor: usize,
  root: f64,
  out: usize,
): void {
  for (let p = 0; p < cols; p++) {
    const x = <f64>load<S>(source + <usize>load<i32>(columns));
    store<O>(out, <O>((x - load<f64>(shift)) * load<f64>(factor) * root));
    columns += 4;
    shift += 8;
    factor += 8;
    out += sizeof<O>();
  }
}

/** How many of the columns, in a given order, a row needs: up to the last that is not the shift. */
function needed<S>(source: usize, columns: usize, cols: i32, shift: usize): i32 {
  let p = cols;
  while (p > 0) {
    const before = <usize>(p - 1);
    if (<f64>load<S>(source + <usize>load<i32>(columns + (before << 2))) !== load<f64>(shift + (before << 3))) break;
    p--;
  }
  return p;
}

/** Rows packed as they come, without a summary: along the rows, as memory is read and written fastest. */
function straight<S, O>(
  source: usize,
  stride: usize,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  outStride: usize,
): void {
  for (let r = 0; r < rows; r++) {
    const root = roots ? load<f64>(roots + ((<usize>r) << 3)) : 1.0;
    const roots2 = f64x2.splat(root);
    let from = source;
    let to = out;
    let column: usize = 0;
    for (const end = (<usize>(cols & ~1)) << 3; column < end; column += 16) {
      let t = f64x2.mul(f64x2.sub(two<S>(from), v128.load(shift + column)), v128.load(factor + column));
      if (roots) t = f64x2.mul(t, roots2);
      putTwo<O>(to, t);
      from += 2 * sizeof<S>();
      to += 2 * sizeof<O>();
    }
    if (cols & 1)
      store<O>(to, <O>((<f64>load<S>(from) - load<f64>(shift + column)) * load<f64>(factor + column) * root));
    source += stride;
    out += outStride;
  }
}

/** Packs rows into a tile. */
export function packRows(
  fromSingle: bool,
  toSingle: bool,
  source: usize,
  stride: usize,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  outStride: usize,
): void {
  if (fromSingle) {
    if (toSingle) straight<f32, f32>(source, stride, rows, cols, shift, factor, roots, out, outStride);
    else straight<f32, f64>(source, stride, rows, cols, shift, factor, roots, out, outStride);
  } else {
    if (toSingle) straight<f64, f32>(source, stride, rows, cols, shift, factor, roots, out, outStride);
    else straight<f64, f64>(source, stride, rows, cols, shift, factor, roots, out, outStride);
  }
}

/** Packs rows into a tile and takes the sums, ranges and squares of their columns on the way. */
export function packSummed(
  fromSingle: bool,
  toSingle: bool,
  source: usize,
  stride: usize,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  out: usize,
  outStride: usize,
  sums: usize,
  width: usize,
): void {
  if (fromSingle) {
    if (toSingle) sumUp<f32, f32, Both>(source, stride, rows, cols, shift, factor, roots, out, outStride, sums, width);
    else sumUp<f32, f64, Both>(source, stride, rows, cols, shift, factor, roots, out, outStride, sums, width);
  } else {
    if (toSingle) sumUp<f64, f32, Both>(source, stride, rows, cols, shift, factor, roots, out, outStride, sums, width);
    else sumUp<f64, f64, Both>(source, stride, rows, cols, shift, factor, roots, out, outStride, sums, width);
  }
}

/** Sums, ranges and squares of columns as `packSummed` takes them, and no tile. */
export function summariseRows(
  fromSingle: bool,
  toSingle: bool,
  source: usize,
  stride: usize,
  rows: i32,
  cols: i32,
  shift: usize,
  factor: usize,
  roots: usize,
  sums: usize,
  width: usize,
): void {
  if (fromSingle) {
    if (toSingle) sumUp<f32, f32, Summary>(source, stride, rows, cols, shift, factor, roots, 0, 0, sums, width);
    else sumUp<f32, f64, Summary>(source, stride, rows, cols, shift, factor, roots, 0, 0, sums, width);
  } else {
    if (toSingle) sumUp<f64, f32, Summary>(source, stride, rows, cols, shift, factor, roots, 0, 0, sums, width);
    else sumUp<f64, f64, Summary>(source, stride, rows, cols, shift, factor, roots, 0, 0, sums, width);
  }
}

/** Packs the first `cols` of the ordered columns of a row. */
export function gatherRow(
  fromSingle: bool,
  toSingle: bool,
  source: usize,
  columns: usize,
  cols: i32,
  shift: usize,
  factor: usize,
  root: f64,
  out: usize,
): void {
  if (fromSingle) {
    if (toSingle) gather<f32, f32>(source, columns, cols, shift, factor, root, out);
    else gather<f32, f64>(source, columns, cols, shift, factor, root, out);
  } else {
    if (toSingle) gather<f64, f32>(source, columns, cols, shift, factor, root, out);
    else gather<f64, f64>(source, columns, cols, shift, factor, root, out);
  }
}

/** How many of the ordered columns a row needs. */
export function columnsNeeded(single: bool, source: usize, columns: usize, cols: i32, shift: usize): i32 {
  return single ? needed<f32>(source, columns, cols, shift) : needed<f64>(source, columns, cols, shift);
}

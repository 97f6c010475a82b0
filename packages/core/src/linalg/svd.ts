import { runTaskSync, type Task } from '../base/progress.js';
import { ConvergenceError } from '../errors.js';
import { reflector } from './reflector.js';
import { transpose } from './transpose.js';
import { axpy, dot, hypotenuse, maxAbs, powerOfTwo, rotatePair, scale } from './vector.js';

export interface SVD {
  /** Singular values, largest first: min(rows, cols) of them. */
  readonly values: Float64Array;
  /** Right singular vectors, one per row (values × cols). */
  readonly right: Float64Array;
  /** Left singular vectors, one per row (values × rows); empty when not requested. */
  readonly left: Float64Array;
}

/** Maximum average number of QR sweeps per singular value. Two are usual. */
const SWEEPS = 30;
/** Approximate number of operations between two yields. */
const STEP = 1e5;

/** A = Σᵢ σᵢ·leftᵢ·rightᵢᵀ of a small row-major matrix of any shape. Does not change `a`. */
export function svd(a: Float64Array, rows: number, cols: number): SVD {
  if (rows >= cols) return runTaskSync(svdSteps(a.slice(), rows, cols, true));
  const { values, left, right } = runTaskSync(svdSteps(transpose(a, rows, cols), cols, rows, true));
  return { values, left: right, right: left };
}

/**
 * Golub–Kahan SVD for rows ≥ cols: Householder bidiagonalisation A = P·B·Wᵀ (Golub & Van Loan §5.4.8), then implicit shifted QR on B
 * (§8.6.2). Never squares A, so the error of σᵢ is a small multiple of ε·σ₁. Cost 8/3·cols³ for square A and about 6·cols³ for each side's
 * vectors. Overwrites `a`.
 */
export function* svdSteps(a: Float64Array, rows: number, cols: number, wantLeft: boolean): Task<SVD> {
  const unit = powerOfTwo(maxAbs(a));
  scale(1 / unit, a);
  const diagonal = new Float64Array(cols);
  const superDiagonal = new Float64Array(cols);
  const { left, right } = yield* bidiagonalise(a, rows, cols, diagonal, superDiagonal, wantLeft);
  yield* bidiagonalQR(diagonal, superDiagonal, left, rows, right, cols);

  for (let to = 0; to < cols; to++) {
    let from = to;
    for (let i = to + 1; i < cols; i++) if (Math.abs(diagonal[i]) > Math.abs(diagonal[from])) from = i;
    const value = diagonal[from];
    diagonal[from] = diagonal[to];
    diagonal[to] = Math.abs(value) * unit;
    swap(right, from * cols, to * cols, cols);
    if (value < 0) scale(-1, right, to * cols, cols);
    if (wantLeft) swap(left, from * rows, to * rows, rows);
  }
  return { values: diagonal, left, right };
}

function swap(x: Float64Array, first: number, second: number, length: number): void {
  for (let i = 0; i < length && first !== second; i++) {
    const kept = x[first + i];
    x[first + i] = x[second + i];
    x[second + i] = kept;
  }
}

/** Reduces `a` to upper bidiagonal form; returns Pᵀ (cols × rows, when wanted) and Wᵀ (cols × cols), vectors as rows. */
function* bidiagonalise(
  a: Float64Array,
  rows: number,
  cols: number,
  diagonal: Float64Array,
  superDiagonal: Float64Array,
  wantLeft: boolean,
): Task<{ left: Float64Array; right: Float64Array }> {
  const columnTaus = new Float64Array(cols);
  const rowTaus = new Float64Array(cols);
  const columnVectors = new Float64Array(wantLeft ? rows * cols : 0);
  const v = new Float64Array(rows);
  const w = new Float64Array(cols);
  let done = 0;
  for (let j = 0; j < cols; j++) {
    for (let i = j; i < rows; i++) v[i] = a[i * cols + j];
    const column = reflector(v, j, rows - j);
    diagonal[j] = column.beta;
    columnTaus[j] = column.tau;
    if (wantLeft) columnVectors.set(v.subarray(j, rows), j * rows + j);
    const start = j + 1;
    const rest = cols - start;
    if (column.tau !== 0 && rest > 0) {
      for (let c = start; c < cols; c++) w[c] = a[j * cols + c];
      for (let i = start; i < rows; i++) axpy(v[i], a, i * cols + start, w, start, rest);
      for (let i = j; i < rows; i++) axpy(-column.tau * v[i], w, start, a, i * cols + start, rest);
    }
    if (rest > 0) {
      const line = j * cols + start;
      const row = reflector(a, line, rest);
      superDiagonal[j] = row.beta;
      rowTaus[j] = row.tau;
      if (row.tau !== 0) {
        for (let i = start; i < rows; i++) {
          const target = i * cols + start;
          axpy(-row.tau * dot(a, line, a, target, rest), a, line, a, target, rest);
        }
      }
    }
    done += 8 * (rows - j) * rest;
    if (done > STEP) {
      yield done;
      done = 0;
    }
  }
  const right = new Float64Array(cols * cols);
  for (let r = 0; r < cols; r++) {
    right[r * cols + r] = 1;
    for (let j = Math.min(r, cols - 2); j >= 0; j--) {
      if (rowTaus[j] === 0) continue;
      const line = j * cols + j + 1;
      const target = r * cols + j + 1;
      axpy(-rowTaus[j] * dot(a, line, right, target, cols - j - 1), a, line, right, target, cols - j - 1);
    }
    if ((r & 15) === 15) yield 32 * cols * cols;
  }
  const left = new Float64Array(wantLeft ? cols * rows : 0);
  for (let r = 0; wantLeft && r < cols; r++) {
    left[r * rows + r] = 1;
    for (let j = r; j >= 0; j--) {
      if (columnTaus[j] === 0) continue;
      const vector = j * rows + j;
      const target = r * rows + j;
      const factor = -columnTaus[j] * dot(columnVectors, vector, left, target, rows - j);
      axpy(factor, columnVectors, vector, left, target, rows - j);
    }
  }
  return { left, right };
}

/** Diagonalises the bidiagonal matrix (d, e), and applies the rotations to the rows of `left` and `right`. Signs and order are arbitrary. */
function* bidiagonalQR(
  d: Float64Array,
  e: Float64Array,
  left: Float64Array,
  leftLength: number,
  right: Float64Array,
  rightLength: number,
): Task<void> {
  let largest = 0;
  for (let i = 0; i < d.length; i++) largest = Math.max(largest, Math.abs(d[i]) + Math.abs(e[i]));
  // Couplings this small can be dropped: they change singular values by less than rounding does.
  const negligible = largest * 2 ** -56;
  let sweeps = 0;
  let done = 0;
  let high = d.length - 1;
  while (high > 0) {
    if (!coupled(d, e, high - 1, negligible)) {
      high--;
      continue;
    }
    let low = high - 1;
    while (low > 0 && coupled(d, e, low - 1, negligible)) low--;
    if (sweeps++ === SWEEPS * d.length) {
      throw new ConvergenceError(
        `The singular value decomposition did not converge: value ${high} of ${d.length}.`,
        d.slice(),
      );
    }
    const zero = findZero(d, low, high, negligible);
    if (zero === high) {
      chaseColumn(d, e, low, high, right, rightLength);
    } else if (zero >= 0) {
      chaseRow(d, e, zero, high, left, leftLength);
    } else {
      sweep(d, e, low, high, left, leftLength, right, rightLength);
    }
    done += 6 * (high - low) * (rightLength + (left.length > 0 ? leftLength : 0));
    if (done > STEP) {
      yield done;
      done = 0;
    }
  }
}

/** Returns true if eᵢ couples i and i + 1. Otherwise sets eᵢ to 0. */
function coupled(d: Float64Array, e: Float64Array, i: number, negligible: number): boolean {
  const allowed = 0.5 * Number.EPSILON * (Math.abs(d[i]) + Math.abs(d[i + 1]));
  if (Math.abs(e[i]) > Math.max(negligible, allowed)) return true;
  e[i] = 0;
  return false;
}

/** Rotates vectors i and j, if vectors were requested. */
function rotateVectors(vectors: Float64Array, length: number, i: number, j: number, c: number, s: number): void {
  if (vectors.length > 0) rotatePair(vectors, i * length, j * length, length, c, s);
}

function findZero(d: Float64Array, low: number, high: number, negligible: number): number {
  for (let i = low; i <= high; i++) {
    if (Math.abs(d[i]) <= negligible) {
      d[i] = 0;
      return i;
    }
  }
  return -1;
}

/** For d[zero] = 0: rotates rows until row `zero` is empty. This splits the problem there. */
function chaseRow(
  d: Float64Array,
  e: Float64Array,
  zero: number,
  high: number,
  left: Float64Array,
  length: number,
): void {
  let bulge = e[zero];
  e[zero] = 0;
  for (let i = zero + 1; i <= high && bulge !== 0; i++) {
    const r = hypotenuse(d[i], bulge);
    const c = d[i] / r;
    const s = bulge / r;
    d[i] = r;
    rotateVectors(left, length, i, zero, c, s);
    if (i < high) {
      bulge = -s * e[i];
      e[i] *= c;
    }
  }
}

/** For d[high] = 0: rotates columns until column `high` is empty. */
function chaseColumn(
  d: Float64Array,
  e: Float64Array,
  low: number,
  high: number,
  right: Float64Array,
  length: number,
): void {
  let bulge = e[high - 1];
  e[high - 1] = 0;
  for (let i = high - 1; i >= low && bulge !== 0; i--) {
    const r = hypotenuse(d[i], bulge);
    const c = d[i] / r;
    const s = bulge / r;
    d[i] = r;
    rotateVectors(right, length, i, high, c, s);
    if (i > low) {
      bulge = -s * e[i - 1];
      e[i - 1] *= c;
    }
  }
}

/** One implicit QR step on the unreduced block low…high, shifted by the eigenvalue of BᵀB's last 2×2 nearest its corner. */
function sweep(
  d: Float64Array,
  e: Float64Array,
  low: number,
  high: number,
  left: Float64Array,
  leftLength: number,
  right: Float64Array,
  rightLength: number,
): void {
  let unit = 0;
  for (let i = low; i <= high; i++) unit = Math.max(unit, Math.abs(d[i]), i < high ? Math.abs(e[i]) : 0);
  const dm = d[high - 1] / unit;
  const dn = d[high] / unit;
  const em = e[high - 1] / unit;
  const el = high - 1 > low ? e[high - 2] / unit : 0;
  const a = dm * dm + el * el;
  const b = dm * em;
  const c2 = dn * dn + em * em;
  const half = (a - c2) / 2;
  const root = hypotenuse(half, b);
  const shift = b === 0 ? c2 : c2 - (b * b) / (half + (half < 0 ? -root : root));

  const first = d[low] / unit;
  let f = first * first - shift;
  let g = first * (e[low] / unit);
  for (let i = low; i < high; i++) {
    let r = hypotenuse(f, g);
    let c = r === 0 ? 1 : f / r;
    let s = r === 0 ? 0 : g / r;
    if (i > low) e[i - 1] = r;
    f = c * d[i] + s * e[i];
    e[i] = c * e[i] - s * d[i];
    g = s * d[i + 1];
    d[i + 1] *= c;
    rotateVectors(right, rightLength, i, i + 1, c, s);
    r = hypotenuse(f, g);
    c = r === 0 ? 1 : f / r;
    s = r === 0 ? 0 : g / r;
    d[i] = r;
    f = c * e[i] + s * d[i + 1];
    d[i + 1] = c * d[i + 1] - s * e[i];
    if (i < high - 1) {
      g = s * e[i + 1];
      e[i + 1] *= c;
    }
    rotateVectors(left, leftLength, i, i + 1, c, s);
  }
  e[high - 1] = f;
}

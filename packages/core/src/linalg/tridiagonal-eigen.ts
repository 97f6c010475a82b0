import type { Task } from '../base/progress.js';
import { ConvergenceError } from '../errors.js';
import { random } from './random.js';
import { axpy, dot, norm, rotatePair, scale } from './vector.js';

/** Maximum average number of QL sweeps per eigenvalue. Two are usual, and LAPACK allows 30. */
const SWEEPS = 30;

/**
 * Couplings up to this share of the matrix are treated as zero. Dropping them changes an eigenvalue by at most the rounding of one entry,
 * and blocks of pure rounding need not be solved.
 */
const NEGLIGIBLE = 2 ** -54;

/** Eigenvalues of a block that are closer than this times ‖T‖ form a cluster. Vectors of different clusters overlap by at most 1e-9. */
export const CLUSTER = 1e-6;

/** Maximum iterations per vector. Two are usual. */
const ITERATIONS = 8;

/** Returns true if T couples i and i + 1. */
function coupled(d: Float64Array, e: Float64Array, i: number, negligible: number): boolean {
  return Math.abs(e[i]) > Math.max(negligible, NEGLIGIBLE * (Math.abs(d[i]) + Math.abs(d[i + 1])));
}

/** Returns the threshold below which entries of the tridiagonal matrix (d, e) are negligible. */
function negligibleIn(d: Float64Array, e: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < d.length; i++) largest = Math.max(largest, Math.abs(d[i]) + Math.abs(e[i]));
  return NEGLIGIBLE * largest;
}

/**
 * Implicit QL with Wilkinson's shift (Golub & Van Loan §8.3.3, turned upside down).
 *
 * Overwrites `d` with the eigenvalues of the tridiagonal matrix (d, e), in no order, and destroys `e`. When `vectors` is given (rows of
 * length `size`, starting as the identity or any Q) the rotations are applied to its rows, so that row i ends as the eigenvector of d[i].
 * QL is fast if entries grow downwards, so other blocks are reversed first. Values only: 10·size². With vectors: about 6·size³.
 */
export function* implicitQL(d: Float64Array, e: Float64Array, vectors?: Float64Array): Task<void> {
  const negligible = negligibleIn(d, e);
  const budget = { sweeps: SWEEPS * d.length };
  for (let from = 0; from < d.length; ) {
    let last = from;
    while (last < d.length - 1 && coupled(d, e, last, negligible)) last++;
    if (Math.abs(d[last]) < Math.abs(d[from])) reverseBlock(d, e, from, last, vectors);
    yield* blockQL(d, e, from, last, negligible, budget, vectors);
    from = last + 1;
  }
}

/** Reverses the order of the rows and columns from…last. */
function reverseBlock(d: Float64Array, e: Float64Array, from: number, last: number, vectors?: Float64Array): void {
  d.subarray(from, last + 1).reverse();
  e.subarray(from, last).reverse();
  if (!vectors) return;
  const size = d.length;
  for (let i = from, j = last; i < j; i++, j--) {
    const held = vectors.slice(i * size, (i + 1) * size);
    vectors.copyWithin(i * size, j * size, (j + 1) * size);
    vectors.set(held, j * size);
  }
}

function* blockQL(
  d: Float64Array,
  e: Float64Array,
  from: number,
  last: number,
  negligible: number,
  budget: { sweeps: number },
  vectors?: Float64Array,
): Task<void> {
  const size = d.length;
  for (let l = from; l <= last; l++) {
    // This generator has no floating-point variables, because each would be a heap object.
    for (;;) {
      const m = endOfBlock(d, e, l, last, negligible);
      if (m === l) break;
      if (budget.sweeps-- === 0) {
        throw new ConvergenceError(
          `The eigenvalues of a ${size}×${size} matrix did not converge (at ${l}).`,
          d.slice(),
        );
      }
      if (vectors) sweepWithVectors(d, e, l, m, vectors);
      else sweep(d, e, l, m);
      yield (vectors ? 6 * size : 10) * (m - l);
    }
  }
}

/** Returns the last row of the block that begins with row l. */
function endOfBlock(d: Float64Array, e: Float64Array, l: number, last: number, negligible: number): number {
  let m = l;
  while (m < last && coupled(d, e, m, negligible)) m++;
  return m;
}

/** Returns Wilkinson's shift. */
function shiftAt(d: Float64Array, e: Float64Array, l: number): number {
  const g = (d[l + 1] - d[l]) / (2 * e[l]);
  const r = hypotenuse(g, 1);
  return d[l] - e[l] / (g + (g < 0 ? -r : r));
}

function sweepWithVectors(d: Float64Array, e: Float64Array, l: number, m: number, vectors: Float64Array): void {
  const size = d.length;
  let g = d[m] - shiftAt(d, e, l);
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * e[i];
    const b = c * e[i];
    let r = hypotenuse(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1] -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotatePair(vectors, (i + 1) * size, i * size, size, c, s);
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0;
}

/**
 * A sweep for values only (Pal, Walker & Kahan; LAPACK's dsterf). No later step waits for its square roots. The three divisions use the
 * same two numbers and start together, so a step takes the time of one division. The inverse of a cosine near 0 could overflow.
 */
function sweep(d: Float64Array, e: Float64Array, l: number, m: number): void {
  const shift = shiftAt(d, e, l);
  let [c, s] = [1, 0];
  let g = d[m] - shift;
  let p = g * g;
  for (let i = m - 1; i >= l; i--) {
    const square = e[i] * e[i];
    const r = p + square;
    e[i + 1] = Math.sqrt(s * r);
    const before = c;
    const inverse = r / p;
    c = p / r;
    s = square / r;
    const old = g;
    g = c * (d[i] - shift) - s * old;
    d[i + 1] = old + (d[i] - g);
    p = c < 1e-280 ? before * square : g * g * inverse;
  }
  e[l] = Math.sqrt(s * p);
  d[l] = shift + g;
}

/** √(x² + y²), several times faster than Math.hypot, which is used only if a square would overflow or underflow. */
function hypotenuse(x: number, y: number): number {
  const square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? Math.sqrt(square) : Math.hypot(x, y);
}

/** An eigenvalue and the unreduced block [from, to) of the tridiagonal matrix that it belongs to. */
export interface BlockValue {
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/**
 * All eigenvalues of the tridiagonal matrix (d, e), largest first, each with its block. T splits into blocks for repeated eigenvalues, for
 * example. Each block is solved separately, and later its vectors too.
 */
export function* tridiagonalValues(d: Float64Array, e: Float64Array): Task<BlockValue[]> {
  const size = d.length;
  const negligible = negligibleIn(d, e);
  const all: BlockValue[] = [];
  for (let from = 0; from < size; ) {
    let to = from + 1;
    while (to < size && coupled(d, e, to - 1, negligible)) to++;
    const values = d.slice(from, to);
    const couplings = e.slice(from, to);
    couplings[to - from - 1] = 0;
    yield* implicitQL(values, couplings);
    for (const value of values) all.push({ value, from, to });
    from = to;
  }
  return all.sort((a, b) => b.value - a.value);
}

/**
 * Eigenvectors of (d, e) for chosen eigenvalues by inverse iteration, as rows of the result. For each vector, (T − λI)x = b is solved a few
 * times, from a random b. The vectors of a cluster are orthogonalised as they are found (Peters & Wilkinson; Golub & Van Loan §8.2.2,
 * §8.4.2). Cost O(size·count) and O(size·cluster²). Weakness: vectors of different clusters overlap by ε‖T‖/gap, and no bound is proven, so
 * callers measure the overlap and subtract it, or use another method.
 */
export function* inverseIteration(d: Float64Array, e: Float64Array, chosen: readonly BlockValue[]): Task<Float64Array> {
  const size = d.length;
  const vectors = new Float64Array(chosen.length * size);
  // Vector i starts from the numbers from index i on.
  const starts = Float64Array.from({ length: size + chosen.length + ITERATIONS }, random(size).normal);
  const solver = new ShiftedTridiagonal(size);
  for (let index = 0; index < chosen.length; index++) {
    const { value, from, to } = chosen[index];
    const length = to - from;
    const row = index * size + from;
    if (length === 1) {
      vectors[row] = 1;
      continue;
    }
    let blockNorm = 0;
    for (let i = from; i < to; i++) {
      blockNorm = Math.max(blockNorm, Math.abs(d[i]) + Math.abs(e[i]) + (i > from ? Math.abs(e[i - 1]) : 0));
    }
    const cluster: number[] = [];
    for (let other = index - 1; other >= 0; other--) {
      if (chosen[other].from !== from) continue;
      if (chosen[other].value - value > CLUSTER * blockNorm) break;
      cluster.push(other * size + from);
    }
    // Equal shifts would give equal vectors, so the shifts of a cluster differ by a few units in the last place.
    const shift = value - cluster.length * 2 * Number.EPSILON * blockNorm;
    solver.factor(d, e, from, to, shift, Number.EPSILON * blockNorm);
    const x = vectors.subarray(row, row + length);
    x.set(starts.subarray(index, index + length));
    for (let iteration = 1, grown = 0; iteration <= ITERATIONS && grown < 2; iteration++) {
      scale(1 / norm(x), x);
      solver.solve(x);
      const growth = norm(x);
      scale(1 / growth, x);
      for (let round = 0; round < 2; round++) {
        for (const start of cluster) axpy(-dot(vectors, start, x, 0, length), vectors, start, x, 0, length);
      }
      const left = norm(x);
      if (left < 1e-3) {
        // The vector is in the span of the others of its cluster. Start again from another vector.
        x.set(starts.subarray(index + iteration, index + iteration + length));
        for (const start of cluster) axpy(-dot(vectors, start, x, 0, length), vectors, start, x, 0, length);
        continue;
      }
      if (growth * left > 0.01 / (Number.EPSILON * blockNorm * Math.sqrt(length))) grown++;
    }
    scale(1 / norm(x), x);
    yield 40 * length + 4 * length * cluster.length;
  }
  return vectors;
}

/** LU with partial pivoting of T − shift·I. U has two superdiagonals. L has one multiplier and one swap per row. */
class ShiftedTridiagonal {
  readonly #u0: Float64Array;
  readonly #u1: Float64Array;
  readonly #u2: Float64Array;
  readonly #l: Float64Array;
  readonly #swapped: Uint8Array;
  #length = 0;

  constructor(size: number) {
    this.#u0 = new Float64Array(size);
    this.#u1 = new Float64Array(size);
    this.#u2 = new Float64Array(size);
    this.#l = new Float64Array(size);
    this.#swapped = new Uint8Array(size);
  }

  factor(d: Float64Array, e: Float64Array, from: number, to: number, shift: number, tiny: number): void {
    const length = to - from;
    this.#length = length;
    const [u0, u1, u2, l, swapped] = [this.#u0, this.#u1, this.#u2, this.#l, this.#swapped];
    let pivot = d[from] - shift;
    let right = e[from];
    for (let i = 0; i < length - 1; i++) {
      const below = e[from + i];
      const nextDiagonal = d[from + i + 1] - shift;
      const nextRight = i + 1 < length - 1 ? e[from + i + 1] : 0;
      if (Math.abs(pivot) >= Math.abs(below)) {
        if (Math.abs(pivot) < tiny) pivot = pivot < 0 ? -tiny : tiny;
        swapped[i] = 0;
        l[i] = below / pivot;
        u0[i] = pivot;
        u1[i] = right;
        u2[i] = 0;
        pivot = nextDiagonal - l[i] * right;
        right = nextRight;
      } else {
        swapped[i] = 1;
        l[i] = pivot / below;
        u0[i] = below;
        u1[i] = nextDiagonal;
        u2[i] = nextRight;
        pivot = right - l[i] * nextDiagonal;
        right = -l[i] * nextRight;
      }
    }
    if (Math.abs(pivot) < tiny) pivot = pivot < 0 ? -tiny : tiny;
    u0[length - 1] = pivot;
    u1[length - 1] = 0;
    u2[length - 1] = 0;
  }

  /** x ← (T − shift·I)⁻¹x. */
  solve(x: Float64Array): void {
    const length = this.#length;
    const [u0, u1, u2, l, swapped] = [this.#u0, this.#u1, this.#u2, this.#l, this.#swapped];
    for (let i = 0; i < length - 1; i++) {
      if (swapped[i]) {
        const held = x[i];
        x[i] = x[i + 1];
        x[i + 1] = held - l[i] * x[i];
      } else {
        x[i + 1] -= l[i] * x[i];
      }
    }
    for (let i = length - 1; i >= 0; i--) {
      let value = x[i];
      if (i + 1 < length) value -= u1[i] * x[i + 1];
      if (i + 2 < length) value -= u2[i] * x[i + 2];
      x[i] = value / u0[i];
    }
  }
}

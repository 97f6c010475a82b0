import { orthonormalise } from '../../linalg/orthonormalise.js';
import type { Random } from '../../linalg/random.js';
import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { symmetricEigen } from '../../linalg/symmetric-eigen.js';
import { axpy, norm, scale } from '../../linalg/vector.js';
import { type PassRequest, type PassResult, withPauses } from './rule.js';

/** Random vectors of the power iteration, and its rounds. */
const VECTORS = 4;
const POWER_ROUNDS = 6;

/**
 * Estimates σ₁² by power iteration: v ← Sv/‖Sv‖ for a few random v, and the largest ‖Sv‖ of the last round. The estimate is at
 * most σ₁², and at most a few percent below, which is accurate enough for a step size.
 */
export function* largestVariance(d: number, { normal }: Random): Generator<PassRequest, number, PassResult> {
  const k = Math.min(VECTORS, d);
  let vectors: Float64Array = new Float64Array(k * d).map(normal);
  let largest = 0;
  for (let round = 0; round <= POWER_ROUNDS; round++) {
    largest = 0;
    for (let r = 0; r < k; r++) {
      const length = norm(vectors, r * d, d);
      largest = Math.max(largest, length);
      if (length > 0) scale(1 / length, vectors, r * d, d);
    }
    if (round < POWER_ROUNDS) vectors = (yield { pass: 'normal', vectors, k }).product;
  }
  return largest;
}

/**
 * Vectors per block. The probability that all of a random block have a component along a direction that is thirty times smaller
 * than usual is 30⁻⁴.
 */
const BLOCK_VECTORS = 4;
/** Largest number of blocks. */
const MOST_BLOCKS = 30;
/** A complement of at most this dimension is computed completely. */
const MOST_COMPLETE = 32;
/** Number of projections that make a block orthogonal up to rounding, even if little of it remains: Parlett §6.9. */
const PROJECTION_ROUNDS = 3;

/**
 * The largest variance outside a subspace: the largest eigenvalue of S on the complement of orthonormal rows V, by block Lanczos
 * iteration from a random start. It bounds the variance after the last component. It also shows whether learning has missed a
 * direction with more variance than one that it found, because descent can stop at a saddle point.
 *
 * `bound` is an upper bound on the error: the residual times the factor for a random start (see `Solution.search`). The iteration
 * ends when `enough` returns true.
 */
export function* largestOutside(
  basis: Float64Array,
  k: number,
  d: number,
  rng: Random,
  enough: (value: number, bound: number) => boolean,
): Generator<PassRequest, { readonly value: number; readonly bound: number }, PassResult> {
  const room = d - k;
  const hidden = 30 * Math.sqrt(d / Math.min(BLOCK_VECTORS, room));
  const most = Math.min(room, BLOCK_VECTORS * MOST_BLOCKS);
  const q = new Float64Array(most * d);
  const images = new Float64Array(most * d);
  const projected = new Float64Array(most * most);
  let size = 0;
  let block: Float64Array = new Float64Array(Math.min(BLOCK_VECTORS, room) * d).map(rng.normal);
  for (;;) {
    const count = Math.min(block.length / d, most - size);
    block = block.slice(0, count * d);
    for (let round = 0; round < PROJECTION_ROUNDS; round++) {
      projectOut(block, count, basis, k, d);
      projectOut(block, count, q, size, d);
      yield* withPauses(orthonormalise(block, count, d, rng));
    }
    q.set(block, size * d);
    block = (yield { pass: 'normal', vectors: block, k: count }).product;
    projectOut(block, count, basis, k, d);
    images.set(block, size * d);
    size += count;
    const columns = rowProducts(q, size, block, count, d);
    const square = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let c = 0; c < count; c++) projected[i * most + size - count + c] = columns[i * count + c];
      square.set(projected.subarray(i * most, i * most + size), i * size);
    }
    const { values, vectors } = yield* withPauses(symmetricEigen(square, size, 1));
    const residual = new Float64Array(d);
    addCombination(1, vectors, 1, images, size, d, residual);
    addCombination(-values[0], vectors, 1, q, size, d, residual);
    const whole = size === room;
    const bound = whole ? norm(residual) : hidden * norm(residual);
    // If few dimensions are left, computing all of them is cheaper than bounding the risk of a missed direction.
    const nearly = room <= MOST_COMPLETE || room - size <= 2 * BLOCK_VECTORS;
    if (whole || size === most || (!nearly && enough(values[0], bound)))
      return { value: Math.max(0, values[0]), bound };
  }
}

/** X −= (XVᵀ)V. */
function projectOut(rows: Float64Array, count: number, basis: Float64Array, k: number, d: number): void {
  const inside = rowProducts(rows, count, basis, k, d);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < k; j++) axpy(-inside[i * k + j], basis, j * d, rows, i * d, d);
  }
}

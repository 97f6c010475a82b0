import type { ProgressTracker } from '../../base/progress.js';
import type { Engine } from '../../engines/engine.js';
import { type Random, random } from '../../linalg/random.js';
import { axpy, dot, norm } from '../../linalg/vector.js';

/**
 * Unpredictable random numbers, so that data cannot be constructed that are orthogonal to them. They only decide whether an
 * iteration continues: the same data give the same bits, unless a direction was missed.
 */
export function freshRandom(): Random {
  return random(Math.floor(Math.random() * 2 ** 32));
}

/** Random vectors g, their images Mg for a positive semidefinite matrix M, and the error bound of an image relative to ‖g‖. */
export interface Probe {
  readonly vectors: Float64Array;
  readonly images: Float64Array;
  readonly count: number;
  readonly error: number;
}

/**
 * Searches for eigenvalues of M above a limit t, with random vectors G whose images Y = MG are known. ‖Mg‖²/gᵀMg is the Rayleigh
 * quotient of M at M^½g. If it exceeds t for some g, M has an eigenvalue above t. Such combinations g of G are the eigenvectors
 * of YYᵀ − t·GYᵀ with eigenvalues above zero. Returns their images Mg, which lie close to the eigenvectors of M.
 *
 * An eigenvalue μ far above t is found, except with a tiny probability. Let x be its vector. All |xᵀg| of r normal vectors are
 * below δ with probability (√(2/π)·δ)ʳ; otherwise μ is at most max‖Mg‖/δ. An eigenvalue slightly above t is not found if the rest
 * of M is large: μ(μ − t)·‖Gx‖² must exceed the sum Σ μᵢ(t − μᵢ)·‖Gxᵢ‖² over the eigenvalues below t.
 */
export async function directionsAbove(
  limit: number,
  { vectors, images, count, error }: Probe,
  d: number,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Float64Array> {
  const excess = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      const mixed = dot(vectors, i * d, images, j * d, d) + dot(vectors, j * d, images, i * d, d);
      excess[i * count + j] = dot(images, i * d, images, j * d, d) - (limit * mixed) / 2;
    }
  }
  const { values, vectors: combinations } = await engine.symmetricEigen(excess, count, count, () =>
    progress.yieldToEventLoop(),
  );
  const found: Float64Array[] = [];
  for (let r = 0; r < count && values[r] > 0; r++) {
    const combined = (rows: Float64Array): Float64Array => {
      const out = new Float64Array(d);
      for (let i = 0; i < count; i++) axpy(combinations[r * count + i], rows, i * d, out, 0, d);
      return out;
    };
    const [vector, image] = [combined(vectors), combined(images)];
    // The largest rounding error of both sides. The errors of the images do not cancel when the images do.
    let rounding = 0;
    for (let i = 0; i < count; i++) rounding += error * Math.abs(combinations[r * count + i]) * norm(vectors, i * d, d);
    const length = norm(image);
    const product = Math.max(0, dot(vector, 0, image, 0, d)) + rounding * norm(vector);
    if (length > rounding && (length - rounding) ** 2 > limit * product) found.push(image);
  }
  const rows = new Float64Array(found.length * d);
  found.forEach((row, i) => {
    rows.set(row, i * d);
  });
  return rows;
}

import type { ProgressTracker } from '../../base/progress.js';
import type { Engine } from '../../engines/engine.js';
import { type Random, random } from '../../linalg/random.js';
import { axpy, dot, norm } from '../../linalg/vector.js';

/**
 * Random numbers that nobody can know beforehand, so that no data can be made against them. They decide nothing but whether an iteration
 * goes on: the same data have the same result to the last bit, unless something was missed.
 */
export function freshRandom(): Random {
  return random(Math.floor(Math.random() * 2 ** 32));
}

/** Random vectors g, the images Mg under a positive semidefinite matrix M, and how far off an image may be, relative to ‖g‖. */
export interface Probe {
  readonly vectors: Float64Array;
  readonly images: Float64Array;
  readonly count: number;
  readonly error: number;
}

/**
 * Looks for eigenvalues of M above a limit t, by random vectors G whose images Y = MG are known. ‖Mg‖²/gᵀMg is the Rayleigh quotient of
 * M at M^½g. So there is an eigenvalue above t for certain where one of these is: where YYᵀ − t·GYᵀ has an eigenvalue above zero, at the
 * combination g of G that is its eigenvector. Returns the Mg of all such, which lie close to the eigenvectors that were looked for.
 *
 * An eigenvalue μ far above is found but for a tiny probability. Where x is its vector, all |xᵀg| of r normal vectors are below δ with
 * probability (√(2/π)·δ)ʳ; otherwise μ is at most max‖Mg‖/δ. Not found is one that is above t by little, where the rest of M is large:
 * μ(μ − t)·‖Gx‖² must exceed the Σ μᵢ(t − μᵢ)·‖Gxᵢ‖² of the eigenvalues below t.
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
    // Both sides as far off as rounding allows: that of each image, which does not cancel where they do.
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

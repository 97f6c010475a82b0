import { VectorBlock, type VectorTools } from '../engines/vector-block.js';
import { transpose } from '../linalg/transpose.js';

/** Ritz pairs of a subspace, in descending order of their values. */
export interface RitzVectors {
  /** θ, eigenvalues of T = QSQᵀ. */
  readonly values: Float64Array;
  /** V, orthonormal rows of length d. */
  readonly vectors: Float64Array;
  /** VS. */
  readonly images: Float64Array;
}

/**
 * Rayleigh–Ritz: computes the best approximations to eigenpairs of S in the span of orthonormal rows Q, from Q and the images QS.
 * T = QSQᵀ = UᵀΘU, V = UQ, VS = U(QS). 6·count²·d flops, on the engine.
 */
export async function rayleighRitz(
  basis: Float64Array,
  image: Float64Array,
  count: number,
  d: number,
  tools: VectorTools,
): Promise<RitzVectors> {
  const projected = await VectorBlock.use(basis, count, d, tools, (block) => block.coordinates(image, count));
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      projected[i * count + j] = (projected[i * count + j] + projected[j * count + i]) / 2;
    }
  }
  const { engine, progress } = tools;
  const { values, vectors } = await engine.symmetricEigen(projected, count, count, () => progress.yieldToEventLoop());
  const rotation = transpose(vectors, count, count);
  const rotated = (rows: Float64Array): Promise<Float64Array> =>
    VectorBlock.use(rows, count, d, tools, (block) => block.combine(rotation, count));
  return { values, vectors: await rotated(basis), images: await rotated(image) };
}

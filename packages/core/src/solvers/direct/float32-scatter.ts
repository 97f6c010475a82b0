import { DataChecksum } from '../../data/statistics/checksum.js';
import { keptMatrix, multiplySymmetric, VectorBlock } from '../../engines/vector-block.js';
import { orthonormalise } from '../../linalg/orthonormalise.js';
import { random } from '../../linalg/random.js';
import { axpy, dot, norm } from '../../linalg/vector.js';
import { OVERSAMPLING, PROBES, UNCORRECTED_TOLERANCE } from '../cost-model.js';
import { type RitzVectors, rayleighRitz } from '../rayleigh-ritz.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type ScatterAndRowsProblem, type Solution, type Solver } from '../solver.js';
import { directionsAbove } from './directions-above.js';
import { eigenvalueBound, solveCovariance } from './solve-covariance.js';

/**
 * ‖E‖ is at most CAUTION·√(2/π)·max‖Eg‖ over r random normal vectors g, except with a probability of CAUTION⁻ʳ = 2e-10 (Halko,
 * Martinsson & Tropp 2011, lemma 4.1).
 */
const CAUTION = 4;
/** Residual of the eigenvectors of S̃, relative to the largest eigenvalue, if they are refined afterwards. */
const ROUGH_RESIDUAL = 1e-8;
/** Largest number of conjugate gradient steps of a correction. */
const MOST_STEPS = 40;
/** Conjugate gradients stop when they have reduced the residual to this share. */
const RESIDUAL_LEFT = 1e-6;
/** Residuals below this times θ₁ are rounding errors and are not corrected. */
const ROUNDING_RESIDUAL = 16 * Number.EPSILON;
/** Larger corrections are rejected: S̃ is too far from S, or the gap is too small. */
const LARGEST_CORRECTION = 1e-4;

/** The random vectors that measure the error depend on the data. Otherwise data could be constructed that are orthogonal to them. */
export const refinedSolver: Solver = { needs: 'both', solve: solveRefined, newChecksum: () => new DataChecksum() };

/**
 * Computes eigenvectors of a scatter S̃ that was summed in float32, and refines them by one `normal` pass over the rows until
 * they are as accurate as those of the float64 scatter S. Twice as fast as `covariance` if k ≪ d.
 *
 * The pass also multiplies random vectors, which measures E = S − S̃. If E is within the tolerance, the eigenvectors of S̃ are
 * the result. Otherwise Rayleigh–Ritz on k + 10 of them gives V, Θ and residuals R = SV − VΘ of the size of E. One correction, v
 * += (θ − S̃)⁻¹r on the complement of their span, reduces R to the order of ‖E‖·‖R‖/gap. S times the corrected vectors is SV +
 * S̃δ, up to ‖E‖‖δ‖, which the residuals include. If the result does not reach the tolerance, it is discarded, and the scatter is
 * summed again in float64.
 */
async function solveRefined(problem: ScatterAndRowsProblem): Promise<Solution> {
  const { d, scatter, passes, progress, wanted, scatterTrace, engine, tolerance } = problem;
  const choose = (found: Float64Array): number => {
    const span = countWanted(wanted, found, scatterTrace) + OVERSAMPLING;
    // If the span has half of all dimensions, completing it is cheaper than correcting it.
    return 2 * span >= d ? d : span;
  };
  const loose = tolerance >= UNCORRECTED_TOLERANCE;
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const few = 'count' in wanted ? wanted.count + OVERSAMPLING : d;
  const probes = Float64Array.from({ length: PROBES * d }, random(problem.startSeed).normal);
  // `leadingEigen` runs on a device. If the pass over the rows does not need its result, both run at the same time.
  const measuring = loose && engine.leadingEigen ? passes.normal(probes, PROBES, true) : undefined;
  const finding = engine.leadingEigen?.(
    scatter,
    d,
    few,
    loose ? tolerance / 10 : ROUGH_RESIDUAL,
    onStep,
    problem.startSeed,
    probes,
  );
  // Waits for both, also after an error, so that nothing is left running.
  if (measuring) await Promise.allSettled([finding, measuring]);
  const leading = await finding;
  const { values, vectors, count } = leading
    ? { ...leading, count: few }
    : await engine.symmetricEigen(keptMatrix(engine, scatter), d, choose, onStep);
  const k = countWanted(wanted, values, scatterTrace);
  const rough = leading?.images ?? (await multiplySymmetric(scatter, vectors, count, d, problem));
  const roughProbes = leading?.products ?? (await multiplySymmetric(scatter, probes, PROBES, d, problem));
  const again = async (): Promise<Solution> => {
    const exact = await solveCovariance({ ...problem, scatter: await passes.gram() });
    return { ...exact, passes: exact.passes + 2 };
  };

  const asked = tolerance * values[0];
  const taken = loose ? 0 : count;
  const together = new Float64Array((PROBES + taken) * d);
  together.set(probes);
  together.set(vectors.subarray(0, taken * d), PROBES * d);
  const image = await (measuring ?? passes.normal(together, PROBES + taken, true));
  // Subspace iteration may have missed a direction. If all eigenvalues were computed, none was missed.
  if (leading && (await missedDirection(vectors, count, values, probes, image, problem))) return await again();
  let error = 0;
  for (let i = 0; i < PROBES; i++) {
    axpy(-1, roughProbes, i * d, image, i * d, d);
    error = Math.max(error, norm(image, i * d, d));
  }
  error *= CAUTION * Math.sqrt(2 / Math.PI);
  if (loose) {
    const residuals = Float64Array.from({ length: k }, (_, r) => {
      axpy(-values[r], vectors, r * d, rough, r * d, d);
      return norm(rough, r * d, d) + error;
    });
    if (residuals.every((residual) => residual <= asked)) {
      const basis = vectors.slice(0, k * d);
      const next = nextValue(values, k, problem, eigenvalueBound(problem, values[0]) + error);
      const defect = await defectOf(basis, k, d, problem);
      return { k, basis, defect, values: values.slice(0, k), residuals, next, converged: true, passes: 2 };
    }
  }

  const exact = loose ? await passes.normal(vectors, count, true) : image.subarray(PROBES * d);
  const ritz = await rayleighRitz(vectors, exact, count, d, problem);
  // One pair more than wanted, for the eigenvalue after the last one.
  const pairs = Math.min(count, k + 1);
  const good = (found: Pairs): boolean => found.residuals.subarray(0, k).every((residual) => residual <= asked);
  let found: Pairs | undefined = uncorrected(ritz, pairs, d);
  if (!good(found)) found = await correct(problem, vectors, ritz, count, pairs, k, error);
  if (!found || !good(found)) return await again();
  const after = pairs > k ? eigenvalueBound(problem, values[0]) + found.residuals[k] : 0;
  return {
    k,
    basis: found.basis.slice(0, k * d),
    values: found.values.slice(0, k),
    residuals: found.residuals.slice(0, k),
    next: nextValue(found.values, k, problem, after),
    rayleigh: found.rayleigh,
    converged: true,
    passes: loose ? 3 : 2,
  };
}

/**
 * Returns true if a direction that subspace iteration missed has more variance than the last vector that it found. The random
 * vectors that measure the error show it, in the complement of the vectors that were found.
 */
async function missedDirection(
  found: Float64Array,
  count: number,
  values: Float64Array,
  probes: Float64Array,
  image: Float64Array,
  problem: ScatterAndRowsProblem,
): Promise<boolean> {
  const { d, engine, progress } = problem;
  const vectors = probes.slice();
  const images = image.slice(0, PROBES * d);
  for (const rows of [vectors, images])
    await VectorBlock.use(found, count, d, problem, (span) => span.remove(rows, PROBES));
  // The error of the vectors that were found appears in the images as a part outside of their span.
  const error = UNCORRECTED_TOLERANCE * values[0];
  const probe = { vectors, images, count: PROBES, error };
  return (await directionsAbove(values[count - 1] + error, probe, d, engine, progress)).length > 0;
}

/** max |VVᵀ − I| of k rows V, on the engine. */
async function defectOf(rows: Float64Array, k: number, d: number, problem: ScatterAndRowsProblem): Promise<number> {
  const products = await VectorBlock.use(rows, k, d, problem, (block) => block.products());
  let defect = 0;
  for (let i = 0; i < k; i++) {
    for (let j = i; j < k; j++) defect = Math.max(defect, Math.abs(products[i * k + j] - (i === j ? 1 : 0)));
  }
  return defect;
}

/** Eigenpairs and their residuals. */
interface Pairs {
  readonly basis: Float64Array;
  readonly values: Float64Array;
  readonly residuals: Float64Array;
  /** True if the values are Rayleigh quotients up to rounding. */
  readonly rayleigh: boolean;
}

/** The first k Ritz pairs of the float32 eigenvectors, with residuals measured in float64. */
function uncorrected(ritz: RitzVectors, k: number, d: number): Pairs {
  const basis = ritz.vectors.slice(0, k * d);
  const values = ritz.values.slice(0, k);
  return { basis, values, residuals: residualNorms(ritz.images.slice(0, k * d), basis, values, k, d), rayleigh: true };
}

/**
 * Corrects the first k Ritz pairs once. Returns undefined if a correction of the first `needed` pairs does not converge. The
 * other pairs stay uncorrected if they cannot be corrected, because the span cuts through a cluster.
 */
async function correct(
  problem: ScatterAndRowsProblem,
  span: Float64Array,
  ritz: RitzVectors,
  count: number,
  k: number,
  needed: number,
  error: number,
): Promise<Pairs | undefined> {
  const { d, scatter, progress } = problem;
  const outside = (rows: Float64Array): Promise<void> =>
    VectorBlock.use(span, count, d, problem, (found) => found.remove(rows, k));
  // Conjugate gradients on (θ − S̃)δ = r in the complement of the span, for all pairs at once.
  const rest = ritz.images.slice(0, k * d);
  for (let r = 0; r < k; r++) axpy(-ritz.values[r], ritz.vectors, r * d, rest, r * d, d);
  await outside(rest);
  const corrections = new Float64Array(k * d);
  const directions = rest.slice();
  const squares = Float64Array.from({ length: k }, (_, r) => dot(rest, r * d, rest, r * d, d));
  // Below this residual, or if the span is ℝᵈ, conjugate gradients would follow rounding errors.
  const floor = count === d ? Number.POSITIVE_INFINITY : (ROUNDING_RESIDUAL * ritz.values[0]) ** 2;
  const enough = squares.map((square) => Math.max(square * RESIDUAL_LEFT * RESIDUAL_LEFT, floor));
  const open = (): boolean => squares.some((square, r) => square > enough[r]);
  for (let step = 0; step < MOST_STEPS && open(); step++) {
    const products = await multiplySymmetric(scatter, directions, k, d, problem);
    for (let i = 0; i < products.length; i++) products[i] = -products[i];
    for (let r = 0; r < k; r++) axpy(ritz.values[r], directions, r * d, products, r * d, d);
    await outside(products);
    for (let r = 0; r < k; r++) {
      if (squares[r] <= enough[r]) continue;
      const curvature = dot(directions, r * d, products, r * d, d);
      if (!(curvature > 0)) {
        if (r < needed) return undefined;
        squares[r] = 0;
        continue;
      }
      const length = squares[r] / curvature;
      axpy(length, directions, r * d, corrections, r * d, d);
      axpy(-length, products, r * d, rest, r * d, d);
      const square = dot(rest, r * d, rest, r * d, d);
      for (let j = r * d; j < (r + 1) * d; j++) directions[j] = rest[j] + (square / squares[r]) * directions[j];
      squares[r] = square;
    }
  }
  const sizes = Float64Array.from({ length: k }, (_, r) => norm(corrections, r * d, d));
  if (!sizes.subarray(0, needed).every((size) => size <= LARGEST_CORRECTION)) return undefined;
  for (let r = needed; r < k; r++) {
    if (sizes[r] <= LARGEST_CORRECTION) continue;
    corrections.fill(0, r * d, (r + 1) * d);
    sizes[r] = 0;
  }
  const moved = await multiplySymmetric(scatter, corrections, k, d, problem);
  const basis = ritz.vectors.slice(0, k * d);
  const images = ritz.images.slice(0, k * d);
  for (let i = 0; i < k * d; i++) {
    basis[i] += corrections[i];
    images[i] += moved[i];
  }
  await orthonormaliseNearly(basis, images, k, d, problem);
  await progress.follow(orthonormalise(basis, k, d, random(problem.seed)));
  const values = new Float64Array(k);
  const residuals = new Float64Array(k);
  for (let r = 0; r < k; r++) {
    values[r] = dot(basis, r * d, images, r * d, d);
    axpy(-values[r], basis, r * d, images, r * d, d);
    residuals[r] = norm(images, r * d, d) + error * sizes[r];
  }
  return { basis, values, residuals, rayleigh: false };
}

/**
 * Makes nearly orthonormal rows orthonormal, and transforms their images in the same way: V ← (3I − VVᵀ)V/2. A defect of δ
 * becomes δ².
 */
async function orthonormaliseNearly(
  basis: Float64Array,
  images: Float64Array,
  k: number,
  d: number,
  problem: ScatterAndRowsProblem,
): Promise<void> {
  const overlap = await VectorBlock.use(basis, k, d, problem, (span) => span.coordinates(basis, k));
  for (let i = 0; i < k; i++) overlap[i * k + i] -= 1;
  for (const rows of [basis, images]) {
    const excess = await VectorBlock.use(rows, k, d, problem, (span) => span.combine(overlap, k));
    for (let i = 0; i < k * d; i++) rows[i] -= excess[i] / 2;
  }
}

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
import { byScatter, eigenvalueBound } from './solve-covariance.js';

/**
 * ‖E‖ is at most CAUTION·√(2/π)·max‖Eg‖ over r random normal vectors g, but for a probability of CAUTION⁻ʳ (Halko,
 * Martinsson & Tropp 2011, lemma 4.1): 2e-10 here.
 */
const CAUTION = 4;
/** Residual, relative to the largest eigenvalue, to which eigenvectors of S̃ are found where they are refined afterwards. */
const ROUGH = 1e-8;
/** Conjugate gradient steps that a correction may take. */
const STEPS = 40;
/** Share of the residual that a correction may leave, besides the error of S̃ itself. */
const RESIDUAL_LEFT = 1e-6;
/** Residuals of this times θ₁ are rounding: there is nothing to correct. */
const ROUNDING = 16 * Number.EPSILON;
/** Larger corrections are not used: S̃ was too far from S, or the gap too small. */
const LARGEST_CORRECTION = 1e-4;

/** The vectors that measure the error depend on the data, so that no data can be constructed to be orthogonal to all of them. */
export const refinedSolver: Solver = { needs: 'both', solve: solveRefined, newChecksum: () => new DataChecksum() };

/**
 * Eigenvectors of a scatter S̃ that was summed in float32, made as good as those of the float64 scatter S by one `normal`
 * pass over the rows. Twice as fast as `covariance` where that pass is cheap, k ≪ d.
 *
 * The pass also multiplies random vectors, which measures E = S − S̃. Where E is within the tolerance, S̃'s own
 * eigenvectors are the result. Otherwise Rayleigh–Ritz on k + 10 of them gives V, Θ and residuals R = SV − VΘ of the size
 * of E, and one step of correction, v += (θ − S̃)⁻¹r on the complement of their span, makes these of the order of
 * ‖E‖·‖R‖/gap. S times the corrected vectors is SV + S̃δ, known up to ‖E‖‖δ‖, which the residuals include. A result
 * that does not meet the tolerance is discarded, and the scatter is summed again in float64.
 */
async function solveRefined(problem: ScatterAndRowsProblem): Promise<Solution> {
  const { d, scatter, passes, progress, wanted, scatterTrace, engine, tolerance } = problem;
  const choose = (found: Float64Array): number => {
    const span = countWanted(wanted, found, scatterTrace) + OVERSAMPLING;
    // A span of half of all dimensions is cheaper to complete than to correct.
    return 2 * span >= d ? d : span;
  };
  const loose = tolerance >= UNCORRECTED_TOLERANCE;
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const few = 'count' in wanted ? wanted.count + OVERSAMPLING : d;
  const probes = Float64Array.from({ length: PROBES * d }, random(problem.startSeed).normal);
  // An engine that finds few eigenvectors does so on a device: where the pass over the rows needs none of them, it runs beside that.
  const measuring = loose && engine.leadingEigen ? passes.normal(probes, PROBES, true) : undefined;
  const finding = engine.leadingEigen?.(
    scatter,
    d,
    few,
    loose ? tolerance / 10 : ROUGH,
    onStep,
    problem.startSeed,
    probes,
  );
  // Also after an error both are waited for: nothing is left running.
  if (measuring) await Promise.allSettled([finding, measuring]);
  const leading = await finding;
  const { values, vectors, count } = leading
    ? { ...leading, count: few }
    : await engine.symmetricEigen(keptMatrix(engine, scatter), d, choose, onStep);
  const k = countWanted(wanted, values, scatterTrace);
  const rough = leading?.images ?? (await multiplySymmetric(scatter, vectors, count, d, problem));
  const roughProbes = leading?.products ?? (await multiplySymmetric(scatter, probes, PROBES, d, problem));
  const again = async (): Promise<Solution> => {
    const exact = await byScatter({ ...problem, scatter: await passes.gram() });
    return { ...exact, passes: exact.passes + 2 };
  };

  const asked = tolerance * values[0];
  const taken = loose ? 0 : count;
  const together = new Float64Array((PROBES + taken) * d);
  together.set(probes);
  together.set(vectors.subarray(0, taken * d), PROBES * d);
  const image = await (measuring ?? passes.normal(together, PROBES + taken, true));
  // Where all eigenvalues were computed, none can have been missed.
  if (leading && (await missesMore(vectors, count, values, probes, image, problem))) return await again();
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
  // One pair more than is wanted, for the eigenvalue after the last.
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
 * Whether a direction has more variance than the last of the vectors that subspace iteration found, from a random start. The random vectors
 * that measure the error see it in the complement of those that were found.
 */
async function missesMore(
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
  // What the vectors that were found are off by comes back in the images, as part of what is outside them.
  const error = UNCORRECTED_TOLERANCE * values[0];
  const probe = { vectors, images, count: PROBES, error };
  return (await directionsAbove(values[count - 1] + error, probe, d, engine, progress)).length > 0;
}

/** max |VVᵀ − I| of k rows, by the engine. */
async function defectOf(rows: Float64Array, k: number, d: number, problem: ScatterAndRowsProblem): Promise<number> {
  const products = await VectorBlock.use(rows, k, d, problem, (block) => block.products());
  let defect = 0;
  for (let i = 0; i < k; i++) {
    for (let j = i; j < k; j++) defect = Math.max(defect, Math.abs(products[i * k + j] - (i === j ? 1 : 0)));
  }
  return defect;
}

/** Eigenpairs and the error of each. */
interface Pairs {
  readonly basis: Float64Array;
  readonly values: Float64Array;
  readonly residuals: Float64Array;
  /** Whether the values are Rayleigh quotients, to rounding. */
  readonly rayleigh: boolean;
}

/** The first k Ritz pairs: what float32 gives, measured exactly. */
function uncorrected(ritz: RitzVectors, k: number, d: number): Pairs {
  const basis = ritz.vectors.slice(0, k * d);
  const values = ritz.values.slice(0, k);
  return { basis, values, residuals: residualNorms(ritz.images.slice(0, k * d), basis, values, k, d), rayleigh: true };
}

/**
 * The first k Ritz pairs, each corrected once; undefined where the corrections of the first `needed` do not converge. One
 * beyond those stays as it is where it cannot be corrected: in a cluster that the span cuts through.
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
  // Conjugate gradients on (θ − S̃)δ = r for all pairs side by side, within the complement of the span.
  const rest = ritz.images.slice(0, k * d);
  for (let r = 0; r < k; r++) axpy(-ritz.values[r], ritz.vectors, r * d, rest, r * d, d);
  await outside(rest);
  const corrections = new Float64Array(k * d);
  const directions = rest.slice();
  const squares = Float64Array.from({ length: k }, (_, r) => dot(rest, r * d, rest, r * d, d));
  // Below rounding, and where the span is all there is, conjugate gradients would chase noise.
  const floor = count === d ? Number.POSITIVE_INFINITY : (ROUNDING * ritz.values[0]) ** 2;
  const enough = squares.map((square) => Math.max(square * RESIDUAL_LEFT * RESIDUAL_LEFT, floor));
  const open = (): boolean => squares.some((square, r) => square > enough[r]);
  for (let step = 0; step < STEPS && open(); step++) {
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

/** Rows that are orthonormal but for δδᵀ become so to its square: V ← (3I − VVᵀ)V/2, and their images with them. */
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

import { DataChecksum } from '../../data/statistics/checksum.js';
import { random } from '../../linalg/random.js';
import { dot, hypotenuse, norm } from '../../linalg/vector.js';
import { OVERSAMPLING } from '../cost-model.js';
import { residualNorms } from '../residuals.js';
import {
  countWanted,
  type Problem,
  type RowsProblem,
  type Solution,
  type Solver,
  type WantedComponents,
} from '../solver.js';
import { directionsAbove, freshRandom } from './directions-above.js';
import { KrylovSpace, type Ritz } from './krylov-space.js';
import { ResidualSchedule } from './residual-schedule.js';

/** Block size if the number of components is not known before the fit. */
const GROWING_BLOCK = 20;
/** Size of a narrow block: reading a cache line of eight numbers takes as long as reading one number. */
const NARROW_BLOCK = 8;
/** Size of a medium block, as a share of a wide one. It was the fastest on dense data in memory. */
const MIDDLE_SHARE = 0.4;
/**
 * Largest number of passes with wide blocks: several times what the slowest spectra need. The solver fails if it has not
 * converged by then.
 */
const MOST_PASSES = 500;
/**
 * Number of wide blocks before a restart, if memory allows. More blocks converge in fewer passes, but orthogonalisation costs
 * more.
 */
const BLOCKS_BEFORE_RESTART = 12;
/** Largest number of entries of the basis: 512 MB. */
const MOST_NUMBERS = 1 << 26;
/** If d is at most this number of blocks, the space grows until it is ℝᵈ. */
const WHOLE_SPACE_BLOCKS = 3;
/** Estimated residuals must reach this share of the tolerance, because measured residuals differ from them by rounding. */
const ESTIMATE_MARGIN = 0.9;
/**
 * Number of fresh random vectors that search for missed directions. The probability that all of them have a ten times smaller
 * component along a direction than usual is 1e-9.
 */
const FRESH_VECTORS = 8;
/** Largest number of times that a space is extended by missed directions. A random start misses none. */
const MOST_WIDENED = 10;
/** Above this tolerance, speed matters more than the last digits. */
const LOOSE_TOLERANCE = 1e-8;

/** The random start depends on the data. Otherwise data could be constructed that are orthogonal to it. */
export const krylovSolver: Solver = { needs: 'rows', solve: solveKrylov, newChecksum: () => new DataChecksum() };

/**
 * Randomised block Lanczos with full reorthogonalisation and thick restarts: the space spanned by G, SG, S²G, … for a random
 * block G (Musco & Musco 2015). It takes one `normal` pass per block, and stops when every wanted Ritz pair has ‖Sv − θv‖ ≤
 * tolerance·θ₁.
 *
 * Let Q be the basis and T = QᵀSQ. The Ritz pairs are (θ, Qs) for eigenpairs (θ, s) of T. Their residuals depend only on the last
 * block, so they are estimated without a pass. For a fraction of the variance, Q grows until the sum of the converged Ritz values
 * reaches it. 4·n·d·block flops per pass, memory for the basis, never d × d.
 *
 * Wide blocks need fewer passes. Narrow blocks need fewer vectors in total, because a space of the same size contains polynomials
 * of higher degree. So blocks are narrow if the cost of a pass grows with the number of vectors, and wide if reading the rows
 * dominates.
 *
 * A block of b vectors finds at most b equal eigenvalues. If it finds b of them, and more are wanted, there may be further ones:
 * the solver starts again with a wide block. The iteration does not find an eigenvector that is orthogonal to G: see
 * `finishRitz`.
 */
export async function solveKrylov(problem: RowsProblem): Promise<Solution> {
  const { d, passes, wanted, progress } = problem;
  const wide = Math.min(d, 'count' in wanted ? wanted.count + Math.min(OVERSAMPLING, wanted.count + 2) : GROWING_BLOCK);
  const rng = random(problem.startSeed);
  let [spent, block, widened] = [0, blockFor(passes, wide), 0];
  for (;;) {
    const space = new KrylovSpace(d, rng, problem.engine);
    try {
      await space.append(block, progress);
      for (;;) {
        const found = await converge(problem, space, block, wide);
        spent += found.pass;
        if (found.believed && space.size < d && mayHideMore(found.ritz.values, found.k, block, problem)) {
          block = Math.min(d, found.k + OVERSAMPLING);
          break;
        }
        const { solution, missed } = await finishRitz(problem, space, found, block, spent++);
        if (missed.length === 0) return solution;
        if (!found.believed || widened++ === MOST_WIDENED) return withMissedDirection(solution, problem);
        await space.widen(missed, progress);
      }
    } finally {
      space.release();
    }
  }
}

function blockFor({ costs }: RowsProblem['passes'], wide: number): number {
  if (costs === 'readings') return wide;
  return Math.min(wide, costs === 'vectors' ? NARROW_BLOCK : Math.max(NARROW_BLOCK, Math.ceil(MIDDLE_SHARE * wide)));
}

/**
 * Ritz pairs. The solver needs the first k. `believed` is true if their estimated residuals are small enough. `pass` is the number of
 * passes.
 */
interface Converged {
  readonly ritz: Ritz;
  readonly k: number;
  readonly believed: boolean;
  readonly pass: number;
}

/** Grows the space until the wanted Ritz pairs have converged. Restarts it when it gets too large. */
async function converge(problem: RowsProblem, space: KrylovSpace, block: number, wide: number): Promise<Converged> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const mostPasses = MOST_PASSES * Math.max(1, Math.round(wide / block));
  const checks = new ResidualSchedule();
  let most = Number.POSITIVE_INFINITY;
  for (let pass = 1; ; pass++) {
    await space.expand(await passes.normal(space.lastBlock(), space.lastCount), progress);
    const whole = space.size === d;
    const last = whole || pass === mostPasses;
    const crowded = space.size + space.lastCount > most && most < d;
    if (last || crowded || checks.due(pass)) {
      const ritz = await space.ritz(progress, (values) =>
        whole || canHold(wanted, values, scatterTrace) ? countWanted(wanted, values, scatterTrace) + 1 : 0,
      );
      const enough = ritz.residuals.length > 0;
      const k = Math.min(d, countWanted(wanted, ritz.values, scatterTrace));
      // Completing a space that is nearly ℝᵈ is cheaper than checking it.
      const nearly = !whole && d <= WHOLE_SPACE_BLOCKS * block;
      const excess = enough ? residualExcess(ritz, k, problem) : Number.POSITIVE_INFINITY;
      if (whole || (!nearly && excess <= 1)) return { ritz, k, believed: true, pass };
      if (last) return { ritz, k, believed: false, pass };
      checks.note(pass, excess);
      if (enough) {
        most = Math.max(k + 3 * block, Math.min(k + BLOCKS_BEFORE_RESTART * wide, Math.floor(MOST_NUMBERS / d)));
        if (space.size + space.lastCount > most && most < d) {
          await space.restart(Math.min(k + wide, Math.floor((k + most) / 2), space.size), progress);
        }
      }
    }
    await space.append(Math.min(space.lastCount, d - space.size), progress);
  }
}

/**
 * Returns true if eigenvalues may have been missed because they are equal to some that were found: a block of b ≤ k vectors has
 * found b equal ones. Eigenvalues within `search` residuals count as equal.
 */
function mayHideMore(values: Float64Array, k: number, block: number, { d, tolerance }: Problem): boolean {
  if (block > k) return false;
  const near = searchFactor(d, block) * tolerance * values[0];
  for (let i = 0; i + block - 1 <= k; i++) if (values[i] - values[i + block - 1] <= near) return true;
  return false;
}

/** See `Solution.search`. */
function searchFactor(d: number, block: number): number {
  return 30 * Math.sqrt(d / block);
}

/** Returns true if there are enough Ritz values for the wanted count, or if their sum reaches the wanted variance. */
function canHold(wanted: WantedComponents, values: Float64Array, scatterTrace: number): boolean {
  if ('count' in wanted) return values.length >= wanted.count;
  return values.reduce((sum, value) => sum + value, 0) >= wanted.fraction * scatterTrace * (1 - 1e-13);
}

/**
 * The worst residual, as a multiple of the allowed one. The k pairs must reach the tolerance, and the next pair must be accurate
 * enough to know the gap. If the gap is smaller than the tolerance, an eigenvalue in the gap could be missed. The residuals must
 * then be as small as rounding, unless the tolerance is loose.
 */
function residualExcess(ritz: Ritz, k: number, { tolerance, roundoff }: Problem): number {
  const largest = ritz.values[0];
  const allowed = ESTIMATE_MARGIN * tolerance * largest;
  let excess = 0;
  for (let i = 0; i < k; i++) excess = Math.max(excess, excessRatio(ritz.residuals[i], allowed));
  if (ritz.residuals.length <= k) return excess;
  const gap = ritz.values[k - 1] - ritz.values[k];
  const floor = tolerance > LOOSE_TOLERANCE ? allowed : Math.min(allowed, Math.max(roundoff, 1e-14 * largest));
  return Math.max(excess, excessRatio(ritz.residuals[k], Math.max(floor, 0.1 * gap)));
}

/** residual/allowed. Both may be 0; NaN gives Infinity. */
function excessRatio(residual: number, allowed: number): number {
  if (residual <= allowed) return Math.min(1, residual / allowed || 0);
  return allowed > 0 && residual > allowed ? residual / allowed : Number.POSITIVE_INFINITY;
}

/**
 * Makes a solution from the Ritz vectors. One more pass measures their residuals. Also returns directions outside the space that
 * have more variance than the bounds of the solution allow.
 *
 * The iteration does not find an eigenvector that is orthogonal to its start. If the rest of the trace is too small for another
 * component, none can have been missed. Otherwise the same pass multiplies a few fresh random vectors, which show missed
 * directions.
 */
async function finishRitz(
  problem: RowsProblem,
  space: KrylovSpace,
  { ritz, k, believed }: Converged,
  block: number,
  passes: number,
): Promise<{ readonly solution: Solution; readonly missed: Float64Array }> {
  const { d, progress, scatterTrace, roundoff } = problem;
  const basis = await space.vectors(ritz, k, progress);
  const search = space.size === d ? 1 : searchFactor(d, block);
  const known = ritz.residuals.length > k;
  const value = known ? Math.max(0, ritz.values[k]) : 0;
  // The variance outside the space, which bounds every eigenvalue outside of it.
  const outside = scatterTrace - ritz.values.reduce((sum, each) => sum + each, 0);
  const probed = space.size < d && outside > value + roundoff;
  const count = probed ? Math.min(FRESH_VECTORS, d - space.size) : 0;
  const vectors = new Float64Array(count * d).map(freshRandom().normal);
  if (probed) await space.remove(vectors, count, progress);
  const together = new Float64Array((k + count) * d);
  together.set(basis);
  together.set(vectors, k * d);
  const images = await problem.passes.normal(together, k + count, true);
  const image = images.slice(0, k * d);
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, basis, r * d, d));
  // The rest of the trace is an upper bound on every eigenvalue that was not found.
  const left = restOfTrace(values, problem);
  const bound = known ? Math.min(ritz.residuals[k] + roundoff, Math.max(roundoff, left - value)) : left;
  const residuals = residualNorms(image, basis, values, k, d);
  const solution: Solution = {
    k,
    basis,
    values,
    residuals,
    next: k >= d ? undefined : { value, bound },
    rayleigh: true,
    search,
    // The measured residuals confirm the estimated ones.
    converged: believed && residuals.every((residual) => residual <= problem.tolerance * values[0]),
    passes: passes + 1,
  };
  if (!probed) return { solution, missed: new Float64Array(0) };
  const seen = images.subarray(k * d);
  await space.remove(seen, count, progress);
  const probe = { vectors, images: seen, count, error: roundoff };
  const missed = await directionsAbove(allowedOutside(solution) + roundoff, probe, d, problem.engine, progress);
  return { solution, missed };
}

/** The largest variance of a direction outside the space that is consistent with the bounds of a solution: see `certify`. */
function allowedOutside({ k, values, residuals, next, search = 1 }: Solution): number {
  const after = next ? next.value + search * next.bound : 0;
  return after < values[k - 1] ? after : values[k - 1] + search * hypotenuse(norm(residuals), next?.bound ?? 0);
}

function restOfTrace(values: Float64Array, { scatterTrace, roundoff }: Problem): number {
  return Math.max(0, scatterTrace - values.reduce((sum, value) => sum + value, 0)) + roundoff;
}

/** Marks a solution that is known to have missed a direction. Every eigenvalue may be as large as the rest of the trace allows. */
function withMissedDirection(solution: Solution, problem: Problem): Solution {
  const { values, residuals, next } = solution;
  const left = restOfTrace(values, problem);
  const above = values.map((value) => Math.max(0, left - value) + norm(residuals));
  return {
    ...solution,
    next: next && { value: next.value, bound: Math.max(next.bound, left) },
    bracket: { above, below: norm(residuals) },
    converged: false,
  };
}

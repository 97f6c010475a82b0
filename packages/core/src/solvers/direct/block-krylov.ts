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

/** Block when the number of components is not known beforehand. */
const GROWING_BLOCK = 20;
/** Width of a narrow block: reading a cache line of eight numbers costs as much as reading one of them. */
const NARROW = 8;
/** Share of a wide block where both costs count: it was the fastest on dense data in memory. */
const MIDDLE_SHARE = 0.4;
/** Most readings of the data with wide blocks: several times what the slowest spectra need. Not converging by then is an error. */
const MOST_PASSES = 500;
/** Wide blocks kept before a restart, memory allowing: more converge in fewer passes, and cost more to keep orthogonal. */
const BLOCKS = 12;
/** Numbers the basis may hold: 512 MB. */
const MOST_NUMBERS = 1 << 26;
/** Where d is no more than this many blocks, the space grows until it is all of ℝᵈ. */
const WHOLE_SPACE_BLOCKS = 3;
/** Share of the tolerance that estimated residuals must reach: measured residuals differ from them by rounding. */
const ESTIMATE_MARGIN = 0.9;
/** Fresh random vectors that look for what was missed: all of them miss a direction by ten times the usual once in 10⁹. */
const PROBES = 8;
/** Most times that a space is widened by directions which it has missed: a random start misses none. */
const MOST_WIDENED = 10;
/** With a tolerance above this, speed matters more than the last digit. */
const LOOSE = 1e-8;

/** The random start depends on the data, so that no data can be constructed to be orthogonal to every start. */
export const krylovSolver: Solver = { needs: 'rows', solve: solveKrylov, newChecksum: () => new DataChecksum() };

/**
 * Randomised block Lanczos with full reorthogonalisation and thick restarts: the space spanned by G, SG, S²G, … for a
 * random block G (Musco & Musco 2015), one `normal` pass per block, until every wanted Ritz pair has
 * ‖Sv − θv‖ ≤ tolerance·θ₁.
 *
 * With Q the basis and T = QᵀSQ, the Ritz pairs are (θ, Qs) for eigenpairs of T, and their residual is that of the last
 * block alone, so it is known without a pass. For a fraction of the variance, Q grows until the converged Ritz
 * values sum to it: no full decomposition. 4·n·d·block flops per pass; memory for the basis, never d × d.
 *
 * A wide block takes fewer passes, a narrow one fewer vectors in all: a space of the same size has a polynomial of higher
 * degree. So blocks are narrow where the cost of a pass grows with the number of vectors, and wide where reading the rows dominates.
 *
 * A block finds no more equal eigenvalues than it has vectors, and finds that many if they are there. So where a block
 * narrower than what is wanted has found as many equal ones as it has vectors, the solver starts again with a wide block. Nor does it find an
 * eigenvector that is orthogonal to G: see `finishRitz`.
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
        if (!found.believed || widened++ === MOST_WIDENED) return openAbove(solution, problem);
        await space.widen(missed, progress);
      }
    } finally {
      space.release();
    }
  }
}

function blockFor({ costs }: RowsProblem['passes'], wide: number): number {
  if (costs === 'readings') return wide;
  return Math.min(wide, costs === 'vectors' ? NARROW : Math.max(NARROW, Math.ceil(MIDDLE_SHARE * wide)));
}

/** Ritz pairs of which the first k are wanted, whether their residuals are small enough, and the passes that they took. */
interface Converged {
  readonly ritz: Ritz;
  readonly k: number;
  readonly believed: boolean;
  readonly pass: number;
}

/** Grows the space from its last block on, and restarts it where it gets too large, until what is wanted has converged. */
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
      // A space that is nearly all of ℝᵈ is cheaper to complete than to check.
      const nearly = !whole && d <= WHOLE_SPACE_BLOCKS * block;
      const excess = enough ? residualExcess(ritz, k, problem) : Number.POSITIVE_INFINITY;
      if (whole || (!nearly && excess <= 1)) return { ritz, k, believed: true, pass };
      if (last) return { ritz, k, believed: false, pass };
      checks.note(pass, excess);
      if (enough) {
        most = Math.max(k + 3 * block, Math.min(k + BLOCKS * wide, Math.floor(MOST_NUMBERS / d)));
        if (space.size + space.lastCount > most && most < d) {
          await space.restart(Math.min(k + wide, Math.floor((k + most) / 2), space.size), progress);
        }
      }
    }
    await space.append(Math.min(space.lastCount, d - space.size), progress);
  }
}

/**
 * Whether eigenvalues may have been missed because they are equal to some that were found: only where a block narrower than
 * what is wanted has found as many equal ones as it has vectors. Equal is what lies within `search` residuals.
 */
function mayHideMore(values: Float64Array, k: number, block: number, { d, tolerance }: Problem): boolean {
  if (block > k) return false;
  const near = searchOf(d, block) * tolerance * values[0];
  for (let i = 0; i + block - 1 <= k; i++) if (values[i] - values[i + block - 1] <= near) return true;
  return false;
}

/** See `Solution.search`. */
function searchOf(d: number, block: number): number {
  return 30 * Math.sqrt(d / block);
}

/** Whether the Ritz values found so far can hold the wanted variance at all. */
function canHold(wanted: WantedComponents, values: Float64Array, scatterTrace: number): boolean {
  if ('count' in wanted) return values.length >= wanted.count;
  return values.reduce((sum, value) => sum + value, 0) >= wanted.fraction * scatterTrace * (1 - 1e-13);
}

/**
 * How many times larger than allowed the worst residual is: all k pairs to the tolerance, and the one after them well enough
 * to know the gap. Where the gap is smaller than the tolerance an eigenvalue in it could be missed, so the residuals go
 * down to rounding before the result is accepted, unless a loose tolerance was given.
 */
function residualExcess(ritz: Ritz, k: number, { tolerance, roundoff }: Problem): number {
  const largest = ritz.values[0];
  const allowed = ESTIMATE_MARGIN * tolerance * largest;
  let excess = 0;
  for (let i = 0; i < k; i++) excess = Math.max(excess, excessRatio(ritz.residuals[i], allowed));
  if (ritz.residuals.length <= k) return excess;
  const gap = ritz.values[k - 1] - ritz.values[k];
  const floor = tolerance > LOOSE ? allowed : Math.min(allowed, Math.max(roundoff, 1e-14 * largest));
  return Math.max(excess, excessRatio(ritz.residuals[k], Math.max(floor, 0.1 * gap)));
}

/** residual/allowed, where both may be 0; NaN counts as not allowed. */
function excessRatio(residual: number, allowed: number): number {
  if (residual <= allowed) return Math.min(1, residual / allowed || 0);
  return allowed > 0 && residual > allowed ? residual / allowed : Number.POSITIVE_INFINITY;
}

/**
 * The Ritz vectors as a solution, their residuals measured by one more pass over the data; and directions outside the space that have
 * more variance than the solution allows for.
 *
 * The iteration finds no eigenvector that is orthogonal to its start. That the rest of the trace is too small for another one is certain.
 * Where it is not, the same pass multiplies a few fresh random vectors, which see what the space has missed.
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
  const search = space.size === d ? 1 : searchOf(d, block);
  const known = ritz.residuals.length > k;
  const value = known ? Math.max(0, ritz.values[k]) : 0;
  // All that is outside the space, which no eigenvalue there can exceed.
  const outside = scatterTrace - ritz.values.reduce((sum, each) => sum + each, 0);
  const probed = space.size < d && outside > value + roundoff;
  const count = probed ? Math.min(PROBES, d - space.size) : 0;
  const vectors = new Float64Array(count * d).map(freshRandom().normal);
  if (probed) await space.remove(vectors, count, progress);
  const together = new Float64Array((k + count) * d);
  together.set(basis);
  together.set(vectors, k * d);
  const images = await problem.passes.normal(together, k + count, true);
  const image = images.slice(0, k * d);
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, basis, r * d, d));
  // The rest of the trace bounds every eigenvalue that was not found.
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
    // The residuals that the iteration estimates are confirmed with the data.
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

/** The most variance that a direction outside the space may have where the bounds of a solution are true: see `certify`. */
function allowedOutside({ k, values, residuals, next, search = 1 }: Solution): number {
  const after = next ? next.value + search * next.bound : 0;
  return after < values[k - 1] ? after : values[k - 1] + search * hypotenuse(norm(residuals), next?.bound ?? 0);
}

function restOfTrace(values: Float64Array, { scatterTrace, roundoff }: Problem): number {
  return Math.max(0, scatterTrace - values.reduce((sum, value) => sum + value, 0)) + roundoff;
}

/** A solution that is known to lack a direction: any eigenvalue may be as large as the rest of the trace allows. */
function openAbove(solution: Solution, problem: Problem): Solution {
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

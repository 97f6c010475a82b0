import { random } from '../../linalg/random.js';
import { dot } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import { countWanted, type Problem, type RowsProblem, type Solution, type Wanted } from '../solver.js';
import { OVERSAMPLING } from './iteration-sizes.js';
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
/** With a tolerance above this, speed matters more than the last digit. */
const LOOSE = 1e-8;

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
 * narrower than what is wanted has found as many equal ones as it has vectors, the solver starts again with a wide block.
 */
export async function solveKrylov(problem: RowsProblem): Promise<Solution> {
  const { d, passes, wanted } = problem;
  const wide = Math.min(d, 'count' in wanted ? wanted.count + Math.min(OVERSAMPLING, wanted.count + 2) : GROWING_BLOCK);
  const rng = random(problem.seed);
  let [spent, block] = [0, blockFor(passes, wide)];
  for (;;) {
    const space = new KrylovSpace(d, rng, problem.engine);
    try {
      const { ritz, k, believed, pass } = await converge(problem, space, block, wide);
      spent += pass;
      if (!believed || space.size === d || !mayHideMore(ritz.values, k, block, problem)) {
        return await finishRitz(problem, space, ritz, k, block, believed, spent);
      }
      block = Math.min(d, k + OVERSAMPLING);
    } finally {
      space.release();
    }
  }
}

function blockFor({ costs }: RowsProblem['passes'], wide: number): number {
  if (costs === 'readings') return wide;
  return Math.min(wide, costs === 'vectors' ? NARROW : Math.max(NARROW, Math.ceil(MIDDLE_SHARE * wide)));
}

/** Grows the space, and restarts it where it gets too large, until what is wanted has converged. */
async function converge(
  problem: RowsProblem,
  space: KrylovSpace,
  block: number,
  wide: number,
): Promise<{ ritz: Ritz; k: number; believed: boolean; pass: number }> {
  const { d, passes, progress, wanted, scatterTrace } = problem;
  const mostPasses = MOST_PASSES * Math.max(1, Math.round(wide / block));
  const checks = new ResidualSchedule();
  let most = Number.POSITIVE_INFINITY;
  await space.append(block, progress);
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
function canHold(wanted: Wanted, values: Float64Array, scatterTrace: number): boolean {
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

/** The Ritz vectors as a solution, their residuals measured by one more pass over the data. */
async function finishRitz(
  problem: RowsProblem,
  space: KrylovSpace,
  ritz: Ritz,
  k: number,
  block: number,
  believed: boolean,
  passes: number,
): Promise<Solution> {
  const { d } = problem;
  const basis = await space.vectors(ritz, k, problem.progress);
  const image = await problem.passes.normal(basis, k, true);
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, basis, r * d, d));
  const known = ritz.residuals.length > k;
  // The rest of the trace bounds every eigenvalue that was not found.
  const left = Math.max(0, problem.scatterTrace - values.reduce((sum, value) => sum + value, 0)) + problem.roundoff;
  const value = known ? Math.max(0, ritz.values[k]) : 0;
  const bound = known ? Math.min(ritz.residuals[k] + problem.roundoff, Math.max(problem.roundoff, left - value)) : left;
  const residuals = residualNorms(image, basis, values, k, d);
  return {
    k,
    basis,
    values,
    residuals,
    next: k >= d ? undefined : { value, bound },
    rayleigh: true,
    search: space.size === d ? 1 : searchOf(d, block),
    // The residuals that the iteration estimates are confirmed with the data.
    converged: believed && residuals.every((residual) => residual <= problem.tolerance * values[0]),
    passes: passes + 1,
  };
}

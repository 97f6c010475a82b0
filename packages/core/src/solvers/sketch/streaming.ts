import type { Passes } from '../../engines/passes.js';
import { VectorBlock } from '../../engines/vector-block.js';
import { OptionError } from '../../errors.js';
import { qr } from '../../linalg/qr.js';
import { transpose } from '../../linalg/transpose.js';
import { rayleighRitz } from '../rayleigh-ritz.js';
import { residualNorms } from '../residuals.js';
import { countWanted, nextValue, type OnePassProblem, type Problem, type Solution, type Solver } from '../solver.js';
import { Sketch } from './sketch.js';
import { sketchSize } from './sketch-options.js';

/**
 * One reading, and no row kept: the rows are folded into a sketch C of a few rows (see `Sketch`), whose eigenpairs
 * CᵀCv = θv are the result. 0 ⪯ S − CᵀC ⪯ Δ·I with a Δ that is known, so
 *
 *   θᵢ ≤ λᵢ ≤ θᵢ + Δ, and ‖Sv − θv‖ ≤ Δ.
 *
 * Where the rows can be read again, one pass measures Sv for all ℓ vectors, and the result is the best that their span contains
 * (Rayleigh–Ritz), with true residuals. (s² + 2sℓ)/(s − ℓ) = 7.5·ℓ flops per number, O(ℓ·d) memory. Weakness: a result
 * as good as the sketch is large, not one to a tolerance.
 */
export const streamingSolver: Solver = {
  needs: 'once',
  begin({ cols, k, scale, columnWeights, center, sketch: asked = {} }) {
    const { rule = 'incremental' } = asked;
    const size = sketchSize(k, cols, asked.size);
    const sketch = new Sketch({ cols, size, rule, scale, columnWeights, centred: center });
    return {
      get columns() {
        return sketch.columns;
      },
      get merges() {
        return sketch.merges;
      },
      add: (block, at, engine, progress) => sketch.add(block, at, engine, progress),
      solve: (problem) => solveSketch(sketch, problem, center),
    };
  },
};

/** The components of what a sketch has seen, measured by a pass where there is one. */
export async function solveSketch(sketch: Sketch, problem: OnePassProblem, centred: boolean): Promise<Solution> {
  const { d, engine, progress, wanted, scatterTrace, passes } = problem;
  const { rows, count, lost, rounding } = sketch.scaled(problem.scaler, centred, fewestRows(problem));
  const most = Math.min(count, d);
  const choose = (values: Float64Array): number => {
    const k = Math.min(most, countWanted(wanted, values, scatterTrace));
    return passes ? Math.min(most, Math.max(k, sketch.size)) : k;
  };
  return VectorBlock.use(rows, count, d, problem, async (span) => {
    const products = await span.products();
    const {
      values,
      vectors,
      count: p,
    } = await engine.symmetricEigen(products, count, choose, () => progress.yieldToEventLoop());
    const k = Math.min(p, countWanted(wanted, values, scatterTrace));
    checkHoldsWanted(values, k, lost, problem, sketch.size);
    const { q } = await progress.follow(qr(await span.combine(transpose(vectors, p, count), p), p, d));
    // Rounding of the products and of their eigenproblem: θ are eigenvalues of CᵀC up to that.
    const own = (2 * engine.roundoff(count, d, false) + 16 * count * Number.EPSILON) * scatterTrace;
    const found: Found = { values, p, k, q, lost: lost + rounding + own, rounding: rounding + own };
    return passes ? measuredSolution(found, problem, passes) : uncheckedSolution(found, problem, span);
  });
}

interface Found {
  /** θ, all of them. */
  readonly values: Float64Array;
  /** The leading p eigenvectors of CᵀC, of which k are wanted. */
  readonly q: Float64Array;
  readonly p: number;
  readonly k: number;
  /** θᵢ − rounding ≤ λᵢ ≤ θᵢ + lost. */
  readonly lost: number;
  readonly rounding: number;
}

/** Without another reading: the sketch's own values, and all that S can differ from it by as residual. */
async function uncheckedSolution(
  { values, q, k, lost, rounding }: Found,
  problem: Problem,
  span: VectorBlock,
): Promise<Solution> {
  const { d } = problem;
  const basis = q.slice(0, k * d);
  const leading = values.slice(0, k).map((value) => Math.max(0, value));
  const image = await span.combine(await span.coordinates(basis, k), k);
  return {
    k,
    basis,
    values: leading,
    residuals: residualNorms(image, basis, leading, k, d).map((residual) => residual + lost),
    next: nextValue(values, k, problem, k < problem.rankLimit ? lost + problem.roundoff : problem.roundoff),
    bracket: { above: new Float64Array(k).fill(lost), below: rounding },
    converged: true,
    passes: 1,
  };
}

/**
 * With another reading: the Ritz pairs of S in the span of all p vectors, their residuals measured.
 *
 * Ritz values are never above λ. How far below they can be follows from the sketch, λᵢ ≤ θᵢ + Δ, and from the residuals:
 * outside the span S is at most μ = θ_{p+1} + Δ, and it is coupled to the span by no more than ‖R‖, so that a Ritz value g above μ
 * is within 2‖R‖²/(g + √(g² + 4‖R‖²)) of its eigenvalue (Li & Li 2005).
 */
async function measuredSolution({ values, q, p, k, lost }: Found, problem: Problem, passes: Passes): Promise<Solution> {
  const { d, scatterTrace, roundoff } = problem;
  const image = await passes.normal(q, p);
  const { values: ritz, vectors: basis, images } = await rayleighRitz(q, image, p, d, problem);
  const residuals = residualNorms(images, basis, ritz, p, d);
  const coupling = Math.hypot(...residuals) + roundoff;
  const outside = (p < values.length ? Math.max(0, values[p]) : 0) + lost + roundoff;
  /** How far the eigenvalue of that number can lie above a Ritz value. */
  const above = (i: number, value: number): number => {
    const gap = value - outside;
    const coupled = gap >= 0 ? (2 * coupling ** 2) / (gap + Math.hypot(gap, 2 * coupling)) || 0 : coupling - gap;
    const sketched = (i < values.length ? Math.max(0, values[i]) : 0) + lost - value;
    return Math.max(0, Math.min(coupled, sketched));
  };
  const leading = ritz.slice(0, k).map((value) => Math.max(0, value));
  const beyond = k < p && k < problem.rankLimit ? Math.max(0, ritz[k]) : 0;
  const left = Math.max(0, scatterTrace - leading.reduce((sum, value) => sum + value, 0) - beyond);
  return {
    k,
    basis: basis.slice(0, k * d),
    values: leading,
    residuals: residuals.slice(0, k),
    next:
      k >= d
        ? undefined
        : { value: beyond, bound: (k < problem.rankLimit ? Math.min(left, above(k, beyond)) : 0) + roundoff },
    rayleigh: true,
    bracket: { above: leading.map((value, i) => above(i, value)), below: 0 },
    converged: true,
    passes: 2,
  };
}

/** Rows that a sketch needs to have for the count that is wanted, zeros if need be. */
function fewestRows({ wanted, d }: Problem): number {
  return 'count' in wanted ? Math.min(wanted.count, d) : 1;
}

/** Throws where the sketch is too small for what is wanted. */
function checkHoldsWanted(
  values: Float64Array,
  k: number,
  lost: number,
  { wanted, scatterTrace }: Problem,
  size: number,
): void {
  const asked = 'count' in wanted ? wanted.count : wanted.fraction;
  const share = values.slice(0, k).reduce((sum, value) => sum + value, 0) / scatterTrace;
  const held = 'count' in wanted ? size : share;
  if (lost === 0 || asked <= held * (1 + 1e-12)) return;
  const holds = 'count' in wanted ? 'holds no more than that' : `holds only ${share.toPrecision(3)} of the variance`;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    `k is ${asked}, but the sketch of ${size} rows ${holds}. Give it a larger size, or use a smaller k.`,
    { option: 'k', value: asked, expected: held },
  );
}

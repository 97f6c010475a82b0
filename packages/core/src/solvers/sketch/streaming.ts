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
 * Reads the rows once and keeps none of them: they are added to a sketch C of a few rows (see `Sketch`). The result are the
 * eigenpairs CᵀCv = θv. 0 ⪯ S − CᵀC ⪯ Δ·I with a known Δ, so
 *
 *   θᵢ ≤ λᵢ ≤ θᵢ + Δ, and ‖Sv − θv‖ ≤ Δ.
 *
 * If the rows can be read again, one pass computes Sv for all ℓ vectors. The result is then the best approximation in their span
 * (Rayleigh–Ritz), with measured residuals. (s² + 2sℓ)/(s − ℓ) = 7.5·ℓ flops per number, O(ℓ·d) memory. Weakness: the accuracy
 * depends on the size of the sketch, and a tolerance cannot be requested.
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

/** Computes the components of a sketch. If `passes` is present, a pass over the rows measures their residuals. */
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
    // The error of θ as eigenvalues of CᵀC: rounding of the products and of their eigenproblem.
    const own = (2 * engine.roundoff(count, d, false) + 16 * count * Number.EPSILON) * scatterTrace;
    const found: Found = { values, p, k, q, lost: lost + rounding + own, rounding: rounding + own };
    return passes ? measuredSolution(found, problem, passes) : uncheckedSolution(found, problem, span);
  });
}

interface Found {
  /** All θ. */
  readonly values: Float64Array;
  /** The p leading eigenvectors of CᵀC. The first k are wanted. */
  readonly q: Float64Array;
  readonly p: number;
  readonly k: number;
  /** θᵢ − rounding ≤ λᵢ ≤ θᵢ + lost. */
  readonly lost: number;
  readonly rounding: number;
}

/**
 * The solution if the rows cannot be read again: the eigenpairs of the sketch. The residuals include the largest possible
 * difference between S and the sketch.
 */
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
 * The solution after a second pass: the Ritz pairs of S in the span of all p vectors, with measured residuals.
 *
 * Ritz values are never above λ. Two bounds limit their distance below λ. The first is that of the sketch, λᵢ ≤ θᵢ + Δ. The
 * second follows from the residuals: outside the span, S is at most μ = θ_{p+1} + Δ, and the coupling to the span is at most ‖R‖.
 * So a Ritz value at a distance g above μ is within 2‖R‖²/(g + √(g² + 4‖R‖²)) of its eigenvalue (Li & Li 2005).
 */
async function measuredSolution({ values, q, p, k, lost }: Found, problem: Problem, passes: Passes): Promise<Solution> {
  const { d, scatterTrace, roundoff } = problem;
  const image = await passes.normal(q, p);
  const { values: ritz, vectors: basis, images } = await rayleighRitz(q, image, p, d, problem);
  const residuals = residualNorms(images, basis, ritz, p, d);
  const coupling = Math.hypot(...residuals) + roundoff;
  const outside = (p < values.length ? Math.max(0, values[p]) : 0) + lost + roundoff;
  /** Upper bound on the distance of eigenvalue i above its Ritz value. */
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

/** The number of rows that a sketch must have for the wanted count. Missing rows are zeros. */
function fewestRows({ wanted, d }: Problem): number {
  return 'count' in wanted ? Math.min(wanted.count, d) : 1;
}

/** Throws if the sketch is too small for the wanted components. */
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

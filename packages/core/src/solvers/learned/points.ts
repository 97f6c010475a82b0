import { random } from '../../linalg/random.js';
import { norm } from '../../linalg/vector.js';
import type { RowsProblem, Solver, SolverUse } from '../solver.js';
import { largestVariance } from './largest-variance.js';
import { learnFromRows, newChecksum } from './learn.js';
import { innerProducts, POINTS_STEP, pointGradient, pointsState, startPoints } from './moving-points.js';
import { optimiser } from './optimiser.js';
import { pairwiseRule } from './pairwise.js';
import { type Rule, type RuleControls, type RuleProblem, withPauses } from './rule.js';
import { StepSize } from './step-size.js';

/** Largest number of epochs. */
const MOST_EPOCHS = 5000;

/**
 * Gradient descent on points: Y (n × k) is moved until the inner products of its rows are those of the rows of the data,
 *
 *   f(Y) = ‖L(Eˣ − Eʸ)L‖² = 4·‖BBᵀ − YYᵀ‖²,   ∇f = −16·[ B(BᵀY) − Y(YᵀY) ],
 *
 * where Eˣ and Eʸ are squared distances and L is the centring. The rule `factored` computes ∇f in this form: two passes over the
 * rows and no n × n matrix. The rule `pairwise` adds up forces between all pairs (`pairwise.ts`), and takes the same steps. Every
 * local minimum is a global one: Y becomes the scores, rotated. A step is Y += η/σ₁²·[…]. The random start is not larger than σ₁,
 * because a start of a fixed size diverges on small data.
 *
 * In the code, Y is in units in which σ₁ = 1. The rows of A = YᵀB span the current subspace.
 */
export function pointsSolver({ learn }: SolverUse): Solver {
  const rule = learn?.rule === 'pairwise' ? pairwiseRule : factoredRule;
  const solve = (problem: RowsProblem) => learnFromRows(problem, { rule, epochs: MOST_EPOCHS });
  return { needs: 'rows', tolerance: 1e-6, newChecksum, solve };
}

export function* factoredRule(problem: RuleProblem, controls: RuleControls): Rule {
  const { n, d, k } = problem;
  const rng = random(problem.seed);
  const top = problem.top ?? (yield* largestVariance(d, rng));
  const squares = (yield { pass: 'squares' }).product[0] / top ** 2;
  const y = optimiser(controls.descent, startPoints(problem, rng, top), 1 / Math.sqrt(n));
  const size = new StepSize(y, controls, POINTS_STEP);
  for (;;) {
    const { product: a } = yield { pass: 'multiplyTransposed', scores: y.at, k };
    const { product: image } = yield { pass: 'multiply', vectors: a, k };
    const inner = yield* withPauses(innerProducts(y.at, n, k));
    const gradient = yield* withPauses(pointGradient(y.at, inner, image, top, n, k));
    const state = yield* withPauses(pointsState(a, inner, squares, top, d, k));
    const { step } = size;
    const points = y.at.slice();
    const { advance, shorter } = size.judge(state.loss, { settled: state.settled });
    yield { ...state, step, points, slope: () => norm(gradient), shorter };
    if (advance) y.advance(gradient, step, controls.momentum);
  }
}

import { runTaskSync } from '../../base/progress.js';
import { randomRows } from '../../linalg/orthonormalise.js';
import { random } from '../../linalg/random.js';
import { rowProductSteps } from '../../linalg/row-products.js';
import { dot, norm } from '../../linalg/vector.js';
import { residualNorms } from '../residuals.js';
import type { Solver, SolverUse } from '../solver.js';
import { anchorAt, batchEpoch, defaultBatch } from './batches.js';
import { IncrementalHebbian } from './incremental-hebbian.js';
import { largestVariance } from './largest-variance.js';
import { learnFromRows, newChecksum } from './learn.js';
import type { HebbianRule } from './learn-options.js';
import { defectOf, hebbianDirection, reconstructionLoss, HEBBIAN_STEP as STEP } from './mean-terms.js';
import { type Optimiser, optimiser } from './optimiser.js';
import { type Rule, type RuleControls, type RuleProblem, withPauses } from './rule.js';
import { StepSize } from './step-size.js';

/** Largest number of epochs. Each takes two passes over the data. */
const MOST_EPOCHS = 5000;
/** The loss is computed this number of times per epoch, because it takes as long as a step. */
const LOSSES_PER_EPOCH = 16;
/** Sanger's rule has separated the components if the residuals of its rows are below this, in units of σ₁ = 1. */
const SEPARATED_RESIDUAL = 1e-3;
/** A shorter row is shrinking to zero, or is moving to a component. */
const SHORT_ROW = 0.5;

/**
 * Hebbian learning from one row after the other. With y = Wx
 *
 *   Oja's rule (k = 1)     Δw = η(yx − y²w)
 *   Oja's subspace rule    ΔW = η(yxᵀ − yyᵀW)
 *   Sanger's rule          ΔW = η(yxᵀ − tril(yyᵀ)W), tril the lower triangle
 *
 * averaged over the rows of a batch: with N = WC and M = NWᵀ, C = Σxxᵀ/rows, these are η(N − MW) and η(N − tril(M)W). For
 * orthonormal W, the subspace rule is −½ times the autoencoder's gradient, because y_rec = y. Sanger's rule finds the components
 * in their order. The other rules find a basis of their span, which is rotated to the components at the end.
 *
 * Steps on batches leave a noise of the size of the step. It is removed by an anchor (`batches.ts`) from the second epoch on, or,
 * if `decay` is given, by steps of η/(1 + epoch/decay). With `epochs: 1`, rows are read once and none is kept
 * (`incremental-hebbian.ts`).
 */
export function hebbianSolver({ learn }: SolverUse): Solver {
  const rule = (learn?.rule ?? 'subspace') as HebbianRule;
  if (learn?.epochs === 1) {
    return {
      needs: 'once',
      tolerance: 0.1,
      newChecksum,
      begin: (use) => new IncrementalHebbian(rule, use),
    };
  }
  const how = {
    rule: (problem: RuleProblem, controls: RuleControls) => hebbianRule(rule, problem, controls),
    epochs: MOST_EPOCHS,
  };
  const tolerance = learn?.decay === undefined ? 1e-6 : 1e-3;
  return { needs: 'rows', tolerance, newChecksum, solve: (problem) => learnFromRows(problem, how) };
}

export function* hebbianRule(rule: HebbianRule, problem: RuleProblem, controls: RuleControls): Rule {
  const { n, d, k } = problem;
  const rng = random(problem.seed);
  const top = problem.top ?? (yield* largestVariance(d, rng));
  const relativeTrace = problem.scatterTrace / top;
  const weights = optimiser('plain', problem.start ?? randomRows(k, d, rng), 1);
  const rows = Math.min(controls.batch ?? defaultBatch(n), n);
  // The squared length of a row exceeds σ₁² by the effective rank, so steps on few rows are shorter by this factor.
  const size = new StepSize(weights, controls, STEP / (1 + relativeTrace / rows));
  const learning: LearningState = { rule, problem, controls, top, relativeTrace, weights, rows, size };
  // A batch of all rows needs no anchor.
  const full = controls.batch !== undefined && controls.batch >= n;
  return yield* full ? onAllRows(learning) : onBatches(learning);
}

/** The state that both variants of a rule share. */
interface LearningState {
  readonly rule: HebbianRule;
  readonly problem: RuleProblem;
  readonly controls: RuleControls;
  /** σ₁². */
  readonly top: number;
  /** tr S/σ₁². */
  readonly relativeTrace: number;
  readonly weights: Optimiser;
  readonly rows: number;
  readonly size: StepSize;
}

/** One step per epoch, on all rows. The state of an epoch is the state before its step. */
function* onAllRows({ rule, problem, controls, top, relativeTrace, weights, rows, size }: LearningState): Rule {
  const { d, k } = problem;
  let before: Float64Array | undefined;
  for (let epoch = 0; ; epoch++) {
    const step = size.step / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    const { weights: at, image } = yield* anchorAt(weights.at, k, top);
    const m = yield* withPauses(rowProductSteps(image, k, at, k, d));
    const p = yield* withPauses(rowProductSteps(at, k, at, k, d));
    const direction = yield* withPauses(hebbianDirection(rule, at, image, m, k, d));
    const loss = reconstructionLoss(m, p, relativeTrace, k);
    const length = norm(direction);
    const { advance, shorter } = size.judge(loss, {
      mayGrow: true,
      allowedGrowth: relativeTrace,
      directionLength: length,
      reversed: before !== undefined && dot(direction, 0, before, 0, direction.length) < 0,
    });
    yield {
      loss,
      terms: { reconstruction: loss },
      step,
      batch: rows,
      defect: defectOf(p, k),
      rows: at,
      image: image.map((value) => value * top),
      slope: () => length,
      ...(rule === 'sanger' && controls.decay === undefined
        ? { settled: areSeparated(at, image, relativeTrace, k, d) }
        : {}),
      shorter,
    };
    before = advance ? direction : undefined;
    if (advance) weights.advance(direction, -step, undefined);
  }
}

/** One step per batch. Uses an anchor from the second epoch on, unless steps decay. */
function* onBatches({ rule, problem, controls, top, relativeTrace, weights, rows, size }: LearningState): Rule {
  const { n, d, k } = problem;
  const every = Math.max(1, Math.floor(n / rows / LOSSES_PER_EPOCH));
  for (let epoch = 0; ; epoch++) {
    const step = size.step / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    const anchor = epoch > 0 && controls.decay === undefined ? yield* anchorAt(weights.at, k, top) : undefined;
    const losses: number[] = [];
    let batches = 0;
    yield* batchEpoch(weights.at, k, rows, top, anchor, function* (image) {
      const m = yield* withPauses(rowProductSteps(image, k, weights.at, k, d));
      if (batches++ % every === 0 || !Number.isFinite(m[0])) {
        const p = yield* withPauses(rowProductSteps(weights.at, k, weights.at, k, d));
        losses.push(reconstructionLoss(m, p, relativeTrace, k));
      }
      weights.advance(yield* withPauses(hebbianDirection(rule, weights.at, image, m, k, d)), -step, undefined);
      return Number.isFinite(losses[losses.length - 1]);
    });
    const meanLoss = losses.reduce((sum, value) => sum + value, 0) / losses.length;
    const known = anchor && Number.isFinite(meanLoss) ? anchor : undefined;
    const at = known?.weights ?? weights.at.slice();
    const p = yield* withPauses(rowProductSteps(at, k, at, k, d));
    // With an anchor, the loss over all rows is known. Otherwise the loss is the mean over the epoch.
    const m = known && (yield* withPauses(rowProductSteps(known.image, k, at, k, d)));
    const loss = m ? reconstructionLoss(m, p, relativeTrace, k) : meanLoss;
    // The mean loss of the first epoch is not compared with losses at anchors, because batches of few rows vary too much.
    const comparable = known !== undefined || controls.decay !== undefined || !Number.isFinite(loss);
    // Sanger's rule does not follow a gradient of this loss, which may grow a little while the components get their order.
    const { shorter } = comparable ? size.judge(loss, { mayGrow: true, point: at }) : {};
    yield {
      loss,
      terms: { reconstruction: loss },
      step,
      batch: rows,
      defect: defectOf(p, k),
      rows: at,
      ...(known ? { image: known.image.map((value) => value * top) } : {}),
      ...(known && m ? { slope: () => norm(runTaskSync(hebbianDirection(rule, at, known.image, m, k, d))) } : {}),
      ...(rule === 'sanger' && controls.decay === undefined
        ? { settled: known !== undefined && areSeparated(at, known.image, relativeTrace, k, d) }
        : {}),
      shorter,
    };
  }
}

/**
 * Returns true if the rows are the components and not another basis of their span: ‖Cw − θw‖ is small in units of σ₁ = 1. Before
 * that, a row shrinks while the rows before it take their share, and grows again. It may stay short only if the other rows have
 * all of the variance.
 */
function areSeparated(
  weights: Float64Array,
  image: Float64Array,
  relativeTrace: number,
  k: number,
  d: number,
): boolean {
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, weights, r * d, d));
  const residuals = residualNorms(image.slice(), weights, values, k, d);
  const long = values.map((_, r) => Number(norm(weights, r * d, d) >= SHORT_ROW));
  const missing = relativeTrace - dot(values, 0, long, 0, k);
  return residuals.every((residual, r) =>
    long[r] ? residual <= SEPARATED_RESIDUAL : missing <= SEPARATED_RESIDUAL * relativeTrace,
  );
}

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

/** Epochs, of two readings each. */
const EPOCHS = 5000;
/** How many times per epoch the loss is computed; that takes as long as a step. */
const LOOKS = 16;
/** Residual of a row where σ₁ = 1 below which Sanger's rule has separated the components. */
const IN_ORDER = 1e-3;
/** Length below which a row is shrinking to zero, or is moving to a component. */
const FADED = 0.5;

/**
 * Hebbian learning: neurons that see row after row. With y = Wx
 *
 *   Oja's rule (k = 1)     Δw = η(yx − y²w)
 *   Oja's subspace rule    ΔW = η(yxᵀ − yyᵀW)
 *   Sanger's rule          ΔW = η(yxᵀ − tril(yyᵀ)W), tril the lower triangle
 *
 * averaged over the rows of a batch: with N = WC and M = NWᵀ, C = Σxxᵀ/rows, these are η(N − MW) and η(N − tril(M)W). On
 * orthonormal W the subspace rule is −½ times the autoencoder's gradient, because there y_rec = y. Sanger's rule finds the components
 * themselves, in order; the others a basis of their span, which is rotated to them at the end.
 *
 * Steps on batches leave a noise of the size of the step. It is taken out by an anchor (`batches.ts`) from the second epoch on, or,
 * where `decay` is given, by steps η/(1 + epoch/decay). With `epochs: 1` rows are seen once as they come and none is kept
 * (`incremental-hebbian.ts`).
 */
export function hebbianSolver({ learn }: SolverUse): Solver {
  const rule = (learn?.rule ?? 'subspace') as HebbianRule;
  if (learn?.epochs === 1) {
    return {
      needs: 'once',
      tolerance: 0.1,
      newChecksum: newChecksum,
      begin: (use) => new IncrementalHebbian(rule, use),
    };
  }
  const how = {
    rule: (problem: RuleProblem, controls: RuleControls) => hebbianRule(rule, problem, controls),
    epochs: EPOCHS,
  };
  const tolerance = learn?.decay === undefined ? 1e-6 : 1e-3;
  return { needs: 'rows', tolerance, newChecksum: newChecksum, solve: (problem) => learnFromRows(problem, how) };
}

export function* hebbianRule(rule: HebbianRule, problem: RuleProblem, controls: RuleControls): Rule {
  const { n, d, k } = problem;
  const rng = random(problem.seed);
  const top = problem.top ?? (yield* largestVariance(d, rng));
  const relativeTrace = problem.scatterTrace / top;
  const weights = optimiser('plain', problem.start ?? randomRows(k, d, rng), 1);
  const rows = Math.min(controls.batch ?? defaultBatch(n), n);
  // A row is longer than σ₁ by the effective rank: steps on few rows are that much shorter.
  const size = new StepSize(weights, controls, STEP / (1 + relativeTrace / rows));
  const learning: Learning = { rule, problem, controls, top, relativeTrace, weights, rows, size };
  // A batch of all rows is the full batch, which needs no anchor.
  const full = controls.batch !== undefined && controls.batch >= n;
  return yield* full ? onAllRows(learning) : onBatches(learning);
}

/** The state that both variants of a rule share. */
interface Learning {
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

/** One step per epoch, on all rows. The state of an epoch is that of where its step begins. */
function* onAllRows({ rule, problem, controls, top, relativeTrace, weights, rows, size }: Learning): Rule {
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
        ? { settled: inOrder(at, image, relativeTrace, k, d) }
        : {}),
      shorter,
    };
    before = advance ? direction : undefined;
    if (advance) weights.advance(direction, -step, undefined);
  }
}

/** A step per batch, about an anchor from the second epoch on unless steps decay. */
function* onBatches({ rule, problem, controls, top, relativeTrace, weights, rows, size }: Learning): Rule {
  const { n, d, k } = problem;
  const every = Math.max(1, Math.floor(n / rows / LOOKS));
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
    const way = losses.reduce((sum, value) => sum + value, 0) / losses.length;
    const known = anchor && Number.isFinite(way) ? anchor : undefined;
    const at = known?.weights ?? weights.at.slice();
    const p = yield* withPauses(rowProductSteps(at, k, at, k, d));
    // At the anchor the loss of all rows is known; without one it is the mean over the epoch.
    const m = known && (yield* withPauses(rowProductSteps(known.image, k, at, k, d)));
    const loss = m ? reconstructionLoss(m, p, relativeTrace, k) : way;
    // The mean of the first epoch cannot be compared with losses at anchors: batches of few rows vary too much.
    const comparable = known !== undefined || controls.decay !== undefined || !Number.isFinite(loss);
    // Sanger's rule does not follow a gradient of this loss: while the components get their order, it may grow a little.
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
        ? { settled: known !== undefined && inOrder(at, known.image, relativeTrace, k, d) }
        : {}),
      shorter,
    };
  }
}

/**
 * Whether rows are components themselves and not any basis of their span: ‖Cw − θw‖ is small where σ₁ = 1. Before that, a row shrinks and
 * grows again, when those before it take their share; it may stay short only where the others have all the variance there is.
 */
function inOrder(weights: Float64Array, image: Float64Array, relativeTrace: number, k: number, d: number): boolean {
  const values = Float64Array.from({ length: k }, (_, r) => dot(image, r * d, weights, r * d, d));
  const residuals = residualNorms(image.slice(), weights, values, k, d);
  const long = values.map((_, r) => Number(norm(weights, r * d, d) >= FADED));
  const missing = relativeTrace - dot(values, 0, long, 0, k);
  return residuals.every((residual, r) => (long[r] ? residual <= IN_ORDER : missing <= IN_ORDER * relativeTrace));
}

import { randomRows } from '../../linalg/orthonormalise.js';
import { random } from '../../linalg/random.js';
import { norm } from '../../linalg/vector.js';
import type { Needs, Solver, SolverUse } from '../solver.js';
import { type Anchor, anchorAt, batchEpoch } from './batches.js';
import { largestVariance } from './largest-variance.js';
import { learnFromRows, learnFromScatter, newChecksum } from './learn.js';
import { type MeanTerms, meanTerms } from './mean-terms.js';
import { optimiser } from './optimiser.js';
import {
  type PassRequest,
  type PassResult,
  type Rule,
  type RuleControls,
  type RuleProblem,
  withPauses,
} from './rule.js';
import { StepSize } from './step-size.js';

/** 1/L in units of σ₁ = 1: the curvature of both terms is at most 8 near orthonormal W. */
const FULL_BATCH_STEP = 1 / 8;
/** Momentum of batches, which is constant because their gradients are noisy. */
const BATCH_MOMENTUM = 0.9;

/**
 * The linear autoencoder with tied weights: W (k × d) descends on
 *
 *   L_PCA = (1 − α)·‖x − WᵀWx‖² + α·‖I − WWᵀ‖²,
 *
 * averaged over the rows, in units in which the largest variance is 1, so that α and the step mean the same for all data. For
 * every α < 1, the minima are the W whose rows are an orthonormal basis of the principal subspace: at a minimum of the first term
 * WᵀW is the projector, so WWᵀ = I. α changes the path and not the minimum. `autoencoder-terms.ts` has the gradient.
 *
 * On the full batch, only S is needed: 2·d²·k flops per epoch for any n. With `batch`, every step uses that number of rows. The
 * noise of batches is removed by an anchor (`batches.ts`) from the second epoch on, or, if `decay` is given, by steps of η/(1 +
 * epoch/decay).
 */
export function autoencoderSolver(needs: Needs, { learn }: SolverUse): Solver {
  const [epochs, tolerance] = learn?.decay === undefined ? [5000, 1e-6] : [1000, 1e-3];
  const how = { rule: autoencoderRule, epochs };
  return needs === 'scatter'
    ? { needs: 'scatter', tolerance, newChecksum, solve: (problem) => learnFromScatter(problem, how) }
    : { needs: 'rows', tolerance, newChecksum, solve: (problem) => learnFromRows(problem, how) };
}

export function* autoencoderRule(problem: RuleProblem, controls: RuleControls): Rule {
  const { d, k } = problem;
  const rng = random(problem.seed);
  const top = problem.top ?? (yield* largestVariance(d, rng));
  const relativeTrace = problem.scatterTrace / top;
  const weights = optimiser(controls.descent, problem.start ?? randomRows(k, d, rng), 1 / Math.sqrt(d));
  // A batch of all rows needs no anchor.
  const batch = controls.batch !== undefined && controls.batch < problem.n ? controls.batch : undefined;
  // The squared length of a row exceeds σ₁² by the effective rank, so steps on few rows are shorter by this factor.
  const chosen = batch === undefined ? FULL_BATCH_STEP : FULL_BATCH_STEP / (1 + relativeTrace / batch);
  const size = new StepSize(weights, controls, chosen);
  for (let epoch = 0; ; epoch++) {
    const { alpha } = controls;
    const step = size.step / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    const at = function* ({ weights: rows, image }: Anchor): Generator<PassRequest, WeightTerms, PassResult> {
      const terms = yield* withPauses(meanTerms(rows, image, relativeTrace, alpha, k, d));
      return { ...terms, rows, image: image.map((value) => value * top) };
    };
    let terms: WeightTerms;
    if (batch === undefined) {
      terms = yield* at(yield* anchorAt(weights.at, k, top));
    } else {
      const momentum = controls.momentum ?? BATCH_MOMENTUM;
      const anchor = epoch > 0 && controls.decay === undefined ? yield* anchorAt(weights.at, k, top) : undefined;
      const mean = { reconstruction: 0, orthogonality: 0, defect: 0 };
      yield* batchEpoch(weights.at, k, batch, top, anchor, function* (image, share) {
        const terms = yield* withPauses(meanTerms(weights.at, image, relativeTrace, alpha, k, d));
        weights.advance(terms.gradient, step, momentum);
        mean.reconstruction += share * terms.reconstruction;
        mean.orthogonality += share * terms.orthogonality;
        mean.defect = terms.defect;
        return Number.isFinite(terms.reconstruction);
      });
      // With an anchor, the loss over all rows is known. Otherwise the loss is the mean over the batches of the epoch.
      const known = anchor && Number.isFinite(mean.reconstruction);
      terms = known ? yield* at(anchor) : { ...mean, rows: weights.at.slice() };
    }
    const { reconstruction, orthogonality, gradient, rows, image, defect } = terms;
    const loss = (1 - alpha) * reconstruction + alpha * orthogonality;
    const { advance, shorter } = size.judge(loss, {
      mayGrow: batch !== undefined && controls.decay !== undefined,
      point: rows,
    });
    yield {
      loss,
      terms: { reconstruction, orthogonality },
      step,
      ...(batch === undefined ? {} : { batch }),
      defect,
      rows,
      ...(image ? { image } : {}),
      ...(gradient ? { slope: () => norm(gradient) } : {}),
      shorter,
    };
    if (batch === undefined && gradient && advance) weights.advance(gradient, step, controls.momentum);
  }
}

/** Weights and their loss. WS and the gradient are present if all rows were used. */
interface WeightTerms extends Pick<MeanTerms, 'reconstruction' | 'orthogonality' | 'defect'> {
  readonly rows: Float64Array;
  readonly image?: Float64Array;
  readonly gradient?: Float64Array;
}

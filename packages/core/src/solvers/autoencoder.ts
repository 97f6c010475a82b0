import { type MeanTerms, meanTerms } from '../learning/autoencoder-terms.js';
import { anchorAt, batchEpoch } from '../learning/batches.js';
import { largestVariance } from '../learning/largest-variance.js';
import { learnFromRows, learnFromScatter } from '../learning/learn.js';
import { optimiser } from '../learning/optimiser.js';
import type { Controls, Facts, Rule } from '../learning/rule.js';
import { StepSize } from '../learning/step-size.js';
import { orthonormalityDefect, randomRows } from '../linalg/orthonormalise.js';
import { random } from '../linalg/random.js';
import type { Use } from './index.js';
import type { Solver } from './solver.js';

/** 1/L where σ₁ = 1: the curvature of both terms is at most 8 near orthonormal W. */
const STEP = 1 / 8;
/** Momentum of batches: their gradients are too noisy for one that grows. */
const BATCH_MOMENTUM = 0.9;
/** Widest data whose scatter is formed; wider rows are passed over instead. */
const SCATTER_COLS = 2896;

/**
 * The linear autoencoder with tied weights: W (k × d) descends on
 *
 *   L_PCA = (1 − α)·‖x − WᵀWx‖² + α·‖I − WWᵀ‖²,
 *
 * averaged over the rows, in units in which the largest variance is 1, so that α and the step mean the same for all data.
 * Its minima are the W whose rows are an orthonormal basis of the principal subspace, for every α < 1: at a minimum of the first
 * term WᵀW is the projector, so WWᵀ = I. α changes the way, not where it ends. See `autoencoder-terms` for the gradient.
 *
 * On the full batch the rows matter only through S: 2·d²·k flops an epoch, whatever n is. With `batch` every step sees so many
 * rows: about an anchor (`batches.ts`) from the second epoch on, or, where `decay` is given, with steps η/(1 + epoch/decay).
 */
export function autoencoder({ cols, learn }: Use): Solver {
  const [epochs, tolerance] = learn?.decay === undefined ? [5000, 1e-6] : [1000, 1e-3];
  const how = { rule: byGradient, epochs };
  return learn?.batch === undefined && cols <= SCATTER_COLS
    ? { needs: 'scatter', tolerance, solve: (problem) => learnFromScatter(problem, how) }
    : { needs: 'rows', tolerance, solve: (problem) => learnFromRows(problem, how) };
}

export function* byGradient(facts: Facts, controls: Controls): Rule {
  const { d, k } = facts;
  const rng = random(facts.seed);
  const top = yield* largestVariance(d, rng);
  const trace = facts.trace / top;
  const weights = optimiser(controls.descent, randomRows(k, d, rng), 1 / Math.sqrt(d));
  const { batch } = controls;
  // A row is longer than σ₁ by the effective rank: steps on few rows are that much shorter.
  const chosen = batch === undefined ? STEP : STEP / (1 + trace / batch);
  const size = new StepSize(weights, controls, chosen);
  for (let epoch = 0; ; epoch++) {
    const { alpha } = controls;
    const step = size.step / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    let terms: Pick<MeanTerms, 'reconstruction' | 'orthogonality'>;
    let gradient: Float64Array | undefined;
    if (batch === undefined) {
      const { product } = yield { pass: 'normal', vectors: weights.at, k };
      const image = product.map((value) => value / top);
      ({ gradient, ...terms } = meanTerms(weights.at, image, trace, alpha, k, d));
    } else {
      const momentum = controls.momentum ?? BATCH_MOMENTUM;
      const length = controls.descent === 'momentum' ? step * (1 - momentum) : step;
      const anchor = epoch > 0 && controls.decay === undefined ? yield* anchorAt(weights.at, k, top) : undefined;
      const mean = { reconstruction: 0, orthogonality: 0 };
      const seen = yield* batchEpoch(weights.at, k, batch, top, anchor, (image, share) => {
        const { gradient, reconstruction, orthogonality } = meanTerms(weights.at, image, trace, alpha, k, d);
        weights.advance(gradient, length, momentum);
        mean.reconstruction += share * reconstruction;
        mean.orthogonality += share * orthogonality;
        return Number.isFinite(reconstruction);
      });
      // At the anchor the loss of all rows is known; the mean over batches is that of a way.
      terms =
        anchor && Number.isFinite(mean.reconstruction)
          ? meanTerms(anchor.weights, anchor.image, trace, alpha, k, d)
          : { reconstruction: mean.reconstruction / seen, orthogonality: mean.orthogonality / seen };
    }
    const { reconstruction, orthogonality } = terms;
    const loss = (1 - alpha) * reconstruction + alpha * orthogonality;
    const verdict = size.judge(loss, { mayGrow: batch !== undefined && controls.decay !== undefined });
    yield {
      loss,
      terms: { reconstruction, orthogonality },
      step,
      ...(batch === undefined ? {} : { batch }),
      defect: orthonormalityDefect(weights.at, k, d),
      rows: weights.at,
      diverged: verdict === 'diverged',
    };
    if (gradient && verdict === 'go on') weights.advance(gradient, step, controls.momentum);
  }
}

import { OptionError } from '../errors.js';
import { reconstructionLoss } from '../learning/autoencoder-terms.js';
import { anchorAt, batchEpoch, usualBatch } from '../learning/batches.js';
import { largestVariance } from '../learning/largest-variance.js';
import { learnFromRows } from '../learning/learn.js';
import type { HebbianRule } from '../learning/learn-options.js';
import type { Controls, Facts, Rule } from '../learning/rule.js';
import { orthonormalityDefect, randomRows } from '../linalg/orthonormalise.js';
import { random } from '../linalg/random.js';
import { addCombination, rowProducts } from '../linalg/rows.js';
import type { Use } from './index.js';
import type { Solver } from './solver.js';

/** Half of what is stable on the whole data where σ₁ = 1. */
const STEP = 0.5;
/** Times the loss of the start that is too much. */
const TOO_MUCH = 2;

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
 * where `decay` is given, by steps η/(1 + epoch/decay). One epoch is one pass over the rows.
 */
export function hebbian({ learn }: Use): Solver {
  const rule = (learn?.rule ?? 'subspace') as HebbianRule;
  const how = { rule: (facts: Facts, controls: Controls) => byHebb(rule, facts, controls), epochs: 1000 };
  const tolerance = learn?.decay === undefined ? 1e-6 : 1e-3;
  return { needs: 'rows', tolerance, solve: (problem) => learnFromRows(problem, how) };
}

/** The direction of a rule's step for weights W and N = WC. */
export function hebbianDirection(
  rule: HebbianRule,
  weights: Float64Array,
  image: Float64Array,
  k: number,
  d: number,
): Float64Array {
  const m = rowProducts(image, k, weights, k, d);
  if (rule === 'sanger') for (let i = 0; i < k; i++) m.fill(0, i * k + i + 1, (i + 1) * k);
  const direction = image.slice();
  addCombination(-1, m, k, weights, k, d, direction);
  return direction;
}

export function* byHebb(rule: HebbianRule, facts: Facts, controls: Controls): Rule {
  const { n, d, k } = facts;
  if (rule === 'oja' && k !== 1) {
    throw new OptionError(
      'BAD_OPTION',
      `Oja's rule has one neuron, so k must be 1, not ${k}. Use rule: 'subspace' or 'sanger' for more.`,
      { option: 'learn.rule', value: k, expected: 1 },
    );
  }
  const rng = random(facts.seed);
  const top = yield* largestVariance(d, rng);
  const trace = facts.trace / top;
  const weights = randomRows(k, d, rng);
  const rows = Math.min(controls.batch ?? usualBatch(n), n);
  let shortened = 1;
  for (let epoch = 0; ; epoch++) {
    // A row is longer than σ₁ by the effective rank: steps on few rows are that much shorter.
    const chosen = controls.step ?? STEP / (1 + trace / rows) / shortened;
    const step = chosen / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    const before = weights.slice();
    const anchor = epoch > 0 && controls.decay === undefined ? yield* anchorAt(weights, k, top) : undefined;
    let sum = 0;
    const seen = yield* batchEpoch(weights, k, rows, top, anchor, (image, share) => {
      sum += share * reconstructionOf(weights, image, trace, k, d);
      const direction = hebbianDirection(rule, weights, image, k, d);
      for (let at = 0; at < weights.length; at++) weights[at] += step * direction[at];
      return Number.isFinite(sum);
    });
    // At the anchor the loss of all rows is known; the mean over batches is that of a way.
    const known = anchor && Number.isFinite(sum);
    const loss = known ? reconstructionOf(anchor.weights, anchor.image, trace, k, d) : sum / seen;
    const burst = !(loss <= TOO_MUCH * trace);
    yield {
      loss,
      terms: { reconstruction: loss },
      step,
      batch: rows,
      defect: orthonormalityDefect(weights, k, d),
      rows: burst ? before : weights,
      diverged: burst && controls.step !== undefined,
    };
    if (!burst) continue;
    shortened *= 2;
    weights.set(before);
  }
}

/** Mean ‖x − WᵀWx‖² from N = WC. */
function reconstructionOf(weights: Float64Array, image: Float64Array, trace: number, k: number, d: number): number {
  const m = rowProducts(image, k, weights, k, d);
  return reconstructionLoss(m, rowProducts(weights, k, weights, k, d), trace, k);
}

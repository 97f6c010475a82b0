import { reconstructionLoss } from '../learning/autoencoder-terms.js';
import { type Anchor, anchorAt, batchEpoch, usualBatch } from '../learning/batches.js';
import { HebbianFold } from '../learning/hebbian-fold.js';
import { checkNeurons, hebbianDirection, HEBBIAN_STEP as STEP } from '../learning/hebbian-rules.js';
import { largestVariance } from '../learning/largest-variance.js';
import { learnFromRows } from '../learning/learn.js';
import type { HebbianRule } from '../learning/learn-options.js';
import { optimiser } from '../learning/optimiser.js';
import type { Controls, Facts, Rule, Stand } from '../learning/rule.js';
import { StepSize } from '../learning/step-size.js';
import { orthonormalityDefect, randomRows } from '../linalg/orthonormalise.js';
import { random } from '../linalg/random.js';
import { rowProducts } from '../linalg/rows.js';
import type { Use } from './index.js';
import type { Solver } from './solver.js';

/** Batches of which one is looked at for the loss, which takes as long to know as a step. */
const LOOK = 4;

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
 * (`hebbian-fold.ts`).
 */
export function hebbian({ learn }: Use): Solver {
  const rule = (learn?.rule ?? 'subspace') as HebbianRule;
  if (learn?.epochs === 1) return { needs: 'once', tolerance: 0.1, begin: (use) => new HebbianFold(rule, use) };
  const how = { rule: (facts: Facts, controls: Controls) => byHebb(rule, facts, controls), epochs: 1000 };
  const tolerance = learn?.decay === undefined ? 1e-6 : 1e-3;
  return { needs: 'rows', tolerance, solve: (problem) => learnFromRows(problem, how) };
}

export function* byHebb(rule: HebbianRule, facts: Facts, controls: Controls): Rule {
  const { n, d, k } = facts;
  checkNeurons(rule, k);
  const rng = random(facts.seed);
  const top = yield* largestVariance(d, rng);
  const trace = facts.trace / top;
  const weights = optimiser('plain', randomRows(k, d, rng), 1);
  const rows = Math.min(controls.batch ?? usualBatch(n), n);
  // A row is longer than σ₁ by the effective rank: steps on few rows are that much shorter.
  const size = new StepSize(weights, controls, STEP / (1 + trace / rows));
  for (let epoch = 0; ; epoch++) {
    const step = size.step / (controls.decay === undefined ? 1 : 1 + epoch / controls.decay);
    const anchor = epoch > 0 && controls.decay === undefined ? yield* anchorAt(weights.at, k, top) : undefined;
    const losses: number[] = [];
    let batches = 0;
    yield* batchEpoch(weights.at, k, rows, top, anchor, (image) => {
      const m = rowProducts(image, k, weights.at, k, d);
      if (batches++ % LOOK === 0 || !Number.isFinite(m[0])) losses.push(reconstructionOf(m, weights.at, trace, k, d));
      weights.advance(hebbianDirection(rule, weights.at, image, k, d, m), -step, undefined);
      return Number.isFinite(losses[losses.length - 1]);
    });
    const way = losses.reduce((sum, value) => sum + value, 0) / losses.length;
    const told =
      anchor && Number.isFinite(way) ? atAnchor(anchor, top, trace, k, d) : { loss: way, rows: weights.at.slice() };
    // Sanger's rule is no gradient of this loss: on its way to the order of components it may climb a little.
    const verdict = size.judge(told.loss, { mayGrow: true, rows: told.rows });
    yield {
      ...told,
      terms: { reconstruction: told.loss },
      step,
      batch: rows,
      defect: orthonormalityDefect(told.rows, k, d),
      diverged: verdict === 'diverged',
    };
  }
}

/** Where an epoch began, of which everything is known of all rows; without an anchor it is told where it ends. */
function atAnchor(
  { weights, image }: Anchor,
  top: number,
  trace: number,
  k: number,
  d: number,
): Pick<Stand, 'loss' | 'rows' | 'image'> {
  const loss = reconstructionOf(rowProducts(image, k, weights, k, d), weights, trace, k, d);
  return { loss, rows: weights, image: image.map((value) => value * top) };
}

/** Mean ‖x − WᵀWx‖² from M = WCWᵀ. */
function reconstructionOf(m: Float64Array, weights: Float64Array, trace: number, k: number, d: number): number {
  return reconstructionLoss(m, rowProducts(weights, k, weights, k, d), trace, k);
}

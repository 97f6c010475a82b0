import { ConvergenceError, type Matrix } from '@scree/core';
import { show } from '@scree/core/words';
import { angleToGoal, determined, gapAfter, goalOf, pinned } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { Road } from '../shared/playback.js';
import { random } from '../shared/random.js';
import { covarianceOf, eigenOf } from '../shared/small-matrix.js';
import {
  defectOf,
  largest,
  orthogonalityTerm,
  product,
  productTransposed,
  reconstructionTerm,
} from '../shared/weight-terms.js';

export const RULES = ['autoencoder', 'oja', 'subspace', 'sanger'] as const;
export type WeightRule = (typeof RULES)[number];
export const STARTS = ['short', 'long', 'orthonormal'] as const;
export type Start = (typeof STARTS)[number];

/** What may be changed while it runs. */
export interface Hand {
  alpha: number;
  step: number;
}

/** Where weights stand. */
export interface Weighed extends Moment {
  /** k × d. */
  readonly w: Float64Array;
  readonly reconstruction: number;
  readonly orthogonality: number;
  readonly loss: number;
  /** To the exact subspace, in radians; to the nearest where several are as good. */
  readonly angle: number;
  readonly defect: number;
  readonly alpha: number;
}

/** The cloud in units in which its largest variance is 1, as core's own rules see it. */
export interface Weighable {
  readonly points: Matrix<Float64Array>;
  /** Σxxᵀ/n. */
  readonly c: Float64Array;
  readonly values: Float64Array;
  /** Eigenvectors of C, one a row. */
  readonly vectors: Float64Array;
}

export function weighable({ rows, cols, data }: Matrix<Float64Array>): Weighable {
  const { values } = eigenOf(covarianceOf({ rows, cols, data }), cols);
  const unit = Math.sqrt((values[0] * (rows - 1)) / rows) || 1;
  const points = { rows, cols, data: data.map((value) => value / unit) };
  const c = covarianceOf(points).map((value) => (value * (rows - 1)) / rows);
  return { points, c, ...eigenOf(c, cols) };
}

/** A step that is safe, by rule: 1/L of the losses, and half of what is stable for Hebb's rules. */
export const usualStep = (rule: WeightRule): number => (rule === 'autoencoder' ? 0.1 : 0.25);

const TOLERANCE = 1e-7;
/** Of Sanger's rule where a variance is zero: its row dies out as slowly as 1/√epochs. */
const FADING = 1e-5;
/** Epochs without progress after which a step jumps to and fro. */
const PATIENCE = 300;
const EPOCHS = 20_000;

/**
 * Weights that learn on all rows at once, from any start. Core's `descend` begins with orthonormal rows, where y_rec = y and the orthonormality
 * term is zero: the very things that this road is to show would not be seen.
 */
export function weightsRoad(
  data: Weighable,
  rule: WeightRule,
  k: number,
  start: Start,
  seed: number,
  hand: Hand,
): Road<Weighed> {
  const { c } = data;
  const d = data.points.cols;
  const goal = goalOf(data, k);
  let w = startRows(data, k, start, seed);
  let epoch = -1;
  let best: Weighed | undefined;
  let [lowest, idle, first] = [Number.POSITIVE_INFINITY, 0, Number.NaN];
  let least = Number.POSITIVE_INFINITY;
  let alphaBefore = hand.alpha;
  let done = false;
  return {
    next() {
      if (done) return undefined;
      const alpha = rule === 'autoencoder' ? hand.alpha : 0;
      if (alpha !== alphaBefore) [lowest, idle, first, alphaBefore] = [Number.POSITIVE_INFINITY, 0, Number.NaN, alpha];
      if (epoch >= 0) {
        const way = direction(rule, w, c, k, d, alpha);
        w = w.map((value, at) => value + hand.step * way[at]);
      }
      const [rec, orth] = [reconstructionTerm(w, c, k, d), orthogonalityTerm(w, k, d)];
      const loss = (1 - alpha) * rec.loss + alpha * orth.loss;
      if (Number.isNaN(first)) first = loss;
      const way = direction(rule, w, c, k, d, alpha);
      // Hebb's rules are no gradients of this loss, and Sanger's may climb: what must get less is the size of the steps.
      const size = largest(way);
      const progress = rule === 'autoencoder' ? loss : size;
      // Near the end a loss has no digits left to fall, but steps still get shorter.
      idle = progress < lowest * (1 - 1e-12) || size < least ? 0 : idle + 1;
      least = Math.min(least, size);
      const fading = rule === 'sanger' && !pinned(data, k, alpha);
      const settled = Number.isFinite(loss) && size < (fading ? FADING : TOLERANCE);
      const jumping = idle > PATIENCE && !settled && size > slowest(data, hand.step);
      epoch++;
      if (best && (!Number.isFinite(loss) || loss > 4 * first + 4 || jumping)) {
        w = best.w;
        idle = 0;
        throw tooLong(hand.step, rule, { ...best, epoch });
      }
      const angle = angleToGoal(goal, w);
      const defect = defectOf(w, k, d);
      done = settled && angle < 1e-6 && (defect < 1e-6 || !pinned(data, k, alpha));
      const moment = {
        epoch,
        w,
        reconstruction: Math.max(0, rec.loss),
        orthogonality: orth.loss,
        loss: Math.max(0, loss),
        angle,
        defect,
        alpha,
        converged: done,
      };
      if (progress < lowest) [best, lowest] = [moment, progress];
      if (epoch >= EPOCHS && !done) throw tooSlow(epoch, hand.step, rule, data, k);
      return moment;
    },
  };
}

/** Steps of this size may go on growing for long without any harm: towards an axis that is hardly one they are small, and grow half of the way. */
function slowest(data: Weighable, step: number): number {
  const gap = gapAfter(data, 1);
  return step * gap < 0.02 ? Math.max(1e-4, 2 * gap) : 1e-4;
}

/** Epochs go as 1/gap: what may help, and why it takes so long. */
function tooSlow(
  epoch: number,
  step: number,
  rule: WeightRule,
  data: Weighable,
  k: number,
): ConvergenceError<undefined> {
  const gap = gapAfter(data, k);
  const why = determined(goalOf(data, k)) && gap < 0.01 ? ` λ₁ and λ₂ differ by only ${show(100 * gap, 2)} %.` : '';
  const remedy = step > usualStep(rule) ? 'a shorter step' : 'a longer step';
  return new ConvergenceError(
    `After ${epoch} epochs it has not come to rest.${why} Try ${remedy}, or another start.`,
    undefined,
  );
}

function tooLong(step: number, rule: WeightRule, back: Weighed): ConvergenceError<Weighed> {
  const expected = Number(Math.min(step / 4, usualStep(rule)).toPrecision(2));
  const details = { option: 'step', value: step, expected };
  return new ConvergenceError(
    `A step of ${step} is too long: after ${back.epoch} epochs the loss does not fall.`,
    back,
    details,
    'DIVERGED',
  );
}

/** Where a rule wants to go: against the gradient, or as Hebb says. */
export function direction(
  rule: WeightRule,
  w: Float64Array,
  c: Float64Array,
  k: number,
  d: number,
  alpha: number,
): Float64Array {
  if (rule === 'autoencoder') {
    const [rec, orth] = [reconstructionTerm(w, c, k, d).gradient, orthogonalityTerm(w, k, d).gradient];
    return rec.map((value, at) => -((1 - alpha) * value + alpha * orth[at]));
  }
  // ΔW = yxᵀ − yyᵀW over all rows: N − MW with N = WC and M = NWᵀ; Sanger's neurons see only those before them.
  const n = product(w, c, k, d, d);
  const m = productTransposed(n, w, k, d, k);
  const seen = rule === 'sanger' ? m.map((value, at) => (at % k <= Math.floor(at / k) ? value : 0)) : m;
  const back = product(seen, w, k, k, d);
  return n.map((value, at) => value - back[at]);
}

/** Rows in the plane, away from the axes: of no use yet, and neither of length 1 nor at right angles unless that is asked for. */
function startRows({ vectors }: Weighable, k: number, start: Start, seed: number): Float64Array {
  const rng = random(seed);
  const axis = Math.atan2(vectors[1], vectors[0]);
  const side = rng.uniform() < 0.5 ? -1 : 1;
  const first = axis + side * (1.05 + 0.35 * rng.uniform());
  const length = start === 'short' ? 0.35 : start === 'long' ? 1.45 : 1;
  const apart = start === 'orthonormal' ? Math.PI / 2 : 0.6;
  const w = new Float64Array(k * 2);
  for (let r = 0; r < k; r++) {
    const angle = first - side * r * apart;
    const size = start === 'orthonormal' ? 1 : length * (r === 0 ? 1 : 0.8);
    w.set([size * Math.cos(angle), size * Math.sin(angle)], 2 * r);
  }
  return w;
}

/** What goes in, through and out: y = Wx, x_rec = Wᵀy, y_rec = Wx_rec, for all rows. */
export function through({ rows: n, cols: d, data }: Matrix<Float64Array>, w: Float64Array, k: number) {
  const y = productTransposed(data, w, n, d, k);
  const xRec = product(y, w, n, k, d);
  return { y, xRec, yRec: productTransposed(xRec, w, n, d, k) };
}

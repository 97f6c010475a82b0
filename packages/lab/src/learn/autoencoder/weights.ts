import { formatNumber } from '@scree/analysis/describe';
import type { Matrix } from '@scree/core';
import { averageTerms, combineRows, descend, random, rowProducts } from '@scree/core/learn';
import { descentRun } from '../shared/descent-run.js';
import { angleToGoal, areLengthsDetermined, gapAfter, goalOf, isDetermined, toleranceFor } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';
import type { UnitCloud } from '../shared/unit-cloud.js';

export const RULES = ['autoencoder', 'oja', 'subspace', 'sanger'] as const;
export type WeightRule = (typeof RULES)[number];
export const STARTS = ['short', 'long', 'orthonormal'] as const;
export type Start = (typeof STARTS)[number];

/** Settings that may be changed while a run plays. */
export interface LiveSettings {
  alpha: number;
  step: number;
}

/** The weights after an epoch. */
export interface Learned extends Moment {
  /** k × d. */
  readonly w: Float64Array;
  readonly reconstruction: number;
  readonly orthogonality: number;
  readonly loss: number;
  /** Angle to the exact subspace, in radians; to the nearest one if several are equally good. */
  readonly angle: number;
  readonly defect: number;
  readonly alpha: number;
}

/** A step that is short enough for the rule. */
export const defaultStep = (rule: WeightRule): number => (rule === 'autoencoder' ? 0.1 : 0.25);

/** Weights are at rest when the direction of the next step is shorter than this. */
const REST = 1e-7;
/** The same for Sanger's rule if a variance is zero: the row of this component shrinks slowly, as 1/√epochs. */
const FADING_REST = 1e-5;
/** The subspace is found when the angle to it is below this, in radians. */
const ANGLE = 1e-6;
const EPOCHS = 20_000;

/** Weights that learn from all rows at once, by a rule of the library, until they are at rest. */
export function learnWeights(
  data: UnitCloud,
  rule: WeightRule,
  k: number,
  start: Start,
  seed: number,
  live: LiveSettings,
): EpochRun<Learned> {
  const { points, c } = data;
  const goal = goalOf(data, k);
  const fading = rule === 'sanger' && !areLengthsDetermined(data, k, 0);
  const run = descend(points, {
    rule,
    k,
    start: { rows: k, cols: 2, data: startRows(data, k, start, seed) },
    epochs: EPOCHS,
    exact: false,
    exactUnits: true,
    rest: fading ? FADING_REST : REST,
    tolerance: toleranceFor(goal, ANGLE),
    ...(rule === 'autoencoder' ? { descent: 'plain' } : { batch: points.rows }),
  });
  return descentRun(run, {
    steer: () => {
      run.step = live.step;
      if (rule === 'autoencoder') run.alpha = live.alpha;
    },
    moment: ({ epoch, rows, loss, terms, defect, converged }) => ({
      epoch,
      w: rows.data,
      reconstruction: Math.max(0, terms.reconstruction),
      orthogonality: averageTerms(rows, c, 0).orthogonality,
      loss: Math.max(0, loss),
      angle: angleToGoal(goal, rows.data),
      defect,
      alpha: run.alpha,
      converged,
    }),
    tooSlow: (epochs) => {
      const gap = gapAfter(data, k);
      const why = isDetermined(goal) && gap < 0.01 ? ` λ₁ and λ₂ differ by only ${formatNumber(100 * gap, 2)} %.` : '';
      const remedy = live.step > defaultStep(rule) ? 'a shorter step' : 'a longer step';
      return `After ${epochs} epochs it has not come to rest.${why} Try ${remedy}, or another start.`;
    },
  });
}

/** Rows of W in the plane, away from the axes. They have length 1 and right angles only if the start is orthonormal. */
function startRows({ vectors }: UnitCloud, k: number, start: Start, seed: number): Float64Array {
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

/** Codes, reconstructions, and codes of the reconstructions, one row per point. */
export interface Passed {
  readonly y: Float64Array;
  readonly xRec: Float64Array;
  readonly yRec: Float64Array;
}

/** Passes all points through the autoencoder: y = Wx, x_rec = Wᵀy, y_rec = Wx_rec. */
export function passThrough({ rows: n, cols: d, data }: Matrix<Float64Array>, w: Float64Array, k: number): Passed {
  const y = rowProducts(data, n, w, k, d);
  const xRec = combineRows(y, n, w, k, d);
  return { y, xRec, yRec: rowProducts(xRec, n, w, k, d) };
}

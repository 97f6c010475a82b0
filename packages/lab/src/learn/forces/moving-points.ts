import { formatNumber } from '@scree/analysis/describe';
import type { Matrix } from '@scree/core';
import { descend, type Snapshot } from '@scree/core/learn';
import { descentRun } from '../shared/descent-run.js';
import { angleToGoal, type Goal, gapAfter, isDetermined, toleranceFor } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';

/** The points after an epoch. */
export interface Moved extends Moment {
  readonly state: Snapshot;
  /** f/σ₁⁴. */
  readonly loss: number;
  /** Angle between the plane of the data that the points show and the principal plane, in radians. */
  readonly angle: number;
}

/** A cloud whose points move in the plane, and their goal. */
export interface MovingPoints {
  readonly points: Matrix<Float64Array>;
  readonly goal: Goal;
  /** The lowest possible f/σ₁⁴: 4·Σ(λⱼ/λ₁)² over the components that a plane leaves out. */
  readonly floor: number;
  /** λ₂/λ₁. */
  readonly second: number;
}

export const DESCENTS = ['plain', 'momentum'] as const;
export type DescentName = (typeof DESCENTS)[number];

const K = 2;
/** The step at first. Steps of 1 or more overshoot along the first component and never settle. */
export const DEFAULT_STEP = 0.25;
const EPOCHS = 20_000;
/** Points are at rest when the forces, relative to σ₁, are below this. */
const REST = 1e-6;
/** If the second variance is below this share of λ₁, points approach a line slowly, as 1/√epochs, so that larger forces count as rest. */
export const THIN = 0.01;
const THIN_REST = 2e-5;
/** The principal plane is found when the angle to it is below this, in radians. */
const ANGLE = 1e-5;

export function movingPoints(points: Matrix<Float64Array>, goal: Goal): MovingPoints {
  const { values } = goal.eigen;
  const share = (value: number): number => Math.max(0, value / (values[0] || 1));
  const floor = values.slice(K).reduce((sum, value) => sum + 4 * share(value) ** 2, 0);
  return { points, goal, floor, second: share(values[1]) };
}

/** Moves points down f = ‖Dˣ − Dʸ‖² = 4‖XXᵀ − YYᵀ‖² until the forces on them are balanced. */
export function movePoints(
  { points, goal, second }: MovingPoints,
  descent: DescentName,
  seed: number,
  controls: { readonly step: number },
): EpochRun<Moved> {
  const run = descend(points, {
    rule: 'factored',
    k: K,
    descent,
    seed,
    epochs: EPOCHS,
    exact: false,
    exactUnits: true,
    rest: second < THIN ? THIN_REST : REST,
    tolerance: toleranceFor(goal, ANGLE),
  });
  return descentRun(run, {
    steer: () => {
      run.step = controls.step;
    },
    moment: (state) => {
      const { epoch, converged } = state;
      return { epoch, state, loss: Math.max(0, state.loss), angle: angleToGoal(goal, state.rows.data), converged };
    },
    tooSlow: (epochs) => {
      const gap = gapAfter(goal.eigen, K);
      const why =
        isDetermined(goal) && gap < second
          ? `λ₂ and λ₃ differ by only ${formatNumber(gap, 2)} of λ₁, so the plane turns slowly.`
          : `λ₂ is only ${formatNumber(second, 2)} of λ₁, so forces along the second axis are weak.`;
      return `After ${epochs} epochs the points still move. ${why}`;
    },
  });
}

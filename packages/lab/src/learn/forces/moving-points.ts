import { ConvergenceError, type Matrix } from '@scree/core';
import type { PointForces } from '@scree/core/learn';
import { show } from '@scree/core/words';
import { angleToGoal, determined, type Goal, gapAfter } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { Road } from '../shared/playback.js';
import { random } from '../shared/random.js';
import { product, productTransposed, transposed } from '../shared/weight-terms.js';

/** Points of the plane that move, as they stand after an epoch. */
export interface Moved extends Moment {
  /** n × 2, in units in which σ₁ = 1. */
  readonly y: Float64Array;
  /** f/σ₁⁴. */
  readonly loss: number;
  /** From the plane of the data that they show to the principal plane. */
  readonly angle: number;
}

/** The cloud in units in which σ₁² = λ₁(n − 1), the largest eigenvalue of XᵀX, is 1; and where its points are to go. */
export interface Movable {
  /** n × d. */
  readonly x: Float64Array;
  readonly rows: number;
  /** σ₁ in the data's units. */
  readonly unit: number;
  readonly goal: Goal;
  /** The least that f/σ₁⁴ can be: 4·Σ(λⱼ/λ₁)² over what a plane leaves out. */
  readonly floor: number;
  /** λ₂/λ₁. */
  readonly second: number;
}

export const HOW = ['plain', 'momentum'] as const;
export type How = (typeof HOW)[number];

const K = 2;
/** The step that is taken unless another is asked for; from 1 on the first component is overshot for good. */
export const USUAL_STEP = 0.25;
const START = 0.5;
const EPOCHS = 20_000;
/** At rest the plane is so near, in radians, and the squares of the points are their variances but for such a share of the second one. */
const ANGLE = 1e-5;
const NEAR = 1e-4;
const THIN_NEAR = 1e-3;
/** Below this share of λ₁ the second variance is hardly there: points close in on a line as slowly as 1/epochs, and rest is not waited for. */
export const THIN = 0.01;
/** Epochs in which the loss may grow, and in which it may fail to fall, before a step is too long. */
const GROWING = 3;
const IDLE = 300;

export function movable({ rows, cols, data }: Matrix<Float64Array>, goal: Goal): Movable {
  const { values } = goal.eigen;
  const unit = Math.sqrt(values[0] * (rows - 1)) || 1;
  const share = (j: number): number => Math.max(0, values[j] / (values[0] || 1));
  let floor = 0;
  for (let j = K; j < cols; j++) floor += 4 * share(j) ** 2;
  return { x: data.map((value) => value / unit), rows, unit, goal, floor, second: share(1) };
}

/**
 * Points moved down f = ‖Dˣ − Dʸ‖² = 4‖XXᵀ − YYᵀ‖², by the steps of core's `descend`. That ends as soon as the plane is found, which of data
 * that are flat it is at once, and it knows σ₁ only about; here the run must go on until the points rest, and the loss must have the floor
 * that is drawn.
 */
export function pointsRoad(data: Movable, how: How, seed: number, hand: { readonly step: number }): Road<Moved> {
  const { x, rows: n, goal, floor, second } = data;
  const d = goal.eigen.values.length;
  const squares = goal.eigen.values.reduce((sum, value) => sum + (value / (goal.eigen.values[0] || 1)) ** 2, 0);
  const near = floor + 4 * (second < THIN ? THIN_NEAR : NEAR * second) ** 2;
  let y = startPoints(n, seed);
  let reached = y;
  let speed = 0;
  let epoch = -1;
  let [growing, idle, last] = [0, 0, Number.POSITIVE_INFINITY];
  let best: Moved | undefined;
  let first = Number.NaN;
  let way: Float64Array | undefined;
  let done = false;
  const advance = (): void => {
    if (!way) return;
    const next = y.map((value, at) => value + hand.step * way![at]);
    // Nesterov's momentum, begun anew when the way goes uphill.
    const uphill = next.reduce((sum, value, at) => sum - way![at] * (value - reached[at]), 0);
    speed = how === 'plain' || uphill > 0 ? 0 : speed + 1;
    const share = speed / (speed + 3);
    y = next.map((value, at) => value + share * (value - reached[at]));
    reached = next;
  };
  return {
    next() {
      if (done) return undefined;
      advance();
      epoch++;
      const a = product(transposed(y, n), x, K, n, d);
      const g = productTransposed(transposed(y, n), transposed(y, n), K, n, K);
      const loss = Math.max(0, 4 * (squares - 2 * sumOfSquares(a) + sumOfSquares(g)));
      if (Number.isNaN(first)) first = loss;
      growing = loss > last + 1e-12 * first ? growing + 1 : 0;
      idle = loss < (best?.loss ?? Number.POSITIVE_INFINITY) || loss < floor + 1e-6 * first ? 0 : idle + 1;
      last = loss;
      const up = growing >= GROWING && loss - (best?.loss ?? loss) > 1e-3 * first;
      if (best && (!Number.isFinite(loss) || loss > 2 * first || up || idle > IDLE)) {
        [y, reached, speed, way] = [best.y, best.y, 0, wayOf(best.y)];
        [growing, idle, last] = [0, 0, Number.POSITIVE_INFINITY];
        throw tooLong(hand.step, { ...best, epoch });
      }
      way = wayOf(y);
      const angle = angleToGoal(goal, a);
      done = loss <= near && angle < ANGLE;
      const moment = { epoch, y, loss, angle, converged: done };
      if (!best || loss < best.loss) best = moment;
      if (epoch >= EPOCHS && !done) throw tooSlow(epoch, data);
      return moment;
    },
  };

  /** XXᵀY − YYᵀY: half of the forces. */
  function wayOf(at: Float64Array): Float64Array {
    const image = product(x, transposed(product(transposed(at, n), x, K, n, d), K), n, d, K);
    const g = productTransposed(transposed(at, n), transposed(at, n), K, n, K);
    const back = product(at, g, n, K, K);
    return image.map((value, i) => value - back[i]);
  }
}

/** Where the points are, in the data's units. */
export function scoresOf({ y }: Moved, { rows, unit }: Movable): Matrix<Float64Array> {
  return { rows, cols: K, data: y.map((value) => value * unit) };
}

/**
 * The forces on one point, pair by pair, in the data's units: Σⱼ (Dˣᵢⱼ − Dʸᵢⱼ)(yᵢ − yⱼ)/σ₁² over the pairs that pull and over those that push. D
 * of points about their mean is −2⟨xᵢ, xⱼ⟩.
 */
export function forcesOn({ y }: Moved, { x, rows: n, unit, goal }: Movable, i: number): PointForces {
  const d = goal.eigen.values.length;
  const centring = (of: Float64Array, cols: number): Float64Array =>
    productTransposed(of, of.slice(i * cols, i * cols + cols), n, cols, 1).map((value) => -2 * value);
  const [data, embedding] = [centring(x, d), centring(y, K)];
  const [attraction, repulsion] = [new Float64Array(K), new Float64Array(K)];
  for (let j = 0; j < n; j++) {
    const coefficient = data[j] - embedding[j];
    const side = coefficient < 0 ? attraction : repulsion;
    for (let c = 0; c < K; c++) side[c] += unit * coefficient * (y[i * K + c] - y[j * K + c]);
  }
  return { data, embedding, attraction, repulsion };
}

/** Random points about their mean, of a size that no data can be blown up by. */
function startPoints(n: number, seed: number): Float64Array {
  const rng = random(seed);
  const y = new Float64Array(n * K).map(() => (START * rng.normal()) / (Math.sqrt(n) + Math.sqrt(K)));
  for (let c = 0; c < K; c++) {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += y[i * K + c] / n;
    for (let i = 0; i < n; i++) y[i * K + c] -= mean;
  }
  return y;
}

function tooLong(step: number, back: Moved): ConvergenceError<Moved> {
  const expected = Number(Math.min(step / 4, USUAL_STEP).toPrecision(2));
  const details = { option: 'step', value: step, expected };
  return new ConvergenceError(`A step of ${step} is too long: the loss does not fall.`, back, details, 'DIVERGED');
}

function tooSlow(epoch: number, { goal, second }: Movable): ConvergenceError<undefined> {
  const gap = gapAfter(goal.eigen, K);
  const why =
    determined(goal) && gap < second
      ? `λ₂ and λ₃ differ by only ${show(gap, 2)} of λ₁, and a plane turns as slowly as that.`
      : `λ₂ is only ${show(second, 2)} of λ₁, and forces along it are as weak.`;
  return new ConvergenceError(`After ${epoch} epochs the points still move. ${why}`, undefined);
}

const sumOfSquares = (values: Float64Array): number => values.reduce((sum, value) => sum + value * value, 0);

import { type Matrix, ScreeError } from '@scree/core';
import { type DescendOptions, type Descent, descend, random } from '@scree/core/learn';
import { axesOf } from '../shared/axes.js';
import { centred } from '../shared/clouds.js';
import { angleToGoal, type Goal, goalOf, isDetermined } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';

/** One rule in the race. */
export interface Lane {
  readonly id: string;
  readonly name: string;
  readonly options: Pick<DescendOptions, 'rule' | 'descent'>;
  /** Numbers of components that it can find. */
  readonly k: readonly number[];
}

export const LANES: readonly Lane[] = [
  { id: 'pairwise', name: 'points, pairwise', options: { rule: 'pairwise' }, k: [1, 2] },
  { id: 'factored', name: 'points, factored', options: { rule: 'factored' }, k: [1, 2] },
  { id: 'autoencoder', name: 'autoencoder', options: { rule: 'autoencoder' }, k: [1, 2] },
  { id: 'plain', name: 'autoencoder, plain', options: { rule: 'autoencoder', descent: 'plain' }, k: [1, 2] },
  { id: 'oja', name: 'Oja', options: { rule: 'oja' }, k: [1] },
  { id: 'subspace', name: 'subspace rule', options: { rule: 'subspace' }, k: [2] },
  { id: 'sanger', name: 'Sanger', options: { rule: 'sanger' }, k: [2] },
];

/** A lane, with its records so far. */
export interface Runner {
  readonly lane: Lane;
  /** One entry per epoch: its number, the milliseconds of computing so far, and the angle. */
  readonly epochs: number[];
  readonly milliseconds: number[];
  readonly angles: number[];
  /** How the run ended; undefined while it runs. */
  end?: 'arrived' | 'stopped';
}

export interface Round extends Moment {
  readonly running: number;
}

/** A lane has arrived at the first epoch whose angle is below this, in radians. */
export const FOUND = 1e-5;
const EPOCHS = 4000;
/** A tolerance that is too small to be reached. The race itself decides after every epoch, by the angle, if a lane has arrived. */
const TOLERANCE = 1e-14;

/** The subspace that all lanes should find. */
export const raceGoal = (points: Matrix<Float64Array>, k: number): Goal => goalOf(axesOf(centred(points)), k);

/** Runs all lanes side by side: a round is one epoch of each. A batch is all rows, so that an epoch reads the data once in every lane. */
export function race(
  points: Matrix<Float64Array>,
  k: number,
  seed: number,
  goal = raceGoal(points, k),
): { run: EpochRun<Round>; runners: readonly Runner[] } {
  const lanes = LANES.filter((lane) => lane.k.includes(k));
  const runners: Runner[] = lanes.map((lane) => ({ lane, epochs: [], milliseconds: [], angles: [] }));
  const descents = lanes.map(({ options }): Descent => {
    const hebbian = options.rule === 'oja' || options.rule === 'subspace' || options.rule === 'sanger';
    return descend(points, {
      ...options,
      k,
      seed,
      epochs: EPOCHS,
      tolerance: TOLERANCE,
      ...(hebbian ? { batch: points.rows } : {}),
    });
  });
  let epoch = -1;
  const run: EpochRun<Round> = {
    next() {
      const before = runners.filter(({ end }) => end === undefined).length;
      if (before === 0) return undefined;
      epoch++;
      for (const [i, runner] of runners.entries()) if (runner.end === undefined) advance(runner, descents[i], goal);
      const running = runners.filter(({ end }) => end === undefined).length;
      return { epoch, running, converged: running === 0 && runners.every(({ end }) => end === 'arrived') };
    },
  };
  return { run, runners };
}

function advance(runner: Runner, descent: Descent, goal: Goal): void {
  const begin = performance.now();
  try {
    const { value } = descent.next();
    if (!value) {
      runner.end = 'stopped';
      return;
    }
    const spent = runner.milliseconds[runner.milliseconds.length - 1] ?? 0;
    runner.milliseconds.push(spent + withoutPause(runner, performance.now() - begin));
    runner.epochs.push(value.epoch);
    const angle = isDetermined(goal) ? (value.angle ?? Number.NaN) : angleToGoal(goal, value.rows.data);
    runner.angles.push(angle);
    if (angle < FOUND) runner.end = 'arrived';
    else if (value.converged) runner.end = 'stopped';
  } catch (error) {
    if (!(error instanceof ScreeError)) throw error;
    runner.end = 'stopped';
  }
}

/** The milliseconds of an epoch. An epoch of more than ten times the average was interrupted, by the browser or another program, and counts as ten times the average. */
function withoutPause({ milliseconds }: Runner, measured: number): number {
  const { length } = milliseconds;
  return length < 3 ? measured : Math.min(measured, 0.1 + (10 * milliseconds[length - 1]) / length);
}

/** Rows of thirty columns. Each variance is three quarters of the one before. */
export function wideCloud(seed = 1): Matrix<Float64Array> {
  const [rows, cols] = [160, 30];
  const rng = random(seed);
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) data[i * cols + j] = rng.normal() * 0.87 ** j;
    // Columns are mixed, so that no column is a component.
    for (let j = 0; j + 1 < cols; j++) {
      const [a, b] = [data[i * cols + j], data[i * cols + j + 1]];
      data[i * cols + j] = 0.8 * a - 0.6 * b;
      data[i * cols + j + 1] = 0.6 * a + 0.8 * b;
    }
  }
  return { rows, cols, data };
}

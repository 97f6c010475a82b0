import type { ConvergenceError, Matrix } from '@scree/core';
import { descend, rotatedOnto, rowProducts } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import {
  DESCENTS,
  type DescentName,
  type Moved,
  type MovingPoints,
  movePoints,
  movingPoints,
} from '../../src/learn/forces/moving-points.js';
import { axesOf } from '../../src/learn/shared/axes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { goalOf, nearestGoal } from '../../src/learn/shared/goal.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';
import { lastOf } from './runs.js';

function moving(points: Matrix<Float64Array>): MovingPoints {
  return movingPoints(points, goalOf(axesOf(points), 2));
}

function arrive(points: Matrix<Float64Array>, descent: DescentName, seed = 1): Moved {
  return lastOf(movePoints(moving(points), descent, seed, { step: 0.25 }));
}

/** The distance of the points from the scores, relative to the distance of the scores from their mean. */
function misplaced(points: Matrix<Float64Array>, { state }: Moved): number {
  const { goal } = moving(points);
  const y = state.scores().data;
  const scores = rowProducts(points.data, points.rows, nearestGoal(goal, state.rows.data), 2, 3);
  const z = rotatedOnto(scores, y, points.rows, 2);
  return Math.hypot(...z.map((value, at) => value - y[at])) / Math.hypot(...z);
}

/** The largest resulting force, relative to the largest pull at the start. */
function restless(points: Matrix<Float64Array>, last: Moved): number {
  const first = movePoints(moving(points), 'plain', 1, { step: 0.25 }).next();
  const all = Array.from({ length: points.rows }, (_, i) => i);
  const net = all.map((i) => {
    const { attraction, repulsion } = last.state.forces(i);
    return Math.hypot(attraction[0] + repulsion[0], attraction[1] + repulsion[1]);
  });
  return Math.max(...net) / Math.max(...all.map((i) => Math.hypot(...(first?.state.forces(i).attraction ?? [0]))));
}

const clouds = [
  ...cloudChoices(3).map(({ id }) => ({ id, points: cloudOf(id, 3).points })),
  ...[
    [4, 2, 0],
    [4, 0.1, 0],
    [4, 1, 1],
    [4, 4, 1],
    [2, 2, 2],
  ].map((values) => ({ id: `variances ${values}`, points: cloudWith(values) })),
];

describe.each(clouds)('moving points of $id', ({ points }) => {
  it.each(DESCENTS)('end as the scores, where forces are balanced and the loss is lowest: %s', (descent) => {
    for (const seed of [1, 2, 3]) {
      const last = arrive(points, descent, seed);
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-4);
      expect(last.loss).toBeCloseTo(moving(points).floor, 6);
      expect(misplaced(points, last)).toBeLessThan(1e-3);
      expect(restless(points, last)).toBeLessThan(1e-3);
    }
  });
});

describe('moving points', () => {
  it('move by half of η times the forces', () => {
    const { points } = cloudOf('blobs', 3);
    const run = movePoints(moving(points), 'plain', 1, { step: 0.2 });
    for (let i = 0; i < 5; i++) run.next();
    const [one, two] = [run.next()?.state, run.next()?.state];
    if (!one || !two) throw new Error('The run ended too early.');
    const [before, after] = [one.scores().data, two.scores().data];
    for (let i = 0; i < points.rows; i++) {
      const { attraction, repulsion } = one.forces(i);
      for (const c of [0, 1]) {
        expect(after[2 * i + c] - before[2 * i + c]).toBeCloseTo(0.1 * (attraction[c] + repulsion[c]), 10);
      }
    }
  });

  it('have the same loss and forces pair by pair, in exact units', () => {
    const { points } = cloudOf('pancake', 3);
    const options = { k: 2, descent: 'plain', seed: 1, step: 0.25, exactUnits: true } as const;
    const pairwise = descend(points, { rule: 'pairwise', ...options });
    const run = movePoints(moving(points), 'plain', 1, { step: 0.25 });
    for (let epoch = 0; epoch < 40; epoch++) {
      const [a, b] = [pairwise.next().value, run.next()];
      if (!a || !b) throw new Error('The run ended too early.');
      expect(a.loss).toBeCloseTo(b.loss, 10);
      a.forces(3).attraction.forEach((value, c) => {
        expect(value).toBeCloseTo(b.state.forces(3).attraction[c], 8);
      });
    }
  });

  it('approach a line more and more slowly, and stop close to it', () => {
    const last = arrive(cloudWith([4, 0, 0]), 'plain');
    expect(last.converged).toBe(true);
    expect(misplaced(cloudWith([4, 0, 0]), last)).toBeLessThan(0.05);
  });

  it('return to the lowest loss when the step is too long, and continue from there', () => {
    const live = { step: 1.5 };
    const run = movePoints(moving(cloudOf('pancake', 3).points), 'plain', 1, live);
    const seen: Moved[] = [];
    const play = (): void => {
      for (let next = run.next(); next; next = run.next()) seen.push(next);
    };
    let error: unknown;
    try {
      play();
    } catch (caught) {
      error = caught;
    }
    const { best, code } = error as ConvergenceError<Moved>;
    expect(code).toBe('DIVERGED');
    expect(best.loss).toBe(Math.min(...seen.map(({ loss }) => loss)));
    expect(best.epoch).toBe(seen[seen.length - 1].epoch + 1);
    live.step = 0.25;
    play();
    expect(seen[seen.length - 1].converged).toBe(true);
  });
});

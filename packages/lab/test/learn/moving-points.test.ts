import type { ConvergenceError, Matrix } from '@scree/core';
import { descend } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import {
  forcesOn,
  HOW,
  type How,
  type Moved,
  movable,
  pointsRoad,
  scoresOf,
} from '../../src/learn/forces/moving-points.js';
import { scoresOn, turnedToFit } from '../../src/learn/forces/procrustes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { goalOf, nearestGoal } from '../../src/learn/shared/goal.js';
import { covarianceOf, eigenOf } from '../../src/learn/shared/small-matrix.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';

function moving(points: Matrix<Float64Array>) {
  return movable(points, goalOf(eigenOf(covarianceOf(points), 3), 2));
}

function arrive(points: Matrix<Float64Array>, how: How, seed = 1): Moved {
  const road = pointsRoad(moving(points), how, seed, { step: 0.25 });
  let last = road.next();
  for (let next = last; next; next = road.next()) last = next;
  return last!;
}

/** How far the points are from the scores, as a share of how far those are from their mean. */
function misplaced(points: Matrix<Float64Array>, last: Moved): number {
  const data = moving(points);
  const y = scoresOf(last, data);
  const plane = new Float64Array(6);
  for (let i = 0; i < data.rows; i++) {
    for (let c = 0; c < 2; c++) for (let j = 0; j < 3; j++) plane[3 * c + j] += last.y[2 * i + c] * data.x[3 * i + j];
  }
  const z = turnedToFit(scoresOn(points, nearestGoal(data.goal, plane), 2), y);
  return Math.hypot(...z.data.map((value, at) => value - y.data[at])) / Math.hypot(...z.data);
}

/** The largest resulting force, as a share of the largest pull at the start. */
function restless(points: Matrix<Float64Array>, last: Moved): number {
  const data = moving(points);
  const first = pointsRoad(data, 'plain', 1, { step: 0.25 }).next()!;
  const all = Array.from({ length: data.rows }, (_, i) => i);
  const net = all.map((i) => {
    const { attraction, repulsion } = forcesOn(last, data, i);
    return Math.hypot(attraction[0] + repulsion[0], attraction[1] + repulsion[1]);
  });
  return Math.max(...net) / Math.max(...all.map((i) => Math.hypot(...forcesOn(first, data, i).attraction)));
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

describe.each(clouds)('points on their way, $id', ({ points }) => {
  it.each(HOW)('end as the scores, where forces are balanced and the loss is least: %s', (how) => {
    for (const seed of [1, 2, 3]) {
      const last = arrive(points, how, seed);
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-4);
      expect(last.loss).toBeCloseTo(moving(points).floor, 6);
      expect(misplaced(points, last)).toBeLessThan(1e-3);
      expect(restless(points, last)).toBeLessThan(1e-3);
    }
  });
});

describe('points on their way', () => {
  it('take half of η times the forces', () => {
    const data = moving(cloudOf('blobs', 3).points);
    const road = pointsRoad(data, 'plain', 1, { step: 0.2 });
    for (let i = 0; i < 5; i++) road.next();
    const [one, two] = [road.next()!, road.next()!];
    const [before, after] = [scoresOf(one, data), scoresOf(two, data)];
    for (let i = 0; i < data.rows; i++) {
      const { attraction, repulsion } = forcesOn(one, data, i);
      for (const c of [0, 1]) {
        expect(after.data[2 * i + c] - before.data[2 * i + c]).toBeCloseTo(0.1 * (attraction[c] + repulsion[c]), 10);
      }
    }
  });

  it('have the loss and the forces that core has, but for its σ₁, which is known only about', () => {
    const { points } = cloudOf('pancake', 3);
    const core = [...descend(points, { rule: 'pairwise', k: 2, descent: 'plain' })].pop()!;
    const last = arrive(points, 'plain');
    expect(core.loss / last.loss).toBeCloseTo(1, 1);
    const [a, b] = [core.forces(3), forcesOn(last, moving(points), 3)];
    expect(Math.hypot(...a.attraction) / Math.hypot(...b.attraction)).toBeCloseTo(1, 1);
  });

  it('close in on a line ever more slowly, which is as far as is waited for', () => {
    const last = arrive(cloudWith([4, 0, 0]), 'plain');
    expect(last.converged).toBe(true);
    expect(misplaced(cloudWith([4, 0, 0]), last)).toBeLessThan(0.05);
  });

  it('go back to the lowest place when the step is too long, and on from there', () => {
    const hand = { step: 1.5 };
    const road = pointsRoad(moving(cloudOf('pancake', 3).points), 'plain', 1, hand);
    const seen: Moved[] = [];
    const go = (): void => {
      for (let next = road.next(); next; next = road.next()) seen.push(next);
    };
    let error: unknown;
    try {
      go();
    } catch (caught) {
      error = caught;
    }
    const { best, code } = error as ConvergenceError<Moved>;
    expect(code).toBe('DIVERGED');
    expect(best.loss).toBe(Math.min(...seen.map(({ loss }) => loss)));
    expect(best.epoch).toBe(seen[seen.length - 1].epoch + 1);
    hand.step = 0.25;
    go();
    expect(seen[seen.length - 1].converged).toBe(true);
  });
});

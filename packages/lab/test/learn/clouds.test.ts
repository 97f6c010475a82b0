import { neighbourForces } from '@scree/core/learn';
import { afterEach, describe, expect, it } from 'vitest';
import { boxOf, cloudChoices, cloudOf, reachOf } from '../../src/learn/shared/clouds.js';
import { climb, turningOf } from '../../src/learn/variance/turning.js';
import { ownCloud } from '../../src/state/own-cloud.js';
import { lastOf } from './runs.js';

afterEach(() => {
  ownCloud.value = undefined;
});

const clouds = ([2, 3] as const).flatMap((dimensions) =>
  cloudChoices(dimensions).map(({ id }) => ({ id, dimensions, cloud: cloudOf(id, dimensions) })),
);

describe.each(clouds)('$id in $dimensions dimensions', ({ id, dimensions, cloud }) => {
  it('is reproducible, centred, and finite', () => {
    const { points } = cloud;
    expect(cloudOf(id, dimensions).points.data).toEqual(points.data);
    expect(cloudOf(id, dimensions, 2).points.data).not.toEqual(points.data);
    expect(points.cols).toBe(dimensions);
    for (let j = 0; j < dimensions; j++) {
      let sum = 0;
      for (let i = 0; i < points.rows; i++) sum += points.data[i * dimensions + j];
      expect(Math.abs(sum)).toBeLessThan(1e-10);
    }
    expect(reachOf(points)).toBeGreaterThan(1);
    expect(boxOf(points).x).toBeLessThanOrEqual(reachOf(points));
  });
});

describe('clouds', () => {
  it('include the first one under any unknown name', () => {
    expect(cloudOf('no such', 2).id).toBe('tilted');
    expect(cloudOf('own', 3).id).toBe('pancake');
  });

  it("offer the user's own data if they have enough dimensions and variance", () => {
    const data = Float64Array.from({ length: 60 }, (_, i) => Math.sin(i) + 3);
    ownCloud.value = { name: '<b>mine</b>', points: { rows: 30, cols: 2, data } };
    expect(cloudChoices(2).at(-1)).toEqual({ id: 'own', name: 'Your data: <b>mine</b>' });
    expect(cloudChoices(3).some(({ id }) => id === 'own')).toBe(false);
    expect(cloudOf('own', 2).points.rows).toBe(30);
    ownCloud.value = { name: 'flat', points: { rows: 30, cols: 2, data: new Float64Array(60) } };
    expect(cloudChoices(2).some(({ id }) => id === 'own')).toBe(false);
  });
});

describe.each(clouds.filter(({ dimensions }) => dimensions === 2))('a line through $id', ({ cloud }) => {
  it('keeps and loses the total variance, keeps most on the axis, and turns there from any angle', () => {
    const turning = turningOf(cloud.points);
    for (let degrees = -90; degrees < 90; degrees += 7) {
      const angle = (degrees * Math.PI) / 180;
      const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
      let lost = 0;
      for (let i = 0; i < cloud.points.rows; i++) {
        const [x, y] = cloud.points.data.subarray(2 * i, 2 * i + 2);
        lost += (x * uy - y * ux) ** 2 / (cloud.points.rows - 1);
      }
      expect(turning.kept(angle) + lost).toBeCloseTo(turning.total, 10);
      expect(turning.kept(angle)).toBeLessThanOrEqual(turning.kept(turning.axis) + 1e-12);
      const last = lastOf(climb(turning, angle));
      expect(last.converged).toBe(true);
      expect(Math.abs(last.off)).toBeLessThan(1e-6);
    }
  });
});

describe('a line through points that are round', () => {
  it('does not move, because all lines are equally good', () => {
    const corners = { rows: 4, cols: 2, data: Float64Array.from([1, 1, 1, -1, -1, 1, -1, -1]) };
    const turning = turningOf(corners);
    expect(turning.isRound).toBe(true);
    expect(climb(turning, 0.3).next()).toMatchObject({ converged: true });
  });
});

describe.each(clouds.filter(({ dimensions }) => dimensions === 3))('forces on $id', ({ cloud }) => {
  it('attract most nearest neighbours and repel most farthest ones, but not all', () => {
    const { doubleCentred, meansOnly } = neighbourForces(cloud.points);
    for (const share of [...Object.values(doubleCentred), ...Object.values(meansOnly)]) {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
    }
    expect(meansOnly.farthestRepel).toBeLessThan(1);
  });
});

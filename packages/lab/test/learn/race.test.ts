import { describe, expect, it } from 'vitest';
import { FOUND, race, wideCloud } from '../../src/learn/race/lanes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';

const fields = [
  { id: 'wide', points: wideCloud() },
  ...cloudChoices(3).map(({ id }) => ({ id, points: cloudOf(id, 3).points })),
];

describe.each(fields)('the race on $id', ({ points }) => {
  it.each([1, 2])('ends with everybody in the exact subspace, k = %i', (k) => {
    const { road, runners } = race(points, k, 1);
    let last = road.next();
    for (let next = last; next; next = road.next()) last = next;
    expect(last?.converged).toBe(true);
    for (const { lane, end, angles, epochs, milliseconds } of runners) {
      expect(end, lane.name).toBe('arrived');
      // At the first epoch that is there, and not when somebody looks next.
      expect(
        angles.findIndex((angle) => angle < FOUND),
        lane.name,
      ).toBe(angles.length - 1);
      expect(angles[angles.length - 1], lane.name).toBeLessThan(FOUND);
      expect(epochs).toHaveLength(milliseconds.length);
    }
  });

  it('has pairwise and factored points take the same steps', () => {
    const { road, runners } = race(points, 2, 1);
    for (let i = 0; i < 20; i++) road.next();
    const [pairwise, factored] = ['pairwise', 'factored'].map((id) => runners.find(({ lane }) => lane.id === id)!);
    factored.angles.forEach((angle, i) => {
      expect(pairwise.angles[i]).toBeCloseTo(angle, 8);
    });
  });
});

describe('where variances are equal', () => {
  it.each([[[4, 1, 1]], [[4, 4, 1]], [[2, 2, 2]], [[4, 1, 0]], [[4, 0, 0]]])('everybody arrives: %j', (values) => {
    for (const k of [1, 2]) {
      const { road, runners } = race(cloudWith(values), k, 1);
      let last = road.next();
      for (let next = last; next; next = road.next()) last = next;
      expect(runners.map(({ end }) => end)).toEqual(runners.map(() => 'arrived'));
      expect(last?.converged).toBe(true);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { cloudChoices, cloudOf } from '../../src/learn/clouds.js';
import { FOUND, race, wideCloud } from '../../src/learn/race-lanes.js';

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
      expect(end, lane.name).toBe('converged');
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

import { describe, expect, it } from 'vitest';
import { FOUND, race, wideCloud } from '../../src/learn/race/lanes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';
import { lastOf } from './runs.js';

const fields = [
  { id: 'wide', points: wideCloud() },
  ...cloudChoices(3).map(({ id }) => ({ id, points: cloudOf(id, 3).points })),
];

describe.each(fields)('the race on $id', ({ points }) => {
  it.each([1, 2])('ends with every rule in the exact subspace, k = %i', (k) => {
    const { run, runners } = race(points, k, 1);
    expect(lastOf(run).converged).toBe(true);
    for (const { lane, end, angles, epochs, milliseconds } of runners) {
      expect(end, lane.name).toBe('arrived');
      // A lane ends at the first epoch within the angle.
      expect(
        angles.findIndex((angle) => angle < FOUND),
        lane.name,
      ).toBe(angles.length - 1);
      expect(angles[angles.length - 1], lane.name).toBeLessThan(FOUND);
      expect(epochs).toHaveLength(milliseconds.length);
    }
  });

  it('takes the same steps with pairwise and factored points', () => {
    const { run, runners } = race(points, 2, 1);
    for (let i = 0; i < 20; i++) run.next();
    const [pairwise, factored] = ['pairwise', 'factored'].map(
      (id) => runners.find(({ lane }) => lane.id === id)?.angles,
    );
    expect(factored).toHaveLength(20);
    factored?.forEach((angle, i) => {
      expect(pairwise?.[i]).toBeCloseTo(angle, 8);
    });
  });
});

describe('with equal variances', () => {
  it.each([[[4, 1, 1]], [[4, 4, 1]], [[2, 2, 2]], [[4, 1, 0]], [[4, 0, 0]]])(
    'every rule of the race converges: %j',
    (values) => {
      for (const k of [1, 2]) {
        const { run, runners } = race(cloudWith(values), k, 1);
        expect(lastOf(run).converged).toBe(true);
        expect(runners.map(({ end }) => end)).toEqual(runners.map(() => 'arrived'));
      }
    },
  );
});

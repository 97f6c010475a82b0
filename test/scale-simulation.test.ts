import { describe, expect, it } from 'vitest';
import { crossing, krylovCost, momentsCost, PASSES, type Rates, type Setting } from '../bench/scale-model.js';
import { type Cluster, type Job, type Merge, simulate } from '../bench/scale-simulation.js';

const even: Cluster = { executors: 8, bandwidth: 1e9, dispatch: 0.01, spread: 0, stragglers: { share: 0, factor: 1 } };
const job: Job = { tasks: 32, taskSeconds: 5, resultBytes: 2e8, addSeconds: 0.05 };

describe('a simulated job', () => {
  it('on one executor takes as long as its tasks one after the other, its additions and one transfer', () => {
    const { seconds } = simulate(job, { ...even, executors: 1 }, 'combine', 1);
    expect(seconds).toBeCloseTo(32 * 5.01 + 31 * 0.05 + 0.2 + 0.05, 9);
  });

  it('of equal tasks takes whole waves, and merges in a tree of the depth log2', () => {
    const { seconds, computed, moved, received } = simulate(job, even, 'tree', 1);
    expect(computed).toBeCloseTo(4 * 5.01 + 3 * 0.05, 9);
    expect(seconds).toBeCloseTo(computed + 3 * 0.25 + 0.2, 9);
    expect([moved, received]).toEqual([8 * 2e8, 2e8]);
  });

  it('is bound by the link of the driver where every task sends its result there', () => {
    const large = { ...job, resultBytes: 8e9 };
    const { seconds, moved } = simulate(large, even, 'driver', 1);
    expect(seconds).toBeCloseTo(5.01 + 32 * 8 + 0.05, 9);
    expect(moved).toBe(32 * 8e9);
    expect(simulate(large, even, 'tree', 1).seconds).toBeLessThan(seconds / 4);
  });

  it.each<Merge>(['driver', 'combine', 'tree'])('never ends before its work is done, with %s', (merge) => {
    for (let seed = 1; seed <= 20; seed++) {
      const rough = { ...even, spread: 0.2, stragglers: { share: 0.05, factor: 4 } };
      const { seconds, computed } = simulate(job, rough, merge, seed);
      expect(computed).toBeGreaterThan((32 * 5 * 0.7) / 8);
      expect(seconds).toBeGreaterThan(computed);
      expect(simulate(job, rough, merge, seed).seconds).toBe(seconds);
    }
  });

  it('uses no more executors than it has tasks', () => {
    expect(simulate({ ...job, tasks: 3 }, even, 'tree', 1).moved).toBe(3 * 2e8);
  });
});

describe('the cost model', () => {
  const rates: Rates = { decode: 5e7, gram: 8e9, normal: 5e9, add: 5e8 };
  const setting: Setting = { ...even, rates, merge: 'tree', waves: 4, seeds: 1 };

  it('is the work divided by the executors, where work is long and sums are small', () => {
    const { seconds, coreSeconds } = momentsCost({ n: 1e8, d: 100 }, setting);
    expect(coreSeconds).toBeCloseTo(1e10 / 5e7 + 1e12 / 8e9, 6);
    expect(seconds / (coreSeconds / 8)).toBeCloseTo(1, 2);
    const krylov = krylovCost({ n: 1e8, d: 100 }, 5, false, setting);
    expect(krylov.seconds / (krylov.coreSeconds / 8)).toBeCloseTo(1, 2);
    expect(krylov.read).toBe(PASSES * 8e10);
  });

  it.each([true, false])('takes the same time for both methods where they cross (cached: %s)', (cached) => {
    const d = crossing(rates, 20, cached);
    const [moments, krylov] = [momentsCost({ n: 1e9, d }, setting), krylovCost({ n: 1e9, d }, 20, cached, setting)];
    expect(moments.coreSeconds / krylov.coreSeconds).toBeCloseTo(1, 9);
  });
});

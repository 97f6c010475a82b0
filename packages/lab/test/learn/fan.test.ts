import { pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { axesOf } from '../../src/learn/shared/axes.js';
import {
  cloudWith,
  expectedTurn,
  fanOf,
  lineTurn,
  subspaceTurn,
  typical,
  wobble,
} from '../../src/learn/uniqueness/fan.js';
import { momentsOf } from './runs.js';

const NOISE = 0.1;

/** The angles by which noise turns the first axis and the plane of the first two axes. */
function turns(values: readonly number[]): { axis: number; plane: number } {
  const points = cloudWith(values);
  const still = axesOf(points);
  const fan = fanOf(points, NOISE, 60);
  return {
    axis: typical(fan.map((one) => lineTurn(one.vectors.subarray(0, 3), still.vectors.subarray(0, 3)))),
    plane: typical(fan.map((one) => subspaceTurn(one, still, 2))),
  };
}

describe('a fan of axes', () => {
  it('belongs to a cloud with exactly the requested eigenvalues', async () => {
    for (const values of [
      [4, 2, 0.6],
      [4, 4, 1],
      [4, 1, 1],
    ]) {
      const model = await pca(cloudWith(values), { k: 3 });
      model.variances.forEach((value, j) => {
        expect(value).toBeCloseTo(values[j], 10);
      });
    }
  });

  it('is as wide as first-order theory predicts, and narrow if variances differ', () => {
    const { axis, plane } = turns([4, 2, 0.6]);
    expect(plane).toBeLessThan(0.05);
    expect(axis).toBeGreaterThan(0.01);
  });

  it.each([[[4, 2, 0.6]], [[4, 4, 0.6]], [[4, 2, 2]], [[4, 1, 0.3]]])(
    'is as wide as first-order theory says where that holds, of all pairs across the cut: %j',
    (values) => {
      const { axis, plane } = turns(values);
      for (const [measured, expected] of [
        [axis, expectedTurn(values, 1, NOISE)],
        [plane, expectedTurn(values, 2, NOISE)],
      ]) {
        if (expected > 0.3) continue;
        expect(measured / expected).toBeGreaterThan(0.85);
        expect(measured / expected).toBeLessThan(1.15);
      }
    },
  );

  it('opens within a fixed plane if λ₁ = λ₂, and leaves the plane if λ₂ = λ₃', () => {
    const first = turns([4, 4, 0.6]);
    expect(first.axis).toBeGreaterThan(0.5);
    expect(first.plane).toBeLessThan(0.05);
    const second = turns([4, 2, 2]);
    expect(second.axis).toBeLessThan(0.1);
    expect(second.plane).toBeGreaterThan(0.5);
  });

  it('is wide exactly if the library warns', async () => {
    const equal = await pca(cloudWith([4, 4, 0.6]), { k: 2 });
    expect(equal.uniqueness.subspace.determined).toBe(true);
    expect(equal.uniqueness.axes.map(({ determined }) => determined)).toEqual([false, false]);
    const lost = await pca(cloudWith([4, 2, 2]), { k: 2 });
    expect(lost.uniqueness.subspace.determined).toBe(false);
  });
});

describe('changing noise', () => {
  it('ends, changes in small steps, and is reproducible', () => {
    const points = cloudWith([4, 2, 0.6]);
    const moments = momentsOf(wobble(points, NOISE));
    expect(moments.at(-1)?.converged).toBe(true);
    for (let i = 1; i < moments.length; i++) {
      const step = lineTurn(moments[i].axes.vectors.subarray(0, 3), moments[i - 1].axes.vectors.subarray(0, 3));
      expect(step).toBeLessThan(0.02);
    }
    expect(wobble(points, NOISE).next()?.axes.vectors).toEqual(moments[0].axes.vectors);
  });
});

import { principalAngles } from '@scree/analysis';
import { eigenOf, random } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import { angleToGoal, goalOf, isDetermined, nearestGoal, sentenceIfUndetermined } from '../../src/learn/shared/goal.js';

const goal = (values: readonly number[], k: number) =>
  goalOf(eigenOf([values[0], 0, 0, 0, values[1], 0, 0, 0, values[2]], 3), k);

describe('the goal of a run', () => {
  it.each([
    [[4, 2, 1], 1, true, ''],
    [[4, 2, 1], 2, true, ''],
    [[4, 4, 1], 2, true, ''],
    [[4, 4, 1], 1, false, 'λ₁ = λ₂: the axis is not determined, every axis in the plane of the first two is as good.'],
    [[4, 1, 1], 2, false, 'λ₂ = λ₃: the plane is not determined, every plane through the first axis is as good.'],
    [[4, 1, 1], 1, true, ''],
    [[2, 2, 2], 1, false, 'λ₁ = λ₂ = λ₃: the axis is not determined, every axis is as good.'],
    [[2, 2, 2], 2, false, 'λ₁ = λ₂ = λ₃: the plane is not determined, every plane is as good.'],
    [[4, 1, 0], 2, true, ''],
    [[4, 0, 0], 2, false, 'λ₂ = λ₃: the plane is not determined, every plane through the first axis is as good.'],
  ])('%j, k = %i: determined is %s', (values, k, sure, words) => {
    expect(isDetermined(goal(values, k))).toBe(sure);
    expect(sentenceIfUndetermined(goal(values, k))).toBe(words);
  });

  it('is the nearest of all subspaces that are equally good', () => {
    const rng = random(7);
    for (const [values, k] of [
      [[4, 4, 1], 1],
      [[4, 1, 1], 2],
      [[2, 2, 2], 2],
      [[4, 2, 1], 2],
    ] as const) {
      const to = goal(values, k);
      for (let i = 0; i < 20; i++) {
        const rows = new Float64Array(3 * k).map(() => rng.normal());
        const nearest = nearestGoal(to, rows);
        const span = (data: Float64Array) => ({ rows: k, cols: 3, data });
        expect(Math.max(...principalAngles(span(rows), span(nearest)))).toBeCloseTo(angleToGoal(to, rows), 10);
        // It keeps as much variance as the best subspace.
        let kept = 0;
        for (let at = 0; at < 3 * k; at++) kept += nearest[at] ** 2 * values[at % 3];
        expect(kept).toBeCloseTo(
          values.slice(0, k).reduce((sum, value) => sum + value, 0),
          10,
        );
      }
    }
  });
});

import { ConvergenceError } from '@scree/core';
import { autoencoderTerms, averageTerms, descend, random, rowProducts } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import {
  defaultStep,
  type Learned,
  learnWeights,
  passThrough,
  RULES,
  STARTS,
  type Start,
  type WeightRule,
} from '../../src/learn/autoencoder/weights.js';
import { axesOf } from '../../src/learn/shared/axes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { type UnitCloud, unitCloud } from '../../src/learn/shared/unit-cloud.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';
import { lastOf, momentsOf } from './runs.js';

const data = unitCloud(cloudOf('tilted', 2).points);

function someRows(k: number, d: number, seed = 3): Float64Array {
  const rng = random(seed);
  return new Float64Array(k * d).map(() => 0.7 * rng.normal());
}

/** The gradient of a loss, by finite differences. */
function differences(loss: (w: Float64Array) => number, w: Float64Array): number[] {
  return Array.from(w, (_, at) => {
    const [up, down] = [w.slice(), w.slice()];
    up[at] += 1e-5;
    down[at] -= 1e-5;
    return (loss(up) - loss(down)) / 2e-5;
  });
}

function run(rule: WeightRule, k: number, start: Start, cloud = data, alpha = 0): Learned {
  return lastOf(learnWeights(cloud, rule, k, start, 1, { alpha, step: defaultStep(rule) }));
}

describe('the terms of the loss', () => {
  const terms = (w: Float64Array, k: number, alpha: number) =>
    averageTerms({ rows: k, cols: 2, data: w }, data.c, alpha);

  it.each([1, 2])('have the gradients of finite differences, k = %i', (k) => {
    const w = someRows(k, 2);
    for (const alpha of [0, 0.4, 1]) {
      const loss = (v: Float64Array): number => {
        const { reconstruction, orthogonality } = terms(v, k, alpha);
        return (1 - alpha) * reconstruction + alpha * orthogonality;
      };
      const found = differences(loss, w);
      terms(w, k, alpha).gradient.forEach((value, at) => {
        expect(value).toBeCloseTo(found[at], 6);
      });
    }
  });

  it('are the means over single rows', () => {
    const w = someRows(2, 2);
    const { rows: n, data: x } = data.points;
    const mean = new Float64Array(4);
    let loss = 0;
    const passed = passThrough(data.points, w, 2);
    for (let i = 0; i < n; i++) {
      const one = autoencoderTerms({ rows: 2, cols: 2, data: w }, x.subarray(2 * i, 2 * i + 2));
      loss += one.reconstruction / n;
      one.reconstructionGradient.forEach((value, at) => {
        mean[at] += value / n;
      });
      expect(passed.yRec[2 * i]).toBeCloseTo(one.yRec[0], 12);
      expect(passed.xRec[2 * i + 1]).toBeCloseTo(one.xRec[1], 12);
    }
    const all = terms(w, 2, 0);
    expect(all.reconstruction).toBeCloseTo(loss, 10);
    all.gradient.forEach((value, at) => {
      expect(value).toBeCloseTo(mean[at], 10);
    });
  });

  it('agree with Oja where rows are orthonormal: the gradient is −2 times the subspace step', () => {
    const start = { rows: 1, cols: 2, data: Float64Array.from([0.6, 0.8]) };
    const options = { k: 1, start, step: 0.01, exactUnits: true } as const;
    const run = descend(data.points, { rule: 'subspace', batch: data.points.rows, ...options });
    const [before, after] = [run.next().value, run.next().value];
    const { gradient } = terms(start.data, 1, 0);
    after?.rows.data.forEach((value, at) => {
      expect(gradient[at]).toBeCloseTo((-2 * (value - (before?.rows.data[at] ?? Number.NaN))) / 0.01, 10);
    });
  });
});

describe.each(cloudChoices(2))('weights on $id', ({ id }) => {
  const cloud = unitCloud(cloudOf(id, 2).points);
  it.each(RULES.flatMap((rule) => STARTS.map((start) => ({ rule, start }))))(
    '$rule arrives from a $start start',
    ({ rule, start }) => {
      for (const k of rule === 'oja' ? [1] : [1, 2]) {
        const { converged, angle, defect, w } = run(rule, k, start, cloud);
        expect(converged).toBe(true);
        expect(angle).toBeLessThan(1e-6);
        expect(defect).toBeLessThan(1e-5);
        if (rule !== 'sanger') continue;
        // Rows are in order: the first row is the first component.
        expect(Math.abs(w[0] * cloud.vectors[0] + w[1] * cloud.vectors[1])).toBeCloseTo(1, 4);
      }
    },
  );
});

describe('α', () => {
  it('changes the number of epochs and not the result', () => {
    const epochs = [0, 0.5, 0.9].map((alpha) => {
      const last = run('autoencoder', 1, 'short', data, alpha);
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-6);
      return last.epoch;
    });
    expect(new Set(epochs).size).toBe(3);
  });

  it('lets the run converge, in thousands of epochs, if it is large and variances are close', () => {
    const last = run('autoencoder', 1, 'short', unitCloud(cloudOf('round', 2).points), 0.95);
    expect(last.epoch).toBeGreaterThan(1000);
    expect(last.converged).toBe(true);
  });
});

/** Points of a plane with these variances. */
function plane(values: readonly [number, number]): UnitCloud {
  const points = cloudWith([...values, 0]);
  return unitCloud({
    rows: points.rows,
    cols: 2,
    data: rowProducts(points.data, points.rows, axesOf(points).vectors, 2, 3),
  });
}

describe('data that do not determine the answer', () => {
  it.each(RULES)('let %s converge', (rule) => {
    for (const k of rule === 'oja' ? [1] : [1, 2]) {
      const round = run(rule, k, 'short', plane([2, 2]));
      expect(round).toMatchObject({ converged: true });
      expect(round.defect).toBeLessThan(1e-5);
      const line = run(rule, k, 'short', plane([2, 0]));
      expect(line).toMatchObject({ converged: true });
      expect(line.reconstruction).toBeLessThan(1e-6);
    }
  });

  it('determine the length of all rows as soon as α > 0', () => {
    expect(run('autoencoder', 2, 'short', plane([2, 0])).defect).toBeGreaterThan(0.01);
    expect(run('autoencoder', 2, 'short', plane([2, 0]), 0.5).defect).toBeLessThan(1e-5);
  });
});

describe('too long a step', () => {
  it.each(RULES)('is reported by %s, which continues with a shorter one', (rule) => {
    const live = { alpha: 0, step: 3 };
    const run = learnWeights(data, rule, 1, 'short', 1, live);
    expect(() => lastOf(run)).toThrow(ConvergenceError);
    live.step = defaultStep(rule);
    expect(lastOf(run).converged).toBe(true);
  });

  it('returns to the lowest loss, and says so', () => {
    const run = learnWeights(data, 'autoencoder', 1, 'short', 1, { alpha: 0, step: 1 });
    const seen: Learned[] = [];
    let error: unknown;
    try {
      for (let next = run.next(); next; next = run.next()) seen.push(next);
    } catch (caught) {
      error = caught;
    }
    const { best } = error as ConvergenceError<Learned>;
    expect(best.loss).toBe(Math.min(...seen.map(({ loss }) => loss)));
    expect(best.epoch).toBe(seen[seen.length - 1].epoch + 1);
    // The run continues from there.
    expect(run.next()?.epoch).toBe(best.epoch + 1);
  });

  it.each(RULES)('is not reported by %s for an axis that is hardly determined', (rule) => {
    for (const gap of [1e-2, 6e-3]) {
      const last = run(rule, 1, 'short', plane([2, 2 * (1 - gap)]));
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-3);
    }
  });

  it('is not advised if the step is long already', () => {
    const almost = plane([2, 2 * (1 - 1e-6)]);
    for (const [step, advice] of [
      [0.05, 'a longer step'],
      [0.2, 'a shorter step'],
    ] as const) {
      const run = learnWeights(almost, 'autoencoder', 1, 'short', 1, { alpha: 0, step });
      expect(() => momentsOf(run)).toThrow(advice);
    }
  });
});

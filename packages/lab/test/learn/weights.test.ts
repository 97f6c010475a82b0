import { ConvergenceError } from '@scree/core';
import { autoencoderTerms } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import {
  direction,
  RULES,
  STARTS,
  type Start,
  through,
  usualStep,
  type Weighed,
  type WeightRule,
  weighable,
  weightsRoad,
} from '../../src/learn/autoencoder/weights.js';
import { scoresOn } from '../../src/learn/forces/procrustes.js';
import { cloudChoices, cloudOf } from '../../src/learn/shared/clouds.js';
import { random } from '../../src/learn/shared/random.js';
import { covarianceOf, eigenOf } from '../../src/learn/shared/small-matrix.js';
import { orthogonalityTerm, reconstructionTerm } from '../../src/learn/shared/weight-terms.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';

const data = weighable(cloudOf('tilted', 2).points);

function someRows(k: number, d: number, seed = 3): Float64Array {
  const rng = random(seed);
  return new Float64Array(k * d).map(() => 0.7 * rng.normal());
}

/** The gradient of a loss by differences. */
function differences(loss: (w: Float64Array) => number, w: Float64Array): number[] {
  return Array.from(w, (_, at) => {
    const [up, down] = [w.slice(), w.slice()];
    up[at] += 1e-5;
    down[at] -= 1e-5;
    return (loss(up) - loss(down)) / 2e-5;
  });
}

function run(rule: WeightRule, k: number, start: Start, cloud = data, alpha = 0): Weighed {
  const road = weightsRoad(cloud, rule, k, start, 1, { alpha, step: usualStep(rule) });
  let last = road.next();
  for (let next = last; next; next = road.next()) last = next;
  return last!;
}

describe('the terms of the loss', () => {
  it.each([1, 2])('have the gradients that differences find, k = %i', (k) => {
    const w = someRows(k, 2);
    for (const term of [
      (v: Float64Array) => reconstructionTerm(v, data.c, k, 2),
      (v: Float64Array) => orthogonalityTerm(v, k, 2),
    ]) {
      const found = differences((v) => term(v).loss, w);
      term(w).gradient.forEach((value, at) => {
        expect(value).toBeCloseTo(found[at], 6);
      });
    }
  });

  it('are those of the library, averaged over the rows', () => {
    const w = someRows(2, 2);
    const { rows: n, data: x } = data.points;
    const mean = new Float64Array(4);
    let loss = 0;
    const passed = through(data.points, w, 2);
    for (let i = 0; i < n; i++) {
      const terms = autoencoderTerms({ rows: 2, cols: 2, data: w }, x.subarray(2 * i, 2 * i + 2));
      loss += terms.reconstruction / n;
      terms.reconstructionGradient.forEach((value, at) => {
        mean[at] += value / n;
      });
      expect(passed.yRec[2 * i]).toBeCloseTo(terms.yRec[0], 12);
      expect(passed.xRec[2 * i + 1]).toBeCloseTo(terms.xRec[1], 12);
    }
    const own = reconstructionTerm(w, data.c, 2, 2);
    expect(own.loss).toBeCloseTo(loss, 10);
    own.gradient.forEach((value, at) => {
      expect(value).toBeCloseTo(mean[at], 10);
    });
  });

  it('agree with Oja where rows are orthonormal: the gradient is −2 times the subspace step', () => {
    const w = Float64Array.from([0.6, 0.8]);
    const gradient = reconstructionTerm(w, data.c, 1, 2).gradient;
    direction('subspace', w, data.c, 1, 2, 0).forEach((step, at) => {
      expect(gradient[at]).toBeCloseTo(-2 * step, 12);
    });
  });
});

describe.each(cloudChoices(2))('weights on $id', ({ id }) => {
  const cloud = weighable(cloudOf(id, 2).points);
  it.each(RULES.flatMap((rule) => STARTS.map((start) => ({ rule, start }))))(
    '$rule arrives from a $start start',
    ({ rule, start }) => {
      for (const k of rule === 'oja' ? [1] : [1, 2]) {
        const { converged, angle, defect, w } = run(rule, k, start, cloud);
        expect(converged).toBe(true);
        expect(angle).toBeLessThan(1e-6);
        expect(defect).toBeLessThan(1e-5);
        if (rule !== 'sanger') continue;
        // In order: the first row is the first component.
        expect(Math.abs(w[0] * cloud.vectors[0] + w[1] * cloud.vectors[1])).toBeCloseTo(1, 4);
      }
    },
  );
});

describe('α', () => {
  it('changes the way and not the end', () => {
    const epochs = [0, 0.5, 0.9].map((alpha) => {
      const last = run('autoencoder', 1, 'short', data, alpha);
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-6);
      return last.epoch;
    });
    expect(new Set(epochs).size).toBe(3);
  });

  it('may be so large, and variances so close, that thousands of epochs are needed: slow is not wrong', () => {
    const last = run('autoencoder', 1, 'short', weighable(cloudOf('round', 2).points), 0.95);
    expect(last.epoch).toBeGreaterThan(1000);
    expect(last.converged).toBe(true);
  });
});

/** Points of a plane with these variances. */
function plane(values: readonly [number, number]): ReturnType<typeof weighable> {
  const points = cloudWith([...values, 0]);
  return weighable(scoresOn(points, eigenOf(covarianceOf(points), 3).vectors.subarray(0, 6), 2));
}

describe('data that do not say everything', () => {
  it.each(RULES)('are no reason for %s not to come to rest', (rule) => {
    for (const k of rule === 'oja' ? [1] : [1, 2]) {
      const round = run(rule, k, 'short', plane([2, 2]));
      expect(round).toMatchObject({ converged: true });
      expect(round.defect).toBeLessThan(1e-5);
      const line = run(rule, k, 'short', plane([2, 0]));
      expect(line).toMatchObject({ converged: true });
      expect(line.reconstruction).toBeLessThan(1e-6);
    }
  });

  it('pin the length of all rows as soon as α does', () => {
    expect(run('autoencoder', 2, 'short', plane([2, 0])).defect).toBeGreaterThan(0.01);
    expect(run('autoencoder', 2, 'short', plane([2, 0]), 0.5).defect).toBeLessThan(1e-5);
  });
});

describe('too long a step', () => {
  it.each(RULES)('is told as such by %s, which goes on with a shorter one', (rule) => {
    const hand = { alpha: 0, step: 3 };
    const road = weightsRoad(data, rule, 1, 'short', 1, hand);
    const go = (): Weighed => {
      let last: Weighed | undefined;
      for (let next = road.next(); next; next = road.next()) last = next;
      return last!;
    };
    expect(go).toThrow(ConvergenceError);
    hand.step = usualStep(rule);
    expect(go().converged).toBe(true);
  });

  it('goes back to the lowest place, and says so', () => {
    const road = weightsRoad(data, 'autoencoder', 1, 'short', 1, { alpha: 0, step: 1 });
    const seen: Weighed[] = [];
    let error: unknown;
    try {
      for (let next = road.next(); next; next = road.next()) seen.push(next);
    } catch (caught) {
      error = caught;
    }
    const { best } = error as ConvergenceError<Weighed>;
    expect(best.loss).toBe(Math.min(...seen.map(({ loss }) => loss)));
    expect(best.epoch).toBe(seen[seen.length - 1].epoch + 1);
    // And from there it goes on.
    expect(road.next()?.epoch).toBe(best.epoch + 1);
  });

  it.each(RULES)('is not what keeps %s from an axis that is hardly one', (rule) => {
    for (const gap of [1e-2, 6e-3]) {
      const last = run(rule, 1, 'short', plane([2, 2 * (1 - gap)]));
      expect(last.converged).toBe(true);
      expect(last.angle).toBeLessThan(1e-3);
    }
  });

  it('is not advised to whoever has a long one already', () => {
    const almost = plane([2, 2 * (1 - 1e-6)]);
    for (const [step, advice] of [
      [0.05, 'a longer step'],
      [0.2, 'a shorter step'],
    ] as const) {
      const road = weightsRoad(almost, 'autoencoder', 1, 'short', 1, { alpha: 0, step });
      const go = (): void => {
        for (let next = road.next(); next; next = road.next());
      };
      expect(go).toThrow(advice);
    }
  });
});

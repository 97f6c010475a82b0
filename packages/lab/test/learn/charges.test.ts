import { averageTerms, random, rowProducts } from '@scree/core/learn';
import { describe, expect, it } from 'vitest';
import {
  type Charged,
  coulombEnergy,
  forceOf,
  LAWS,
  type Law,
  leastOf,
  moveRows,
} from '../../src/learn/charges/laws.js';
import { cloudOf } from '../../src/learn/shared/clouds.js';
import { unitCloud } from '../../src/learn/shared/unit-cloud.js';
import { cloudWith } from '../../src/learn/uniqueness/fan.js';
import { lastOf } from './runs.js';

const data = unitCloud(cloudOf('pancake', 3).points);

function arrive(law: Law, k: number, alpha = 1, seed = 1, pull = data): Charged {
  return lastOf(moveRows(law, k, seed, pull, { alpha }));
}

function reconstructionLoss(w: Float64Array, k: number, c: Float64Array): number {
  return averageTerms({ rows: k, cols: 3, data: w }, c, 0).reconstruction;
}

/** Minus the gradient of a loss, by finite differences. */
function descent(loss: (w: Float64Array) => number, w: Float64Array): Float64Array {
  return w.map((_, at) => {
    const [up, down] = [w.slice(), w.slice()];
    up[at] += 1e-5;
    down[at] -= 1e-5;
    return (loss(down) - loss(up)) / 2e-5;
  });
}

describe('forces on the sphere', () => {
  const rng = random(9);
  const w = new Float64Array(12).map(() => rng.normal());

  it.each([1, 0.6, 0])('are minus the gradient of the loss, α = %f', (alpha) => {
    const loss = (v: Float64Array) => {
      const { orthogonality, reconstruction } = averageTerms({ rows: 4, cols: 3, data: v }, data.c, alpha);
      return alpha * orthogonality + (1 - alpha) * reconstruction;
    };
    const found = descent(loss, w);
    forceOf('rods', w, 4, alpha, data.c).forEach((value, at) => {
      expect(value).toBeCloseTo(found[at], 4);
    });
  });

  it('between charges are minus the gradient of their energy, along the sphere', () => {
    const whole = descent((v) => coulombEnergy(v, 4), w);
    const along = forceOf('coulomb', w, 4, 1, data.c);
    for (let a = 0; a < 4; a++) {
      const row = w.subarray(3 * a, 3 * a + 3);
      const square = row.reduce((sum, value) => sum + value * value, 0);
      const inward = row.reduce((sum, value, j) => sum + value * whole[3 * a + j], 0) / square;
      row.forEach((value, j) => {
        expect(along[3 * a + j]).toBeCloseTo(whole[3 * a + j] - inward * value, 5);
      });
      const held = forceOf('held', w, 4, 1, data.c);
      expect(row.reduce((sum, value, j) => sum + value * held[3 * a + j], 0)).toBeCloseTo(0, 10);
    }
  });
});

describe.each(LAWS)('%s', (law) => {
  it.each([2, 3, 4, 5, 6])('converges to the known state with %i rows', (k) => {
    const { converged, w, off, orthogonality } = arrive(law, k);
    expect(converged).toBe(true);
    const gram = rowProducts(w, k, w, k, 3);
    if (law !== 'coulomb') {
      expect(off).toBeLessThan(1e-5);
      expect(orthogonality).toBeCloseTo(leastOf(law, k), 5);
      return;
    }
    // Charges: poles, a triangle, a tetrahedron; an octahedron has its neighbours at right angles.
    const cosine = { 2: -1, 3: -0.5, 4: -1 / 3 }[k];
    if (cosine !== undefined) for (let a = 1; a < k; a++) expect(gram[a]).toBeCloseTo(cosine, 4);
    if (k === 6) expect(Math.min(...gram)).toBeCloseTo(-1, 4);
  });
});

describe('rows that the data move too', () => {
  it.each([0, 0.3, 0.8])('end orthonormal in the principal plane, α = %f', (alpha) => {
    const { converged, angle, off } = arrive('rods', 2, alpha);
    expect(converged).toBe(true);
    expect(angle).toBeLessThan(1e-5);
    expect(off).toBeLessThan(1e-5);
  });

  it.each([0, 0.5])('converge to one of the equally good planes if λ₂ = λ₃, α = %f', (alpha) => {
    for (const values of [
      [4, 1, 1],
      [2, 2, 2],
    ]) {
      const { converged, angle, off, w } = arrive('rods', 2, alpha, 1, unitCloud(cloudWith(values)));
      expect(converged).toBe(true);
      expect(angle).toBeLessThan(1e-5);
      expect(off).toBeLessThan(1e-5);
      expect(reconstructionLoss(w, 2, unitCloud(cloudWith(values)).c)).toBeCloseTo(values[2] / values[0], 6);
    }
  });

  it.each([2, 3, 4])(
    'come to rest with %i rows where they lie on a line, though nothing says how long W is across',
    (k) => {
      const line = unitCloud(cloudWith([4, 0, 0]));
      const { converged, w } = arrive('rods', k, 0, 1, line);
      expect(converged).toBe(true);
      expect(reconstructionLoss(w, k, line.c)).toBeCloseTo(0, 8);
    },
  );
});

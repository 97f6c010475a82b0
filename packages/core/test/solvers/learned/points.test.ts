import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descend, neighbourForces } from '../../../src/learn/index.js';
import { random } from '../../../src/linalg/random.js';
import { tables, toMatrix, withSpectrum } from '../../support/data.js';

describe('pairwise and factored points', () => {
  it('take the same steps from the same start, plain or with momentum', () => {
    const cases = [
      [withSpectrum(40, 6, (i) => 5 * 0.7 ** i), 2],
      [withSpectrum(12, 30, (i) => 5 * 0.8 ** i), 3],
      [withSpectrum(25, 5, (i) => (i < 2 ? 1 : 0)), 3],
    ] as const;
    for (const [rows, k] of cases) {
      for (const descent of ['plain', 'momentum'] as const) {
        const [pairwise, factored] = (['pairwise', 'factored'] as const).map((rule) =>
          descend(rows, { rule, k, descent, seed: 5, tolerance: 1e-14, epochs: 100 }),
        );
        for (let epoch = 0; epoch < 60; epoch++) {
          const [a, b] = [pairwise.next().value, factored.next().value];
          if (!a || !b) break;
          const [y, z] = [a.scores().data, b.scores().data];
          const size = Math.max(...z.map(Math.abs));
          for (let at = 0; at < y.length; at++) expect(Math.abs(y[at] - z[at])).toBeLessThan(1e-10 * size);
          expect(Math.abs(a.loss - b.loss)).toBeLessThan(1e-9 * (1 + a.terms.data));
        }
      }
    }
  });

  it('never increase the loss with a step that they chose themselves', () => {
    fc.assert(
      fc.property(tables, fc.integer({ min: 1, max: 3 }), (rows, k) => {
        if (rows.length < 4 || rows[0].length < k || spreadless(rows)) return;
        const run = descend(rows, { rule: 'factored', k, descent: 'plain' });
        let last = Number.POSITIVE_INFINITY;
        for (const { epoch, loss, terms } of run) {
          expect(loss).toBeLessThanOrEqual(last + 1e-9 * terms.data);
          last = loss;
          if (epoch === 40) break;
        }
      }),
    );
  });
});

function spreadless(rows: number[][]): boolean {
  return rows.every((row) => row.every((value, j) => value === rows[0][j]));
}

describe('the forces between neighbours', () => {
  it('are counted as defined', () => {
    const { normal } = random(8);
    for (const [n, d] of [
      [60, 2],
      [80, 10],
      [50, 40],
    ]) {
      const rows = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => 3 + normal() * 0.9 ** j));
      const e = rows.map((a) => rows.map((b) => a.reduce((sum, value, j) => sum + (value - b[j]) ** 2, 0)));
      const means = e.map((row) => row.reduce((a, b) => a + b, 0) / n);
      const mean = means.reduce((a, b) => a + b, 0) / n;
      const count = { pull: 0, push: 0, pullExact: 0, pushExact: 0 };
      for (let i = 0; i < n; i++) {
        const others = e[i].map((value, j) => ({ value, j })).filter(({ j }) => j !== i);
        others.sort((a, b) => a.value - b.value);
        const [near, far] = [others[0].j, others[n - 2].j];
        if (e[i][near] < means[i] + means[near]) count.pull++;
        if (e[i][far] > means[i] + means[far]) count.push++;
        if (e[i][near] < means[i] + means[near] - mean) count.pullExact++;
        if (e[i][far] > means[i] + means[far] - mean) count.pushExact++;
      }
      expect(neighbourForces(toMatrix(rows))).toEqual({
        meansOnly: { nearestAttract: count.pull / n, farthestRepel: count.push / n },
        doubleCentred: { nearestAttract: count.pullExact / n, farthestRepel: count.pushExact / n },
      });
      // The first is a law, because no point is nearer than the mean; the second is a tendency.
      expect(count.pull).toBe(n);
    }
  });
});

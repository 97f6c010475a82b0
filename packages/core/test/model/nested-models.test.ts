import { principalAngles } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { loadModel, type Matrix, type Model, pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { nestedModels } from '../../src/pipeline.js';
import { EXACT_SOLVERS } from '../../src/solvers/names.js';

/** Rows of independent columns with the given deviations. */
function rowsWith(deviations: readonly number[], rows: number): Matrix<Float64Array> {
  const { normal } = random(7);
  const cols = deviations.length;
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, (_, at) => deviations[at % cols] * normal()) };
}

const plain = rowsWith([9, 5, 4, 2, 1, 0.5, 0.3, 0.1], 60);
/** Two columns of the same variance, exactly: their axes are not determined. */
const tied: Matrix<Float64Array> = {
  rows: 8,
  cols: 4,
  data: Float64Array.from([
    ...[5, 0, 0, 0, -5, 0, 0, 0],
    ...[0, 2, 0, 0, 0, -2, 0, 0],
    ...[0, 0, 2, 0, 0, 0, -2, 0],
    ...[0, 0, 0, 1, 0, 0, 0, -1],
  ]),
};
/** Only two directions have variance. */
const flat: Matrix<Float64Array> = {
  rows: 30,
  cols: 4,
  data: Float64Array.from({ length: 120 }, (_, at) => {
    const [i, j] = [Math.floor(at / 4), at % 4];
    return Math.sin(i) * (j + 1) + Math.cos(3 * i) * (j === 2 ? 5 : -1);
  }),
};

describe('nestedModels', () => {
  it.each(EXACT_SOLVERS)('gives the models that fits of fewer components give: %s', async (solver) => {
    for (const [name, data] of Object.entries({ plain, tied, flat })) {
      const nested = await nestedModels(data, { k: 4, solver });
      for (const k of [1, 2, 3, 4]) {
        const [first, own] = [nested.first(k), await pca(data, { k, solver })];
        const where = `${name}, k = ${k}`;
        expect(first.k, where).toBe(k);
        const scale = own.variances[0];
        for (let i = 0; i < k; i++) {
          expect(Math.abs(first.variances[i] - own.variances[i]), where).toBeLessThan(1e-9 * scale);
          expect(first.uniqueness.axes[i].determined, where).toBe(own.uniqueness.axes[i].determined);
        }
        expect(Math.abs(first.noiseVariance - own.noiseVariance), where).toBeLessThan(1e-9 * scale);
        expect(first.uniqueness.rank, where).toBe(own.uniqueness.rank);
        expect(first.uniqueness.subspace.determined, where).toBe(own.uniqueness.subspace.determined);
        expect(Math.abs((first.uniqueness.subspace.gap ?? 0) - (own.uniqueness.subspace.gap ?? 0))).toBeLessThan(
          1e-9 * scale,
        );
        expect(codes(first), where).toEqual(codes(own));
        // A model in all respects: it can be stored and read.
        expect(loadModel(first.toBinary()).k).toBe(k);
      }
    }
  });

  it.each(EXACT_SOLVERS)('bounds the error of every smaller model: %s', async (solver) => {
    const exact = await pca(plain, { k: 8, solver: 'svd', engine: 'reference' });
    const nested = await nestedModels(plain, { k: 5, solver });
    for (let k = 1; k <= 5; k++) {
      const { certificate, variances, components } = nested.first(k);
      const room = 1e-14 * exact.variances[0];
      for (let i = 0; i < k; i++) {
        expect(Math.abs(variances[i] - exact.variances[i])).toBeLessThanOrEqual(certificate.varianceBounds[i] + room);
      }
      const best = { rows: k, cols: 8, data: exact.components.data.slice(0, 8 * k) };
      const angle = Math.max(...principalAngles(components, best));
      expect(angle).toBeLessThanOrEqual(certificate.subspaceAngleBound + 1e-7);
      // The bound is of use, too.
      expect(certificate.subspaceAngleBound).toBeLessThan(1e-4);
    }
  });

  it('uses the same components for every k', async () => {
    const { model, first } = await nestedModels(plain, { k: 6, solver: 'krylov' });
    expect(first(6)).toBe(model);
    expect(first(2).components.data).toEqual(model.components.data.slice(0, 2 * 8));
  });
});

function codes({ warnings }: Model): string[] {
  return warnings.map(({ code }) => code);
}

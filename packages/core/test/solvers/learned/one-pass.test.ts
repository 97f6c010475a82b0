import { principalAngles } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { ConvergenceError, type Model, pca, type RowSource } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';
import { toCsr } from '../../support/data.js';

/** Rows with a clear gap after the second component, drawn as they are asked for and never kept. */
function* rows(count: number, factor = 1, seed = 1): Generator<Float64Array> {
  const { normal } = random(seed);
  const sizes = [4, 3, 0.8, 0.5, 0.5, 0.3];
  for (let i = 0; i < count; i++) {
    const z = sizes.map((size) => size * normal());
    // A fixed rotation of neighbouring columns, so that axes are not columns.
    yield Float64Array.from(sizes, (_, j) => factor * (0.8 * z[j] + 0.6 * z[(j + 1) % 6] + 10 * j));
  }
}

const N = 20_000;
const once = { k: 2, solver: 'hebbian', learn: { epochs: 1 } } as const;
const angleTo = (model: Model, exact: Model): number => principalAngles(model.components, exact.components)[1];

describe.each(['subspace', 'sanger'] as const)('one pass of the %s rule', (rule) => {
  it('over a stream keeps no row, comes near the subspace, and makes no claim about its accuracy', async () => {
    const exact = await pca(rows(N), { k: 2 });
    const model = await pca(rows(N), { ...once, learn: { epochs: 1, rule, exact: exact.components } });
    expect(angleTo(model, exact)).toBeLessThan(0.1);
    expect(model.plan.keepsRows).toBe(false);
    expect(model.n).toBe(N);
    expect(model.totalVariance).toBeCloseTo(exact.totalVariance, 9);
    model.variances.forEach((variance, i) => {
      expect(variance / exact.variances[i]).toBeGreaterThan(0.8);
      expect(variance / exact.variances[i]).toBeLessThan(1.2);
      expect(Math.abs(variance - exact.variances[i])).toBeLessThanOrEqual(model.certificate.varianceBounds[i]);
    });
    expect(model.certificate.subspaceAngleBound).toBe(Math.PI / 2);
    expect(model.warnings.map(({ code }) => code)).toContain('NOT_CHECKED');
    expect(model.trace?.length).toBe(1);
    expect(model.trace?.[0].angle).toBeCloseTo(angleTo(model, exact), 9);
  });

  it('over rows that can be read again is measured', async () => {
    const all = [...rows(N)];
    const exact = await pca(all, { k: 2 });
    const model = await pca(all, { ...once, learn: { epochs: 1, rule } });
    expect(angleTo(model, exact)).toBeLessThan(0.1);
    expect(angleTo(model, exact)).toBeLessThanOrEqual(model.certificate.subspaceAngleBound);
    expect(model.certificate.subspaceAngleBound).toBeLessThan(0.5);
    expect(model.warnings.map(({ code }) => code)).not.toContain('NOT_CHECKED');
    model.variances.forEach((variance, i) => {
      expect(Math.abs(variance - exact.variances[i])).toBeLessThanOrEqual(model.certificate.varianceBounds[i]);
    });
  });
});

describe('one pass', () => {
  it('does not depend on units, and accepts weights, scales and sparse rows', async () => {
    const one = await pca(rows(2000), once);
    for (const factor of [2 ** -400, 2 ** 400]) {
      const other = await pca(rows(2000, factor), once);
      expect(other.components.data).toEqual(one.components.data);
      expect(other.singularValues[0]).toBe(one.singularValues[0] * factor);
    }
    const all = [...rows(6000)].map((row) => Array.from(row));
    const weights = all.map((_, i) => [1, 2, 0][i % 3]);
    // Far from the origin and not centred, the mean is the one component that a pass can find.
    for (const options of [
      { weights },
      { scale: 'pareto' as const },
      { center: false, k: 1 },
      { whiten: 'pca' as const },
    ]) {
      const exact = await pca(all, { k: 2, ...options });
      for (const data of [all, toCsr(all), all.values()]) {
        const model = await pca(data, { ...once, ...options });
        expect(principalAngles(model.components, exact.components).at(-1)).toBeLessThan(0.2);
      }
    }
  });

  it('is the same for the same seed, and can whiten', async () => {
    const of = (seed: number): Promise<Model> => pca(rows(1000), { ...once, seed, whiten: 'pca' });
    const [a, b, c] = [await of(1), await of(1), await of(2)];
    expect(a.components.data).toEqual(b.components.data);
    expect(a.components.data).not.toEqual(c.components.data);
    const scores = await a.transform([...rows(1000)]);
    const square = Array.from(scores.data).reduce((sum, value) => sum + value * value, 0) / scores.data.length;
    expect(square).toBeGreaterThan(0.5);
    expect(square).toBeLessThan(2);
  });

  it('stops when the step is too long, and names a shorter one', async () => {
    for (const data of [[...rows(3000)], rows(3000)]) {
      const error = await pca(data, { ...once, learn: { epochs: 1, step: 50 } }).catch((e) => e);
      expect(error).toBeInstanceOf(ConvergenceError);
      expect(error.code).toBe('DIVERGED');
      expect(error.details).toEqual({ option: 'learn.step', value: 50, expected: 0.5 });
      expect(error.best.components.data.every(Number.isFinite)).toBe(true);
    }
  });

  it('has typed errors for rows that cannot be learned from', async () => {
    const stream = async (list: unknown[]): Promise<string> =>
      pca(list.values() as never, once).then(
        () => 'nothing',
        (error) => error.code,
      );
    expect(await stream([])).toBe('EMPTY_DATA');
    expect(await stream([[1, 2]])).toBe('TOO_FEW_ROWS');
    expect(await stream([[1, 2], [3]])).toBe('RAGGED_ROWS');
    expect(
      await stream([
        [1, 2],
        [3, Number.NaN],
        [4, 5],
      ]),
    ).toBe('NOT_FINITE');
    expect(await pca(rows(10), { ...once, k: 7 }).catch((e) => e.code)).toBe('K_OUT_OF_RANGE');
    expect(await pca(rows(10), { ...once, k: 0.5 }).catch((e) => e.code)).toBe('K_OUT_OF_RANGE');
    expect(await pca(rows(10), { ...once, learn: { epochs: 1, rule: 'oja' } }).catch((e) => e.message)).toMatch(
      /k must be 1/,
    );
    const few = await pca(rows(3), { ...once, k: 'all' });
    expect(few.k).toBe(2);
    const same = await pca(
      [
        [1, 2],
        [1, 2],
        [1, 2],
      ].values(),
      { ...once, k: 1 },
    );
    expect(same.variances[0]).toBe(0);
  });

  it('closes its source when it is aborted', async () => {
    const controller = new AbortController();
    let closed = 0;
    const source: RowSource = {
      cols: 6,
      dtype: 'float64',
      rereadable: false,
      resident: false,
      async *blocks() {
        for (let i = 0; ; i++) {
          if (i === 3) controller.abort();
          yield {
            kind: 'dense',
            rows: 200,
            cols: 6,
            stride: 6,
            data: Float64Array.from({ length: 1200 }, random(i).normal),
          };
        }
      },
      close() {
        closed++;
      },
    };
    await expect(pca(source, { ...once, signal: controller.signal })).rejects.toThrow(/abort/i);
    expect(closed).toBe(1);
  });
});

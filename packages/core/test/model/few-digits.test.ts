import { principalAngles } from '@scree/analysis';
import { type Model, Moments, type PcaOptions, pca, stream } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { random } from '../../src/linalg/random.js';
import { solverNames, toCsr } from '../support/data.js';

/** The variance of numbers that are multiples of 2^-20, by rational arithmetic. */
function exactVariance(numbers: readonly number[]): number {
  const whole = numbers.map((x) => BigInt(x * 2 ** 20));
  const n = BigInt(whole.length);
  const sum = whole.reduce((total, x) => total + x, 0n);
  const squares = whole.reduce((total, x) => total + (n * x - sum) ** 2n, 0n);
  return Number((squares << 60n) / (n * n * (n - 1n))) / 2 ** 100;
}

/** Rows of two or three numbers around an offset, each a multiple of 2^-20. */
function rowsAt(offset: number, n: number, seed: number): number[][] {
  const { normal } = random(seed);
  return Array.from({ length: n }, () => [offset + normal(), 1.37 * offset + 0.5 * normal(), normal()]).map((row) =>
    row.map((x) => Math.round(x * 2 ** 20) / 2 ** 20),
  );
}

describe('far from zero', () => {
  const ways: readonly (readonly [name: string, fit: (rows: number[][], options: PcaOptions) => Promise<Model>])[] = [
    ['arrays', (rows, options) => pca(rows, options)],
    ['the reference engine', (rows, options) => pca(rows, { ...options, engine: 'reference' })],
    [
      'the reference engine, covariance',
      (rows, options) => pca(rows, { ...options, engine: 'reference', solver: 'covariance' }),
    ],
    ['sparse rows', (rows, options) => pca(toCsr(rows), options)],
    ['weights', (rows, options) => pca(rows, { ...options, weights: rows.map(() => 1) })],
    [
      'a stream',
      async (rows, options) => {
        const all = stream(options as never);
        for (let i = 0; i < rows.length; i += 7) await all.add(rows.slice(i, i + 7));
        return all.model();
      },
    ],
  ];

  it.each(ways)('scales and the total variance are exact to 13 digits: %s', async (_, fit) => {
    for (const [offset, n] of [
      [1e8, 40],
      [1e12, 40],
      [1e15, 9],
      [1e15, 300],
      [4e15, 5],
    ] as const) {
      const rows = rowsAt(offset, n, n);
      const exact = [0, 1, 2].map((j) => exactVariance(rows.map((row) => row[j])));
      const model = await fit(rows, { k: 1, scale: 'unit' });
      exact.forEach((variance, j) => {
        expect(Math.abs(model.scale[j] ** 2 / variance - 1), `${offset}, column ${j}`).toBeLessThan(1e-13);
      });
      const plain = await fit(rows, { k: 3 });
      expect(plain.varianceRatios.reduce((sum, ratio) => sum + ratio, 0)).toBeLessThanOrEqual(1 + 1e-9);
      const total = exact.reduce((sum, variance) => sum + variance, 0);
      expect(Math.abs(plain.totalVariance / total - 1), `${offset}`).toBeLessThan(1e-13);
    }
  });

  const codes = async (rows: object, options: PcaOptions = {}): Promise<string[]> =>
    (await pca(rows as never, { ...options, k: 1 } as never)).warnings.map(({ code }) => code);

  it('a warning says which columns have few digits left, how many, and what to do', async () => {
    const rows = rowsAt(1e15, 50, 1).map(([a, b, c]) => ({ a, b, c }));
    const { warnings } = await pca(rows, { k: 1 });
    const found = warnings.find(({ code }) => code === 'FEW_DIGITS');
    expect(found?.message).toMatch(
      /^Differences between rows have few digits in 2 columns, the fewest in column "b": it has numbers up to 1\.37e\+15, where float64 numbers are 0\.25\d* apart, and a standard deviation of 0\.\d+\. If more digits were measured, subtract a constant before the numbers are stored\.$/,
    );
    expect(found?.details).toMatchObject({ columns: ['b', 'a'], count: 2, step: 0.25, dtype: 'float64' });
    const { warnings: unnamed } = await pca(
      rows.map(({ a, c }) => [c, a]),
      { k: 1 },
    );
    expect(unnamed.find(({ code }) => code === 'FEW_DIGITS')?.message).toMatch(
      /^Differences between rows have few digits in column 2: /,
    );
  });

  it('it is there from fewer than three digits on, and only for what depends on differences', async () => {
    expect(await codes(rowsAt(1e11, 50, 1))).toEqual([]);
    expect(await codes(rowsAt(1e15, 50, 1))).toContain('FEW_DIGITS');
    expect(await codes(rowsAt(1e15, 50, 1), { center: false })).not.toContain('FEW_DIGITS');
    expect(await codes(rowsAt(0, 50, 1).map((row) => [1e17, ...row]))).not.toContain('FEW_DIGITS');
    const stamps = Float64Array.from({ length: 50 }, (_, i) => 1.7e18 + 1e12 * i);
    expect(await codes({ rows: 50, cols: 1, data: stamps })).toEqual([]);
  });

  it('it goes by the type that stores the numbers', async () => {
    const { normal } = random(4);
    const numbers = Float64Array.from({ length: 60 }, () => 1e5 + normal());
    expect(await codes({ rows: 30, cols: 2, data: numbers })).toEqual([]);
    expect(await codes({ rows: 30, cols: 2, data: Float32Array.from(numbers) })).toContain('FEW_DIGITS');
    const bits16 = Uint16Array.from({ length: 60 }, (_, i) => 60_000 + ((i * i) % 3));
    expect(await codes({ rows: 30, cols: 2, data: bits16 })).not.toContain('FEW_DIGITS');
  });

  it('moments give it too', async () => {
    const moments = await new Moments(3).add(rowsAt(1e15, 50, 1));
    expect(await codes(moments)).toContain('FEW_DIGITS');
  });
});

describe.each(solverNames.filter((name) => ['svd', 'covariance', 'dual', 'refined', 'krylov'].includes(name)))(
  'subnormal numbers, %s',
  (solver) => {
    const whole = (size: number, seed: number): number[][] => {
      const { normal } = random(seed);
      return Array.from({ length: 30 }, () => {
        const shared = 2 * normal();
        return [shared + normal(), shared - normal(), 0.3 * normal()].map((x) => Math.round(size * x) + 7 * size);
      });
    };

    it.each([5, 40, 1000, 1e6, 1e10])('bounds hold for numbers of about %d times the smallest one', async (size) => {
      const rows = whole(size, 3);
      const exact = await pca(rows, { k: 2, solver: 'svd' });
      const model = await pca(
        rows.map((row) => row.map((x) => x * Number.MIN_VALUE)),
        { k: 2, solver },
      );
      const bound = (of: Model): number => of.certificate.subspaceAngleBound;
      expect(principalAngles(model.components, exact.components)[1]).toBeLessThanOrEqual(bound(model) + bound(exact));
      for (let i = 0; i < 2; i++) {
        const vectors = [model, exact].map(({ components: { data, cols } }) => ({
          rows: 1,
          cols,
          data: data.slice(i * cols, (i + 1) * cols),
        }));
        const [angle] = principalAngles(vectors[0], vectors[1]);
        expect(angle).toBeLessThanOrEqual(model.certificate.angleBounds[i] + exact.certificate.angleBounds[i]);
        // The variance itself is far below the smallest number: 0, and off by less than that.
        expect(model.certificate.varianceBounds[i]).toBeGreaterThanOrEqual(Number.MIN_VALUE);
      }
      expect(model.warnings.map(({ code }) => code)).toContain('VARIANCE_UNDERFLOW');
    });

    it('variances that are subnormal are within their bounds', async () => {
      const rows = whole(1000, 5);
      const exact = await pca(rows, { k: 2, solver: 'svd' });
      for (const exponent of [-530, -536, -541, -545]) {
        const model = await pca(
          rows.map((row) => row.map((x) => x * 2 ** exponent)),
          { k: 2, solver },
        );
        for (let i = 0; i < 2; i++) {
          // In multiples of the smallest number, which lose nothing.
          const [found, bound] = [model.variances[i], model.certificate.varianceBounds[i]].map(
            (value) => value / Number.MIN_VALUE,
          );
          const unit = 2 ** (2 * exponent + 1074);
          const off = Math.abs(found - exact.variances[i] * unit);
          expect(off, `2^${exponent}`).toBeLessThanOrEqual(bound + exact.certificate.varianceBounds[i] * unit);
        }
      }
    });
  },
);

describe('very small numbers', () => {
  it('may stand beside a constant column', async () => {
    const model = await pca(
      [
        [1e-200, 0],
        [2e-200, 0],
        [4e-200, 0],
      ],
      { k: 1 },
    );
    expect(model.singularValues[0] / 1e-200).toBeCloseTo(Math.sqrt(14 / 3), 12);
  });

  it('are not all the same where they differ by the smallest number there is', async () => {
    for (const column of [
      [1, 0, 0, 1],
      [0, 0, 0, 1],
    ]) {
      const { warnings } = await pca(
        column.map((x) => [x * Number.MIN_VALUE]),
        { k: 1 },
      );
      expect(warnings.map(({ code }) => code)).not.toContain('CONSTANT_DATA');
    }
  });
});

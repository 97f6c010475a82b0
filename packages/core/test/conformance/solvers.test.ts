import { describe, expect, it } from 'vitest';
import { type Engine, type Model, pca, principalAngles, reference, type Whiten, wasmEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { solverNames, toCsr, toMatrix, withSpectrum } from '../support/data.js';

/** The shapes and spectra that PCA meets, small enough to try every combination. */
const shapes: Record<string, number[][]> = {
  tall: withSpectrum(120, 9, (i) => 10 * 0.6 ** i),
  wide: withSpectrum(11, 90, (i) => 10 * 0.7 ** i),
  square: withSpectrum(25, 25, (i) => 10 * 0.8 ** i),
  'rank-deficient': withSpectrum(40, 12, (i) => (i < 4 ? 5 - i : 0)),
  'repeated eigenvalues': withSpectrum(50, 8, (i) => [5, 5, 3, 2, 2, 2, 1, 0.5][i]),
  'huge offset': withSpectrum(60, 7, (i) => 20 * 0.7 ** i, { offset: (j) => 1e8 * (j + 1) }),
  'tiny scale': withSpectrum(60, 7, (i) => 1e-120 * 0.6 ** i),
  'badly scaled columns': withSpectrum(80, 6, (i) => 10 * 0.8 ** i, { scale: (j) => 10 ** (3 * j - 6) }),
};

/** Zeros in two entries of five, so that the sparse road has something to skip; one column stays full. */
function thin(rows: number[][]): number[][] {
  const { uniform } = random(99);
  return rows.map((row) => row.map((value, j) => (j > 0 && uniform() < 0.4 ? 0 : value)));
}

/**
 * A component is well determined when its variance is a hundredth of λ₁ away from the others: then a residual of the
 * default tolerance leaves the axis within 1e-8 (float64) or 1e-4 (float32).
 */
const WELL = 0.01;
const limits = { float64: { variance: 1e-12, angle: 1e-8 }, float32: { variance: 1e-9, angle: 1e-4 } };

function wellDetermined(model: Model, i: number): boolean {
  const { gap } = model.uniqueness.axes[i];
  return gap === null || gap > WELL * model.variances[0];
}

const engines = [reference, await wasmEngine()].filter((engine) => engine !== undefined);
const roads = engines.flatMap((engine) => solverNames.map((solver) => ({ engine, solver, name: engine.name })));

describe.each(roads)('$solver on $name agrees with svd on the reference engine', ({ engine, solver }) => {
  describe.each(Object.keys(shapes))('%s', (shape) => {
    for (const dtype of ['float64', 'float32'] as const) {
      for (const layout of ['dense', 'sparse'] as const) {
        for (const weighted of [false, true]) {
          it(`${dtype}, ${layout}${weighted ? ', weighted' : ''}`, async () => {
            const rows = layout === 'sparse' ? thin(shapes[shape]) : shapes[shape];
            // float32 cannot hold 1e-120: there the same data are tried at a scale it has.
            const fit = dtype === 'float32' && shape === 'tiny scale' ? rows.map((r) => r.map((x) => x * 1e100)) : rows;
            const single = dtype === 'float32';
            const stored = fit.map((row) => row.map((x) => (single ? Math.fround(x) : x)));
            const data = layout === 'sparse' ? toCsr(stored, single) : toMatrix(stored, single);
            const weights = weighted ? stored.map((_, i) => [1, 0.5, 2, 0, 3][i % 5]) : undefined;
            for (const whiten of [false, 'pca', 'zca'] as const)
              await compare(engine, solver, data, stored, { dtype, weights, whiten });
          });
        }
      }
    }
  });
});

async function compare(
  engine: Engine,
  solver: (typeof solverNames)[number],
  data: Parameters<typeof pca>[0],
  rows: number[][],
  { dtype, weights, whiten }: { dtype: 'float64' | 'float32'; weights: number[] | undefined; whiten: Whiten },
): Promise<void> {
  const options = { k: 5, whiten, ...(weights ? { weights } : {}) };
  const truth = await pca(toMatrix(rows), { ...options, solver: 'svd', engine: reference });
  const model = await pca(data, { ...options, solver, engine });
  const limit = limits[dtype];
  const largest = truth.variances[0];
  expect(model.k).toBe(truth.k);
  expect(Math.abs(model.totalVariance - truth.totalVariance)).toBeLessThanOrEqual(1e-12 * truth.totalVariance);
  const scores = await model.transform(rows);
  const trueScores = await truth.transform(rows);
  for (let i = 0; i < model.k; i++) {
    expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThanOrEqual(limit.variance * largest);
    if (!wellDetermined(truth, i)) continue;
    const axis = (m: Model) => ({ rows: 1, cols: m.d, data: m.components.data.slice(i * m.d, (i + 1) * m.d) });
    expect(principalAngles(axis(model), axis(truth))[0], `axis ${i}`).toBeLessThan(limit.angle);
    if (whiten === 'zca') continue;
    // The same axis with the same sign gives the same scores.
    const size = whiten ? Math.sqrt(rows.length) : Math.sqrt(largest * rows.length);
    for (let r = 0; r < rows.length; r++) {
      const gap = Math.abs(scores.data[r * model.k + i] - trueScores.data[r * model.k + i]);
      expect(gap, `score ${r}, ${i}`).toBeLessThanOrEqual(100 * limit.angle * size);
    }
  }
  if (truth.uniqueness.subspace.gap !== null && truth.uniqueness.subspace.gap > WELL * largest) {
    const angles = principalAngles(model.components, truth.components);
    expect(angles[angles.length - 1]).toBeLessThan(limit.angle);
    if (whiten === 'zca' && truth.uniqueness.rank === truth.k) {
      for (let at = 0; at < scores.data.length; at++) {
        expect(Math.abs(scores.data[at] - trueScores.data[at])).toBeLessThanOrEqual(
          100 * limit.angle * Math.sqrt(rows.length),
        );
      }
    }
  }
}

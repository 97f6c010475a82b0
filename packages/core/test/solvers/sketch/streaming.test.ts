import { principalAngles } from '@scree/analysis';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/sample.js';
import { type Data, type Model, OptionError, pca } from '../../../src/index.js';
import { toCsr, toMatrix, withSpectrum } from '../../support/data.js';

/** Problems that a sketch of `size` rows must compress several times. */
const problems = fc.record({
  n: fc.integer({ min: 60, max: 300 }),
  d: fc.integer({ min: 3, max: 24 }),
  k: fc.integer({ min: 1, max: 5 }),
  extra: fc.integer({ min: 0, max: 8 }),
  seed: fc.integer(),
  rule: fc.constantFrom('incremental' as const, 'frequent-directions' as const),
  spectrum: fc.constantFrom(
    (i: number) => 0.7 ** i,
    (i: number) => 10 ** -i,
    (i: number) => 1 + i * 1e-9,
    (i: number) => (i < 2 ? 1 : 0.1),
    (i: number) => (i < 3 ? 1 : 0),
    (i: number) => 1 - 0.01 * i,
    (_: number) => 1,
  ),
  offset: fc.constantFrom(0, 1, 1e4, 1e8),
  weighted: fc.boolean(),
  layout: fc.constantFrom('dense', 'sparse', 'stream'),
  scale: fc.constantFrom('none' as const, 'unit' as const, 'pareto' as const),
  center: fc.boolean(),
});

type Problem = typeof problems extends fc.Arbitrary<infer T> ? T : never;

/** The rows: sparse ones have zeros in two entries of five. */
function rowsOf({ n, d, spectrum, offset, seed, layout }: Problem): number[][] {
  const rows = withSpectrum(n, d, spectrum, { seed, offset: (j) => offset * (1 + j) });
  return layout === 'sparse' ? rows.map((row, i) => row.map((x, j) => ((i * 7 + j * 3) % 5 < 2 ? 0 : x))) : rows;
}

function* inParts(rows: number[][]): Generator<ReturnType<typeof toMatrix>> {
  for (let from = 0; from < rows.length; from += 37) yield toMatrix(rows.slice(from, from + 37));
}

/** Every bound of the certificate against an accurate model, whose own bounds are granted. */
function checkCertificate(model: Model, truth: Model): void {
  const { certificate, k, d } = model;
  for (let i = 0; i < k; i++) {
    const allowed = certificate.varianceBounds[i] + truth.certificate.varianceBounds[i];
    expect(Math.abs(model.variances[i] - truth.variances[i]), `variance ${i}`).toBeLessThanOrEqual(allowed);
    const axis = (m: Model) => ({ rows: 1, cols: d, data: m.components.data.slice(i * d, (i + 1) * d) });
    const [angle] = principalAngles(axis(model), axis(truth));
    const turn = certificate.angleBounds[i] + truth.certificate.angleBounds[i];
    expect(angle, `angle ${i}`).toBeLessThanOrEqual(turn + 1e-7);
  }
  const angle = principalAngles(model.components, truth.components).at(-1) as number;
  const bound = certificate.subspaceAngleBound + truth.certificate.subspaceAngleBound;
  expect(angle, 'subspace').toBeLessThanOrEqual(bound + 1e-7);
}

async function fit(problem: Problem, data: (rows: number[][]) => Data): Promise<{ model: Model; truth: Model }> {
  const rows = rowsOf(problem);
  const { d, extra, rule, scale, center, weighted } = problem;
  const k = Math.min(problem.k, d);
  const weights = weighted ? { weights: rows.map((_, i) => [1, 0.5, 2, 0, 3][i % 5]) } : {};
  const options = { k, scale, center, ...weights };
  const sketch = { rule, size: Math.max(2, k + extra) };
  const truth = await pca(toMatrix(rows), { ...options, solver: 'svd' });
  return { model: await pca(data(rows), { ...options, solver: 'streaming', sketch }), truth };
}

describe('streaming', () => {
  it('has no error beyond its bound, and no variance that is too large, after one reading', async () => {
    await fc.assert(
      fc.asyncProperty(problems, async (problem) => {
        const { model, truth } = await fit(problem, (rows) =>
          problem.layout === 'sparse' ? [toCsr(rows)] : inParts(rows),
        );
        const { d } = model;
        expect(model.plan.keepsRows).toBe(false);
        checkCertificate(model, truth);
        for (let i = 0; i < model.k; i++) {
          const excess = model.variances[i] - truth.variances[i];
          // Means of blocks are rounded to the data's last digit.
          const rounding = 1e-9 + 1e-15 * problem.offset * d;
          expect(excess).toBeLessThanOrEqual(truth.certificate.varianceBounds[i] + rounding * model.totalVariance);
        }
      }),
      { numRuns: runs(100, 400) },
    );
  });

  it('has the same bounds after a second reading, with residuals measured on the data', async () => {
    let sharper = 0;
    const cases = runs(100, 400);
    await fc.assert(
      fc.asyncProperty(problems, async (problem) => {
        const { model, truth } = await fit(problem, (rows) =>
          problem.layout === 'sparse' ? toCsr(rows) : toMatrix(rows),
        );
        checkCertificate(model, truth);
        if (model.certificate.varianceBounds[0] < 1e-6 * model.variances[0]) sharper++;
      }),
      { numRuns: cases },
    );
    expect(sharper).toBeGreaterThan(cases / 4);
  });

  it('gives the result of svd where the sketch has room for all components, in one reading or two', async () => {
    const rows = withSpectrum(400, 14, (i) => (i < 7 ? 0.6 ** i : 0), { offset: (j) => 10 * j });
    const truth = await pca(toMatrix(rows), { k: 5, solver: 'svd' });
    for (const rule of ['incremental', 'frequent-directions'] as const) {
      for (const data of [inParts(rows), toMatrix(rows), toCsr(rows)]) {
        const model = await pca(data, { k: 5, solver: 'streaming', sketch: { rule, size: 8 } });
        expect(principalAngles(model.components, truth.components).at(-1)).toBeLessThan(1e-7);
        for (let i = 0; i < 5; i++) expect(model.variances[i]).toBeCloseTo(truth.variances[i], 12);
        expect(model.certificate.subspaceAngleBound).toBeLessThan(1e-6);
        expect(model.uniqueness.subspace.determined).toBe(true);
        expect(model.warnings).toEqual([]);
      }
    }
  });

  it('counts small variances towards the rank although the sketch has lost more than them: they are bounded from below', async () => {
    const rows = withSpectrum(600, 30, (i) => (i < 3 ? 1 : 0.3));
    const model = await pca(inParts(rows), { k: 4, solver: 'streaming', sketch: { size: 6 } });
    expect(model.certificate.varianceBounds[3]).toBeGreaterThan(model.variances[3]);
    expect(model.uniqueness.rank).toBe(4);
    expect(model.warnings.map(({ code }) => code)).toEqual(['BELOW_ACCURACY']);
    expect(model.warnings[0].message).toContain('Give the sketch a larger size');
  });

  it('warns where it missed a direction that came in small parts, although the residuals are zero', async () => {
    const axis = (j: number, length: number, i: number) =>
      [0, 1, 2, 3].map((c) => (c === j ? (i % 2 ? length : -length) : 0));
    const early = Array.from({ length: 120 }, (_, i) => (i < 60 ? axis(0, 10, i) : axis(1, 3, i)));
    const late = Array.from({ length: 3000 }, (_, i) => axis(2, 0.5, i));
    const missed = toMatrix([...early, ...late]);
    const truth = await pca(missed, { k: 2, solver: 'svd' });
    for (const data of [missed, [missed]]) {
      const model = await pca(data, { k: 2, solver: 'streaming', sketch: { size: 2 } });
      // The third axis has more variance than the second, and the sketch never saw more than a 40th of it at a time.
      expect(principalAngles(model.components, truth.components).at(-1)).toBeCloseTo(Math.PI / 2, 6);
      checkCertificate(model, truth);
      expect(model.uniqueness.subspace.determined).toBe(false);
      expect(model.warnings.map(({ code }) => code)).toEqual(['BELOW_ACCURACY']);
    }
    const fair = await pca([missed], { k: 2, solver: 'streaming', sketch: { size: 2, rule: 'frequent-directions' } });
    checkCertificate(fair, truth);
  });

  it('accepts a fraction of the variance where the sketch is large enough, and says what to do where it is not', async () => {
    const rows = withSpectrum(300, 20, (i) => 0.5 ** i);
    const truth = await pca(rows, { k: 0.9, solver: 'svd' });
    const model = await pca(inParts(rows), { k: 0.9, solver: 'streaming', sketch: { size: 8 } });
    expect(model.k).toBe(truth.k);
    const flat = withSpectrum(300, 20, () => 1);
    const refused = pca(inParts(flat), { k: 0.9, solver: 'streaming', sketch: { size: 8 } });
    await expect(refused).rejects.toThrow(OptionError);
    await expect(refused).rejects.toThrow(/sketch of 8 rows holds only 0\.\d+ of the variance/);
    const all = pca(inParts(flat), { k: 'all', solver: 'streaming', sketch: { size: 8 } });
    await expect(all).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    const small = pca(rows, { k: 9, solver: 'streaming', sketch: { size: 8 } });
    await expect(small).rejects.toMatchObject({ code: 'BAD_OPTION', details: { option: 'size', expected: 9 } });
    expect((await pca(inParts(flat), { k: 'all', solver: 'streaming' })).k).toBe(20);
  });

  it('accepts all shapes that the other solvers accept: few rows, one column, constant data, more components than variance', async () => {
    for (const rows of [
      [
        [1, 2, 3],
        [4, 5, 7],
      ],
      [[1], [2], [4]],
      [
        [5, 5],
        [5, 5],
        [5, 5],
      ],
      [
        [1, 0],
        [2, 0],
        [3, 0],
      ],
    ]) {
      for (const center of [true, false]) {
        const k = Math.min(2, rows[0].length);
        const truth = await pca(rows, { k, center, solver: 'svd' });
        const model = await pca(rows.values(), { k, center, solver: 'streaming' });
        for (let i = 0; i < k; i++) expect(model.variances[i]).toBeCloseTo(truth.variances[i], 12);
        expect(model.uniqueness.rank).toBe(truth.uniqueness.rank);
      }
    }
  });

  it('rejects moments, which have no rows to sketch', async () => {
    const { Moments } = await import('../../../src/index.js');
    const moments = await new Moments(2).add([
      [1, 2],
      [3, 5],
      [2, 2],
    ]);
    await expect(pca(moments, { solver: 'streaming' })).rejects.toThrow(/which have no rows/);
  });
});

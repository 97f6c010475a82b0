import { inspect } from 'node:util';
import { analyze, famd } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { loadModel, type Model, Moments, pca, stream } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

const { normal } = random(Number(process.env.SCREE_SEED));
const [n, d] = [40, 6];
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const rows = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * (j + 1) + 10 * j));
const records = rows.map((row, i) => ({
  id: `row ${i}`,
  ...Object.fromEntries(names.map((name, j) => [name, row[j]])),
}));

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, scale = 1): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++) expect(Math.abs(found[i] - expected[i])).toBeLessThan(1e-11 * scale);
};

const WHITEN = [false, 'pca', 'zca'] as const;

describe('first', () => {
  it.each(WHITEN)('is the model with fewer components: its scores are the first ones, whiten: %s', async (whiten) => {
    const model = await pca(rows, { k: 4, whiten, scale: 'unit' });
    const [cut, own] = [model.first(2), await pca(rows, { k: 2, whiten, scale: 'unit' })];
    close((await cut.transform(rows)).data, (await own.transform(rows)).data);
    close((await model.transform(rows, { k: 2 })).data, (await own.transform(rows)).data);
    expect(cut.noiseVariance).toBeCloseTo(own.noiseVariance, 12);
    expect(loadModel(cut.toBinary()).k).toBe(2);
    expect(model.first(4)).toBe(model);
    for (const k of [0, 5, 1.5]) {
      expect(() => model.first(k)).toThrow(/this model has 4 components/);
      await expect(model.transform(rows, { k })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    }
  });

  it('keeps the warnings about its components only', async () => {
    const flat = rows.map((row) => [row[0], row[1], row[0] + row[1], 0]);
    const model = await pca(flat, { k: 4 });
    const codes = ({ warnings }: Model): string[] => warnings.map(({ code }) => code);
    expect(codes(model)).toContain('RANK_BELOW_K');
    for (const k of [1, 2, 3]) expect(codes(model.first(k)).includes('RANK_BELOW_K')).toBe(k > 2);
  });
});

describe('transformSync', () => {
  it.each(WHITEN)('computes the scores of transform, by position and by name, whiten: %s', async (whiten) => {
    const model = await pca(rows, { k: 3, whiten, scale: 'unit', columnNames: names });
    const scores = await model.transform(rows);
    const out = new Float64Array(scores.cols);
    rows.forEach((row, i) => {
      close(model.transformSync(row), scores.row(i));
      expect(model.transformSync(Float32Array.from(row)).length).toBe(scores.cols);
      expect(model.transformSync(records[i], out)).toBe(out);
      close(out, scores.row(i));
      close(model.transformSync(Float64Array.from(row), [0, 0, 0, 0, 0, 0].slice(0, scores.cols)), scores.row(i));
    });
  });

  it('refuses what transform refuses, with the same codes', async () => {
    const model = await pca(rows, { k: 3, columnNames: names });
    const bad: unknown[] = [[1, 2], [1, 2, 3, 4, 5, Number.NEGATIVE_INFINITY], [1, 2, 3, 4, 5, '6'], { id: 'x', a: 1 }];
    for (const row of bad) {
      const { code } = await model.transform(row as never).catch((error) => error);
      expect(code).toBeDefined();
      expect(() => model.transformSync(row as never)).toThrow(expect.objectContaining({ code }));
    }
    expect(() => model.transformSync(rows[0], new Float64Array(2))).toThrow(
      /out has room for 2; transformSync writes 3 scores/,
    );
    expect(() => model.transformSync(rows[0], { k: 1 } as never)).toThrow(
      /out is an object with keys "k"; transformSync/,
    );
    for (const several of [[rows[0]], rows]) {
      expect(() => model.transformSync(several as never)).toThrow(
        /takes one row, and this is a list of rows. Use await/,
      );
    }
    const { f, ...misspelled } = { ...records[0], f: 6, eff: 1 };
    expect(() => model.transformSync({ ...misspelled, F: f })).toThrow(/no column "f", but "F"\. Every/);
    for (const row of [[1, 2, 3, 4, 5, Number.NaN], [1, 2, 3, 4, 5, null], { ...records[0], f: null }]) {
      expect(() => model.transformSync(row as never)).toThrow(/await model\.transform/);
    }
    const coded = await famd([{ a: 'x', b: 1 }, { a: 'y', b: 2 }, { a: 'x', b: 4 }], { k: 1 }); // biome-ignore format: one line
    expect(() => coded.transformSync({ a: 'x', b: 1 })).toThrow(/await model.transform/);
  });
});

describe('the methods of a model', () => {
  it('refuse options and shapes with the reason', async () => {
    const model = await pca(rows, { k: 1 });
    await expect(model.transform(rows, { components: 1 } as never)).rejects.toThrow(
      /no option "components". Did you mean k\?/,
    );
    await expect(model.biplot(rows)).rejects.toThrow(/A biplot needs two components, and this model has 1/);
    await expect(model.transform([[1, 2]])).rejects.toThrow(
      /These rows have 2 columns, but the model was fitted to 6 columns/,
    );
    await expect(model.inverseTransform([[1, 2]])).rejects.toThrow(
      /These scores have 2 columns, but those of this model have 1/,
    );
    expect(() => model.first(2)).toThrow(/this model has 1 component. Use 1, or fit with a larger k/);
    expect(() => loadModel('model.json')).toThrow(/readModel of the package scree reads their files/);
  });
});

describe('inverseTransform', () => {
  it.each(WHITEN)('computes mean + scale·Vᵀz of every row, whiten: %s', async (whiten) => {
    const model = await pca(rows, { k: 3, scale: 'unit', whiten: false });
    const given = await pca(rows, { k: 3, scale: 'unit', whiten });
    const z = await model.transform(rows);
    // By definition, in plain loops.
    const expected = z
      .toRows()
      .flatMap((scores) =>
        Array.from(model.mean, (mean, j) =>
          scores.reduce((sum, score, c) => sum + score * model.components.row(c)[j] * model.scale[j], mean),
        ),
      );
    close((await given.inverseTransform(await given.transform(rows))).data, expected, 100);
  });
});

describe('a biplot', () => {
  it.each(['covariance', 'form', 'symmetric'] as const)('multiplies to what two components fit: %s', async (scale) => {
    for (const whiten of WHITEN) {
      const model = await pca(rows, { k: 4, scale: 'unit', whiten, columnNames: names });
      const { points, arrows, x, y } = await model.biplot(records, { x: 'PC3', y: 1, scale });
      expect([x.name, y.name]).toEqual(['PC3', 'PC2']);
      expect(arrows.map(({ name }) => name)).toEqual(names);
      const plain = await pca(rows, { k: 4, scale: 'unit' });
      const z = await plain.transform(rows);
      points.forEach((point, i) => {
        arrows.forEach((arrow, j) => {
          const fitted = [2, 1].reduce((sum, c) => sum + z.row(i)[c] * plain.components.row(c)[j], 0);
          expect(Math.abs(point.x * arrow.x + point.y * arrow.y - fitted)).toBeLessThan(1e-11);
        });
      });
    }
  });

  it('has points of variance 1 and correlations as arrows by default, and the scores as points of a form', async () => {
    const model = await pca(rows, { k: 2, scale: 'unit' });
    const [covariance, form] = [await model.biplot(rows), await model.biplot(rows, { scale: 'form' })];
    const variance = covariance.points.reduce((sum, { x }) => sum + x * x, 0) / (n - 1);
    expect(variance).toBeCloseTo(1, 12);
    close(
      covariance.arrows.map(({ x }) => x),
      model.loadings.row(0),
    );
    expect(form.points.map(({ x, y }) => [x, y])).toEqual((await model.transform(rows)).toRows());
    expect(covariance.scaling).not.toBe(form.scaling);
    await expect(model.biplot(rows, { y: 'PC3' })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    await expect(model.biplot(rows, { scale: 'both' as never })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

describe('String and console.log', () => {
  it('print one line about a model, and its warnings', async () => {
    const model = await pca(
      [
        [1, 2],
        [3, 5],
        [4, 4],
        [8, 9],
      ],
      { k: 2 },
    );
    const [first, second] = Array.from(model.varianceRatios, (ratio) => (100 * ratio).toFixed(1));
    const { solver, engine } = model.plan;
    expect(String(model)).toBe(
      `PCA of 4 × 2: 2 components, ${first} % + ${second} % of the variance; ${solver} on ${engine}; no warnings`,
    );
    expect(inspect(model)).toBe(String(model));
    expect((model as unknown as Record<symbol, () => string>)[Symbol.for('Deno.customInspect')]()).toBe(String(model));
    const constant = await pca(rows.map(([a]) => [a, 7]));
    expect(String(constant)).toContain(`${constant.warnings.length} warning`);
    for (const { code } of constant.warnings) expect(String(constant)).toContain(`\n  ${code}: `);
    expect(String(await pca(rows, { k: 6 }))).toContain(' + … = 100.0 % of the variance');
  });

  it('print a stream, moments and an analysis in short', async () => {
    const s = stream({ k: 2 });
    expect(String(s)).toBe('Stream without rows');
    expect(inspect(await s.add(rows))).toBe('Stream of 40 × 6: keeps moments');
    expect(inspect(await new Moments(6, names).add(rows))).toBe('Moments of 40 × 6: a, b, c, d, e, f');
    const analysis = await analyze(records, { columnNames: names });
    expect(inspect(analysis)).toMatch(/^Analysis: PCA of 40 × 6/);
    expect(inspect(analysis).split('\n').length).toBeLessThan(8);
    expect(Object.keys(analysis)).not.toContain('toString');
  });

  it('print cumulative shares that are the sums of shares', async () => {
    const { varianceRatios, cumulativeRatios } = await pca(rows, { k: 6 });
    cumulativeRatios.forEach((ratio, i) => {
      expect(ratio).toBeCloseTo(
        varianceRatios.slice(0, i + 1).reduce((sum, each) => sum + each, 0),
        14,
      );
    });
    expect(cumulativeRatios[5]).toBeLessThanOrEqual(1);
  });
});

import { describe, expect, it } from 'vitest';
import { type Model, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { pcaSync } from '../src/pca-sync.js';
import { nestedModels } from '../src/pipeline.js';
import { EXACT_SOLVERS } from '../src/solvers/names.js';

const { normal } = random(Number(process.env.SCREE_SEED));
const [n, d] = [60, 4];
const rows = Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => normal() * (j + 1) + 10 * j));

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);

/** A model with its components turned round. */
const turned = (model: Model): { components: { rows: number; cols: number; data: Float64Array } } => ({
  components: { rows: model.k, cols: model.d, data: model.components.data.map((x) => -x) },
});

describe('signs', () => {
  it.each(EXACT_SOLVERS)('of an earlier model are kept, whatever rule that model has: %s', async (solver) => {
    const model = await pca(rows, { k: 3, solver });
    const [same, other] = [await pca(rows, { k: 3, solver, signs: model }), await pca(rows, { k: 3, solver, signs: turned(model) })]; // biome-ignore format: one line
    expect(same.toJSON()).toEqual(model.toJSON());
    expect(other.components.data).toEqual(model.components.data.map((x) => -x + 0));
    expect(other.variances).toEqual(model.variances);
  });

  it('never flip from one rolling window to the next, and are of use', async () => {
    // Directions of nearly the same variance turn from window to window.
    const cloud = Array.from({ length: n }, () => Array.from({ length: d }, normal));
    let flips = 0;
    let before: Model | undefined;
    let plain: Model | undefined;
    for (let from = 0; from + 12 <= n; from++) {
      const window = cloud.slice(from, from + 12);
      const [model, unaligned]: Model[] = [await pca(window, { k: 2, signs: before }), await pca(window, { k: 2 })];
      for (let c = 0; c < 2; c++) {
        if (before) expect(product(model.components.row(c), before.components.row(c))).toBeGreaterThan(-1e-8);
        if (plain && product(unaligned.components.row(c), plain.components.row(c)) < 0) flips++;
      }
      [before, plain] = [model, unaligned];
    }
    expect(flips).toBeGreaterThan(0);
  });

  it('of components that an earlier model does not have are the usual ones', async () => {
    const [one, three] = [await pca(rows, { k: 1 }), await pca(rows, { k: 3 })];
    const aligned = await pca(rows, { k: 3, signs: turned(one) });
    expect(aligned.components.data.slice(d)).toEqual(three.components.data.slice(d));
    expect(aligned.components.row(0)).toEqual(three.components.row(0).map((x) => -x + 0));
  });

  it('of a direction make scores rise along it, in the units of the columns', async () => {
    for (const scale of ['none', 'unit'] as const) {
      const plain = await pca(rows, { k: d, scale });
      const direction = Array.from({ length: d }, () => normal());
      for (const w of [direction, direction.map((x) => -x)]) {
        const model = await pca(rows, { k: d, scale, signs: w });
        const [from, to] = (await model.transform([rows[0], rows[0].map((x, j) => x + w[j])])).toRows();
        to.forEach((score, c) => {
          expect(score).toBeGreaterThan(from[c]);
        });
        expect(model.components.data.map(Math.abs)).toEqual(plain.components.data.map(Math.abs));
        expect(pcaSync(rows, { k: d, scale, signs: w }).components.data).toEqual(model.components.data);
      }
    }
  });

  it('keep the largest entry positive where a direction says nothing', async () => {
    const flat = rows.map(([a, b]) => [a, b, 0]);
    const model = await pca(flat, { k: 2, signs: [0, 0, -1] });
    expect(model.components.data).toEqual((await pca(flat, { k: 2 })).components.data);
  });

  it('are those of every nested model', async () => {
    const reference = turned(await pca(rows, { k: 3 }));
    const { first } = await nestedModels(rows, { k: 3, signs: reference });
    expect(product(first(1).components.row(0), reference.components.data.subarray(0, d))).toBeGreaterThan(0.99);
  });

  it('of another width, of no direction and of no numbers are refused', async () => {
    const narrow = await pca(rows.map((row) => row.slice(1)), { k: 2 }); // biome-ignore format: one line
    await expect(pca(rows, { signs: narrow })).rejects.toThrow(
      /components of signs have 3 columns, but the data have 4/,
    );
    await expect(pca(rows, { signs: [1, 2, 3] })).rejects.toThrow(/signs has 3 columns, but the data have 4/);
    for (const signs of [
      [0, 0, 0, 0],
      [1, 2, 3, Number.NaN],
    ]) {
      await expect(pca(rows, { signs })).rejects.toThrow(/signs must be a direction/);
    }
    await expect(pca(rows, { signs: 'up' as never })).rejects.toThrow(/signs is "up"; it must be a model, or an array/);
  });
});

describe("axes: 'right-handed'", () => {
  const determinant = (m: Float64Array): number =>
    m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);

  it('gives three components of determinant 1, with signs too', async () => {
    for (let i = 0; i < 8; i++) {
      const points = Array.from({ length: 20 }, () => [normal(), 2 * normal(), 3 * normal()]);
      const model = await pca(points, { k: 3, axes: 'right-handed' });
      expect(determinant(model.components.data)).toBeCloseTo(1, 10);
      const signs = [normal(), normal(), normal()];
      const both = await pca(points, { k: 3, axes: 'right-handed', signs });
      expect(determinant(both.components.data)).toBeCloseTo(1, 10);
      for (const c of [0, 1]) expect(product(both.components.row(c), signs)).toBeGreaterThan(0);
      expect(both.variances).toEqual(model.variances);
    }
  });

  it('is refused for data of another width', async () => {
    await expect(pca(rows, { axes: 'right-handed' })).rejects.toThrow(
      /for three columns, x, y and z, and these data have 4/,
    );
    const points = rows.map((row) => row.slice(1));
    await expect(pca(points, { axes: 'right-handed', k: 2 })).rejects.toThrow(/needs all three components, and k is 2/);
    await expect(pca(rows, { axes: 'left' as never })).rejects.toThrow(/axes is "left"/);
  });
});

describe('k: { atMost }', () => {
  it.each(EXACT_SOLVERS)(
    'is k where there are as many components, and all of them where there are fewer: %s',
    async (solver) => {
      expect((await pca(rows, { k: { atMost: 3 }, solver })).toJSON()).toEqual(
        (await pca(rows, { k: 3, solver })).toJSON(),
      );
      expect((await pca(rows, { k: { atMost: 9 }, solver })).k).toBe(4);
      expect((await pca(rows.slice(0, 3), { k: { atMost: 9 }, solver })).k).toBe(2);
    },
  );

  it('is no way round the check of a plain number', async () => {
    await expect(pca(rows, { k: 5 })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    for (const k of [{ atMost: 0 }, { atMost: 1.5 }, {}, { atMost: '3' }]) {
      await expect(pca(rows, { k: k as never })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    }
    expect(pcaSync(rows, { k: { atMost: 9 } }).k).toBe(4);
    async function* stream() {
      yield* rows;
    }
    expect((await pca(stream(), { k: { atMost: 9 } })).k).toBe(4);
    expect((await pca(rows, { k: { atMost: 9 }, solver: 'streaming' })).k).toBe(4);
    expect((await pca(rows, { k: { atMost: 9 }, solver: 'autoencoder' })).k).toBe(4);
  });
});

describe('every option of pca', () => {
  it('may be undefined, which is its default', async () => {
    const names = ['k', 'center', 'scale', 'columnTransform', 'whiten', 'ddof', 'weights', 'columnWeights', 'solver', 'learn', 'sketch', 'engine', 'tolerance', 'memory', 'seed', 'columnNames', 'columns', 'missing', 'signs', 'axes', 'onProgress', 'signal', 'threads', 'blocking']; // biome-ignore format: one line
    const expected = await pca(rows);
    for (const name of names)
      expect((await pca(rows, { [name]: undefined })).toJSON(), name).toEqual(expected.toJSON());
  });
});

import { famd } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { pythonWith, runPython } from '../../../test/python.js';
import { type ModelComponents, modelFrom, toOnnx } from '../src/exchange/index.js';
import { DataError, loadModel, Model, ModelError, OptionError, pca } from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { loadTransform } from '../src/transform.js';
import { withSpectrum } from './support/data.js';
import { readTable } from './support/table.js';

const [n, d, k] = [40, 6, 3];
const rows = withSpectrum(n, d, (i) => 5 * 0.6 ** i, { offset: (j) => 3 * j, scale: (j) => 1 + j / 4 });
const fitted = await pca(rows, { k, scale: 'unit' });

/** A model as other software would give it. */
const parts = (model: Model): ModelComponents & { readonly components: number[][] } => ({
  components: model.components.toRows(),
  mean: Array.from(model.mean),
  variances: Array.from(model.variances),
  scale: Array.from(model.scale),
});

/** The entries of the covariance of rows, about their means. */
function covarianceOf(x: readonly (readonly number[])[]): number[][] {
  const mean = x[0].map((_, j) => x.reduce((sum, row) => sum + row[j], 0) / x.length);
  return mean.map((_, i) =>
    mean.map((_, j) => x.reduce((sum, row) => sum + (row[i] - mean[i]) * (row[j] - mean[j]), 0) / (x.length - 1)),
  );
}

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++) expect(Math.abs(found[i] - expected[i])).toBeLessThanOrEqual(tolerance);
};

const caught = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a model of components from elsewhere', () => {
  it('computes the scores and rows of the model that the components were taken from, bit by bit', async () => {
    for (const whiten of [false, 'pca', 'zca'] as const) {
      const model = await modelFrom({ ...parts(fitted), n, whiten });
      const same = new Model({ ...fitted, whiten });
      const scores = await model.transform(rows);
      close(scores.data, (await same.transform(rows)).data, 1e-13);
      close((await model.inverseTransform(scores)).data, (await same.inverseTransform(scores)).data, 1e-12);
      close(loadTransform({ ...parts(fitted), whiten }).transform(rows).data, scores.data, 1e-12);
      close(model.loadings.data, fitted.loadings.data, 1e-14);
    }
  });

  it('knows what was given and what follows, and nothing else', async () => {
    const model = await modelFrom(parts(fitted));
    for (const name of ['n', 'totalWeight', 'totalVariance', 'noiseVariance'] as const) expect(model[name]).toBeNaN();
    for (const name of ['varianceRatios', 'singularValues'] as const) {
      expect(Array.from(model[name])).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    }
    expect(model.spectrum).toBeUndefined();
    expect(model).toMatchObject({ origin: 'components', scaling: 'given', plan: { solver: 'given' } });

    const known = await modelFrom({ ...parts(fitted), n, totalVariance: fitted.totalVariance });
    close(known.singularValues, fitted.singularValues, 1e-12);
    close(known.varianceRatios, fitted.varianceRatios, 1e-15);
    expect(known.noiseVariance).toBeCloseTo(fitted.noiseVariance, 13);
    // All variances of the data give their total.
    const all = await pca(rows, { k: d, scale: 'unit' });
    expect((await modelFrom({ ...parts(fitted), variances: all.variances })).totalVariance).toBeCloseTo(d, 12);
    expect((await modelFrom(parts(all))).totalVariance).toBeCloseTo(d, 12);
  });

  it('says in its certificate that only orthonormality was checked', async () => {
    const { certificate, warnings, uniqueness } = await modelFrom(parts(fitted));
    expect(certificate).toMatchObject({ checked: false, subspaceAngleBound: Math.PI / 2 });
    expect(certificate.residuals).toEqual(new Array(k).fill(Number.POSITIVE_INFINITY));
    expect(certificate.orthonormality).toBeLessThan(1e-15);
    expect(warnings.map(({ code }) => code)).toEqual(['NOT_CHECKED']);
    expect(uniqueness.axes.every(({ determined }) => !determined)).toBe(true);
    const [a, b, c] = fitted.variances;
    expect(uniqueness.axes[1].gap).toBeCloseTo(Math.min(a - b, b - c), 12);
    expect(uniqueness.axes[2].gap).toBeNull();
  });

  it('comes back from JSON and from bytes, unknown numbers too', async () => {
    for (const given of [parts(fitted), { ...parts(fitted), n }, { ...parts(fitted), totalVariance: 7 }]) {
      const model = await modelFrom({ ...given, columnNames: [...'abcdef'] });
      for (const back of [
        loadModel(JSON.stringify(model)),
        loadModel(model.toBinary()),
        loadModel(structuredClone({ ...model })),
      ]) {
        expect({ ...back }).toEqual({ ...model });
        expect((await back.transform(rows)).data).toEqual((await model.transform(rows)).data);
      }
      expect(model.toJSON()).toMatchObject({ version: 4 });
    }
    expect(fitted.toJSON()).toMatchObject({ version: 1 });
  });

  it('takes the rotation of prcomp, one column per component, and matrices of numbers', async () => {
    const { components, ...others } = parts(fitted);
    const rotation = Array.from({ length: d }, (_, j) => components.map((row) => row[j]));
    const flat = { rows: k, cols: d, data: Float64Array.from(components.flat()) };
    for (const given of [
      { ...others, rotation },
      { ...others, components: flat },
    ]) {
      expect((await modelFrom(given)).components.data).toEqual(fitted.components.data);
    }
    const turned = { ...others, components: rotation.slice(0, d) };
    await expect(modelFrom(turned)).rejects.toThrow(
      /components have \d+ rows of \d+ numbers, and mean has \d+. If each column is a component, as in R, call it rotation/,
    );
    await expect(modelFrom({ ...turned, mean: [0, 0, 0, 0, 0, 0] })).rejects.toBeInstanceOf(ModelError);
  });

  it('accepts the rounding of float32, 1e-4, and only 1e-6 of numbers that are not float32', async () => {
    const tilted = (by: number, round: (x: number) => number): ModelComponents => {
      const { components, ...others } = parts(fitted);
      const first = components[0].map((value, j) => value + by * components[1][j]);
      return { ...others, components: [first, ...components.slice(1)].map((row) => Array.from(row, round)) };
    };
    const single = await modelFrom(tilted(2e-5, Math.fround));
    expect(single.dtype).toBe('float32');
    expect(single.certificate.orthonormality).toBeGreaterThan(1e-5);
    expect(loadModel(JSON.stringify(single)).certificate).toEqual(single.certificate);
    expect(loadTransform(single.toBinary({ only: 'transform', dtype: 'float32' })).k).toBe(k);
    await expect(modelFrom(tilted(2e-5, (x) => x))).rejects.toThrow(/not orthonormal.*at most 0\.000001/);
    await expect(modelFrom(tilted(2e-4, Math.fround))).rejects.toThrow(/not orthonormal.*at most 0\.0001 /);
  });

  it('refuses a missing or wrong field with a ModelError that names it, wherever it is read', async () => {
    const good = parts(fitted);
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ mean: undefined }, /mean is not a list of numbers but undefined/],
      [{ variances: null }, /variances is not a list/],
      [{ components: undefined }, /components/],
      [{ rotation: good.components }, /components and rotation/],
      [{ components: 5 }, /components are not rows of numbers/],
      [{ components: [] }, /not rows of numbers/],
      [{ components: [[1, 0], [0]] }, /same length/],
      [{ components: [null] }, /components is not a list/],
      [{ components: { rows: 2, cols: 2 } }, /components are not rows of numbers/],
      [{ components: good.components.map((row) => row.map(String)) }, /components holds a value that is not finite/],
      [{ mean: 3 }, /mean is not a list/],
      [{ mean: [1, 2] }, /mean has 2 numbers, not 6/],
      [{ mean: good.mean && [1, 2, 3] }, /3 rows of 6 numbers, and mean has 3/],
      [{ variances: [3, 2] }, /variances has 2 numbers, not 3/],
      [{ variances: [1, 2, 3] }, /variances rise at 1/],
      [{ variances: [3, 2, -1] }, /variances has a negative value/],
      [{ scale: [1, 1, 1, 1, 1, 0] }, /scale holds a value that cannot be a divisor/],
      [{ n: 0 }, /n is 0/],
      [{ n: 2.5 }, /n is 2.5/],
      [{ totalVariance: 1e-3 }, /totalVariance 0.001 is below/],
      [{ ddof: -1 }, /ddof is -1/],
      [{ whiten: true }, /whiten is true/],
      [{ columnNames: ['a'] }, /columnNames are not 6 names/],
      [{ explained_variance_: [1] }, /"explained_variance_" is none of/],
    ];
    for (const [changes, message] of cases) {
      const given = { ...good, ...changes };
      const found = [
        caught(() => loadModel(given)),
        caught(() => loadTransform(given)),
        await modelFrom(given as ModelComponents).catch((error) => error),
      ];
      for (const error of found) {
        expect(error, JSON.stringify(changes)).toBeInstanceOf(ModelError);
        expect((error as Error).message).toMatch(message);
      }
    }
    for (const bad of [undefined, null, 5, [], {}]) {
      expect(await modelFrom(bad as never).catch((error) => error)).toBeInstanceOf(ModelError);
    }
  });

  it('is refused if any field of a stored model is missing', async () => {
    for (const stored of [fitted.toJSON(), (await modelFrom(parts(fitted))).toJSON()] as Record<string, unknown>[]) {
      for (const field of Object.keys(stored)) {
        const { [field]: _, ...rest } = stored;
        for (const load of [loadModel, loadTransform])
          expect(
            caught(() => load(rest)),
            field,
          ).toBeInstanceOf(ModelError);
      }
    }
    // Without a checksum, as a structured clone has none.
    for (const field of ['components', 'mean', 'scale', 'variances', 'singularValues', 'uniqueness', 'plan']) {
      const { [field]: _, ...rest } = { ...fitted } as Record<string, unknown>;
      for (const load of [loadModel, loadTransform])
        expect(
          caught(() => load(rest)),
          field,
        ).toBeInstanceOf(ModelError);
    }
  });
});

describe('a model of a covariance matrix', () => {
  it('has the components and variances of the rows, within its certificate', async () => {
    for (const scale of ['none', 'unit'] as const) {
      const fit = await pca(rows, { k: d, scale });
      const model = await modelFrom({ covariance: covarianceOf(rows), mean: Array.from(fit.mean), n, k: d, scale });
      model.variances.forEach((variance, i) => {
        expect(Math.abs(variance - fit.variances[i])).toBeLessThan(
          model.certificate.varianceBounds[i] + fit.certificate.varianceBounds[i] + 1e-13,
        );
      });
      close(model.components.data, fit.components.data, 1e-10);
      close(model.singularValues, fit.singularValues, 1e-10);
      close(model.varianceRatios, fit.varianceRatios, 1e-13);
      close((await model.transform(rows)).data, (await fit.transform(rows)).data, 1e-9);
      expect(model).toMatchObject({ n, origin: 'covariance', scaling: scale });
      close(loadModel(JSON.stringify(model)).components.data, model.components.data, 0);
    }
  });

  it('agrees with R: ability.cov and Harman74.cor', async () => {
    const ability = await modelFrom({ covariance: readTable('ability-covariance').rows, n: 112 });
    expect(Math.abs(ability.variances[0] - 237.091829653)).toBeLessThan(1e-9);
    expect(Math.abs(ability.variances[1] - 102.043611134)).toBeLessThan(1e-9);
    const { rows: correlations, columns } = readTable('harman74');
    const harman = await modelFrom({ covariance: correlations, n: 145, columnNames: columns, k: 'all' });
    expect(Math.abs(harman.variances[0] - 8.135444083)).toBeLessThan(1e-9);
    expect(harman.columnNames).toEqual(columns);
    expect(harman.totalVariance).toBeCloseTo(24, 12);
  });

  it('describes the matrix: CV = λV, and covariance() gives it back', async () => {
    const { rows: c } = readTable('ability-covariance');
    const model = await modelFrom({ covariance: c, k: 6 });
    close(model.covariance().data, c.flat(), 1e-12 * model.variances[0]);
    for (const [i, v] of Array.from(model.components).entries()) {
      const image = c.map((row) => row.reduce((sum, value, j) => sum + value * v[j], 0));
      close(
        image,
        v.map((value) => value * model.variances[i]),
        1e-12 * model.variances[0],
      );
    }
  });

  it('does not know rows and means that were not given, and says so when it needs them', async () => {
    const model = await modelFrom({ covariance: covarianceOf(rows) });
    expect(model.n).toBeNaN();
    expect(Array.from(model.singularValues)).toEqual(new Array(d).fill(Number.NaN));
    expect(model.totalVariance).toBeGreaterThan(0);
    expect(model.certificate.checked).toBeUndefined();
    close(model.loadings.data, (await pca(rows)).loadings.data, 1e-10);
    for (const back of [model, loadModel(JSON.stringify(model)), loadModel(model.toBinary())]) {
      for (const use of [
        () => back.transform(rows),
        () => back.inverseTransform([[1, 2, 3, 4, 5, 6]]),
        () => back.reconstructionError(rows),
      ]) {
        await expect(use()).rejects.toMatchObject({ code: 'MEAN_UNKNOWN' });
      }
      expect(caught(() => loadTransform(JSON.stringify(back)))).toMatchObject({ code: 'MEAN_UNKNOWN' });
      expect(caught(() => toOnnx(back))).toMatchObject({ code: 'MEAN_UNKNOWN' });
    }
  });

  it('takes records by column names, float32, and matrices of any size', async () => {
    const names = [...'abcdef'];
    const c = covarianceOf(rows);
    const records = c.map((row) => Object.fromEntries(names.map((name, j) => [name, row[j]])));
    expect((await modelFrom({ covariance: records })).columnNames).toEqual(names);
    const single = await modelFrom({ covariance: { rows: d, cols: d, data: Float32Array.from(c.flat()) } });
    expect(single.dtype).toBe('float32');
    for (const size of [1e-160, 1e150]) {
      const model = await modelFrom({ covariance: c.map((row) => row.map((value) => value * size)), k: d });
      const one = await modelFrom({ covariance: c, k: d });
      model.variances.forEach((value, i) => {
        expect(Math.abs(value / size / one.variances[i] - 1)).toBeLessThan(1e-9);
      });
    }
    const flat = await modelFrom({
      covariance: [
        [0, 0],
        [0, 0],
      ],
    });
    expect(flat.warnings.map(({ code }) => code)).toContain('CONSTANT_DATA');
  });

  it('refuses what is no covariance', async () => {
    const cases: [unknown, string, RegExp][] = [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        'BAD_DATA',
        /2 rows and 3 columns/,
      ],
      [
        [
          [1, 0.5],
          [0.4, 1],
        ],
        'NOT_A_COVARIANCE',
        /not symmetric: for columns 1 and 2 it has 0.5 above the diagonal and 0.4 below/,
      ],
      [
        [
          [1, 0.5],
          [0, 1],
        ],
        'NOT_A_COVARIANCE',
        /both triangles/,
      ],
      [
        [
          [-1, 0],
          [0, 1],
        ],
        'NOT_A_COVARIANCE',
        /variance of column 1 is -1/,
      ],
      [
        [
          [1, 2],
          [2, 1],
        ],
        'NOT_A_COVARIANCE',
        /columns 1 and 2 have the covariance 2/,
      ],
      [
        [
          [1, Number.NaN],
          [0, 1],
        ],
        'NOT_FINITE',
        /columns 1 and 2/,
      ],
      [
        [
          [0, 1],
          [1, 0],
        ],
        'NOT_A_COVARIANCE',
        /columns 1 and 2 have the covariance 1/,
      ],
      [
        [
          [1, 0.9, 0.9],
          [0.9, 1, -0.9],
          [0.9, -0.9, 1],
        ],
        'NOT_A_COVARIANCE',
        /smallest eigenvalue is -0.421 of the largest/,
      ],
    ];
    for (const [covariance, code, message] of cases) {
      const error = await modelFrom({ covariance: covariance as number[][] }).catch((error) => error);
      expect(error).toBeInstanceOf(DataError);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    }
    const covariance = [
      [2, 1],
      [1, 2],
    ];
    for (const options of [{ n: 1 }, { n: 2, ddof: 2 }, { mean: [1] }, { scale: [1, 1] }, { k: 3 }, { wat: 1 }]) {
      await expect(modelFrom({ covariance, ...options } as never), JSON.stringify(options)).rejects.toBeInstanceOf(
        OptionError,
      );
    }
    for (const load of [loadModel, loadTransform]) {
      expect(caught(() => load({ covariance }))).toMatchObject({ message: expect.stringMatching(/modelFrom/) });
    }
  });

  it('can be cancelled', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(modelFrom({ covariance: covarianceOf(rows) }, { signal })).rejects.toThrow('enough');
  });
});

describe('a stored transform', () => {
  it('has the scores of the model: in float64 bit by bit, in float32 to its rounding', async () => {
    for (const whiten of [false, 'pca', 'zca'] as const) {
      const model = await pca(rows, { k, whiten, scale: 'unit', columnNames: [...'abcdef'] });
      const expected = loadTransform(model.toBinary());
      const scores = expected.transform(rows).data;
      const size = Math.max(...scores.map(Math.abs));
      const exact = loadTransform(model.toBinary({ only: 'transform' }));
      expect(exact.transform(rows).data).toEqual(scores);
      expect(exact.inverseTransform(scores.length === n * k ? expected.transform(rows) : rows)).toEqual(
        expected.inverseTransform(scores.length === n * k ? expected.transform(rows) : rows),
      );
      const single = loadTransform(model.toBinary({ only: 'transform', dtype: 'float32' }));
      close(single.transform(rows).data, scores, 2 ** -20 * size);
      expect(single.columnNames).toEqual([...'abcdef']);
    }
  });

  it('takes half the bytes for wide rows', async () => {
    const wide = await pca(
      withSpectrum(30, 400, (i) => 0.8 ** i),
      { k: 20 },
    );
    const [whole, single] = [wide.toBinary(), wide.toBinary({ only: 'transform', dtype: 'float32' })];
    // 20 × 400 numbers of 4 bytes, 2 × 400 + 20 of 8, and a header.
    expect(single.length).toBeLessThan(4 * 8000 + 8 * 820 + 600);
    expect(whole.length).toBeGreaterThan(8 * 8000);
  });

  it('is told apart by loadModel, and refused if it is damaged', async () => {
    const bytes = fitted.toBinary({ only: 'transform', dtype: 'float32' });
    expect(caught(() => loadModel(bytes))).toMatchObject({
      code: 'BAD_MODEL',
      message: expect.stringMatching(/loadTransform/),
    });
    const rng = random(Number(process.env.SCREE_SEED));
    for (let trial = 0; trial < 300; trial++) {
      const changed = bytes.slice();
      changed[Math.floor(rng.uniform() * bytes.length)] ^= 1 + Math.floor(rng.uniform() * 255);
      expect(caught(() => loadTransform(changed))).toBeInstanceOf(ModelError);
    }
    for (let length = 0; length < bytes.length; length += 5) {
      expect(caught(() => loadTransform(bytes.subarray(0, length)))).toMatchObject({ code: 'MODEL_TRUNCATED' });
    }
  });

  it('is refused for options that do not fit and for encoded models', async () => {
    expect(() => fitted.toBinary({ dtype: 'float32' })).toThrow(OptionError);
    expect(() => fitted.toBinary({ only: 'mean' as never })).toThrow(OptionError);
    expect(() => fitted.toBinary({ only: 'transform', dtype: 'float16' as never })).toThrow(OptionError);
    const encoded = await famd([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
      { a: 4, b: 'x' },
      { a: 3, b: 'y' },
    ]);
    expect(() => encoded.toBinary({ only: 'transform' })).toThrow(ModelError);
    expect(() => toOnnx(encoded)).toThrow(/encodes categories \(b\)/);
  });
});

const sklearn = pythonWith('sklearn', 'numpy');
describe.runIf(sklearn)('components of scikit-learn', () => {
  it('give its scores, variances and reconstructions, whitened and not, in float64 and float32', async () => {
    for (const [whiten, dtype, tolerance] of [
      [false, 'float64', 1e-12],
      [true, 'float64', 1e-12],
      [false, 'float32', 1e-5],
    ] as const) {
      const found = runPython(
        sklearn as string,
        `
import json, sys, numpy as np
from sklearn.decomposition import PCA
rows, whiten, dtype = json.loads(sys.argv[1])
x = np.array(rows, dtype)
p = PCA(3, whiten=whiten).fit(x)
print(json.dumps(dict(model=dict(components=p.components_.tolist(), mean=p.mean_.tolist(), variances=p.explained_variance_.tolist(),
  n=p.n_samples_, totalVariance=float(p.explained_variance_.sum() / p.explained_variance_ratio_.sum()), whiten='pca' if whiten else False),
  scores=p.transform(x).tolist(), back=p.inverse_transform(p.transform(x)).tolist(), sigma=p.singular_values_.tolist(), ratios=p.explained_variance_ratio_.tolist())))`,
        JSON.stringify([rows, whiten, dtype]),
      ) as { model: ModelComponents; scores: number[][]; back: number[][]; sigma: number[]; ratios: number[] };
      const model = await modelFrom(found.model);
      const scores = await model.transform(rows);
      close(scores.data, found.scores.flat(), 10 * tolerance);
      close((await model.inverseTransform(scores)).data, found.back.flat(), 10 * tolerance);
      close(model.singularValues, found.sigma, 10 * tolerance);
      close(model.varianceRatios, found.ratios, tolerance);
      expect(model.dtype).toBe(dtype);
    }
  });
});

const faiss = pythonWith('faiss', 'numpy');
describe.runIf(faiss)('a PCAMatrix of faiss', () => {
  it('gives its scores: eigenvalues are sums of squares', async () => {
    const found = runPython(
      faiss as string,
      `
import json, sys, numpy as np, faiss
x = np.array(json.loads(sys.argv[1]), 'float32')
p = faiss.PCAMatrix(x.shape[1], 3); p.train(x)
a = faiss.vector_to_array(p.A).reshape(p.d_out, p.d_in)
e = faiss.vector_to_array(p.eigenvalues)
print(json.dumps(dict(model=dict(components=a.tolist(), mean=faiss.vector_to_array(p.mean).tolist(), variances=(e / (len(x) - 1)).tolist(), n=len(x)),
  scores=p.apply(x).tolist())))`,
      JSON.stringify(rows),
    ) as { model: ModelComponents; scores: number[][] };
    const model = await modelFrom(found.model);
    close((await model.transform(rows)).data, found.scores.flat(), 2e-5);
    const own = await pca(rows, { k });
    model.variances.forEach((value, i) => {
      expect(Math.abs(value / own.variances[i] - 1)).toBeLessThan(1e-4);
    });
    expect(model.totalVariance / own.totalVariance).toBeCloseTo(1, 4);
  });
});

const onnx = pythonWith('onnxruntime', 'onnx', 'numpy');
describe.runIf(onnx)('toOnnx', () => {
  it('writes a file whose scores in onnxruntime are those of the model', async () => {
    const cases = (['none', 'unit'] as const).flatMap((scale) =>
      ([false, 'pca', 'zca'] as const).flatMap((whiten) =>
        (['float32', 'float64'] as const).map((dtype) => ({ scale, whiten, dtype })),
      ),
    );
    const models = await Promise.all(
      cases.map(({ scale, whiten }) => pca(rows, { k, scale, whiten, columnNames: [...'abcdef'] })),
    );
    const files = models.map((model, i) => Buffer.from(toOnnx(model, cases[i])).toString('base64'));
    const results = runPython(
      onnx as string,
      `
import base64, json, sys, numpy as np, onnx, onnxruntime
rows, types, files = json.loads(sys.argv[1])
found = []
for dtype, data in zip(types, map(base64.b64decode, files)):
    g = onnx.load_from_string(data)
    onnx.checker.check_model(g, full_check=True)
    s = onnxruntime.InferenceSession(data, providers=['CPUExecutionProvider'])
    y = s.run(['scores'], {'x': np.array(rows, dtype)})[0]
    found.append(dict(scores=y.tolist(), type=str(y.dtype), operators=[n.op_type for n in g.graph.node], names=g.metadata_props[0].value))
print(json.dumps(found))`,
      JSON.stringify([rows, cases.map(({ dtype }) => dtype), files]),
    ) as { scores: number[][]; type: string; operators: string[]; names: string }[];
    expect(results.length).toBe(12);
    for (const [i, found] of results.entries()) {
      const { scale, dtype } = cases[i];
      const scores = (await models[i].transform(rows)).data;
      const size = Math.max(...scores.map(Math.abs), ...rows.flat().map(Math.abs));
      close(found.scores.flat(), scores, size * d * (dtype === 'float32' ? 2 ** -22 : 2 ** -50));
      expect(found.type).toBe(dtype);
      expect(found.operators).toEqual(['Sub', ...(scale === 'unit' ? ['Div'] : []), 'MatMul']);
      expect(JSON.parse(found.names)).toEqual([...'abcdef']);
    }
  });
});

describe('toOnnx', () => {
  it('refuses models that encode their columns, and says which part', async () => {
    const records = rows.map(([a, b, c]) => ({ a: a + 100, b, c }));
    const logged = await pca(records, { columnTransform: { a: 'log1p', b: 'none', c: 'none' } });
    expect(() => toOnnx(logged)).toThrow(/applies log1p to a/);
    expect(() => toOnnx(fitted, { dtype: 'float16' as never })).toThrow(OptionError);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/data/storage/crc32.js';
import { loadModel, Model, ModelError, type ModelRecord, pca, type Whiten } from '../../src/index.js';
import { solverNames, tables, withSpectrum } from '../support/data.js';

const rows = withSpectrum(30, 5, (i) => 3 * 0.5 ** i, { offset: (j) => j * 1e3 });
const records = rows.map((row) => Object.fromEntries(row.map((x, j) => [`column ${j} ✓ "\u2028`, x])));
const make = (): Promise<Model> =>
  pca(records, { k: 3, scale: 'unit', whiten: 'pca', weights: rows.map((_, i) => 1 + (i % 2)) });

/** Every field of a model, bit by bit. */
function bits(model: Model): unknown {
  const plain = model.toJSON();
  const exact = (array: Float64Array) => Array.from(new BigUint64Array(array.slice().buffer));
  return [
    plain,
    exact(model.components.data),
    exact(model.mean),
    exact(model.scale),
    exact(model.variances),
    exact(model.varianceRatios),
    exact(model.singularValues),
  ];
}

describe('a stored model', () => {
  it('comes back from JSON and from bytes exact to the last bit', () =>
    fc.assert(
      fc.asyncProperty(
        tables,
        fc.constantFrom(...solverNames),
        fc.constantFrom<Whiten[]>(false, 'pca', 'zca'),
        async (data, solver, whiten) => {
          const model = await pca(data, {
            solver,
            whiten,
            k: Math.min(3, data.length, data[0].length),
            scale: 'pareto',
          });
          for (const back of [
            loadModel(JSON.stringify(model)),
            loadModel(model.toJSON()),
            loadModel(JSON.stringify(model, null, 2)),
            loadModel(model.toBinary()),
            loadModel(model.toBinary().slice().buffer as ArrayBuffer),
          ]) {
            expect(bits(back)).toEqual(bits(model));
            expect((await back.transform(data)).data).toEqual((await model.transform(data)).data);
          }
        },
      ),
      { numRuns: 60 },
    ));

  it('keeps names, weights, warnings and plan', async () => {
    const model = await make();
    const back = loadModel(model.toBinary());
    expect(back.columnNames).toEqual(model.columnNames);
    expect(back.plan).toEqual(model.plan);
    expect(back.certificate).toEqual(model.certificate);
    expect(back.uniqueness).toEqual(model.uniqueness);
    expect(back.totalWeight).toBe(45);
    expect(back).toBeInstanceOf(Model);
  });

  it('keeps the name of the scaling; older files have none, and an unknown one is refused', async () => {
    const given = await pca(rows, { scale: [1, 2, 3, 4, 5] });
    expect(given.scaling).toBe('given');
    for (const scale of ['none', 'unit', 'pareto', 'range'] as const) {
      const model = await pca(rows, { scale });
      expect(loadModel(model.toBinary()).scaling).toBe(scale);
      expect(loadModel(JSON.stringify(model)).scaling).toBe(scale);
      const { scaling, ...old } = model;
      expect(loadModel(new Model(old).toBinary()).scaling).toBeUndefined();
    }
    expect(() => new Model({ ...given, scaling: 'robust' as never })).toThrow(ModelError);
  });

  it('is smaller in its binary form, which describes itself', async () => {
    const model = await pca(
      withSpectrum(60, 200, (i) => 0.8 ** i),
      { k: 20 },
    );
    const bytes = model.toBinary();
    expect(bytes.length).toBeLessThan(0.6 * JSON.stringify(model).length);
    expect(new TextDecoder().decode(bytes.subarray(0, 8))).toBe('SCREEPCA');
    const view = new DataView(bytes.buffer);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + view.getUint32(12, true))));
    const components = header.arrays.find(({ name }: { name: string }) => name === 'components');
    expect(components.shape).toEqual([20, 200]);
    const start = Math.ceil((16 + view.getUint32(12, true)) / 8) * 8;
    expect(view.getFloat64(start + components.offset, true)).toBe(model.components.data[0]);
  });

  const failure = (source: unknown): ModelError => {
    try {
      loadModel(source as string);
    } catch (error) {
      expect(error).toBeInstanceOf(ModelError);
      return error as ModelError;
    }
    throw new Error('it was accepted');
  };

  it('is rejected when it is truncated, at any byte', async () => {
    const model = await make();
    const bytes = model.toBinary();
    for (let length = 0; length < bytes.length; length += 7) {
      expect(failure(bytes.subarray(0, length)).code).toBe('MODEL_TRUNCATED');
    }
    const text = JSON.stringify(model);
    for (const length of [1, 10, 500, text.length - 1])
      expect(failure(text.slice(0, length)).code).toBe('MODEL_TRUNCATED');
  });

  it('is rejected when any byte was changed', async () => {
    const bytes = (await make()).toBinary();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = bytes.slice();
        changed[at] ^= flip;
        expect(['MODEL_CHANGED', 'MODEL_TOO_NEW', 'BAD_MODEL', 'MODEL_TRUNCATED']).toContain(failure(changed).code);
      }),
      { numRuns: 500 },
    );
    expect(failure(Uint8Array.from([...bytes, 0])).code).toBe('MODEL_CHANGED');
  });

  it('is rejected when a number in the JSON was edited', async () => {
    const text = JSON.stringify(await make());
    const edited = text.replace(/"totalVariance":\d/, (found) => found.slice(0, -1) + ((Number(found.at(-1)) % 9) + 1));
    expect(edited).not.toBe(text);
    expect(failure(edited)).toMatchObject({
      code: 'MODEL_CHANGED',
      message: expect.stringMatching(/changed after it was written/),
    });
  });

  it('asks for an update when its format is newer', async () => {
    const model = await make();
    expect(failure({ ...model.toJSON(), version: 5 })).toMatchObject({
      code: 'MODEL_TOO_NEW',
      message: expect.stringMatching(/version 5.*up to version 4\. Update scree/),
    });
    const bytes = model.toBinary();
    new DataView(bytes.buffer).setUint32(8, 7, true);
    expect(failure(bytes).code).toBe('MODEL_TOO_NEW');
  });

  it('is rejected when it is something else', () => {
    for (const other of [
      '',
      'hello',
      '[]',
      '{}',
      '{"format":"other"}',
      'null',
      {},
      [],
      new Uint8Array(100),
      42,
      null,
      undefined,
    ]) {
      expect(['BAD_MODEL', 'MODEL_TRUNCATED']).toContain(failure(other).code);
    }
  });

  it('cannot be constructed from parts that do not fit together', async () => {
    const model = await make();
    const bad: [Partial<ModelRecord>, RegExp][] = [
      [{ mean: new Float64Array(4) }, /mean has 4 numbers, not 5/],
      [{ scale: new Float64Array(5) }, /scale holds a value that cannot be a divisor/],
      [{ variances: Float64Array.of(1, 2, 3) }, /variances rise at 1/],
      [{ variances: Float64Array.of(1, Number.NaN, 0) }, /not finite/],
      [{ components: { rows: 3, cols: 5, data: new Float64Array(15).fill(1) } }, /not orthonormal/],
      [{ components: { rows: 6, cols: 5, data: new Float64Array(30) } }, /cannot be 6 × 5/],
      [{ columnNames: ['a'] }, /columnNames are not 5 names/],
      [{ ddof: 1000 }, /is not above ddof/],
      [{ n: 0 }, /n is 0, and a model is fitted to rows/],
      [{ n: 2.5 }, /n is 2\.5/],
      [{ varianceRatios: Float64Array.of(1.2, 0.1, 0) }, /varianceRatios has 1\.2, and no share is above 1/],
    ];
    for (const [part, message] of bad) expect(() => new Model({ ...spread(model), ...part })).toThrow(message);
    expect(new Model(spread(model)).k).toBe(3);
  });

  it('is rejected when its parts are not what they should be, although the checksum is right', async () => {
    const model = await make();
    const { checksum, ...body } = model.toJSON() as Record<string, unknown> & { checksum: string };
    const sign = (changed: object): object => {
      const text = new TextEncoder().encode(JSON.stringify(changed));
      return { ...changed, checksum: crc32(text).toString(16).padStart(8, '0') };
    };
    expect(sign(body)).toEqual({ ...body, checksum });
    const uniqueness = body.uniqueness as object;
    const hostile: object[] = [
      { certificate: {} },
      { certificate: null },
      { certificate: { ...(body.certificate as object), varianceBounds: ['a', 'b', 'c'] } },
      { certificate: { ...(body.certificate as object), angleBounds: [0, 0] } },
      { uniqueness: {} },
      { uniqueness: { ...uniqueness, rank: '3' } },
      { uniqueness: { ...uniqueness, rank: 9 } },
      { uniqueness: { ...uniqueness, axes: [1, 2, 3] } },
      { warnings: ['careful'] },
      { warnings: {} },
      { plan: { solver: 1 } },
      { columnNames: null },
      { columnNames: [1, 2, 3, 4, 5] },
      { singularValues: [3, -2, 1] },
      { scale: [1e-320, 1, 1, 1, 1] },
      { mean: ['1', 2, 3, 4, 5] },
      { components: [[1, 0, 0, 0, 0], null, 3] },
      { dtype: 'int8' },
      { centered: 1 },
      { k: 2 },
      { d: '5' },
      { n: -1 },
      { n: 0 },
      { varianceRatios: [1.5, 0.2, 0.1] },
      JSON.parse('{"__proto__": {"polluted": true}, "k": 1e9}'),
    ];
    for (const part of hostile)
      expect(failure(sign({ ...body, ...part })).code, JSON.stringify(part)).toBe('BAD_MODEL');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const cyclic: Record<string, unknown> = { ...body };
    cyclic.self = cyclic;
    expect(failure(cyclic).code).toBe('BAD_MODEL');
    expect(failure({ ...body, n: 3n }).code).toBe('BAD_MODEL');
    const throwing = Object.defineProperty({ ...body }, 'plan', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(failure(throwing).code).toBe('BAD_MODEL');
    expect(failure(`{"format":"scree-model","version":1,"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`).code).toBe(
      'BAD_MODEL',
    );
  });

  it('is rejected when its binary header is wrong, although the checksum is right', async () => {
    const bytes = (await make()).toBinary();
    const view = new DataView(bytes.buffer);
    const length = view.getUint32(12, true);
    const header = new TextDecoder().decode(bytes.subarray(16, 16 + length));
    for (const [from, to] of [
      ['"version":1', '"version":9'],
      ['"scree-model"', '"scree-mudel"'],
      ['little-endian', 'biggie-endian'],
      ['"rank":3', '"rank":4'],
    ]) {
      const changed = bytes.slice();
      changed.set(new TextEncoder().encode(header.replace(from, to)), 16);
      new DataView(changed.buffer).setUint32(changed.length - 4, crc32(changed.subarray(0, -4)), true);
      expect(failure(changed).code, to).toBe('BAD_MODEL');
    }
  });

  it('does not change when its arrays or its source are changed', async () => {
    const model = await make();
    const before = (await model.transform(records)).data;
    model.components.data[0] = 99;
    model.mean[0] = 99;
    model.scale[0] = 99;
    expect((await model.transform(records)).data).toEqual(before);
    expect(() => Object.assign(model, { n: 3 })).toThrow();
    expect(Object.isFrozen(model.certificate.residuals)).toBe(true);
  });
});

function spread(model: Model): Model {
  return { ...model, k: model.k, d: model.d } as unknown as Model;
}

import { tableFromArrays } from 'apache-arrow';
import { Matrix as MlMatrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { type Data, Moments, pca, type RowSource, toRows } from '../../../src/index.js';
import { toCsr, toMatrix, withSpectrum } from '../../support/data.js';

const rows = withSpectrum(40, 4, (i) => 4 - i, { offset: (j) => j }).map((row) => row.map((x) => Math.fround(x)));
const names = ['a', 'b', 'c', 'd'];
const records = rows.map((row) => Object.fromEntries(row.map((x, j) => [names[j], x])));
const strided = (): Data => {
  const data = new Float64Array(40 * 7).fill(Number.NaN);
  rows.forEach((row, i) => {
    data.set(row, i * 7);
  });
  return { rows: 40, cols: 4, stride: 7, data };
};

async function* stream<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item;
}

const forms: Record<string, () => Data> = {
  'number[][]': () => rows,
  'typed rows': () => rows.map((row) => Float64Array.from(row)),
  'Float32Array[]': () => rows.map((row) => Float32Array.from(row)),
  'a float64 matrix': () => toMatrix(rows),
  'a float32 matrix': () => toMatrix(rows, true),
  'a matrix with a stride, its gaps never read': strided,
  records: () => records,
  'a sparse matrix': () => toCsr(rows),
  'a sync iterable of rows': () => new Set(rows),
  'an async iterable of rows': () => stream(rows),
  'an async iterable of records': () => stream(records),
  'an async iterable of matrices': () =>
    stream([toMatrix(rows.slice(0, 7)), toMatrix(rows.slice(7, 39), true), toMatrix(rows.slice(39))]),
  'an async iterable of sparse matrices': () => stream([toCsr(rows.slice(0, 20)), toCsr(rows.slice(20))]),
  'a Matrix of ml-matrix': () => new MlMatrix(rows),
  'a view of ml-matrix': () =>
    new MlMatrix(rows)
      .transpose()
      .transpose()
      .subMatrixRow(rows.map((_, i) => i)),
  'an array of ml-matrix matrices': () => [new MlMatrix(rows.slice(0, 7)), new MlMatrix(rows.slice(7))],
  'rows of an Arrow table': () =>
    tableFromArrays(Object.fromEntries(names.map((name, j) => [name, rows.map((row) => row[j])]))).toArray(),
  'rows, then matrices': () =>
    stream<number[] | ReturnType<typeof toMatrix>>([rows[0], rows[1], toMatrix(rows.slice(2))]),
};

describe.each(Object.entries(forms))('data as %s', (_, make) => {
  it.each(['auto', 'covariance', 'dual', 'svd', 'krylov'] as const)('gives the same model by %s', async (solver) => {
    const expected = await pca(rows, { k: 2, solver: 'svd' });
    const model = await pca(make(), { k: 2, solver, tolerance: 1e-10 });
    expect(model.n).toBe(40);
    for (let i = 0; i < 2; i++) expect(Math.abs(model.variances[i] / expected.variances[i] - 1)).toBeLessThan(1e-12);
    model.components.data.forEach((x, i) => {
      expect(Math.abs(x - expected.components.data[i])).toBeLessThan(1e-9);
    });
  });

  it('transforms like the others', async () => {
    const model = await pca(records, { k: 2 });
    const expected = await model.transform(rows);
    const scores = await model.transform(make());
    expect(scores.rows).toBe(40);
    scores.data.forEach((x, i) => {
      expect(Math.abs(x - expected.data[i])).toBeLessThan(1e-5);
    });
  });
});

describe('data keep their type and names', () => {
  it('float32 stays float32: storage, scores and reconstructions', async () => {
    const model = await pca(toMatrix(rows, true), { k: 2 });
    expect(model.dtype).toBe('float32');
    const scores = await model.transform(toMatrix(rows, true));
    expect(scores.data).toBeInstanceOf(Float32Array);
    expect((await model.inverseTransform(scores)).data).toBeInstanceOf(Float32Array);
    expect((await model.transform(rows)).data).toBeInstanceOf(Float64Array);
  });

  it('integers are read exactly', async () => {
    const data = Uint8Array.from([0, 255, 3, 7, 200, 100, 1, 2]);
    const model = await pca({ rows: 4, cols: 2, data }, { k: 2 });
    const same = await pca(
      [
        [0, 255],
        [3, 7],
        [200, 100],
        [1, 2],
      ],
      { k: 2 },
    );
    expect(model.variances).toEqual(same.variances);
    const wide = await pca({ rows: 4, cols: 2, data: Int32Array.from([2 ** 30 + 1, 1, 2, 3, 4, 5, 6, 7]) }, { k: 1 });
    expect(wide.dtype).toBe('float64');
  });

  it('records name the columns, in any order of keys, and columnNames chooses among them', async () => {
    const model = await pca(records, { k: 2 });
    expect(model.columnNames).toEqual(names);
    const shuffled = records.map(({ a, b, c, d }) => ({ d, extra: 1, b, a, c }));
    expect(toRows(await model.transform(shuffled))).toEqual(toRows(await model.transform(records)));
    const chosen = await pca(shuffled, { k: 2, columnNames: ['c', 'a'] });
    expect(chosen.d).toBe(2);
    expect(chosen.mean[1]).toBeCloseTo(model.mean[0], 12);
  });

  it('sparse rows may be unsorted and repeat columns, as SciPy writes them', async () => {
    const messy = {
      rows: 3,
      cols: 3,
      indptr: [0, 3, 4, 6],
      indices: [2, 0, 2, 1, 2, 1],
      data: Float64Array.from([1, 5, 2, 4, 8, 7]),
    };
    const clean = [
      [5, 0, 3],
      [0, 4, 0],
      [0, 7, 8],
    ];
    const a = await pca(messy, { k: 2 });
    const b = await pca(clean, { k: 2 });
    a.components.data.forEach((x, i) => {
      expect(Math.abs(x - b.components.data[i])).toBeLessThan(1e-14);
    });
  });

  it('a custom source is read block by block, as often as it says it can', async () => {
    let reads = 0;
    const source: RowSource = {
      cols: 4,
      dtype: 'float64',
      rereadable: true,
      resident: false,
      blocks: async function* () {
        reads++;
        for (let i = 0; i < 40; i += 10) {
          yield { kind: 'dense', rows: 10, cols: 4, stride: 4, data: Float64Array.from(rows.slice(i, i + 10).flat()) };
        }
      },
    };
    const expected = await pca(rows, { k: 2 });
    for (const solver of ['covariance', 'dual', 'svd', 'krylov'] as const) {
      reads = 0;
      const model = await pca(source, { k: 2, solver });
      expect(reads).toBeGreaterThanOrEqual(solver === 'covariance' ? 1 : 2);
      if (solver === 'covariance') expect(reads).toBe(1);
      expect(Math.abs(model.variances[1] / expected.variances[1] - 1)).toBeLessThan(1e-12);
    }
  });

  it('a stream is read once when the scatter is enough, and kept when it is not', async () => {
    const once = await pca(stream(rows), { k: 2 });
    expect(once.plan).toMatchObject({ solver: 'covariance', keepsRows: false });
    const kept = await pca(stream(rows), { k: 2, solver: 'svd' });
    expect(kept.plan.keepsRows).toBe(true);
    expect(kept.plan.reason).toMatch(/kept in memory/);
  });

  it('a stream that begins in float32 and continues in float64 loses no digits', async () => {
    const mixed = [Float32Array.of(1, 2), Float32Array.of(3, 1), [1e300, 0.1], [0.1, 1e-300]];
    const model = await pca(stream(mixed), { k: 2, scale: 'unit' });
    expect(model.dtype).toBe('float64');
    expect(model.scale[0]).toBeGreaterThan(1e299);
    const plain = await pca(rows, { k: 2 });
    const scores = await plain.transform(stream([toMatrix(rows.slice(0, 5), true), toMatrix(rows.slice(5))]));
    expect(scores.data).toBeInstanceOf(Float64Array);
    expect(Math.abs(scores.data[50] - (await plain.transform(rows)).data[50])).toBeLessThan(1e-12);
  });

  it('a stream may use one buffer for all its blocks, and blocks without rows are passed over', async () => {
    async function* reusing() {
      const data = new Float64Array(40);
      for (let i = 0; i < 40; i += 10) {
        data.set(rows.slice(i, i + 10).flat());
        yield { rows: 10, cols: 4, data };
        yield { rows: 0, cols: 4, data: new Float64Array(0) };
      }
    }
    const expected = await pca(rows, { k: 2 });
    for (const solver of ['covariance', 'dual', 'svd', 'krylov'] as const) {
      const model = await pca(reusing(), { k: 2, solver });
      expect(Math.abs(model.variances[1] / expected.variances[1] - 1)).toBeLessThan(1e-12);
    }
  });

  it('objects of interfaces and classes are records, also those with a column called length', async () => {
    interface Flower {
      length: number;
      width: number;
    }
    class Leaf {
      length = 1;
      width = 2;
    }
    const flowers: Flower[] = [
      { length: 1, width: 2 },
      { length: 2, width: 1 },
      { length: 5, width: 3 },
    ];
    const model = await pca(flowers, { k: 1 });
    expect(model.columnNames).toEqual(['length', 'width']);
    expect((await model.transform([new Leaf()])).rows).toBe(1);
    const labelled: readonly { name: string; length: number; width: number }[] = flowers.map((flower, i) => ({
      name: `${i}`,
      ...flower,
    }));
    expect((await pca(labelled, { k: 1, columnNames: ['length', 'width'] })).variances).toEqual(model.variances);
    expect((await pca(stream(flowers), { k: 1 })).n).toBe(3);
    // @ts-expect-error rows of text are refused by the compiler already
    await expect(pca([['1', '2']])).rejects.toMatchObject({ code: 'NOT_A_NUMBER' });
  });

  it('a stream is closed whether or not the fit succeeds', async () => {
    const open = (items: unknown[]) => {
      const state = { closed: false };
      const iterable = {
        async *[Symbol.asyncIterator]() {
          try {
            yield* items;
            while (true) yield [1, 2];
          } finally {
            state.closed = true;
          }
        },
      };
      return { state, iterable: iterable as AsyncIterable<number[]> };
    };
    const model = await pca(
      [
        [1, 2],
        [3, 1],
        [2, 2],
      ],
      { k: 1 },
    );
    const attempts: ((stream: AsyncIterable<number[]>) => Promise<unknown>)[] = [
      (stream) => pca(stream, { scale: [1, 2, 3] }),
      (stream) => pca(stream, { columnNames: ['a'] }),
      (stream) => pca(stream, { weights: [1] }),
      (stream) => pca(stream, { signal: AbortSignal.timeout(20) }),
      (stream) => model.transform(stream, { signal: AbortSignal.timeout(20) }),
      (stream) => new Moments(3).add(stream),
    ];
    for (const attempt of attempts) {
      const { state, iterable } = open([]);
      await expect(attempt(iterable)).rejects.toThrow();
      expect(state.closed).toBe(true);
    }
    const { state, iterable } = open([[1, Number.NaN]]);
    await expect(pca(iterable)).rejects.toMatchObject({ code: 'NOT_FINITE' });
    expect(state.closed).toBe(true);
  });

  it('adding to moments is all or nothing', async () => {
    const moments = await new Moments(2).add([
      [1, 2],
      [3, 4],
    ]);
    await expect(
      moments.add([
        [5, 6],
        [7, Number.NaN],
      ]),
    ).rejects.toMatchObject({ code: 'NOT_FINITE' });
    await expect(
      moments.add(
        [
          [5, 6],
          [7, 8],
        ],
        { weights: [1] },
      ),
    ).rejects.toMatchObject({ code: 'BAD_WEIGHTS' });
    expect(moments.rows).toBe(2);
    expect(Array.from(moments.mean)).toEqual([2, 3]);
  });

  it('a block whose rows all have weight 0 has no effect', async () => {
    const parts = () => stream([toMatrix(rows.slice(0, 10)), toMatrix(rows.slice(10, 20)), toMatrix(rows.slice(20))]);
    const weights = rows.map((_, i) => (i < 10 ? 0 : 1));
    const expected = await pca(rows.slice(10), { k: 2 });
    for (const solver of ['covariance', 'dual', 'svd', 'krylov'] as const) {
      const model = await pca(parts(), { k: 2, solver, weights });
      expect(Math.abs(model.variances[1] / expected.variances[1] - 1)).toBeLessThan(1e-12);
      expect(model.n).toBe(30);
    }
  });

  it('moments collect rows from any source and feed the covariance solver', async () => {
    const moments = new Moments(4, names);
    await moments.add(records.slice(0, 10));
    await moments.add(stream(rows.slice(10)));
    const model = await pca(moments, { k: 2, scale: 'unit' });
    const expected = await pca(rows, { k: 2, scale: 'unit' });
    expect(model.columnNames).toEqual(names);
    expect(Math.abs(model.variances[0] - expected.variances[0])).toBeLessThan(1e-13);
    const c = moments.covariance().data;
    const full = (await pca(rows, { k: 4 })).covariance();
    c.forEach((x, i) => {
      expect(Math.abs(x - full.data[i])).toBeLessThan(1e-13);
    });
  });
});

/** Classes with the methods and properties that tell one of another library. */
const numbers = [1, 2, 3, 4, 5, 6];
class MathMatrix {
  isMatrix = true;
  size = () => [3, 2];
  toArray = () => [];
  *[Symbol.iterator]() {
    yield { value: 1, index: [0, 0] };
  }
}
class OpenCvMat {
  rows = 3;
  cols = 2;
  data = new Uint8Array(48);
  data32F = new Float32Array(12);
  data64F = new Float64Array(6);
  channels = () => 1;
}

describe('a container of numbers that is not a table of rows is rejected, and the message says what to pass', () => {
  const arrow = tableFromArrays({ a: [1, 2, 3], b: [3, 1, 2] });
  it.each<[string, () => unknown, RegExp]>([
    ['a math.js matrix, which yields entries', () => new MathMatrix(), /math\.js.*matrix\.toArray\(\)/],
    ['a Mat of OpenCV, whose data are bytes', () => new OpenCvMat(), /mat\.data32F/],
    ['rows that are Arrow vectors', () => [arrow.getChildAt(0)], /vector\.toArray\(\)/],
    ['a Map, which yields [key, value]', () => new Map([[1, 2], [3, 4]]), /map\.values\(\)/], // biome-ignore format: one line
    ['rows that are Maps', () => [new Map([['a', 1]])], /Object\.fromEntries/],
    ['rows that are Sets', () => [new Set([1, 2])], /Array\.from/],
    ['a Set of numbers', () => new Set(numbers), /Row 1 is 1, not an array/],
    ['a stream of numbers', () => stream(numbers), /Row 1 is 1, not an array/],
    ['a stream of text', () => stream(['1,2', '3,4']), /Row 1 is "1,2"/],
    ['text', () => '1,2', /not "1,2"/],
    ['a Buffer', () => Buffer.from(numbers), /has no shape/],
    ['rows that are Buffers', () => [Buffer.from(numbers), Buffer.from(numbers)], /Float32Array\(buffer\.buffer/],
    ['a stream of Buffers', () => stream([Buffer.from(numbers)]), /openFile/],
    [
      'a matrix whose Buffer has more bytes than numbers',
      () => ({ rows: 2, cols: 3, data: Buffer.alloc(24) }),
      /needs 6/,
    ],
    ['the body of a response', () => new Response('1,2\n3,4').body, /yields bytes/],
    ['a DataView as a row', () => [new DataView(new ArrayBuffer(8))], /Row 1 is a DataView/],
  ])('%s', async (_, make, message) => {
    await expect(pca(make() as Data)).rejects.toMatchObject({
      code: 'BAD_DATA',
      message: expect.stringMatching(message),
    });
    const model = await pca(rows, { k: 1 });
    await expect(model.transform(make() as Data)).rejects.toMatchObject({ code: 'BAD_DATA' });
  });

  it('but a Buffer with a byte per entry is a matrix of bytes', async () => {
    const model = await pca({ rows: 3, cols: 2, data: Buffer.from([1, 2, 3, 4, 5, 9]) }, { k: 1 });
    expect(Array.from(model.mean)).toEqual([3, 5]);
  });

  it('and a matrix of ml-matrix that holds no number is refused by row and column', async () => {
    const matrix = { rows: 2, columns: 2, get: (i: number, j: number) => (i + j < 2 ? 1 : '2'), to2DArray: () => [] };
    await expect(pca(matrix as unknown as Data)).rejects.toMatchObject({
      code: 'NOT_A_NUMBER',
      message: expect.stringMatching(/Row 2, column 2 holds "2"/),
    });
  });
});

describe('very wide data', () => {
  it('a million columns and ten rows need no d × d matrix', async () => {
    const [n, d] = [10, 1_040_000];
    const data = new Float32Array(n * d).map((_, i) => ((i * 7919) % 1013) / 1013);
    const model = await pca({ rows: n, cols: d, data }, { k: 1 });
    expect(model.plan).toMatchObject({ engine: 'wasm' });
    expect(model.certificate.residuals[0]).toBeLessThan(1e-6);
  });
});

describe('centring and scaling', () => {
  it.each(['none', 'unit', 'pareto', 'range'] as const)('%s divides columns as documented', async (scale) => {
    const model = await pca(rows, { k: 4, scale });
    for (let j = 0; j < 4; j++) {
      const column = rows.map((row) => row[j]);
      const mean = column.reduce((a, b) => a + b, 0) / 40;
      const deviation = Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 39);
      const expected = {
        none: 1,
        unit: deviation,
        pareto: Math.sqrt(deviation),
        range: Math.max(...column) - Math.min(...column),
      }[scale];
      expect(Math.abs(model.scale[j] / expected - 1)).toBeLessThan(1e-12);
      expect(Math.abs(model.mean[j] - mean)).toBeLessThan(1e-13);
    }
  });

  it('given numbers divide the columns', async () => {
    const model = await pca(rows, { k: 4, scale: [1, 2, 4, 8] });
    const divided = await pca(
      rows.map((row) => row.map((x, j) => x / 2 ** j)),
      { k: 4 },
    );
    expect(model.variances).toEqual(divided.variances);
  });

  it('a constant column under unit scaling keeps scale 1 and is reported by name', async () => {
    const constant = records.map((record) => ({ ...record, flat: 7 }));
    const model = await pca(constant, { scale: 'unit', k: 4 });
    expect(model.scale[4]).toBe(1);
    expect(model.totalVariance).toBeCloseTo(4, 12);
    expect(model.warnings[0]).toMatchObject({ code: 'CONSTANT_COLUMN' });
    expect(model.warnings[0].message).toMatch(/Column "flat" does not vary/);
  });

  it('a constant column far from zero has no variance at all, not even by rounding', async () => {
    const model = await pca(
      Array.from({ length: 11 }, (_, i) => [0.1, i]),
      { k: 2, solver: 'covariance' },
    );
    expect(model.variances[1]).toBe(0);
  });

  it('without centring, variances and scales are about zero', async () => {
    for (const solver of ['covariance', 'dual', 'svd', 'krylov'] as const) {
      const model = await pca(rows, { k: 4, center: false, solver });
      const trace = rows.flat().reduce((sum, x) => sum + x * x, 0) / 39;
      expect(Math.abs(model.totalVariance / trace - 1)).toBeLessThan(1e-12);
      expect(Math.abs(model.variances.reduce((a, b) => a + b, 0) / trace - 1)).toBeLessThan(1e-12);
      expect(Array.from(model.mean)).toEqual([0, 0, 0, 0]);
      expect((await pca(rows, { k: 4, center: false, scale: 'unit', solver })).totalVariance).toBeCloseTo(4, 12);
    }
    const one = await pca([[3, 4]], { center: false, ddof: 0 });
    expect(one.singularValues[0]).toBeCloseTo(5, 14);
  });
});

import { principalAngles } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import { type Data, type ErrorCode, Moments, type PcaOptions, pca, ScreeError } from '../src/index.js';

const good = [
  [1, 2],
  [3, 5],
  [4, 4],
  [7, 1],
];
type Case = [name: string, data: unknown, options: object, code: ErrorCode, message: RegExp];
const sparse = (change: object) => ({
  rows: 2,
  cols: 3,
  indptr: [0, 1, 2],
  indices: [0, 2],
  data: Float64Array.from([1, 2]),
  ...change,
});

const cases: Case[] = [
  // Data
  [
    'NaN',
    [
      [1, 2],
      [3, Number.NaN],
    ],
    {},
    'NOT_FINITE',
    /row 2, column 2 is NaN.*drop the row/,
  ],
  [
    'Infinity',
    [
      [1, 2],
      [Number.POSITIVE_INFINITY, 3],
    ],
    {},
    'NOT_FINITE',
    /row 2, column 1 is Infinity/,
  ],
  [
    '-Infinity in a matrix',
    { rows: 2, cols: 1, data: Float64Array.of(1, Number.NEGATIVE_INFINITY) },
    {},
    'NOT_FINITE',
    /-Infinity/,
  ],
  ['NaN in a sparse matrix', sparse({ data: Float64Array.of(1, Number.NaN) }), {}, 'NOT_FINITE', /row 2, column 3/],
  ['NaN in a named column', [{ h: 1 }, { h: Number.NaN }], {}, 'NOT_FINITE', /row 2, column "h" is NaN/],
  ['NaN in a row of weight 0', [[1], [2], [Number.NaN]], { weights: [1, 1, 0] }, 'NOT_FINITE', /row 3/],
  ['nothing', [], {}, 'EMPTY_DATA', /no rows/],
  ['rows of nothing', [[], []], {}, 'EMPTY_DATA', /no columns/],
  ['an empty stream', new Set(), {}, 'EMPTY_DATA', /no rows/],
  ['an empty matrix', { rows: 0, cols: 3, data: new Float64Array(0) }, {}, 'EMPTY_DATA', /no rows/],
  ['ragged rows', [[1, 2], [3]], {}, 'RAGGED_ROWS', /Row 2 has 1 number, but the rows before it have 2/],
  ['ragged rows in a stream', new Set([[1, 2], [3, 4], [3]]), {}, 'RAGGED_ROWS', /Row 3 has 1/],
  ['a record without a key', [{ a: 1, b: 2 }, { a: 3 }], {}, 'MISSING_COLUMN', /Row 2 has no column "b"/],
  [
    'a record without a key that every object inherits',
    [{ a: 1, constructor: 2 }, { a: 3 }],
    {},
    'MISSING_COLUMN',
    /Row 2 has no column "constructor"/,
  ],
  ['a record with a key too many', [{ a: 1 }, { a: 3, b: 2 }], {}, 'RAGGED_ROWS', /Row 2 has a column "b"/],
  ['records and arrays mixed', [{ a: 1 }, [2]], {}, 'RAGGED_ROWS', /Row 2 is an array/],
  ['one row', [[1, 2]], {}, 'TOO_FEW_ROWS', /1 row, .*at least 2/],
  [
    'one row with a weight',
    [
      [1, 2],
      [3, 4],
    ],
    { weights: [1, 0] },
    'TOO_FEW_ROWS',
    /weight above 0/,
  ],
  [
    'strings',
    [
      ['1', '2'],
      ['3', '4'],
    ],
    {},
    'NOT_A_NUMBER',
    /row 1, column 1 holds "1".*convert column 1/i,
  ],
  [
    'a string in a record',
    [{ a: 1, kind: 'x' }],
    {},
    'NOT_A_NUMBER',
    /column "kind" holds "x".*columns: 'numeric' uses the columns of numbers/,
  ],
  ['null', [[1, null]], {}, 'NOT_A_NUMBER', /holds null. A value is missing/],
  ['a bigint that float64 cannot hold', [[2n ** 60n + 1n, 2n]], {}, 'NOT_A_NUMBER', /beyond 2\^53/],
  ['a flat array', [1, 2, 3], {}, 'BAD_DATA', /Row 1 is 1, not an array.*\[\[1, 2\], \[3, 4\]\]/],
  ['a bare typed array', Float64Array.of(1, 2), {}, 'BAD_DATA', /no shape/],
  ['a string', 'data.csv', {}, 'BAD_DATA', /not "data.csv"/],
  ['null data', null, {}, 'BAD_DATA', /not null/],
  ['a matrix of plain numbers', { rows: 1, cols: 2, data: [1, 2] }, {}, 'BAD_DATA', /typed array/],
  [
    'a matrix that lies about its shape',
    { rows: 3, cols: 2, data: new Float64Array(5) },
    {},
    'BAD_DATA',
    /needs 6 numbers, but data has 5/,
  ],
  ['a matrix of negative rows', { rows: -1, cols: 2, data: new Float64Array(5) }, {}, 'BAD_DATA', /impossible/],
  [
    'a stride below cols',
    { rows: 2, cols: 3, stride: 2, data: new Float64Array(9) },
    {},
    'BAD_DATA',
    /stride must be at least cols/,
  ],
  ['indptr of the wrong length', sparse({ indptr: [0, 2] }), {}, 'BAD_SPARSE', /indptr has 2 entries/],
  ['indptr that falls', sparse({ indptr: [0, 3, 2] }), {}, 'BAD_SPARSE', /falls from 3 to 2 at row 2/],
  [
    'a column that is not there',
    sparse({ indices: [0, 3] }),
    {},
    'BAD_SPARSE',
    /row 2 has the column index 3, and 3 columns have the indexes 0 to 2/,
  ],
  [
    'indices and data that differ',
    sparse({ data: new Float64Array(3) }),
    {},
    'BAD_SPARSE',
    /indices has 2 entries and data has 3/,
  ],
  [
    'streams of changing width',
    new Set([
      { rows: 1, cols: 2, data: new Float64Array(2) },
      { rows: 1, cols: 3, data: new Float64Array(3) },
    ]),
    {},
    'RAGGED_ROWS',
    /Row 2 has 3/,
  ],
  ['a matrix of bigints', { rows: 2, cols: 1, data: new BigInt64Array(2) }, {}, 'BAD_DATA', /data is a BigInt64Array/],
  [
    'a matrix around a DataView',
    { rows: 2, cols: 1, data: new DataView(new ArrayBuffer(16)) },
    {},
    'BAD_DATA',
    /data is a DataView/,
  ],
  ['a sparse matrix of text', sparse({ data: ['1', '2'] }), {}, 'BAD_DATA', /data is an array/],
  ['a sparse matrix without indices', sparse({ indices: null }), {}, 'BAD_SPARSE', /indices is null/],
  ['a sparse matrix too wide to be one', sparse({ cols: 1e12 }), {}, 'BAD_SPARSE', /impossible/],
  // Options
  ['an option that every object has', good, { constructor: 1 }, 'UNKNOWN_OPTION', /no option "constructor"/],
  ['a weight beyond all measure', good, { weights: [1, 1, 1, 1e307] }, 'BAD_WEIGHTS', /from 0 to 1e\+100/],
  ['k = 0', good, { k: 0 }, 'K_OUT_OF_RANGE', /k is 0; it must be a whole number/],
  ['k = -1', good, { k: -1 }, 'K_OUT_OF_RANGE', /k is -1/],
  ['k = 1.5', good, { k: 1.5 }, 'K_OUT_OF_RANGE', /k is 1.5/],
  ['k = NaN', good, { k: Number.NaN }, 'K_OUT_OF_RANGE', /k is NaN/],
  ['k above the rank', good, { k: 3 }, 'K_OUT_OF_RANGE', /4 rows of 2 columns have at most 2 components. Use k ≤ 2/],
  ['k as text', good, { k: 'two' }, 'K_OUT_OF_RANGE', /k is "two"/],
  ['negative weights', good, { weights: [1, 1, -1, 1] }, 'BAD_WEIGHTS', /weight of row 3 is -1/],
  ['NaN weights', good, { weights: [1, 1, Number.NaN, 1] }, 'BAD_WEIGHTS', /row 3 is NaN/],
  ['weights that add up to nothing', good, { weights: [0, 0, 0, 0] }, 'BAD_WEIGHTS', /add up to 0\. At least one/],
  ['weights that leave nothing after ddof', good, { weights: [0.25, 0.25, 0.25, 0.25] }, 'BAD_WEIGHTS', /ddof: 0/],
  ['too few weights', good, { weights: [1, 1] }, 'BAD_WEIGHTS', /2 weights for 4 rows/],
  ['too many weights for a stream', new Set(good), { weights: [1, 1, 1, 1, 1] }, 'BAD_WEIGHTS', /5 weights for 4 rows/],
  ['weights that are not numbers', good, { weights: 'abc' }, 'BAD_WEIGHTS', /weights is "abc"/],
  ['a scale of 0', good, { scale: [1, 0] }, 'BAD_SCALE', /scale\[1\] is 0/],
  ['a scale of the wrong length', good, { scale: [1, 2, 3] }, 'BAD_SCALE', /3 numbers, but there are 2 columns/],
  ['an unknown scale', good, { scale: 'standard' }, 'BAD_OPTION', /scale is "standard"; it must be 'none'/],
  [
    'an unknown option',
    good,
    { components: 2 },
    'UNKNOWN_OPTION',
    /no option "components". Did you mean k\? The options are k,/,
  ],
  ['an unknown solver', good, { solver: 'power' }, 'BAD_OPTION', /solver is "power"/],
  ['a tolerance float64 has not', good, { tolerance: 1e-20 }, 'BAD_OPTION', /tolerance is 1e-20/],
  ['ddof at n', good, { ddof: 4 }, 'BAD_OPTION', /ddof is 4, but there are only 4 rows/],
  ['whiten: true', good, { whiten: true }, 'BAD_OPTION', /false, 'pca' or 'zca'/],
  ['too few names', good, { columnNames: ['a'] }, 'BAD_OPTION', /1 names, but there are 2 columns/],
  ['options that are none', good, null as never, 'BAD_OPTION', /Options must be an object/],
];

describe('bad input gets a typed error that says what, where and what to do', () => {
  it.each(cases)('%s', async (_, data, options, code, message) => {
    const error = await pca(data as Data, options as PcaOptions).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ScreeError);
    expect((error as ScreeError).message).toMatch(message);
    expect((error as ScreeError).code).toBe(code);
  });

  it('names row and column as data too', async () => {
    await expect(pca([{ h: 1 }, { h: Number.NaN }])).rejects.toMatchObject({
      details: { row: 1, column: 0, columnName: 'h', value: Number.NaN },
    });
  });

  it('a matrix too wide for a covariance is rejected before it is allocated, with a remedy', async () => {
    const wide = { rows: 2, cols: 20000, data: new Float64Array(40000).map((_, i) => i % 7) };
    await expect(pca(wide, { solver: 'covariance', k: 1 })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/20000×20000 matrix, 3 GB.*krylov/),
    });
    expect((await pca(wide, { k: 1 })).variances[0]).toBeGreaterThan(0);
  });

  it('moments reject requests that need rows', async () => {
    const moments = await new Moments(2).add(good);
    await expect(pca(moments, { solver: 'svd' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(pca(moments, { weights: [1, 1, 1, 1] })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(pca(new Moments(2))).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await expect(moments.add([[1, 2, 3]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    expect(() => moments.merge(new Moments(3))).toThrow(/3 columns/);
  });

  it('a model rejects rows of another width, values that are not finite and unknown columns', async () => {
    const model = await pca(
      good.map(([a, b]) => ({ a, b })),
      { k: 1 },
    );
    await expect(model.transform([[1, 2, 3]])).rejects.toMatchObject({
      code: 'WIDTH_MISMATCH',
      message: /3 columns, but the model was fitted to 2/,
    });
    await expect(model.transform([{ a: 1, c: 2 }] as never)).rejects.toMatchObject({
      code: 'MISSING_COLUMN',
      details: { columnName: 'b' },
    });
    await expect(model.transform([[1, Number.POSITIVE_INFINITY]])).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 0, column: 1 },
    });
    for (const [bad, rows] of [
      [Number.NEGATIVE_INFINITY, 3],
      [Number.POSITIVE_INFINITY, 1000],
    ]) {
      // Among zeros, which may be left out of products, and after the first block.
      const block = (last: number) => {
        const data = new Float64Array(2 * rows);
        data[2 * rows - 1] = last;
        return { rows, cols: 2, data };
      };
      const blocks = async function* () {
        yield block(0);
        yield block(bad);
      };
      await expect(model.transform(blocks())).rejects.toMatchObject({
        code: 'NOT_FINITE',
        details: { row: 2 * rows - 1, column: 1, columnName: 'b', value: bad },
      });
    }
    // Too large for float64, but no fault of the data.
    expect((await model.transform([[1e308, 1e308]])).rows).toBe(1);
    await expect(model.inverseTransform([[1, 2]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    await expect(model.reconstructionError([[1]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
  });

  it('options of every call are checked', async () => {
    const model = await pca(good, { k: 1 });
    for (const options of [null, { signal: 'x' }, { onProgress: 3 }] as never[]) {
      await expect(model.transform(good, options)).rejects.toMatchObject({ code: 'BAD_OPTION' });
      await expect(model.inverseTransform([[1]], options)).rejects.toMatchObject({ code: 'BAD_OPTION' });
      await expect(new Moments(2).add(good, options)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    }
    expect(() => new Moments(1e5)).toThrow(/1 to 16384/);
    expect(() => new Moments(2).merge(null as never)).toThrow(/not with null/);
    expect(() => principalAngles(null as never, null as never)).toThrow(/A subspace is given by a matrix/);
    await expect(pca(good, { engine: { load: 1 } as never })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    const huge = { 0: 1, length: 1e12 };
    await expect(pca([huge, huge])).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(() => new Moments(2, ['a'])).toThrow(/1 column names for 2 columns/);
  });

  it('data that change between passes are detected', async () => {
    let reads = 0;
    const source = {
      cols: 1,
      dtype: 'float64' as const,
      rereadable: true,
      resident: false,
      *blocks() {
        const rows = reads++ === 0 ? 3 : 2;
        yield { kind: 'dense' as const, rows, cols: 1, stride: 1, data: Float64Array.of(1, 2, 4).subarray(0, rows) };
      },
    };
    await expect(pca(source, { solver: 'svd', k: 1 })).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
  });
});

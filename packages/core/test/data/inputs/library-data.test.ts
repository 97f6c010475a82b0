import { DuckDBInstance } from '@duckdb/node-api';
import { bootstrap, chooseComponents, famd, summarize } from '@scree/analysis';
import {
  DateDay,
  Decimal,
  Float16,
  Float64,
  Int64,
  Table,
  TimestampMicrosecond,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { type Data, pca } from '../../../src/index.js';

const height = [1.7, 1.8, 1.6, 1.9, 1.75];
const weight = [60, 85, 50, 90, 70];
const names = ['Ann', 'Bob', 'Cem', 'Dee', 'Eve'];
const rows = height.map((h, i) => [h, weight[i]]);
const byRow = Float64Array.from(rows.flat());

/**
 * Stand-ins with the members of the libraries' own classes: those of Arrow, DuckDB and ml-matrix are the real ones.
 * `npm run test:install` tries all of them with the real libraries.
 */
const tensor = (shape: number[], data: ArrayLike<number>, dtype = 'float32') => ({
  shape,
  dtype,
  data: async () => data,
  dataSync: () => data,
  arraySync: () => [],
});
const ndarray = (data: ArrayLike<number> | ArrayLike<bigint>, shape: number[], stride: number[], offset = 0) => ({
  data,
  shape,
  stride,
  offset,
  get: () => 0,
});
/** Like the real one, a proxy that lists its columns as keys, and no method. */
const polars = (columns: Record<string, ArrayLike<unknown>>) =>
  new Proxy(polarsMembers(columns), {
    ownKeys: () => Object.keys(columns),
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
  });
const polarsMembers = (columns: Record<string, ArrayLike<unknown>>) => ({
  columns: Object.keys(columns),
  getColumn: (name: string) => ({
    // Like the real one, it rounds whole numbers of 64 bits here, and keeps them there.
    toArray: () => Array.from(columns[name], (value) => (typeof value === 'bigint' ? Number(value) : value)),
    toTypedArray: () => columns[name],
    isNumeric: () => ArrayBuffer.isView(columns[name]),
    nullCount: () => 0,
  }),
  toRecords: () => [],
  toSeries: () => [],
  *[Symbol.iterator]() {
    yield* Object.values(columns);
  },
});
const arquero = (columns: Record<string, ArrayLike<unknown>>) => ({
  columnNames: () => Object.keys(columns),
  array: (name: string) => columns[name],
  numRows: () => 5,
  objects: () => [],
  *[Symbol.iterator]() {
    yield {};
  },
});
const danfo = (columns: string[], values: unknown[][]) => ({ shape: [5, 2], columns, values, iloc: () => {} });
const arrow = (): Table => tableFromArrays({ height: Float64Array.from(height), weight: Float64Array.from(weight) });

/** Hundredths, as four words of 32 bits each. */
const decimals = (values: number[]) =>
  vectorFromArray(
    values.map((value) => Uint32Array.of(Math.round(100 * value), 0, 0, 0)),
    new Decimal(2, 10, 128),
  );

async function duckDb(sql: string) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const values = rows.map(([h, w], i) => `(${h}::double, ${w}::bigint, '${names[i]}')`);
  return connection.run(`select ${sql} from (values ${values.join(', ')}) t(height, weight, name)`);
}

/** Data of other libraries, and whether they carry names. */
const readable: [string, () => unknown, boolean][] = [
  ['an ml-matrix', () => new Matrix(rows), false],
  ['a tensor of float64 numbers', () => tensor([5, 2], byRow), false],
  ['an ndarray', () => ndarray(byRow, [5, 2], [2, 1]), false],
  ['a transposed ndarray', () => ndarray([...height, ...weight], [5, 2], [1, 5]), false],
  ['an ndarray cut out of a larger one', () => ndarray(Float64Array.from(rows.flatMap((row) => [0, ...row])), [5, 2], [3, 1], 1), false], // biome-ignore format: one line
  ['an ndarray with its rows reversed', () => ndarray([...rows].reverse().flat(), [5, 2], [-2, 1], 8), false],
  ['a polars frame', () => polars({ height, weight: Float64Array.from(weight) }), true],
  ['an Arquero table', () => arquero({ height, weight }), true],
  ['a Danfo frame', () => danfo(['height', 'weight'], rows), true],
  ['an Arrow table', () => arrow(), true],
  ['an Arrow table with half-precision numbers', () => new Table({ height: vectorFromArray(height, new Float64()), weight: vectorFromArray(weight, new Float16()) }), true], // biome-ignore format: one line
  ['an Arrow table with decimals', () => new Table({ height: decimals(height), weight: decimals(weight) }), true],
  ['an Arrow table from a file', () => tableFromIPC(tableToIPC(arrow())), true],
  ['an Arrow record batch', () => arrow().batches[0], true],
  ['a stream of Arrow record batches', () => [...tableFromIPC(tableToIPC(arrow())).batches, ...arrow().slice(0, 0).batches].values(), true], // biome-ignore format: one line
  ['an Arrow table with whole numbers of 64 bits', () => tableFromArrays({ height: Float64Array.from(height), weight: BigInt64Array.from(weight.map(BigInt)) }), true], // biome-ignore format: one line
  ['a DuckDB result', () => duckDb('height, weight'), true],
  ['a DuckDB result with decimals', () => duckDb('height::decimal(5, 2) as height, weight::double as weight'), true],
  ['columns by name', () => ({ height: Float64Array.from(height), weight }), true],
  ['columns by name with whole numbers of 64 bits', () => ({ height, weight: BigInt64Array.from(weight.map(BigInt)) }), true], // biome-ignore format: one line
  ['records with whole numbers of 64 bits', () => rows.map(([h, w]) => ({ height: h, weight: BigInt(w) })), true],
];

describe('pca reads as it is', () => {
  it.each(readable)('%s', async (_, make, named) => {
    const expected = await pca(rows, { k: 2 });
    const model = await pca((await make()) as Data, { k: 2 });
    expect(model.columnNames).toEqual(named ? ['height', 'weight'] : undefined);
    model.variances.forEach((value, i) => {
      expect(Math.abs(value - expected.variances[i])).toBeLessThan(1e-12 * expected.variances[0]);
    });
    const scores = await model.transform((await make()) as Data);
    const wanted = await expected.transform(rows);
    scores.data.forEach((value, i) => {
      expect(Math.abs(value - wanted.data[i])).toBeLessThan(1e-10);
    });
  });

  it('a sparse matrix as a list of entries, in any order, and adds repeated ones up', async () => {
    const entries = [
      [2, 1, 4],
      [0, 0, 1],
      [1, 2, 5],
      [0, 2, 2],
      [3, 0, 3],
      [0, 0, 6],
    ];
    const coo = {
      rows: 4,
      cols: 3,
      row: entries.map(([i]) => i),
      col: entries.map(([, j]) => j),
      data: Float64Array.from(entries, ([, , value]) => value),
    };
    const dense = [
      [7, 0, 2],
      [0, 0, 5],
      [0, 4, 0],
      [3, 0, 0],
    ];
    const [model, expected] = [await pca(coo, { k: 2 }), await pca(dense, { k: 2 })];
    model.variances.forEach((value, i) => {
      expect(Math.abs(value - expected.variances[i])).toBeLessThan(1e-12);
    });
    await expect(pca({ ...coo, row: [9, 0, 0, 0, 0, 0] })).rejects.toThrow(/entry 0 is in row 9, and there are 4 rows/);
    await expect(pca({ ...coo, col: [0, 0, 3, 0, 0, 0] })).rejects.toThrow(
      /entry 2 is in column 3, and there are 3 columns/,
    );
    await expect(pca({ ...coo, col: [1] })).rejects.toThrow(/col 1 and data 6/);
  });
});

describe('text among the columns', () => {
  const tables: [string, () => unknown][] = [
    ['records', () => rows.map(([h, w], i) => ({ name: names[i], height: h, weight: w }))],
    ['a stream of records', () => rows.map(([h, w], i) => ({ name: names[i], height: h, weight: w })).values()],
    ['columns by name', () => ({ name: names, height, weight })],
    ['an Arrow table', () => tableFromArrays({ name: names, height: Float64Array.from(height), weight: Float64Array.from(weight) })], // biome-ignore format: one line
    ['a polars frame', () => polars({ name: names, height, weight })],
    ['a DuckDB result', () => duckDb('name, height, weight')],
  ];

  it.each(tables)('is refused by the name of the column: %s', async (_, make) => {
    await expect(pca((await make()) as Data)).rejects.toMatchObject({
      code: 'NOT_A_NUMBER',
      message: expect.stringMatching(/"name" holds "Ann".*columns: 'numeric'/),
      details: { columnName: 'name' },
    });
  });

  it.each(tables)("is left out with columns: 'numeric': %s", async (_, make) => {
    const model = await pca((await make()) as Data, { k: 1, columns: 'numeric' });
    expect(model.columnNames).toEqual(['height', 'weight']);
    expect((await model.transform((await make()) as Data)).rows).toBe(5);
  });

  it('is read by famd, from tables of other libraries too', async () => {
    const table = tableFromArrays({
      kind: ['a', 'b', 'a', 'b', 'a'],
      height: Float64Array.from(height),
      weight: Float64Array.from(weight),
    });
    const model = await famd(table as never, { k: 1 });
    const expected = await famd({ kind: ['a', 'b', 'a', 'b', 'a'], height, weight }, { k: 1 });
    expect(model.variances[0]).toBe(expected.variances[0]);
  });

  it('that reads as a number is refused with the conversion', async () => {
    const message = /"weight" holds "60"\. It is a number written as text: convert "weight" with Number\(…\)/;
    await expect(pca({ height, weight: weight.map(String) } as never)).rejects.toThrow(message);
    await expect(pca(rows.map(([h, w]) => ({ height: h, weight: String(w) })))).rejects.toThrow(message);
  });

  it('alone leaves nothing to analyse', async () => {
    await expect(pca({ name: names } as never, { columns: 'numeric' })).rejects.toThrow(
      /No column holds numbers: "name"/,
    );
  });
});

describe('values of tables', () => {
  it('that are missing are an error with row and column', async () => {
    const table = tableFromArrays({ height: [1, null, 3], weight: Float64Array.from([1, 2, 4]) });
    await expect(pca(table as never)).rejects.toThrow(/Row 2, column "height" holds null\. A value is missing/);
  });

  it('beyond 2^53 are rounded with a warning in tables, and refused in rows', async () => {
    const ids = vectorFromArray([2n ** 60n + 1n, 5n, 2n ** 53n + 1n], new Int64());
    const table = tableFromArrays({ id: ids.toArray(), x: Float64Array.from([1, 2, 4]) });
    const { warnings } = await pca(table as never, { k: 1 });
    const warning = warnings.find(({ code }) => code === 'INTEGERS_ROUNDED');
    expect(warning?.details).toEqual({ count: 2, columns: [{ name: 'id', count: 2 }] });
    await expect(pca([{ id: 2n ** 60n + 1n }, { id: 3n }] as never)).rejects.toThrow(/beyond 2\^53/);
  });

  it('that are negative decimals keep their sign and point', async () => {
    const minus = Uint32Array.of(0xffffff6a, 0xffffffff, 0xffffffff, 0xffffffff); // −150
    const vector = vectorFromArray([minus, Uint32Array.of(50, 0, 0, 0)], new Decimal(2, 10, 128));
    expect((await pca(new Table({ x: vector }))).mean[0]).toBe(-0.5);
  });

  it.each([
    ['days', new DateDay()],
    ['microseconds', new TimestampMicrosecond()],
  ])('that are dates are no numbers: %s', async (_, type) => {
    const dates = [new Date(0), new Date(86_400_000), null];
    const table = new Table({ day: vectorFromArray(dates, type), x: vectorFromArray([1, 2, 4], new Float64()) });
    await expect(pca(table as never)).rejects.toThrow(
      /"day" holds a Date \(1970-01-01T.*convert "day" with Number\(…\)/,
    );
    expect((await pca(table as never, { k: 1, columns: 'numeric' })).columnNames).toEqual(['x']);
  });

  it('that are lists name the conversion', async () => {
    await expect(pca([{ name: [1, 2] }, { name: [3, 4] }] as never)).rejects.toThrow(
      /It is a list: .* one list per row/,
    );
  });

  it('of 64 bits in polars frames and ndarrays are read exactly, or with a warning', async () => {
    const ids = BigInt64Array.from([2n ** 53n + 1n, 5n, 7n]);
    const { warnings } = await pca(polars({ id: ids, x: Float64Array.from([1, 2, 4]) }), { k: 1 });
    expect(warnings[0].details).toEqual({ count: 1, columns: [{ name: 'id', count: 1 }] });
    const array = ndarray(BigInt64Array.from([1n, 2n, 3n, 5n]), [2, 2], [2, 1]);
    expect([...(await pca(array, { k: 1 })).mean]).toEqual([2, 3.5]);
  });

  it('in columns of different lengths are an error', async () => {
    await expect(pca({ a: [1, 2, 3], b: [1, 2] })).rejects.toThrow(/Column "b" has 2 values, but "a" has 3/);
  });
});

describe('data that cannot be rows are refused', () => {
  it.each([
    ['of one dimension', tensor([5], height), /has 1 dimension, and PCA needs 2/],
    ['of text', tensor([1, 2], [], 'string'), /holds "string"/],
  ])('%s', async (_, data, message) => {
    await expect(pca(data)).rejects.toThrow(message);
  });

  it('a Danfo series, which has the members of a frame', async () => {
    await expect(pca(danfo(['height'], height as never))).rejects.toThrow(/The Danfo.js Series has 1 dimension/);
  });

  it('a DuckDB result that was read already', async () => {
    const result = await duckDb('height, weight');
    await pca(result as never);
    await expect(pca(result as never)).rejects.toThrow(/read already.*runAndReadAll/);
  });

  it('a polars frame that is not computed yet', async () => {
    const lazy = { collect: async () => polars({ height }), describePlan: () => '' };
    await expect(pca(lazy as never)).rejects.toThrow(/LazyFrame.*Pass await frame\.collect\(\)/);
  });

  it('rows that are Arrow vectors name the conversion', async () => {
    const vector = vectorFromArray(names, new Utf8());
    await expect(pca([vector] as never)).rejects.toThrow(/vector\.toArray\(\)/);
  });
});

describe('columnNames', () => {
  const people = rows.map(([h, w]) => ({ height: h, weight: w }));

  it('choose columns of tables and are checked against them', async () => {
    const model = await pca(arrow() as Data, { k: 1, columnNames: ['weight'] });
    expect(model.columnNames).toEqual(['weight']);
    await expect(pca(arrow() as Data, { columnNames: ['size'] })).rejects.toThrow(
      /no column "size"\. It has "height", "weight"/,
    );
  });

  it('of records and of columns by name are checked by the compiler', async () => {
    await pca(people, { k: 1, columnNames: ['weight'] });
    // @ts-expect-error The records have no such column.
    await expect(pca(people, { columnNames: ['size'] })).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    const columns = { height: Float64Array.from(height), weight };
    await pca(columns, { k: 1, columnNames: ['weight'] });
    // @ts-expect-error Nor have the columns by name.
    await expect(pca(columns, { columnNames: ['size'] })).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    const any: Record<string, number[]> = columns as never;
    await pca(any, { k: 1, columnNames: ['weight'] });
  });

  it('that repeat are an error', async () => {
    await expect(pca(rows, { columnNames: ['a', 'a'] })).rejects.toThrow(/columnNames has "a" twice/);
  });
});

describe('a matrix', () => {
  it('with more numbers than its shape is an error; the last row may be as long as the stride', async () => {
    await expect(pca({ rows: 5, cols: 2, data: new Float64Array(11) })).rejects.toThrow(
      /needs 10 numbers, but data is a Float64Array of 11.*subarray\(0, 10\)/,
    );
    const padded = { rows: 5, cols: 2, stride: 3, data: Float64Array.from(rows.flatMap((row) => [...row, 7])) };
    expect((await pca(padded, { k: 1 })).n).toBe(5);
  });
});

describe('an unknown option', () => {
  it.each([
    ['n_components', 'k'],
    ['svd_solver', 'solver'],
    ['standardize', "scale: 'unit'"],
    ['scal', 'scale'],
    ['columnames', 'columnNames'],
    ['numComponents', 'k'],
  ])('%s is refused with the option that was meant', async (option, meant) => {
    const error = await pca(rows, { [option]: 2 } as never).catch((each: Error) => each);
    expect((error as Error).message).toContain(`There is no option "${option}". Did you mean ${meant}?`);
  });
});

describe('an unknown option of another function', () => {
  it.each([
    [
      'chooseComponents',
      () => chooseComponents(rows, { criterion: 'elbow' } as never),
      /Did you mean criteria\? The options are criteria, /,
    ],
    [
      'bootstrap',
      () => bootstrap(rows, { replicate: 100 } as never),
      /Did you mean replicates\? The options are replicates, /,
    ],
    ['summarize', () => summarize(rows, { nam: 'x' } as never), /Did you mean name\?/],
    ['famd', () => famd({ height, weight }, { unsen: 'mean' } as never), /Did you mean unseen\?/],
  ])('is refused with those that it has: %s', async (_, call, message) => {
    await expect(call()).rejects.toMatchObject({ code: 'UNKNOWN_OPTION', message: expect.stringMatching(message) });
  });
});

describe('what is not data names what to pass', () => {
  it.each([
    ['a promise', Promise.resolve(rows), /a promise\. Pass await data/],
    ['a file', new Blob(['a,b']), /openBlob of @scree\/files/],
    ['a path', 'data.csv', /openFile of the package scree/],
  ])('%s', async (_, data, message) => {
    await expect(pca(data as never)).rejects.toThrow(message);
  });
});

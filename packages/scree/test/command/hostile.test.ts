import { mkdirSync, readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { createFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { npy, npyHeader, npyWith, useBinary } from './binary.js';

const binary = useBinary('hostile');
const { write, run, refused } = binary;
const numbers = new Uint8Array(Float64Array.from({ length: 40 }, (_, i) => Math.sin(i * i)).buffer);
const good = npy(10, 4, (i) => Math.sin(i * i));
write('good.npy', good);
run(['fit', 'good.npy', '-k', '2', '-o', 'model.json', '-q']);

/** Every command that reads data, with a file for it. */
const READERS: readonly (readonly [string, (name: string) => string[]])[] = [
  ['fit', (name) => ['fit', name, '-k', '2', '-o', 'out.json']],
  ['transform', (name) => ['transform', 'model.json', name, '-o', 'out.npy']],
  ['report', (name) => ['report', name, '-k', '2', '-o', 'out.html']],
  ['compress', (name) => ['compress', name, '-k', '2', '-o', 'out.scree']],
];

type Case = readonly [what: string, name: string, content: Uint8Array | string, message: RegExp];

/** All commands read through the same door: two go through all of it, the others have a look at each kind of file. */
const EVERYWHERE: readonly Case[] = [
  ['a .npy cut off in its values', 'cut.npy', good.subarray(0, 300), /cut off/],
  ['ragged rows', 'ragged.csv', 'a,b,c,d\n1,2,3,4\n5,6,7\n8,9,1,2\n', /Row 2 .* has 3 cells, but the others have 4/],
  ['words only', 'words.csv', 'a,b\nx,y\nz,w\n', /no numeric column|has no column/],
  ['an empty file', 'empty.npy', '', /is empty/],
];
const MORE: readonly Case[] = [
  ['a .npy cut off in its header', 'head.npy', good.subarray(0, 40), /cut off/],
  [
    'a .npy whose shape overflows',
    'over.npy',
    npyWith(npyHeader("'<f8'", '(9007199254740993, 1024)'), numbers),
    /cannot be read|cut off/,
  ],
  [
    'a .npy whose size overflows',
    'product.npy',
    npyWith(npyHeader("'<f8'", '(4294967296, 4294967296)'), numbers),
    /cannot be read|cut off/,
  ],
  ['a .npy of negative shape', 'minus.npy', npyWith(npyHeader("'<f8'", '(-10, -4)'), numbers), /cannot be read/],
  ['a .npy that promises more than it has', 'more.npy', npyWith(npyHeader("'<f8'", '(11, 4)'), numbers), /cut off/],
  ['a .npy of objects', 'objects.npy', npyWith(npyHeader("'|O'", '(10, 4)'), numbers), /object/],
  [
    'a .npy of records',
    'records.npy',
    npyWith(npyHeader("[('a', '<f8'), ('b', '<f8')]", '(20,)'), numbers),
    /record|field/,
  ],
  ['a .npy of texts', 'texts.npy', npyWith(npyHeader("'<U2'", '(10, 4)'), numbers), /text/],
  [
    'a word among numbers',
    'mixed.csv',
    `a,b,c,d\n${'1,2,3,4\n2,1,4,3\n'.repeat(50)}1,2,three,4\n`,
    /has "three" in column c, where numbers are expected|no column/,
  ],
];

describe.each(READERS)('scree %s rejects with one line:', (command, args) => {
  const cases = ['fit', 'transform'].includes(command) ? [...EVERYWHERE, ...MORE] : EVERYWHERE;
  it.each(cases)('%s', (_what, name, content, message) => {
    expect(refused(args(write(name, content)))).toMatch(message);
  });

  it('a folder', () => {
    mkdirSync(binary.path('folder'), { recursive: true });
    expect(refused(args('folder'))).toMatch(/is a folder/);
  });

  it('an empty standard input', () => {
    expect(refused(args('-'), { input: '' })).toMatch(/Standard input is empty/);
  });
});

describe('scree', () => {
  it('reads numbers in the other byte order', () => {
    const swapped = Buffer.from(numbers).swap64();
    write('big.npy', npyWith(npyHeader("'>f8'", '(10, 4)'), swapped));
    const [big, little] = ['big.npy', 'good.npy'].map((name) =>
      JSON.parse(run(['fit', name, '-k', '2', '--json']).out),
    );
    expect(big.components).toEqual(little.components);
    expect(run(['transform', 'model.json', 'big.npy', '-o', 'big-scores.npy']).code).toBe(0);
    expect(run(['transform', 'model.json', 'good.npy', '-o', 'good-scores.npy']).code).toBe(0);
    expect(readFileSync(binary.path('big-scores.npy'))).toEqual(readFileSync(binary.path('good-scores.npy')));
  });

  it('leaves out nested columns of Parquet, lists them, and uses the numeric ones', async () => {
    const duck = await (await DuckDBInstance.create(':memory:')).connect();
    await duck.run(`COPY (
      SELECT sin(i) AS a, {'x': i, 'y': {'z': 'deep'}} AS struct, cos(i * i) AS b, [{'k': i}] AS list, map {'m': i} AS map,
             ['t', 'u'] AS texts, i % 7 AS c
      FROM range(50) t(i)
    ) TO '${binary.path('nested.parquet')}' (FORMAT parquet)`);
    duck.closeSync();
    const { code, out, err } = run(['fit', 'nested.parquet', '-k', '2', '--json', '-o', 'nested.json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ n: 50, d: 3, columnNames: ['a', 'b', 'c'] });
    expect(err).toMatch(/left out: struct \(.*\), list \(.*\), map \(.*\), texts \(.*\)/);
    expect(run(['transform', 'nested.json', 'nested.parquet', '-o', 'nested.npy']).code).toBe(0);
    expect(run(['report', 'nested.parquet', '-k', '2', '-o', 'nested.html', '-q'])).toMatchObject({ code: 0, err: '' });
    expect(run(['compress', 'nested.parquet', '-k', '2', '-o', 'nested.scree', '-q'])).toMatchObject({ code: 0 });
    expect(refused(['fit', 'nested.parquet', '--columns', 'a,struct'])).toMatch(/struct/);
  });

  it.each(READERS.slice(1))(
    'says in %s how many columns the model has, if the data have another number',
    (name, args) => {
      write('three.npy', npy(8, 3, Math.sin));
      const line = args('three.npy').flatMap((word) =>
        word === '-k' ? ['--model'] : word === '2' ? ['model.json'] : [word],
      );
      expect(refused(name === 'transform' ? args('three.npy') : line)).toMatch(/3 numeric columns, and the model .* 4/);
    },
  );

  // SCREE_FULL=1: 20,000.
  const cols = process.env.SCREE_FULL === undefined ? 4000 : 20_000;
  it(`reads ${cols} columns from .npy, .csv and .parquet`, async () => {
    const data = Float64Array.from({ length: 6 * cols }, (_, i) => Math.round(1000 * Math.sin(i * i)) / 8);
    for (const format of ['npy', 'csv', 'parquet']) {
      const writer = await createFile(binary.path(`wide.${format}`), { cols });
      await writer.write({ rows: 6, cols, data });
      await writer.close();
    }
    const [first, ...others] = ['npy', 'csv', 'parquet'].map((format) => {
      // How stable the components are does not depend on the format.
      const stability = format === 'npy' ? [] : ['--bootstrap', '0'];
      const model = ['-k', '3', '-o', `wide-${format}.json`, '--json', '--memory', '512MB', ...stability];
      const fit = run(['fit', `wide.${format}`, ...model]);
      expect(fit).toMatchObject({ code: 0 });
      return JSON.parse(fit.out);
    });
    expect(first).toMatchObject({ n: 6, d: cols, k: 3 });
    for (const other of others) expect(other.components).toEqual(first.components);
    expect(run(['transform', 'wide-parquet.json', 'wide.csv', '-o', 'scores.npy', '-q']).code).toBe(0);
    expect(run(['compress', 'wide.npy', '-k', '3', '-o', 'wide.scree', '-q']).code).toBe(0);
    expect(run(['report', 'wide.npy', '-k', '3', '-o', 'wide.html', '-q']).code).toBe(0);
  }, 180_000);
});

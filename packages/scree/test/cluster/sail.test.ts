import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnalyzeOptions } from '@scree/analysis';
import type { DenseBlock } from '@scree/core/data';
import { type DataFile, type Model, monitor, openFile, pca, sparkSource, writeModel } from 'scree';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzed } from '../../../analysis/test/support/analyzed.js';
import { useBinary } from '../command/binary.js';
import { needSail, startSail, type TestServer } from './sail-server.js';
import { bothModels, expectWithinCertificates, testRows, writeParquet } from './spark.js';

/** All rows of a file, which is closed. */
async function rowsOf(file: DataFile): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const block of file.source.blocks()) {
    const { stride, cols, data } = block as DenseBlock;
    for (let i = 0; i < block.rows; i++) rows.push(Array.from(data.slice(i * stride, i * stride + cols)));
  }
  await file.close();
  return rows;
}

const python = needSail();
const seed = Number(process.env.SCREE_SEED);

describe.skipIf(!python)('a table on Spark, by Sail', () => {
  // Nothing is created if the tests are skipped.
  const folder = python ? mkdtempSync(join(tmpdir(), 'scree-sail-')) : '';
  const binary = python ? useBinary('sail') : (undefined as never);
  const path = (name: string): string => join(folder, name);
  const all = (name: string): string => `select * from parquet.\`${path(name)}\``;
  let server: TestServer;

  beforeAll(async () => {
    server = await startSail(python as string, folder);
    await writeParquet(path('tall.parquet'), testRows({ rows: 30_000, cols: 12, seed }), 12);
    await writeParquet(path('far.parquet'), testRows({ rows: 20_000, cols: 6, seed: seed + 1, offset: 1e8 }), 6);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A table that Sail wrote. Other sessions do not have the table, but they can read its files. */
  const writtenRows = async (name: string): Promise<number[][]> => {
    const warehouse = join(folder, 'spark-warehouse');
    const [table] = readdirSync(warehouse).filter((each) => each.startsWith(name));
    return rowsOf(await openFile(join(warehouse, table)));
  };

  const fit = async (sql: string, options: AnalyzeOptions & { missing?: 'drop' | 'mean' } = {}): Promise<Model> => {
    const { missing, ...rest } = options;
    const source = await sparkSource({ url: server.url, sql, ...(missing ? { missing } : {}) });
    return analyzed(source, { engine: 'spark', ...rest });
  };

  it.each([
    ['tall.parquet', { k: 4 }],
    ['tall.parquet', { k: 3, scale: 'unit' }],
    ['tall.parquet', { k: 2, center: false }],
    ['far.parquet', { k: 3 }],
    ['tall.parquet', { k: 3, solver: 'krylov', scale: 'unit' }],
  ] as const)('has the model of %s with %j, within the certificates', async (name, options) => {
    const { remote, local } = await bothModels(server.url, all(name), path(name), options);
    expect(remote.plan.engine).toBe('spark');
    expectWithinCertificates(remote, local);
  });

  it.each([
    ['means first, then products', 600, { k: 4 }],
    ['products with vectors only', 600, { k: 4, solver: 'krylov' }],
    ['parts added up on the executors', 1100, { k: 4, memory: 2 ** 24 }],
  ] as const)('is fitted to wide rows: %s', async (_, cols, options) => {
    const sql = `select transform(sequence(1, ${cols}), j -> sin(j * (id + 1) * 0.37) / (1 + j % 50)) v from range(${cols + 100})`;
    const { memory = 2 ** 30, ...fitting } = { memory: 2 ** 30, ...options };
    const remote = await pca(await sparkSource({ url: server.url, sql, memory }), { engine: 'spark', ...fitting });
    const local = await pca(await sparkSource({ url: server.url, sql }), { k: options.k, engine: 'wasm' });
    expect(remote.plan.engine).toBe('spark');
    expectWithinCertificates(remote, local);
  });

  it.skipIf(!process.env.SCREE_CLUSTER)('has more columns than the 65,535 of Spark ML', async () => {
    const cols = 66_000;
    // Two directions: x = a·u + b·v with u = (1, 0, 1, 0, …) and v = (0, 1, 0, 1, …), so the variances are var(a)·|u|² and var(b)·|v|².
    const sql = `select transform(sequence(1, ${cols}), j -> if(j % 2 = 0, id % 5, id % 3) * 1.0D) v from range(60)`;
    const model = await fit(sql, { k: 2 });
    expect(model.plan).toMatchObject({ solver: 'krylov', engine: 'spark' });
    const variance = (m: number): number => ((m * m - 1) / 12) * (60 / 59) * (cols / 2);
    [variance(5), variance(3)].forEach((exact, i) => {
      expect(Math.abs(model.variances[i] / exact - 1)).toBeLessThan(1e-12);
    });
  });

  it('is read over the network by other engines, with the bits of the file', async () => {
    const source = await sparkSource({ url: server.url, sql: all('far.parquet') });
    const remote = await pca(source, { k: 2, engine: 'reference', solver: 'svd' });
    const file = await openFile(path('far.parquet'));
    const local = await pca(file.source, { k: 2, engine: 'reference', solver: 'svd' });
    await file.close();
    expect(remote.plan.reason).toMatch(/over the network/);
    expectWithinCertificates(remote, local);
  });

  it('keeps the digits of data far from zero', async () => {
    const near = await fit(`select id % 7 a, id % 11 b, id % 13 c from range(100000)`, { k: 3 });
    const far = await fit(`select 1e8 + id % 7 a, 1e8 + id % 11 b, 1e8 + id % 13 c from range(100000)`, { k: 3 });
    far.variances.forEach((variance, i) => {
      expect(Math.abs(variance / near.variances[i] - 1)).toBeLessThan(1e-14);
    });
    expect(Math.max(...far.certificate.varianceBounds)).toBeLessThan(1e-9);
  });

  it('takes every type of number', async () => {
    const sql = `select cast(id % 5 as tinyint) a, cast(id % 7 as smallint) b, cast(id % 11 as int) c, id % 13 d,
      cast(id % 17 as float) e, cast(id % 19 as double) f, cast(id % 23 as decimal(20, 3)) g, id % 2 = 0 h, 'x' i from range(5000)`;
    const model = await fit(sql, { k: 'all', inspectColumns: true });
    const rows = Array.from({ length: 5000 }, (_, id) =>
      [5, 7, 11, 13, 17, 19, 23].map((m) => id % m).concat(1 - (id % 2)),
    );
    const local = await pca(rows, { k: 'all' });
    expect(model.columnNames).toEqual([...'abcdefgh']);
    expectWithinCertificates(model, local);
    expect(model.warnings.map(({ code }) => code)).toContain('VALUES_CONVERTED');
  });

  it('warns of whole numbers that float64 does not hold, there and here', async () => {
    const sql = 'select 9007199254740993 + 2 * id a, id b from range(10)';
    for (const engine of ['spark', 'wasm']) {
      const { warnings } = await fit(sql, { k: 1, engine });
      const rounded = warnings.find(({ code }) => code === 'INTEGERS_ROUNDED');
      expect(rounded?.details).toMatchObject({ columns: [{ name: 'a', count: expect.any(Number) }] });
    }
  });

  it('treats NULL and NaN as missing, as files do', async () => {
    const sql = `select if(id % 10 = 3, null, cast(id as double)) a, if(id % 10 = 5, double('nan'), sin(id)) b, cos(id) c from range(1000)`;
    await expect(fit(sql, { k: 1 })).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      details: {
        affectedRows: 200,
        totalRows: 1000,
        value: [
          { name: 'a', count: 100 },
          { name: 'b', count: 100 },
        ],
      },
    });
    for (const missing of ['drop', 'mean'] as const) {
      const remote = await fit(sql, { k: 2, missing });
      const local = await fit(sql, { k: 2, missing, engine: 'wasm' });
      expect(remote.n).toBe(missing === 'drop' ? 800 : 1000);
      expectWithinCertificates(remote, local);
      // Rows on Spark are not inspected, so only the local fit may have warnings about its columns.
      const [there, here] = [remote, local].map(({ warnings }) =>
        warnings.filter(({ code }) => code === 'ROWS_DROPPED' || code === 'VALUES_FILLED'),
      );
      expect(there).toHaveLength(1);
      expect(there).toEqual(here);
    }
  });

  it('refuses infinite values by the name of their column', async () => {
    const sql = `select id a, if(id = 7, double('infinity'), id) b from range(100)`;
    await expect(fit(sql, { k: 1 })).rejects.toMatchObject({ code: 'NOT_FINITE', details: { columnName: 'b' } });
  });

  it('takes arrays apart, whole or some of their entries', async () => {
    const sql = `select array(cast(id % 5 as float), cast(id % 7 as float), cast(id % 11 as float)) v, id % 13 w from range(3000)`;
    const rows = Array.from({ length: 3000 }, (_, id) => [id % 5, id % 7, id % 11, id % 13]);
    expectWithinCertificates(await fit(sql, { k: 3 }), await pca(rows, { k: 3 }));
    const source = await sparkSource({ url: server.url, sql, columns: ['w', 'v[2]', 'v[0]'] });
    const some = await pca(source, { k: 2, engine: 'spark' });
    expectWithinCertificates(
      some,
      await pca(
        rows.map(([a, , c, w]) => [w, c, a]),
        { k: 2 },
      ),
    );
    expectWithinCertificates(await fit(sql, { k: 3, engine: 'wasm' }), await pca(rows, { k: 3 }));
  });

  it('takes a missing array for missing values', async () => {
    const sql = `select if(id % 4 = 0, null, array(id % 5, id % 7, id % 11)) v from range(400)`;
    const remote = await fit(sql, { k: 2, missing: 'drop' });
    expect(remote.n).toBe(300);
    expectWithinCertificates(remote, await fit(sql, { k: 2, missing: 'drop', engine: 'wasm' }));
  });

  it('refuses arrays of different lengths', async () => {
    const sql = 'select if(id < 500, array(1.0, id), array(1.0, id, 2.0)) v from range(1000)';
    await expect(fit(sql, { k: 1 })).rejects.toMatchObject({ code: 'RAGGED_ROWS' });
  });

  it('runs no text of names and values', async () => {
    const name = `a'"); import os; os.exit(3) #`;
    const model = await fit(`select id % 5 as \`${name}\`, id % 7 as \`x.y\`, id % 9 as \`x.y\` from range(900)`, {
      k: 2,
    });
    expect(model.columnNames?.slice(0, 2)).toEqual([name, 'x.y']);
  });

  it.each([
    ['selec 1', 'BAD_OPTION'],
    ['select nothing from range(3)', 'BAD_OPTION'],
    ['create table forbidden as select 1 a', 'BAD_OPTION'],
    ['drop table if exists forbidden', 'BAD_OPTION'],
  ])('refuses %s', async (sql, code) => {
    await expect(sparkSource({ url: server.url, sql })).rejects.toMatchObject({ code });
  });

  it('takes a query with a comment and a semicolon at its end', async () => {
    expect(
      (await fit('with t as (select id a, id % 3 b from range(10)) select * from t; -- all', { k: 1 }).catch(
        String,
      )) as unknown,
    ).toMatch(/cannot be answered/);
    expect((await fit('with t as (select id a, id % 3 b from range(10)) select * from t -- all', { k: 1 })).n).toBe(10);
    expect((await fit('select id a, id % 3 b from range(10);\n', { k: 1 })).n).toBe(10);
  });

  it('says that a table is not there', async () => {
    await expect(sparkSource({ url: server.url, table: 'nowhere' })).rejects.toMatchObject({ code: 'NO_FILE' });
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const source = await sparkSource({ url: server.url, sql: 'select id a, sin(id) b from range(2000000000)' });
    const fitting = pca(source, { k: 1, engine: 'spark', signal: controller.signal });
    setTimeout(() => controller.abort(), 300);
    await expect(fitting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('weighs executors against reading the rows, and says why', async () => {
    const file = await openFile(server.url, { sql: `${all('tall.parquet')}` });
    const model = await pca(file.source, { k: 2 });
    await file.close();
    expect(model.plan).toMatchObject({ engine: 'spark', solver: 'covariance' });
    expect(model.plan.reason).toMatch(/The passes run where the rows are, on spark/);
  });

  it('is fitted and transformed by the command, into a table too', async () => {
    const sql = `select id, cast(id % 97 as double) a, sin(id) b, cos(3 * id) c from range(4000)`;
    const table = [server.url, '--sql', sql, '--exclude', 'id'];
    const fitted = binary.run(['fit', ...table, '-k', '2', '--explain', '-o', 'model.json']);
    expect(fitted).toMatchObject({ code: 0, out: expect.stringMatching(/covariance on spark/) });
    const data = [server.url, '--sql', sql];
    expect(binary.run(['transform', 'model.json', ...data, '--label', 'id', '-o', 'scores.csv']).code).toBe(0);
    const written = binary.run(['transform', 'model.json', ...data, '--into', `t${seed}`, '--with', 'scores,error,t2']);
    expect(written.err).toMatch(/4,000 rows of 5 columns \(id, PC1, PC2, error, t2\)/);
    const found = new Map((await writtenRows(`t${seed}`)).map(([id, ...rest]) => [id, rest]));
    const lines = readFileSync(binary.path('scores.csv'), 'utf8').trim().split('\n').slice(1);
    expect(found.size).toBe(4000);
    for (const line of lines.slice(0, 500)) {
      const [id, ...scores] = line.split(',').map(Number);
      scores.forEach((score, i) => {
        expect(Math.abs((found.get(id) as number[])[i] - score)).toBeLessThan(1e-11 * 97);
      });
    }
  });

  it('writes errors and T² as monitoring computes them', async () => {
    const sql = `select id, cast(id % 97 as double) a, sin(id) b, cos(3 * id) c from range(300)`;
    const rows = await rowsOf(await openFile(server.url, { sql, columns: ['a', 'b', 'c', 'id'] }));
    const model = await pca(
      rows.map((row) => row.slice(0, 3)),
      { k: 2, scale: 'unit', columnNames: ['a', 'b', 'c'] },
    );
    await writeModel(binary.path('m.json'), model);
    const expected = await monitor(
      model,
      rows.map((row) => row.slice(0, 3)),
    );
    binary.run(['transform', 'm.json', server.url, '--sql', sql, '--into', `m${seed}`, '--with', 'scores,error,t2']);
    const written = await writtenRows(`m${seed}`);
    expect(written).toHaveLength(300);
    for (const [id, , , error, t2] of written) {
      const at = rows.findIndex((row) => row[3] === id);
      expect(Math.abs(error - expected.q[at])).toBeLessThan(1e-12);
      expect(Math.abs(t2 - expected.t2[at])).toBeLessThan(1e-11);
    }
  });
});

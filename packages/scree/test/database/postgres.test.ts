import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { DenseBlock } from '@scree/core/data';
import type pg from 'pg';
import { type DataFile, type Model, openFile, pca } from 'scree';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../files/test/support.js';
import { runDuck, seeded, useFolder } from '../disk/support.js';
import { needPostgres, PASSWORD, type PostgresServer, startPostgres } from './postgres-server.js';

const programs = needPostgres();

describe.skipIf(!programs)('a Postgres database', () => {
  const folder = useFolder();
  let server: PostgresServer;
  let owner: pg.Client;

  beforeAll(async () => {
    server = await startPostgres(programs as string);
    owner = await server.connect();
  }, 300_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    // A test that failed may have left a file open, and with it a lock.
    await owner.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'scree'");
    await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });

  /** A table by its name, and the same rows as a query: two ways through the reader. */
  const ways = [
    ['a table', { member: 't' }],
    ['a query', { sql: 'SELECT * FROM t' }],
  ] as const;

  async function open(options: Parameters<typeof openFile>[1], use: (file: DataFile) => Promise<void>): Promise<void> {
    const file = await openFile(server.url, options);
    try {
      await use(file);
    } finally {
      await file.close();
    }
  }

  const activeAfter = async (milliseconds: number): Promise<string[]> => {
    for (const end = performance.now() + milliseconds; ; ) {
      const active = await server.activity();
      if (active.length === 0 || performance.now() > end) return active;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const isActive = async (): Promise<void> => {
    while ((await server.activity()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  describe.each(ways)('as %s', (_, way) => {
    it('reads a type that can be cast to real[], as vector and halfvec of pgvector can, as one column per entry', async () => {
      // pgvector declares its types in C. A cast is all that is used of them.
      await owner.query(`CREATE TYPE vector AS (entries real[]);
        CREATE FUNCTION entries_of(vector) RETURNS real[] LANGUAGE sql IMMUTABLE AS 'SELECT ($1).entries';
        CREATE CAST (vector AS real[]) WITH FUNCTION entries_of(vector);
        CREATE TABLE t (id int, embedding vector);
        INSERT INTO t VALUES (1, ROW(ARRAY[0.1, 2, 3])), (2, NULL), (3, ROW(ARRAY[-1, 1e30, 0]))`);
      await open({ ...way, exclude: ['id'] }, async (file) => {
        expect(file.columns).toEqual(['embedding[0]', 'embedding[1]', 'embedding[2]']);
        expect(file.source.dtype).toBe('float32');
        expect(await file.countMissing()).toMatchObject({ rows: 3, incomplete: 1, first: 1 });
      });
      await open({ ...way, exclude: ['id'], missing: 'drop' }, async (file) => {
        expect(await rowsOf(file)).toEqual([
          [Math.fround(0.1), 2, 3],
          [-1, Math.fround(1e30), 0],
        ]);
      });
      await owner.query(`INSERT INTO t VALUES (4, ROW(ARRAY[1, 2]))`);
      await open({ ...way, exclude: ['id'], missing: 'drop' }, async (file) => {
        await expect(rowsOf(file)).rejects.toMatchObject({
          code: 'RAGGED_ROWS',
          message: expect.stringMatching(/has an array of 2 in column "embedding", the first has 3/),
        });
      });
    });

    it('reads vector and halfvec of the extension pgvector', async ({ skip }) => {
      const { rows: found } = await owner.query(
        "SELECT FROM pg_available_extensions WHERE name = 'vector' AND string_to_array(default_version, '.')::int[] >= '{0,7}'",
      );
      if (found.length === 0) {
        process.stderr.write('SKIPPED: Postgres has no pgvector of version 0.7 or later for this test\n');
        skip();
      }
      await owner.query(`CREATE EXTENSION vector;
        CREATE TABLE t (id int, v vector(3), h halfvec(2), s sparsevec(4));
        INSERT INTO t VALUES (1, '[0.1, 2, 3]', '[0.5, -65504]', '{1:1}/4'), (2, NULL, NULL, NULL), (3, '[-1, 1e30, 0]', '[0.1, 3]', '{2:5}/4')`);
      await open({ ...way, exclude: ['id'], missing: 'drop' }, async (file) => {
        // A sparsevec is left out: it has no cast to real[].
        expect(file.columns).toEqual(['v[0]', 'v[1]', 'v[2]', 'h[0]', 'h[1]']);
        expect(await rowsOf(file)).toEqual([
          [Math.fround(0.1), 2, 3, 0.5, -65504],
          // The float16 nearest to 0.1.
          [-1, Math.fround(1e30), 0, 0.0999755859375, 3],
        ]);
      });
      await open({ sql: 'SELECT s::vector FROM t', missing: 'drop' }, async (file) => {
        expect(await rowsOf(file)).toEqual([
          [1, 0, 0, 0],
          [0, 5, 0, 0],
        ]);
      });
    });

    it('reads every type of number, and NULL as a missing value', async () => {
      await owner.query(`CREATE DOMAIN percent AS numeric CHECK (VALUE <> 7);
        CREATE TABLE t (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, n2 numeric(12, 4), m money, b bool, p percent);
        INSERT INTO t VALUES
          (-32768, -2147483648, -9007199254740991, 1.5, 0.1, 123456.789, 0.0001, '$1,234.56', true, 99.5),
          (32767, 2147483647, 9007199254740991, 1e-40, 5e-324, -0.000000000000000000123, -12345678.9, '-$0.01', false, 0),
          (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
          (0, 0, 0, 'NaN', 'NaN', 'NaN', 'NaN', 0, false, 'NaN'),
          (1, 1, 1, 'Infinity', '-Infinity', 'Infinity', 0, 0, true, '-Infinity')`);
      const expected = [
        [-32768, -2147483648, -9007199254740991, 1.5, 0.1, 123456.789, 0.0001, 1234.56, 1, 99.5],
        [32767, 2147483647, 9007199254740991, Math.fround(1e-40), 5e-324, -0.123e-18, -12345678.9, -0.01, 0, 0],
        new Array(10).fill(Number.NaN),
        [0, 0, 0, Number.NaN, Number.NaN, Number.NaN, Number.NaN, 0, 0, Number.NaN],
        [
          1,
          1,
          1,
          Number.POSITIVE_INFINITY,
          Number.NEGATIVE_INFINITY,
          Number.POSITIVE_INFINITY,
          0,
          0,
          1,
          Number.NEGATIVE_INFINITY,
        ],
      ];
      await open({ ...way, missing: 'drop' }, async (file) => {
        expect(file.columns).toEqual(['i2', 'i4', 'i8', 'f4', 'f8', 'n', 'n2', 'm', 'b', 'p']);
        expect(file.source.dtype).toBe('float64');
        expect(await rowsOf(file)).toEqual([expected[0], expected[1], expected[4]]);
        expect(file.dropped).toBe(2);
      });
      await open(way, async (file) => {
        await expect(rowsOf(file)).rejects.toMatchObject({
          code: 'MISSING_VALUES',
          details: { row: 2, affectedRows: 2, totalRows: 5 },
        });
      });
      await open({ ...way, columns: ['f4', 'i2', 'b'], missing: 'drop' }, async (file) => {
        expect(file.source.dtype).toBe('float32');
        expect((await rowsOf(file))[1]).toEqual([Math.fround(1e-40), 32767, 0]);
      });
    });

    it('rounds numeric as decimal text is rounded, for any number of digits', async () => {
      const seed = randomInt(2 ** 31);
      const random = seeded(seed);
      const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(10 * random())).join('');
      const texts = Array.from({ length: 3000 }, () => {
        const [whole, fraction] = [Math.floor(30 * random()), Math.floor(30 * random())];
        return `${random() < 0.5 ? '-' : ''}${digits(whole) || '0'}${fraction > 0 ? `.${digits(fraction)}` : ''}`;
      }).concat('1e300', '-1e-300', '9007199254740993', '10000', '0.00010000', '9999999999999999.5');
      await owner.query('CREATE TABLE t (n numeric, i int)');
      await owner.query('INSERT INTO t SELECT * FROM unnest($1::numeric[]) WITH ORDINALITY', [texts]);
      await open(way, async (file) => {
        // A short row may be stored in an earlier page.
        const rows = (await rowsOf(file)).sort((one, other) => one[1] - other[1]);
        const read = rows.map(([value]) => value);
        expect(read, `seed ${seed}`).toEqual(texts.map((text) => Number(text) + 0));
      });
    });

    it('counts whole numbers beyond 2^53 that were rounded', async () => {
      await owner.query(`CREATE TABLE t (a int8, b numeric, c float8);
        INSERT INTO t VALUES (9007199254740993, 9007199254740993, 1), (9007199254740992, 1e30, 2),
          (-9223372036854775807, 9007199254740993.5, 3), (9223372036854775807, 123456789012345678901234567890, 1e300)`);
      await open(way, async (file) => {
        await rowsOf(file);
        const [warning] = (await file.source.warnings?.()) ?? [];
        expect(warning).toMatchObject({
          code: 'INTEGERS_ROUNDED',
          details: {
            columns: [
              { name: 'a', count: 3 },
              { name: 'b', count: 3 },
            ],
          },
        });
      });
    });

    it.each([
      ['text', '\'é, "x"\n\'', 'é, "x"\n'],
      ['varchar(5)', "'abc'", 'abc'],
      ['char(5)', "'ab'", 'ab'],
      ['uuid', "'00000000-0000-0000-0000-000000000001'", '00000000-0000-0000-0000-000000000001'],
      ['date', "'2024-02-29'", '2024-02-29'],
      ['timestamptz', "'2024-02-29 12:00:00+00'", '2024-02-29 12:00:00+00'],
      ['int8', '9223372036854775807', '9223372036854775807'],
      ['numeric', '-0.000012300', '-0.000012300'],
      ['float4', '0.1', '0.1'],
      ['bool', 'true', 'true'],
      ['mood', "'calm'", 'calm'],
    ])('names rows by a column of %s', async (type, literal, name) => {
      await owner.query("DROP TYPE IF EXISTS mood; CREATE TYPE mood AS ENUM ('calm', 'wild')");
      await owner.query(`SET timezone = 'UTC'; ALTER DATABASE postgres SET timezone = 'UTC';
        CREATE TABLE t (x int, l ${type}); INSERT INTO t VALUES (1, ${literal}), (2, NULL)`);
      await open({ ...way, label: 'l' }, async (file) => {
        const names: (string | null)[] = [];
        for await (const { labels } of file.labelled()) names.push(...labels);
        expect(names).toEqual([name, null]);
      });
    });

    it('makes columns of arrays, one per entry', async () => {
      await owner.query(`CREATE TABLE t (v float4[], n numeric(8,2)[]); INSERT INTO t VALUES
        (NULL, '{{1,2},{3,4}}'), ('{0.1,2,-3}', '{{5,6},{7,NULL}}')`);
      await open({ ...way, missing: 'mean' }, async (file) => {
        expect(file.columns).toEqual(['v[0]', 'v[1]', 'v[2]', 'n[0]', 'n[1]', 'n[2]', 'n[3]']);
        const tenth = Math.fround(0.1);
        expect(await rowsOf(file)).toEqual([
          [tenth, 2, -3, 1, 2, 3, 4],
          [tenth, 2, -3, 5, 6, 7, 4],
        ]);
      });
      await open({ ...way, columns: ['n[2]', 'v[1]', 'n[0]'], missing: 'drop' }, async (file) => {
        expect(await rowsOf(file)).toEqual([[7, 2, 5]]);
      });
      await owner.query("INSERT INTO t VALUES ('{1,2}', '{1,2,3,4}')");
      await open({ ...way, missing: 'drop' }, async (file) => {
        await expect(rowsOf(file)).rejects.toMatchObject({
          code: 'RAGGED_ROWS',
          details: { row: 2, columnName: 'v', value: 2, expected: 3 },
        });
      });
    });

    it('leaves out what is not a number, and says of what type it is', async () => {
      await owner.query(`CREATE TABLE t (x float8, j jsonb, d date, y bytea, i interval);
        INSERT INTO t VALUES (1, '{}', '2024-01-01', '\\x00', '1 day'), (2, '{}', '2024-01-02', '\\x01', '2 days')`);
      await open(way, async (file) => {
        expect(file.leftOut.map(({ name, type }) => [name, type])).toEqual([
          ['j', 'jsonb'],
          ['d', 'date'],
          ['y', 'bytea'],
          ['i', 'interval'],
        ]);
      });
      await open({ ...way, label: 'j' }, async (file) => {
        await expect(file.labels()).rejects.toMatchObject({ code: 'UNSUPPORTED', message: /jsonb in column "j"/ });
      });
    });

    it('has the rows and the model of the same numbers in .csv and .parquet, to the last bit', async () => {
      const random = seeded(11);
      const rows = Array.from({ length: 30_000 }, () =>
        Array.from({ length: 6 }, () => (random() - 0.3) * 10 ** (20 * random())),
      );
      await owner.query('CREATE TABLE t (a float8, b float8, c float8, d float8, e float8, f float8)');
      await owner.query(
        'INSERT INTO t SELECT * FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::float8[])',
        [0, 1, 2, 3, 4, 5].map((j) => rows.map((row) => row[j])),
      );
      const csv = folder.file('same.csv');
      await writeFile(csv, `a,b,c,d,e,f\n${rows.map((row) => row.join()).join('\n')}\n`);
      const parquet = folder.file('same.parquet');
      await runDuck(
        `COPY (SELECT * FROM read_csv('${csv}', types = {'a': 'DOUBLE'})) TO '${parquet}' (FORMAT parquet)`,
      );
      const models: string[] = [];
      const fit = async (file: DataFile): Promise<void> => {
        expect(await rowsOf(file)).toEqual(rows);
        const model: Model = await pca(file.source, { k: 3, scale: 'unit', solver: 'covariance' });
        models.push(
          JSON.stringify(
            [model.components, model.variances, model.mean].map((array) => Array.from(Object.values(array))),
          ),
        );
        await file.close();
      };
      for (const [path, options] of [
        [server.url, way],
        [csv, {}],
        [parquet, {}],
      ] as const)
        await fit(await openFile(path, options));
      expect(models[1]).toBe(models[0]);
      expect(models[2]).toBe(models[0]);
    });

    it('sees one moment: rows that others change between two readings stay as they were', async () => {
      // Rows in no order, so wide that an index would be the cheapest source of the id alone, in another order.
      await owner.query(`CREATE TABLE t (id int PRIMARY KEY, x float8, y float8, w float8, pad text);
        INSERT INTO t SELECT id, id / 2.0, cos(3 * id), 1 + id % 3, repeat('x', 500)
        FROM (SELECT 1 + i::int8 * 7919 % 20011 AS id FROM generate_series(1, 20000) i) ids`);
      await owner.query('VACUUM ANALYZE t');
      const file = await openFile(server.url, { ...way, weight: 'w', label: 'id' });
      const before = await rowsOf(file);
      const weights = await file.weights();
      const idsOf = async (): Promise<number[]> => Array.from((await file.labels()).numbers ?? []);
      expect(before).toHaveLength(20000);
      expect(await idsOf()).toEqual(before.map(([x]) => 2 * x));
      await owner.query(`UPDATE t SET x = x + 1000, w = 9 WHERE id % 2 = 0; DELETE FROM t WHERE id % 5 = 0;
        INSERT INTO t SELECT i, 7, 7, 7 FROM generate_series(30001, 40000) i; ANALYZE t`);
      expect(await rowsOf(file)).toEqual(before);
      expect(await idsOf()).toEqual(before.map(([x]) => 2 * x));
      expect(await file.weights()).toEqual(weights);
      const options = { k: 2, solver: 'krylov', ...(weights ? { weights } : {}) } as const;
      const model = await pca(file.source, options);
      const again = await pca(file.source, options);
      expect(again.components).toEqual(model.components);
      await file.close();
      const now = await openFile(server.url, { ...way, weight: 'w', label: 'id' });
      expect((await rowsOf(now)).length).toBe((await owner.query('SELECT 1 FROM t')).rowCount);
      await now.close();
    });

    it('cancels what the server does when its signal is aborted', async () => {
      await owner.query(`CREATE TABLE t AS SELECT i AS a, random() AS b FROM generate_series(1, 1500000) i`);
      const slow = 'sql' in way ? { sql: 'SELECT a, pg_sleep(60)::text FROM t' } : way;
      const controller = new AbortController();
      const reading = (async () => {
        const file = await openFile(server.url, { ...slow, signal: controller.signal });
        for await (const _ of file.source.blocks()) await new Promise((resolve) => setTimeout(resolve, 200));
      })();
      reading.catch(() => {});
      await isActive();
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(reading).rejects.toBe(reason);
      expect(await activeAfter(1000)).toEqual([]);
      await expect(openFile(server.url, { ...way, signal: controller.signal })).rejects.toBe(reason);
    });

    it('says so when the server dies in the middle', async () => {
      await owner.query(`CREATE TABLE t AS SELECT i AS a, random() AS b FROM generate_series(1, 1500000) i`);
      const slow = 'sql' in way ? { sql: 'SELECT a, b, pg_sleep(0.001)::text FROM t' } : way;
      let opened = false;
      const reading = (async () => {
        const file = await openFile(server.url, slow);
        opened = true;
        for await (const _ of file.source.blocks()) await new Promise((resolve) => setTimeout(resolve, 50));
      })();
      reading.catch(() => {});
      // A table is read by a connection of its own; before that one could be refused, which is another error.
      while (!('sql' in way || opened)) await new Promise((resolve) => setTimeout(resolve, 20));
      await isActive();
      await server.kill();
      try {
        await expect(reading).rejects.toMatchObject({ name: 'FileError', code: 'CONNECTION_LOST' });
      } finally {
        await server.start();
        owner = await server.connect();
      }
    });

    it('says that an empty table has no rows', async () => {
      await owner.query('CREATE TABLE t (a float8)');
      await open(way, async (file) => {
        await expect(rowsOf(file)).rejects.toMatchObject({ code: 'EMPTY_DATA' });
      });
    });
  });

  it('stops the server when a reader stops early, and can be read again', async () => {
    await owner.query('CREATE TABLE t AS SELECT i AS a, random() AS b FROM generate_series(1, 1000000) i');
    await open({}, async (file) => {
      for await (const _ of file.source.blocks()) break;
      expect(await activeAfter(1000)).toEqual([]);
      // Two readings at once have a connection each.
      const [one, other] = [file.source.blocks(), file.source.blocks()];
      for (const blocks of [one, other] as AsyncIterable<DenseBlock>[]) {
        let rows = 0;
        for await (const block of blocks) {
          // In the order in which they were stored, also after a scan that ended in the middle.
          expect(block.data[0]).toBe(rows + 1);
          rows += block.rows;
        }
        expect(rows).toBe(1_000_000);
      }
    });
    const { rows } = await owner.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'scree'");
    expect(rows).toEqual([]);
  });

  it('runs a query once, so that random() gives the same rows to every reading', async () => {
    const sql = 'SELECT random() AS a, random() AS b FROM generate_series(1, 5000) ORDER BY random();';
    await open({ sql }, async (file) => {
      expect(file.rows).toBe(5000);
      expect(await rowsOf(file)).toEqual(await rowsOf(file));
    });
  });

  it('reads views and partitioned tables, and columns of a query that share a name', async () => {
    await owner.query(`CREATE TABLE p (a int, b float8) PARTITION BY RANGE (a);
      CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20);
      INSERT INTO p SELECT i, i / 2.0 FROM generate_series(0, 19) i; CREATE VIEW v AS SELECT * FROM p WHERE a > 9`);
    await open({ member: 'p' }, async (file) => expect(await rowsOf(file)).toHaveLength(20));
    await open({ member: 'public.v' }, async (file) => expect((await rowsOf(file))[0]).toEqual([10, 5]));
    await open({ sql: 'SELECT a, a + 1 AS a, 1.5 FROM p -- all of them' }, async (file) => {
      expect(file.columns[0]).toBe('a');
      expect(new Set(file.columns).size).toBe(3);
      expect((await rowsOf(file))[3]).toEqual([3, 4, 1.5]);
    });
    await expect(openFile(server.url)).rejects.toMatchObject({ code: 'BAD_OPTION', message: /2 tables: "p", "v"/ });
  });

  it.each([
    ['a table that is not there', { member: 'nope' }, 'BAD_OPTION', /no table "nope"/],
    ['a query with an error', { sql: 'SELECT nope FROM t' }, 'BAD_OPTION', /column "nope" does not exist/],
    [
      'a query with a column of a misleading name',
      { sql: 'SELECT ssl_password FROM t' },
      'BAD_OPTION',
      /cannot be answered/,
    ],
    ['a query that fails on the way', { sql: 'SELECT 1 / (a - 2) FROM t' }, 'BAD_OPTION', /division by zero/],
    ['two statements', { sql: 'SELECT 1; SELECT 2' }, 'BAD_OPTION', /syntax error/],
    [
      'a query that closes the parenthesis',
      { sql: 'SELECT 1) AS x; DROP TABLE t; --' },
      'BAD_OPTION',
      /multiple commands|syntax/,
    ],
    ['a query that writes', { sql: 'WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x' }, 'BAD_OPTION', /./],
    ['a function that writes', { sql: "SELECT nextval('s')" }, 'BAD_OPTION', /only read/],
    ['a format', { format: 'csv' }, 'BAD_OPTION', /is a database/],
  ] as const)('refuses %s', async (_, options, code, message) => {
    await owner.query('CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2); CREATE SEQUENCE s');
    await expect(openFile(server.url, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect((await owner.query('SELECT a FROM t')).rows).toHaveLength(2);
    expect(await activeAfter(1000)).toEqual([]);
  });

  it('explains a time limit of the server, and a server that does not answer', async () => {
    const limited = `${server.url}&options=${encodeURIComponent('-c statement_timeout=200')}`;
    await expect(openFile(limited, { sql: 'SELECT 1 AS a, pg_sleep(9)::text' })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringMatching(/statement timeout/),
    });
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    await expect(openFile(`postgres://me@127.0.0.1:${port}/db?connect_timeout=1`)).rejects.toMatchObject({
      code: 'NO_CONNECTION',
    });
    silent.close();
  });

  describe('with a user and a password', () => {
    it('takes the password from the address and from PGPASSWORD', async () => {
      await owner.query('CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)');
      const file = await openFile(server.urlFor('reader', PASSWORD));
      expect(file.describe()).not.toContain(PASSWORD);
      expect(await rowsOf(file)).toEqual([[1], [2]]);
      await file.close();
      process.env.PGPASSWORD = PASSWORD;
      try {
        const other = await openFile(server.urlFor('reader'));
        await other.close();
      } finally {
        delete process.env.PGPASSWORD;
      }
    });

    it.each([
      ['a wrong password', (): string => server.urlFor('reader', `not-${PASSWORD}`), 'NO_ACCESS', /PGPASSWORD/],
      ['a missing password', (): string => server.urlFor('reader'), 'NO_ACCESS', /asks for a password/],
      [
        'an unknown database',
        (): string => `${server.urlFor('reader', PASSWORD)}x`,
        'NO_FILE',
        /"postgresx" does not exist/,
      ],
      [
        'a port without a server',
        (): string => server.urlFor('reader', PASSWORD).replace(/:\d+\/postgres$/, ':1/x'),
        'NO_CONNECTION',
        /refused|REFUSED/,
      ],
      [
        'TLS that the server does not speak',
        (): string => `${server.urlFor('reader', PASSWORD)}?sslmode=require`,
        'NO_CONNECTION',
        /SSL/,
      ],
      [
        'an address with an unescaped password',
        (): string => `postgres://reader:${PASSWORD}/#?x@127.0.0.1/d`,
        'BAD_FILE',
        /%2F/,
      ],
      [
        'a certificate that is not there',
        (): string => `${server.urlFor('reader', PASSWORD)}?sslmode=verify-full&sslrootcert=/nope.crt`,
        'BAD_FILE',
        /nope\.crt/,
      ],
    ] as const)('explains %s without telling the password', async (_, url, code, message) => {
      const error = await openFile(url()).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'FileError', code, message: expect.stringMatching(message) });
      const { stack, message: said, details, path } = error as Error & { details: unknown; path: string };
      expect(JSON.stringify([stack, said, details, path])).not.toContain(PASSWORD);
    });

    it('connects over TLS, and refuses a certificate that no authority signed', async ({ skip }) => {
      const certificate = await server.useTls();
      if (certificate === undefined) return skip('openssl is not here');
      await owner.query('CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)');
      const url = server.urlFor('reader', PASSWORD, 'localhost');
      const ssl = 'SELECT (SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()), a FROM t';
      const tlsOf = async (mode: string): Promise<number[][]> => {
        const file = await openFile(`${url}?sslmode=${mode}`, { sql: ssl });
        const rows = await rowsOf(file);
        await file.close();
        return rows;
      };
      // The server takes a moment to read its settings again.
      await expect
        .poll(() => tlsOf('no-verify').catch(() => undefined))
        .toEqual([
          [1, 1],
          [1, 2],
        ]);
      expect(await tlsOf('disable')).toEqual([
        [0, 1],
        [0, 2],
      ]);
      expect(await tlsOf(`verify-full&sslrootcert=${encodeURIComponent(certificate)}`)).toEqual([
        [1, 1],
        [1, 2],
      ]);
      for (const mode of ['require', 'verify-full'])
        await expect(tlsOf(mode)).rejects.toMatchObject({
          code: 'NO_CONNECTION',
          message: expect.stringMatching(/sslrootcert/),
        });
    });

    it('explains what this user may not read', async () => {
      await owner.query(
        "CREATE TABLE t (a int); CREATE ROLE stranger LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA public TO stranger",
      );
      try {
        const error = openFile(server.urlFor('stranger', 'x'), { sql: 'SELECT * FROM t' });
        await expect(error).rejects.toMatchObject({
          code: 'NO_ACCESS',
          message: expect.stringMatching(/GRANT SELECT/),
        });
      } finally {
        await owner.query('DROP OWNED BY stranger; DROP ROLE stranger');
      }
    });
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { ReadRequest, Table, TableBatch } from '@scree/files/platform';
import { describe, expect, it } from 'vitest';
import { openTextInThread } from '../../dist/disk/table-in-thread.js';
// The compiled package, because a thread runs a file, and Node cannot run the TypeScript sources.
import { openFile as openBuilt } from '../../dist/index.js';
import { openFile } from '../../src/index.js';
import { useFolder } from './support.js';

const folder = useFolder();
const home = fileURLToPath(new URL('../..', import.meta.url));

/** Small blocks, so that there are many. */
const MEMORY = 2 ** 20;

const numbers = (rows: number): number[][] =>
  Array.from({ length: rows }, (_, i) => [Math.sin(i), i % 7 === 3 ? Number.NaN : i / 3, -1 - i]);
const shown = (value: number): string => (Number.isNaN(value) ? '' : String(value));

const write = (name: string, content: string | Uint8Array): string => {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
};

const csv = (rows: number): string =>
  ['a,b,kind,c', ...numbers(rows).map(([a, b, c], i) => `${a},${shown(b)},"k, ${i % 3}",${c}`)].join('\n');
const json = (rows: number): object[] =>
  numbers(rows).map(([a, b, c], i) => ({ a, b: Number.isNaN(b) ? null : b, kind: `k ${i % 3}`, c }));

type Kind = 'csv' | 'tsv' | 'json' | 'ndjson';

async function threaded(path: string, kind: Kind, packing?: 'gzip'): Promise<Table> {
  const size = readFileSync(path).length;
  return openTextInThread({ file: path, path, size, format: kind, memory: MEMORY, packing }) as Promise<Table>;
}

interface Seen {
  readonly rows: number;
  readonly data: number[];
  readonly texts: TableBatch['texts'];
}

async function all(batches: AsyncIterable<TableBatch>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { block, texts } of batches) {
    if (block.kind !== 'dense') throw new TypeError('dense rows');
    seen.push({ rows: block.rows, data: Array.from(block.data.subarray(0, block.rows * block.cols)), texts });
  }
  return seen;
}

describe('a query over SQLite in a thread', () => {
  it('gives the same rows, labels and errors as without a thread, and leaves no file behind', async () => {
    const { default: sqlite } = await import('node-sqlite3-wasm');
    const path = folder.file('s.db');
    const database = new sqlite.Database(path);
    database.exec(
      'create table t (x real, y real, name text); with recursive n (i) as (select 0 union all select i + 1 from n where i < 19999) insert into t select i * 0.5, case i % 7 when 3 then null else i end, i % 3 from n',
    );
    database.close();
    const before = readdirSync(folder.path);
    const options = { sql: 'select x, y, name from t', label: 'name', missing: 'drop', memory: 2 ** 24 } as const;
    const seen: unknown[] = [];
    for (const open of [openFile, openBuilt]) {
      const file = await open(path, options);
      expect(readdirSync(folder.path)).toEqual(before);
      const rows: number[] = [];
      for await (const block of file.source.blocks()) {
        if (block.kind === 'dense') rows.push(...block.data.subarray(0, block.rows * block.cols));
      }
      seen.push([file.format, rows, (await file.labels()).names]);
      await file.close();
      await expect(open(path, { sql: 'select nothing from t' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
      const bad = await open(path, {
        sql: "select x, case when x > 9000 then 'word' else y end y from t where x > 800",
      });
      await expect(async () => {
        for await (const _ of bad.source.blocks());
      }).rejects.toMatchObject({ name: 'DataError' });
      await bad.close();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(readdirSync(folder.path)).toEqual(before);
  });
});

describe('text parsed in a thread', () => {
  const cases: [string, Kind, string | Uint8Array, 'gzip'?][] = [
    ['a.csv', 'csv', csv(20_000)],
    ['a.tsv', 'tsv', csv(9000).replaceAll(',', '\t')],
    ['a.csv.gz', 'csv', gzipSync(csv(9000)), 'gzip'],
    ['a.json', 'json', JSON.stringify(json(6000))],
    [
      'a.ndjson',
      'ndjson',
      json(6000)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    ],
  ];

  for (const [name, kind, content, packing] of cases) {
    it(`gives the batches of ${name} as without a thread, twice and in two reads at once`, async () => {
      const path = write(name, content);
      const plain = await openFile(path, { memory: 2 ** 24, missing: 'drop', label: 'kind' });
      const table = await threaded(path, kind, packing);
      try {
        expect(table.columns.map((column) => column.name)).toEqual([...plain.columns.slice(0, 2), 'kind', 'c']);
        const request: ReadRequest = { numbers: [0, 1, 3], texts: [2] };
        const seen = await all(table.read(request));
        expect(seen.length).toBeGreaterThan(2);
        const rows = seen.reduce((sum, batch) => sum + batch.rows, 0);
        expect(rows).toBe(name === 'a.csv' ? 20_000 : name.endsWith('json') ? 6000 : 9000);
        expect(seen.flatMap(({ data }) => data)).toEqual(numbers(rows).flat());
        expect(seen.flatMap(({ texts }) => texts[0])).toHaveLength(rows);
        const [again, both] = await Promise.all([all(table.read(request)), all(table.read({ numbers: [3] }))]);
        expect(again).toEqual(seen);
        expect(both.flatMap(({ data }) => data)).toEqual(numbers(rows).map(([, , c]) => c));
      } finally {
        await table.close();
        await plain.close();
      }
    });
  }

  it('passes on errors with their class, code, message and details, after the rows before them', async () => {
    for (const [line, expected] of [
      [
        '1,2,x',
        { name: 'DataError', code: 'RAGGED_ROWS', message: /Row 15001 .*has 3 cells/, details: { row: 15000 } },
      ],
      [
        '1,word,x,2',
        { name: 'DataError', code: 'NOT_A_NUMBER', details: { column: 1, columnName: 'b', value: 'word' } },
      ],
    ] as const) {
      const lines = csv(20_000).split('\n');
      const path = write('bad.csv', [...lines.slice(0, 15_001), line, ...lines.slice(15_001)].join('\n'));
      const table = await threaded(path, 'csv');
      let rows = 0;
      const reading = (async () => {
        for await (const { block } of table.read({ numbers: [0, 1, 3] })) rows += block.rows;
      })();
      await expect(reading).rejects.toMatchObject(expected);
      expect(rows).toBeGreaterThan(0);
      // The table is none the worse for it.
      await expect(all(table.read({ numbers: [0, 1, 3] }))).rejects.toMatchObject({ code: expected.code });
      await table.close();
    }
    const cut = write('cut.csv.gz', gzipSync(csv(9000)).subarray(0, 60_000));
    const table = await threaded(cut, 'csv', 'gzip').catch((error: unknown) => error as Error);
    const error = table instanceof Error ? table : await all(table.read({ numbers: 'all' })).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'FileError', code: 'FILE_TRUNCATED', path: cut });
    if (!(table instanceof Error)) await table.close();
    await expect(threaded(write('empty.json', '[]'), 'json')).rejects.toMatchObject({ code: 'EMPTY_DATA' });
  });

  it('can be stopped at any time and closed twice, and cannot be read afterwards', async () => {
    const table = await threaded(write('left.csv', csv(20_000)), 'csv');
    for (const most of [1, 2, 5]) {
      let batches = 0;
      for await (const _ of table.read({ numbers: [0] })) if (++batches === most) break;
      expect(batches).toBe(Math.min(most, 3));
    }
    const open = table.read({ numbers: [0] })[Symbol.asyncIterator]();
    await open.next();
    const waiting = table
      .read({ numbers: [0] })
      [Symbol.asyncIterator]()
      .next();
    waiting.catch(() => {});
    await Promise.all([table.close(), table.close()]);
    await expect(all(table.read({ numbers: [0] }))).rejects.toMatchObject({ code: 'WORKER_LOST' });
  });

  it('is used by openFile for large files, gives the same blocks, and does not keep the process alive', async () => {
    const path = write('large.csv', csv(200_000));
    const [plain, built] = [
      await openFile(path, { columns: ['a', 'c'] }),
      await openBuilt(path, { columns: ['a', 'c'] }),
    ];
    const [expected, found] = [[] as number[], [] as number[]];
    for await (const { rows, data } of plain.source.blocks()) expected.push(rows, data[0], data[2 * rows - 1]);
    for await (const { rows, data } of built.source.blocks()) found.push(rows, data[0], data[2 * rows - 1]);
    expect(found).toEqual(expected);
    await plain.close();
    await built.close();
    const printed = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { openFile } from 'scree';
         const file = await openFile(${JSON.stringify(path)}, { columns: ['a', 'c'] });
         for await (const block of file.source.blocks()) { console.log(block.rows > 0); break; }`,
      ],
      { cwd: home, encoding: 'utf8', timeout: 30_000 },
    );
    expect(printed).toBe('true\n');
  });
});

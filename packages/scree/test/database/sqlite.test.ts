import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import sqlite from 'node-sqlite3-wasm';
import { openFile } from 'scree';
import { afterEach, describe, expect, it } from 'vitest';
import { loadKoffi } from '../../src/blas/library.js';
import { pythonWith, readAll, rowsOf, useFolder } from '../disk/support.js';

const folder = useFolder();
let made = 0;

/** A database with a table t of 2000 rows, in which every x is 1. */
function ones(): string {
  const path = folder.file(`ones${made++}.sqlite`);
  const database = new sqlite.Database(path);
  database.exec(
    'create table t (x real, y real); with recursive n (i) as (select 0 union all select i + 1 from n where i < 1999) insert into t select 1, i from n',
  );
  database.close();
  return path;
}

async function sumOfX(path: string): Promise<number> {
  const { rows } = await readAll(path, { memory: 2 ** 24 });
  return rows.reduce((sum, [x]) => sum + x, 0);
}

describe('a SQLite database', () => {
  it('is read with columns that are called as what every object has', async () => {
    const path = folder.file('names.sqlite');
    const database = new sqlite.Database(path);
    database.exec(
      'create table t ("__proto__" real, constructor real, "toString" real, a real); insert into t values (1, 2, 3, 4), (5, 6, 7, 8)',
    );
    database.close();
    const { rows, file } = await readAll(path);
    expect(file.columns).toEqual(['__proto__', 'constructor', 'toString', 'a']);
    expect(rows).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]);
    const asked = await readAll(path, { sql: 'select a, "__proto__" from t' });
    expect([asked.file.columns, asked.rows]).toEqual([
      ['a', '__proto__'],
      [
        [4, 1],
        [8, 5],
      ],
    ]);
  });

  it('is refused beside a journal that holds pages, also behind a link', async () => {
    const path = ones();
    mkdirSync(folder.file('links'), { recursive: true });
    const link = folder.file('links/ones.sqlite');
    symlinkSync(path, link);
    // What is left of a finished change: nothing, or a journal that begins with zeros.
    for (const finished of ['', '\0'.repeat(512)]) {
      writeFileSync(`${path}-journal`, finished);
      expect(await sumOfX(link)).toBe(2000);
    }
    writeFileSync(`${path}-journal`, Buffer.from('d9d505f920a163d7', 'hex'));
    for (const name of [path, link]) {
      await expect(openFile(name)).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringMatching(/holds an unfinished change.*-journal.*sqlite3 ones\d+\.sqlite \.tables/),
      });
    }
  });

  it('is read with the changes in its write-ahead log, also behind a link, and stays as it is', async () => {
    const path = ones();
    const writer = new sqlite.Database(path);
    // Without the shared memory that WebAssembly does not have.
    writer.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; update t set x = 3; begin; update t set x = 7',
    );
    try {
      expect(existsSync(`${path}-wal`)).toBe(true);
      const link = folder.file('logged.sqlite');
      symlinkSync(path, link);
      const before = await readdir(folder.path);
      expect(await sumOfX(link)).toBe(6000);
      expect(await readdir(folder.path)).toEqual(before);
    } finally {
      writer.exec('rollback');
      writer.close();
    }
    expect(await sumOfX(path)).toBe(6000);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});

const python = pythonWith('sqlite3');
/** True if scree can take SQLite's locks here. */
const locks = process.platform === 'linux' && typeof (await loadKoffi()) !== 'string';

/** Changes all x to 5 in one transaction, says so, waits until its input ends, and commits. */
const WRITER = `
import sqlite3, sys
path, journal, pages, changed = sys.argv[1:]
c = sqlite3.connect(path, isolation_level=None, timeout=0)
c.execute('pragma journal_mode=' + journal)
c.execute('pragma cache_size=' + pages)
c.execute('begin')
c.execute('update t set x = 5 where y < ' + changed)
print('changed', flush=True)
sys.stdin.read()
try:
    c.execute('commit')
    print('committed', flush=True)
except sqlite3.OperationalError as error:
    print(error, flush=True)
`;

describe.skipIf(python === undefined || !locks)("a SQLite database, with SQLite's own library writing to it", () => {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const each of running.splice(0)) each.kill('SIGKILL');
  });

  async function write(path: string, journal: string, pages: number, changed = 2000) {
    const child = spawn(python ?? '', ['-c', WRITER, path, journal, String(pages), String(changed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const said = async (): Promise<string> => (await lines.next()).value;
    expect(await said()).toBe('changed');
    return {
      kill: async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
      commit: () => {
        child.stdin.end();
        return said();
      },
    };
  }

  it('is refused while uncommitted pages are in it, with a journal on disk or none', async () => {
    const paths = [ones(), ones()];
    await Promise.all([write(paths[0], 'delete', 2), write(paths[1], 'memory', 2)]);
    await Promise.all(
      paths.map((path) =>
        expect(openFile(path)).rejects.toMatchObject({
          code: 'NO_ACCESS',
          message: expect.stringMatching(/another program is writing to it/),
        }),
      ),
    );
  });

  it('is refused after its writer was killed, until the change is undone', async () => {
    const path = ones();
    const writer = await write(path, 'delete', 2);
    await writer.kill();
    const copy = folder.file('undone.sqlite');
    for (const end of ['', '-journal']) copyFileSync(path + end, copy + end);
    await expect(openFile(path)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    const other = await write(copy, 'delete', 2, 0);
    expect(await other.commit()).toBe('committed');
    expect(await sumOfX(copy)).toBe(2000);
  });

  it('is read while a writer waits with its changes, who cannot commit before all passes are over', async () => {
    const path = ones();
    const writer = await write(path, 'delete', 2000, 100);
    const file = await openFile(path, { memory: 2 ** 24 });
    const first = await rowsOf(file);
    expect(await writer.commit()).toBe('database is locked');
    expect(await rowsOf(file)).toEqual(first);
    await file.close();
    expect(first.every(([x]) => x === 1)).toBe(true);
    const next = await write(path, 'delete', 2000, 100);
    expect(await next.commit()).toBe('committed');
    expect(await sumOfX(path)).toBe(2400);
  });

  it('is read as it was last committed while a writer adds to its log', async () => {
    const path = ones();
    const first = await write(path, 'wal', 2000, 100);
    expect(await sumOfX(path)).toBe(2000);
    const file = await openFile(path, { memory: 2 ** 24 });
    expect(await first.commit()).toBe('committed');
    expect((await rowsOf(file)).every(([x]) => x === 1)).toBe(true);
    await file.close();
    expect(await sumOfX(path)).toBe(2400);
  });
});

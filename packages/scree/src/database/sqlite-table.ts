import { copyFile, open, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DataError, OptionError } from '@scree/core';
import {
  badFile,
  blockRows,
  type Column,
  type DenseBatch,
  type Request,
  RoundedIntegers,
  type Table,
  TEXT_BYTES,
  TextBudget,
  unsupported,
} from '@scree/files/internal';
import type { Database } from 'node-sqlite3-wasm';
import { closeRead } from '../disk/file-bytes.js';
import { openRegularFile } from '../disk/regular-file.js';
import { systemError } from '../disk/system-error.js';
import { hasThreads, openInThread, worthThread } from '../disk/table-in-thread.js';
import { temporaryFolder } from '../disk/temporary-copy.js';
import type { SqliteTask } from '../disk/thread-messages.js';
import { loadUnbundled } from '../load-unbundled.js';
import { chooseTable } from './duck-table.js';

/** The first rows decide the type of a column: in SQLite, the declared type does not limit the values. */
const SAMPLED_ROWS = 1000;

/** Name of the view that stands for a query. */
const QUERY_VIEW = 'answer_for_scree';

type Value = number | bigint | string | Uint8Array | null;
type Row = Record<string, Value>;

/**
 * A table, view or query of a SQLite database file, which is opened for reading only. SQLite may work for hours before
 * it returns a row, so it runs in a thread, which can be stopped.
 */
export async function openSqlite(
  { path, memory, file }: { path: string; memory: number; file: string },
  { member, sql, na }: { member?: string | undefined; sql?: string | undefined; na?: readonly string[] | undefined },
): Promise<Table> {
  const folder = await temporaryFolder();
  try {
    const name = await linkOrCopy(file, path, folder.path);
    const task: SqliteTask = { kind: 'sqlite', file: name, path, memory, na, member, sql };
    // A terminated thread leaves its lock file behind. It must be in the temporary folder, not next to the data.
    const inThread = name !== file && (sql !== undefined || worthThread((await stat(file)).size)) && hasThreads();
    if (inThread) return await openInThread(task, folder.remove);
    const table = await openSqliteInThisThread(task);
    return {
      ...table,
      close: async () => {
        await table.close();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw systemError(error, path, 'read');
  }
}

/** Opens the database in this thread. It must be in a folder where a lock file may be left behind. */
export async function openSqliteInThisThread({ file, path, memory, na, member, sql }: SqliteTask): Promise<Table> {
  const { default: sqlite } = await loadUnbundled<{ default: typeof import('node-sqlite3-wasm') }>('node-sqlite3-wasm');
  let database: Database | undefined;
  try {
    database = new sqlite.Database(file, { readOnly: true });
    const opened = database;
    // Views of the database may not call functions with side effects, or use virtual tables that read files.
    opened.exec('PRAGMA trusted_schema = OFF');
    const name = sql === undefined ? tableName(opened, member, path) : createQueryView(opened, sql);
    const relation = quotedName(name);
    const format = sql === undefined ? `SQLite, ${name}` : 'SQLite, SQL';
    const missing = new Set(na);
    const columns = inferColumns(opened, name, missing);
    const integers = new RoundedIntegers();
    if (columns.length === 0) throw new DataError('EMPTY_DATA', `There are no rows to read in ${path}.`);
    return {
      format,
      columns,
      width: columns.length,
      named: true,
      uniform: false,
      rows: undefined,
      dtype: () => 'float64',
      mayMissValues: true,
      checkMissing: true,
      rereadable: true,
      read: (request) =>
        read(opened, relation, columns, request, { path, memory, missing, rounded: integers.reading() }),
      warnings: () => integers.warnings(path, (j) => columns[j].name),
      close: async () => opened.close(),
    };
  } catch (error) {
    database?.close();
    throw sqliteError(error, path, sql !== undefined);
  }
}

/**
 * Links the database into a temporary folder: SQLite writes its lock file next to the database, and the folder of the data
 * may be read-only. A database that was last written with a write-ahead log is copied instead, because the index of the log
 * needs shared memory, which WebAssembly does not have.
 */
async function linkOrCopy(file: string, path: string, folder: string): Promise<string> {
  const name = join(folder, 'data.sqlite');
  const log = await stat(`${file}-wal`).catch(() => undefined);
  if (log && log.size > 0) {
    throw unsupported(
      path,
      'is being written to: changes are waiting in its -wal file',
      'Close the program that writes it.',
    );
  }
  const { handle } = await openRegularFile(file, 'It was a file a moment ago.');
  const header = Buffer.alloc(20);
  try {
    await handle.read(header, 0, 20, 0);
  } finally {
    await closeRead(handle);
  }
  const logged = header[18] === 2 || header[19] === 2;
  if (!logged) {
    const linked = await symlink(resolve(file), name).then(
      () => true,
      () => false,
    );
    // On some systems users may not create links.
    return linked ? name : file;
  }
  try {
    await copyFile(file, name);
    const copy = await open(name, 'r+');
    try {
      // Sets both format versions to the rollback journal. With an empty log the file is otherwise the same.
      await copy.write(Uint8Array.of(1, 1), 0, 2, 18);
    } finally {
      await copy.close();
    }
  } catch (error) {
    throw systemError(error, name, 'written');
  }
  return name;
}

function tableName(database: Database, member: string | undefined, path: string): string {
  const rows = database.all(
    `SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  ) as { name: string }[];
  const [, name] = chooseTable(
    rows.map((row) => ['main', row.name] as const),
    member,
    path,
  );
  return name;
}

/** Gives a query a name, so that its columns can be listed. It is kept in memory and ends with the connection. */
function createQueryView(database: Database, sql: string): string {
  database.exec(`CREATE TEMP VIEW ${QUERY_VIEW} AS SELECT * FROM (${sql.trim().replace(/;\s*$/, '')}\n)`);
  return QUERY_VIEW;
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Column names in their order. The keys of a row are not: JavaScript puts whole numbers first. */
function columnNames(database: Database, name: string): string[] {
  const columns = database.all('SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid', [name]);
  return (columns as { name: string }[]).map((column) => column.name);
}

function inferColumns(database: Database, relation: string, missing: ReadonlySet<string>): Column[] {
  const names = columnNames(database, relation);
  const statement = database.prepare(`SELECT * FROM ${quotedName(relation)} LIMIT ${SAMPLED_ROWS}`);
  try {
    const tally = new Map(names.map((name) => [name, { numbers: 0, texts: 0, others: 0 }]));
    let rows = 0;
    for (const row of statement.iterate() as Iterable<Row>) {
      rows++;
      for (const [name, counts] of tally) {
        const value = row[name];
        if (typeof value === 'number' || typeof value === 'bigint') counts.numbers++;
        else if (typeof value === 'string') counts.texts += missing.has(value) ? 0 : 1;
        else if (value !== null) counts.others++;
      }
    }
    if (rows === 0) return [];
    return [...tally].map(([name, { numbers, texts, others }]) => {
      if (others > 0) return { name, kind: 'other', type: 'blob' };
      if (numbers + texts === 0 && rows < SAMPLED_ROWS) return { name, kind: 'other', type: 'empty' };
      // A few texts among numbers are mistakes. Reading reports the first one.
      return texts > 0 && texts >= numbers
        ? { name, kind: 'text', type: 'text' }
        : { name, kind: 'number', type: 'number' };
    });
  } finally {
    finalize(statement);
  }
}

async function* read(
  database: Database,
  relation: string,
  columns: readonly Column[],
  request: Request,
  {
    path,
    memory,
    missing,
    rounded,
  }: {
    path: string;
    memory: number;
    missing: ReadonlySet<string>;
    rounded: ReturnType<RoundedIntegers['reading']>;
  },
): AsyncGenerator<DenseBatch, void, void> {
  const numbers = request.numbers === 'all' ? [...columns.keys()] : request.numbers;
  const cols = numbers.length;
  const height = blockRows(8 * Math.max(1, cols) + (request.text === undefined ? 0 : TEXT_BYTES), memory);
  const budget = new TextBudget(memory);
  const wanted = request.text === undefined ? numbers : [...new Set([...numbers, request.text])];
  const list = wanted.length === 0 ? '1' : wanted.map((j) => quotedName(columns[j].name)).join(', ');
  let statement: ReturnType<Database['prepare']> | undefined;
  try {
    statement = database.prepare(`SELECT ${list} FROM ${relation}`);
    const rows = (statement.iterate() as IterableIterator<Row>)[Symbol.iterator]();
    const buffers = [new Float64Array(height * cols), new Float64Array(height * cols)];
    let done = 0;
    for (let turn = 0; ; turn = 1 - turn) {
      const data = buffers[turn];
      const text: (string | null)[] | undefined = request.text === undefined ? undefined : [];
      let filled = 0;
      budget.renew();
      for (; filled < height && !budget.spent; filled++) {
        const next = rows.next();
        if (next.done) break;
        for (let j = 0; j < cols; j++) {
          const { name } = columns[numbers[j]];
          const value = next.value[name];
          const isGap = typeof value === 'string' && missing.has(value);
          const number = isGap ? Number.NaN : toNumber(value, done + filled, name, path);
          if (typeof value === 'bigint' && BigInt(number) !== value) rounded.add(numbers[j]);
          data[filled * cols + j] = number;
        }
        if (text && request.text !== undefined) {
          const value = next.value[columns[request.text].name];
          const cell = value === null ? null : String(value);
          text.push(cell);
          budget.add(cell);
        }
      }
      if (filled === 0) return;
      yield { block: { kind: 'dense', rows: filled, cols, stride: cols, data }, text };
      done += filled;
    }
  } catch (error) {
    throw sqliteError(error, path, false);
  } finally {
    finalize(statement);
  }
}

/** Finalizing throws the error of the last step again, which was already reported. */
function finalize(statement: { finalize(): void } | undefined): void {
  try {
    statement?.finalize();
  } catch {}
}

function toNumber(value: Value, row: number, name: string, path: string): number {
  if (value === null) return Number.NaN;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : 'bytes';
  throw new DataError(
    'NOT_A_NUMBER',
    `Row ${row + 1} of ${path} holds ${shown} in column ${JSON.stringify(name)}, where others hold numbers. Correct it, or exclude the column.`,
    { row, columnName: name, value },
  );
}

function sqliteError(error: unknown, path: string, sql: boolean): unknown {
  if (!(error instanceof Error) || error.name !== 'SQLite3Error') return error;
  const what = error.message.split('\n')[0];
  if (/not a database|malformed|disk i\/o|could not open|unable to open/i.test(what)) return badFile(path, what);
  if (sql)
    return new OptionError('BAD_OPTION', `The query cannot be answered: ${what}.`, { option: 'sql', value: what });
  return badFile(path, what);
}

import { stat } from 'node:fs/promises';
import { DataError, OptionError } from '@scree/core';
import {
  BlockAssembler,
  badFile,
  type DenseBatch,
  type ReadRequest,
  RoundedIntegers,
  type Table,
  type TableBatch,
  type TableColumn,
  withClose,
} from '@scree/files/platform';
import type { Database } from 'node-sqlite3-wasm';
import { systemError } from '../disk/system-error.js';
import { hasThreads, openInThread, worthThread } from '../disk/table-in-thread.js';
import { temporaryFolder } from '../disk/temporary-copy.js';
import type { SqliteTask } from '../disk/thread-messages.js';
import { loadUnbundled } from '../load-unbundled.js';
import { chooseTable } from './duck-table.js';
import { type SqliteSnapshot, takeSnapshot } from './sqlite-snapshot.js';

/** The first rows decide the type of a column: in SQLite, the declared type does not limit the values. */
const SAMPLED_ROWS = 1000;

/** Name of the view that stands for a query. */
const QUERY_VIEW = 'answer_for_scree';

type Value = number | bigint | string | Uint8Array | null;
type Row = Record<string, Value>;

/**
 * A table, view or query of a SQLite database file, which is opened read-only. SQLite may compute for hours before it returns a row, so it
 * runs in a thread that can be stopped.
 */
export async function openSqlite(
  { path, memory, file }: { path: string; memory: number; file: string },
  { member, sql, na }: { member?: string | undefined; sql?: string | undefined; na?: readonly string[] | undefined },
): Promise<Table> {
  const folder = await temporaryFolder();
  let snapshot: SqliteSnapshot | undefined;
  const release = async (): Promise<void> => {
    await snapshot?.release();
    await folder.remove();
  };
  try {
    snapshot = await takeSnapshot(file, path, folder.path);
    const { check, inFolder, logged } = snapshot;
    const task: SqliteTask = { kind: 'sqlite', file: snapshot.file, logged, path, memory, na, member, sql };
    // A terminated thread leaves its lock file behind. It must be in the temporary folder, not next to the data.
    const inThread = inFolder && (sql !== undefined || worthThread((await stat(snapshot.file)).size)) && hasThreads();
    const table = await (inThread ? openInThread(task, async () => {}) : openSqliteInThisThread(task));
    return withClose({ ...table, read: (request) => readUnchanged(table.read(request), check) }, release);
  } catch (error) {
    await release();
    throw systemError(error, path, 'read');
  }
}

/**
 * Yields rows, and checks before and after that the database was not changed. An error while reading may come from a change, so it is
 * checked then too.
 */
async function* readUnchanged(
  batches: AsyncIterable<TableBatch>,
  check: () => Promise<void>,
): AsyncGenerator<TableBatch> {
  await check();
  try {
    yield* batches;
  } catch (error) {
    await check();
    throw error;
  }
  await check();
}

/** Opens the database in this thread. SQLite may leave a lock file in its folder. */
export async function openSqliteInThisThread({
  file,
  logged,
  path,
  memory,
  na,
  member,
  sql,
}: SqliteTask): Promise<Table> {
  const { default: sqlite } = await loadUnbundled<{ default: typeof import('node-sqlite3-wasm') }>('node-sqlite3-wasm');
  let database: Database | undefined;
  try {
    database = new sqlite.Database(file, { readOnly: !logged, fileMustExist: true });
    const opened = database;
    // Without other programs SQLite needs no shared memory for the index of the log.
    if (logged) opened.exec('PRAGMA locking_mode = EXCLUSIVE');
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
      manyTexts: true,
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

/** A row is an object, in which a column called __proto__ would be lost. So the columns of a result are called c0, c1, …. */
function aliased(name: string, column: number): string {
  return `${quotedName(name)} AS ${keyOf(column)}`;
}

function keyOf(column: number): string {
  return `c${column}`;
}

function inferColumns(database: Database, relation: string, missing: ReadonlySet<string>): TableColumn[] {
  const names = columnNames(database, relation);
  if (names.length === 0) return [];
  const list = names.map((name, j) => aliased(name, j)).join(', ');
  const statement = database.prepare(`SELECT ${list} FROM ${quotedName(relation)} LIMIT ${SAMPLED_ROWS}`);
  try {
    const tally = names.map((name, j) => ({ name, key: keyOf(j), numbers: 0, texts: 0, others: 0 }));
    let rows = 0;
    for (const row of statement.iterate() as Iterable<Row>) {
      rows++;
      for (const counts of tally) {
        const value = row[counts.key];
        if (typeof value === 'number' || typeof value === 'bigint') counts.numbers++;
        else if (typeof value === 'string') counts.texts += missing.has(value) ? 0 : 1;
        else if (value !== null) counts.others++;
      }
    }
    if (rows === 0) return [];
    return tally.map(({ name, numbers, texts, others }) => {
      if (others > 0) return { name, kind: 'other', type: 'blob' };
      if (numbers + texts === 0 && rows < SAMPLED_ROWS) return { name, kind: 'other', type: 'empty' };
      // A few texts among numbers are mistakes. The reader reports the first one.
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
  columns: readonly TableColumn[],
  request: ReadRequest,
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
  const { texts = [] } = request;
  const cols = numbers.length;
  const block = new BlockAssembler({ cols, texts: texts.length, memory });
  const wanted = [...new Set([...numbers, ...texts])];
  const list = wanted.length === 0 ? '1' : wanted.map((j) => aliased(columns[j].name, j)).join(', ');
  const keys = numbers.map(keyOf);
  let statement: ReturnType<Database['prepare']> | undefined;
  try {
    statement = database.prepare(`SELECT ${list} FROM ${relation}`);
    let done = 0;
    for (const row of statement.iterate() as IterableIterator<Row>) {
      const { data } = block;
      for (let j = 0; j < cols; j++) {
        const value = row[keys[j]];
        const isGap = typeof value === 'string' && missing.has(value);
        const number = isGap ? Number.NaN : toNumber(value, done, columns[numbers[j]].name, path);
        if (typeof value === 'bigint' && BigInt(number) !== value) rounded.add(numbers[j]);
        data[block.rows * cols + j] = number;
      }
      for (const [t, column] of texts.entries()) {
        const value = row[keyOf(column)];
        block.addText(t, value === null ? null : String(value));
      }
      block.rows++;
      done++;
      if (block.isFull) yield block.take();
    }
    if (block.rows > 0) yield block.take();
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

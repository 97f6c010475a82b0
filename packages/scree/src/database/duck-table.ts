import { join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { DataError, OptionError, type Warning } from '@scree/core';
import {
  blockHeight,
  changeTable,
  checkColumns,
  type DenseBatch,
  type ReadRequest,
  RoundedIntegers,
  type Table,
  type TableColumn,
  TextBudget,
  withClose,
} from '@scree/files/platform';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { openParquetFile } from '../disk/parquet-file.js';
import { openRegularFile } from '../disk/regular-file.js';
import { type DuckDb, duckError, identifier, quoted, startDuckDb } from './duckdb.js';
import { NativeMemoryCollector } from './garbage-collection.js';
import { filesOfQuery } from './query-files.js';
import type { Relation } from './relation.js';
import { wideTable } from './wide-table.js';

const NUMBER =
  /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(\d+,\s*\d+\))$/;
const FITS_FLOAT32 = /^(TINYINT|SMALLINT|UTINYINT|USMALLINT|FLOAT|BOOLEAN)$/;
/** Types whose integers may be too large for float64. */
const BIG_INTEGER = /^U?(BIGINT|HUGEINT)$/;
const TEXT = /^(VARCHAR|ENUM\(|UUID)/;
/** A row group of a query's result takes at most 1/16 of the memory, because DuckDB holds several groups while it writes and reads. */
const GROUP_SHARE = 16;
/** Lists up to this length become columns, one per entry. */
const LONGEST_LIST = 1 << 16;

/**
 * Columns that one query reads at most. DuckDB needs time and memory for each of them, for at least 2048 rows. Fewer columns per query
 * would not save memory, because every query keeps some until the file is closed.
 */
const MAX_COLUMNS = 1024;

/** Tables that a message names. */
const MOST_NAMED = 20;

/** A column of DuckDB. A column of lists becomes several columns of the table, one per entry. */
interface DuckColumn {
  readonly name: string;
  readonly type: string;
  /** Length of its lists of numbers. */
  readonly list?: number;
}

/** Where a column of the table comes from: the index of DuckDB's column, and the entry of its lists. */
interface ColumnLocation {
  readonly physical: number;
  readonly entry?: number;
}

export interface FileOnDisk {
  readonly path: string;
  readonly memory: number;
  /** The file that is read. Messages name `path`: for standard input, `file` is a temporary copy. */
  readonly file: string;
}

/** A table of a DuckDB database file, which is opened for reading only. */
export async function openDuckDb(
  { path, memory, file }: FileOnDisk,
  { member, sql }: { member?: string | undefined; sql?: string | undefined },
): Promise<Table> {
  const duck = await startDuckDb(path, memory);
  return closeOnError(duck, path, async () => {
    await duck.rows(`ATTACH ${quoted(file)} AS source (READ_ONLY)`);
    // A view in the database could otherwise read any file of this user.
    await duck.confine(sql === undefined ? [] : await filesOfQuery(sql, duck));
    if (sql !== undefined) return queryTable(duck, sql, { path, memory, before: 'USE source' });
    const tables = (await duck.rows(
      `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'source' AND NOT internal ORDER BY ALL`,
    )) as [string, string][];
    const [schema, table] = chooseTable(tables, member, path);
    const relation = `source.${identifier(schema)}.${identifier(table)}`;
    return duckTable(duck, relation, { path, memory, format: `DuckDB, ${table}` });
  });
}

/** The result of a query over files that it names itself, or over one file under the name `data`. */
export async function openQuery(
  sql: string,
  {
    path,
    memory,
    relation,
  }: { path: string; memory: number; relation?: ((duck: DuckDb) => Promise<Relation>) | undefined },
): Promise<Table> {
  const duck = await startDuckDb(path, memory);
  return closeOnError(duck, path, async () => {
    const data = await relation?.(duck);
    const before = data && `CREATE TEMP VIEW data AS SELECT * FROM ${data.sql}`;
    return queryTable(duck, sql, { path, memory, before, isIndex: data?.isIndex });
  });
}

export function chooseTable(
  tables: readonly (readonly [string, string])[],
  member: string | undefined,
  path: string,
): readonly [string, string] {
  const some = tables.slice(0, MOST_NAMED).map(([, name]) => JSON.stringify(name));
  if (tables.length > some.length) some.push(`${tables.length - some.length} more`);
  const names = some.join(', ');
  if (tables.length === 0) throw new DataError('EMPTY_DATA', `${path} has no table.`);
  if (member === undefined) {
    if (tables.length === 1) return tables[0];
    throw new OptionError(
      'BAD_OPTION',
      `${path} has ${tables.length} tables: ${names}. Choose one with member, or ask with sql.`,
      { option: 'member' },
    );
  }
  const chosen = tables.find(([schema, name]) => name === member || `${schema}.${name}` === member);
  if (chosen) return chosen;
  throw new OptionError('BAD_OPTION', `${path} has no table ${JSON.stringify(member)}, only ${names}.`, {
    option: 'member',
    value: member,
  });
}

interface QueryOptions {
  readonly path: string;
  readonly memory: number;
  /** A statement to run before the query. */
  readonly before?: string | undefined;
  /** Whether a column only numbers the rows. */
  readonly isIndex?: Relation['isIndex'];
}

/**
 * Runs a query once and stores its result in a temporary file. A fit reads the rows several times, and a query that is run
 * again may return them in another order, or other rows.
 */
async function queryTable(duck: DuckDb, sql: string, { path, memory, before, isIndex }: QueryOptions): Promise<Table> {
  const file = join(duck.folder, 'query.parquet');
  const connection = await duck.connect();
  try {
    if (before) await connection.run(before);
    const statements = await connection.extractStatements(sql);
    if (statements.count !== 1) {
      throw new OptionError('BAD_OPTION', `sql must be one query, not ${statements.count} statements.`, {
        option: 'sql',
      });
    }
    const query = sql.trim().replace(/;\s*$/, '');
    const width = (await connection.runAndReadAll(`DESCRIBE ${query}`)).currentRowCount;
    const height = Math.max(2048, Math.min(122_880, Math.floor(memory / GROUP_SHARE / 8 / Math.max(1, width))));
    await connection.run(`COPY (${query}\n) TO ${quoted(file)} (FORMAT parquet, ROW_GROUP_SIZE ${height})`);
  } catch (error) {
    throw duckError(error, path, true);
  } finally {
    connection.closeSync();
  }
  const { handle, size } = await openRegularFile(file, 'It was written a moment ago.');
  const closeAll = async (): Promise<void> => {
    await closeRead(handle);
    await duck.close();
  };
  try {
    const table = withClose(await openParquetFile(fileBytes(handle, path, 0, size), { memory }), closeAll);
    return changeTable(table, {
      format: 'SQL',
      columns: table.columns.map((column) => ({ ...column, index: isIndex?.(column.name) ?? column.index })),
    });
  } catch (error) {
    await closeRead(handle);
    throw error;
  }
}

interface TableOptions {
  readonly path: string;
  readonly memory: number;
  readonly format: string;
}

async function duckTable(duck: DuckDb, relation: string, { path, memory, format }: TableOptions): Promise<Table> {
  const described = (await duck.rows(`DESCRIBE SELECT * FROM ${relation}`)) as [string, string][];
  checkColumns(described.length, memory, path);
  const physical: DuckColumn[] = [];
  for (const [name, type] of described) physical.push(await measure(duck, relation, name, type, path));
  const { columns, sources } = columnsOf(physical, memory, path);
  const rows = Number((await duck.rows(`SELECT count(*) FROM ${relation}`))[0][0]);
  const fitsFloat32 = (numbers: readonly number[]) => numbers.every((j) => FITS_FLOAT32.test(columns[j].type));
  /** Columns in which integers beyond 2^53 were read. */
  const large = new Set<number>();
  const table: Table = {
    format,
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows,
    dtype: (numbers) => (fitsFloat32(numbers === 'all' ? [...columns.keys()] : numbers) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: true,
    read: (request) => read(request),
    warnings,
    close: () => duck.close(),
  };
  return wideTable(table, { path, memory, maxColumns: MAX_COLUMNS, useLessMemory });

  /** Every thread of DuckDB holds the rows that it reads. */
  async function useLessMemory(): Promise<void> {
    await duck.rows('SET threads = 1');
  }

  async function* read({ numbers: asked, texts: [text] = [] }: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const numbers = asked === 'all' ? [...columns.keys()] : asked;
    const cols = numbers.length;
    const [type, Values] = fitsFloat32(numbers)
      ? (['FLOAT', Float32Array] as const)
      : (['DOUBLE', Float64Array] as const);
    const lists = [...new Set(numbers.flatMap((j) => (sources[j].entry === undefined ? [] : [sources[j].physical])))];
    // Missing values become NaN in the query, so no validity mask has to be read.
    const expressions = [
      ...numbers.map((j) => `coalesce(${expressionOf(sources[j])}::${type}, 'nan'::${type})`),
      ...lists.map((index) => `coalesce(len(${identifier(physical[index].name)}), ${physical[index].list})::DOUBLE`),
      ...(text === undefined ? [] : [`${expressionOf(sources[text])}::VARCHAR`]),
    ];
    if (expressions.length === 0) expressions.push('1');
    const bytes = Math.max(1, cols) * Values.BYTES_PER_ELEMENT;
    const height = blockHeight(Math.max(bytes, text === undefined ? 0 : TEXT_BYTES), memory);
    const budget = new TextBudget(memory);
    const connection = await duck.connect();
    try {
      const result = await connection.stream(`SELECT ${expressions.join(', ')} FROM ${relation}`);
      const stream = new Chunks(result, expressions.length);
      const buffers = [new Values(height * cols), new Values(height * cols)];
      let done = 0;
      for (let turn = 0; ; turn = 1 - turn) {
        const data = buffers[turn];
        const texts: (string | null)[] | undefined = text === undefined ? undefined : [];
        let filled = 0;
        budget.renew();
        while (filled < height && !budget.spent) {
          const part = await stream.next(height - filled);
          if (!part) break;
          copyNumbers(part, data.subarray(filled * cols), cols);
          findLarge(part, numbers);
          lists.forEach((index, l) => {
            checkLengths(part, cols + l, done + filled, physical[index], path);
          });
          if (texts) addTexts(part, cols + lists.length, texts, budget);
          filled += part.rows;
        }
        if (filled === 0) return;
        yield { block: { kind: 'dense', rows: filled, cols, stride: cols, data }, texts: texts ? [texts] : [] };
        done += filled;
      }
    } catch (error) {
      throw duckError(error, path);
    } finally {
      stopReading(connection);
    }
  }

  /** Remembers the columns with integers beyond 2^53. */
  function findLarge({ chunk, from, rows: some }: Part, numbers: readonly number[]): void {
    for (const [j, column] of numbers.entries()) {
      if (large.has(column) || !BIG_INTEGER.test(columns[column].type)) continue;
      const items = numbersIn(chunk, j).subarray(from, from + some);
      if (items.some((value) => Math.abs(value) > Number.MAX_SAFE_INTEGER)) large.add(column);
    }
  }

  /** Counts the integers that were rounded, in the columns where some may have been. */
  async function warnings(): Promise<readonly Warning[]> {
    if (large.size === 0) return [];
    const counts = [...large].map((j) => {
      const [value, type] = [expressionOf(sources[j]), columns[j].type];
      return `count_if(try_cast(${value}::DOUBLE AS ${type === 'UHUGEINT' ? type : 'HUGEINT'}) IS DISTINCT FROM ${value})`;
    });
    const [row] = await duck.rows(`SELECT ${counts.join(', ')} FROM ${relation}`);
    const integers = new RoundedIntegers();
    integers.merge([...large].map((j, i) => [j, Number(row[i])] as const).filter(([, count]) => count > 0));
    return integers.warnings(path, (j) => columns[j].name);
  }

  function expressionOf({ physical: index, entry }: ColumnLocation): string {
    const name = identifier(physical[index].name);
    return entry === undefined ? name : `${name}[${entry + 1}]`;
  }
}

/** Throws if a list has another length than the first of its column. `first` is the number of rows before the part. */
function checkLengths(part: Part, column: number, first: number, { name, list }: DuckColumn, path: string): void {
  const lengths = numbersIn(part.chunk, column);
  for (let i = 0; i < part.rows; i++) {
    const length = lengths[part.from + i];
    if (length === list) continue;
    throw new DataError(
      'RAGGED_ROWS',
      `Row ${first + i + 1} of ${path} has a list of ${length} in column ${JSON.stringify(name)}, the first has ${list}. Exclude the column, or make all lists equally long.`,
      { row: first + i, columnName: name, value: length, expected: list, reason: 'list-length' },
    );
  }
}

/** The numbers of a column of a chunk. */
function numbersIn(chunk: DuckDBDataChunk, column: number): Float32Array | Float64Array {
  return (chunk.getColumnVector(column) as unknown as { readonly items: Float32Array | Float64Array }).items;
}

/** Copies the first `cols` columns of a part into rows of `cols` numbers. */
function copyNumbers({ chunk, from, rows }: Part, out: Float32Array | Float64Array, cols: number): void {
  for (let j = 0; j < cols; j++) {
    const items = numbersIn(chunk, j);
    for (let i = 0, at = j; i < rows; i++, at += cols) out[at] = items[from + i];
  }
}

function addTexts({ chunk, from, rows }: Part, column: number, texts: (string | null)[], budget: TextBudget): void {
  const vector = chunk.getColumnVector(column);
  for (let i = 0; i < rows; i++) {
    const cell = vector.getItem(from + i) as string | null;
    texts.push(cell);
    budget.add(cell);
  }
}

/** The columns of a table, and where they are in the file: a column of lists becomes one column per entry. */
function columnsOf(
  physical: readonly DuckColumn[],
  memory: number,
  path: string,
): { readonly columns: readonly TableColumn[]; readonly sources: readonly ColumnLocation[] } {
  const columns: TableColumn[] = [];
  const sources: ColumnLocation[] = [];
  physical.forEach(({ name, type, list }, index) => {
    if (list === undefined) {
      columns.push({ name, ...kindOf(type) });
      sources.push({ physical: index });
    } else {
      checkColumns(columns.length + list, memory, path);
      for (let entry = 0; entry < list; entry++) {
        columns.push({ name: `${name}[${entry}]`, kind: 'number', type: type.replace(/\[\d*\]$/, '') });
        sources.push({ physical: index, entry });
      }
    }
  });
  return { columns, sources };
}

function kindOf(type: string): Pick<TableColumn, 'kind' | 'type'> {
  if (TEXT.test(type)) return { kind: 'text', type: type.slice(0, 60) };
  return { kind: NUMBER.test(type) ? 'number' : 'other', type: type.slice(0, 60) };
}

/** Finds the length of a column of lists: from its type, or from its first list. */
async function measure(duck: DuckDb, relation: string, name: string, type: string, path: string): Promise<DuckColumn> {
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (element === undefined || !NUMBER.test(element)) return { name, type };
  const column = identifier(name);
  const list = length
    ? Number(length)
    : Number(
        (await duck.rows(`SELECT len(${column}) FROM ${relation} WHERE ${column} IS NOT NULL LIMIT 1`))[0]?.[0] ?? 0,
      );
  if (list > LONGEST_LIST) {
    throw new DataError(
      'TOO_LARGE',
      `Column ${JSON.stringify(name)} of ${path} holds lists of ${list} numbers; ${LONGEST_LIST} is the most. Save them as .npy.`,
    );
  }
  return list === 0 ? { name, type } : { name, type, list };
}

/** What a text takes in JavaScript, roughly. */
const TEXT_BYTES = 128;
/** Rows that DuckDB allocates for every chunk, full or not. */
const CHUNK_ROWS = 2048;
/** Bytes of used chunks after which garbage is collected. */
const COLLECTION_INTERVAL = 4 << 20;

/** Some rows of a chunk. */
interface Part {
  readonly chunk: DuckDBDataChunk;
  readonly from: number;
  readonly rows: number;
}

/** The chunks of a result, in parts of at most `maxRows` rows. The next chunk is fetched while one is used. */
class Chunks {
  readonly #result: DuckDBResult;
  readonly #bytes: number;
  readonly #collector = new NativeMemoryCollector(COLLECTION_INTERVAL);
  #coming: Promise<DuckDBDataChunk | null>;
  #chunk: DuckDBDataChunk | undefined;
  #from = 0;

  constructor(result: DuckDBResult, cols: number) {
    this.#result = result;
    this.#bytes = CHUNK_ROWS * cols * 8;
    this.#coming = result.fetchChunk();
    this.#coming.catch(() => {});
  }

  async next(maxRows: number): Promise<Part | undefined> {
    if (!this.#chunk) {
      const chunk = await this.#coming;
      // The previous chunk is no longer used.
      this.#collector.released(this.#bytes);
      if (!chunk || chunk.rowCount === 0) return undefined;
      this.#chunk = chunk;
      this.#from = 0;
      this.#coming = this.#result.fetchChunk();
      this.#coming.catch(() => {});
    }
    const chunk = this.#chunk;
    const from = this.#from;
    const rows = Math.min(maxRows, chunk.rowCount - from);
    this.#from += rows;
    if (this.#from === chunk.rowCount) this.#chunk = undefined;
    return { chunk, from, rows };
  }
}

/** If the caller stopped early, a fetch may still be running. */
function stopReading(connection: DuckDBConnection): void {
  connection.interrupt();
  connection.closeSync();
}

async function closeOnError(duck: DuckDb, path: string, open: () => Promise<Table>): Promise<Table> {
  try {
    return await open();
  } catch (error) {
    await duck.close();
    throw duckError(error, path);
  }
}

import { builtInName } from '../base/built-in-name.js';
import type { ProgressTracker } from '../base/progress.js';
import { libraryAdvice } from '../data/inputs/library-advice.js';
import { libraryKind } from '../data/inputs/library-kind.js';
import { commonLength } from '../data/inputs/open-columns.js';
import { type Data, openSource } from '../data/inputs/open-source.js';
import { items } from '../data/inputs/open-stream.js';
import { adviceForRow, hasColumn, isRecord } from '../data/inputs/row-gatherer.js';
import { empty, isMatrix } from '../data/inputs/to-block.js';
import { DataError, describeValue } from '../errors.js';
import { selectNamed } from './select-columns.js';
import { type ColumnTable, changeTable, type Table, type TableRow } from './table.js';
import { sourceTable } from './to-row-source.js';
import { type ValueBatch, valueTable } from './value-table.js';

type TableRows = Iterable<TableRow | readonly TableRow[]> | AsyncIterable<TableRow | readonly TableRow[]>;

/**
 * Tables with numbers and categories: rows, columns by name, streams of rows or of lists of rows, and whatever `pca`
 * takes. A function that returns a stream lets it be read more than once, without keeping its rows.
 */
export type TableData = Data | Table<unknown> | ColumnTable | TableRows | (() => TableRows);

/** Rows of a stream that make a batch. */
const GATHERED = 1024;
/** Rows of records in memory that make a batch. */
const RECORDS = 1 << 18;

/** Turns data into a table; `chosen` are the columns to use, in this order. The caller closes it. */
export async function toTable(
  data: TableData,
  progress: ProgressTracker,
  chosen?: readonly string[],
): Promise<Table<unknown>> {
  if (typeof data === 'function') {
    const opened = await openRows(data, progress, chosen);
    return changeTable(opened, { rereadable: true });
  }
  if (typeof data !== 'object' || data === null) {
    throw new DataError(
      'BAD_DATA',
      `A table must be rows, columns by name or an iterable of rows, not ${describeValue(data)}.`,
      {
        value: data,
      },
    );
  }
  if (isTable(data)) return selectNamed(data, chosen);
  if (isNumeric(data)) {
    const source = await openSource(data as Data, progress);
    return selectNamed(sourceTable(source), chosen);
  }
  const kind = libraryKind(data);
  if (kind) {
    const read = await (await import('../data/inputs/library-data.js')).readLibraryData(kind, data);
    if ('columns' in read) return selectNamed(fromLists(read.names, read.columns), chosen);
    return selectNamed(sourceTable(await openSource(read, progress)), chosen);
  }
  const advice = builtInName(data) === 'Map' ? 'a Map. Pass Object.fromEntries(map).' : libraryAdvice(data);
  if (advice) throw new DataError('BAD_DATA', `The table is ${advice}`);
  if (Array.isArray(data)) return fromRows(data, chosen);
  if (Symbol.iterator in data || Symbol.asyncIterator in data) {
    return openRows(() => data as TableRows, progress, chosen);
  }
  return selectNamed(fromColumns(data as ColumnTable), chosen);
}

function isTable(data: object): data is Table<unknown> {
  return 'read' in data && typeof data.read === 'function' && 'columns' in data && Array.isArray(data.columns);
}

function isNumeric(data: object): boolean {
  return (
    ('blocks' in data && typeof data.blocks === 'function') ||
    isMatrix(data) ||
    (Array.isArray(data) && isMatrix(data[0]))
  );
}

function fromColumns(table: ColumnTable): Table<unknown> {
  const names = Object.keys(table);
  if (names.length === 0) throw empty();
  const columns = names.map((name) => {
    const values: unknown = table[name];
    if (typeof values === 'object' && values !== null && typeof (values as ArrayLike<unknown>).length === 'number') {
      return values as ArrayLike<unknown>;
    }
    throw new DataError(
      'BAD_DATA',
      `Column ${describeValue(name)} is ${describeValue(values)}, not a list of values.`,
      {
        columnName: name,
      },
    );
  });
  return fromLists(names, columns);
}

function fromLists(names: readonly string[], columns: readonly ArrayLike<unknown>[]): Table<unknown> {
  const rows = commonLength(names, columns);
  if (rows === 0) throw empty();
  const facts = { columns: names.map((name) => ({ name })), named: true, rows, rereadable: true };
  return valueTable(facts, () => [{ rows, values: (j) => listOf(columns[j]) }]);
}

function listOf(values: ArrayLike<unknown>): readonly unknown[] {
  return Array.isArray(values) ? values : Array.from(values);
}

/** What is known of rows once the first was seen: names, or a length. */
class RowShape {
  readonly names: readonly string[];
  readonly named: boolean;
  readonly #chosen: boolean;
  readonly #positional: boolean;
  #prototype: unknown;

  constructor(first: unknown, chosen: readonly string[] | undefined) {
    checkRow(first, 0);
    this.#positional = !isRecord(first);
    this.#chosen = chosen !== undefined;
    const width = (first as ArrayLike<unknown>).length;
    const own = isRecord(first) ? Object.keys(first) : Array.from({ length: width }, (_, j) => String(j));
    this.named = !this.#positional || this.#chosen;
    this.names = chosen ?? own;
    if (this.names.length === 0) throw new DataError('EMPTY_DATA', 'Row 1 has no columns.', { row: 0 });
    this.#prototype = Object.getPrototypeOf(first);
    this.check(first, 0);
  }

  check(row: unknown, at: number): void {
    // Only a row of another class than the one before can be something else.
    if (typeof row !== 'object' || row === null || Object.getPrototypeOf(row) !== this.#prototype) {
      checkRow(row, at);
      this.#prototype = Object.getPrototypeOf(row);
    }
    if (isRecord(row) === this.#positional) {
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${at + 1} is ${describeValue(row)}, the rows before it are not. Use one form for all rows.`,
        { row: at },
      );
    }
    if (this.#positional) {
      const { length } = row as ArrayLike<unknown>;
      if (length === this.names.length) return;
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${at + 1} has ${length} values, and ${this.names.length} are needed. All rows need the same length.`,
        {
          row: at,
          value: length,
          expected: this.names.length,
        },
      );
    }
    const record = row as object;
    const missing = this.names.find((name) => !hasColumn(record, name));
    if (missing !== undefined) {
      throw new DataError(
        'MISSING_COLUMN',
        `Row ${at + 1} has no column ${describeValue(missing)}. Every record needs the same keys; null says that a value is missing.`,
        {
          row: at,
          columnName: missing,
        },
      );
    }
    if (this.#chosen || Object.keys(record).length === this.names.length) return;
    const extra = Object.keys(record).find((key) => !this.names.includes(key));
    throw new DataError(
      'RAGGED_ROWS',
      `Row ${at + 1} has a column ${describeValue(extra)} that the first row does not have. Give all records the same keys, or choose with columnNames.`,
      { row: at, ...(extra === undefined ? {} : { columnName: extra }) },
    );
  }

  batch(rows: readonly unknown[]): ValueBatch {
    const key = this.#positional ? (j: number) => j : (j: number) => this.names[j];
    return {
      rows: rows.length,
      values: (j) => {
        const own = key(j);
        return rows.map((row) => (row as Readonly<Record<string | number, unknown>>)[own]);
      },
    };
  }
}

function checkRow(row: unknown, at: number): void {
  if (typeof row !== 'object' || row === null || !(isRecord(row) || 'length' in row)) {
    throw new DataError('BAD_DATA', `Row ${at + 1} is ${describeValue(row)}, not a record or a list of values.`, {
      row: at,
      value: row,
    });
  }
  const advice = adviceForRow(row);
  if (advice) throw new DataError('BAD_DATA', `Row ${at + 1} is ${advice}`, { row: at });
}

function fromRows(rows: readonly unknown[], chosen: readonly string[] | undefined): Table<unknown> {
  if (rows.length === 0) throw empty();
  const shape = new RowShape(rows[0], chosen);
  // By index: forEach passes over holes.
  for (let at = 0; at < rows.length; at++) shape.check(rows[at], at);
  const { named, names } = shape;
  const facts = { columns: names.map((name) => ({ name })), named, rows: rows.length, rereadable: true };
  return valueTable(facts, function* () {
    for (let from = 0; from < rows.length; from += RECORDS) yield shape.batch(rows.slice(from, from + RECORDS));
  });
}

/** A stream of rows. It is read up to its first row, because its columns are known only then; that reading is the first one. */
async function openRows(
  open: () => TableRows,
  progress: ProgressTracker,
  chosen: readonly string[] | undefined,
): Promise<Table<unknown>> {
  let shape: RowShape | undefined;
  async function* gathered(): AsyncGenerator<ValueBatch, void, void> {
    let waiting: unknown[] = [];
    let seen = 0;
    for await (const item of items(checkStream(open()), progress)) {
      const rows: readonly unknown[] = isRowList(item) ? item : [item];
      for (const row of rows) {
        shape ??= new RowShape(row, chosen);
        shape.check(row, seen++);
        if (waiting.push(row) < GATHERED) continue;
        yield shape.batch(waiting);
        waiting = [];
      }
    }
    if (shape && waiting.length > 0) yield shape.batch(waiting);
  }
  const begun = gathered();
  const first = await begun.next();
  const known = shape as RowShape | undefined;
  if (first.done || !known) throw empty();
  const start = first.value;
  let used = false;
  async function* batches(): AsyncGenerator<ValueBatch, void, void> {
    if (used) {
      yield* gathered();
      return;
    }
    used = true;
    yield start;
    yield* begun;
  }
  const { named, names } = known;
  const facts = { columns: names.map((name) => ({ name })), named, rows: undefined, rereadable: false };
  const close = async (): Promise<void> => {
    await begun.return();
  };
  return changeTable(valueTable(facts, batches), { close });
}

function checkStream(stream: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  const isStream =
    typeof stream === 'object' && stream !== null && (Symbol.iterator in stream || Symbol.asyncIterator in stream);
  if (isStream) return stream as Iterable<unknown>;
  throw new DataError(
    'BAD_DATA',
    `The function for the rows returned ${describeValue(stream)}, not an iterable of rows.`,
  );
}

/** A list of rows, and not one row of values. */
function isRowList(item: unknown): item is readonly unknown[] {
  return Array.isArray(item) && typeof item[0] === 'object' && item[0] !== null;
}

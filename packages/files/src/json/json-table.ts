import { DataError } from '@scree/core';
import { BlockAssembler, type DenseBatch, type ReadRequest, type Table, type TableColumn } from '@scree/core/data';
import { type Bytes, peek } from '../bytes/bytes.js';
import { textOf } from '../bytes/text.js';
import { missingTexts } from '../csv/cells.js';
import { badFile } from '../file-error.js';
import { ConvertedValues } from '../table/converted-values.js';
import { checkColumns } from '../table/most-columns.js';
import { RoundedIntegers } from '../table/rounded-integers.js';
import { type JsonLayout, jsonElements } from './elements.js';

/** Rows and characters from which the columns are found. */
const INSPECTED_ROWS = 1000;
const INSPECTED_VALUES = 1_000_000;
/** Longest list in a record that becomes columns. */
const LONGEST_LIST = 1 << 16;

export interface JsonTableOptions {
  readonly memory: number;
  readonly na?: readonly string[] | undefined;
  readonly format?: string;
  /** True if the rows are known to follow one another, as in .ndjson. */
  readonly lines: boolean;
  readonly window?: number;
}

/** The position of a column in a row: a key or an index, and an index of the list there if there is one. */
interface FieldPath {
  readonly key: string | number;
  readonly entry?: number;
}

/** .json, a list of records or of lists of numbers, and .ndjson, one of them after the other. */
export async function openJson(
  bytes: Bytes,
  { memory, na, lines, format = lines ? 'NDJSON' : 'JSON', window }: JsonTableOptions,
): Promise<Table> {
  const missing = missingTexts(na);
  const layout = lines ? 'sequence' : await findLayout(bytes);
  const integers = new RoundedIntegers();
  const converted = new ConvertedValues();
  const roundedRows = new WeakMap<object, ReadonlySet<number>>();
  const elements = () =>
    jsonElements(bytes, layout, { memory, window, rounded: (row, values) => roundedRows.set(row, values) });
  const found = await findColumns(elements(), bytes.path, memory, missing);
  const { columns, known } = found;
  const rows = new JsonRows(found, bytes.path, missing);
  return {
    format,
    columns,
    width: columns.length,
    named: known !== undefined,
    uniform: false,
    rows: undefined,
    dtype: () => 'float64',
    mayMissValues: true,
    checkMissing: true,
    rereadable: bytes.rereadable,
    manyTexts: true,
    read,
    warnings: () => {
      const nameOf = (j: number): string => columns[j].name;
      return [...converted.warnings(bytes.path, nameOf), ...integers.warnings(bytes.path, nameOf)];
    },
    close: async () => {},
  };

  async function* read(request: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const numbers = request.numbers === 'all' ? [...columns.keys()] : request.numbers;
    const { texts = [] } = request;
    const cols = numbers.length;
    // A number takes at least two bytes.
    const most = bytes.size === undefined ? undefined : Math.floor(bytes.size / 2) + 1;
    const block = new BlockAssembler({ cols, texts: texts.length, memory, rows: most });
    const reading = integers.reading();
    const convert = converted.reading();
    let row = 0;
    for await (const part of elements()) {
      for (const element of part) {
        rows.check(element, row);
        const rounded = roundedRows.get(element as object);
        const { data } = block;
        for (let j = 0; j < cols; j++) {
          const given = rows.value(element, numbers[j], row);
          const value = rows.toNumber(given, row, numbers[j]);
          if (rounded?.has(value)) reading.add(numbers[j]);
          if (typeof given === 'boolean') convert(numbers[j], 'boolean', String(given), value);
          data[block.rows * cols + j] = value;
        }
        for (const [t, column] of texts.entries()) block.addText(t, toText(rows.value(element, column, row)));
        block.rows++;
        row++;
        if (block.isFull) yield block.take();
      }
    }
    if (block.rows > 0) yield block.take();
  }
}

/** Checks rows and reads their values. */
class JsonRows {
  readonly #columns: JsonColumns;
  readonly #path: string;
  readonly #missing: ReadonlySet<string>;

  constructor(columns: JsonColumns, path: string, missing: ReadonlySet<string>) {
    this.#columns = columns;
    this.#path = path;
    this.#missing = missing;
  }

  /** Throws if a row has another form than the first rows. */
  check(element: unknown, row: number): void {
    const { columns, known } = this.#columns;
    if (Array.isArray(element) !== (known === undefined)) {
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${row + 1} of ${this.#path} is a ${known ? 'list' : 'record'}, the first is not. Use one form for all rows.`,
        { row, reason: 'mixed-forms' },
      );
    }
    if (Array.isArray(element)) {
      if (element.length === columns.length) return;
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${row + 1} of ${this.#path} has ${element.length} values, the first has ${columns.length}.`,
        { row, value: element.length, expected: columns.length },
      );
    }
    for (const key of Object.keys(element as object)) {
      if (known?.has(key)) continue;
      throw new DataError(
        'RAGGED_ROWS',
        `Row ${row + 1} of ${this.#path} has a key ${JSON.stringify(key)} that the first ${INSPECTED_ROWS} rows have not. Give all records the same keys.`,
        { row, columnName: key, reason: 'unknown-key' },
      );
    }
  }

  /** The value of a column in a row. null if the row does not have it. */
  value(element: unknown, column: number, row: number): unknown {
    const { paths, known } = this.#columns;
    const { key, entry } = paths[column];
    // Inherited keys do not count.
    const value = Object.hasOwn(element as object, key) ? (element as Record<string | number, unknown>)[key] : null;
    if (entry === undefined || value === null) return value;
    const list = known?.get(String(key))?.list;
    if (Array.isArray(value) && value.length === list) return value[entry];
    const shown = Array.isArray(value) ? value.length : JSON.stringify(value).slice(0, 40);
    const found = typeof shown === 'number' ? `a list of ${shown}` : shown;
    throw new DataError(
      'RAGGED_ROWS',
      `Row ${row + 1} of ${this.#path} has ${found} under ${JSON.stringify(key)}, the first has a list of ${list}. Exclude it, or make all lists equally long.`,
      { row, columnName: String(key), value: shown, expected: list, reason: 'list-length' },
    );
  }

  /** A value of a column as a number. NaN if it is missing. */
  toNumber(value: unknown, row: number, column: number): number {
    if (typeof value === 'number') return value;
    if (typeof value === 'boolean') return value ? 1 : 0;
    if (value === null || (typeof value === 'string' && this.#missing.has(value))) return Number.NaN;
    const { name } = this.#columns.columns[column];
    throw new DataError(
      'NOT_A_NUMBER',
      `Row ${row + 1} of ${this.#path} holds ${JSON.stringify(value).slice(0, 40)} in ${JSON.stringify(name)}, where others hold numbers. Correct it, or exclude the column.`,
      { row, column, columnName: name, value },
    );
  }
}

function toText(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A list whose first element is a list or a record is a list of rows; otherwise rows stand one after the other. */
async function findLayout(bytes: Bytes): Promise<JsonLayout> {
  const head = textOf(await peek(bytes, 1 << 16));
  return /^\ufeff?\s*\[\s*([[{\]]|$)/.test(head) ? 'list' : 'sequence';
}

interface ValueCounts {
  numbers: number;
  texts: number;
  others: number;
  /** Length of its lists of numbers; 0 if lengths differ or the lists hold something else. */
  list: number | undefined;
}

/** The columns that the first rows have. */
interface JsonColumns {
  readonly columns: TableColumn[];
  readonly paths: FieldPath[];
  /** The keys of records; undefined if rows are lists. */
  readonly known: ReadonlyMap<string, ValueCounts> | undefined;
}

/** Finds columns and their types in the first rows. */
async function findColumns(
  elements: AsyncIterable<readonly unknown[]>,
  path: string,
  memory: number,
  missing: ReadonlySet<string>,
): Promise<JsonColumns> {
  const tally = new Map<string, ValueCounts>();
  let [rows, values, lists] = [0, 0, 0];
  let whole = true;
  inspecting: for await (const part of elements) {
    for (const element of part) {
      if (Array.isArray(element)) lists++;
      for (const [key, value] of Object.entries(element as object)) {
        let counts = tally.get(key);
        if (!counts) {
          counts = { numbers: 0, texts: 0, others: 0, list: undefined };
          tally.set(key, counts);
          checkColumns(tally.size, memory, path);
        }
        count(counts, value, missing);
        values++;
      }
      if (++rows < INSPECTED_ROWS && values <= INSPECTED_VALUES) continue;
      whole = false;
      break inspecting;
    }
  }
  if (rows === 0) throw new DataError('EMPTY_DATA', `${path} holds no rows.`);
  if (tally.size === 0) throw badFile(path, 'its rows are empty');
  const asLists = lists === rows;
  const columns: TableColumn[] = [];
  const paths: FieldPath[] = [];
  for (const [name, counts] of tally) {
    const key = asLists ? Number(name) : name;
    if (counts.list && counts.numbers + counts.texts + counts.others === 0 && !asLists) {
      checkColumns(columns.length + counts.list, memory, path);
      for (let entry = 0; entry < counts.list; entry++) {
        columns.push({ name: `${name}[${entry}]`, kind: 'number', type: 'number' });
        paths.push({ key, entry });
      }
      continue;
    }
    columns.push({ name, ...kindOf(counts, whole) });
    paths.push({ key });
  }
  return { columns, paths, known: asLists ? undefined : tally };
}

function count(counts: ValueCounts, value: unknown, missing: ReadonlySet<string>): void {
  if (typeof value === 'number' || typeof value === 'boolean') counts.numbers++;
  else if (typeof value === 'string') counts.texts += missing.has(value) ? 0 : 1;
  else if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= LONGEST_LIST &&
    value.every((each) => typeof each === 'number' || each === null)
  ) {
    // Lists of other lengths are reported when they are read.
    counts.list ??= value.length;
  } else if (value !== null) counts.others++;
}

/** The kind of a column. `whole` is true if all rows were seen. */
function kindOf({ numbers, texts, others, list }: ValueCounts, whole: boolean): Pick<TableColumn, 'kind' | 'type'> {
  if (others > 0 || list !== undefined) return { kind: 'other', type: list === undefined ? 'record' : 'list' };
  if (whole && numbers + texts === 0) return { kind: 'other', type: 'empty' };
  // A few texts among numbers are mistakes, and reported when they are read.
  return texts > 0 && texts >= numbers ? { kind: 'text', type: 'text' } : { kind: 'number', type: 'number' };
}

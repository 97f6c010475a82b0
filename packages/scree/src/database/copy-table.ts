import { DataError, type ErrorDetails } from '@scree/core';
import { FileError } from '@scree/files';
import {
  BlockAssembler,
  badFile,
  checkColumns,
  type DenseBatch,
  RoundedIntegers,
  type Table,
  type TableColumn,
  unsupported,
} from '@scree/files/platform';
import { arrayHead, CopyFormatError, CopyRows, type CopyType, entryLength, numberAt, textAt } from './copy-rows.js';

/** One row may take the memory divided by this number. */
export const ROW_SHARE = 2;
const FITS_FLOAT32: readonly CopyType[] = ['bool', 'int2', 'float4'];
/** Arrays up to this length become columns, one per entry. */
const LONGEST_ARRAY = 1 << 16;

/** A column of the result, as it is sent. */
export interface SentColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: TableColumn['kind'];
  /** The type that COPY sends. Undefined for columns that cannot be read. */
  readonly sent: CopyType | undefined;
  /** The SQL expression that COPY sends. c stands for the column. */
  readonly cast: string;
  /** True for an array of numbers. `length` is the number of its entries. */
  readonly array: boolean;
  length: number;
}

/** The store of the rows: the server, or a temporary file with the result of a query. */
export interface RowStore {
  readonly rows: number | undefined;
  readonly bytes: number | undefined;
  /** The binary COPY of at least these columns, and the order of its columns. */
  read(columns: readonly number[]): { readonly order: readonly number[]; readonly chunks: AsyncIterable<Uint8Array> };
  lengthOf(column: number): Promise<number>;
  close(): Promise<void>;
}

/** The source of a column of the table: a column that the server sends, and the entry if it sends arrays. */
interface ColumnSource {
  readonly index: number;
  readonly entry: number;
}

interface CopyTableOptions {
  readonly path: string;
  readonly memory: number;
  readonly format: string;
  /** Ends the connections to the server. */
  readonly close: () => Promise<void>;
}

/** The rows of a store as a table. Arrays become one column per entry. */
export async function copyTable(
  store: RowStore,
  sent: readonly SentColumn[],
  { path, memory, format, close: closeSession }: CopyTableOptions,
): Promise<Table> {
  const close = async (): Promise<void> => {
    await closeSession();
    await store.close();
  };
  const { columns, sources } = await listColumns(store, sent, path, memory).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const integers = new RoundedIntegers();
  const all = (numbers: readonly number[] | 'all'): readonly number[] =>
    numbers === 'all' ? [...columns.keys()] : numbers;
  const fitsFloat32 = (numbers: readonly number[]): boolean =>
    numbers.every((j) => FITS_FLOAT32.includes(sent[sources[j].index].sent as CopyType));

  async function* read(numbers: readonly number[], text: number | undefined): AsyncGenerator<DenseBatch, void, void> {
    if (text !== undefined) checkName(sent[sources[text].index], path);
    const chosen = [...numbers, ...(text === undefined ? [] : [text])].map((j) => sources[j].index);
    const { order, chunks } = store.read([...new Set(chosen)]);
    const Values = fitsFloat32(numbers) ? Float32Array : Float64Array;
    const block = new BlockAssembler({ cols: numbers.length, texts: text === undefined ? 0 : 1, memory, Values });
    const decoder = new RowDecoder({ sent, sources, order, path }, numbers, text, integers);
    try {
      for await (const rows of rowsByChunk(chunks, order.length, path, memory / ROW_SHARE)) {
        while (rows.next()) {
          decoder.add(rows, block);
          if (block.isFull) yield block.take();
        }
      }
    } catch (error) {
      const { column, row } = decoder;
      throw brokenRows(error, path, row, column === undefined ? undefined : columns[column].name);
    }
    if (block.rows > 0) yield block.take();
  }

  return {
    format,
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows: store.rows,
    dtype: (numbers) => (fitsFloat32(all(numbers)) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: true,
    read: ({ numbers, texts: [text] = [] }) => read(all(numbers), text),
    warnings: () => integers.warnings(path, (j) => columns[j].name),
    close,
  };
}

/** The columns of the table, and the source of each. Sets the `length` of columns of arrays. */
async function listColumns(
  store: RowStore,
  sent: readonly SentColumn[],
  path: string,
  memory: number,
): Promise<{ columns: TableColumn[]; sources: ColumnSource[] }> {
  const columns: TableColumn[] = [];
  const sources: ColumnSource[] = [];
  for (const [index, column] of sent.entries()) {
    const { name, type, kind, array } = column;
    if (array) column.length = await store.lengthOf(index);
    if (column.length > LONGEST_ARRAY) {
      const message = `Column ${JSON.stringify(name)} of ${path} has arrays of ${column.length} numbers; ${LONGEST_ARRAY} is the most. Choose entries in a query.`;
      throw new DataError('TOO_LARGE', message);
    }
    checkColumns(columns.length + column.length, memory, path);
    if (array && column.length === 0) {
      columns.push({ name, type, kind: 'other' });
      sources.push({ index, entry: 0 });
    }
    for (let entry = 0; entry < column.length; entry++) {
      const one = array ? { name: `${name}[${entry}]`, type: type.replace(/\[\]$/, '') } : { name, type };
      columns.push({ ...one, kind });
      sources.push({ index, entry });
    }
  }
  return { columns, sources };
}

/** Throws if a column cannot name rows. */
function checkName({ name, type, sent, array }: SentColumn, path: string): void {
  if (sent !== undefined && !array) return;
  throw unsupported(
    path,
    `has ${type} in column ${JSON.stringify(name)}, which cannot name rows`,
    'Make it text in a query.',
  );
}

/** Requested columns that come from one field of a row: one number, or entries of one array in ascending order. */
interface FieldRun {
  /** The index of the field in a row. */
  readonly field: number;
  readonly source: SentColumn;
  readonly type: CopyType;
  /** The position of the first of these columns in the request. */
  readonly first: number;
  /** The entry of each of these columns. One entry if the field is a number. */
  readonly entries: number[];
  /** Called for a whole number that was rounded, by column. */
  readonly onRounded: (() => void)[];
}

/**
 * Decodes the requested columns of rows. An array that is requested whole and in order, which is the usual case, is walked once per row:
 * its entries have different lengths, so entry j is found after the entries before it.
 */
class RowDecoder {
  /** Number of rows that were decoded: the index of the current row. */
  row = 0;
  /** The column that is being decoded, for errors. */
  column: number | undefined;
  readonly #runs: FieldRun[] = [];
  readonly #numbers: readonly number[];
  readonly #text: { readonly column: number; readonly field: number; readonly type: CopyType } | undefined;
  readonly #path: string;

  constructor(
    {
      sent,
      sources,
      order,
      path,
    }: {
      readonly sent: readonly SentColumn[];
      readonly sources: readonly ColumnSource[];
      /** The sent columns in the order of the fields. */
      readonly order: readonly number[];
      readonly path: string;
    },
    numbers: readonly number[],
    text: number | undefined,
    integers: RoundedIntegers,
  ) {
    const rounding = integers.reading();
    const fieldOf = (j: number): number => order.indexOf(sources[j].index);
    for (const [first, j] of numbers.entries()) {
      const { index, entry } = sources[j];
      const onRounded = (): void => rounding.add(j);
      const source = sent[index];
      const last = this.#runs.at(-1);
      if (source.array && last?.source === source && last.entries[last.entries.length - 1] <= entry) {
        last.entries.push(entry);
        last.onRounded.push(onRounded);
      } else {
        const type = source.sent as CopyType;
        this.#runs.push({ field: fieldOf(j), source, type, first, entries: [entry], onRounded: [onRounded] });
      }
    }
    this.#numbers = numbers;
    if (text !== undefined)
      this.#text = { column: text, field: fieldOf(text), type: sent[sources[text].index].sent as CopyType };
    this.#path = path;
  }

  /** Adds the current row to the block. */
  add(rows: CopyRows, block: BlockAssembler): void {
    const { view, starts, lengths } = rows;
    const { data } = block;
    const to = block.rows * block.cols;
    for (const run of this.#runs) {
      const at = starts[run.field];
      const length = lengths[run.field];
      this.column = this.#numbers[run.first];
      if (run.source.array) this.#addArray(run, view, at, length, data, to + run.first);
      else data[to + run.first] = length < 0 ? Number.NaN : numberAt(view, at, length, run.type, run.onRounded[0]);
    }
    if (this.#text) {
      const { column, field, type } = this.#text;
      this.column = column;
      block.addText(0, lengths[field] < 0 ? null : textAt(rows, starts[field], lengths[field], type));
    }
    block.rows++;
    this.row++;
  }

  /** Decodes entries of an array of `size` bytes at `start`. A missing array or entry becomes NaN. */
  #addArray(
    { source, type, entries, onRounded }: FieldRun,
    view: DataView,
    start: number,
    size: number,
    data: Float32Array | Float64Array,
    to: number,
  ): void {
    if (size < 0) {
      data.fill(Number.NaN, to, to + entries.length);
      return;
    }
    const end = start + size;
    const { length, first } = arrayHead(view, start, size);
    if (length !== source.length) throw this.#otherLength(source, length);
    let at = first;
    let entry = 0;
    for (let i = 0; i < entries.length; i++) {
      for (; entry < entries[i]; entry++) at += 4 + Math.max(0, entryLength(view, at, end));
      const bytes = entryLength(view, at, end);
      data[to + i] = bytes < 0 ? Number.NaN : numberAt(view, at + 4, bytes, type, onRounded[i]);
    }
  }

  #otherLength({ name, length: expected }: SentColumn, length: number): DataError {
    return new DataError(
      'RAGGED_ROWS',
      `Row ${this.row + 1} of ${this.#path} has an array of ${length} in column ${JSON.stringify(name)}, the first has ${expected}. Exclude the column, or make all arrays equally long.`,
      { row: this.row, columnName: name, value: length, expected, reason: 'list-length' },
    );
  }
}

/** Yields the same reader of rows after every chunk. Large fields may need many chunks, and up to `limit` bytes. */
export async function* rowsByChunk(
  chunks: AsyncIterable<Uint8Array>,
  fields: number,
  path: string,
  limit: number,
): AsyncGenerator<CopyRows, void, void> {
  const rows = new CopyRows(fields);
  for await (const chunk of chunks) {
    rows.push(chunk);
    yield rows;
    if (rows.waiting > limit) {
      const message = `A row of ${path} is larger than the memory allows. Choose fewer columns, or allow more memory.`;
      throw new DataError('TOO_LARGE', message, { reason: 'memory' });
    }
  }
  if (!rows.ended) throw new FileError('CONNECTION_LOST', path, `${path} stopped sending in the middle. Try again.`);
}

/** Adds the row and the column to an error about rows that are not binary COPY. Returns other errors unchanged. */
export function brokenRows(error: unknown, path: string, row: number, columnName: string | undefined): unknown {
  if (!(error instanceof CopyFormatError)) return error;
  const fail = (what: string, details: ErrorDetails): FileError =>
    badFile(path, `the server sent rows that are not binary COPY: ${what}`, details);
  if (error.of === 'all') return fail(error.message, {});
  const what = `row ${row + 1} ${error.message}`;
  if (error.of === 'row' || columnName === undefined) return fail(what, { row });
  return fail(`${what}, in column ${JSON.stringify(columnName)}`, { row, columnName });
}

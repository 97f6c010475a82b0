import { blockColumns } from '../data/blocks/block-rows.js';
import { decoded } from '../data/blocks/float16.js';
import { DataError } from '../errors.js';
import type { ReadRequest, Table, TableBatch, TableColumn } from './table.js';

/** How a table is transposed. */
export interface TransposeOptions {
  /** Bytes that a block of rows may take. */
  readonly memory: number;
  /** The column of the table whose texts name the new columns. Without it, the new columns are numbered. */
  readonly names?: number | undefined;
  /** Called while rows are counted, with the number so far. Throws if so many columns do not fit. */
  readonly onCount?: ((count: number) => void) | undefined;
  /** Names of the new columns from the texts of the names: unique, and with a name for every missing one. The first one is that of the column of names. */
  readonly nameColumns?: ((given: readonly string[]) => readonly string[]) | undefined;
}

/**
 * The transpose of the numbers of a table: its columns of numbers become rows, and its rows become columns. If the columns of the table
 * have names, the first column of the transpose has them as text. One reading counts the rows; after that, a block of rows takes one
 * reading of as many old columns as fit in memory.
 */
export async function transposeTable(table: Table, options: TransposeOptions): Promise<Table> {
  const { memory, names } = options;
  if (!table.rereadable) {
    throw new DataError(
      'BAD_DATA',
      'A table that can be read only once cannot be transposed. Save it as a file first.',
    );
  }
  const numeric = [...table.columns.keys()].filter((j) => table.columns[j].kind === 'number' && j !== names);
  const { rows: count, titles } = await countRows(table, options);
  /** The columns of text before the columns of numbers: one or none. */
  const before = table.named ? 1 : 0;
  const columns = newColumns(table, titles, options);

  return {
    format: `${table.format}, transposed`,
    columns,
    width: columns.length,
    named: table.named,
    uniform: !table.named,
    rows: numeric.length,
    dtype: () => 'float64',
    mayMissValues: table.mayMissValues,
    checkMissing: table.checkMissing,
    rereadable: true,
    manyTexts: true,
    read,
    warnings: () => table.warnings?.() ?? [],
    close: () => table.close(),
  };

  async function* read({ numbers, texts = [] }: ReadRequest): AsyncGenerator<TableBatch, void, void> {
    const wanted = numbers === 'all' ? [...columns.keys()] : numbers;
    if (before > 0 && wanted.includes(0)) throw new TypeError('The names of columns are no numbers.');
    // A column may be asked for twice, and as number and as text.
    const rowsRead = [...new Set([...wanted, ...texts.filter((j) => j >= before)])].map((j) => j - before);
    const slots = new Map(rowsRead.map((row, slot) => [row, slot]));
    const cols = rowsRead.length;
    const slotOf = (j: number): number => slots.get(j - before) ?? 0;
    const inOrder = wanted.every((j, at) => slotOf(j) === at);
    const height = Math.max(1, Math.floor(memory / (8 * Math.max(1, cols))));
    for (let from = 0; from < numeric.length; from += height) {
      const part = numeric.slice(from, from + height);
      const data = cols === 0 ? new Float64Array(0) : await readRows(part, slots);
      const block = { kind: 'dense', rows: part.length, cols, stride: cols, data } as const;
      yield {
        block: inOrder ? { ...block, cols: wanted.length } : blockColumns(block, wanted.map(slotOf)),
        texts: texts.map((j) =>
          part.map((column, r) => (j < before ? table.columns[column].name : textOf(data[r * cols + slotOf(j)]))),
        ),
      };
    }
  }

  /** Some old columns as rows: of each, the numbers of the old rows that have a slot. */
  async function readRows(part: readonly number[], slots: ReadonlyMap<number, number>): Promise<Float64Array> {
    const cols = slots.size;
    const data = new Float64Array(part.length * cols);
    let first = 0;
    for await (const { block } of table.read({ numbers: part })) {
      const own = decoded(block.kind === 'dense' ? block : blockColumns(block, [...part.keys()]));
      for (let i = 0; i < own.rows; i++) {
        const slot = slots.get(first + i);
        if (slot === undefined) continue;
        for (let r = 0; r < part.length; r++) data[r * cols + slot] = own.data[i * own.stride + r];
      }
      first += own.rows;
    }
    if (first === count) return data;
    throw new DataError(
      'SOURCE_CHANGED',
      `The table had ${count} rows when it was first read, and now has ${first}. It must yield the same rows every time.`,
      { value: first, expected: count },
    );
  }
}

function textOf(value: number): string | null {
  return Number.isNaN(value) ? null : String(value);
}

/** The columns of the transpose: the names of the old columns, if they have names, and one column per row. */
function newColumns(
  table: Table,
  titles: readonly string[],
  { names, nameColumns = (given) => given }: TransposeOptions,
): TableColumn[] {
  if (!table.named) return titles.map((name) => ({ name, kind: 'number', type: 'number' }));
  const corner = names === undefined ? '' : table.columns[names].name;
  return nameColumns([corner, ...titles]).map(
    (name, j): TableColumn =>
      j === 0 ? { name, kind: 'text', type: 'column name' } : { name, kind: 'number', type: 'number' },
  );
}

/** The number of rows, and their names, which are numbers from 0 if no column names them. */
async function countRows(
  table: Table,
  { names, onCount = () => {} }: TransposeOptions,
): Promise<{ readonly rows: number; readonly titles: readonly string[] }> {
  const titles: string[] = [];
  let { rows = 0 } = table;
  onCount(rows);
  if (names !== undefined || table.rows === undefined) {
    rows = 0;
    for await (const { block, texts } of table.read({ numbers: [], texts: names === undefined ? [] : [names] })) {
      rows += block.rows;
      onCount(rows);
      for (const text of texts[0] ?? []) titles.push(text ?? '');
    }
  }
  return { rows, titles: names === undefined ? Array.from({ length: rows }, (_, i) => String(i)) : titles };
}

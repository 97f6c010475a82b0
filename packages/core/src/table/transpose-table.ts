import { blockColumns } from '../data/blocks/block-rows.js';
import { decoded } from '../data/blocks/float16.js';
import { DataError } from '../errors.js';
import type { ReadRequest, Table, TableBatch, TableColumn } from './table.js';

/** How a table is transposed. */
export interface TransposeOptions {
  /** Bytes that a block of rows may take. */
  readonly memory: number;
  /** The column of the table whose texts name the new columns. */
  readonly names?: number | undefined;
}

/**
 * The transpose of the numbers of a table: its columns of numbers become rows, and its rows become columns. The first column of the
 * transpose has the names of the old columns as text. One reading counts the rows; after that, a block of rows takes one reading of
 * as many old columns as fit in memory.
 */
export async function transposeTable(table: Table, { memory, names }: TransposeOptions): Promise<Table> {
  if (!table.rereadable) {
    throw new DataError(
      'BAD_DATA',
      'A table that can be read only once cannot be transposed. Save it as a file first.',
    );
  }
  const numeric = [...table.columns.keys()].filter((j) => table.columns[j].kind === 'number' && j !== names);
  const { rows: count, titles } = await countRows(table, names);
  const columns: TableColumn[] = [
    { name: 'column', kind: 'text', type: 'column name' },
    ...titles.map((name): TableColumn => ({ name, kind: 'number', type: 'number' })),
  ];
  return {
    format: `${table.format}, transposed`,
    columns,
    width: columns.length,
    named: names !== undefined,
    uniform: false,
    rows: numeric.length,
    dtype: () => 'float64',
    mayMissValues: table.mayMissValues,
    checkMissing: true,
    rereadable: true,
    manyTexts: true,
    read: (request) => read(request),
    warnings: () => table.warnings?.() ?? [],
    close: () => table.close(),
  };

  async function* read({ numbers, texts = [] }: ReadRequest): AsyncGenerator<TableBatch, void, void> {
    const wanted = numbers === 'all' ? columns.map((_, j) => j) : numbers;
    if (wanted.includes(0)) throw new TypeError('The names of columns are no numbers.');
    const slots = new Map(wanted.map((j, slot) => [j - 1, slot]));
    const cols = wanted.length;
    const height = Math.max(1, Math.floor(memory / (8 * Math.max(1, cols))));
    for (let from = 0; from < numeric.length; from += height) {
      const part = numeric.slice(from, from + height);
      const data = new Float64Array(part.length * cols);
      let first = 0;
      for await (const { block } of cols === 0 ? [] : table.read({ numbers: part })) {
        const own = decoded(block.kind === 'dense' ? block : blockColumns(block, [...part.keys()]));
        for (let i = 0; i < own.rows; i++) {
          const slot = slots.get(first + i);
          if (slot === undefined) continue;
          for (let r = 0; r < part.length; r++) data[r * cols + slot] = own.data[i * own.stride + r];
        }
        first += own.rows;
      }
      if (cols > 0 && first !== count) {
        throw new DataError(
          'SOURCE_CHANGED',
          `The table had ${count} rows when it was first read, and now has ${first}. It must yield the same rows every time.`,
          { value: first, expected: count },
        );
      }
      yield {
        block: { kind: 'dense', rows: part.length, cols, stride: cols, data },
        texts: texts.map(() => part.map((j) => table.columns[j].name)),
      };
    }
  }
}

/** The number of rows, and their names, which are numbers from 0 if no column names them. */
async function countRows(
  table: Table,
  names: number | undefined,
): Promise<{ readonly rows: number; readonly titles: readonly string[] }> {
  const titles: string[] = [];
  let { rows = 0 } = table;
  if (names !== undefined || table.rows === undefined) {
    rows = 0;
    for await (const { block, texts } of table.read({ numbers: [], texts: names === undefined ? [] : [names] })) {
      for (const text of texts[0] ?? []) titles.push(text ?? String(titles.length));
      rows += block.rows;
    }
  }
  return { rows, titles: names === undefined ? Array.from({ length: rows }, (_, i) => String(i)) : titles };
}

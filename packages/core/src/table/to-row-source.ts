import { mapAsync } from '../base/map-async.js';
import type { Block } from '../data/blocks/block.js';
import { blockColumns } from '../data/blocks/block-rows.js';
import { numbersOf } from '../data/blocks/float16.js';
import { mapSource, type RowSource } from '../data/blocks/row-source.js';
import type { ReadRequest, Table, TableBatch, TableColumn } from './table.js';

/** A source of numbers as a table. Its blocks are read as they are. */
export function sourceTable(source: RowSource, names = source.columnNames): Table {
  let columns: readonly TableColumn[] | undefined;
  const { cols } = source;
  return {
    format: 'memory',
    get columns() {
      columns ??= Array.from({ length: cols }, (_, j) => ({
        name: names?.[j] ?? String(j),
        kind: 'number',
        type: 'number',
      }));
      return columns;
    },
    width: cols,
    named: names !== undefined,
    uniform: true,
    get rows() {
      return source.rows;
    },
    expectedRows: source.expectedRows,
    nonzeros: source.nonzeros,
    dtype: () => source.dtype,
    mayMissValues: true,
    checkMissing: false,
    rereadable: source.rereadable,
    read: (request) => blocksToBatches(source.blocks(), request),
    warnings: () => source.warnings?.() ?? [],
    close: async () => source.close?.(),
  };
}

/** Blocks of all columns of a table as batches of the columns that are asked for. */
export function blocksToBatches(
  blocks: Iterable<Block> | AsyncIterable<Block>,
  { numbers, texts = [] }: ReadRequest,
): AsyncIterable<TableBatch> {
  return mapAsync(blocks, (block) => ({
    block: numbers === 'all' || isWhole(numbers, block.cols) ? block : blockColumns(block, numbers),
    texts: texts.map((column) => textsOf(block, column)),
  }));
}

function isWhole(columns: readonly number[], width: number): boolean {
  return columns.length === width && columns.every((column, j) => column === j);
}

function textsOf(block: Block, column: number): string[] {
  const dense = block.kind === 'dense' ? block : blockColumns(block, [...Array(block.cols).keys()]);
  return Array.from({ length: block.rows }, (_, i) => {
    const at = i * dense.stride + column;
    return String(numbersOf(dense, at, at + 1)[0]);
  });
}

/** What a source says that its table does not know. */
export type SourceFacts = Partial<Pick<RowSource, 'rows' | 'remote' | 'warnings' | 'close' | 'columnNames'>>;

/** The numbers of a table as the rows of a fit: all of its columns must be numbers. Closing the source closes the table. */
export function toRowSource<Value>(table: Table<Value>, facts: SourceFacts = {}): RowSource {
  const { width, nonzeros, named, rereadable } = table;
  const source: RowSource = {
    get rows() {
      return table.rows;
    },
    expectedRows: () => table.rows ?? table.expectedRows?.(),
    cols: width,
    dtype: table.dtype('all'),
    nonzeros,
    columnNames: named ? table.columns.map(({ name }) => name) : undefined,
    rereadable,
    resident: false,
    blocks: () => mapAsync(table.read({ numbers: 'all' }), ({ block }) => block),
    warnings: () => table.warnings?.() ?? [],
    close: () => table.close(),
  };
  return mapSource(source, facts);
}

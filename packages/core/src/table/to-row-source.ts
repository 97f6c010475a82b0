import { mapAsync } from '../base/map-async.js';
import type { Block } from '../data/blocks/block.js';
import { blockColumns } from '../data/blocks/block-rows.js';
import { mapSource, type RowSource } from '../data/blocks/row-source.js';
import type { Table, TableColumn } from './table.js';

/** A source of numbers as a table. Its blocks are read as they are. */
export function sourceTable(source: RowSource, names = source.columnNames): Table<never> {
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
    read: ({ numbers, texts = [] }) => {
      if (texts.length > 0) throw new TypeError('A source of numbers has no texts.');
      const all = numbers === 'all' || (numbers.length === cols && numbers.every((column, j) => column === j));
      return mapAsync(asyncBlocks(source), (block) => ({
        block: all ? block : blockColumns(block, numbers),
        texts: [],
      }));
    },
    warnings: () => source.warnings?.() ?? [],
    close: async () => source.close?.(),
  };
}

function asyncBlocks(source: RowSource): AsyncIterable<Block> {
  const blocks = source.blocks();
  return Symbol.asyncIterator in blocks ? blocks : inTurn(blocks);
}

async function* inTurn(blocks: Iterable<Block>): AsyncGenerator<Block, void, void> {
  yield* blocks;
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

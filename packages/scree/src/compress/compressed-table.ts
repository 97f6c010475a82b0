import { blockColumns, type DenseBlock, mapAsync, numbersOf } from '@scree/core/data';
import type { Table, TableColumn } from '@scree/files/platform';
import { openCompressed } from './open-compressed.js';

/** Opens a compressed file as a table of its decoded rows, so that every command can read it. */
export async function openCompressedTable(path: string): Promise<Table> {
  const { source, cols, rows, dtype, columnNames, close } = await openCompressed(path);
  const column = (j: number): TableColumn => ({ name: columnNames?.[j] ?? String(j), kind: 'number', type: dtype });
  return {
    format: 'scree, compressed',
    get columns() {
      return Array.from({ length: cols }, (_, j) => column(j));
    },
    width: cols,
    named: columnNames !== undefined,
    uniform: columnNames === undefined,
    rows,
    dtype: () => source.dtype,
    // Scores are checked when they are unpacked, so every value is a number.
    mayMissValues: false,
    checkMissing: false,
    rereadable: true,
    manyTexts: true,
    read: ({ numbers, texts = [] }) =>
      mapAsync(blocksOf(), (block) => ({
        block: numbers === 'all' ? block : blockColumns(block, numbers),
        texts: texts.map((j) => textsOf(block, j)),
      })),
    close,
  };

  async function* blocksOf(): AsyncGenerator<DenseBlock, void, void> {
    for await (const block of source.blocks()) {
      if (block.kind !== 'dense') throw new TypeError('compressed rows are dense');
      yield block;
    }
  }
}

function textsOf(block: DenseBlock, column: number): string[] {
  return Array.from({ length: block.rows }, (_, i) => {
    const at = i * block.stride + column;
    return String(numbersOf(block, at, at + 1)[0]);
  });
}

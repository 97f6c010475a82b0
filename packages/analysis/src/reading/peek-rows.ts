import type { RowSource } from '@scree/core';
import { type Block, mapSource } from '@scree/core/data';

/** The first rows of a source, and the source, which yields them again and then reads on. */
export interface PeekedRows {
  readonly blocks: readonly Block[];
  readonly source: RowSource;
}

/**
 * Reads the first blocks of a source, until they have `most` numbers, without another reading: the first reading of the returned source
 * begins with these blocks and continues where this function stopped. A source that ends before is kept whole and can be read again.
 */
export async function peekRows(source: RowSource, most: number): Promise<PeekedRows> {
  const rows = source.blocks();
  const blocks: Block[] = [];
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let numbers = 0;
  let isComplete = false;
  while (numbers < most && !isComplete) {
    const { done, value } = await iterator.next();
    isComplete = done === true;
    if (isComplete) break;
    const block = source.resident ? value : copyOf(value);
    numbers += block.kind === 'dense' ? block.rows * block.cols : block.data.length;
    blocks.push(block);
  }
  if (source.resident) {
    await iterator.return?.();
    return { blocks, source };
  }
  if (isComplete) return { blocks, source: mapSource(source, { rereadable: true, blocks: () => blocks }) };
  let isContinued = false;
  const again = mapSource(source, {
    blocks: () => {
      if (isContinued) return source.blocks();
      isContinued = true;
      return continued(blocks, iterator);
    },
    close: async () => {
      if (!isContinued) await iterator.return?.();
      await source.close?.();
    },
  });
  return { blocks, source: again };
}

/** The blocks, and then what an iterator still has. */
function continued(blocks: readonly Block[], iterator: Iterator<Block> | AsyncIterator<Block>): AsyncIterable<Block> {
  let at = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => (at < blocks.length ? { done: false, value: blocks[at++] } : iterator.next()),
      return: async () => {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** A copy of a block, because its reader may reuse the memory. */
export function copyOf(block: Block): Block {
  return block.kind === 'dense'
    ? { ...block, data: block.data.slice(0, Math.max(0, block.rows - 1) * block.stride + block.cols) }
    : { ...block, indptr: block.indptr.slice(), indices: block.indices.slice(), data: block.data.slice() };
}

import type { RowSource } from '@scree/core';
import { type Block, mapAsync, mapSource } from '@scree/core/data';
import { copyOf } from './peek-rows.js';

/** Maximum number of numbers that are kept: the size up to which `analyze` examines a table without being asked. */
const MOST_NUMBERS = 1e7;

/**
 * The same source, which keeps its rows in memory during the first reading if they are few. So a fit, a bootstrap and criteria read a small
 * file once, and a stream can be read again. Blocks are not changed, so results keep their bits. `bytes` is the memory that the rows may
 * take.
 */
export function rememberRows(source: RowSource, bytes: number): RowSource {
  const { cols, nonzeros, resident } = source;
  const most = Math.min(MOST_NUMBERS, Math.floor(bytes / 8));
  let kept: readonly Block[] | undefined;
  const canKeep = !resident && (source.rows === undefined || (nonzeros ?? source.rows * cols) <= most);
  const read = (): AsyncIterable<Block> => {
    const copies: Block[] = [];
    let numbers = canKeep ? 0 : Number.POSITIVE_INFINITY;
    return mapAsync(
      source.blocks(),
      (block) => {
        numbers += block.kind === 'dense' ? block.rows * block.cols : block.data.length;
        if (numbers <= most) copies.push(copyOf(block));
        else copies.length = 0;
        return block;
      },
      () => {
        if (numbers <= most) kept = copies;
      },
    );
  };
  return mapSource(source, {
    get rereadable() {
      return source.rereadable || kept !== undefined;
    },
    blocks: () => kept ?? read(),
    close: () => {},
  });
}

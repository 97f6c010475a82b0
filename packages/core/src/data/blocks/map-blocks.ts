import { mapAsync } from '../../base/map-async.js';
import type { Block } from './block.js';
import { mapSource, type RowSource } from './row-source.js';

/**
 * The source with other dense rows, which `map` computes in float64 from each block and the number of its first row. Blocks for
 * which it returns undefined are left out.
 */
export function mapBlocks(
  source: RowSource,
  map: (block: Block, first: number) => Block | undefined,
  changes: Partial<RowSource> = {},
): RowSource {
  const blocks = (): AsyncIterable<Block> => {
    let first = 0;
    return mapAsync(source.blocks(), (block) => {
      const start = first;
      first += block.rows;
      return map(block, start);
    });
  };
  const computed: Partial<RowSource> = { dtype: 'float64', nonzeros: undefined, sample: undefined, remote: undefined };
  return mapSource(source, { ...computed, resident: false, blocks, ...changes });
}

import type { RowSource } from '@scree/core';
import { type Block, mapBlocks, packedRows } from '@scree/core/data';

/** The rows of a source for which `wanted` is true, by their number; `rows` says how many these are. Closing it does nothing. */
export function someRows(source: RowSource, wanted: (row: number) => boolean, rows: number): RowSource {
  const choose = (block: Block, first: number): Block | undefined => {
    const chosen = chosenRows(block, (i) => wanted(first + i));
    return chosen.rows > 0 ? chosen : undefined;
  };
  return mapBlocks(source, choose, { rows, expectedRows: undefined, warnings: () => [], close: () => {} });
}

function chosenRows(block: Block, wanted: (i: number) => boolean): Block {
  const { cols } = block;
  const plain = block.kind === 'dense' && !block.half;
  const [numbers, stride] = plain ? [block.data, block.stride] : [packedRows(block), cols];
  const data = new Float64Array(block.rows * cols);
  let end = 0;
  for (let i = 0; i < block.rows; i++) {
    if (!wanted(i)) continue;
    for (let at = i * stride; at < i * stride + cols; at++) data[end++] = numbers[at];
  }
  return { kind: 'dense', rows: end / cols, cols, stride: cols, data };
}

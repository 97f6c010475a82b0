import type { RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { packedRows } from '@scree/core/data';

/** The rows of a source for which `wanted` is true, by their number; `rows` says how many these are. Closing it does nothing. */
export function someRows(source: RowSource, wanted: (row: number) => boolean, rows: number): RowSource {
  const { cols, columnNames } = source;
  return {
    rows,
    cols,
    dtype: 'float64',
    ...(columnNames ? { columnNames } : {}),
    rereadable: source.rereadable,
    resident: false,
    async *blocks() {
      let first = 0;
      for await (const block of source.blocks()) {
        const chosen = chosenRows(block, (i) => wanted(first + i));
        if (chosen.rows > 0) yield chosen;
        first += block.rows;
      }
    },
  };
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

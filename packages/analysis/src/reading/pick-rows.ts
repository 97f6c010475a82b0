import type { Block } from '@scree/core/data';

/** Some rows of a block, copied. */
export function pickRows(block: Block, rows: readonly number[]): Block {
  if (rows.length === block.rows) return block;
  if (block.kind === 'dense') {
    const { cols, stride } = block;
    const data = block.data.slice(0, rows.length * cols);
    rows.forEach((row, to) => {
      data.set(block.data.subarray(row * stride, row * stride + cols) as never, to * cols);
    });
    return { ...block, rows: rows.length, stride: cols, data };
  }
  const indptr = new Int32Array(rows.length + 1);
  rows.forEach((row, to) => {
    indptr[to + 1] = indptr[to] + block.indptr[row + 1] - block.indptr[row];
  });
  const indices = new Int32Array(indptr[rows.length]);
  const data = block.data.slice(0, indptr[rows.length]);
  rows.forEach((row, to) => {
    const [from, end] = [block.indptr[row], block.indptr[row + 1]];
    indices.set(block.indices.subarray(from, end), indptr[to]);
    data.set(block.data.subarray(from, end) as never, indptr[to]);
  });
  return { ...block, rows: rows.length, indptr, indices, data };
}

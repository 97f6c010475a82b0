import type { Block } from './block.js';

/** Rows first, first + step, first + 2·step, … of a block: of dense rows a view, of sparse ones a copy. */
export function everyNth(block: Block, first: number, step: number): Block {
  const rows = Math.ceil((block.rows - first) / step);
  if (block.kind === 'dense') {
    return { ...block, rows, stride: block.stride * step, data: block.data.subarray(first * block.stride) };
  }
  const indptr = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    const row = first + i * step;
    indptr[i + 1] = indptr[i] + block.indptr[row + 1] - block.indptr[row];
  }
  const indices = new Int32Array(indptr[rows]);
  const data = block.data.slice(0, indptr[rows]);
  for (let i = 0; i < rows; i++) {
    const [from, to] = [block.indptr[first + i * step], block.indptr[first + i * step + 1]];
    indices.set(block.indices.subarray(from, to), indptr[i]);
    data.set(block.data.subarray(from, to), indptr[i]);
  }
  return { ...block, rows, indptr, indices, data };
}

/** Every n-th entry of an array with one entry per row. */
export function everyNthOf(values: Float64Array, first: number, step: number): Float64Array {
  return Float64Array.from({ length: Math.ceil((values.length - first) / step) }, (_, i) => values[first + i * step]);
}

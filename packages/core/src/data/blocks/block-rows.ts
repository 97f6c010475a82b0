import { type Block, type DenseBlock, identityScaler, packTile } from './block.js';

/** Rows from, …, to − 1 of a block. Their numbers are not copied. */
export function rowsOfBlock(block: Block, from: number, to: number): Block {
  if (from === 0 && to === block.rows) return block;
  if (block.kind === 'dense') {
    const { stride, cols } = block;
    const data = block.data.subarray(from * stride, (to - 1) * stride + cols) as typeof block.data;
    return { ...block, rows: to - from, data };
  }
  const start = block.indptr[from];
  const end = block.indptr[to];
  return {
    ...block,
    rows: to - from,
    indptr: block.indptr.slice(from, to + 1).map((at) => at - start) as typeof block.indptr,
    indices: block.indices.subarray(start, end) as typeof block.indices,
    data: block.data.subarray(start, end) as typeof block.data,
  };
}

/** Rows first, first + step, first + 2·step, … of a block: a view of dense rows, or a copy of sparse rows. */
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

/** Entries first, first + step, … of an array with one entry per row. */
export function everyNthOf(values: Float64Array, first: number, step: number): Float64Array {
  return Float64Array.from({ length: Math.ceil((values.length - first) / step) }, (_, i) => values[first + i * step]);
}

/** The numbers of a block as a packed, row-major float64 array. */
export function packedRows(block: Block): Float64Array {
  const out = new Float64Array(block.rows * block.cols);
  packTile(block, identityScaler(block.cols), { from: 0, to: block.rows, left: 0, right: block.cols }, out);
  return out;
}

/** Some columns of a block: a view if the block is dense and they are neighbours, otherwise a copy. Sparse rows become dense. */
export function blockColumns(block: Block, columns: readonly number[]): DenseBlock {
  const { rows } = block;
  const dense = block.kind === 'dense' ? block : denseOf(block);
  const cols = columns.length;
  const [first = 0] = columns;
  if (columns.every((column, j) => column === first + j)) {
    return { ...dense, cols, data: first === 0 ? dense.data : dense.data.subarray(first) };
  }
  // Columns may be repeated, so this can be larger than the block.
  const data = new (dense.data.constructor as new (length: number) => typeof dense.data)(rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) data[i * cols + j] = dense.data[i * dense.stride + columns[j]];
  }
  return { ...dense, cols, stride: cols, data };
}

function denseOf(block: Block): DenseBlock {
  const { rows, cols } = block;
  return { kind: 'dense', rows, cols, stride: cols, data: packedRows(block) };
}

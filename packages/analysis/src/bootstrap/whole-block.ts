import type { RowSource } from '@scree/core';
import { type Block, type DenseBlock, decoded, isFloat32Array, type SparseBlock } from '@scree/core/data';
import type { ProgressTracker } from '@scree/core/pipeline';

/**
 * All rows of a source as one block, so that sums do not depend on the blocks of the source. Rows that are one block in memory are not
 * copied.
 */
export async function wholeBlock(source: RowSource, rows: number, progress: ProgressTracker): Promise<Block> {
  const blocks: Block[] = [];
  for await (const block of source.blocks()) {
    if (source.resident && block.rows === rows) return block;
    if (block.rows > 0) blocks.push(source.resident ? block : copyOf(block));
    const pause = progress.yieldToEventLoop();
    if (pause) await pause;
  }
  if (blocks.length === 1) return blocks[0];
  return blocks.every((block) => block.kind === 'sparse') ? joinSparse(blocks) : joinDense(blocks, rows, source.cols);
}

function copyOf(block: Block): Block {
  if (block.kind === 'dense')
    return { ...block, data: block.data.slice(0, (block.rows - 1) * block.stride + block.cols) };
  return { ...block, indptr: block.indptr.slice(), indices: block.indices.slice(), data: block.data.slice() };
}

function joinDense(blocks: readonly Block[], rows: number, cols: number): DenseBlock {
  const float32 = blocks.every(({ data }) => isFloat32Array(data));
  const data = float32 ? new Float32Array(rows * cols) : new Float64Array(rows * cols);
  let to = 0;
  for (const given of blocks) {
    const block = given.kind === 'dense' ? decoded(given) : given;
    for (let i = 0; i < block.rows; i++, to += cols) {
      if (block.kind === 'dense') data.set(block.data.subarray(i * block.stride, i * block.stride + cols), to);
      else for (let at = block.indptr[i]; at < block.indptr[i + 1]; at++) data[to + block.indices[at]] = block.data[at];
    }
  }
  return { kind: 'dense', rows, cols, stride: cols, data };
}

function joinSparse(blocks: readonly SparseBlock[]): SparseBlock {
  const stored = blocks.reduce((sum, { indptr, rows }) => sum + indptr[rows], 0);
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const indptr = new Float64Array(rows + 1);
  const indices = new Int32Array(stored);
  const data = new Float64Array(stored);
  let [row, at] = [0, 0];
  for (const block of blocks) {
    const end = block.indptr[block.rows];
    indices.set(block.indices.subarray(0, end), at);
    data.set(block.data.subarray(0, end), at);
    for (let i = 1; i <= block.rows; i++) indptr[row + i] = at + block.indptr[i];
    row += block.rows;
    at += end;
  }
  return { kind: 'sparse', rows, cols: blocks[0].cols, indptr, indices, data };
}

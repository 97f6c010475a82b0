import { type Block, decoded, mapAsync, rowNumberOf, type SparseBlock, type Table, type Text } from '@scree/core/data';
import type { SupplementaryBlock } from './data-file.js';
import type { PartRoles } from './file-view.js';

/** The rows of a table with their numbers in the file, names, supplementary columns, groups and categories. */
export function supplementaryBlocks(
  table: Table,
  { used, cols, categories, supplementary, groups, rowNames }: PartRoles,
): AsyncIterable<SupplementaryBlock> {
  const analysed = used === 'all' ? [...Array(cols).keys()] : used;
  const numbers = supplementary.length === 0 ? used : [...analysed, ...supplementary];
  const names = rowNames === undefined ? [] : [rowNames];
  const texts = [...new Set([...categories, ...groups, ...names])];
  let first = 0;
  return mapAsync(table.read({ numbers, texts }), (batch) => {
    const start = first;
    const { rows } = batch.block;
    first += rows;
    const textsOf = (column: number): readonly Text[] => batch.texts[texts.indexOf(column)];
    return {
      ...splitColumns(batch.block, cols),
      places: Array.from({ length: rows }, (_, i) => rowNumberOf(batch, i, start)),
      names: names.length === 0 ? undefined : textsOf(names[0]),
      groups: groups.map(textsOf),
      categories: categories.map(textsOf),
    };
  });
}

/** The first `cols` columns of a block, and the numbers of the columns after them, packed. */
export function splitColumns(block: Block, cols: number): Pick<SupplementaryBlock, 'block' | 'columns'> {
  const further = block.cols - cols;
  if (block.kind === 'sparse') {
    return further === 0 ? { block, columns: new Float64Array(0) } : splitSparse(block, cols, further);
  }
  const dense = decoded(block);
  const { rows, stride, data } = dense;
  const columns = new Float64Array(rows * further);
  for (let i = 0; further > 0 && i < rows; i++) {
    const from = i * stride + cols;
    columns.set(data.subarray(from, from + further), i * further);
  }
  return { block: { ...dense, cols }, columns };
}

function splitSparse(block: SparseBlock, cols: number, further: number): Pick<SupplementaryBlock, 'block' | 'columns'> {
  const { rows } = block;
  const columns = new Float64Array(rows * further);
  const indptr = new Int32Array(rows + 1);
  const indices = block.indices.slice();
  const data = block.data.slice();
  let at = 0;
  for (let i = 0; i < rows; i++) {
    for (let e = block.indptr[i]; e < block.indptr[i + 1]; e++) {
      const column = block.indices[e];
      if (column >= cols) columns[i * further + column - cols] = block.data[e];
      else {
        indices[at] = column;
        data[at++] = block.data[e];
      }
    }
    indptr[i + 1] = at;
  }
  return { block: { ...block, cols, indptr, indices: indices.subarray(0, at), data: data.subarray(0, at) }, columns };
}

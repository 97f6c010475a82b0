import { blockColumns, decoded, rowNumberOf, type Table, type Text } from '@scree/core/data';
import type { ColumnRoles } from './column-roles.js';
import type { SupplementaryBlock } from './data-file.js';

/** The rows of a table with their numbers in the file, names, supplementary columns, groups and categories. */
export async function* supplementaryBlocks(
  table: Table,
  { used, cols, categories, supplementary, groups, name }: ColumnRoles,
): AsyncGenerator<SupplementaryBlock, void, void> {
  const analysed = used === 'all' ? [...Array(cols).keys()] : used;
  const numbers = supplementary.length === 0 ? used : [...analysed, ...supplementary];
  // A column that is analysed names no rows here.
  const names = name === undefined || used === 'all' || [...used, ...supplementary].includes(name) ? [] : [name];
  const texts = [...new Set([...categories, ...groups, ...names])];
  let first = 0;
  for await (const batch of table.read({ numbers, texts })) {
    const start = first;
    first += batch.block.rows;
    const block = decoded(batch.block.kind === 'dense' ? batch.block : blockColumns(batch.block, [...analysed.keys()]));
    const { rows, stride, data } = block;
    const columns = new Float64Array(rows * supplementary.length);
    for (let i = 0; i < rows; i++) {
      const from = i * stride + cols;
      columns.set(data.subarray(from, from + supplementary.length), i * supplementary.length);
    }
    const textsOf = (column: number): readonly Text[] => batch.texts[texts.indexOf(column)];
    yield {
      block: { ...block, cols },
      places: Array.from({ length: rows }, (_, i) => rowNumberOf(batch, i, start)),
      names: names.length === 0 ? undefined : textsOf(names[0]),
      columns,
      groups: groups.map(textsOf),
      categories: categories.map(textsOf),
    };
  }
}

import type { RowSource } from '../blocks/row-source.js';
import { rowsFromColumns } from './column-data.js';
import type { ForeignKind } from './foreign.js';
import { readForeign } from './foreign-data.js';
import { MemorySource, matrixSource } from './memory-source.js';
import { LeftOutColumns, numericColumnNames } from './numeric-columns.js';
import { toBlock } from './to-block.js';

/** A matrix or table of another library, or columns by name. */
export async function openColumns(
  data: object,
  kind: ForeignKind | undefined,
  chosen: readonly string[] | undefined,
  numericOnly: boolean,
): Promise<RowSource> {
  const read = kind
    ? await readForeign(kind, data)
    : { names: Object.keys(data), columns: Object.values(data) as ArrayLike<unknown>[] };
  if (!('columns' in read)) return matrixSource(read);
  const leftOut = new LeftOutColumns();
  const wanted = chosen ?? (numericOnly ? numericColumnNames(read, leftOut) : undefined);
  const { matrix, names, warnings } = rowsFromColumns(read, wanted);
  return new MemorySource([toBlock(matrix)], names, async () => [...leftOut.warnings(), ...warnings]);
}

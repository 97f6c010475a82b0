import { DataError, OptionError } from '@scree/core';
import { changeTable, type Table, transposeTable } from '@scree/core/data';
import { columnNames } from '../csv/header.js';
import type { CheckedOptions } from '../options.js';
import { checkColumns } from './most-columns.js';
import { leftOutWarning } from './table-errors.js';

/** A block of rows takes at most this part of the memory. Two of them are held at once. */
const BLOCK_SHARE = 8;

/** A transposed table, and the options with which it is used. */
export interface TransposedData {
  readonly table: Table;
  readonly options: CheckedOptions;
}

/**
 * The transpose of a file's table, if the options ask for it. The first column names the new columns if it is text or a row index. The
 * names of the old columns name the rows, unless the options name another column. Other columns of text are left out.
 */
export async function transposedIfAsked(table: Table, options: CheckedOptions, path: string): Promise<TransposedData> {
  if (!options.transpose) return { table, options };
  if (table.remote)
    throw new OptionError('BAD_OPTION', `The rows of ${path} have no order, so the table cannot be transposed.`, {
      option: 'transpose',
    });
  const { memory } = options;
  const [first] = table.columns;
  const namesRows = table.named && first && (first.kind === 'text' || first.index || first.type === 'row index');
  const names = namesRows ? 0 : undefined;
  const columns = table.columns.filter(({ kind }, j) => kind === 'number' && j !== names);
  if (columns.length === 0)
    throw new DataError('BAD_DATA', `${path} has no column of numbers, so nothing is left when it is transposed.`);
  const onCount = (count: number): void => {
    if (table.named) checkColumns(count, memory, path);
    if (count * 8 <= memory / BLOCK_SHARE) return;
    throw new DataError(
      'TOO_LARGE',
      `A row of ${path} has ${count} numbers when the table is transposed: not even a few fit in ${memory} bytes. Allow more memory.`,
      { expected: memory, reason: 'memory' },
    );
  };
  const nameColumns = (given: readonly string[]): string[] => columnNames(given, given.length);
  const transposed = await transposeTable(table, { memory: memory / BLOCK_SHARE, names, onCount, nameColumns });
  const texts = table.columns.filter(({ kind }, j) => kind === 'text' && j !== names);
  const leftOut = leftOutWarning(
    texts.map(({ name, type, numericShare: share }) => ({
      ...{ name, type, why: 'text' },
      ...(share === undefined ? {} : { numericShare: share }),
    })),
  );
  const [rowNames] = transposed.columns;
  return {
    table: changeTable(transposed, {
      warnings: async () => [...((await table.warnings?.()) ?? []), ...leftOut],
    }),
    options:
      table.named && options.name === undefined && options.label === undefined
        ? { ...options, name: rowNames.name }
        : options,
  };
}

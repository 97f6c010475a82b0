import { isFloat32Array } from '../../base/built-in-name.js';
import { DataError, describeValue } from '../../errors.js';
import type { Warning } from '../../warning.js';
import { type GapReading, isGap } from '../blocks/gap.js';
import type { Matrix } from '../blocks/matrix.js';
import type { RowSource } from '../blocks/row-source.js';
import { type NamedColumns, readLibraryData } from './library-data.js';
import type { LibraryKind } from './library-kind.js';
import { MemorySource, matrixSource } from './memory-source.js';
import { LeftOutColumns, noNumbers, numericColumnNames } from './numeric-columns.js';
import { isExact, notANumberError } from './row-gatherer.js';
import { toBlock } from './to-block.js';

/** Opens a matrix or table of another library, or columns by name. */
export async function openColumns(
  data: object,
  kind: LibraryKind | undefined,
  chosen: readonly string[] | undefined,
  numericOnly: boolean,
  gaps: GapReading,
): Promise<RowSource> {
  const read = kind
    ? await readLibraryData(kind, data)
    : { names: Object.keys(data), columns: Object.values(data) as ArrayLike<unknown>[] };
  if (!('columns' in read)) return matrixSource(read);
  const leftOut = new LeftOutColumns();
  const wanted = chosen ?? (numericOnly ? numericColumnNames(read, leftOut) : undefined);
  const { matrix, names, warnings } = rowsFromColumns(read, wanted, gaps);
  return new MemorySource([toBlock(matrix)], names, async () => [...leftOut.warnings(), ...warnings]);
}

/** A matrix of columns, with their names and warnings. */
export interface FromColumns {
  readonly matrix: Matrix;
  readonly names: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Copies columns into a matrix. `chosen` are the columns to use, in this order. With `gaps`, missing values become NaN. Throws if a
 * column has text.
 */
export function rowsFromColumns(
  { names: all, columns: given }: NamedColumns,
  chosen: readonly string[] | undefined,
  gaps: GapReading = false,
): FromColumns {
  const names = chosen ?? all;
  const columns = chosen ? chosen.map((name) => given[columnIndex(name, all)]) : given;
  if (columns.length === 0) throw noNumbers(all);
  const rows = commonLength(names, columns);
  const cols = columns.length;
  const float32 = columns.every(isFloat32Array);
  const data = float32 ? new Float32Array(rows * cols) : new Float64Array(rows * cols);
  const rounded: { name: string; count: number }[] = [];
  columns.forEach((values, j) => {
    let beyond = 0;
    for (let i = 0; i < rows; i++) {
      const value = values[i];
      if (typeof value === 'number') data[i * cols + j] = value;
      else if (typeof value === 'bigint') {
        data[i * cols + j] = Number(value);
        if (!isExact(value)) beyond++;
      } else if (gaps && isGap(value)) data[i * cols + j] = Number.NaN;
      else throw notANumberError(value, i, j, names, i === 0 && chosen === undefined);
    }
    if (beyond > 0) rounded.push({ name: names[j], count: beyond });
  });
  return { matrix: { rows, cols, data }, names, warnings: roundedWarning(rounded) };
}

function columnIndex(name: string, names: readonly string[]): number {
  const at = names.indexOf(name);
  if (at >= 0) return at;
  throw new DataError(
    'MISSING_COLUMN',
    `The table has no column ${describeValue(name)}. It has ${names.map(describeValue).join(', ')}.`,
    {
      columnName: name,
    },
  );
}

function roundedWarning(columns: readonly { name: string; count: number }[]): Warning[] {
  if (columns.length === 0) return [];
  const count = columns.reduce((sum, column) => sum + column.count, 0);
  const named = columns.map((column) => `${describeValue(column.name)} (${column.count})`).join(', ');
  const message = `${count} whole ${count === 1 ? 'number' : 'numbers'} beyond 2^53 were rounded to the nearest float64: ${named}. If such a column holds identifiers, leave it out.`;
  return [{ code: 'INTEGERS_ROUNDED', message, details: { count, columns } }];
}

/** The length of all columns. Throws if they have different lengths. */
export function commonLength(names: readonly string[], columns: readonly ArrayLike<unknown>[]): number {
  const rows = columns[0].length;
  columns.forEach((values, j) => {
    if (values.length === rows) return;
    throw new DataError(
      'RAGGED_ROWS',
      `Column ${describeValue(names[j])} has ${values.length} ${values.length === 1 ? 'value' : 'values'}, but ${describeValue(names[0])} has ${rows}. All columns need the same length.`,
      { columnName: names[j], value: values.length, expected: rows },
    );
  });
  return rows;
}

import { DataError, describeValue } from '../../errors.js';
import type { CsrMatrix } from '../blocks/csr.js';
import type { FloatArray, NumberArray } from '../blocks/matrix.js';

/**
 * A sparse matrix as a list of entries, the layout that SciPy calls COO. Entries may be in any order, and repeated entries add
 * up.
 */
export interface CooMatrix {
  /** Number of rows. */
  readonly rows: number;
  /** Number of columns. */
  readonly cols: number;
  /** The row of each entry. */
  readonly row: ArrayLike<number>;
  /** The column of each entry. */
  readonly col: ArrayLike<number>;
  /** The value of each entry. */
  readonly data: NumberArray;
}

/** Returns true if a matrix is a list of entries. */
export function isCoo(value: object): value is CooMatrix {
  return 'row' in value && 'col' in value && !('indptr' in value);
}

/** Converts COO to CSR: counts the entries per row, then moves each entry to its row. */
export function cooToCsr({ rows, cols, row, col, data }: CooMatrix): CsrMatrix {
  const count = data.length;
  if (row?.length !== count || col?.length !== count) {
    throw new DataError(
      'BAD_SPARSE',
      `The sparse matrix is broken: row has ${row?.length} entries, col ${col?.length} and data ${count}. They must be equally long.`,
    );
  }
  const indptr = new Float64Array(rows + 1);
  for (let at = 0; at < count; at++) {
    checkIndex('row', row[at], rows, at);
    checkIndex('column', col[at], cols, at);
    indptr[row[at] + 1]++;
  }
  for (let i = 0; i < rows; i++) indptr[i + 1] += indptr[i];
  const next = indptr.slice();
  const indices = new Float64Array(count);
  const values = new (data.constructor as new (length: number) => FloatArray)(count);
  for (let at = 0; at < count; at++) {
    const target = next[row[at]]++;
    indices[target] = col[at];
    values[target] = data[at];
  }
  return { rows, cols, indptr, indices, data: values };
}

function checkIndex(what: string, index: number, size: number, entry: number): void {
  if (Number.isInteger(index) && index >= 0 && index < size) return;
  throw new DataError(
    'BAD_SPARSE',
    `The sparse matrix is broken: entry ${entry} is in ${what} ${describeValue(index)}, and there are ${size} ${what}s. Rows and columns are counted from 0.`,
  );
}

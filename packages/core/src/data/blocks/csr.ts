import { DataError } from '../../errors.js';
import type { FloatArray } from './matrix.js';

/** A sparse matrix in compressed rows, the layout SciPy calls CSR. */
export interface CsrMatrix {
  readonly rows: number;
  readonly cols: number;
  /** The entries of row i are those from `indptr[i]` to `indptr[i + 1] − 1`. Has rows + 1 entries. */
  readonly indptr: ArrayLike<number>;
  /** The column of each entry. */
  readonly indices: ArrayLike<number>;
  /** The value of each entry. */
  readonly data: FloatArray;
}

/** CSR whose rows are sorted by column without repeated entries, in arrays that the passes accept. */
export interface CanonicalCsr {
  readonly rows: number;
  readonly cols: number;
  readonly indptr: Float64Array | Int32Array | Uint32Array;
  readonly indices: Int32Array | Uint32Array;
  readonly data: FloatArray;
}

/** Checks a CSR matrix. Sorts rows and adds up repeated entries if necessary. */
export function canonicalCsr(source: CsrMatrix): CanonicalCsr {
  const { rows, cols } = source;
  const { length } = source.indices;
  if (source.indptr.length !== rows + 1) {
    throw bad(`indptr has ${source.indptr.length} entries, but ${rows} rows need ${rows + 1}`);
  }
  if (source.data.length !== length) throw bad(`indices has ${length} entries and data has ${source.data.length}`);
  if (source.indptr[0] !== 0 || source.indptr[rows] !== length) {
    throw bad(
      `indptr must run from 0 to ${length}, the number of entries; it runs from ${source.indptr[0]} to ${source.indptr[rows]}`,
    );
  }
  for (let i = 0; i < rows; i++) {
    const [from, to] = [source.indptr[i], source.indptr[i + 1]];
    if (!Number.isInteger(to) || to < from) throw bad(`indptr falls from ${from} to ${to} at row ${i + 1}`, i);
  }
  let sorted = true;
  for (let i = 0; i < rows; i++) {
    const [from, to] = [source.indptr[i], source.indptr[i + 1]];
    for (let at = from; at < to; at++) {
      const column = source.indices[at];
      if (!Number.isInteger(column) || column < 0 || column >= cols) {
        throw bad(
          `entry ${at} in row ${i + 1} has the column index ${column}, and ${cols} columns have the indexes 0 to ${cols - 1}`,
          i,
        );
      }
      if (at > from && column <= source.indices[at - 1]) sorted = false;
    }
  }
  if (sorted) {
    return { rows, cols, indptr: integers(source.indptr), indices: indexArray(source.indices), data: source.data };
  }
  return sortRows(source);
}

function sortRows(source: CsrMatrix): CanonicalCsr {
  const { rows, cols } = source;
  const indptr = new Float64Array(rows + 1);
  const indices = new Int32Array(source.indices.length);
  const data = new (source.data.constructor as new (length: number) => FloatArray)(source.data.length);
  let filled = 0;
  for (let i = 0; i < rows; i++) {
    const from = source.indptr[i];
    const order = Array.from({ length: source.indptr[i + 1] - from }, (_, at) => from + at);
    order.sort((a, b) => source.indices[a] - source.indices[b]);
    for (const at of order) {
      if (filled > indptr[i] && indices[filled - 1] === source.indices[at]) {
        data[filled - 1] += source.data[at];
      } else {
        indices[filled] = source.indices[at];
        data[filled] = source.data[at];
        filled++;
      }
    }
    indptr[i + 1] = filled;
  }
  return { rows, cols, indptr, indices: indices.subarray(0, filled), data: data.subarray(0, filled) };
}

function integers(source: ArrayLike<number>): CanonicalCsr['indptr'] {
  return source instanceof Int32Array || source instanceof Uint32Array ? source : Float64Array.from(source);
}

function indexArray(source: ArrayLike<number>): CanonicalCsr['indices'] {
  return source instanceof Int32Array || source instanceof Uint32Array ? source : Int32Array.from(source);
}

function bad(what: string, row?: number): DataError {
  return new DataError(
    'BAD_SPARSE',
    `The sparse matrix is broken: ${what}. Check that indptr, indices and data belong together (CSR layout).`,
    row === undefined ? {} : { row },
  );
}

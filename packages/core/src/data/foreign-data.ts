/**
 * Reads the matrices and tables of other libraries (foreign.ts recognises them): their numbers as a matrix, or their columns by name.
 * Numbers that lie row by row in a typed array are read in place; all others are copied.
 */
import { DataError, show } from '../errors.js';
import type { ForeignKind } from './foreign.js';
import type { Matrix, NumberArray } from './matrix.js';

/** Columns of one length, with their names. */
export interface NamedColumns {
  readonly names: readonly string[];
  readonly columns: readonly ArrayLike<unknown>[];
}

/** A tensor of TensorFlow.js with two dimensions. Its numbers are fetched from where they are. */
export interface TensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  data(): Promise<ArrayLike<number>>;
}

/** An array of the package ndarray, or of another that keeps strides. */
export interface NdarrayLike {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly data: ArrayLike<number>;
}

/** A data frame of Danfo.js. */
export interface DanfoLike {
  readonly shape: readonly number[];
  readonly columns: readonly string[];
  readonly values: unknown;
}

/** A data frame of nodejs-polars. */
export interface PolarsLike {
  readonly columns: readonly string[];
  getColumn(name: string): { toArray(): ArrayLike<unknown> };
}

/** A table or record batch of Apache Arrow. */
export interface ArrowLike {
  readonly numRows: number;
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
  getChildAt(
    index: number,
  ): { readonly nullCount: number; toArray(): ArrayLike<unknown>; get(row: number): unknown } | null;
}

/** A table of Arquero. */
export interface ArqueroLike {
  numRows(): number;
  columnNames(): readonly string[];
  array(name: string): ArrayLike<unknown>;
}

/** A result of DuckDB, read or not. */
export interface DuckDbLike {
  columnNames(): readonly string[];
  readAll?(): Promise<void>;
  getColumnsJS(): readonly ArrayLike<unknown>[] | Promise<readonly ArrayLike<unknown>[]>;
}

/** Matrices and tables of other libraries that are read as they are. */
export type ForeignData = TensorLike | NdarrayLike | DanfoLike | PolarsLike | ArrowLike | ArqueroLike | DuckDbLike;

/** What is in a matrix or table of another library. */
export async function readForeign(kind: ForeignKind, data: object): Promise<Matrix<NumberArray> | NamedColumns> {
  switch (kind) {
    case 'tensor':
      return readTensor(data as TensorLike);
    case 'ndarray':
      return readNdarray(data as NdarrayLike);
    case 'danfo':
      return readDanfo(data as DanfoLike);
    case 'polars': {
      const frame = data as PolarsLike;
      return { names: frame.columns, columns: frame.columns.map((name) => frame.getColumn(name).toArray()) };
    }
    case 'arrow':
      return readArrow(data as ArrowLike);
    case 'arquero': {
      const table = data as ArqueroLike;
      const names = table.columnNames();
      return { names, columns: names.map((name) => table.array(name)) };
    }
    case 'duckdb': {
      const result = data as DuckDbLike;
      await result.readAll?.();
      return { names: result.columnNames(), columns: await result.getColumnsJS() };
    }
    default:
      return kind satisfies never;
  }
}

function sizeOf(shape: readonly number[], what: string): readonly [number, number] {
  if (shape.length === 2) return [shape[0], shape[1]];
  throw new DataError('BAD_DATA', `The ${what} has ${shape.length} dimensions, and PCA needs 2: rows and columns.`, {
    value: shape.length,
    expected: 2,
  });
}

async function readTensor(tensor: TensorLike): Promise<Matrix<NumberArray>> {
  const [rows, cols] = sizeOf(tensor.shape, 'tensor');
  if (!['float32', 'int32', 'bool'].includes(tensor.dtype)) {
    throw new DataError(
      'BAD_DATA',
      `The tensor holds ${show(tensor.dtype)}. Only numbers can be analysed: float32, int32 or bool.`,
    );
  }
  return { rows, cols, data: (await tensor.data()) as NumberArray };
}

/** Entry (i, j) is data[offset + i·stride₀ + j·stride₁]. */
function readNdarray({ shape, stride, offset, data }: NdarrayLike): Matrix<NumberArray> {
  const [rows, cols] = sizeOf(shape, 'ndarray');
  if (stride[1] === 1 && stride[0] >= cols && ArrayBuffer.isView(data)) {
    const end = rows === 0 ? offset : offset + (rows - 1) * stride[0] + cols;
    return { rows, cols, stride: stride[0], data: (data as NumberArray).subarray(offset, end) };
  }
  const packed = new Float64Array(rows * cols);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) packed[at] = data[offset + i * stride[0] + j * stride[1]];
  }
  return { rows, cols, data: packed };
}

/** Danfo.js keeps rows. */
function readDanfo({ columns: names, values }: DanfoLike): NamedColumns {
  const rows = values as readonly ArrayLike<unknown>[];
  return { names, columns: names.map((_, j) => Array.from(rows, (row) => row[j])) };
}

function readArrow(table: ArrowLike): NamedColumns {
  const names = table.schema.fields.map(({ name }) => name);
  const columns = names.map((_, j) => {
    const vector = table.getChildAt(j);
    if (!vector) return [];
    // Where values are missing, the array holds whatever lies in the buffer.
    return vector.nullCount > 0 ? Array.from({ length: table.numRows }, (_, i) => vector.get(i)) : vector.toArray();
  });
  return { names, columns };
}

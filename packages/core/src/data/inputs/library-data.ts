/**
 * Reads matrices and tables of other libraries, which library-kind.ts recognises. Returns a matrix, or columns by name. Row-major
 * numbers in a typed array are read in place; all others are copied.
 */
import { builtInName } from '../../base/built-in-name.js';
import { DataError, describeValue } from '../../errors.js';
import type { Matrix, NumberArray } from '../blocks/matrix.js';
import type { LibraryKind } from './library-kind.js';

/** Columns of one length, with their names. */
export interface NamedColumns {
  readonly names: readonly string[];
  readonly columns: readonly ArrayLike<unknown>[];
}

/** A tensor of TensorFlow.js with two dimensions. Its numbers are downloaded from the device. */
export interface TensorLike {
  readonly shape: readonly number[];
  readonly dtype: string;
  data(): Promise<ArrayLike<number>>;
}

/** An array of the package ndarray, or of a similar package with strides. */
export interface NdarrayLike {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  readonly data: ArrayLike<number> | ArrayLike<bigint>;
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
  getColumn(name: string): {
    toArray(): ArrayLike<unknown>;
    toTypedArray?(): ArrayLike<unknown>;
    isNumeric?(): boolean;
    nullCount?(): number;
  };
}

/** The type of an Arrow column. `typeId` and `precision` are numbers of the Arrow format. */
interface ArrowType {
  readonly typeId: number;
  readonly precision?: number;
  readonly scale?: number;
}

/** A table or record batch of Apache Arrow. */
export interface ArrowLike {
  readonly numRows: number;
  readonly schema: { readonly fields: readonly { readonly name: string; readonly type?: ArrowType }[] };
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

/** A result of DuckDB, which may not have been read yet. */
export interface DuckDbLike {
  columnNames(): readonly string[];
  readAll?(): Promise<void>;
  getColumnsJS(): readonly ArrayLike<unknown>[] | Promise<readonly ArrayLike<unknown>[]>;
}

/** Matrices and tables of other libraries that can be read without conversion. */
export type LibraryData = TensorLike | NdarrayLike | DanfoLike | PolarsLike | ArrowLike | ArqueroLike | DuckDbLike;

/** Reads a matrix or table of another library. */
export async function readLibraryData(kind: LibraryKind, data: object): Promise<Matrix<NumberArray> | NamedColumns> {
  switch (kind) {
    case 'tensor':
      return readTensor(data as TensorLike);
    case 'ndarray':
      return readNdarray(data as NdarrayLike);
    case 'danfo':
      return readDanfo(data as DanfoLike);
    case 'polars': {
      const frame = data as PolarsLike;
      return { names: frame.columns, columns: frame.columns.map((name) => polarsColumn(frame.getColumn(name))) };
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
      const names = result.columnNames();
      const columns = await result.getColumnsJS();
      if (columns.length === names.length) return { names, columns };
      throw new DataError(
        'SOURCE_CHANGED',
        'This DuckDB result was read already, or has no rows. A result of run or stream is read once: use await connection.runAndReadAll(sql) to read it again.',
      );
    }
    default:
      return kind satisfies never;
  }
}

function sizeOf(shape: readonly number[], what: string): readonly [number, number] {
  if (shape.length === 2) return [shape[0], shape[1]];
  const found = shape.length === 1 ? '1 dimension' : `${shape.length} dimensions`;
  throw new DataError('BAD_DATA', `The ${what} has ${found}, and PCA needs 2: rows and columns.`, {
    value: shape.length,
    expected: 2,
  });
}

async function readTensor(tensor: TensorLike): Promise<Matrix<NumberArray>> {
  const [rows, cols] = sizeOf(tensor.shape, 'tensor');
  if (!['float32', 'int32', 'bool'].includes(tensor.dtype)) {
    throw new DataError(
      'BAD_DATA',
      `The tensor holds ${describeValue(tensor.dtype)}. Only numbers can be analysed: float32, int32 or bool.`,
    );
  }
  return { rows, cols, data: (await tensor.data()) as NumberArray };
}

/** Entry (i, j) is data[offset + i·stride₀ + j·stride₁]. */
function readNdarray({ shape, stride, offset, data }: NdarrayLike): Matrix<NumberArray> {
  const [rows, cols] = sizeOf(shape, 'ndarray');
  const bigints = builtInName(data).startsWith('Big');
  if (stride[1] === 1 && stride[0] >= cols && ArrayBuffer.isView(data) && !bigints) {
    const end = rows === 0 ? offset : offset + (rows - 1) * stride[0] + cols;
    return { rows, cols, stride: stride[0], data: (data as NumberArray).subarray(offset, end) };
  }
  const packed = new Float64Array(rows * cols);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) packed[at] = Number(data[offset + i * stride[0] + j * stride[1]]);
  }
  return { rows, cols, data: packed };
}

/** Danfo.js stores rows. A Series has the same members, with one value per row. */
function readDanfo({ columns: names, values }: DanfoLike): NamedColumns {
  const rows = values as readonly ArrayLike<unknown>[];
  if (rows.length > 0 && !Array.isArray(rows[0])) sizeOf([rows.length], 'Danfo.js Series');
  return { names, columns: names.map((_, j) => Array.from(rows, (row) => row?.[j])) };
}

/** A typed array if possible: it keeps 64-bit integers exact, and is a hundred times faster. */
function polarsColumn(series: ReturnType<PolarsLike['getColumn']>): ArrayLike<unknown> {
  return series.toTypedArray && series.isNumeric?.() && series.nullCount?.() === 0
    ? series.toTypedArray()
    : series.toArray();
}

/** Arrow types whose arrays have bits, words or counts instead of the values. */
const ARROW_FLOAT = 3;
const ARROW_HALF = 0;
const ARROW_DECIMAL = 7;
const ARROW_DATES: readonly (number | undefined)[] = [8, 10];

function readArrow(table: ArrowLike): NamedColumns {
  const { fields } = table.schema;
  const columns = fields.map(({ type }, j) => {
    const vector = table.getChildAt(j);
    if (!vector) return [];
    const each = (value: (i: number) => unknown): unknown[] =>
      Array.from({ length: table.numRows }, (_, i) => (vector.get(i) === null ? null : value(i)));
    if (ARROW_DATES.includes(type?.typeId)) return each((i) => new Date(Number(vector.get(i))));
    if (type?.typeId === ARROW_DECIMAL) return each((i) => decimal(vector.get(i), type.scale ?? 0));
    // The array has arbitrary numbers at missing values.
    const stored = vector.nullCount > 0 || (type?.typeId === ARROW_FLOAT && type.precision === ARROW_HALF);
    return stored ? each((i) => vector.get(i)) : vector.toArray();
  });
  return { names: fields.map(({ name }) => name), columns };
}

/** A decimal as the nearest float64. apache-arrow gives the unscaled integer, which prints exactly. */
function decimal(value: unknown, scale: number): number {
  return typeof value === 'number' ? value : Number(`${value}e${-scale}`);
}

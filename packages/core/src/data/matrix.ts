/** The dense matrix: a view of numbers somebody else owns. */

export type FloatArray = Float32Array | Float64Array;

/** Integer arrays are accepted as data and stored as floats that hold their values exactly. */
export type IntegerArray =
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

export interface Matrix<Data extends FloatArray | IntegerArray = FloatArray> {
  readonly rows: number;
  readonly cols: number;
  /** Row-major: entry (i, j) is `data[i * stride + j]`. */
  readonly data: Data;
  /** Distance between the starts of two rows; `cols` when left out. */
  readonly stride?: number;
}

/** The rows as plain arrays, for printing and for libraries that want `number[][]`. */
export function toRows(source: Matrix): number[][] {
  const stride = source.stride ?? source.cols;
  return Array.from({ length: source.rows }, (_, i) =>
    Array.from(source.data.subarray(i * stride, i * stride + source.cols)),
  );
}

/** Transposes row-major `rows × cols` numbers. */
export function transpose(data: Float64Array, rows: number, cols: number): Float64Array {
  const out = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) out[j * rows + i] = data[i * cols + j];
  return out;
}

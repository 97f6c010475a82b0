import { builtInName } from '../../base/built-in-name.js';

/** Dense matrices: views of numbers that the caller owns. */

export type FloatArray = Float32Array | Float64Array;

/** Integers are converted to floats when they are read. No copy is made. */
export type IntegerArray =
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** The typed arrays that may store data. */
export type NumberArray = FloatArray | IntegerArray;

/** A dense matrix: numbers row by row in a typed array. */
export interface Matrix<Data extends NumberArray = FloatArray> {
  readonly rows: number;
  readonly cols: number;
  /** Row-major: entry (i, j) is `data[i * stride + j]`. */
  readonly data: Data;
  /** Distance between the starts of two rows. Default: `cols`. */
  readonly stride?: number;
  /** `'float16'`: a Uint16Array has the bits of half-precision numbers, for example quantised embeddings. */
  readonly dtype?: 'float16';
}

/** Returns true if float32 can store every number of the array's type. */
export function fitsFloat32(data: NumberArray): boolean {
  return !['Float64Array', 'Int32Array', 'Uint32Array'].includes(builtInName(data));
}

/** The rows as plain arrays, for printing and for libraries that want `number[][]`. */
export function toRows(source: Matrix): number[][] {
  const stride = source.stride ?? source.cols;
  return Array.from({ length: source.rows }, (_, i) =>
    Array.from(source.data.subarray(i * stride, i * stride + source.cols)),
  );
}

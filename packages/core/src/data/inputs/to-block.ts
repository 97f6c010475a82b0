import { builtInName, isFloatArray } from '../../base/built-in-name.js';
import { MOST_COLUMNS } from '../../base/limits.js';
import { DataError, describeValue } from '../../errors.js';
import type { DenseBlock, SparseBlock } from '../blocks/block.js';
import { type CsrMatrix, canonicalCsr } from '../blocks/csr.js';
import { type FloatArray, fitsFloat32, type Matrix, type NumberArray } from '../blocks/matrix.js';
import { type CooMatrix, cooToCsr, isCoo } from './coo.js';
import { libraryAdvice } from './library-advice.js';
import { isBuffer, libraryKind } from './library-kind.js';
import { isRecord, notANumberError } from './row-gatherer.js';

/** A matrix with a method that returns its entries, such as those of ml-matrix. Its numbers are copied. */
export interface MatrixLike {
  readonly rows: number;
  readonly columns: number;
  get(row: number, column: number): number;
  to2DArray(): number[][];
}

/** All matrices that are accepted: dense, sparse (CSR or COO), or with a method that returns the entries. */
export type AnyMatrix = Matrix<NumberArray> | CsrMatrix | CooMatrix | MatrixLike;

/** Returns true if a value looks like a matrix, dense or sparse. `toBlock` checks it. */
export function isMatrix(value: unknown): value is AnyMatrix {
  if (typeof value !== 'object' || value === null || !('rows' in value)) return false;
  return ('cols' in value && 'data' in value && typeof value.data === 'object') || isMatrixLike(value);
}

function isMatrixLike(value: object): value is MatrixLike {
  const { columns, get, to2DArray } = value as Partial<MatrixLike>;
  return typeof columns === 'number' && typeof get === 'function' && typeof to2DArray === 'function';
}

/** Checks a matrix, and returns it as a block. */
export function toBlock(source: AnyMatrix): DenseBlock | SparseBlock {
  const advice = libraryAdvice(source);
  if (advice) throw new DataError('BAD_DATA', `This matrix is ${advice}`);
  if ('indptr' in source) return sparseBlock(source);
  return isCoo(source) ? sparseBlock(source) : denseBlock(source);
}

function copyOf(source: MatrixLike): Matrix<Float64Array> {
  const { rows, columns: cols } = source;
  if (!isCount(rows) || !isCount(cols)) {
    throw new DataError('BAD_DATA', `A matrix of ${describeValue(rows)} × ${describeValue(cols)} is impossible.`);
  }
  const data = new Float64Array(rows * cols);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) {
      const value: unknown = source.get(i, j);
      if (typeof value !== 'number') throw notANumberError(value, i, j);
      data[at] = value;
    }
  }
  return { rows, cols, data };
}

/** Checks a dense matrix, and returns it as a block. */
export function denseBlock(source: Matrix<NumberArray> | MatrixLike): DenseBlock {
  return isMatrixLike(source) ? storedBlock(copyOf(source)) : storedBlock(source);
}

function storedBlock(source: Matrix<NumberArray>): DenseBlock {
  const { rows, cols } = source;
  const stride = source.stride ?? cols;
  const shape = (): string =>
    `A matrix of ${describeValue(rows)} × ${describeValue(cols)} with stride ${describeValue(stride)}`;
  if (!isCount(rows) || !isCount(cols) || !isCount(stride)) {
    throw new DataError('BAD_DATA', `${shape()} is impossible: rows, cols and stride must be whole numbers from 0 up.`);
  }
  if (rows === 0 || cols === 0) throw empty();
  if (stride < cols) throw new DataError('BAD_DATA', `${shape()} is impossible: stride must be at least cols.`);
  const { data, half } = storedNumbers(source);
  const needed = (rows - 1) * stride + cols;
  if (data.length < needed) {
    throw new DataError('BAD_DATA', `${shape()} needs ${needed} numbers, but data has ${data.length}.`, {
      value: data.length,
      expected: needed,
    });
  }
  // The last row may be as long as the stride. Blocks may be shorter than their array, because readers reuse arrays.
  const tooLong = data.length > rows * stride && !('kind' in source);
  if (tooLong || (data.length > needed && isBuffer(source.data))) {
    const remedy = isBuffer(source.data)
      ? `If it holds other numbers, pass them: new Float32Array(buffer.buffer, buffer.byteOffset, ${needed}).`
      : `If the shape is right, pass data.subarray(0, ${needed}).`;
    throw new DataError(
      'BAD_DATA',
      `${shape()} needs ${needed} ${isBuffer(source.data) ? 'bytes' : 'numbers'}, but data is ${describeValue(source.data)} of ${data.length}. ${remedy}`,
      { value: data.length, expected: needed },
    );
  }
  return { kind: 'dense', rows, cols, stride, data, half };
}

function sparseBlock(given: CsrMatrix | CooMatrix): SparseBlock {
  const { rows, cols } = given;
  if (!isCount(rows) || !isCount(cols) || cols > MOST_COLUMNS) {
    throw new DataError(
      'BAD_SPARSE',
      `A sparse matrix of ${describeValue(rows)} × ${describeValue(cols)} is impossible.`,
    );
  }
  if (rows === 0 || cols === 0) throw empty();
  const source = isCoo(given) ? cooToCsr(given) : given;
  const { indptr, indices } = source;
  for (const [name, value] of [
    ['indptr', indptr],
    ['indices', indices],
  ] as const) {
    if (typeof value === 'object' && value !== null && typeof value.length === 'number') continue;
    throw new DataError(
      'BAD_SPARSE',
      `The sparse matrix is broken: ${name} is ${describeValue(value)}, not an array of whole numbers.`,
    );
  }
  return { kind: 'sparse', ...canonicalCsr({ ...source, data: floats(source.data) }) };
}

const ARRAY_TYPES = [
  Float64Array,
  Float32Array,
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
];

/** The numbers of a dense matrix. Throws if their type is not supported. */
function storedNumbers({ data, dtype }: Matrix<NumberArray>): { data: NumberArray; half: boolean } {
  const name = builtInName(data);
  if (dtype !== undefined && !(dtype === 'float16' && name === 'Uint16Array')) {
    throw new DataError(
      'BAD_DATA',
      `dtype is ${describeValue(dtype)} and data is ${describeValue(data)}; only 'float16' has to be said, of a Uint16Array with the bits of half-precision numbers.`,
      { value: dtype },
    );
  }
  // A Float16Array is read as bits, without a copy.
  if (name === 'Float16Array') {
    return { data: new Uint16Array(data.buffer, data.byteOffset, data.length), half: true };
  }
  return { data: plainArray(data), half: dtype === 'float16' };
}

/** The same numbers in a plain typed array of this realm. Methods of Node's class of bytes return objects of that class. */
function plainArray(data: NumberArray): NumberArray {
  const type = ARRAY_TYPES.find(({ name }) => name === builtInName(data));
  if (!type || !ArrayBuffer.isView(data)) throw unsupportedArray(data);
  return data.constructor === type ? data : new type(data.buffer as ArrayBuffer, data.byteOffset, data.length);
}

/** The entries of a sparse matrix. Integers are converted to the narrowest float type that stores them exactly. */
function floats(data: NumberArray): FloatArray {
  const plain = plainArray(data);
  if (isFloatArray(plain)) return plain;
  return fitsFloat32(plain) ? Float32Array.from(plain) : Float64Array.from(plain);
}

function unsupportedArray(data: unknown): DataError {
  return new DataError(
    'BAD_DATA',
    `A matrix keeps its numbers in a typed array of floats or of integers up to 32 bits, but data is ${describeValue(data)}. Use Float64Array.from(data, Number), or pass rows.`,
    { value: data },
  );
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The error for data without rows. */
export function empty(): DataError {
  return new DataError('EMPTY_DATA', 'There are no rows. PCA needs at least two rows of at least one number each.');
}

/**
 * The rows to which a model is applied: a single row, numbers by position or by name, becomes a list of one row. `names` are the
 * required columns. A record may have further keys.
 */
export function asRows<Given>(data: Given, names?: readonly string[]): Given | Given[] {
  if (typeof data !== 'object' || data === null || isMatrix(data)) return data;
  if (Array.isArray(data)) return data.length > 0 && data.every(isCell) ? [data] : data;
  if (ArrayBuffer.isView(data)) return 'length' in data ? [data] : data;
  return isOneRecord(data, names) ? [data] : data;
}

/** Returns true for a single record, as opposed to columns by name, a table or a source of rows. */
function isOneRecord(data: object, names: readonly string[] = []): boolean {
  if (!isRecord(data) || libraryKind(data)) return false;
  const record = data as Readonly<Record<string, unknown>>;
  if (typeof record.blocks === 'function' || typeof record.batches === 'function') return false;
  const values = Object.values(record);
  return (values.length > 0 && values.every(isCell)) || names.some((name) => name in record && isCell(record[name]));
}

/** Returns true for a value of a row, which may be missing. */
function isCell(value: unknown): boolean {
  return (typeof value !== 'object' && typeof value !== 'function') || value === null;
}

/** Returns true for data in memory without rows. */
export function hasNoRows(data: unknown): boolean {
  return Array.isArray(data) ? data.length === 0 : isMatrix(data) && data.rows === 0;
}

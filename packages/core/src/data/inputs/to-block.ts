import { builtInName, isFloatArray } from '../../base/built-in-name.js';
import { MOST_COLUMNS } from '../../base/limits.js';
import { DataError, describeValue } from '../../errors.js';
import type { DenseBlock, SparseBlock } from '../blocks/block.js';
import { type CsrMatrix, canonicalCsr } from '../blocks/csr.js';
import { type FloatArray, fitsFloat32, type Matrix, type NumberArray } from '../blocks/matrix.js';
import { type CooMatrix, cooToCsr, isCoo } from './coo.js';
import { isBuffer, libraryAdvice, libraryKind } from './library-kind.js';
import { isRecord, notANumberError } from './row-gatherer.js';

/** A matrix with a method for its entries, like those of ml-matrix. Its numbers are copied. */
export interface MatrixLike {
  readonly rows: number;
  readonly columns: number;
  get(row: number, column: number): number;
  to2DArray(): number[][];
}

/** Matrices that are read as they are: dense, sparse as rows or as entries, or with a method for entries. */
export type AnyMatrix = Matrix<NumberArray> | CsrMatrix | CooMatrix | MatrixLike;

/** Whether a value looks like a matrix, dense or sparse. It is checked when it becomes a block. */
export function isMatrix(value: unknown): value is AnyMatrix {
  if (typeof value !== 'object' || value === null || !('rows' in value)) return false;
  return ('cols' in value && 'data' in value && typeof value.data === 'object') || isMatrixLike(value);
}

function isMatrixLike(value: object): value is MatrixLike {
  const { columns, get, to2DArray } = value as Partial<MatrixLike>;
  return typeof columns === 'number' && typeof get === 'function' && typeof to2DArray === 'function';
}

/** A matrix as a block, checked. */
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

/** A dense matrix as a block, checked. */
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
  // The last row may be as long as the stride, and readers reuse arrays for shorter blocks.
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

/** The numbers of a dense matrix, after checking that their type is supported. */
function storedNumbers({ data, dtype }: Matrix<NumberArray>): { data: NumberArray; half: boolean } {
  const name = builtInName(data);
  if (dtype !== undefined && !(dtype === 'float16' && name === 'Uint16Array')) {
    throw new DataError(
      'BAD_DATA',
      `dtype is ${describeValue(dtype)} and data is ${describeValue(data)}; only 'float16' has to be said, of a Uint16Array with the bits of half-precision numbers.`,
      { value: dtype },
    );
  }
  // Where the language has half-precision arrays, their bits are read without a copy.
  if (name === 'Float16Array') {
    return { data: new Uint16Array(data.buffer, data.byteOffset, data.length), half: true };
  }
  return { data: plainArray(data), half: dtype === 'float16' };
}

/** The same numbers in an array of this realm's own class. Methods of Node's byte class return objects of that class instead of plain arrays. */
function plainArray(data: NumberArray): NumberArray {
  const type = ARRAY_TYPES.find(({ name }) => name === builtInName(data));
  if (!type || !ArrayBuffer.isView(data)) throw unsupportedArray(data);
  return data.constructor === type ? data : new type(data.buffer as ArrayBuffer, data.byteOffset, data.length);
}

/** Sparse entries: floats as they are; integers as the narrowest float that holds each of them exactly. */
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
 * Rows to apply a model to: one row alone, numbers by position or by name, becomes a list of one. `names` are the columns that are
 * needed: a record may have others too.
 */
export function asRows<Given>(data: Given, names?: readonly string[]): Given | Given[] {
  if (typeof data !== 'object' || data === null || isMatrix(data)) return data;
  if (Array.isArray(data)) return data.length > 0 && data.every(isCell) ? [data] : data;
  if (ArrayBuffer.isView(data)) return 'length' in data ? [data] : data;
  return isOneRecord(data, names) ? [data] : data;
}

/** A record of values, and not columns of them or a source of rows. */
function isOneRecord(data: object, names: readonly string[] = []): boolean {
  if (!isRecord(data) || libraryKind(data)) return false;
  const record = data as Readonly<Record<string, unknown>>;
  if (typeof record.blocks === 'function' || typeof record.batches === 'function') return false;
  const values = Object.values(record);
  return (values.length > 0 && values.every(isCell)) || names.some((name) => name in record && isCell(record[name]));
}

/** One value of a row, or a missing one. */
function isCell(value: unknown): boolean {
  return (typeof value !== 'object' && typeof value !== 'function') || value === null;
}

/** Whether data in memory are known to have no rows. */
export function hasNoRows(data: unknown): boolean {
  return Array.isArray(data) ? data.length === 0 : isMatrix(data) && data.rows === 0;
}

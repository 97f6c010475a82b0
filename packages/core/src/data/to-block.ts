import { DataError, show } from '../errors.js';
import { MOST_COLUMNS } from '../limits.js';
import type { DenseBlock, SparseBlock } from './block.js';
import { type CsrMatrix, canonicalCsr } from './csr.js';
import type { FloatArray, IntegerArray, Matrix } from './matrix.js';

export type AnyMatrix = Matrix<FloatArray | IntegerArray> | CsrMatrix;

/** Whether a value wants to be a matrix, dense or sparse; whether it is a sound one is found when it becomes a block. */
export function isMatrix(value: unknown): value is AnyMatrix {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rows' in value &&
    'cols' in value &&
    'data' in value &&
    typeof value.data === 'object'
  );
}

/** A matrix as a block, checked. */
export function toBlock(source: AnyMatrix): DenseBlock | SparseBlock {
  return 'indptr' in source ? sparseBlock(source) : denseBlock(source);
}

function denseBlock(source: Matrix<FloatArray | IntegerArray>): DenseBlock {
  const { rows, cols } = source;
  const stride = source.stride ?? cols;
  const shape = `A matrix of ${show(rows)} × ${show(cols)} with stride ${show(stride)}`;
  if (!isCount(rows) || !isCount(cols) || !isCount(stride)) {
    throw new DataError('BAD_DATA', `${shape} is impossible: rows, cols and stride must be whole numbers from 0 up.`);
  }
  if (rows === 0 || cols === 0) throw empty();
  if (stride < cols) throw new DataError('BAD_DATA', `${shape} is impossible: stride must be at least cols.`);
  const data = floats(source.data);
  const needed = (rows - 1) * stride + cols;
  if (data.length < needed) {
    throw new DataError('BAD_DATA', `${shape} needs ${needed} numbers, but data has ${data.length}.`, {
      value: data.length,
      expected: needed,
    });
  }
  return { kind: 'dense', rows, cols, stride, data };
}

function sparseBlock(source: CsrMatrix): SparseBlock {
  const { rows, cols, indptr, indices } = source;
  if (!isCount(rows) || !isCount(cols) || cols > MOST_COLUMNS) {
    throw new DataError('BAD_SPARSE', `A sparse matrix of ${show(rows)} × ${show(cols)} is impossible.`);
  }
  if (rows === 0 || cols === 0) throw empty();
  for (const [name, value] of [
    ['indptr', indptr],
    ['indices', indices],
  ] as const) {
    if (typeof value === 'object' && value !== null && typeof value.length === 'number') continue;
    throw new DataError(
      'BAD_SPARSE',
      `The sparse matrix is broken: ${name} is ${show(value)}, not an array of whole numbers.`,
    );
  }
  return { kind: 'sparse', ...canonicalCsr({ ...source, data: floats(source.data) }) };
}

/** Float arrays as they are; integers as the narrowest float that holds each of them exactly. */
function floats(data: FloatArray | IntegerArray): FloatArray {
  if (data instanceof Float64Array || data instanceof Float32Array) return data;
  if (data instanceof Int32Array || data instanceof Uint32Array) return Float64Array.from(data);
  if (
    data instanceof Uint8Array ||
    data instanceof Uint8ClampedArray ||
    data instanceof Int8Array ||
    data instanceof Int16Array ||
    data instanceof Uint16Array
  ) {
    return Float32Array.from(data);
  }
  throw new DataError(
    'BAD_DATA',
    `A matrix keeps its numbers in a typed array of floats or of integers up to 32 bits, but data is ${show(data)}. Use Float64Array.from(…), or pass rows.`,
    { value: data },
  );
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function empty(): DataError {
  return new DataError('EMPTY_DATA', 'There are no rows. PCA needs at least two rows of at least one number each.');
}

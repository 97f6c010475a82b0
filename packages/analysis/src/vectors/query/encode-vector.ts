import { codesFor, storeNumbers } from './codes.js';
import { squareOf, toFixedPoint } from './exact-products.js';
import { projectorOf } from './projector.js';
import type { QueryModel, VectorCode, VectorStore } from './query-model.js';

/**
 * The stored form of one embedding: the same bits as the row of the index that has this embedding. Numbers are read as float32. The type of
 * the result follows from `model.store`: Float32Array; Uint16Array with the bits of half-precision numbers; Int8Array; or Uint8Array with
 * eight signs per byte. 1,536 numbers become 256 scores in about 50 µs. Throws a RangeError for a vector of another length, and for numbers
 * that are not finite.
 */
export function encodeVector(model: QueryModel, vector: ArrayLike<number>): VectorCode {
  const { d, k, store, step } = model;
  if (vector.length !== d) throw new RangeError(`The vector has ${vector.length} numbers, and the model needs ${d}.`);
  const x = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  const square = squareOf(x, 0, d);
  // A sum of squares of float32 numbers is finite in float64, unless one of them is not.
  if (!Number.isFinite(square)) throw new RangeError('A number of the vector is not finite.');
  const z = new Float32Array(k);
  if (model.components) {
    const projector = projectorOf(model);
    const factor = toFixedPoint(x, 0, d, square, model.metric === 'cosine', projector.fixed, 0);
    finishScores(projector.project(), 0, factor, model, z, 0);
  } else firstNumbers(x, 0, square, model, z, 0);
  const code = codesFor(store, k);
  storeNumbers(store, z, 0, k, step, code, 0);
  return code;
}

/** z = (products·factor − offset)·weights, rounded to float32. */
export function finishScores(
  products: Float64Array,
  from: number,
  factor: number,
  { k, offset, weights }: Pick<QueryModel, 'k' | 'offset' | 'weights'>,
  z: Float32Array,
  at: number,
): void {
  if (weights) for (let c = 0; c < k; c++) z[at + c] = (products[from + c] * factor - offset[c]) * weights[c];
  else for (let c = 0; c < k; c++) z[at + c] = products[from + c] * factor - offset[c];
}

/** The first k numbers; of the vector of length 1 if the metric is the cosine. */
export function firstNumbers(
  x: Float32Array,
  from: number,
  square: number,
  { k, metric }: Pick<QueryModel, 'k' | 'metric'>,
  z: Float32Array,
  at: number,
): void {
  const factor = metric !== 'cosine' ? 1 : square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let c = 0; c < k; c++) z[at + c] = x[from + c] * factor;
}

/**
 * The text that databases read: `[0.12,-3]` for pgvector's `vector` and `halfvec` and for most others, `1011` for `bit`. Float16 codes are
 * decoded.
 */
export function vectorText(store: VectorStore, code: VectorCode, k: number = code.length): string {
  if (store === 'bit') {
    return Array.from(code, (byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(0, k);
  }
  return `[${Array.from(code, (value) => String(store === 'float16' ? decodeOne(value) : value)).join(',')}]`;
}

function decodeOne(code: number): number {
  const [exponent, mantissa] = [(code >> 10) & 31, code & 1023];
  const sign = code & 0x8000 ? -1 : 1;
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

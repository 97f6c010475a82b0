import { roundComponents } from './exact-products.js';
import type { QueryModel, VectorMetric, VectorSearch, VectorStore } from './query-model.js';

/** The eight letters with which a query model begins, and its version. */
export const QUERY_LETTERS = 'SCREEVEC';
export const QUERY_VERSION = 1;

const METRICS: readonly unknown[] = ['cosine', 'dot', 'l2'] satisfies VectorMetric[];
const SEARCHES: readonly unknown[] = ['cosine', 'dot', 'l2', 'hamming'] satisfies VectorSearch[];
const STORES: readonly unknown[] = ['float32', 'float16', 'int8', 'bit'] satisfies VectorStore[];

/** How to store vectors with a model that says nothing about it. */
export interface QueryModelOptions {
  /** Default `'l2'`. `'cosine'` divides every vector by its length first. */
  readonly metric?: VectorMetric | undefined;
  /** Default `'float32'`. */
  readonly store?: 'float32' | 'float16' | 'bit' | undefined;
}

/**
 * Reads the model that `reduceVectors` made (`queryModel`) or that `scree vectors --model` wrote. It also reads a PCA model of
 * `model.toBinary({ only: 'transform', dtype: 'float32' })`; `options` then say how to store its scores. Throws an Error if the bytes are
 * damaged or of another kind.
 */
export function loadQueryModel(source: Uint8Array | ArrayBuffer, options: QueryModelOptions = {}): QueryModel {
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const letters = String.fromCharCode(...bytes.subarray(0, 8));
  if (letters !== QUERY_LETTERS && letters !== 'SCREEPCA') throw new Error('These bytes are not a query model.');
  const size = bytes.length - 4;
  if (size < 16 || crc32(bytes.subarray(0, size)) !== view.getUint32(size, true))
    throw new Error('The query model is damaged or incomplete. Copy the whole file again.');
  const length = view.getUint32(12, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
  const model =
    letters === QUERY_LETTERS
      ? ofQueryModel(view, header, 16 + length)
      : ofTransform(view, header, 8 * Math.ceil((16 + length) / 8), options);
  check(model);
  return model;
}

type Header = Readonly<Record<string, unknown>>;

function ofQueryModel(view: DataView, header: Header, end: number): QueryModel {
  if (view.getUint32(8, true) !== QUERY_VERSION)
    throw new Error('The query model was written by a newer version of scree.');
  const { k, d, metric, store, search, step } = header as unknown as QueryModel;
  const arrays: DataView[] = [];
  let at = end;
  for (const length of header.sections as number[]) {
    at = 8 * Math.ceil(at / 8);
    arrays.push(new DataView(view.buffer, view.byteOffset + at, length));
    at += length;
  }
  const [basis, offset, weights] = arrays;
  return {
    ...{ k, d, metric, store, search, step },
    components: basis.byteLength > 0 ? roundComponents(numbers(basis, 4)) : undefined,
    offset: numbers(offset, 8),
    weights: weights.byteLength > 0 ? numbers(weights, 8) : undefined,
  };
}

interface StoredArray {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly dtype?: string;
}

/** A PCA model: z = V(x − mean), and z/√λ if it is whitened. */
function ofTransform(view: DataView, header: Header, start: number, options: QueryModelOptions): QueryModel {
  const { k, d, whiten } = header as unknown as { k: number; d: number; whiten: unknown };
  const found: Record<string, Float64Array> = {};
  for (const { name, shape, offset, dtype } of (header.arrays ?? []) as StoredArray[]) {
    const width = dtype === 'float32' ? 4 : 8;
    const count = shape.reduce((product, each) => product * each, 1);
    found[name] = numbers(new DataView(view.buffer, view.byteOffset + start + offset, count * width), width);
  }
  const { components: basis, mean, scale, deviations } = found;
  if (header.format !== 'scree-transform' || whiten === 'zca' || !scale?.every((each) => each === 1))
    throw new Error("Query models are written by toBinary({ only: 'transform' }) of a model without scaling or 'zca'.");
  const { metric = 'l2', store = 'float32' } = options;
  const components = roundComponents(basis);
  const offset = new Float64Array(k);
  for (let c = 0; c < k; c++) for (let j = 0; j < d; j++) offset[c] += components[c * d + j] * mean[j];
  return {
    ...{ k, d, metric, store, step: 1, components, offset },
    search: store === 'bit' ? 'hamming' : metric,
    weights: whiten ? deviations.map((each) => (each > 0 ? 1 / each : 0)) : undefined,
  };
}

function numbers(view: DataView, width: 4 | 8): Float64Array {
  const out = new Float64Array(view.byteLength / width);
  for (let i = 0; i < out.length; i++)
    out[i] = width === 4 ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true);
  return out;
}

function check({ k, d, metric, store, search, step, components, offset, weights }: QueryModel): void {
  const whole = [k, d].every((each) => Number.isSafeInteger(each) && each > 0);
  const known = METRICS.includes(metric) && STORES.includes(store) && SEARCHES.includes(search) && step > 0;
  const lengths = offset.length === k && (!weights || weights.length === k) && (components?.length ?? k * d) === k * d;
  if (!whole || !known || !lengths || (!components && k > d)) throw new Error('The query model contradicts itself.');
}

/** CRC-32 (polynomial 0xedb88320), four bits at a time: the model is read once, and this table is small. */
function crc32(bytes: Uint8Array): number {
  const table = Array.from({ length: 16 }, (_, nibble) => {
    let crc = nibble;
    for (let bit = 0; bit < 4; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    crc = table[crc & 15] ^ (crc >>> 4);
    crc = table[crc & 15] ^ (crc >>> 4);
  }
  return ~crc >>> 0;
}

import { crc32 } from '../data/storage/crc32.js';
import { readerOf } from '../data/storage/format-version.js';
import { describeValue, ModelError } from '../errors.js';
import type { Epoch } from '../solvers/learned/epoch.js';
import { demand, isObject, toFloat64Array } from './check-numbers.js';
import type { ModelRecord } from './record.js';
import { OPTIONAL_VECTORS, VECTORS } from './record.js';
import { storedRobustFit } from './robust-fit.js';
import type { StoredNumbers, TransformRecord } from './transform-record.js';

/**
 * The two stored forms of a record, which docs/model-format.md specifies. Both are exact to the last bit, and both have a checksum.
 *
 * JSON: `{ format, version, checksum, … }`, components as k rows of d numbers. The checksum is the CRC-32 of the JSON
 * text without it, so a file may be reformatted but not edited.
 *
 * Binary, little-endian:
 * | bytes        | content                                                                          |
 * |--------------|----------------------------------------------------------------------------------|
 * | 0–7          | "SCREEPCA"                                                                       |
 * | 8–11         | version, uint32                                                                  |
 * | 12–15        | length of the header, uint32                                                     |
 * | 16–…         | header: JSON (UTF-8) of all but the arrays, and `arrays`: name, shape, byte offset |
 * | multiple of 8| the arrays, float64                                                              |
 * | last 4       | CRC-32 of everything before                                                      |
 *
 * A binary file may also have only the transform of a model. Its format is `scree-transform`, its version 4, and its components
 * may be float32.
 */
const FORMAT = 'scree-model';
const TRANSFORM = 'scree-transform';
/**
 * The format version of a record: 2 if columns are encoded or scaled by medians, 3 if a regression is subtracted, 4 if the model
 * was not fitted to rows, so that numbers may be unknown. Older programs refuse such a model instead of applying only a part of
 * it. `READERS` has the readers of all versions.
 */
const versionOf = ({ coding: encoding, scaling, origin }: ModelRecord): 1 | 2 | 3 | 4 =>
  origin ? 4 : encoding?.regression ? 3 : encoding || scaling === 'median' ? 2 : 1;
const TRANSFORM_VERSION = 4;
const MAGIC = 'SCREEPCA';
const NUMBERS = { float64: 'float64 little-endian', float32: 'float32 little-endian' };

type Plain = Record<string, unknown>;

interface Reader {
  /** Reads the object that `toJSON` made. */
  json(model: Plain): StoredArrays;
  /** Reads at least 20 bytes that begin with the magic word and a version. */
  binary(bytes: Uint8Array): StoredArrays;
}

/** One reader per format version. None is ever removed. */
const READERS: Readonly<Record<number, Reader>> = {
  1: { json: readJson1, binary: readBinary1 },
  2: { json: readJson1, binary: readBinary1 },
  3: { json: readJson1, binary: readBinary1 },
  4: { json: readJson1, binary: readBinary1 },
};

export function toJSON(record: ModelRecord): object {
  const { rows, cols, data } = record.components;
  const body = {
    format: FORMAT,
    version: versionOf(record),
    ...scalars(record),
    components: Array.from({ length: rows }, (_, r) => Array.from(data.subarray(r * cols, (r + 1) * cols))),
    ...Object.fromEntries(VECTORS.map(([name]) => [name, Array.from(record[name])])),
  };
  return { ...body, checksum: checksumOf(body) };
}

/** Parses the JSON text of a model. */
export function parseModel(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const cut = text.trimStart().startsWith('{') && !text.trimEnd().endsWith('}');
    throw cut
      ? new ModelError(
          'MODEL_TRUNCATED',
          `The model ends after ${text.length} characters, in the middle. Copy the whole file again.`,
        )
      : new ModelError(
          'BAD_MODEL',
          'This is not a model: it is not JSON. Models are what model.toJSON() and toBinary() write; readModel of the package scree reads their files.',
        );
  }
}

/** Reads the object that `toJSON` returns. */
export function fromJSON(model: object): ModelRecord {
  return revive(readJSON(model));
}

/** Reads the numbers that transform rows, and those that are checked with them, from the object that `toJSON` returns. */
export function numbersFromJSON(model: object): ModelRecord {
  return reviveNumbers(readJSON(model));
}

function readJSON(model: object): StoredArrays {
  const { format, version } = model as Plain;
  demand(format === FORMAT, () => `its format is not ${describeValue(FORMAT)}, and it has no components`);
  return readerOf(READERS, version, 'The model has').json(model as Plain);
}

function readJson1({ checksum, ...body }: Plain): StoredArrays {
  const expected = checksumOf(body);
  if (checksum !== expected) {
    throw new ModelError(
      'MODEL_CHANGED',
      `The model was changed after it was written: its checksum is ${describeValue(checksum)}, its content gives ${describeValue(expected)}. Fit it again or restore the file.`,
      { value: checksum, expected },
    );
  }
  return {
    header: body,
    array: (name) => {
      const value = body[name];
      demand(Array.isArray(value), () => `${name} is missing`);
      return toFloat64Array((value as unknown[]).flat());
    },
  };
}

export function toBinary(record: ModelRecord): Uint8Array {
  return writeBinary(record, { format: FORMAT, version: versionOf(record) }, scalars(record));
}

/** The transform of a record as bytes. `dtype` is the type of the components; the other numbers are float64. */
export function transformToBinary(record: TransformRecord, dtype: StoredNumbers): Uint8Array {
  const { whiten, columnNames, components } = record;
  const fields = { k: components.rows, d: components.cols, whiten, ...(columnNames ? { columnNames } : {}) };
  return writeBinary(record, { format: TRANSFORM, version: TRANSFORM_VERSION }, fields, dtype);
}

function writeBinary(
  record: ModelRecord | TransformRecord,
  format: { readonly format: string; readonly version: number },
  fields: Plain,
  dtype?: StoredNumbers,
): Uint8Array {
  const { rows: k, cols: d, data } = record.components;
  const arrays = layout(k, d, dtype);
  const header = new TextEncoder().encode(
    JSON.stringify({ ...format, numbers: NUMBERS[dtype ?? 'float64'], arrays, ...fields }),
  );
  const start = arraysStart(header.length);
  const size = sizeOf(arrays);
  const bytes = new Uint8Array(start + size + 4);
  const view = viewOf(bytes);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint32(8, format.version, true);
  view.setUint32(12, header.length, true);
  bytes.set(header, 16);
  for (const { name, offset, dtype } of arrays) {
    const values = name === 'components' ? data : (record as unknown as Record<string, Float64Array>)[name];
    for (let i = 0; i < values.length; i++) {
      if (dtype === 'float32') view.setFloat32(start + offset + 4 * i, values[i], true);
      else view.setFloat64(start + offset + 8 * i, values[i], true);
    }
  }
  view.setUint32(start + size, crc32(bytes.subarray(0, start + size)), true);
  return bytes;
}

/** Reads the bytes that `toBinary` returns. Nothing in the bytes is trusted before it is checked. */
export function fromBinary(bytes: Uint8Array): ModelRecord {
  const stored = readBinary(bytes);
  if (stored.header.format === TRANSFORM) {
    throw new ModelError(
      'BAD_MODEL',
      'This is only the transform of a model, without the facts of its fit. Read it with loadTransform of @scree/core/transform.',
    );
  }
  return revive(stored);
}

/** Reads the transform of a model from either binary form. */
export function transformFromBinary(bytes: Uint8Array): ModelRecord | TransformRecord {
  const stored = readBinary(bytes);
  const { header, array } = stored;
  if (header.format !== TRANSFORM) return reviveNumbers(stored);
  return {
    components: { rows: header.k as number, cols: header.d as number, data: array('components') },
    mean: array('mean'),
    scale: array('scale'),
    deviations: array('deviations'),
    whiten: header.whiten as TransformRecord['whiten'],
    columnNames: header.columnNames as TransformRecord['columnNames'],
    float32: true,
  };
}

function readBinary(bytes: Uint8Array): StoredArrays {
  for (let i = 0; i < MAGIC.length && i < bytes.length; i++) {
    demand(bytes[i] === MAGIC.charCodeAt(i), () => `it does not begin with ${describeValue(MAGIC)}`);
  }
  if (bytes.length < 20) throw truncated(bytes, 20);
  return readerOf(READERS, viewOf(bytes).getUint32(8, true), 'The model has').binary(bytes);
}

/** The fields of a stored model that are no arrays of numbers, and a function that reads an array. */
interface StoredArrays {
  readonly header: Plain;
  array(name: string): Float64Array;
}

function readBinary1(bytes: Uint8Array): StoredArrays {
  const view = viewOf(bytes);
  const headerLength = view.getUint32(12, true);
  const start = arraysStart(headerLength);
  if (bytes.length < start + 4) throw truncated(bytes, start + 4);
  const changed = new ModelError(
    'MODEL_CHANGED',
    'The model was changed or damaged after it was written: its checksum does not match. Copy the file again, or fit the model again.',
  );
  let header: Plain;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(16, 16 + headerLength)));
  } catch {
    throw changed;
  }
  if (!isObject(header)) throw changed;
  const { k, d, format, version, numbers } = header;
  if (typeof k !== 'number' || typeof d !== 'number' || !Number.isSafeInteger(k * d) || k < 1 || d < 1) throw changed;
  const reduced = format === TRANSFORM;
  const dtype = reduced && numbers === NUMBERS.float32 ? 'float32' : 'float64';
  const arrays = layout(k, d, reduced ? dtype : undefined);
  const size = sizeOf(arrays);
  if (bytes.length < start + size + 4) throw truncated(bytes, start + size + 4);
  if (bytes.length > start + size + 4) throw changed;
  if (view.getUint32(start + size, true) !== crc32(bytes.subarray(0, start + size))) throw changed;
  demand(
    (reduced || format === FORMAT) && version === view.getUint32(8, true) && numbers === NUMBERS[dtype],
    () => `its header says ${[format, version, numbers].map(describeValue).join(', ')}`,
  );
  return {
    header,
    array: (name) => {
      const { offset, shape, dtype } = arrays.find((array) => array.name === name) as StoredArray;
      return Float64Array.from({ length: count(shape) }, (_, i) =>
        dtype === 'float32'
          ? view.getFloat32(start + offset + 4 * i, true)
          : view.getFloat64(start + offset + 8 * i, true),
      );
    },
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function truncated(bytes: Uint8Array, needed: number): ModelError {
  return new ModelError(
    'MODEL_TRUNCATED',
    `The model has ${bytes.length} bytes and needs ${needed}. Copy the whole file again.`,
    { value: bytes.length, expected: needed },
  );
}

/** All fields of a record except its arrays. */
function scalars(record: ModelRecord): Plain {
  return {
    n: record.n,
    d: record.components.cols,
    k: record.components.rows,
    totalWeight: record.totalWeight,
    ddof: record.ddof,
    centered: record.centered,
    ...(record.scaling ? { scaling: record.scaling } : {}),
    whiten: record.whiten,
    dtype: record.dtype,
    totalVariance: record.totalVariance,
    noiseVariance: record.noiseVariance,
    // A list in both forms: older programs, which know only the arrays of the layout, can still read the model.
    ...(record.spectrum ? { spectrum: Array.from(record.spectrum) } : {}),
    ...(record.choice ? { choice: record.choice } : {}),
    ...(record.coding ? { coding: record.coding } : {}),
    ...(record.columnNames ? { columnNames: record.columnNames } : {}),
    ...Object.fromEntries(OPTIONAL_VECTORS.flatMap((name) => (record[name] ? [[name, Array.from(record[name])]] : []))),
    plan: record.plan,
    certificate: record.certificate,
    uniqueness: record.uniqueness,
    warnings: record.warnings,
    ...(record.trace ? { trace: record.trace } : {}),
    ...(record.stability ? { stability: record.stability } : {}),
    ...(record.robust ? { robust: storedRobustFit(record.robust) } : {}),
    ...(record.origin ? { origin: record.origin } : {}),
  };
}

/**
 * Makes a record from stored scalars and arrays. Checks that the parts are present; the constructor of `Model` checks their
 * values.
 */
function revive(stored: StoredArrays): ModelRecord {
  const { header } = stored;
  return {
    ...reviveNumbers(stored),
    ...(Array.isArray(header.spectrum) ? { spectrum: toFloat64Array(header.spectrum) } : {}),
    ...(Array.isArray(header.trace) ? { trace: header.trace.map(withNumbers) } : {}),
    ...Object.fromEntries(
      OPTIONAL_VECTORS.flatMap((name) => (Array.isArray(header[name]) ? [[name, toFloat64Array(header[name])]] : [])),
    ),
  };
}

/** As `revive`, without the vectors that applying a model does not need: they stay the lists that were stored. */
function reviveNumbers({ header, array }: StoredArrays): ModelRecord {
  for (const name of ['plan', 'certificate', 'uniqueness', 'warnings']) {
    demand(isObject(header[name]), () => `${name} is missing`);
  }
  const { format, version, k, d, arrays, numbers, ...rest } = header;
  return {
    ...(rest as unknown as ModelRecord),
    ...(rest.origin ? withUnknown(rest) : {}),
    components: { rows: k as number, cols: d as number, data: array('components') },
    ...(Object.fromEntries(VECTORS.map(([name]) => [name, array(name)])) as Pick<
      ModelRecord,
      (typeof VECTORS)[number][0]
    >),
  };
}

/** Replaces null in numbers that a model with an origin may not know: JSON has neither NaN nor Infinity. */
function withUnknown(stored: Plain): Plain {
  const names = ['n', 'totalWeight', 'totalVariance', 'noiseVariance'].filter((name) => stored[name] === null);
  const certificate = Object.entries(stored.certificate as object).map(([name, bounds]) => [
    name,
    Array.isArray(bounds) ? bounds.map((bound) => bound ?? Number.POSITIVE_INFINITY) : bounds,
  ]);
  return {
    ...Object.fromEntries(names.map((name) => [name, Number.NaN])),
    certificate: Object.fromEntries(certificate),
  };
}

/** Replaces null by NaN. JSON writes numbers that are not finite as null, for example the loss after a step that was too long. */
function withNumbers(epoch: unknown): Epoch {
  if (typeof epoch !== 'object' || epoch === null) return epoch as unknown as Epoch;
  const entries = Object.entries(epoch).map(([name, value]) => [
    name,
    value === null ? Number.NaN : name === 'terms' && typeof value === 'object' ? withNumbers(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The CRC-32 of an object's JSON text. */
function checksumOf(body: object): string {
  let text: string;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw new ModelError(
      'BAD_MODEL',
      `This is not a model: it cannot be JSON (${error instanceof Error ? error.message : error}).`,
    );
  }
  return crc32(new TextEncoder().encode(text)).toString(16).padStart(8, '0');
}

/** An array of a binary file. Arrays without a type are float64. */
interface StoredArray {
  readonly name: string;
  readonly shape: readonly number[];
  /** Bytes from the start of the arrays. */
  readonly offset: number;
  readonly dtype?: StoredNumbers;
}

/** The vectors of a stored transform. The components come last, because only their size depends on the type. */
const TRANSFORM_VECTORS = [
  ['mean', 'd'],
  ['scale', 'd'],
  ['deviations', 'k'],
] as const;

/** The arrays of a model, or, with a type of the components, those of a transform. */
function layout(k: number, d: number, dtype?: StoredNumbers): StoredArray[] {
  const vectors = (dtype ? TRANSFORM_VECTORS : VECTORS).map(([name, size]) => ({
    name,
    shape: [size === 'd' ? d : k],
  }));
  const components = { name: 'components', shape: [k, d], ...(dtype ? { dtype } : {}) };
  let offset = 0;
  return (dtype ? [...vectors, components] : [components, ...vectors]).map((array) => {
    const at = offset;
    offset += sizeOf([array]);
    return { ...array, offset: at };
  });
}

/** The bytes that arrays take together. */
function sizeOf(arrays: readonly Omit<StoredArray, 'offset'>[]): number {
  return arrays.reduce((sum, { shape, dtype }) => sum + count(shape) * (dtype === 'float32' ? 4 : 8), 0);
}

function count(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function arraysStart(headerLength: number): number {
  return Math.ceil((16 + headerLength) / 8) * 8;
}

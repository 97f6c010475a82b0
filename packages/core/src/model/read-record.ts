import { describeValue, ModelError } from '../errors.js';
import { demand, isObject } from './check-numbers.js';
import { recordOfComponents } from './from-components.js';
import type { ModelRecord } from './record.js';
import { fromBinary, fromJSON, numbersFromJSON, parseModel, transformFromBinary } from './serialize.js';
import { type TransformRecord, transformOfComponents } from './transform-record.js';

/**
 * Reads the record of a model: JSON (text, object or the bytes of the text), the binary form, a copy that `structuredClone` or
 * `postMessage` made, or components of other software. Checks only the checksum and those components.
 */
export function readRecord(source: string | object | Uint8Array | ArrayBuffer): ModelRecord {
  return read(source, fromBinary, fromJSON, recordOfComponents);
}

/** As `readRecord`, for the numbers that transform rows. Also reads a file that has only these. */
export function readTransform(source: string | object | Uint8Array | ArrayBuffer): ModelRecord | TransformRecord {
  return read<ModelRecord | TransformRecord>(source, transformFromBinary, numbersFromJSON, transformOfComponents);
}

function read<Read>(
  source: string | object | Uint8Array | ArrayBuffer,
  fromBytes: (bytes: Uint8Array) => Read,
  fromObject: (model: object) => Read,
  fromComponents: (given: object) => Read,
): Read | ModelRecord {
  const bytes = bytesOf(source);
  if (bytes && !isText(bytes)) return fromBytes(bytes);
  if (isCloned(source)) return source;
  const text = bytes ? new TextDecoder().decode(bytes) : source;
  const given = typeof text === 'string' ? parseModel(text) : text;
  demand(isObject(given), () => `a model is JSON or bytes, not ${describeValue(given)}`);
  const model = given as object;
  demand(!('covariance' in model), 'it is a covariance matrix: use modelFrom of @scree/core/exchange');
  return !('format' in model) && ('components' in model || 'rotation' in model)
    ? fromComponents(model)
    : fromObject(model);
}

/** The bytes of a view or buffer of any realm. */
function bytesOf(source: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const tag = Object.prototype.toString.call(source);
  return /\[object (Shared)?ArrayBuffer\]/.test(tag) ? new Uint8Array(source as ArrayBuffer) : undefined;
}

/** Returns true if the bytes are JSON text: an opening brace after white space or a byte order mark. */
function isText(bytes: Uint8Array): boolean {
  const at = bytes.findIndex((byte, i) => !(byte <= 0x20 || (i < 3 && byte === [0xef, 0xbb, 0xbf][i])));
  return bytes[at] === 0x7b;
}

/** Returns true for a structured clone of a model: its arrays are typed arrays, and those of JSON are not. */
function isCloned(source: unknown): source is ModelRecord {
  if (typeof source !== 'object' || source === null || 'format' in source || !('plan' in source)) return false;
  const { components, mean } = source as Partial<ModelRecord>;
  return ArrayBuffer.isView(mean) && typeof components === 'object' && ArrayBuffer.isView(components?.data);
}

/**
 * Converts any error of reading or checking a model into a `ModelError`. An object may be nested too deeply, may throw when it is
 * read, or may not be cloneable.
 */
export function modelError(error: unknown): ModelError {
  return error instanceof ModelError
    ? error
    : new ModelError(
        'BAD_MODEL',
        `This is not a model: ${error instanceof Error ? error.message : describeValue(error)}.`,
      );
}

import type { Encoding, ParquetType, SchemaElement } from 'hyparquet';
import { textOf } from '../bytes/text.js';
import { wasRounded } from '../table/rounded-integers.js';
import { nextByte, readDeltas, readVarint } from './delta.js';
import { decimalOf } from './schema.js';

/** Values of a page. An offset outside the page, or a count that it cannot hold, is a RangeError. */

/** Bytes of values: where they begin, and where the page ends. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** Values as they are stored: numbers, or the bytes of each. */
export type Stored = Float64Array | readonly Uint8Array[];

/** Told the index of every whole number that float64 cannot hold. */
export type OnRounded = (index: number) => void;

/** So many values of a page in one of Parquet's encodings, other than those that go by a dictionary. */
export function readValues(
  span: Span,
  encoding: Encoding | undefined,
  count: number,
  element: SchemaElement,
  onRounded: OnRounded,
): Stored {
  const { type } = element;
  switch (encoding) {
    case 'PLAIN':
      return readPlain(span, type, count, element, onRounded);
    case 'RLE': {
      if (type !== 'BOOLEAN') break;
      const bits = new Uint32Array(count);
      const length = viewOf(span).getUint32(0, true);
      readRuns(span.bytes, span.at + 4, span.at + 4 + length, 1, bits);
      return Float64Array.from(bits);
    }
    case 'DELTA_BINARY_PACKED': {
      if (type !== 'INT32' && type !== 'INT64') break;
      const halves = readDeltas({ ...span }, count);
      return integers(type === 'INT32' ? lowHalves(halves) : new BigInt64Array(halves.buffer), element, onRounded);
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      const cursor = { ...span };
      const lengths = lowHalves(readDeltas(cursor, count));
      return cut(cursor, lengths, undefined);
    }
    case 'DELTA_BYTE_ARRAY': {
      const cursor = { ...span };
      const prefixes = lowHalves(readDeltas(cursor, count));
      const suffixes = lowHalves(readDeltas(cursor, count));
      return cut(cursor, suffixes, prefixes);
    }
    case 'BYTE_STREAM_SPLIT': {
      const width = widthOf(type, element);
      fits(span, count * width);
      return readPlain({ bytes: joinedStreams(span, count, width), at: 0 }, type, count, element, onRounded);
    }
    default:
  }
  throw new RangeError(`values of type ${type} are encoded by ${encoding}, which is not read`);
}

function readPlain(
  span: Span,
  type: ParquetType | undefined,
  count: number,
  element: SchemaElement,
  onRounded: OnRounded,
): Stored {
  if (type === 'BYTE_ARRAY') return fromBytes(plainBytes(span, count), element);
  if (type === 'BOOLEAN') {
    fits(span, Math.ceil(count / 8));
    return Float64Array.from({ length: count }, (_, i) => (span.bytes[span.at + (i >> 3)] >> (i & 7)) & 1);
  }
  const width = widthOf(type, element);
  fits(span, count * width);
  // More than the values: what stands before them was not read as it was written.
  if (span.bytes.length - span.at !== count * width) throw new RangeError('a page holds more than its values');
  if (type === 'FIXED_LEN_BYTE_ARRAY') {
    const { bytes, at } = span;
    return fromBytes(
      Array.from({ length: count }, (_, i) => bytes.subarray(at + i * width, at + (i + 1) * width)),
      element,
    );
  }
  // A copy: values of a page begin anywhere.
  const { buffer } = span.bytes.slice(span.at, span.at + count * width);
  if (type === 'DOUBLE') return new Float64Array(buffer);
  if (type === 'FLOAT') return Float64Array.from(new Float32Array(buffer));
  return integers(type === 'INT32' ? new Int32Array(buffer) : new BigInt64Array(buffer), element, onRounded);
}

function widthOf(type: ParquetType | undefined, { type_length: length = 0 }: SchemaElement): number {
  if (type === 'DOUBLE' || type === 'INT64') return 8;
  if (type === 'FLOAT' || type === 'INT32') return 4;
  if (type === 'FIXED_LEN_BYTE_ARRAY' && length > 0) return length;
  throw new RangeError(`values of type ${type} are not read`);
}

function plainBytes({ bytes, at: start }: Span, count: number): Uint8Array[] {
  if (count > (bytes.length - start) / 4) throw new RangeError('a page holds fewer values than it says');
  const view = viewOf({ bytes, at: 0 });
  const values = new Array<Uint8Array>(count);
  for (let i = 0, at = start; i < count; i++) {
    const length = view.getUint32(at, true);
    at += 4;
    if (at + length > bytes.length) throw new RangeError('a value goes beyond its page');
    values[i] = bytes.subarray(at, at + length);
    at += length;
  }
  return values;
}

function lowHalves(halves: Uint32Array): Int32Array {
  const out = new Int32Array(halves.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = halves[2 * i];
  return out;
}

/** Values of which the first bytes are stored together, then the second bytes, and so on. */
function joinedStreams({ bytes, at }: Span, count: number, width: number): Uint8Array {
  const out = new Uint8Array(count * width);
  for (let b = 0; b < width; b++) {
    for (let i = 0; i < count; i++) out[i * width + b] = bytes[at + b * count + i];
  }
  return out;
}

/** Byte strings that are stored one after another. Each begins with as many bytes of the one before as its prefix says. */
function cut({ bytes, at: start }: Span, lengths: Int32Array, prefixes: Int32Array | undefined): Uint8Array[] {
  const values = new Array<Uint8Array>(lengths.length);
  let before = new Uint8Array(0) as Uint8Array;
  for (let i = 0, at = start; i < lengths.length; i++) {
    const [length, shared] = [lengths[i], prefixes?.[i] ?? 0];
    if (!(length >= 0 && at + length <= bytes.length && shared >= 0 && shared <= before.length))
      throw new RangeError('a value goes beyond its page');
    const rest = bytes.subarray(at, at + length);
    at += length;
    if (shared > 0) {
      const value = new Uint8Array(shared + length);
      value.set(before.subarray(0, shared));
      value.set(rest, shared);
      before = value;
    } else before = rest;
    values[i] = before;
  }
  return values;
}

/** Whole numbers as the type understands their bits; decimals get their point. */
function integers(values: Int32Array | BigInt64Array, element: SchemaElement, onRounded: OnRounded): Float64Array {
  const out = new Float64Array(values.length);
  const { converted_type: converted, logical_type: logical } = element;
  const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL';
  const unsigned = converted?.startsWith('UINT') || (logical?.type === 'INTEGER' && !logical.isSigned);
  if (values instanceof Int32Array) {
    const { buffer, byteOffset, length } = values;
    out.set(unsigned ? new Uint32Array(buffer, byteOffset, length) : values);
  } else {
    const low = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    const high = unsigned ? low : new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    // Both halves are exact and the sum is rounded once.
    for (let i = 0; i < out.length; i++) {
      const [upper, lower] = [high[2 * i + 1], low[2 * i]];
      out[i] = upper * 2 ** 32 + lower;
      if (!isDecimal && wasRounded(out[i], upper, lower)) onRounded(i);
    }
  }
  if (isDecimal) {
    const power = 10 ** decimalOf(element).scale;
    for (let i = 0; i < out.length; i++) out[i] /= power;
  }
  return out;
}

/** Bytes that stand for numbers: decimals and half floats. */
function fromBytes(values: readonly Uint8Array[], element: SchemaElement): Stored {
  const { converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const power = 10 ** decimalOf(element).scale;
    return Float64Array.from(values, (bytes) => bigEndian(bytes) / power);
  }
  return logical?.type === 'FLOAT16' ? Float64Array.from(values, half) : values;
}

function bigEndian(bytes: Uint8Array): number {
  let value = 0n;
  for (const byte of bytes.subarray(0, 64)) value = (value << 8n) | BigInt(byte);
  return Number(BigInt.asIntN(8 * Math.min(64, bytes.length), value));
}

function half(bytes: Uint8Array): number {
  const bits = bytes[0] | (bytes[1] << 8);
  const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

/** A value's bytes as text. */
export function textOfValue(bytes: Uint8Array, { logical_type: logical }: SchemaElement): string {
  if (logical?.type !== 'UUID') return textOf(bytes);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Runs of one number, or of numbers packed bit by bit, until `out` is full. Nothing is written beyond its end, whatever a
 * run claims.
 */
export function readRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  width: number,
  out: Uint8Array | Uint32Array,
): void {
  if (end > bytes.length || width > 32) throw new RangeError('runs go beyond their page');
  const cursor = { bytes, at: start };
  for (let filled = 0; filled < out.length; ) {
    if (cursor.at >= end) throw new RangeError('runs end early');
    const header = readVarint(cursor);
    const count = Math.floor(header / 2);
    if (header % 2 === 0) {
      let value = 0;
      for (let i = 0; i < Math.ceil(width / 8); i++) value += nextByte(cursor) * 2 ** (8 * i);
      const to = Math.min(out.length, filled + count);
      out.fill(value, filled, to);
      filled = to;
    } else {
      filled = unpackBits(
        bytes.subarray(cursor.at, Math.min(end, cursor.at + count * width)),
        width,
        out,
        filled,
        8 * count,
      );
      cursor.at += count * width;
    }
  }
}

function unpackBits(
  bytes: Uint8Array,
  width: number,
  out: Uint8Array | Uint32Array,
  from: number,
  count: number,
): number {
  const to = Math.min(out.length, from + count);
  if (Math.ceil(((to - from) * width) / 8) > bytes.length) throw new RangeError('runs end early');
  let [at, bits, held] = [0, 0, 0];
  const mask = 2 ** width;
  for (let i = from; i < to; i++) {
    // Up to 32 bits and 7 more: beyond what shifts can do.
    while (held < width) {
      bits += bytes[at++] * 2 ** held;
      held += 8;
    }
    out[i] = bits % mask;
    bits = Math.floor(bits / mask);
    held -= width;
  }
  return to;
}

function fits({ bytes, at }: Span, needed: number): void {
  if (!(needed <= bytes.length - at)) throw new RangeError('a page holds fewer values than it says');
}

function viewOf({ bytes, at }: Span): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
}

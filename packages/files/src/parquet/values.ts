import { wasRounded } from '../table/rounded-integers.js';
import { readDeltas } from './delta.js';
import type { SchemaElement } from './footer.js';
import type { PageEncoding } from './page-header.js';
import { readRuns } from './runs.js';
import { decimalOf } from './schema.js';

/** Values of a page. An offset outside the page, or a count that it cannot hold, is a RangeError. */

/** Bytes of values: where they begin, and where the page ends. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Zeros that may follow the values. */
  readonly padding?: number | undefined;
}

/** fastparquet writes eight zeros after the values of pages of version 1. In those of version 2 they would hide damaged levels. */
export const PADDING = 8;

/** Values as they are stored: numbers of their physical type, or the bytes of each. */
export type Stored = Float64Array | Float32Array | Int32Array | BigInt64Array | readonly Uint8Array[];

/** Told the index of every whole number that float64 cannot hold. */
export type OnRounded = (index: number) => void;

/** True if an encoding stores codes of a dictionary. */
export function isCoded(encoding: PageEncoding | undefined): boolean {
  return encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY';
}

/** Reads `count` codes of a dictionary. The byte before them has the number of bits of each. */
export function readCodes({ bytes, at }: Span, codes: Uint32Array): void {
  if (codes.length === 0) return;
  const width = bytes[at];
  if (width === undefined) throw new RangeError('a page is empty');
  readRuns(bytes, at + 1, bytes.length, width, codes);
}

/** So many values of a page in one of Parquet's encodings, other than those that go by a dictionary. They may be views of the page. */
export function readValues(
  span: Span,
  encoding: PageEncoding | undefined,
  count: number,
  element: SchemaElement,
): Stored {
  const { type } = element;
  switch (encoding) {
    case 'PLAIN':
      return readPlain(span, count, element);
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
      return type === 'INT32' ? lowHalves(halves) : new BigInt64Array(halves.buffer);
    }
    case 'DELTA_LENGTH_BYTE_ARRAY': {
      if (type !== 'BYTE_ARRAY') break;
      const cursor = { ...span };
      const lengths = lowHalves(readDeltas(cursor, count));
      return cut(cursor, lengths, undefined);
    }
    case 'DELTA_BYTE_ARRAY': {
      if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY') break;
      const cursor = { ...span };
      const prefixes = lowHalves(readDeltas(cursor, count));
      const suffixes = lowHalves(readDeltas(cursor, count));
      const values = cut(cursor, suffixes, prefixes);
      if (type === 'FIXED_LEN_BYTE_ARRAY' && values.some(({ length }) => length !== element.length))
        throw new RangeError('a value has another length than its type');
      return values;
    }
    case 'BYTE_STREAM_SPLIT': {
      const width = widthOf(element);
      fits(span, count * width);
      return readPlain({ bytes: joinedStreams(span, count, width), at: 0 }, count, element);
    }
    default:
  }
  throw new RangeError(`values of type ${type} are encoded by ${encoding}, which is not read`);
}

function readPlain(span: Span, count: number, element: SchemaElement): Stored {
  const { type } = element;
  if (type === 'BYTE_ARRAY') return plainBytes(span, count);
  if (type === 'BOOLEAN') {
    fits(span, Math.ceil(count / 8));
    const { bytes, at } = span;
    const bits = new Float64Array(count);
    for (let i = 0; i < count; i++) bits[i] = (bytes[at + (i >> 3)] >> (i & 7)) & 1;
    return bits;
  }
  const width = widthOf(element);
  fits(span, count * width);
  const { bytes, at } = span;
  const end = at + count * width;
  const rest = bytes.length - end;
  // More than the values: what stands before them was not read as it was written.
  if (rest > 0 && !(rest === span.padding && bytes.subarray(end).every((byte) => byte === 0)))
    throw new RangeError('a page holds more than its values');
  if (type === 'FIXED_LEN_BYTE_ARRAY' || type === 'INT96')
    return Array.from({ length: count }, (_, i) => bytes.subarray(at + i * width, at + (i + 1) * width));
  // Values of a page begin anywhere, and those of an array where their width divides the address.
  const start = bytes.byteOffset + at;
  const aligned = start % width === 0;
  const buffer = aligned ? bytes.buffer : bytes.slice(at, end).buffer;
  const offset = aligned ? start : 0;
  if (type === 'DOUBLE') return new Float64Array(buffer, offset, count);
  if (type === 'FLOAT') return new Float32Array(buffer, offset, count);
  return type === 'INT32' ? new Int32Array(buffer, offset, count) : new BigInt64Array(buffer, offset, count);
}

function widthOf({ type, length }: SchemaElement): number {
  if (type === 'DOUBLE' || type === 'INT64') return 8;
  if (type === 'FLOAT' || type === 'INT32') return 4;
  if (type === 'INT96') return 12;
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
  const out = new Uint8Array(bytes.length - at);
  for (let b = 0; b < width; b++) {
    for (let i = 0, to = b, from = at + b * count; i < count; i++, to += width) out[to] = bytes[from + i];
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

/** Writes values as the numbers that their type means: unsigned integers, decimals, half floats. */
export function writeNumbers(values: Stored, element: SchemaElement, out: Float64Array, onRounded: OnRounded): void {
  const { converted, logical } = element;
  const isDecimal = converted === 'DECIMAL' || logical?.name === 'DECIMAL';
  if (values instanceof Float64Array || values instanceof Float32Array) {
    out.set(values);
    return;
  }
  if (isDecimal) {
    writeDecimals(values, decimalOf(element).scale, out);
    return;
  }
  if (values instanceof Int32Array || values instanceof BigInt64Array) {
    const unsigned = converted?.startsWith('UINT') || (logical?.name === 'INTEGER' && !logical.signed);
    if (values instanceof BigInt64Array) writeLong(values, unsigned, out, onRounded);
    else if (unsigned) for (let i = 0; i < values.length; i++) out[i] = values[i] >>> 0;
    else for (let i = 0; i < values.length; i++) out[i] = values[i];
  } else if (logical?.name === 'FLOAT16') for (let i = 0; i < values.length; i++) out[i] = half(values[i]);
  else throw new RangeError('a column of numbers holds none');
}

/** Integers from here on are not all float64, and neither are powers of ten. */
const [INEXACT, INEXACT_POWER] = [2 ** 53, 22];

/** Decimals: whole numbers divided by a power of ten. Both are exact and the quotient is rounded once; other decimals go through text. */
function writeDecimals(
  values: Int32Array | BigInt64Array | readonly Uint8Array[],
  scale: number,
  out: Float64Array,
): void {
  const power = 10 ** scale;
  for (let i = 0; i < values.length; i++) {
    const stored = values[i];
    const whole = typeof stored === 'object' ? bigEndianNumber(stored) : Number(stored);
    const isExact = Math.abs(whole) < INEXACT && scale <= INEXACT_POWER;
    out[i] = isExact ? whole / power : Number(`${typeof stored === 'object' ? bigEndian(stored) : stored}e-${scale}`);
  }
}

/** 64-bit integers, by their halves: both are exact, and the sum is rounded once. */
function writeLong(
  { buffer, byteOffset, length }: BigInt64Array,
  unsigned: boolean | undefined,
  out: Float64Array,
  onRounded: OnRounded,
): void {
  const low = new Uint32Array(buffer, byteOffset, 2 * length);
  const high = unsigned ? low : new Int32Array(buffer, byteOffset, 2 * length);
  for (let i = 0; i < length; i++) {
    const [upper, lower] = [high[2 * i + 1], low[2 * i]];
    const value = upper * 2 ** 32 + lower;
    out[i] = value;
    if (wasRounded(value, upper, lower)) onRounded(i);
  }
}

/** A number of two's complement, its highest byte first. */
export function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes.subarray(0, 64)) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * Math.min(64, bytes.length), value);
}

/** The same as a number: without bigint where 48 bits are enough, as for most decimals. */
function bigEndianNumber(bytes: Uint8Array): number {
  const sign = bytes[0] & 0x80 ? 0xff : 0;
  let at = 0;
  while (bytes[at] === sign) at++;
  if (bytes.length - at > 6) return Number(bigEndian(bytes));
  let value = sign ? -1 : 0;
  for (; at < bytes.length; at++) value = value * 256 + bytes[at];
  return value;
}

/** A number of half precision. */
export function half(bytes: Uint8Array): number {
  const bits = bytes[0] | (bytes[1] << 8);
  const [sign, exponent, mantissa] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25));
}

function fits({ bytes, at }: Span, needed: number): void {
  if (!(needed <= bytes.length - at)) throw new RangeError('a page holds fewer values than it says');
}

function viewOf({ bytes, at }: Span): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
}

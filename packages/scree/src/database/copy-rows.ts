import { wasRounded } from '@scree/files/platform';

/** Number types in the form in which binary COPY sends them. */
export type CopyType = 'bool' | 'int2' | 'int4' | 'int8' | 'float4' | 'float8' | 'numeric' | 'text';

/** The first bytes of binary COPY. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER = SIGNATURE.length + 8;

/**
 * Rows of binary COPY (Postgres docs: COPY, "Binary Format"), from chunks that end anywhere. After `next` has returned true, field j
 * of the row is at `starts[j]` of `bytes` and has `lengths[j]` bytes, −1 if it is NULL.
 */
export class CopyRows {
  bytes: Buffer = Buffer.alloc(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  /** True if the end marker was read. Without it the data are cut off. */
  ended = false;
  #at = 0;
  #begun = false;
  /** Minimum size of the row in bytes, by the lengths of its fields that have been read. */
  #claimed = 0;
  /** The buffer whose first part is `bytes`. The rest is free, for further chunks of a row that is larger than one chunk. */
  #room: Buffer = this.bytes;

  constructor(fields: number) {
    this.starts = new Int32Array(fields);
    this.lengths = new Int32Array(fields);
  }

  /** Size of an incomplete row in bytes: the bytes received, or more if the lengths of its fields claim more. */
  get waiting(): number {
    return Math.max(this.bytes.length - this.#at, this.#claimed);
  }

  push(chunk: Uint8Array): void {
    const rest = this.bytes.length - this.#at;
    if (rest === 0) {
      this.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      this.#room = this.bytes;
      this.#at = 0;
    } else {
      const end = this.bytes.length;
      if (end + chunk.length > this.#room.length) this.#makeRoom(rest + chunk.length);
      else this.bytes = this.#room.subarray(0, end + chunk.length);
      this.bytes.set(chunk, this.bytes.length - chunk.length);
    }
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
  }

  /** Moves the unread bytes to a larger buffer, so that a row of many chunks is not moved once per chunk. */
  #makeRoom(size: number): void {
    const room = Buffer.allocUnsafe(this.#claimed > size ? this.#claimed : 2 * size);
    this.bytes.copy(room, 0, this.#at);
    this.#room = room;
    this.bytes = room.subarray(0, size);
    this.#at = 0;
  }

  /** Goes to the next row. Returns false if the row is incomplete or there are no more rows. */
  next(): boolean {
    if (!this.#begun && !this.#begin()) return false;
    const { view, starts, lengths } = this;
    const size = view.byteLength;
    let at = this.#at;
    this.#claimed = 0;
    if (this.ended || at + 2 > size) return false;
    const fields = view.getInt16(at);
    at += 2;
    if (fields === -1) {
      this.ended = true;
      return false;
    }
    if (fields !== starts.length) throw new CopyFormatError('row', `has ${fields} fields, not ${starts.length}`);
    for (let j = 0; j < fields; j++) {
      if (at + 4 > size) return this.#needs(at + 4);
      const length = view.getInt32(at);
      if (length < -1) throw new CopyFormatError('row', `has a field of ${length} bytes`);
      at += 4;
      starts[j] = at;
      lengths[j] = length;
      if (length > 0) at += length;
    }
    if (at > size) return this.#needs(at);
    this.#at = at;
    return true;
  }

  #needs(end: number): false {
    this.#claimed = end - this.#at;
    return false;
  }

  #begin(): boolean {
    if (this.bytes.length < HEADER) return false;
    if (SIGNATURE.compare(this.bytes, 0, SIGNATURE.length) !== 0)
      throw new CopyFormatError('all', 'they do not begin as it does');
    const extension = this.view.getInt32(SIGNATURE.length + 4);
    if (extension < 0) throw new CopyFormatError('all', `their header has an extension of ${extension} bytes`);
    if (this.bytes.length < HEADER + extension) return this.#needs(HEADER + extension);
    this.#at = HEADER + extension;
    this.#begun = true;
    return true;
  }
}

/** Rows that are not binary COPY. */
export class CopyFormatError extends Error {
  /** The subject of the message: all rows, one row, or a value of a row. */
  readonly of: 'all' | 'row' | 'value';

  constructor(of: CopyFormatError['of'], message: string) {
    super(message);
    this.of = of;
  }
}

function wrongSize(length: number, type: CopyType, right: number): CopyFormatError {
  return new CopyFormatError('value', `has ${length} bytes for a value of type ${type}, which takes ${right}`);
}

/** A number as float64, from `length` bytes. `rounded` is called for a whole number that float64 cannot hold. */
export function numberAt(view: DataView, at: number, length: number, type: CopyType, rounded: () => void): number {
  switch (type) {
    case 'float8':
      if (length !== 8) throw wrongSize(length, type, 8);
      return view.getFloat64(at);
    case 'float4':
      if (length !== 4) throw wrongSize(length, type, 4);
      return view.getFloat32(at);
    case 'int4':
      if (length !== 4) throw wrongSize(length, type, 4);
      return view.getInt32(at);
    case 'int2':
      if (length !== 2) throw wrongSize(length, type, 2);
      return view.getInt16(at);
    case 'bool':
      if (length !== 1) throw wrongSize(length, type, 1);
      return view.getUint8(at);
    case 'int8': {
      if (length !== 8) throw wrongSize(length, type, 8);
      const [high, low] = [view.getInt32(at), view.getUint32(at + 4)];
      const value = high * 2 ** 32 + low;
      if (wasRounded(value, high, low)) rounded();
      return value;
    }
    case 'numeric':
      checkNumeric(view, at, length);
      return numericAt(view, at, rounded);
    case 'text':
      throw new TypeError('text is not a number');
  }
}

/** The header of an array: the number of its entries in all dimensions, and the offset of the first entry. */
export function arrayHead(
  view: DataView,
  at: number,
  size: number,
): { readonly length: number; readonly first: number } {
  const dimensions = size < ARRAY_HEADER ? -1 : view.getInt32(at);
  if (dimensions < 0 || dimensions > MOST_DIMENSIONS || ARRAY_HEADER + 8 * dimensions > size)
    throw new CopyFormatError('value', `has ${size} bytes that are not an array`);
  let length = dimensions === 0 ? 0 : 1;
  for (let i = 0; i < dimensions; i++) {
    const count = view.getInt32(at + ARRAY_HEADER + 8 * i);
    if (count < 0) throw new CopyFormatError('value', `has an array with a dimension of ${count}`);
    length *= count;
  }
  return { length, first: at + ARRAY_HEADER + 8 * dimensions };
}

/** The length of an entry of an array that ends at `end`; −1 if it is NULL. */
export function entryLength(view: DataView, at: number, end: number): number {
  const length = at + 4 > end ? -2 : view.getInt32(at);
  if (length < -1 || at + 4 + length > end)
    throw new CopyFormatError('value', 'has an array that ends before its last entry');
  return length;
}

/** Bytes before the dimensions of an array, and Postgres's maximum number of dimensions. */
const ARRAY_HEADER = 12;
const MOST_DIMENSIONS = 6;

/** The largest power of ten that float64 holds exactly is 10^22; digits come in groups of four. */
const EXACT_POWERS = [1, 1e4, 1e8, 1e12, 1e16, 1e20];

/**
 * A `numeric` is sign · Σ digit_i · 10000^(weight − i). If the digits are a whole number below 2^53 and the power of ten is at most 10^20,
 * both are exact in float64, and their product or quotient is correctly rounded. Otherwise the digits are read as decimal text, which is
 * correctly rounded too.
 */
function numericAt(view: DataView, at: number, rounded: () => void): number {
  const count = view.getUint16(at);
  const sign = view.getUint16(at + 4);
  if (sign > NEGATIVE) return sign === NAN ? Number.NaN : sign === INFINITE ? Number.POSITIVE_INFINITY : -Infinity;
  const last = view.getInt16(at + 2) - count + 1;
  let whole = 0;
  for (let i = 0; i < count; i++) whole = whole * 10_000 + view.getUint16(at + 8 + 2 * i);
  if (whole < 2 ** 53 && Math.abs(last) < EXACT_POWERS.length) {
    const value = last < 0 ? whole / EXACT_POWERS[-last] : whole * EXACT_POWERS[last];
    if (value < 2 ** 53) return sign === NEGATIVE ? -value : value;
  }
  const text = numericText(view, at);
  const value = Number(text);
  // The last group of digits of a whole number is before the decimal point.
  if (last >= 0 && Number.isFinite(value) && BigInt(text.replace(/\..*$/, '')) !== BigInt(value)) rounded();
  return value;
}

const NEGATIVE = 0x4000;
const NAN = 0xc000;
const INFINITE = 0xd000;
const MINUS_INFINITE = 0xf000;

/** Checks a `numeric`: four 16-bit numbers, then groups of digits. The first number is the number of groups. */
function checkNumeric(view: DataView, at: number, length: number): void {
  const right = length < 8 ? 8 : 8 + 2 * view.getUint16(at);
  if (length !== right) throw wrongSize(length, 'numeric', right);
  const sign = view.getUint16(at + 4);
  if (sign !== 0 && sign !== NEGATIVE && sign !== NAN && sign !== INFINITE && sign !== MINUS_INFINITE)
    throw new CopyFormatError('value', `has a value of type numeric with the sign ${sign}`);
  for (let i = at + 8; i < at + length; i += 2) {
    if (view.getUint16(i) > 9999)
      throw new CopyFormatError('value', `has a value of type numeric with the digits ${view.getUint16(i)}`);
  }
}

/** A `numeric` as Postgres writes it. */
function numericText(view: DataView, at: number): string {
  const [count, weight, sign, scale] = [
    view.getUint16(at),
    view.getInt16(at + 2),
    view.getUint16(at + 4),
    view.getUint16(at + 6),
  ];
  if (sign > NEGATIVE) return sign === NAN ? 'NaN' : sign === INFINITE ? 'Infinity' : '-Infinity';
  const group = (i: number): string =>
    String(i >= 0 && i < count ? view.getUint16(at + 8 + 2 * i) : 0).padStart(4, '0');
  let [whole, fraction] = ['', ''];
  for (let i = 0; i <= weight; i++) whole += group(i);
  for (let i = weight + 1; fraction.length < scale; i++) fraction += group(i);
  const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${scale > 0 ? `.${fraction.slice(0, scale)}` : ''}`;
  return sign === NEGATIVE ? `-${digits}` : digits;
}

/** A value as the name of a row. */
export function textAt({ view, bytes }: CopyRows, at: number, length: number, type: CopyType): string {
  if (type === 'text') return bytes.toString('utf8', at, at + length);
  const value = numberAt(view, at, length, type, () => {});
  if (type === 'bool') return value === 1 ? 'true' : 'false';
  if (type === 'int8') return String(view.getBigInt64(at));
  if (type === 'numeric') return numericText(view, at);
  // The shortest decimal that is this float32.
  if (type === 'float4') return shortestFloat32(value);
  return String(value);
}

function shortestFloat32(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

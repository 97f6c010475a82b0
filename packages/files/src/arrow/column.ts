import { decodeHalf } from '@scree/core/data';
import { unpackLz4 } from '../archive/lz4.js';
import type { Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { textOf } from '../bytes/text.js';
import { badFile, FileError } from '../file-error.js';
import { wasRounded } from '../table/rounded-integers.js';
import { decimals } from './decimal.js';
import { bytesAt, type Field, type RecordBatch, type ValueType } from './format.js';

/** The indexes of a field's description and buffers in a batch. */
export interface FieldLocation {
  readonly fieldNode: number;
  readonly buffer: number;
}

/** Finds each field by counting the nodes and buffers before it, children included. Each must be as long as its batch. */
export function locateFields(fields: readonly Field[], batch: RecordBatch, path: string): FieldLocation[] {
  let [fieldNode, buffer, variadic] = [0, 0, 0];
  const pass = ({ type, dictionary, children }: Field): void => {
    fieldNode++;
    if (dictionary) {
      buffer += 2;
      return;
    }
    buffer += type.buffers;
    if (type.variadic) buffer += batch.variadic[variadic++] ?? 0;
    for (const child of children) pass(child);
  };
  return fields.map((field) => {
    const location = { fieldNode, buffer };
    const length = batch.nodes[2 * fieldNode];
    if (length !== batch.length)
      throw badFile(path, `a column of ${length} values is in a batch of ${batch.length} rows`);
    pass(field);
    return location;
  });
}

/** Vectors or lists: their numbers, and the start and length of each. */
export interface Vectors {
  readonly values: ArrayLike<number>;
  readonly starts: Float64Array;
  readonly lengths: Float64Array;
}

/** Lists read at once in search of the first that is not missing. */
const LISTS = 1 << 12;

/** The buffers of one batch of rows: plain ones are read in parts, packed ones as a whole. */
export class BatchReader {
  readonly #file: SeekableBytes;
  readonly #batch: RecordBatch;
  readonly #limit: number;
  readonly #unpackers: Unpackers;
  readonly #unpacked = new Map<number, Uint8Array>();
  #kept = 0;

  /** `limit` is the number of unpacked bytes that may be kept at once. */
  constructor(file: SeekableBytes, batch: RecordBatch, limit: number, unpackers: Unpackers) {
    this.#file = file;
    this.#batch = batch;
    this.#limit = limit;
    this.#unpackers = unpackers;
  }

  /** Numbers from…from + count − 1 of a field; missing ones are NaN. `rounded` is told which integers were rounded. */
  async numbers(
    location: FieldLocation,
    type: ValueType,
    from: number,
    count: number,
    length: number,
    rounded?: (index: number) => void,
  ): Promise<ArrayLike<number>> {
    const bits = type.size;
    const first = Math.floor((from * bits) / 8);
    const bytes = await this.#part(
      location.buffer + 1,
      first,
      Math.ceil(((from + count) * bits) / 8) - first,
      Math.ceil((length * bits) / 8),
    );
    const values = view(bytes, type, from, count);
    const valid = await this.valid(location, from, count, length);
    if (rounded && type.size === 64 && (type.kind === 'int' || type.kind === 'uint')) {
      const halves = new DataView(bytes.buffer, bytes.byteOffset, 8 * count);
      for (let i = 0; i < count; i++) {
        const high = type.kind === 'int' ? halves.getInt32(8 * i + 4, true) : halves.getUint32(8 * i + 4, true);
        if (wasRounded(values[i], high, halves.getUint32(8 * i, true)) && valid?.(i) !== false) rounded(i);
      }
    }
    if (!valid) return values;
    const out = values instanceof Float32Array ? values : Float64Array.from(values);
    for (let i = 0; i < count; i++) if (!valid(i)) out[i] = Number.NaN;
    return out;
  }

  /** Texts from…from + count − 1 of a field. */
  async texts(
    location: FieldLocation,
    large: boolean,
    from: number,
    count: number,
    length: number,
  ): Promise<(string | null)[]> {
    if (length === 0) return [];
    const place = await this.#offsets(location, large, from, count, length);
    const [start, end] = [place(0), place(count)];
    if (!(start >= 0 && end >= start)) throw badFile(this.#file.path, 'texts lie outside their column');
    const data = await this.#part(location.buffer + 2, start, end - start, end);
    const valid = await this.valid(location, from, count, length);
    return Array.from({ length: count }, (_, i) => {
      if (valid && !valid(i)) return null;
      const [a, b] = [place(i) - start, place(i + 1) - start];
      if (!(a >= 0 && b >= a && b <= data.length)) throw badFile(this.#file.path, 'texts lie outside their column');
      return textOf(data, a, b);
    });
  }

  /** The offsets of texts or lists from…from + count in their values. */
  async #offsets(
    location: FieldLocation,
    large: boolean,
    from: number,
    count: number,
    length: number,
  ): Promise<(i: number) => number> {
    const each = large ? 8 : 4;
    const offsets = await this.#part(location.buffer + 1, from * each, (count + 1) * each, (length + 1) * each);
    const view = new DataView(offsets.buffer, offsets.byteOffset, offsets.byteLength);
    return (i) =>
      large ? view.getInt32(8 * i + 4, true) * 2 ** 32 + view.getUint32(8 * i, true) : view.getInt32(4 * i, true);
  }

  /** The length of the first list of a field that is not missing; undefined if all are missing. */
  async firstList(location: FieldLocation, { size }: ValueType, length: number): Promise<number | undefined> {
    for (let from = 0; from < length; from += LISTS) {
      const count = Math.min(LISTS, length - from);
      const valid = await this.valid(location, from, count, length);
      const first = valid ? Array.from({ length: count }, (_, i) => i).find(valid) : 0;
      if (first === undefined) continue;
      const place = await this.#offsets(location, size === 64, from + first, 1, length);
      return place(1) - place(0);
    }
    return undefined;
  }

  /**
   * Vectors or lists from…from + count − 1 of a field: the numbers of all, and the start and length of each. The length of a
   * missing one is −1.
   */
  async vectors(
    location: FieldLocation,
    field: Field,
    from: number,
    count: number,
    length: number,
    rounded: (index: number) => void,
  ): Promise<Vectors> {
    const { type, children } = field;
    const child = { fieldNode: location.fieldNode + 1, buffer: location.buffer + type.buffers };
    // Vectors are stored one after the other.
    const place =
      type.kind === 'vector'
        ? (i: number) => (from + i) * type.size
        : await this.#offsets(location, type.size === 64, from, count, length);
    const all = type.kind === 'vector' ? length * type.size : this.#batch.nodes[2 * child.fieldNode];
    const valid = await this.valid(location, from, count, length);
    const [start, end] = [place(0), place(count)];
    const starts = Float64Array.from({ length: count }, (_, i) => place(i) - start);
    const lengths = Float64Array.from({ length: count }, (_, i) => (valid && !valid(i) ? -1 : place(i + 1) - place(i)));
    if (!(start >= 0 && end <= all && starts.every((at, i) => at <= (starts[i + 1] ?? end - start))))
      throw badFile(this.#file.path, 'lists lie outside their column');
    return { values: await this.numbers(child, children[0].type, start, end - start, all, rounded), starts, lengths };
  }

  /** The bitmap of values that are not missing. Undefined if all rows have a value. */
  async valid(
    location: FieldLocation,
    from: number,
    count: number,
    length: number,
  ): Promise<((i: number) => boolean) | undefined> {
    const { nodes, buffers } = this.#batch;
    if (nodes[2 * location.fieldNode + 1] === 0 || buffers[2 * location.buffer + 1] === 0) return undefined;
    const first = from >> 3;
    const bits = await this.#part(location.buffer, first, Math.ceil((from + count) / 8) - first, Math.ceil(length / 8));
    const shift = from - 8 * first;
    return (i) => (bits[(i + shift) >> 3] & (1 << ((i + shift) & 7))) !== 0;
  }

  /** Part of a buffer, which must hold `needed` bytes as a whole. */
  async #part(buffer: number, from: number, length: number, needed: number): Promise<Uint8Array> {
    const { buffers, body, compression } = this.#batch;
    if (2 * buffer + 1 >= buffers.length) throw badFile(this.#file.path, 'a column has no values');
    const [offset, stored] = [buffers[2 * buffer], buffers[2 * buffer + 1]];
    if (length > this.#limit) throw this.#tooLarge(length);
    if (compression === 'none' || stored === 0) {
      if (stored < needed) throw badFile(this.#file.path, `a column needs ${needed} bytes and has ${stored}`);
      return bytesAt(this.#file, body + offset + from, length);
    }
    const whole = this.#unpacked.get(buffer) ?? (await this.#unpack(buffer, offset, stored, needed));
    if (whole.length < needed) throw badFile(this.#file.path, `a column needs ${needed} bytes and has ${whole.length}`);
    // A copy: numbers must begin at a multiple of their size.
    return whole.slice(from, from + length);
  }

  async #unpack(buffer: number, offset: number, stored: number, needed: number): Promise<Uint8Array> {
    const { path } = this.#file;
    const packed = await bytesAt(this.#file, this.#batch.body + offset, stored);
    if (stored < 8) throw badFile(path, 'a packed column has no size');
    const view = new DataView(packed.buffer, packed.byteOffset, 8);
    const size = view.getInt32(4, true) * 2 ** 32 + view.getUint32(0, true);
    // −1: the buffer is stored as it is, because packing would have made it longer.
    const content = packed.subarray(8);
    if (size !== -1 && (size < needed || size > 2 * needed + 1024))
      throw badFile(path, `a packed column claims ${size} bytes and needs ${needed}`);
    this.#kept += Math.max(size, stored);
    if (this.#kept > this.#limit) throw this.#tooLarge(this.#kept);
    const whole = size === -1 ? content : await this.#decompress(content, size);
    this.#unpacked.set(buffer, whole);
    return whole;
  }

  async #decompress(content: Uint8Array, size: number): Promise<Uint8Array> {
    const { path } = this.#file;
    const lz4 = this.#batch.compression === 'lz4';
    try {
      const out = lz4 ? unpackLz4(content, size) : await this.#unpackers.zstdPiece(content, size);
      if (out.length !== size) throw new RangeError(`${out.length} bytes instead of ${size}`);
      return out;
    } catch (error) {
      throw badFile(path, `a column does not unpack (${(error as Error).message})`);
    }
  }

  #tooLarge(bytes: number): FileError {
    return new FileError(
      'TOO_LARGE',
      this.#file.path,
      `A batch of rows in ${this.#file.path} takes ${bytes} bytes and more. Allow more memory, or write it in smaller batches.`,
      { value: bytes, reason: 'memory' },
    );
  }
}

/** Bytes, which begin at a multiple of eight, as numbers. */
function view(bytes: Uint8Array, type: ValueType, from: number, count: number): ArrayLike<number> {
  const buffer = bytes.buffer as ArrayBuffer;
  const [at, key] = [bytes.byteOffset, `${type.kind}${type.size}`];
  switch (key) {
    case 'decimal32':
    case 'decimal64':
    case 'decimal128':
    case 'decimal256':
      return decimals(new Uint32Array(buffer, at, (count * type.size) / 32), type, count);
    case 'float64':
      return new Float64Array(buffer, at, count);
    case 'float32':
      return new Float32Array(buffer, at, count);
    case 'float16':
      return decodeHalf(new Uint16Array(buffer, at, count));
    case 'int8':
      return new Int8Array(buffer, at, count);
    case 'int16':
      return new Int16Array(buffer, at, count);
    case 'int32':
      return new Int32Array(buffer, at, count);
    case 'uint8':
      return new Uint8Array(buffer, at, count);
    case 'uint16':
      return new Uint16Array(buffer, at, count);
    case 'uint32':
      return new Uint32Array(buffer, at, count);
    case 'bool1':
      return Uint8Array.from({ length: count }, (_, i) => (bytes[((from & 7) + i) >> 3] >> (((from & 7) + i) & 7)) & 1);
    default: {
      const low = new Uint32Array(buffer, at, 2 * count);
      const high = type.kind === 'int' ? new Int32Array(buffer, at, 2 * count) : low;
      return Float64Array.from({ length: count }, (_, i) => high[2 * i + 1] * 2 ** 32 + low[2 * i]);
    }
  }
}

/**
 * Thrift's compact protocol, as far as Parquet needs it. Every read is checked: bytes beyond the end, and another type than the
 * one that was asked for, are a RangeError.
 */

/** Types of fields. */
const [STOP, TRUE, FALSE, BYTE, INT64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT] = [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12];
const DEEPEST = 16;

/** Reads one field, of which the number and the type are known. */
type ReadField = (field: number, type: number) => void;

export class ThriftReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Bytes that were read. */
  get position(): number {
    return this.#at;
  }

  /** Calls `read` for every field of a struct. A field that `read` leaves alone is skipped. */
  fields(read: ReadField): void {
    if (++this.#depth > DEEPEST) throw new RangeError('a struct is too deep');
    for (let field = 0; ; ) {
      const header = this.#byte();
      const type = header & 15;
      if (header === STOP) break;
      field = header >> 4 === 0 ? zigzag(this.#varint()) : field + (header >> 4);
      const before = this.#at;
      read(field, type);
      if (this.#at === before) this.#skip(type);
    }
    this.#depth--;
  }

  /** Calls `read` for every field of a struct that is itself a field, or an item of a list. */
  struct(type: number, read: ReadField): void {
    expect(type === STRUCT, 'a struct');
    this.fields(read);
  }

  integer(type: number): number {
    if (type === BYTE) return this.#byte();
    expect(type > BYTE && type <= INT64, 'a whole number');
    return zigzag(this.#varint());
  }

  /** A whole number that is not negative. */
  count(type: number): number {
    const value = this.integer(type);
    if (value >= 0 && Number.isSafeInteger(value)) return value;
    throw new RangeError('a count that is none');
  }

  /** A boolean takes no bytes: its type is its value. */
  boolean(type: number): boolean {
    expect(type === TRUE || type === FALSE, 'true or false');
    return type === TRUE;
  }

  binary(type: number): Uint8Array {
    expect(type === BINARY, 'text');
    const length = this.#varint();
    this.#move(length);
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Calls `read` for every item of a list, after `begin` was told how many there are. An item that `read` leaves alone is skipped. */
  list(type: number, read: (type: number) => void, begin: (count: number) => void = () => {}): void {
    expect(type === LIST || type === SET, 'a list');
    const header = this.#byte();
    const count = header >> 4 === 15 ? this.#varint() : header >> 4;
    // Every item takes a byte or more.
    if (count > this.#bytes.length - this.#at) throw new RangeError('a list is cut off');
    begin(count);
    for (let i = 0; i < count; i++) {
      const before = this.#at;
      read(header & 15);
      if (this.#at === before) this.#skipItem(header & 15);
    }
  }

  #skip(type: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === BYTE) this.#move(1);
    else if (type > BYTE && type <= INT64) this.#varint();
    else if (type === DOUBLE) this.#move(8);
    else if (type === BINARY) this.#move(this.#varint());
    else if (type === STRUCT) this.fields(() => {});
    else if (type === LIST || type === SET) this.#nested(() => this.list(type, () => {}));
    else if (type === MAP) this.#nested(() => this.#skipMap());
    else throw new RangeError(`a field of unknown type ${type}`);
  }

  /** Within lists and maps, booleans are bytes. */
  #skipItem(type: number): void {
    if (type === TRUE || type === FALSE) this.#move(1);
    else this.#skip(type);
  }

  #skipMap(): void {
    const count = this.#varint();
    const kinds = count > 0 ? this.#byte() : 0;
    for (let i = 0; i < count; i++) for (const kind of [kinds >> 4, kinds & 15]) this.#skipItem(kind);
  }

  #nested(work: () => void): void {
    if (++this.#depth > DEEPEST) throw new RangeError('a list is too deep');
    work();
    this.#depth--;
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new RangeError('a header is cut off');
    return this.#bytes[this.#at++];
  }

  #move(count: number): void {
    if (count > this.#bytes.length - this.#at) throw new RangeError('a header is cut off');
    this.#at += count;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const next = this.#byte();
      value += (next & 127) * 2 ** shift;
      if (next < 128) return value;
    }
    throw new RangeError('a number is too long');
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new RangeError(`${what} was expected`);
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

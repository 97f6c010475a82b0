/**
 * Thrift's compact protocol, as far as the headers of Parquet pages need it: whole numbers, booleans and structs by
 * their field numbers; everything else is skipped. Bytes beyond the end are a RangeError.
 */

export type ThriftStruct = Map<number, number | boolean | ThriftStruct>;

/** Types of fields. */
const [STOP, TRUE, FALSE, BYTE, INT64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT] = [0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12];
const DEEPEST = 16;

/** Reads the struct at the beginning of the bytes, and says how long it is. */
export function readThrift(bytes: Uint8Array): { readonly struct: ThriftStruct; readonly length: number } {
  let at = 0;
  return { struct: readStruct(0), length: at };

  function readStruct(depth: number): ThriftStruct {
    if (depth > DEEPEST) throw new RangeError('a struct is too deep');
    const fields: ThriftStruct = new Map();
    for (let field = 0; ; ) {
      const header = byte();
      const type = header & 15;
      if (header === STOP) return fields;
      field = header >> 4 === 0 ? zigzag(varint()) : field + (header >> 4);
      const value = type === TRUE ? true : type === FALSE ? false : readValue(type, depth);
      if (value !== undefined) fields.set(field, value);
    }
  }

  function readValue(type: number, depth: number): number | ThriftStruct | undefined {
    if (type === BYTE) return byte();
    if (type > BYTE && type <= INT64) return zigzag(varint());
    if (type === STRUCT) return readStruct(depth + 1);
    if (type === DOUBLE) skip(8);
    else if (type === BINARY) skip(varint());
    else if (type === LIST || type === SET) skipList(depth);
    else if (type === MAP) {
      const count = varint();
      const kinds = count > 0 ? byte() : 0;
      for (let i = 0; i < count; i++) for (const kind of [kinds >> 4, kinds & 15]) skipItem(kind, depth);
    } else throw new RangeError(`a field of unknown type ${type}`);
    return undefined;
  }

  function skipList(depth: number): void {
    const header = byte();
    const count = header >> 4 === 15 ? varint() : header >> 4;
    for (let i = 0; i < count; i++) skipItem(header & 15, depth);
  }

  /** Within lists and maps, booleans are bytes. */
  function skipItem(type: number, depth: number): void {
    if (depth > DEEPEST) throw new RangeError('a list is too deep');
    if (type === TRUE || type === FALSE) skip(1);
    else readValue(type, depth + 1);
  }

  function byte(): number {
    if (at >= bytes.length) throw new RangeError('a header is cut off');
    return bytes[at++];
  }

  function skip(count: number): void {
    if (count > bytes.length - at) throw new RangeError('a header is cut off');
    at += count;
  }

  function varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const next = byte();
      value += (next & 127) * 2 ** shift;
      if (next < 128) return value;
    }
    throw new RangeError('a number is too long');
  }
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/**
 * FlatBuffers, as far as Arrow's headers need them: tables whose fields are found by way of an index, vectors, strings.
 * The reader believes nothing: a place outside the buffer is a RangeError of the DataView, and a vector must fit.
 */

/** A table in a buffer; fields are numbered in the order of the schema. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #index: number;
  readonly #fields: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
    this.#index = at - view.getInt32(at, true);
    this.#fields = (view.getUint16(this.#index, true) - 4) / 2;
  }

  /** The table that a buffer is about. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** Where a field is; 0 when it is not there and has its default. */
  #field(number: number): number {
    if (number >= this.#fields) return 0;
    const offset = this.#view.getUint16(this.#index + 4 + 2 * number, true);
    return offset === 0 ? 0 : this.#at + offset;
  }

  #target(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  has(number: number): boolean {
    return this.#field(number) !== 0;
  }

  uint8(number: number): number {
    const at = this.#field(number);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  int16(number: number): number {
    const at = this.#field(number);
    return at === 0 ? 0 : this.#view.getInt16(at, true);
  }

  int32(number: number): number {
    const at = this.#field(number);
    return at === 0 ? 0 : this.#view.getInt32(at, true);
  }

  int64(number: number): number {
    const at = this.#field(number);
    return at === 0 ? 0 : int64(this.#view, at);
  }

  string(number: number): string {
    const at = this.#field(number);
    if (at === 0) return '';
    const { start, length } = this.#span(at, 1);
    return Buffer.from(this.#view.buffer as ArrayBuffer, this.#view.byteOffset + start, length).toString('utf8');
  }

  table(number: number): FlatTable | undefined {
    const at = this.#field(number);
    return at === 0 ? undefined : new FlatTable(this.#view, this.#target(at));
  }

  tables(number: number): FlatTable[] {
    const at = this.#field(number);
    if (at === 0) return [];
    const { start, length } = this.#span(at, 4);
    return Array.from({ length }, (_, i) => new FlatTable(this.#view, this.#target(start + 4 * i)));
  }

  /** 64-bit numbers: a vector of them, or of structs made of `each` of them. */
  int64s(number: number, each = 1): Float64Array {
    const at = this.#field(number);
    if (at === 0) return new Float64Array(0);
    const { start, length } = this.#span(at, 8 * each);
    return Float64Array.from({ length: length * each }, (_, i) => int64(this.#view, start + 8 * i));
  }

  #span(at: number, bytesEach: number): { start: number; length: number } {
    const start = this.#target(at);
    const length = this.#view.getUint32(start, true);
    if (start + 4 + length * bytesEach > this.#view.byteLength) throw new RangeError('a vector goes beyond the buffer');
    return { start: start + 4, length };
  }
}

function int64(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** A value of a field to be written. */
export type FlatValue =
  | { readonly kind: 'uint8' | 'int16' | 'int32' | 'int64'; readonly value: number }
  | { readonly kind: 'offset'; readonly value: FlatNode };

/** What an offset leads to. */
export type FlatNode =
  | { readonly kind: 'table'; readonly fields: readonly (FlatValue | undefined)[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'tables'; readonly items: readonly FlatNode[] }
  /** Structs of 64-bit numbers, `each` to a struct. */
  | { readonly kind: 'int64s'; readonly values: readonly number[]; readonly each: number };

const SIZES = { uint8: 1, int16: 2, int32: 4, int64: 8, offset: 4 } as const;

/** Writes a tree of tables as one buffer, a multiple of eight bytes long. */
export function writeFlat(root: FlatNode): Uint8Array {
  let buffer = Buffer.alloc(1024);
  let end = 4;
  const reserve = (bytes: number, align: number): number => {
    const at = Math.ceil(end / align) * align;
    end = at + bytes;
    while (end > buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
    return at;
  };
  // Offsets lead forward only, so whatever is led to is written later, and the offset then.
  const write = (node: FlatNode): number => {
    if (node.kind === 'string') {
      const text = Buffer.from(node.text, 'utf8');
      const at = reserve(4 + text.length + 1, 4);
      buffer.writeUInt32LE(text.length, at);
      text.copy(buffer, at + 4);
      return at;
    }
    if (node.kind === 'int64s') {
      // Eight bytes after a length of four are aligned to eight.
      const at = reserve(4, 4);
      const start = (at + 4) % 8 === 0 ? at : reserve(4, 4);
      const data = reserve(8 * node.values.length, 8);
      buffer.writeUInt32LE(node.values.length / node.each, start);
      node.values.forEach((value, i) => {
        buffer.writeBigInt64LE(BigInt(value), data + 8 * i);
      });
      return start;
    }
    if (node.kind === 'tables') {
      const at = reserve(4 + 4 * node.items.length, 4);
      buffer.writeUInt32LE(node.items.length, at);
      node.items.forEach((item, i) => {
        const place = at + 4 + 4 * i;
        const target = write(item);
        buffer.writeUInt32LE(target - place, place);
      });
      return at;
    }
    return writeTable(node.fields);
  };
  const writeTable = (fields: readonly (FlatValue | undefined)[]): number => {
    const indexBytes = 4 + 2 * fields.length;
    const index = reserve(indexBytes, 2);
    // Largest fields first: then each is aligned by what stands before it.
    const order = [...fields.keys()]
      .filter((i) => fields[i])
      .sort((a, b) => SIZES[fields[b]!.kind] - SIZES[fields[a]!.kind]);
    const wide = order.some((i) => fields[i]!.kind === 'int64');
    // The table begins with four bytes, so that the first field is aligned when the table is four short of it.
    let at = reserve(4, 4);
    if (wide && at % 8 !== 4) at = reserve(4, 4);
    const places = new Map<number, number>();
    for (const i of order) places.set(i, reserve(SIZES[fields[i]!.kind], SIZES[fields[i]!.kind]));
    buffer.writeInt32LE(at - index, at);
    buffer.writeUInt16LE(indexBytes, index);
    buffer.writeUInt16LE(end - at, index + 2);
    for (const [i, place] of places) buffer.writeUInt16LE(place - at, index + 4 + 2 * i);
    for (const [i, place] of places) {
      const field = fields[i]!;
      if (field.kind === 'offset') {
        const target = write(field.value);
        buffer.writeUInt32LE(target - place, place);
      } else if (field.kind === 'int64') buffer.writeBigInt64LE(BigInt(field.value), place);
      else if (field.kind === 'int32') buffer.writeInt32LE(field.value, place);
      else if (field.kind === 'int16') buffer.writeInt16LE(field.value, place);
      else buffer.writeUInt8(field.value, place);
    }
    return at;
  };
  const at = write(root);
  buffer.writeUInt32LE(at, 0);
  reserve(0, 8);
  return new Uint8Array(buffer.subarray(0, end));
}

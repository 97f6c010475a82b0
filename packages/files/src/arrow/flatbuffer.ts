import { textOf } from '../bytes/text.js';

/**
 * The part of FlatBuffers that Arrow's headers use: tables, whose fields are found through an index, vectors and strings.
 * Nothing is trusted: a position outside the buffer is a RangeError of the DataView, and a vector must fit.
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

  /** The root table of a buffer. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** The position of a field; 0 if it is absent and has its default. */
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
    const { buffer, byteOffset } = this.#view;
    return textOf(new Uint8Array(buffer, byteOffset + start, length));
  }

  table(number: number): FlatTable | undefined {
    const at = this.#field(number);
    return at === 0 ? undefined : new FlatTable(this.#view, this.#target(at));
  }

  /** The number of entries that a vector of tables claims. */
  count(number: number): number {
    const at = this.#field(number);
    return at === 0 ? 0 : this.#span(at, 4).length;
  }

  /** A vector of tables, `most` at most. Entries may share a position, so a short buffer can claim very many. */
  tables(number: number, most: number): FlatTable[] {
    const at = this.#field(number);
    if (at === 0) return [];
    const { start, length } = this.#span(at, 4);
    if (length > most) throw new RangeError(`a list of ${length} entries, and ${most} fit in the memory`);
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

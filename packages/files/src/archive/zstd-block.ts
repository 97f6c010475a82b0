import {
  BackwardBits,
  constantTable,
  type FseTable,
  fseTable,
  type HuffmanTable,
  readFseTable,
  readHuffmanTable,
  unpackLiterals,
} from './zstd-entropy.js';

/** Most bytes that a block holds, packed or unpacked. */
export const LARGEST_BLOCK = 1 << 17;

/** A kind of code in a sequence: its default table, and what its symbols stand for. */
interface Code {
  readonly initial: FseTable;
  readonly mostLog: number;
  readonly mostSymbols: number;
  readonly base: Int32Array;
  readonly extra: Uint8Array;
}

function code(
  log: number,
  probabilities: readonly number[],
  mostLog: number,
  steps: readonly number[],
  first: number,
): Code {
  const base = new Int32Array(steps.length);
  let value = first;
  for (const [symbol, bits] of steps.entries()) {
    base[symbol] = value;
    value += 2 ** bits;
  }
  return {
    initial: fseTable(probabilities, log),
    mostLog,
    mostSymbols: steps.length,
    base,
    extra: Uint8Array.from(steps),
  };
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);

/** Tables of section 3.1.1.3.2: the probabilities of the default tables, and the extra bits of each symbol. */
const LITERAL_LENGTHS = code(
  6,
  [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
  9,
  [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  0,
);
const MATCH_LENGTHS = code(
  6,
  [1, 4, 3, 2, 2, 2, 2, 2, 2, ...new Array<number>(37).fill(1), -1, -1, -1, -1, -1, -1, -1],
  9,
  [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  3,
);
/** An offset's symbol is the number of its bits behind the first, which is 1. */
const OFFSETS = {
  initial: fseTable([1, 1, 1, 1, 1, 1, 2, 2, 2, ...new Array<number>(15).fill(1), -1, -1, -1, -1, -1], 5),
  mostLog: 8,
  mostSymbols: 32,
};

/** Bytes up to which a loop is faster than a call that copies. */
const SHORT = 32;
/** Powers of two: `2 ** width` is a call in the hottest loop. */
const POWERS = Float64Array.from({ length: 32 }, (_, i) => 2 ** i);

const [PREDEFINED, CONSTANT, DESCRIBED] = [0, 1, 2];

/**
 * The blocks of a zstd frame (RFC 8878, section 3.1.1.2), unpacked into `out` behind what was unpacked before: blocks
 * share tables and the last three offsets, and copy from what came before them. Everything that the format says must
 * be exact is checked, and a RangeError where it is not.
 */
export class BlockUnpacker {
  out: Uint8Array;
  /** Where the bytes of this frame begin in `out`, and where its next byte goes. */
  start: number;
  filled: number;
  readonly #window: number;
  readonly #largest: number;
  readonly #literals = new Uint8Array(LARGEST_BLOCK);
  #literalCount = 0;
  #huffman: HuffmanTable | undefined;
  #lengthTable: FseTable | undefined;
  #offsetTable: FseTable | undefined;
  #matchTable: FseTable | undefined;
  /** The last three offsets. */
  #first = 1;
  #second = 4;
  #third = 8;

  constructor(out: Uint8Array, start: number, window: number) {
    this.out = out;
    this.start = start;
    this.filled = start;
    this.#window = window;
    this.#largest = Math.min(window, LARGEST_BLOCK);
  }

  /** A block of bytes as they are. */
  plain(bytes: Uint8Array, from: number, to: number): void {
    this.#makeSure(to - from);
    this.out.set(bytes.subarray(from, to), this.filled);
    this.filled += to - from;
  }

  /** A block of one byte, many times. */
  repeated(byte: number, count: number): void {
    this.#makeSure(count);
    this.out.fill(byte, this.filled, this.filled + count);
    this.filled += count;
  }

  /** A block that is packed. */
  packed(bytes: Uint8Array, from: number, to: number): void {
    if (to - from < 2 || to - from > this.#largest) throw new RangeError('a block is too short or too long');
    this.#readSequences(bytes, this.#readLiterals(bytes, from, to), to);
  }

  #makeSure(count: number): void {
    if (count > this.#largest) throw new RangeError('a block is too long');
    if (count > this.out.length - this.filled) throw new RangeError('more is packed than it says');
  }

  /** Unpacks the literals of a block, and says where they end. */
  #readLiterals(bytes: Uint8Array, from: number, to: number): number {
    const first = bytes[from];
    const [kind, form] = [first & 3, (first >> 2) & 3];
    const at = (i: number): number => (from + i < to ? bytes[from + i] : 0);
    if (kind < 2) {
      const header = form % 2 === 0 ? 1 : form === 1 ? 2 : 3;
      const count = header === 1 ? first >> 3 : (first >> 4) | (at(1) << 4) | (header === 3 ? at(2) << 12 : 0);
      const stored = kind === 0 ? count : 1;
      const start = from + header;
      if (count > this.#largest || start + stored > to) throw new RangeError('literals go beyond their block');
      if (kind === 0) this.#literals.set(bytes.subarray(start, start + count));
      else this.#literals.fill(bytes[start], 0, count);
      this.#literalCount = count;
      return start + stored;
    }
    const header = form < 2 ? 3 : form + 2;
    const width = form < 2 ? 10 : form === 2 ? 14 : 18;
    const sizes =
      at(0) +
      at(1) * 2 ** 8 +
      at(2) * 2 ** 16 +
      (header > 3 ? at(3) * 2 ** 24 : 0) +
      (header > 4 ? at(4) * 2 ** 32 : 0);
    const count = Math.floor(sizes / 16) % 2 ** width;
    const stored = Math.floor(sizes / 2 ** (4 + width)) % 2 ** width;
    let start = from + header;
    const end = start + stored;
    if (count > this.#largest || end > to) throw new RangeError('literals go beyond their block');
    if (kind === 2) {
      const read = readHuffmanTable(bytes, start, end);
      this.#huffman = read.table;
      start = read.end;
    }
    this.#unpackLiterals(bytes, start, end, count, form !== 0);
    this.#literalCount = count;
    return end;
  }

  #unpackLiterals(bytes: Uint8Array, start: number, end: number, count: number, inFour: boolean): void {
    const table = this.#huffman;
    if (!table) throw new RangeError('a block has no table of literals');
    if (!inFour) {
      unpackLiterals(table, new BackwardBits(bytes, start, end), this.#literals, 0, count);
      return;
    }
    // Four streams for a quarter of the literals each; the sizes of the first three stand before them.
    if (count < 6 || end - start < 10) throw new RangeError('literals are too short for four parts');
    const part = (count + 3) >> 2;
    let from = start + 6;
    for (let i = 0; i < 4; i++) {
      const to = i === 3 ? end : from + (bytes[start + 2 * i] | (bytes[start + 2 * i + 1] << 8));
      if (to > end || 3 * part > count) throw new RangeError('literals go beyond their block');
      const bits = new BackwardBits(bytes, from, to);
      unpackLiterals(table, bits, this.#literals, i * part, Math.min(count, (i + 1) * part));
      from = to;
    }
  }

  /** Unpacks sequences: some literals each, and a copy of what came before. */
  #readSequences(bytes: Uint8Array, from: number, to: number): void {
    if (from >= to) throw new RangeError('a block has no sequences');
    const [first, second = 0, third = 0] = bytes.subarray(from, Math.min(to, from + 3));
    const header = first < 128 ? 1 : first < 255 ? 2 : 3;
    const count = header === 1 ? first : header === 2 ? (first - 128) * 256 + second : second + third * 256 + 0x7f00;
    if (count === 0) {
      if (from + header !== to) throw new RangeError('more follows the sequences of a block');
      this.#makeSure(this.#literalCount);
      this.#copyLiterals(0, this.#literalCount);
      return;
    }
    let at = from + header + 1;
    if (at > to) throw new RangeError('a block has no sequences');
    const modes = bytes[at - 1];
    if ((modes & 3) !== 0) throw new RangeError('sequences of an unknown kind');
    const table = (mode: number, kind: Omit<Code, 'base' | 'extra'>, before: FseTable | undefined): FseTable => {
      if (mode === PREDEFINED) return kind.initial;
      if (mode === CONSTANT) {
        if (at >= to || bytes[at] >= kind.mostSymbols) throw new RangeError('a symbol is unknown');
        return constantTable(bytes[at++]);
      }
      if (mode === DESCRIBED) {
        const read = readFseTable(bytes, at, to, kind);
        at = read.end;
        return read.table;
      }
      if (!before) throw new RangeError('a block has no table of sequences');
      return before;
    };
    this.#lengthTable = table(modes >> 6, LITERAL_LENGTHS, this.#lengthTable);
    this.#offsetTable = table((modes >> 4) & 3, OFFSETS, this.#offsetTable);
    this.#matchTable = table((modes >> 2) & 3, MATCH_LENGTHS, this.#matchTable);
    this.#unpackSequences(
      new BackwardBits(bytes, at, to),
      count,
      this.#lengthTable,
      this.#offsetTable,
      this.#matchTable,
    );
  }

  #unpackSequences(bits: BackwardBits, count: number, lengths: FseTable, offsets: FseTable, matches: FseTable): void {
    const limit = Math.min(this.out.length, this.filled + this.#largest);
    let length = bits.read(lengths.log);
    let offset = bits.read(offsets.log);
    let match = bits.read(matches.log);
    let used = 0;
    for (let i = 0; i < count; i++) {
      const width = offsets.symbols[offset];
      const distance = POWERS[width] + bits.read(width);
      const matchSymbol = matches.symbols[match];
      const copied = MATCH_LENGTHS.base[matchSymbol] + bits.read(MATCH_LENGTHS.extra[matchSymbol]);
      const lengthSymbol = lengths.symbols[length];
      const literals = LITERAL_LENGTHS.base[lengthSymbol] + bits.read(LITERAL_LENGTHS.extra[lengthSymbol]);
      if (i + 1 < count) {
        length = lengths.base[length] + bits.read(lengths.bits[length]);
        match = matches.base[match] + bits.read(matches.bits[match]);
        offset = offsets.base[offset] + bits.read(offsets.bits[offset]);
      }
      if (bits.left < 0 || used + literals > this.#literalCount || this.filled + literals + copied > limit)
        throw new RangeError('a sequence goes beyond its block');
      this.#copyLiterals(used, used + literals);
      used += literals;
      this.#copy(this.#offsetOf(distance, literals), copied);
    }
    if (bits.left !== 0) throw new RangeError('sequences do not fit their bits');
    if (this.filled + this.#literalCount - used > limit) throw new RangeError('a block is too long');
    this.#copyLiterals(used, this.#literalCount);
  }

  /** What an offset's number stands for: 1 to 3 are the last three, others are 3 more than the offset. */
  #offsetOf(value: number, literals: number): number {
    // Without literals the last one again would be the same copy: the numbers stand for the others.
    const which = value > 3 ? 0 : literals === 0 ? value + 1 : value;
    if (which === 1) return this.#first;
    const offset = which === 0 ? value - 3 : which === 2 ? this.#second : which === 3 ? this.#third : this.#first - 1;
    if (which !== 2) this.#third = this.#second;
    this.#second = this.#first;
    this.#first = offset;
    return offset;
  }

  #copyLiterals(from: number, to: number): void {
    const { out, filled } = this;
    const literals = this.#literals;
    if (to - from > SHORT) out.set(literals.subarray(from, to), filled);
    else for (let i = from, at = filled; i < to; i++, at++) out[at] = literals[i];
    this.filled = filled + to - from;
  }

  #copy(offset: number, count: number): void {
    const { out, filled } = this;
    if (offset === 0 || offset > filled - this.start || offset > this.#window)
      throw new RangeError('a copy begins before its frame');
    if (offset >= count && count > SHORT) out.copyWithin(filled, filled - offset, filled - offset + count);
    else for (let i = filled; i < filled + count; i++) out[i] = out[i - offset];
    this.filled = filled + count;
  }
}

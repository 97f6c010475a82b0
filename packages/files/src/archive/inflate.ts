import { badFile, truncated } from '../file-error.js';
import type { InputWindow } from './input-window.js';

/**
 * Unpacks deflate (RFC 1951) as a stream. The `DecompressionStream` of browsers is faster (docs/dependencies.md), but it does
 * not report the end of the packed data: Chromium refuses gzip files of several members, others ignore or read the bytes after it.
 * Nor does it distinguish data that are cut off from data that are damaged. Node's zlib does both and is passed as an
 * unpacker there.
 */

/** How far back a copy may reach. */
const REACH = 1 << 15;
/** Bytes handed on at once; a copy may write some more. */
const CHUNK = 1 << 16;
const LONGEST_COPY = 258;
/** Bytes that the description of a block's codes takes at most, and a literal or copy. */
const LONGEST_HEADER = 600;
const LONGEST_SYMBOL = 8;

/** The code of an entry is `symbol << 4 | length`; 0 if no code begins with these bits. */
type Codes = { readonly table: Uint16Array; readonly bits: number };

const LENGTH_BASE = Uint16Array.of(
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227],
  258,
);
const LENGTH_EXTRA = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
const DISTANCE_BASE = Uint16Array.of(
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097],
  ...[6145, 8193, 12289, 16385, 24577],
);
const DISTANCE_EXTRA = Uint8Array.of(
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
);
/** The order in which the lengths of the codes of code lengths come. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** The end of a block among literals and lengths. */
const END = 256;

/** A cache: the fixed Huffman codes. */
let fixed: { readonly literals: Codes; readonly distances: Codes } | undefined;

/** Unpacks from the position of the window, and leaves the window after the last byte of the packed data. */
export async function* inflate(input: InputWindow): AsyncGenerator<Uint8Array, void, void> {
  const inflater = new Inflater(input);
  for (let more = true; more; ) {
    await input.view(LONGEST_HEADER);
    more = inflater.step();
    const chunk = inflater.take(!more);
    if (chunk.length > 0) yield chunk;
  }
}

class Inflater {
  readonly #input: InputWindow;
  /** The last unpacked bytes, which copies may refer to, and after them the bytes that were not taken yet. */
  readonly #out = new Uint8Array(REACH + CHUNK + LONGEST_COPY);
  #taken = 0;
  #filled = 0;
  /** Bits read from the input and not used yet. */
  #bits = 0;
  #count = 0;
  #state: 'header' | 'stored' | 'codes' | 'end' = 'header';
  #final = false;
  /** Bytes that a stored block still has. */
  #stored = 0;
  #literals: Codes = { table: new Uint16Array(0), bits: 0 };
  #distances: Codes = { table: new Uint16Array(0), bits: 0 };

  constructor(input: InputWindow) {
    this.#input = input;
  }

  /** Unpacks until the output is full, more input is needed, or a block ends. Returns false at the end of the data. */
  step(): boolean {
    if (this.#state === 'header') this.#readHeader();
    if (this.#state === 'stored') this.#copyStored();
    if (this.#state === 'codes') this.#decode();
    this.#giveBack();
    return this.#state !== 'end';
  }

  /** The unpacked bytes if they fill a chunk or are the last ones. They are a copy: the buffer is used again. */
  take(last: boolean): Uint8Array {
    if (!last && this.#filled < REACH + CHUNK) return this.#out.subarray(0, 0);
    const chunk = this.#out.slice(this.#taken, this.#filled);
    const kept = Math.min(REACH, this.#filled);
    this.#out.copyWithin(0, this.#filled - kept, this.#filled);
    this.#filled = kept;
    this.#taken = kept;
    return chunk;
  }

  /** Gives whole bytes that were read ahead back to the window. They belong to the next part of the file. */
  #giveBack(): void {
    this.#input.at -= this.#count >> 3;
    this.#count &= 7;
    this.#bits &= (1 << this.#count) - 1;
  }

  #need(count: number): void {
    const input = this.#input;
    while (this.#count < count) {
      if (input.at >= input.end) throw truncated(input.path, 'its packed data end early');
      this.#bits |= input.bytes[input.at++] << this.#count;
      this.#count += 8;
    }
  }

  #read(count: number): number {
    this.#need(count);
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#count -= count;
    return value;
  }

  #bad(what: string): Error {
    return badFile(this.#input.path, `it does not unpack (${what})`);
  }

  #readHeader(): void {
    this.#final = this.#read(1) === 1;
    const kind = this.#read(2);
    if (kind === 0) {
      // The other bits of this byte stay unused.
      this.#read(this.#count & 7);
      this.#stored = this.#read(16);
      if (this.#stored !== (~this.#read(16) & 0xffff)) throw this.#bad('a stored block has two lengths');
      // Bytes from here on are copied, not read bit by bit.
      this.#giveBack();
      this.#state = 'stored';
      return;
    }
    if (kind === 3) throw this.#bad('a block of an unknown kind');
    if (kind === 1) {
      fixed ??= fixedCodes();
      this.#literals = fixed.literals;
      this.#distances = fixed.distances;
    } else this.#readCodes();
    this.#state = 'codes';
  }

  /** Code lengths, which are themselves packed. */
  #readCodes(): void {
    const literals = this.#read(5) + 257;
    const distances = this.#read(5) + 1;
    const given = this.#read(4) + 4;
    if (literals > 286 || distances > 30) throw this.#bad('a block has too many codes');
    const lengths = new Uint8Array(19);
    for (let i = 0; i < given; i++) lengths[LENGTH_ORDER[i]] = this.#read(3);
    const codes = makeCodes(lengths);
    if (!codes) throw this.#bad('codes that are none');
    const all = new Uint8Array(literals + distances);
    for (let i = 0; i < all.length; ) {
      const symbol = this.#symbol(codes);
      if (symbol < 16) {
        all[i++] = symbol;
        continue;
      }
      // The count is read before the code is checked, so that data that end here are reported as cut off.
      const times = symbol === 16 ? 3 + this.#read(2) : symbol === 17 ? 3 + this.#read(3) : 11 + this.#read(7);
      if (symbol === 16 && i === 0) throw this.#bad('a code length repeats nothing');
      const value = symbol === 16 ? all[i - 1] : 0;
      if (i + times > all.length) throw this.#bad('too many code lengths');
      all.fill(value, i, i + times);
      i += times;
    }
    if (all[END] === 0) throw this.#bad('a block without an end');
    const made = [makeCodes(all.subarray(0, literals)), makeCodes(all.subarray(literals), true)] as const;
    if (!made[0] || !made[1]) throw this.#bad('codes that are none');
    this.#literals = made[0];
    this.#distances = made[1];
  }

  #symbol({ table, bits }: Codes): number {
    const input = this.#input;
    // The last code may be shorter than the longest, with nothing after it.
    while (this.#count < bits && input.at < input.end) {
      this.#bits |= input.bytes[input.at++] << this.#count;
      this.#count += 8;
    }
    const entry = table[this.#bits & (table.length - 1)];
    const length = entry & 15;
    if (length > this.#count || (length === 0 && this.#count < bits))
      throw truncated(input.path, 'its packed data end early');
    if (length === 0) throw this.#bad('a code that is none');
    this.#bits >>>= length;
    this.#count -= length;
    return entry >> 4;
  }

  #copyStored(): void {
    const input = this.#input;
    const count = Math.min(this.#stored, input.end - input.at, REACH + CHUNK - this.#filled);
    this.#out.set(input.bytes.subarray(input.at, input.at + count), this.#filled);
    this.#filled += count;
    this.#stored -= count;
    input.at += count;
    if (this.#stored === 0) this.#state = this.#final ? 'end' : 'header';
    else if (input.at === input.end && input.last) throw truncated(input.path, 'its packed data end early');
  }

  #decode(): void {
    const input = this.#input;
    const out = this.#out;
    const { bytes, last, end } = input;
    const [literals, distances] = [this.#literals.table, this.#distances.table];
    const [literalMask, distanceMask] = [literals.length - 1, distances.length - 1];
    // While a whole symbol is in view, its bits need no checks.
    const safe = end - LONGEST_SYMBOL;
    let { at } = input;
    let [bits, count, to] = [this.#bits, this.#count, this.#filled];
    while (to < REACH + CHUNK && at <= safe) {
      // 25 bits or more: a literal or length of 15 and its extra bits of 5.
      while (count < 24) {
        bits |= bytes[at++] << count;
        count += 8;
      }
      const entry = literals[bits & literalMask];
      const used = entry & 15;
      if (used === 0) throw this.#bad('a code that is none');
      bits >>>= used;
      count -= used;
      const symbol = entry >> 4;
      if (symbol < END) {
        out[to++] = symbol;
        continue;
      }
      if (symbol === END) {
        this.#state = this.#final ? 'end' : 'header';
        break;
      }
      if (symbol > 285) throw this.#bad('a length that is none');
      const extra = LENGTH_EXTRA[symbol - 257];
      const length = LENGTH_BASE[symbol - 257] + (bits & ((1 << extra) - 1));
      bits >>>= extra;
      count -= extra;
      while (count < 15) {
        bits |= bytes[at++] << count;
        count += 8;
      }
      const place = distances[bits & distanceMask];
      const placeUsed = place & 15;
      const code = place >> 4;
      if (placeUsed === 0 || code > 29) throw this.#bad('a distance that is none');
      bits >>>= placeUsed;
      count -= placeUsed;
      const more = DISTANCE_EXTRA[code];
      while (count < more) {
        bits |= bytes[at++] << count;
        count += 8;
      }
      const distance = DISTANCE_BASE[code] + (bits & ((1 << more) - 1));
      bits >>>= more;
      count -= more;
      if (distance > to) throw this.#bad('a copy from before the beginning');
      for (let from = to - distance, stop = to + length; to < stop; ) out[to++] = out[from++];
    }
    input.at = at;
    this.#bits = bits;
    this.#count = count;
    this.#filled = to;
    if (last && this.#state === 'codes' && to < REACH + CHUNK) this.#decodeCarefully();
  }

  /** Decodes one symbol near the end of the input. Every bit may be the last. */
  #decodeCarefully(): void {
    const symbol = this.#symbol(this.#literals);
    if (symbol < END) {
      this.#out[this.#filled++] = symbol;
      return;
    }
    if (symbol === END) {
      this.#state = this.#final ? 'end' : 'header';
      return;
    }
    if (symbol > 285) throw this.#bad('a length that is none');
    const length = LENGTH_BASE[symbol - 257] + this.#read(LENGTH_EXTRA[symbol - 257]);
    const code = this.#symbol(this.#distances);
    if (code > 29) throw this.#bad('a distance that is none');
    const distance = DISTANCE_BASE[code] + this.#read(DISTANCE_EXTRA[code]);
    if (distance > this.#filled) throw this.#bad('a copy from before the beginning');
    for (let i = 0; i < length; i++, this.#filled++) this.#out[this.#filled] = this.#out[this.#filled - distance];
  }
}

function fixedCodes(): { literals: Codes; distances: Codes } {
  const lengths = new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
  const literals = makeCodes(lengths);
  const distances = makeCodes(new Uint8Array(32).fill(5));
  if (!literals || !distances) throw new TypeError('the fixed codes are codes');
  return { literals, distances };
}

/**
 * Makes a table of codes from their lengths, indexed by the bits in their order. Returns undefined if no codes have these lengths. The codes
 * must use all sequences of bits. The exception is distances with one code or none, because a block may have one distance, or no copies.
 */
function makeCodes(lengths: Uint8Array, mayBeOpen = false): Codes | undefined {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  let bits = 15;
  while (bits > 1 && counts[bits] === 0) bits--;
  const next = new Uint16Array(17);
  let [code, open] = [0, 1];
  for (let length = 1; length <= 15; length++) {
    open = open * 2 - counts[length];
    if (open < 0) return undefined;
    code = (code + counts[length - 1]) << 1;
    next[length] = code;
  }
  const used = counts.reduce((sum, count) => sum + count, 0);
  if (open > 0 && !(mayBeOpen && (used === 0 || (used === 1 && counts[1] === 1)))) return undefined;
  const table = new Uint16Array(1 << bits);
  lengths.forEach((length, symbol) => {
    if (length === 0) return;
    let reversed = 0;
    for (let bit = 0, value = next[length]++; bit < length; bit++, value >>= 1)
      reversed = (reversed << 1) | (value & 1);
    const entry = (symbol << 4) | length;
    for (let at = reversed; at < table.length; at += 1 << length) table[at] = entry;
  });
  return { table, bits };
}

/**
 * The two codes of zstd (RFC 8878, section 4): finite-state entropy (FSE) and Huffman. Tables are built from their
 * descriptions, and a description that is not exact is a RangeError: its probabilities must fill the table, its
 * weights must add up to a power of two.
 */

/** Bits that are read from the last to the first. They end in a byte whose highest bit says where they begin. */
export class BackwardBits {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  /** Bits that were not read yet; negative when more were asked for than there are. */
  left: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = end > start ? bytes[end - 1] : 0;
    if (last === 0) throw new RangeError('bits have no end mark');
    this.#bytes = bytes;
    this.#start = start;
    this.left = 8 * (end - 1 - start) + 31 - Math.clz32(last);
  }

  /** The next bits as a number, 31 at most. Bits beyond the end are zeros. */
  read(count: number): number {
    if (count > 25) {
      const upper = this.read(count - 16);
      return upper * 0x10000 + this.read(16);
    }
    this.left -= count;
    return this.#at(this.left, count);
  }

  /** The next bits, 25 at most, which stay unread. */
  peek(count: number): number {
    return this.#at(this.left - count, count);
  }

  #at(position: number, count: number): number {
    if (count === 0) return 0;
    if (position < 0) {
      const there = count + position;
      return there > 0 ? this.#at(0, there) << -position : 0;
    }
    const bytes = this.#bytes;
    const at = this.#start + (position >>> 3);
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    return (word >>> (position & 7)) & ((1 << count) - 1);
  }
}

/** A table of an FSE code. A state stands for a symbol; the next state is `base` and so many bits. */
export interface FseTable {
  /** Bits of the first state. */
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly base: Uint16Array;
}

/** A table with one state: the symbol comes every time. */
export function constantTable(symbol: number): FseTable {
  return { log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), base: new Uint16Array(1) };
}

/** The table of symbols with these probabilities in 1/2^log; −1 stands for less than that. */
export function fseTable(probabilities: ArrayLike<number>, log: number): FseTable {
  const size = 1 << log;
  const [symbols, bits, base] = [new Uint8Array(size), new Uint8Array(size), new Uint16Array(size)];
  const next = new Uint16Array(probabilities.length);
  let high = size - 1;
  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    if (probabilities[symbol] === -1) symbols[high--] = symbol;
    next[symbol] = Math.abs(probabilities[symbol]);
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    for (let i = 0; i < probabilities[symbol]; i++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position > high);
    }
  }
  for (let state = 0; state < size; state++) {
    const count = next[symbols[state]]++;
    bits[state] = log - (31 - Math.clz32(count));
    base[state] = (count << bits[state]) - size;
  }
  return { log, symbols, bits, base };
}

/** Reads the description of an FSE table (section 4.1.1), and says where it ends. */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  { mostSymbols, mostLog }: { readonly mostSymbols: number; readonly mostLog: number },
): { readonly table: FseTable; readonly end: number } {
  let position = 0;
  const peek = (count: number): number => {
    const at = start + (position >>> 3);
    const byte = (i: number): number => (at + i < end ? bytes[at + i] : 0);
    return ((byte(0) | (byte(1) << 8) | (byte(2) << 16)) >>> (position & 7)) & ((1 << count) - 1);
  };
  const take = (count: number): number => {
    const value = peek(count);
    position += count;
    return value;
  };
  const log = take(4) + 5;
  if (log > mostLog) throw new RangeError('a table is too large');
  const probabilities: number[] = [];
  // Counted up by one, so that what is left is never zero before the end.
  let left = (1 << log) + 1;
  while (left > 1) {
    // A value up to `left` takes as few bits as it can; the smallest ones take one bit less.
    const width = 32 - Math.clz32(left);
    const threshold = 1 << (width - 1);
    const spared = 2 * threshold - 1 - left;
    let value = peek(width - 1);
    if (value < spared) position += width - 1;
    else {
      value = take(width);
      if (value >= threshold) value -= spared;
    }
    const probability = value - 1;
    left -= Math.abs(probability);
    probabilities.push(probability);
    if (probability === 0) {
      for (let more = 3; more === 3; ) {
        more = take(2);
        for (let i = 0; i < more; i++) probabilities.push(0);
        if (probabilities.length > mostSymbols) throw new RangeError('a table has too many symbols');
      }
    }
    if (probabilities.length > mostSymbols) throw new RangeError('a table has too many symbols');
  }
  const stop = start + Math.ceil(position / 8);
  if (left !== 1 || stop > end) throw new RangeError('a table is not whole');
  return { table: fseTable(probabilities, log), end: stop };
}

/** A table of a Huffman code: every entry is a symbol and the length of its code, for the next `log` bits. */
export interface HuffmanTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

/** Longest code of a literal, and most literals. */
const LONGEST_CODE = 11;
const LITERALS = 256;
/** From this byte on, weights of literals stand in four bits each. */
const PLAIN_WEIGHTS = 128;

/** Reads the description of a Huffman table (section 4.2.1), and says where it ends. */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly table: HuffmanTable; readonly end: number } {
  if (start >= end) throw new RangeError('a table is not whole');
  const header = bytes[start];
  const weights: number[] = [];
  let stop: number;
  if (header >= PLAIN_WEIGHTS) {
    const count = header - PLAIN_WEIGHTS + 1;
    stop = start + 1 + Math.ceil(count / 2);
    if (stop > end) throw new RangeError('a table is not whole');
    for (let i = 0; i < count; i++) weights.push((bytes[start + 1 + (i >> 1)] >> (i % 2 === 0 ? 4 : 0)) & 15);
  } else {
    stop = start + 1 + header;
    if (stop > end) throw new RangeError('a table is not whole');
    readWeights(bytes, start + 1, stop, weights);
  }
  return { table: huffmanTable(weights), end: stop };
}

/** Weights by an FSE code of two states in turn, until the bits are used up. */
function readWeights(bytes: Uint8Array, start: number, end: number, weights: number[]): void {
  const { table, end: from } = readFseTable(bytes, start, end, { mostSymbols: LONGEST_CODE + 2, mostLog: 6 });
  const bits = new BackwardBits(bytes, from, end);
  const states = [bits.read(table.log), bits.read(table.log)];
  if (bits.left < 0) throw new RangeError('weights are not whole');
  for (let turn = 0; ; turn = 1 - turn) {
    const state = states[turn];
    weights.push(table.symbols[state]);
    states[turn] = table.base[state] + bits.read(table.bits[state]);
    if (bits.left < 0) {
      weights.push(table.symbols[states[1 - turn]]);
      break;
    }
    if (weights.length >= LITERALS) throw new RangeError('a table has too many symbols');
  }
}

/** The code of a literal of weight w > 0 has log + 1 − w bits; the weight of the last literal is what is left to a power of two. */
function huffmanTable(weights: number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) {
    if (weight > LONGEST_CODE) throw new RangeError('a code is too long');
    if (weight > 0) sum += 1 << (weight - 1);
  }
  if (sum === 0) throw new RangeError('a table has no codes');
  const log = 32 - Math.clz32(sum);
  const left = (1 << log) - sum;
  const last = 32 - Math.clz32(left);
  if (log > LONGEST_CODE || left !== 1 << (last - 1) || weights.length >= LITERALS)
    throw new RangeError('codes do not fill their table');
  weights.push(last);
  const longest = weights.filter((weight) => weight === 1).length;
  if (longest < 2 || longest % 2 === 1) throw new RangeError('codes do not fill their table');
  const [symbols, lengths] = [new Uint8Array(1 << log), new Uint8Array(1 << log)];
  let at = 0;
  for (let weight = 1; weight <= log; weight++) {
    for (let symbol = 0; symbol < weights.length; symbol++) {
      if (weights[symbol] !== weight) continue;
      const to = at + (1 << (weight - 1));
      symbols.fill(symbol, at, to);
      lengths.fill(log + 1 - weight, at, to);
      at = to;
    }
  }
  return { log, symbols, lengths };
}

/** Unpacks literals into `out` from `from` to `to`; the bits must be used up exactly. */
export function unpackLiterals(
  { log, symbols, lengths }: HuffmanTable,
  bits: BackwardBits,
  out: Uint8Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const next = bits.peek(log);
    out[i] = symbols[next];
    bits.left -= lengths[next];
  }
  if (bits.left !== 0) throw new RangeError('literals do not fit their bits');
}

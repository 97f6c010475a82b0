import type { NumberArray } from './matrix.js';

/** The numbers whose IEEE binary16 bits are given: sign, five bits of exponent, ten of mantissa. */
export function decodeHalf(bits: NumberArray): Float32Array {
  // A plain loop: `Float32Array.from` calls a function for each, which takes ten times as long.
  const values = new Float32Array(bits.length);
  for (let i = 0; i < values.length; i++) {
    const exponent = (bits[i] >> 10) & 31;
    const mantissa = bits[i] & 1023;
    const sign = bits[i] & 0x8000 ? -1 : 1;
    if (exponent === 31) values[i] = mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    else values[i] = sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * POWERS[exponent]);
  }
  return values;
}

/** 2^(exponent − 25). */
const POWERS = Float64Array.from({ length: 31 }, (_, exponent) => 2 ** (exponent - 25));

/** The part of a dense block that says how its numbers are stored. */
interface StoredNumbers {
  readonly data: NumberArray;
  readonly half?: boolean;
}

/** Part of a block's numbers, decoded where they are stored as bits. */
export function numbersOf({ data, half }: StoredNumbers, from: number, to: number): NumberArray {
  const part = data.subarray(from, to);
  return half ? decodeHalf(part) : part;
}

/** The block with its numbers decoded: a copy where they are stored as bits, itself otherwise. */
export function decoded<Block extends StoredNumbers>(block: Block): Block {
  return block.half ? { ...block, data: decodeHalf(block.data), half: false } : block;
}

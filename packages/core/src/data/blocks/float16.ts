import type { NumberArray } from './matrix.js';

/** Decodes IEEE binary16 numbers: a sign bit, five bits of exponent, ten bits of mantissa. */
export function decodeHalf(bits: NumberArray): Float32Array {
  // A plain loop, because `Float32Array.from` calls a function per number and takes ten times as long.
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

/** The numbers of a dense block, and how they are stored. */
interface StoredNumbers {
  readonly data: NumberArray;
  readonly half?: boolean;
}

/** A part of the numbers of a block. Decoded if they are half-precision. */
export function numbersOf({ data, half }: StoredNumbers, from: number, to: number): NumberArray {
  const part = data.subarray(from, to);
  return half ? decodeHalf(part) : part;
}

/** The block with decoded numbers: a copy if they are half-precision, otherwise the block itself. */
export function decoded<Block extends StoredNumbers>(block: Block): Block {
  return block.half ? { ...block, data: decodeHalf(block.data), half: false } : block;
}

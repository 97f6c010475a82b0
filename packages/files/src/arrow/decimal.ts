import type { ValueType } from './format.js';

/** Powers of ten that are exact. */
const TENS = Array.from({ length: 23 }, (_, i) => 10 ** i);

/** Rounds decimals to float64. A decimal is an integer of several words and a number of digits after the point. */
export function decimals(words: Uint32Array, { size, scale = 0 }: ValueType, count: number): Float64Array {
  const each = size / 32;
  return Float64Array.from({ length: count }, (_, i) => {
    const digits = words.subarray(i * each, (i + 1) * each);
    const whole = small(digits);
    return whole !== undefined && scale >= 0 && scale < TENS.length
      ? whole / TENS[scale]
      : Number(`${large(digits)}e${-scale}`);
  });
}

/** An integer that float64 holds; undefined if it is larger. */
function small(words: Uint32Array): number | undefined {
  const low = words[0];
  const high = words.length > 1 ? words[1] | 0 : (low | 0) >> 31;
  for (let i = 2; i < words.length; i++) if ((words[i] | 0) !== high >> 31) return undefined;
  const value = high * 2 ** 32 + low;
  return Number.isSafeInteger(value) ? value : undefined;
}

function large(words: Uint32Array): bigint {
  let value = 0n;
  for (let i = words.length - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[i]);
  return BigInt.asIntN(32 * words.length, value);
}

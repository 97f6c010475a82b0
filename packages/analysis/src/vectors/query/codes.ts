import type { VectorCode, VectorStore } from './query-model.js';

/** Bytes of a stored vector of k numbers. */
export function codeBytes(store: VectorStore, k: number): number {
  return store === 'float32' ? 4 * k : store === 'float16' ? 2 * k : store === 'int8' ? k : Math.ceil(k / 8);
}

/** Entries of the array that stores a vector of k numbers: one per number, or one per eight bits. */
export function entriesOf(store: VectorStore, k: number): number {
  return store === 'bit' ? Math.ceil(k / 8) : k;
}

/** An array for `count` stored vectors of k numbers. */
export function codesFor(store: VectorStore, k: number, count = 1): VectorCode {
  const length = count * entriesOf(store, k);
  if (store === 'float32') return new Float32Array(length);
  if (store === 'float16') return new Uint16Array(length);
  return store === 'int8' ? new Int8Array(length) : new Uint8Array(length);
}

/**
 * Stores k float32 numbers of `z`:
 * | store   | stored                                                                                       |
 * |---------|----------------------------------------------------------------------------------------------|
 * | float32 | z                                                                                            |
 * | float16 | the nearest half-precision number, ties to even                                              |
 * | int8    | the nearest whole number to z/step, from −127 to 127; halves are rounded up                  |
 * | bit     | 1 if z > 0; the first number is the highest bit of the first byte, as in Postgres and numpy.packbits |
 */
export function storeNumbers(
  store: VectorStore,
  z: Float32Array,
  from: number,
  k: number,
  step: number,
  out: VectorCode,
  at: number,
): void {
  if (store === 'float32') for (let c = 0; c < k; c++) out[at + c] = z[from + c];
  else if (store === 'float16') for (let c = 0; c < k; c++) out[at + c] = toHalf(z[from + c]);
  else if (store === 'int8') {
    for (let c = 0; c < k; c++) out[at + c] = Math.max(-127, Math.min(127, Math.round(z[from + c] / step)));
  } else {
    out.fill(0, at, at + Math.ceil(k / 8));
    for (let c = 0; c < k; c++) if (z[from + c] > 0) out[at + (c >> 3)] |= 128 >> (c & 7);
  }
}

const bits = new Uint32Array(1);
const number = new Float32Array(bits.buffer);

/** The bits of the nearest IEEE binary16 number, ties to even. Larger numbers become the largest, 65,504. */
export function toHalf(value: number): number {
  number[0] = value;
  const x = bits[0];
  const sign = (x >>> 16) & 0x8000;
  const magnitude = x & 0x7fffffff;
  if (magnitude >= 0x477fe000) return sign | 0x7bff;
  // Below 2^-14 the steps are 2^-24.
  if (magnitude < 0x38800000) return sign | roundEven(Math.abs(number[0]) * 2 ** 24);
  // Adds half a step less one, and one more if the last kept bit is odd: a carry into the exponent is what rounding up means.
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

function roundEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

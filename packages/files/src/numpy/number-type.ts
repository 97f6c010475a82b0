import type { DType, NumberArray } from '@scree/core';
import { wasRounded } from '../table/rounded-integers.js';

/** How numbers are stored in a file, and as which type they are passed on: the stored type if core reads it. */
export interface NumberType {
  /** NumPy's name, without the byte order. */
  readonly name: string;
  readonly bytes: number;
  /** True if float32 holds every such number. */
  readonly dtype: DType;
  /** True if the numbers are half-precision bits. */
  readonly half?: boolean;
  /** True if a value can be missing (NaN). */
  readonly float: boolean;
  view(buffer: ArrayBuffer, length: number): NumberArray;
  /** Converts the stored values in place, and reports which were rounded; undefined if they need no conversion. */
  readonly convert?: (buffer: ArrayBuffer, length: number, rounded: (index: number) => void) => void;
}

/** Rounds 64-bit integers to float64, in place: each is read before it is overwritten. */
function int64ToFloat64(signed: boolean): NonNullable<NumberType['convert']> {
  return (buffer, length, rounded) => {
    const low = new Uint32Array(buffer);
    const high = signed ? new Int32Array(buffer) : low;
    const out = new Float64Array(buffer);
    // Both halves are exact and the sum is rounded once.
    for (let i = 0; i < length; i++) {
      const [upper, lower] = [high[2 * i + 1], low[2 * i]];
      const value = upper * 2 ** 32 + lower;
      if (wasRounded(value, upper, lower)) rounded(i);
      out[i] = value;
    }
  };
}

/** Every byte but 0 is true, as in NumPy. */
function truthToOne(buffer: ArrayBuffer, length: number): void {
  const bytes = new Uint8Array(buffer, 0, length);
  for (let i = 0; i < length; i++) if (bytes[i] > 1) bytes[i] = 1;
}

const float32 = { dtype: 'float32', float: false } as const;
const double = { dtype: 'float64', float: false } as const;

export const NUMBER_TYPES: readonly NumberType[] = [
  { name: 'f2', bytes: 2, ...float32, float: true, half: true, view: (b, n) => new Uint16Array(b, 0, n) },
  { name: 'f4', bytes: 4, ...float32, float: true, view: (b, n) => new Float32Array(b, 0, n) },
  { name: 'f8', bytes: 8, ...double, float: true, view: (b, n) => new Float64Array(b, 0, n) },
  { name: 'i1', bytes: 1, ...float32, view: (b, n) => new Int8Array(b, 0, n) },
  { name: 'i2', bytes: 2, ...float32, view: (b, n) => new Int16Array(b, 0, n) },
  { name: 'i4', bytes: 4, ...double, view: (b, n) => new Int32Array(b, 0, n) },
  { name: 'i8', bytes: 8, ...double, view: (b, n) => new Float64Array(b, 0, n), convert: int64ToFloat64(true) },
  { name: 'u1', bytes: 1, ...float32, view: (b, n) => new Uint8Array(b, 0, n) },
  { name: 'u2', bytes: 2, ...float32, view: (b, n) => new Uint16Array(b, 0, n) },
  { name: 'u4', bytes: 4, ...double, view: (b, n) => new Uint32Array(b, 0, n) },
  { name: 'u8', bytes: 8, ...double, view: (b, n) => new Float64Array(b, 0, n), convert: int64ToFloat64(false) },
  { name: 'b1', bytes: 1, ...float32, view: (b, n) => new Uint8Array(b, 0, n), convert: truthToOne },
];

export function numberType(name: string): NumberType | undefined {
  return NUMBER_TYPES.find((type) => type.name === name);
}

/** Reverses the bytes of big-endian values, in place. */
export function swapBytes(buffer: ArrayBuffer, bytes: number, length: number): void {
  if (bytes === 2) {
    const halves = new Uint16Array(buffer, 0, length);
    for (let i = 0; i < length; i++) halves[i] = (halves[i] << 8) | (halves[i] >> 8);
  } else if (bytes === 4) {
    const words = new Uint32Array(buffer, 0, length);
    for (let i = 0; i < length; i++) words[i] = swapWord(words[i]);
  } else if (bytes === 8) {
    const words = new Uint32Array(buffer, 0, 2 * length);
    for (let i = 0; i < 2 * length; i += 2) {
      const first = swapWord(words[i]);
      words[i] = swapWord(words[i + 1]);
      words[i + 1] = first;
    }
  }
}

function swapWord(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

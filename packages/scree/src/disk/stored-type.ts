import type { DType, NumberArray } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import { decodeHalf } from '@scree/core/data';

/** Types of numbers in files: float64 and float32, which core computes in, and the types that it reads without conversion. */
export type StoredType = DType | 'float16' | 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32';

interface Storage {
  readonly bytes: number;
  /** NumPy's name. */
  readonly descr: string;
  /** The smaller of float32 and float64 that represents every such number. */
  readonly dtype: DType;
  make(length: number): NumberArray;
  /** Smallest and largest number. Others are clamped to them. */
  readonly range: readonly [number, number];
  readonly whole: boolean;
}

const integer = (descr: string, bytes: number, range: readonly [number, number], make: Storage['make']): Storage => ({
  descr,
  bytes,
  range,
  make,
  whole: true,
  dtype: bytes < 4 ? 'float32' : 'float64',
});

const LARGEST_SINGLE = 3.4028234663852886e38;

export const STORED_TYPES: Readonly<Record<StoredType, Storage>> = {
  float64: {
    descr: '<f8',
    bytes: 8,
    dtype: 'float64',
    whole: false,
    range: [-Number.MAX_VALUE, Number.MAX_VALUE],
    make: (n) => new Float64Array(n),
  },
  float32: {
    descr: '<f4',
    bytes: 4,
    dtype: 'float32',
    whole: false,
    range: [-LARGEST_SINGLE, LARGEST_SINGLE],
    make: (n) => new Float32Array(n),
  },
  float16: {
    descr: '<f2',
    bytes: 2,
    dtype: 'float32',
    whole: false,
    range: [-65504, 65504],
    make: (n) => new Uint16Array(n),
  },
  int8: integer('|i1', 1, [-128, 127], (n) => new Int8Array(n)),
  uint8: integer('|u1', 1, [0, 255], (n) => new Uint8Array(n)),
  int16: integer('<i2', 2, [-32768, 32767], (n) => new Int16Array(n)),
  uint16: integer('<u2', 2, [0, 65535], (n) => new Uint16Array(n)),
  int32: integer('<i4', 4, [-(2 ** 31), 2 ** 31 - 1], (n) => new Int32Array(n)),
  uint32: integer('<u4', 4, [0, 2 ** 32 - 1], (n) => new Uint32Array(n)),
};

export function isStoredType(value: unknown): value is StoredType {
  return typeof value === 'string' && Object.hasOwn(STORED_TYPES, value);
}

/** The type of the numbers of a block. */
export function storedTypeOf({ data, half }: Pick<DenseBlock, 'data' | 'half'>): StoredType {
  if (half) return 'float16';
  if (data instanceof Float64Array) return 'float64';
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Int8Array) return 'int8';
  if (data instanceof Int16Array) return 'int16';
  if (data instanceof Uint16Array) return 'uint16';
  if (data instanceof Int32Array) return 'int32';
  return data instanceof Uint32Array ? 'uint32' : 'uint8';
}

/** Rounds and clamps numbers in place to those that a type can represent. */
export function roundToType(values: Float64Array, type: StoredType): void {
  const { range, whole } = STORED_TYPES[type];
  const [low, high] = range;
  if (whole) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      values[i] = value > low ? (value < high ? Math.floor(value + 0.5) : high) : low;
    }
  } else if (type === 'float32') {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      // Infinities are kept.
      values[i] = Math.abs(value) <= high || value - value !== 0 ? Math.fround(value) : Math.sign(value) * high;
    }
  } else if (type === 'float16') values.set(decodeHalf(encodeHalf(values)));
}

/** Converts numbers to an array of a type; float16 as bits. Also rounds `values` themselves. */
export function storeAs(values: Float64Array, type: StoredType): NumberArray {
  if (type === 'float64') return values;
  if (type === 'float16') return encodeHalf(values);
  roundToType(values, type);
  // `set` converts several times faster than a loop.
  const out = STORED_TYPES[type].make(values.length);
  out.set(values);
  return out;
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** The IEEE binary16 bits nearest to each number, ties to even. Larger numbers become the largest float16. */
export function encodeHalf(values: ArrayLike<number>): Uint16Array {
  const out = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const size = Math.abs(value);
    const sign = value < 0 ? 0x8000 : 0;
    if (size >= 65504) out[i] = sign | 0x7bff;
    // Subnormal: multiples of 2⁻²⁴. If it rounds up to 2¹⁰ of them, the bits are those of the smallest normal number.
    else if (size < 2 ** -14) out[i] = sign | roundEven(size * 2 ** 24);
    else {
      single[0] = size;
      const word = bits[0];
      // Adds half of the last place, and one more if that place is odd.
      out[i] = sign | ((word - 0x38000000 + 0xfff + ((word >>> 13) & 1)) >>> 13);
    }
  }
  return out;
}

function roundEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}

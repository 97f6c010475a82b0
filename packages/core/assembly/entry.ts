/** Conversion of stored numbers to float64. The codes are those of src/engines/wasm/dense/layout.ts. */

export const F64: i32 = 0;
export const F32: i32 = 1;
export const U8: i32 = 2;
export const I8: i32 = 3;
export const U16: i32 = 4;
export const I16: i32 = 5;
export const F16: i32 = 6;
export const U32: i32 = 8;

/** log₂ of the bytes of a number. */
export function shiftOf(type: i32): usize {
  return type === F64 ? 3 : type === U8 || type === I8 ? 0 : type >= U16 && type <= F16 ? 1 : 2;
}

/** Reads one number. */
export function entry(at: usize, type: i32): f64 {
  if (type === F64) return load<f64>(at);
  if (type === F32) return <f64>load<f32>(at);
  if (type === U8) return <f64>load<u8>(at);
  if (type === I8) return <f64>load<i8>(at);
  if (type === U16) return <f64>load<u16>(at);
  if (type === I16) return <f64>load<i16>(at);
  if (type === F16) return <f64>half(load<u16>(at));
  if (type === U32) return <f64>load<u32>(at);
  return <f64>load<i32>(at);
}

/**
 * Converts IEEE binary16: moves the exponent and mantissa to their positions in float32 and scales by 2¹¹². Infinities and NaN are handled
 * separately.
 */
function half(bits: u16): f32 {
  const magnitude = (<u32>(bits & 0x7fff)) << 13;
  const sign = (<u32>(bits & 0x8000)) << 16;
  const special = magnitude >= 0x0f800000;
  const scaled = special
    ? magnitude | 0x7f800000
    : reinterpret<u32>(reinterpret<f32>(magnitude) * reinterpret<f32>(<u32>0x77800000));
  return reinterpret<f32>(scaled | sign);
}

/**
 * Reads four numbers that are not float64: floats as four float32, integers as four 32-bit integers. AssemblyScript has no float16, so u64,
 * which is not a data type here, stands for it.
 */
export function four<T>(at: usize): v128 {
  if (sizeof<T>() === 8) return halves(i32x4.extend_low_i16x8_u(v128.load64_zero(at)));
  if (sizeof<T>() === 4) return v128.load(at);
  if (sizeof<T>() === 2) {
    const words = v128.load64_zero(at);
    return isSigned<T>() ? i32x4.extend_low_i16x8_s(words) : i32x4.extend_low_i16x8_u(words);
  }
  const bytes = v128.load32_zero(at);
  return isSigned<T>()
    ? i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(bytes))
    : i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes));
}

/** `half` for four numbers. */
function halves(bits: v128): v128 {
  const magnitude = i32x4.shl(v128.and(bits, i32x4.splat(0x7fff)), 13);
  const sign = i32x4.shl(v128.and(bits, i32x4.splat(0x8000)), 16);
  const special = i32x4.ge_s(magnitude, i32x4.splat(0x0f800000));
  const scaled = v128.bitselect(
    v128.or(magnitude, i32x4.splat(0x7f800000)),
    f32x4.mul(magnitude, i32x4.splat(0x77800000)),
    special,
  );
  return v128.or(scaled, sign);
}

/** The first two of four numbers as float64. */
export function widen<T>(quad: v128): v128 {
  if (isFloat<T>() || sizeof<T>() === 8) return f64x2.promote_low_f32x4(quad);
  if (sizeof<T>() === 4 && !isSigned<T>()) return f64x2.convert_low_i32x4_u(quad);
  return f64x2.convert_low_i32x4_s(quad);
}

/** The last two of four numbers of 32 bits, moved to the front. */
export function upperHalf(four: v128): v128 {
  return i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
}

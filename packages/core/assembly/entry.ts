/** Numbers as they are stored, as float64. The codes are those of src/engines/wasm/layout.ts. */

export const F64: i32 = 0;
export const F32: i32 = 1;
const U8: i32 = 2;
const I8: i32 = 3;
const U16: i32 = 4;
const I16: i32 = 5;
const F16: i32 = 6;
const U32: i32 = 8;

/** log₂ of the bytes that a number of the type takes. */
export function shiftOf(type: i32): usize {
  return type === F64 ? 3 : type === U8 || type === I8 ? 0 : type >= U16 && type <= F16 ? 1 : 2;
}

/** One number. */
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

/** IEEE binary16: the exponent and mantissa moved to where float32 has them and rescaled by 2¹¹²; infinities and NaN by hand. */
function half(bits: u16): f32 {
  const magnitude = (<u32>(bits & 0x7fff)) << 13;
  const sign = (<u32>(bits & 0x8000)) << 16;
  const special = magnitude >= 0x0f800000;
  const scaled = special
    ? magnitude | 0x7f800000
    : reinterpret<u32>(reinterpret<f32>(magnitude) * reinterpret<f32>(<u32>0x77800000));
  return reinterpret<f32>(scaled | sign);
}

/** Four numbers that are not float64: as four float32 where the type is `isFloat`, else as four 32-bit integers. */
function four(at: usize, type: i32): v128 {
  if (type === F32) return v128.load(at);
  if (type === U8) return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at)));
  if (type === I8) return i32x4.extend_low_i16x8_s(i16x8.extend_low_i8x16_s(v128.load32_zero(at)));
  if (type === U16) return i32x4.extend_low_i16x8_u(v128.load64_zero(at));
  if (type === I16) return i32x4.extend_low_i16x8_s(v128.load64_zero(at));
  if (type === F16)
    return f32x4(half(load<u16>(at)), half(load<u16>(at, 2)), half(load<u16>(at, 4)), half(load<u16>(at, 6)));
  return v128.load(at);
}

/** The first two of four numbers as float64. */
function widen(quad: v128, type: i32): v128 {
  if (type === F32 || type === F16) return f64x2.promote_low_f32x4(quad);
  if (type === U32) return f64x2.convert_low_i32x4_u(quad);
  return f64x2.convert_low_i32x4_s(quad);
}

/** Numbers 0 and 1 at `at`, of any type but float64. */
export function lowPair(at: usize, type: i32): v128 {
  return widen(four(at, type), type);
}

/** Numbers 2 and 3. */
export function highPair(at: usize, type: i32): v128 {
  const quad = four(at, type);
  return widen(upperHalf(quad), type);
}

/** The last two of four numbers of 32 bits, moved to the front. */
export function upperHalf(four: v128): v128 {
  return i8x16.shuffle(four, four, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
}

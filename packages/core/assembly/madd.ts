/** sum + a·b. AssemblyScript folds the constant, so each build contains one of the two forms and no branch. */
export function madd(a: v128, b: v128, sum: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f64x2.relaxed_madd(a, b, sum) : f64x2.add(sum, f64x2.mul(a, b));
}

/** sum + a·b for four float32. */
export function maddSingle(a: v128, b: v128, sum: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(a, b, sum) : f32x4.add(sum, f32x4.mul(a, b));
}

/** sum + a·b. AssemblyScript folds the constant, so that each build has one of the two and no branch. */
export function madd(a: v128, b: v128, sum: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f64x2.relaxed_madd(a, b, sum) : f64x2.add(sum, f64x2.mul(a, b));
}

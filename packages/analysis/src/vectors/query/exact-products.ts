/**
 * Products that are exact, so that rows and queries get the same bits. Any order of the sums, any number of threads, and fused
 * multiplications give the same result.
 *
 * The components are rounded to multiples of 2^-24, and a vector of norm at most 1 to multiples of 2^-23. Every product is then a multiple of
 * 2^-47, and by Cauchy and Schwarz every sum of some of them is at most ‖v‖·‖x‖ ≤ 1 + ε. Float64 holds such numbers exactly. The rounding,
 * 2^-25 and 2^-24 of the norms per number, is that of float32 for numbers near 1.
 */
export const COMPONENT_STEPS = 2 ** 24;
const VECTOR_STEPS = 2 ** 23;

/** Rounds components to float32 numbers that are multiples of 2^-24. Rounding twice gives the same as rounding once. */
export function roundComponents(components: ArrayLike<number>): Float32Array {
  const out = new Float32Array(components.length);
  for (let i = 0; i < out.length; i++)
    out[i] = Math.round(Math.fround(components[i]) * COMPONENT_STEPS) / COMPONENT_STEPS;
  return out;
}

/** Σx² in the order of the numbers. */
export function squareOf(x: Float32Array, from: number, d: number): number {
  let sum = 0;
  for (let j = from; j < from + d; j++) sum += x[j] * x[j];
  return sum;
}

/**
 * Writes the vector as whole numbers, x·2^23/unit, and returns the number that products with components are multiplied by. With
 * `normalise`, the unit is the norm, and the products are those of the vector of length 1. Otherwise it is a power of two, not below the
 * norm. `square` is Σx².
 */
export function toFixedPoint(
  x: Float32Array,
  from: number,
  d: number,
  square: number,
  normalise: boolean,
  out: Float64Array,
  at: number,
): number {
  const norm = Math.sqrt(square);
  const unit = normalise ? norm : powerAbove(norm);
  const factor = norm > 0 ? VECTOR_STEPS / unit : 0;
  for (let j = 0; j < d; j++) out[at + j] = Math.round(x[from + j] * factor);
  return (normalise ? 1 : unit) / VECTOR_STEPS;
}

/** The least power of two that is not below a number, or 1 for 0. */
function powerAbove(value: number): number {
  if (!(value > 0)) return 1;
  let power = 2 ** Math.floor(Math.log2(value));
  // Rounding of the logarithm may give a neighbouring power.
  while (power < value) power *= 2;
  while (power / 2 >= value) power /= 2;
  return power;
}

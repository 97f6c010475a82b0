/** Seeded random numbers: the same seed gives the same numbers on every machine. */

const doubleBits = new DataView(new ArrayBuffer(8));

export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}

/** xoshiro128** (Blackman & Vigna 2018), its state filled from the seed by splitmix32. */
export function random(seed: number): Random {
  let mix = seed | 0;
  const next32 = (): number => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix ^ (mix >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  // A seed beyond 32 bits still matters: its high part is mixed in before the state is drawn.
  mix ^= Math.imul(Math.floor(seed / 2 ** 32) | 0, 0x85ebca6b);
  let [a, b, c, d] = [next32(), next32(), next32(), next32()];
  const rotl = (x: number, k: number): number => (x << k) | (x >>> (32 - k));
  const bits = (): number => {
    const result = Math.imul(rotl(Math.imul(b, 5), 7), 9) >>> 0;
    const t = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= t;
    d = rotl(d, 11);
    return result;
  };
  const uniform = (): number => ((bits() >>> 5) * 67108864 + (bits() >>> 6)) / 9007199254740992;
  let spare: number | undefined;
  // Marsaglia's polar method: two normals from two uniforms, the second kept for the next call.
  const normal = (): number => {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * logarithm(s)) / s);
      spare = v * factor;
      return u * factor;
    }
  };
  return { uniform, normal };
}

/**
 * A gamma variate of the given shape ≥ 1/2 and scale 1 (Marsaglia & Tsang 2000): dv with v = (1 + cz)³, z normal, accepted where
 * ln u < z²/2 + d − dv + d·ln v. χ² with m degrees of freedom is twice that of shape m/2. Shapes below 1 are one higher, times u^(1/shape).
 */
export function gamma(shape: number, rng: Random): number {
  if (shape < 1) {
    // u² is u^(1/shape) for 1/2, the only shape below 1 of χ².
    const root = rng.uniform();
    return gamma(shape + 1, rng) * root * root;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const z = rng.normal();
    const v = (1 + c * z) ** 3;
    const u = rng.uniform();
    if (v <= 0 || u === 0) continue;
    const logV = v < 1 ? logarithm(v) : v > 1 ? -logarithm(1 / v) : 0;
    if (logarithm(u) < (z * z) / 2 + d - d * v + d * logV) return d * v;
  }
}

/**
 * The natural logarithm of 0 < x < 1 from operations that IEEE 754 rounds in one way only, because Math.log is rounded as
 * each JavaScript engine likes, and x is not subnormal: with x = m·2ᵉ and f = (m − 1)/(m + 1), ln x = e·ln 2 + 2(f + f³/3 + f⁵/5 + …).
 */
function logarithm(x: number): number {
  doubleBits.setFloat64(0, x);
  const high = doubleBits.getInt32(0);
  let exponent = ((high >>> 20) & 2047) - 1023;
  // The exponent's bits become those of 1.
  doubleBits.setInt32(0, (high & 0x000fffff) | 0x3ff00000);
  let mantissa = doubleBits.getFloat64(0);
  if (mantissa > Math.SQRT2) {
    mantissa /= 2;
    exponent++;
  }
  const f = (mantissa - 1) / (mantissa + 1);
  const s = f * f;
  // biome-ignore format: one line per step would hide the series
  const sum =
    ((((((((((1 / 21) * s + 1 / 19) * s + 1 / 17) * s + 1 / 15) * s + 1 / 13) * s + 1 / 11) * s + 1 / 9) * s + 1 / 7) * s + 1 / 5) * s + 1 / 3) * s + 1;
  return exponent * Math.LN2 + 2 * f * sum;
}

/**
 * χ² with a whole number of degrees of freedom: a squared normal for 1, else twice a gamma variate of shape a = df/2 (Marsaglia &
 * Tsang 2000): g·v with g = a − 1/3 and v = (1 + x/√(9g))³ for normal x, kept where ln u < x²/2 + g(1 − v + ln v).
 */
export function chiSquare(freedom: number, { uniform, normal }: Random): number {
  if (freedom === 1) return normal() ** 2;
  const g = freedom / 2 - 1 / 3;
  for (;;) {
    const x = normal();
    const root = 1 + x / Math.sqrt(9 * g);
    if (root <= 0) continue;
    const v = root * root * root;
    const u = uniform();
    const square = x * x;
    if (u < 1 - 0.0331 * square * square) return 2 * g * v;
    const lnV = v < 1 ? logarithm(v) : v === 1 ? 0 : -logarithm(1 / v);
    if (u > 0 && logarithm(u) < square / 2 + g * (1 - v + lnV)) return 2 * g * v;
  }
}

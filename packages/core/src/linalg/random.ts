/** Seeded random numbers: the same seed gives the same numbers on every machine. */

const doubleBits = new DataView(new ArrayBuffer(8));

export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}

/** xoshiro128** (Blackman & Vigna 2018). splitmix32 fills its state from the seed. */
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
  // The high part of a seed beyond 32 bits is mixed in before the state is drawn.
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
 * The natural logarithm of 0 < x < 1, x not subnormal. It gives the same bits on every machine, unlike Math.log, whose rounding depends on
 * the JavaScript engine. With x = m·2ᵉ and f = (m − 1)/(m + 1), ln x = e·ln 2 + 2(f + f³/3 + f⁵/5 + …).
 */
export function logarithm(x: number): number {
  doubleBits.setFloat64(0, x);
  const high = doubleBits.getInt32(0);
  let exponent = ((high >>> 20) & 2047) - 1023;
  // Sets the exponent to that of 1.
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

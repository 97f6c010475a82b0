/** Numbers that look random, are the same on every machine, and come at hundreds of millions a second. */
export interface Random {
  /** Evenly from 0 to 1. */
  uniform(): number;
  /** Normal, of variance 1. */
  normal(): number;
}

/** Normal numbers are drawn from a table of this many: a logarithm and a cosine for each would take a minute for 1e8. */
const TABLE = 1 << 16;

/** mulberry32 (public domain): 32 bits a step. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const bits = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const uniform = (): number => (bits() + 0.5) / 2 ** 32;
  // Box–Muller.
  const table = Float64Array.from(
    { length: TABLE },
    () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
  return { uniform, normal: () => table[bits() & (TABLE - 1)] };
}

/**
 * Arithmetic on numbers of two float32 parts, h + l, in WGSL. It uses sums and products with exactly computed rounding errors (Dekker 1971;
 * Knuth, TAOCP 4.2.2). Shader compilers may reorder sums and may fuse products with sums. So there are several forms of each, and
 * `probe.ts` chooses the forms that are exact on a device.
 */

/** How the error of a sum is computed: directly; through products with a 1 from a uniform; or through an exclusive or with a 0 from a uniform. */
export const SUM_FORMS = ['plain', 'one', 'bits'] as const;
/** How the error of a product is computed: by a fused multiply-add, or by splitting the factors into halves. */
export const PRODUCT_FORMS = ['fma', 'split'] as const;

export interface Arithmetic {
  readonly sum: (typeof SUM_FORMS)[number];
  readonly product: (typeof PRODUCT_FORMS)[number];
}

/** The first fields of every uniform: one (f32), zero (u32). */
export const UNIFORM_HEAD = 'one: f32, zero: u32,';

/** a + b and a − b for each form, written so that the compiler cannot simplify the error to 0. */
const SUMS: Record<
  Arithmetic['sum'],
  { add: (a: string, b: string) => string; subtract: (a: string, b: string) => string }
> = {
  plain: { add: (a, b) => `(${a} + ${b})`, subtract: (a, b) => `(${a} - ${b})` },
  one: {
    add: (a, b) => `fma(${a}, TYPE(p.one), ${b})`,
    subtract: (a, b) => `fma(TYPE(-p.one), ${b}, ${a})`,
  },
  bits: { add: (a, b) => `opaqueSUFFIX(${a} + ${b})`, subtract: (a, b) => `opaqueSUFFIX(${a} - ${b})` },
};

/** The exact error of q = a·b. */
const PRODUCTS: Record<Arithmetic['product'], string> = {
  fma: 'return fma(a, b, -q);',
  // Halves of 12 bits: their products are exact.
  split: `let ah = bitcast<TYPE>(bitcast<BITS>(a) & BITS(0xfffff000u));
  let bh = bitcast<TYPE>(bitcast<BITS>(b) & BITS(0xfffff000u));
  let al = a - ah;
  let bl = b - bh;
  return (((ah * bh - q) + ah * bl) + al * bh) + al * bl;`,
};

/** Returns the functions for f32 (suffix 1) and vec4f (suffix 4). They need a uniform `p` that begins with `UNIFORM_HEAD`. */
export function arithmeticCode({ sum, product }: Arithmetic): string {
  const { add, subtract } = SUMS[sum];
  const code = `
struct TwoSUFFIX { h: TYPE, l: TYPE }
fn opaqueSUFFIX(v: TYPE) -> TYPE { return bitcast<TYPE>(bitcast<BITS>(v) ^ BITS(p.zero)); }
fn twoSumSUFFIX(a: TYPE, b: TYPE) -> TwoSUFFIX {
  let s = ${add('a', 'b')};
  let v = ${subtract('s', 'a')};
  let w = ${subtract('s', 'v')};
  return TwoSUFFIX(s, ${subtract('a', 'w')} + ${subtract('b', 'v')});
}
fn quickSumSUFFIX(a: TYPE, b: TYPE) -> TwoSUFFIX {
  let s = ${add('a', 'b')};
  let v = ${subtract('s', 'a')};
  return TwoSUFFIX(s, ${subtract('b', 'v')});
}
fn productErrorSUFFIX(a: TYPE, b: TYPE, q: TYPE) -> TYPE {
  ${PRODUCTS[product]}
}
fn addTwoSUFFIX(x: TwoSUFFIX, y: TwoSUFFIX) -> TwoSUFFIX {
  let s = twoSumSUFFIX(x.h, y.h);
  return quickSumSUFFIX(s.h, s.l + (x.l + y.l));
}
fn multiplyTwoSUFFIX(x: TwoSUFFIX, y: TwoSUFFIX) -> TwoSUFFIX {
  let q = opaqueSUFFIX(x.h * y.h);
  return quickSumSUFFIX(q, productErrorSUFFIX(x.h, y.h, q) + (x.h * y.l + x.l * y.h));
}
`;
  const typed = (type: string, bits: string, suffix: string): string =>
    code.replaceAll('TYPE', type).replaceAll('BITS', bits).replaceAll('SUFFIX', suffix);
  return typed('f32', 'u32', '1') + typed('vec4f', 'vec4u', '4');
}

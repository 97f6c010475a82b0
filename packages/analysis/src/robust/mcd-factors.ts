import { tailChiSquared, upperChiSquared } from '../statistics/distributions.js';

/** Factors that make covariances of parts of normal rows consistent, and unbiased in small samples. */

/** α/P(χ²_{p+2} ≤ χ²_{p,α}): the covariance of the central share α of p-dimensional normal rows is too small by it (Croux & Haesbroeck 1999). */
export function consistencyFactor(p: number, share: number): number {
  if (share >= 1) return 1;
  return share / (1 - tailChiSquared(upperChiSquared(1 - share, p), p + 2));
}

/** One coefficient c and exponent e of 1 − exp(c)/n^e, or those of the formulas for three and more dimensions. */
interface Fits {
  /** (c, e, b) twice: Pison et al. fit the bias at n = b₁p² and b₂p². */
  readonly wide: readonly [Point, Point];
  readonly two: readonly [number, number];
  readonly one: readonly [number, number];
}
type Point = readonly [coefficient: number, exponent: number, multiple: number];

/** The fitted constants of the raw and of the reweighted estimate, at the shares 0.5 and 0.875 (`.MCDcnp2` of R's robustbase). */
const RAW: { readonly half: Fits; readonly most: Fits } = {
  half: {
    wide: [
      [-1.42764571687802, 1.26263336932151, 2],
      [-1.06141115981725, 1.28907991440387, 3],
    ],
    two: [0.673292623522027, 0.691365864961895],
    one: [0.262024211897096, 0.604756680630497],
  },
  most: {
    wide: [
      [-0.455179464070565, 1.11192541278794, 2],
      [-0.294241208320834, 1.09649329149811, 3],
    ],
    two: [0.446537815635445, 1.06690782995919],
    one: [-0.351584646688712, 1.01646567502486],
  },
};
const REWEIGHTED: typeof RAW = {
  half: {
    wide: [
      [-1.02842572724793, 1.67659883081926, 2],
      [-0.26800273450853, 1.35968562893582, 3],
    ],
    two: [3.11101712909049, 1.91401056721863],
    one: [1.11098143415027, 1.5182890270453],
  },
  most: {
    wide: [
      [-0.544482443573914, 1.25994483222292, 2],
      [-0.343791072183285, 1.25159004257133, 3],
    ],
    two: [0.79473550581058, 1.10081930350091],
    one: [-0.66046776772861, 0.88939595831888],
  },
};

/** The small-sample factor of the raw or the reweighted estimate (Pison, Van Aelst & Willems 2002), for shares from 0.5 to 1. */
export function smallSampleFactor(of: 'raw' | 'reweighted', p: number, n: number, share: number): number {
  const { half, most } = of === 'raw' ? RAW : REWEIGHTED;
  const [low, high] = [fittedShare(half, p, n), fittedShare(most, p, n)];
  const value =
    share <= 0.875 ? low + ((high - low) / 0.375) * (share - 0.5) : high + ((1 - high) / 0.125) * (share - 0.875);
  return 1 / value;
}

/** 1 − exp(c)/n^e. For p > 2, c and e solve ln(−cᵢ/p^eᵢ) = c − e·ln(bᵢp²) at the two points. */
function fittedShare({ wide, two, one }: Fits, p: number, n: number): number {
  if (p <= 2) {
    const [c, e] = p === 1 ? one : two;
    return 1 - Math.exp(c) / n ** e;
  }
  const [[y1, x1], [y2, x2]] = wide.map(([coefficient, exponent, multiple]) => [
    Math.log(-coefficient / p ** exponent),
    Math.log(multiple * p * p),
  ]);
  const e = (y1 - y2) / (x2 - x1);
  return 1 - Math.exp(y1 + e * x1) / n ** e;
}

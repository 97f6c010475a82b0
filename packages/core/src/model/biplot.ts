import { describeValue, OptionError } from '../errors.js';
import type { ModelRecord } from './record.js';

/** How a biplot shares the variances between points and arrows. */
export type BiplotScale = 'covariance' | 'form' | 'symmetric';

/** A biplot of two components: points for rows, arrows for columns. */
export interface Biplot {
  /** The component of each axis, with its name and its share of the variance: "PC1 (72.9 %)". */
  readonly x: { readonly name: string; readonly label: string };
  readonly y: { readonly name: string; readonly label: string };
  /** One point per row. */
  readonly points: { readonly x: number; readonly y: number }[];
  /** One arrow per column, from the origin. */
  readonly arrows: { readonly name: string; readonly x: number; readonly y: number }[];
  readonly scale: BiplotScale;
  /** What points and arrows are, as a sentence. */
  readonly scaling: string;
}

/** The exponent α: points are z/λ^(α/2) and arrows are λ^(α/2)·v, so that their products do not depend on it. */
const EXPONENTS: Readonly<Record<BiplotScale, number>> = { covariance: 1, form: 0, symmetric: 0.5 };

const PRODUCT = 'The product of a point and an arrow is the scaled value that the two components fit.';
const SCALINGS: Readonly<Record<BiplotScale, string>> = {
  covariance: `Points are scores over the standard deviation of their component, arrows are loadings √λ·v. ${PRODUCT} Angles between arrows approximate correlations.`,
  form: `Points are scores, arrows are components v. ${PRODUCT} Distances between points approximate those of the scaled rows.`,
  symmetric: `Points are scores over λ^¼, arrows are λ^¼·v. ${PRODUCT}`,
};

export function checkBiplotScale(scale: unknown): void {
  if (Object.hasOwn(EXPONENTS, scale as string)) return;
  throw new OptionError('BAD_OPTION', `scale must be 'covariance', 'form' or 'symmetric' for a biplot.`, {
    option: 'scale',
    value: scale,
  });
}

/** The index of a component, given by index or by name (`'PC2'`). */
export function componentIndex(which: number | string, k: number): number {
  const index = typeof which === 'number' ? which : /^PC[1-9]\d*$/.test(which) ? Number(which.slice(2)) - 1 : -1;
  if (Number.isInteger(index) && index >= 0 && index < k) return index;
  throw new OptionError(
    'K_OUT_OF_RANGE',
    k === 1
      ? 'A biplot needs two components, and this model has 1. Fit with k: 2 or more.'
      : `There is no component ${describeValue(which)}. Use an index from 0 to ${k - 1}, or a name, PC1 to PC${k}.`,
    { value: which, expected: k },
  );
}

/** Points and arrows from scores that are not whitened, row-major with `stride` numbers per row. */
export function makeBiplot(
  { components, variances, varianceRatios, columnNames, uniqueness }: ModelRecord,
  scores: ArrayLike<number>,
  stride: number,
  [x, y]: readonly [number, number],
  scale: BiplotScale,
): Biplot {
  const d = components.cols;
  const factor = (c: number): number => (c < uniqueness.rank ? variances[c] ** (EXPONENTS[scale] / 2) : 0);
  const [fx, fy] = [factor(x), factor(y)];
  const over = (score: number, f: number): number => (f > 0 ? score / f : 0);
  const axis = (c: number): Biplot['x'] => {
    const name = `PC${c + 1}`;
    return { name, label: `${name} (${(100 * varianceRatios[c]).toFixed(1)} %)` };
  };
  return {
    x: axis(x),
    y: axis(y),
    points: Array.from({ length: scores.length / stride }, (_, i) => ({
      x: over(scores[i * stride + x], fx),
      y: over(scores[i * stride + y], fy),
    })),
    arrows: Array.from({ length: d }, (_, j) => ({
      name: columnNames?.[j] ?? String(j),
      x: fx * components.data[x * d + j],
      y: fy * components.data[y * d + j],
    })),
    scale,
    scaling: SCALINGS[scale],
  };
}

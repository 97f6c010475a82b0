import { OptionError } from '@scree/core';
import { describeValue } from '@scree/core/pipeline';
import type { Point } from './convex-hull.js';
import type { GroupLevel } from './groups.js';

/** An ellipse on a pair of components. */
export interface Ellipse {
  readonly center: Point;
  /** Half the length of the longer and of the shorter axis. */
  readonly semiAxes: readonly [longer: number, shorter: number];
  /** Angle from the first of the two components to the longer axis, in radians. */
  readonly angle: number;
}

/** The kind and size of an ellipse. */
export interface EllipseOptions {
  /** The ellipse contains the true centre of the group (`'confidence'`), or its next row (`'concentration'`). Default `'confidence'`. */
  readonly kind?: 'confidence' | 'concentration' | undefined;
  /** The probability that the ellipse contains it. Default 0.95. */
  readonly level?: number | undefined;
  /**
   * `'f'` is exact for any number of normal rows. `'chi2'` assumes that the covariance is known, so the ellipse is too small for few
   * rows, as in FactoMineR's `coord.ellipse`. Default `'f'`.
   */
  readonly distribution?: 'f' | 'chi2' | undefined;
}

/**
 * The ellipse {z : (z − m)ᵀS⁻¹(z − m) ≤ q} of a group of n rows with mean m and covariance S on two components. With F the `level`
 * quantile of F with 2 and n − 2 degrees of freedom (Hotelling 1931), and χ² that of chi-squared with 2:
 *
 *   confidence     q = 2(n − 1)/(n(n − 2))·F          or χ²/n   the true centre is inside with this probability
 *   concentration  q = 2(n − 1)(n + 1)/(n(n − 2))·F   or χ²     the next row of the group is inside with this probability
 *
 * Undefined for groups of fewer than 3 rows, and for components without a kept covariance.
 */
export function groupEllipse(
  { n, center, covariance }: Pick<GroupLevel, 'n' | 'center' | 'covariance'>,
  [a, b]: readonly [number, number],
  { kind = 'confidence', level = 0.95, distribution = 'f' }: EllipseOptions = {},
): Ellipse | undefined {
  if (!(level > 0 && level < 1)) {
    throw new OptionError('BAD_OPTION', `level is ${describeValue(level)}; it must be a number between 0 and 1.`, {
      option: 'level',
      value: level,
    });
  }
  if (!(n > 2) || covariance[a]?.[b] === undefined || covariance[b] === undefined) return undefined;
  // Both quantiles have a closed form for 2 degrees of freedom: P(F > f) = (1 + 2f/m)^(−m/2), P(χ² > x) = e^(−x/2).
  const m = n - 2;
  const f = (m / 2) * Math.expm1((-2 / m) * Math.log(1 - level));
  const rows = distribution === 'f' ? ((2 * (n - 1) * (n + 1)) / (n * m)) * f : -2 * Math.log(1 - level);
  const q = kind === 'concentration' ? rows : rows / (distribution === 'f' ? n + 1 : n);
  const middle = (covariance[a][a] + covariance[b][b]) / 2;
  const half = (covariance[a][a] - covariance[b][b]) / 2;
  const radius = Math.hypot(half, covariance[a][b]);
  return {
    center: [center[a], center[b]],
    semiAxes: [Math.sqrt(q * (middle + radius)), Math.sqrt(q * Math.max(0, middle - radius))],
    angle: Math.atan2(covariance[a][b], half) / 2,
  };
}

import type { Interval, Model, Stability } from '@scree/core';
import type { AngleSpread, MatrixLimits } from '@scree/core/pipeline';
import { compareAxes } from '../bootstrap/align.js';

/**
 * Adds the spread between draws of multiple imputation to the intervals and angles of a bootstrap, which knows the sampling error alone
 * (Rubin 1987, "Multiple Imputation for Nonresponse in Surveys", ch. 3): total variance = sampling variance + (1 + 1/m)·B, where B is the
 * variance between the m draws. Intervals are moved to the mean of the draws, because predicted values have too little variance; those of
 * variances on the log scale. Angles add as √(θ₁² + θ₂²).
 */
export function poolDraws(stability: Stability, model: Model, draws: readonly Model[]): Stability {
  const m = draws.length;
  if (m < 2) return stability;
  const { k, d } = model;
  const { rank } = model.uniqueness;
  const found = draws.map((draw) => compareAxes(draw.components.data, model.components.data, k, d, rank));
  const signs = found.map(({ cosines }) => Array.from({ length: k }, (_, i) => (cosines[i * k + i] < 0 ? -1 : 1)));
  const signed = (of: (draw: Model) => ArrayLike<number>, at: number): number[] =>
    draws.map((draw, b) => signs[b][Math.floor(at / d)] * of(draw)[at]);
  const limits = (
    given: MatrixLimits,
    of: (model: Model) => ArrayLike<number>,
    most = Number.POSITIVE_INFINITY,
  ): MatrixLimits => {
    const own = of(model);
    const moved = given.low.map((low, at) => widened([low, given.high[at]], own[at], signed(of, at)));
    return { low: moved.map(([low]) => Math.max(-most, low)), high: moved.map(([, high]) => Math.min(most, high)) };
  };
  const variances = (given: readonly Interval[]): Interval[] =>
    given.map((interval, i) =>
      widenedLog(
        interval,
        model.variances[i],
        draws.map((draw) => draw.variances[i]),
      ),
    );
  return {
    ...stability,
    variances: variances(stability.variances),
    ratios: stability.ratios.map((interval, i): Interval => {
      const [low, high] = widened(
        interval,
        model.varianceRatios[i],
        draws.map((draw) => draw.varianceRatios[i]),
      );
      return [Math.max(0, low), Math.min(1, high)];
    }),
    angles: addAngles(stability.angles, (i) => found.map(({ angles }) => angles[i])),
    subspaceAngles: addAngles(stability.subspaceAngles, (i) => found.map(({ subspaceAngles }) => subspaceAngles[i])),
    swaps: stability.swaps.map((share, i) => 1 - (1 - share) * (1 - found.filter(({ swaps }) => swaps[i]).length / m)),
    loadings: limits(stability.loadings, (each) => each.loadings.data),
    correlations: limits(stability.correlations, correlationsOf, 1),
    percentiles: { variances: variances(stability.percentiles.variances) },
    asymptotic: { variances: variances(stability.asymptotic.variances) },
  };
}

/** Half the width of a 95 % interval, in standard errors. */
const HALF_WIDTH = 1.959964;

/** The interval moved by the mean of the draws − the estimate, and widened by their variance. */
function widened([low, high]: Interval, estimate: number, draws: readonly number[]): Interval {
  const m = draws.length;
  const mean = draws.reduce((sum, value) => sum + value, 0) / m;
  const between = draws.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (m - 1);
  const half = (high - low) / 2;
  const more = Math.sqrt(half * half + HALF_WIDTH ** 2 * (1 + 1 / m) * between) - half;
  const shift = mean - estimate;
  return [low + shift - more, high + shift + more];
}

/** The same on the log scale; an interval that reaches 0 is widened as it is. */
function widenedLog([low, high]: Interval, estimate: number, draws: readonly number[]): Interval {
  if (!(low > 0 && estimate > 0 && draws.every((value) => value > 0))) {
    const [from, to] = widened([low, high], estimate, draws);
    return [Math.max(0, from), Math.max(0, to)];
  }
  const [from, to] = widened([Math.log(low), Math.log(high)], Math.log(estimate), draws.map(Math.log));
  return [Math.exp(from), Math.exp(to)];
}

function addAngles(given: readonly AngleSpread[], of: (i: number) => number[]): AngleSpread[] {
  return given.map(({ median, q95 }, i) => {
    const sorted = of(i).sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
    const factor = Math.sqrt(1 + 1 / sorted.length);
    const add = (own: number, share: number): number => Math.min(Math.PI / 2, Math.hypot(own, factor * at(share)));
    return { median: add(median, 0.5), q95: add(q95, 0.95) };
  });
}

/** Correlations of the columns with the components (k × d): loadings over the deviations of the columns. */
function correlationsOf({ loadings, columnVariances, d }: Model): Float64Array {
  return loadings.data.map((value, at) => {
    const variance = columnVariances?.[at % d] ?? 1;
    return variance > 0 ? value / Math.sqrt(variance) : 0;
  });
}

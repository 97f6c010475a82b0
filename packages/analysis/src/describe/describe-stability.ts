import type { Model, Stability } from '@scree/core';
import type { RowOrder } from '../inspect/row-order.js';
import { count, formatNumber, listed, percent, plural } from './numbers.js';

/** An axis is called stable if it stays within 30°, and so keeps three quarters of its direction: cos² 30° = 0.75. */
export const STABLE_ANGLE = Math.PI / 6;
/** The order of the rows of a fit, if neighbouring rows are alike. */
export function rowOrderOf({ warnings }: Pick<Model, 'warnings'>): RowOrder | undefined {
  return warnings.find(({ code }) => code === 'ORDERED_ROWS')?.details as RowOrder | undefined;
}

/**
 * Which axes are called stable. If rows are in an order, the axes of the first and of the second half must agree too. If they wander
 * like a random walk, no axis is called stable, because samples drawn from the rows say nothing about other times.
 */
export function stableAxes(
  { angles }: Pick<Stability, 'angles'>,
  order: RowOrder | undefined,
): (axis: number) => boolean {
  if (order && order.randomWalks.length > 0) return () => false;
  return (i) => angles[i].q95 <= STABLE_ANGLE && !((order?.halves[i] ?? 0) > STABLE_ANGLE);
}

/** A tenth of a degree. */
const TENTH = Math.PI / 1800;
/** Smaller angles are rounding. */
const NEVER = 1e-9;
/** The same for spaces, whose angles are accurate to 1e-8. */
const ALL_THERE_IS = 1e-6;
/** Share of the replicates from which two components "may swap". */
const MAY_SWAP = 0.05;

/**
 * Describes the stability of components, first in one sentence: "PC1 and PC2 are stable (±4°, ±9°); PC3 and PC4 may swap in another
 * sample." 95 % of the replicates stay within these angles. `first` is the number of components to describe; default all. `kept` is the
 * recommended number. Components beyond it may be noise, and are not called stable.
 */
export function describeStability(
  stability: Stability,
  first = stability.angles.length,
  kept = first,
  order?: RowOrder,
): string[] {
  const k = stability.angles.length;
  const d = stability.loadings.low.length / k;
  if (d === 1) return ['One column has one component, in every sample.'];
  // The components of two columns with equal variance never turn, whatever the data are.
  if (d === 2 && stability.angles.every(({ median, q95 }) => [median, q95].every(isRightOrNone))) {
    const same =
      'Two columns of equal variance have the same components in every sample: their sum and their difference';
    return [
      `${same}${stability.angles.some(({ q95 }) => q95 > NEVER) ? ', but which of them is PC1 may differ' : ''}.`,
    ];
  }
  // A component without variance has no direction.
  const varies = (i: number): boolean => stability.variances[i][1] > 0;
  const spoken = indices(first).filter(varies);
  const flat = indices(first).filter((i) => !varies(i));
  const isStable = stableAxes(stability, order);
  const stable = spoken.filter((i) => i < kept && isStable(i));
  const unstable = spoken.filter((i) => stability.angles[i].q95 > STABLE_ANGLE);
  const wanders = order !== undefined && order.randomWalks.length > 0;
  const runs = swapRuns(stability).filter((run) => run.first < first);
  const uncertain = unstable.filter((i) => !runs.some(({ first, last }) => i >= first && i <= last));
  const parts = [
    ...angleParts(stability, stable, 'stable'),
    ...swapParts(runs),
    ...angleParts(stability, uncertain, 'uncertain'),
    ...flatPart(flat),
  ].sort((a, b) => a.first - b.first);
  return [
    ...(order ? [describeHalves(order, kept)] : []),
    parts.length === 0
      ? wanders
        ? `In the replicates, ${listed(spoken.slice(0, kept).map((i) => `PC${i + 1} turns by up to ${rounded(Math.max(stability.angles[i].q95, TENTH))}`))}.`
        : order
          ? 'No component is called stable.'
          : 'No component is recommended, so none is called stable.'
      : `${parts.map(({ text }) => text).join('; ')}.`,
    ...(unstable.length > 0 ? [describeTurn(stability, unstable[0])] : []),
    ...describeSubspace(stability, unstable, Math.min(k, kept), d),
    `${stable.length + uncertain.length > 0 ? '± is the angle that 95 % of the replicates stay within. ' : ''}The ${plural(stability.replicates, 'replicate')} are ${DRAWN[stability.kind]}: this is about other samples, not about rounding.`,
  ];
}

/** "PC3 and PC4 may swap in another sample", "PC2 and PC3, and PC5 to PC8, may change places in another sample". */
function swapParts(runs: readonly SwapRun[]): { first: number; text: string }[] {
  if (runs.length === 0) return [];
  const pairs = runs.every(({ first, last }) => last === first + 1);
  const names = runs.map(({ first, last }) => `PC${first + 1} ${last === first + 1 ? 'and' : 'to'} PC${last + 1}`);
  const subject = runs.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')}, and ${names[names.length - 1]},`;
  return [{ first: runs[0].first, text: `${subject} may ${pairs ? 'swap' : 'change places'} in another sample` }];
}

function angleParts(
  stability: Stability,
  components: readonly number[],
  are: string,
): { first: number; text: string }[] {
  if (components.length === 0) return [];
  // Angles are shown as a tenth of a degree at least.
  const angles = components.map((i) => `±${rounded(Math.max(stability.angles[i].q95, TENTH))}`).join(', ');
  const names = listed(components.map((i) => `PC${i + 1}`));
  return [{ first: components[0], text: `${names} ${components.length === 1 ? 'is' : 'are'} ${are} (${angles})` }];
}

function flatPart(components: readonly number[]): { first: number; text: string }[] {
  if (components.length === 0) return [];
  const names = listed(components.map((i) => `PC${i + 1}`));
  return [{ first: components[0], text: `${names} ${components.length === 1 ? 'has' : 'have'} no variance` }];
}

/** How replicates of each kind are drawn. */
const DRAWN = {
  rows: 'samples of the same size, drawn from these rows with replacement',
  blocks: 'samples of the same size, put together from runs of neighbouring rows',
  groups: 'samples of as many groups, drawn from these with replacement',
  parametric: 'samples of the same size from a normal distribution with the covariance of these rows',
} as const;

/** One sentence per component about the interval of its variance. */
export function describeVarianceIntervals(model: Model): string[] {
  const { stability, varianceRatios, uniqueness } = model;
  if (!stability) return [];
  return stability.ratios
    .slice(0, uniqueness.rank)
    .map(
      ([low, high], i) =>
        `PC${i + 1} keeps ${percent(varianceRatios[i])} of the variance; the 95 % interval is ${percent(low)} to ${percent(high)}.`,
    );
}

/** Explains intervals that exclude their estimate, and those that are not reliable. */
export function describeVarianceBias({ stability, variances, uniqueness, n, d }: Model): string[] {
  if (!stability) return [];
  const beside = stability.variances.some(
    ([low, high], i) => i < uniqueness.rank && (variances[i] < low || variances[i] > high),
  );
  return [
    ...(beside
      ? [
          'An interval that leaves out its variance corrects for bias: the first variances of a sample are too large on average, and the last ones too small.',
        ]
      : []),
    ...(n <= d
      ? [
          'With no more rows than columns that is not enough for components that do not stand out of noise: do not rely on the intervals of their variances.',
        ]
      : []),
  ];
}

/** How far the kept axes of the first and of the second half of the rows are apart. */
export function describeHalves({ halves, randomWalks }: RowOrder, kept: number): string {
  const none = 'The rows wander like a random walk, so no component is called stable';
  const turns = halves
    .slice(0, Math.max(1, kept))
    .map((angle, i) => `PC${i + 1} turns by ${rounded(Math.max(angle, TENTH))}`);
  const between = `between the first and the second half of the rows ${listed(turns)}`;
  if (randomWalks.length > 0) return turns.length === 0 ? `${none}.` : `${none}: ${between}.`;
  return turns.length === 0 ? 'Neighbouring rows are alike.' : `B${between.slice(1)}.`;
}

/** Says how far an unstable component turns. */
function describeTurn({ angles }: Stability, i: number): string {
  const { median, q95 } = angles[i];
  const by = (angle: number): string => (rounded(angle) === '90°' ? 'about 90°' : `more than ${rounded(angle)}`);
  return `Half of the replicates turn PC${i + 1} by ${by(median)}, one in twenty by ${by(q95)}.`;
}

/** Unstable components may span a stable space together. */
function describeSubspace(
  { subspaceAngles, variances }: Stability,
  unstable: readonly number[],
  k: number,
  d: number,
): string[] {
  if (unstable.length === 0) return [];
  for (let m = k; m > unstable[0] + 1; m--) {
    if (m === d || subspaceAngles[m - 1].q95 > STABLE_ANGLE) continue;
    // A space with all variance is the same in every sample.
    if (variances[m - 1][1] === 0 || subspaceAngles[m - 1].q95 < ALL_THERE_IS) continue;
    return [`The space that the first ${count(m)} span together is stable (±${rounded(subspaceAngles[m - 1].q95)}).`];
  }
  return [];
}

/** A run of components, counted from 0. */
interface SwapRun {
  readonly first: number;
  readonly last: number;
}

/** Runs of neighbouring components that may swap. */
function swapRuns({ swaps, angles }: Stability): SwapRun[] {
  const found: { first: number; last: number }[] = [];
  swaps.forEach((share, i) => {
    if (share < MAY_SWAP || angles[i].q95 <= STABLE_ANGLE || angles[i + 1].q95 <= STABLE_ANGLE) return;
    const last = found.at(-1);
    if (last?.last === i) last.last = i + 1;
    else found.push({ first: i, last: i + 1 });
  });
  return found;
}

/** Whole degrees from 2°, one digit below. */
function rounded(radians: number): string {
  const value = (radians * 180) / Math.PI;
  return `${value >= 2 ? Math.round(value) : formatNumber(value, 1)}°`;
}

/** Returns true if an angle is 0° or 90° within rounding. */
function isRightOrNone(angle: number): boolean {
  return angle < NEVER || angle > Math.PI / 2 - NEVER;
}

function indices(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

import { upperChiSquared } from '../statistics/distributions.js';
import { medianOfSorted } from './robust-order.js';

/** A robust centre and scale of numbers. */
export interface CenterAndScale {
  readonly center: number;
  /** 0 if at least h of the numbers are equal. */
  readonly scale: number;
}

/**
 * The univariate minimum covariance determinant: the h of n numbers with the smallest variance, made consistent for normal numbers at
 * their h-th distance, and reweighted once by χ²₁ at 97.5 % (Rousseeuw & Leroy 1987, p. 171; `unimcd` of R's rrcov). Returns a function
 * for lists of n numbers, which it does not change. O(n log n).
 *
 * Every window of h ≥ n/2 sorted numbers contains the middle ones. Sums of squares are accumulated from the middle outwards, about the
 * median, so that a number of 10¹² adds no rounding to windows without it.
 */
export function univariateMcd(n: number, h: number): (values: Float64Array) => CenterAndScale {
  const quantile = upperChiSquared(0.025, 1);
  const consistency = h < n ? upperChiSquared(1 - h / n, 1) : 1;
  const y = new Float64Array(n);
  const [sums, squares] = [new Float64Array(n), new Float64Array(n)];
  return (values) => {
    y.set(values);
    y.sort();
    const origin = medianOfSorted(y);
    for (let i = 0; i < n; i++) y[i] -= origin;
    if (h >= n) return shifted(meanAndDeviation(y, 0, n), origin);
    const { center } = bestWindow(y, h, sums, squares);
    const distance = hthDistance(y, center, h);
    if (!(distance > 0)) return { center: origin + center, scale: 0 };
    const bound = distance * Math.sqrt(quantile / consistency);
    let from = 0;
    while (Math.abs(y[from] - center) >= bound) from++;
    let to = n;
    while (Math.abs(y[to - 1] - center) >= bound) to--;
    return shifted(meanAndDeviation(y, from, to), origin);
  };
}

function shifted({ center, scale }: CenterAndScale, origin: number): CenterAndScale {
  return { center: center + origin, scale };
}

function meanAndDeviation(y: Float64Array, from: number, to: number): CenterAndScale {
  let sum = 0;
  for (let i = from; i < to; i++) sum += y[i];
  const center = sum / (to - from);
  let squares = 0;
  for (let i = from; i < to; i++) squares += (y[i] - center) ** 2;
  return { center, scale: Math.sqrt(squares / Math.max(1, to - from - 1)) };
}

/** The first index and the mean of the window of h sorted numbers with the smallest variance; the middle one if several are equal. */
export function bestWindow(
  y: Float64Array,
  h: number,
  sums = new Float64Array(y.length),
  squares = new Float64Array(y.length),
): { readonly start: number; readonly center: number } {
  const last = y.length - h;
  // Numbers last … h − 1 are in every window.
  let [sum, square] = [0, 0];
  for (let i = last; i < h; i++) {
    sum += y[i];
    square += y[i] * y[i];
  }
  // Left of them: the sums of y[i … last − 1] at i. Right of them: the sums of y[h … i] at i.
  for (let i = last - 1, s = 0, q = 0; i >= 0; i--) {
    s += y[i];
    q += y[i] * y[i];
    sums[i] = s;
    squares[i] = q;
  }
  for (let i = h, s = 0, q = 0; i < y.length; i++) {
    s += y[i];
    q += y[i] * y[i];
    sums[i] = s;
    squares[i] = q;
  }
  let least = Number.POSITIVE_INFINITY;
  let best: { start: number; center: number }[] = [];
  for (let start = 0; start <= last; start++) {
    const s = sum + (start < last ? sums[start] : 0) + (start > 0 ? sums[start + h - 1] : 0);
    const q = square + (start < last ? squares[start] : 0) + (start > 0 ? squares[start + h - 1] : 0);
    const spread = q - (s * s) / h;
    if (spread < least) {
      least = spread;
      best = [{ start, center: s / h }];
    } else if (spread === least) best.push({ start, center: s / h });
  }
  return best[Math.floor((best.length + 1) / 2) - 1];
}

/** The h-th smallest distance of sorted numbers from a centre. */
function hthDistance(y: Float64Array, center: number, h: number): number {
  let right = 0;
  while (right < y.length && y[right] < center) right++;
  let left = right - 1;
  let distance = 0;
  for (let i = 0; i < h; i++) {
    const below = left >= 0 ? center - y[left] : Number.POSITIVE_INFINITY;
    const above = right < y.length ? y[right] - center : Number.POSITIVE_INFINITY;
    if (below <= above) left--;
    else right++;
    distance = Math.min(below, above);
  }
  return distance;
}

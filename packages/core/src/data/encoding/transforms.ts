import type { Transform } from './encoding.js';

/**
 * A function of one number and its inverse. `accepts` returns true for numbers of its domain, and `must` describes the domain. A
 * reconstructed √x may be slightly below 0: its inverse is then 0.
 */
interface ScalarFunction {
  readonly of: (x: number) => number;
  readonly inverse: (y: number) => number;
  readonly accepts: (x: number) => boolean;
  readonly must: string;
}

const FUNCTIONS: Partial<Record<Transform, ScalarFunction>> = {
  none: { of: (x) => x, inverse: (y) => y, accepts: () => true, must: '' },
  log1p: {
    of: Math.log1p,
    inverse: Math.expm1,
    accepts: (x) => x > -1,
    must: 'log1p(x) = ln(1 + x) needs numbers above −1',
  },
  sqrt: {
    of: Math.sqrt,
    inverse: (y) => Math.max(0, y) ** 2,
    accepts: (x) => x >= 0,
    must: 'sqrt needs numbers from 0 up',
  },
  asinh: { of: Math.asinh, inverse: Math.sinh, accepts: () => true, must: '' },
  clr: {
    of: Math.log,
    inverse: Math.exp,
    accepts: (x) => x > 0,
    must: 'The logarithm of a part needs numbers above 0: replace zeros by a small number, such as half of the smallest amount that can be measured',
  },
};

/** The function of a transform. For a composition it is the logarithm of a part. `rank` has none. */
export function functionOf(transform: Transform): ScalarFunction {
  return FUNCTIONS[transform === 'ilr' ? 'clr' : transform] as ScalarFunction;
}

/** Returns true if f(0) = 0, so that sparse data stay sparse. */
export function keepsZero(transform: Transform): boolean {
  return ['none', 'log1p', 'sqrt', 'asinh'].includes(transform);
}

/**
 * The value at x of the piecewise linear function through (xs, ys), both ascending. Outside of their range, the value at the
 * nearest end.
 */
export function interpolateLinear(x: number, xs: ArrayLike<number>, ys: ArrayLike<number>): number {
  const last = xs.length - 1;
  if (!(x > xs[0])) return Number.isNaN(x) ? x : ys[0];
  if (x >= xs[last]) return ys[last];
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  if (xs[low] === x) return ys[low];
  const share = xs[high] - xs[low];
  // Halved if the difference between two large values exceeds float64.
  const t = Number.isFinite(share) ? (x - xs[low]) / share : (x / 2 - xs[low] / 2) / (xs[high] / 2 - xs[low] / 2);
  return ys[low] + t * (ys[high] - ys[low]);
}

/** Centres logarithms in place: clr(x)ⱼ = ln xⱼ − mean of ln x. They add up to 0. */
export function centreLogs(logs: Float64Array): void {
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  for (let j = 0; j < logs.length; j++) logs[j] -= mean;
}

/**
 * The D − 1 isometric coordinates of D logarithms, in the order of the parts (Egozcue et al. 2003, pivot from the front): ilrᵢ =
 * √(i/(i+1))·(mean of the first i logarithms − the next one). Distances are those of clr.
 */
export function ilr(logs: Float64Array, out: Float64Array): void {
  let sum = 0;
  for (let i = 1; i < logs.length; i++) {
    sum += logs[i - 1];
    out[i - 1] = Math.sqrt(i / (i + 1)) * (sum / i - logs[i]);
  }
}

/** The centred logarithms of isometric coordinates. */
export function ilrInverse(coordinates: Float64Array, out: Float64Array): void {
  out.fill(0);
  for (let i = 1; i < out.length; i++) {
    const z = coordinates[i - 1] * Math.sqrt(i / (i + 1));
    for (let j = 0; j < i; j++) out[j] += z / i;
    out[i] -= z;
  }
}

/** Replaces logarithms, up to a constant, by shares that add up to 1. */
export function closure(logs: Float64Array): void {
  const largest = logs.reduce((most, log) => Math.max(most, log), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let j = 0; j < logs.length; j++) sum += logs[j] = Math.exp(logs[j] - largest);
  for (let j = 0; j < logs.length; j++) logs[j] /= sum;
}

/**
 * Upper tails of the F, beta, chi-squared and normal distributions, and the values that are exceeded with a given probability.
 * Tails are computed as such and never as 1 − p, so that probabilities of 1e-12 are as accurate as those of 0.05.
 *
 * Densities are written as in Loader (2000), Fast and Accurate Computation of Binomial Probabilities: no logarithm of a gamma
 * function is subtracted from another, so that a million degrees of freedom lose no digits.
 */

/** The value that F with d1 and d2 degrees of freedom exceeds with this probability. */
export function upperF(probability: number, d1: number, d2: number): number {
  return solveTail((f) => tailF(f, d1, d2), probability);
}

/** The value that a beta variable with parameters a and b exceeds with this probability: F = b·x/(a·(1 − x)) has 2a, 2b. */
export function upperBeta(probability: number, a: number, b: number): number {
  const odds = (a / b) * upperF(probability, 2 * a, 2 * b);
  return odds / (1 + odds);
}

/** The value that chi-squared exceeds with this probability; degrees of freedom need not be whole. */
export function upperChiSquared(probability: number, degrees: number): number {
  return 2 * solveTail((x) => tailGamma(x, degrees / 2), probability);
}

/** The value that a standard normal variable exceeds with this probability. */
export function upperNormal(probability: number): number {
  if (probability === 0.5) return 0;
  return probability < 0.5 ? Math.sqrt(upperChiSquared(2 * probability, 1)) : -upperNormal(1 - probability);
}

/** P(F > f) = I_y(d2/2, d1/2) with y = d2/(d2 + d1·f). */
export function tailF(f: number, d1: number, d2: number): number {
  if (!(f > 0)) return 1;
  if (f === Number.POSITIVE_INFINITY) return 0;
  const total = d2 + d1 * f;
  return incompleteBeta(d2 / total, (d1 * f) / total, d2 / 2, d1 / 2);
}

/** P(chi-squared > x). */
export function tailChiSquared(x: number, degrees: number): number {
  return tailGamma(x / 2, degrees / 2);
}

/** I_x(a, b), given x and y = 1 − x, both accurate. DLMF 8.17.22, on the side of the mean on which it converges fast. */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(y, x, b, a);
  const n = a + b;
  // x^a·y^b/B(a, b)
  const density =
    Math.sqrt((a * b) / (2 * Math.PI * n)) *
    Math.exp(stirling(n) - stirling(a) - stirling(b) - deviance(a, n * x) - deviance(b, n * y));
  const fraction = continuedFraction((m) => {
    const j = Math.floor(m / 2);
    const at = (a + m - 1) * (a + m);
    return m % 2 === 0 ? (j * (b - j) * x) / at : -(((a + j) * (n + j) * x) / at);
  });
  return density / (a * fraction);
}

/** 1 + c₁/(1 + c₂/(1 + …)) by Lentz's method. */
function continuedFraction(coefficient: (m: number) => number): number {
  let [value, c, d] = [1, 1, 0];
  for (let m = 1; m < MOST_TERMS; m++) {
    const each = coefficient(m);
    d = 1 / away(1 + each * d);
    c = away(1 + each / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

/** Enough for 10⁹ degrees of freedom: the number of terms grows with their square root. */
const MOST_TERMS = 200_000;

/** Lentz's method divides by this. */
const away = (value: number): number => (value === 0 ? 1e-300 : value);

/** Γ(a, x)/Γ(a): a series below the mean, a continued fraction above it (DLMF 8.11.4, 8.9.2). */
function tailGamma(x: number, a: number): number {
  if (!(x > 0)) return 1;
  if (x === Number.POSITIVE_INFINITY) return 0;
  // x^a·e^−x/Γ(a + 1)
  const density = Math.exp(-stirling(a) - deviance(a, x)) / Math.sqrt(2 * Math.PI * a);
  if (x < a + 1) {
    let [term, sum] = [1, 1];
    for (let m = 1; m < MOST_TERMS && term > 1e-17 * sum; m++) {
      term *= x / (a + m);
      sum += term;
    }
    return 1 - density * sum;
  }
  let b = x + 1 - a;
  let [c, d] = [Number.POSITIVE_INFINITY, 1 / away(b)];
  let value = d;
  for (let m = 1; m < MOST_TERMS; m++) {
    const each = m * (a - m);
    b += 2;
    d = 1 / away(b + each * d);
    c = away(b + each / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return density * a * value;
}

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  return stirling(x) + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI);
}

/** ln Γ(z) − ((z − ½)·ln z − z + ½·ln 2π): Stirling's series, after z was raised to 16 or more. */
function stirling(z: number): number {
  let sum = 0;
  let at = z;
  for (; at < 16; at++) sum += (at + 0.5) * Math.log1p(1 / at) - 1;
  const s = 1 / (at * at);
  return sum + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / at;
}

/** x·ln(x/m) + m − x without cancellation where x and m are close. */
function deviance(x: number, m: number): number {
  const v = (x - m) / (x + m);
  // Also NaN, with which the series below would never end.
  if (!(Math.abs(v) <= 0.1)) return x * Math.log(x / m) + m - x;
  let sum = (x - m) * v;
  let term = 2 * x * v;
  for (let j = 3; ; j += 2) {
    term *= v * v;
    const next = sum + term / j;
    if (next === sum) return sum;
    sum = next;
  }
}

/** The x > 0 where a falling tail has this probability, by bisection to the last digit. */
function solveTail(tail: (x: number) => number, probability: number): number {
  if (!(probability > 0)) return Number.POSITIVE_INFINITY;
  if (probability >= 1) return 0;
  let [low, high] = [1, 1];
  while (high < Number.MAX_VALUE && tail(high) > probability) high *= 2;
  while (low > 0 && tail(low) < probability) low /= 2;
  for (let step = 0; step < 2000; step++) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (tail(middle) > probability) low = middle;
    else high = middle;
  }
  return high;
}

import { combineRows, dot, norm, rowProducts, svd, transpose } from '@scree/core/linalg';
import type { Task } from '@scree/core/pipeline';
import { inverse } from './inverse.js';

/**
 * Rotations to simple structure. Loadings A are k rows of length d, one per component. A rotation is a k × k matrix T with columns of
 * length 1: loadings become L = T⁻¹A, whitened scores ZT, and the scores' correlations are Φ = TᵀT. The rotation is orthogonal if TᵀT =
 * I.
 */
export interface Turn {
  /** T, k × k. */
  readonly t: Float64Array;
  /** L = T⁻¹A, k × d. */
  readonly loadings: Float64Array;
  /** The criterion at the start and at the end. */
  readonly before: number;
  readonly after: number;
  readonly converged: boolean;
}

/** Most steps of one search. R stops after 1000. */
const MOST_STEPS = 2000;
/**
 * The first steps of oblimin are those of R, each with a line search. Tables that R can rotate take fewer. After them, faster steps are
 * taken.
 */
const PLAIN_STEPS = 300;
/**
 * After them the criterion may rise above its last value, but not above the largest of this many last values (Grippo, Lampariello &
 * Lucidi 1986).
 */
const MEMORY = 8;

/**
 * Orthomax: Σᵢ [Σⱼ lᵢⱼ⁴ − γ(Σⱼ lᵢⱼ²)²/d], largest. γ = 1 is varimax, γ = 0 quartimax. T becomes the orthogonal matrix closest to the
 * gradient, A(L³ − γ·diag(LLᵀ)L/d)ᵀ = UΣVᵀ, T = UVᵀ, until ΣΣ rises by less than `tolerance` of itself: the iteration of R's varimax,
 * step by step. `start` is an orthogonal k × k matrix. Cost about 4·d·k² per step.
 */
export function* orthomax(
  a: Float64Array,
  k: number,
  d: number,
  gamma: number,
  start: Float64Array,
  tolerance: number,
): Task<Turn> {
  let t = start;
  let loadings = combineRows(transpose(t, k, k), k, a, k, d);
  const before = orthomaxValue(loadings, k, d, gamma);
  let reached = 0;
  let converged = false;
  for (let step = 0; step < MOST_STEPS && !converged; step++) {
    const gradient = loadings.slice();
    for (let i = 0; i < k; i++) {
      const second = (gamma * dot(loadings, i * d, loadings, i * d, d)) / d;
      for (let j = i * d; j < (i + 1) * d; j++) gradient[j] *= loadings[j] * loadings[j] - second;
    }
    const { left, right, values } = svd(rowProducts(a, k, gradient, k, d), k, k);
    t = combineRows(transpose(left, k, k), k, right, k, k);
    loadings = combineRows(transpose(t, k, k), k, a, k, d);
    const sum = values.reduce((total, value) => total + value, 0);
    converged = sum < reached * (1 + tolerance) || sum === 0;
    reached = sum;
    yield 4 * d * k * k;
  }
  return { t, loadings, before, after: orthomaxValue(loadings, k, d, gamma), converged };
}

export function orthomaxValue(l: Float64Array, k: number, d: number, gamma: number): number {
  let value = 0;
  for (let i = 0; i < k; i++) {
    let [fourth, second] = [0, 0];
    for (let j = i * d; j < (i + 1) * d; j++) {
      const square = l[j] * l[j];
      fourth += square * square;
      second += square;
    }
    value += fourth - (gamma * second * second) / d;
  }
  return value;
}

/**
 * Direct oblimin: ¼·Σ_{p≠q} [Σⱼ lₚⱼ²l_qⱼ² − γ/d·Σⱼlₚⱼ²·Σⱼl_qⱼ²], smallest, γ ≤ 0; γ = 0 is quartimin. Gradient projection over T with
 * columns of length 1 (Jennrich 2002; Bernaards & Jennrich 2005) until the gradient is below `tolerance`, or below that share of the
 * criterion. The first steps are those of R's GPArotation. If they do not converge, faster steps follow. Cost about 6·d·k² per step.
 */
export function* oblimin(
  a: Float64Array,
  k: number,
  d: number,
  gamma: number,
  start: Float64Array,
  tolerance: number,
): Task<Turn> {
  let state = obliminAt(a, k, d, gamma, start);
  if (!state) throw new RangeError('the start of a rotation is singular');
  const before = state.value;
  // R's rule for small criteria. With many columns, criterion and gradient grow together.
  const flat = ({ slope, value }: ObliminState): boolean => slope <= tolerance * Math.max(1, value);
  let step = 1;
  const recent: number[] = [];
  for (let count = 0; count < MOST_STEPS && !flat(state); count++) {
    const late = count >= PLAIN_STEPS;
    recent.push(state.value);
    if (recent.length > MEMORY) recent.shift();
    const bound = late ? Math.max(...recent) : state.value;
    if (!late) step *= 2;
    let next: ObliminState | undefined;
    for (let halving = 0; halving < 60; halving++) {
      const tried = obliminAt(a, k, d, gamma, movedAlong(state, k, step));
      yield 6 * d * k * k;
      // Armijo's rule. If the decrease is lost in rounding, the slope must keep its sign.
      const decrease: number = tried ? bound - tried.value : Number.NEGATIVE_INFINITY;
      const enough = decrease > (late ? 1e-4 : 0.5) * state.slope ** 2 * step;
      const tiny = Math.abs(decrease) <= 1e-14 * state.value;
      if (tried && (enough || (tiny && dot(tried.projected, 0, state.projected, 0, k * k) >= 0))) {
        next = tried;
        break;
      }
      step /= 2;
    }
    if (!next) break;
    if (late) step = secantStep(state, next);
    state = next;
  }
  const { t, loadings, value: after } = state;
  return { t, loadings, before, after, converged: flat(state) };
}

/** Barzilai & Borwein's (1988) step, Δ²/(Δ·Δgradient): the inverse of the curvature along the last move. */
function secantStep(from: ObliminState, to: ObliminState): number {
  const move = to.t.map((entry, at) => entry - from.t[at]);
  const change = to.projected.map((entry, at) => entry - from.projected[at]);
  const length = dot(move, 0, move, 0, move.length);
  const curvature = Math.abs(dot(move, 0, change, 0, move.length));
  return curvature > 0 ? Math.min(1e6, length / curvature) : 1;
}

interface ObliminState {
  readonly t: Float64Array;
  readonly loadings: Float64Array;
  readonly value: number;
  /** The gradient with respect to T, projected onto the tangents of columns of length 1, and its norm. */
  readonly projected: Float64Array;
  readonly slope: number;
}

function obliminAt(a: Float64Array, k: number, d: number, gamma: number, t: Float64Array): ObliminState | undefined {
  const back = inverse(t, k);
  if (!back) return undefined;
  const loadings = combineRows(back, k, a, k, d);
  const { value, gradient } = obliminGradient(loadings, k, d, gamma);
  // dQ/dT = −(L·Gᵀ·T⁻¹)ᵀ with G = dQ/dL.
  const toT = combineRows(rowProducts(loadings, k, gradient, k, d), k, back, k, k);
  const projected = transpose(toT, k, k).map((entry) => -entry);
  for (let c = 0; c < k; c++) {
    let along = 0;
    for (let i = 0; i < k; i++) along += t[i * k + c] * projected[i * k + c];
    for (let i = 0; i < k; i++) projected[i * k + c] -= t[i * k + c] * along;
  }
  return { t, loadings, value, projected, slope: norm(projected) };
}

function obliminGradient(
  l: Float64Array,
  k: number,
  d: number,
  gamma: number,
): { value: number; gradient: Float64Array } {
  const gradient = new Float64Array(k * d);
  const total = new Float64Array(d);
  const rowTotals = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < d; j++) {
      const square = l[i * d + j] ** 2;
      total[j] += square;
      rowTotals[i] += square;
    }
  }
  const whole = rowTotals.reduce((sum, each) => sum + each, 0);
  let value = 0;
  for (let i = 0; i < k; i++) {
    const others = (gamma / d) * (whole - rowTotals[i]);
    for (let j = 0; j < d; j++) {
      const entry = l[i * d + j];
      const weight = total[j] - entry * entry - others;
      value += (entry * entry * weight) / 4;
      gradient[i * d + j] = entry * weight;
    }
  }
  return { value, gradient };
}

/** T − step·G, its columns brought back to length 1. */
function movedAlong({ t, projected }: ObliminState, k: number, step: number): Float64Array {
  return unitColumns(
    t.map((entry, at) => entry - step * projected[at]),
    k,
  );
}

/** Divides each column of T by its length. */
function unitColumns(t: Float64Array, k: number): Float64Array {
  for (let c = 0; c < k; c++) {
    let sum = 0;
    for (let i = 0; i < k; i++) sum += t[i * k + c] ** 2;
    for (let i = 0; i < k; i++) t[i * k + c] /= Math.sqrt(sum);
  }
  return t;
}

/**
 * Promax (Hendrickson & White 1964): the oblique rotation of A whose loadings are closest, by least squares, to the varimax loadings L
 * = TᵀA with each entry raised to a power, signs kept. With Q that target, U = (LLᵀ)⁻¹LQᵀ, scaled so that Φ has a diagonal of 1.
 * Returns its T; undefined if components depend on one another.
 */
export function promax(
  varimax: Float64Array,
  a: Float64Array,
  k: number,
  d: number,
  power: number,
): Float64Array | undefined {
  const turned = transpose(varimax, k, k);
  const l = combineRows(turned, k, a, k, d);
  const target = l.map((entry) => entry * Math.abs(entry) ** (power - 1));
  const products = inverse(rowProducts(l, k, l, k, d), k);
  if (!products) return undefined;
  const columns = transpose(combineRows(products, k, rowProducts(l, k, target, k, d), k, k), k, k);
  // The new loadings are UᵀTᵀA, so the new T is the inverse of UᵀTᵀ, its columns brought to length 1.
  const t = inverse(combineRows(columns, k, turned, k, k), k);
  return t && unitColumns(t, k);
}

import type { Matrix } from '@scree/core';
import { centred } from '../shared/clouds.js';
import type { Moment } from '../shared/history.js';
import type { Road } from '../shared/playback.js';
import { random } from '../shared/random.js';
import { covarianceOf, type Eigen, eigenOf } from '../shared/small-matrix.js';

const ROWS = 70;

/** Points in space whose covariance has exactly (to rounding) these eigenvalues, tilted so that no axis of the page is one of theirs. */
export function cloudWith(values: readonly number[]): Matrix<Float64Array> {
  const white = whitened();
  const data = new Float64Array(ROWS * 3);
  for (let i = 0; i < ROWS; i++) {
    for (let j = 0; j < 3; j++) {
      for (let a = 0; a < 3; a++) data[i * 3 + j] += white.data[i * 3 + a] * Math.sqrt(values[a]) * TILT[a][j];
    }
  }
  return { rows: ROWS, cols: 3, data };
}

/** Rows are the axes of the cloud. */
const TILT = orthonormal([
  [0.8, 0.5, 0.25],
  [-0.5, 0.85, 0.2],
]);

function orthonormal([a, b]: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const size = Math.hypot(...a);
  const u = a.map((value) => value / size);
  const along = u.reduce((sum, value, j) => sum + value * b[j], 0);
  const rest = b.map((value, j) => value - along * u[j]);
  const length = Math.hypot(...rest);
  const v = rest.map((value) => value / length);
  return [u, v, [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]];
}

/** Random points about their mean with covariance I. */
function whitened(): Matrix<Float64Array> {
  const rng = random(5);
  const raw = centred({ rows: ROWS, cols: 3, data: new Float64Array(ROWS * 3).map(() => rng.normal()) });
  const { values, vectors } = eigenOf(covarianceOf(raw), 3);
  const data = new Float64Array(ROWS * 3);
  for (let i = 0; i < ROWS; i++) {
    for (let a = 0; a < 3; a++) {
      for (let j = 0; j < 3; j++) data[i * 3 + a] += (raw.data[i * 3 + j] * vectors[a * 3 + j]) / Math.sqrt(values[a]);
    }
  }
  return { rows: ROWS, cols: 3, data };
}

/** Normal noise for every number of a cloud. */
function noiseOf(count: number, seed: number): Float64Array {
  const rng = random(seed + 1000);
  return new Float64Array(count).map(() => rng.normal());
}

/** The axes of points that have each been moved a little. */
function perturbedAxes(points: Matrix<Float64Array>, noise: Float64Array, size: number): Eigen {
  const moved = centred({ ...points, data: points.data.map((value, at) => value + size * noise[at]) });
  return eigenOf(covarianceOf(moved), points.cols);
}

/** Axes of many perturbed copies of the same points. */
export function fanOf(points: Matrix<Float64Array>, size: number, count: number): readonly Eigen[] {
  return Array.from({ length: count }, (_, i) => perturbedAxes(points, noiseOf(points.data.length, i), size));
}

export interface Wobble extends Moment {
  readonly points: Matrix<Float64Array>;
  readonly axes: Eigen;
}

/** Epochs from one random state to the next, and how many states. */
const GLIDE = 24;
const STATES = 10;

/** Noise that glides from one random state to the next, always of the same size, and the axes that follow it. */
export function wobble(points: Matrix<Float64Array>, size: number): Road<Wobble> {
  let epoch = -1;
  return {
    next() {
      if (epoch >= GLIDE * STATES) return undefined;
      epoch++;
      const state = Math.floor(epoch / GLIDE);
      const turn = ((epoch % GLIDE) / GLIDE) * (Math.PI / 2);
      const [from, to] = [noiseOf(points.data.length, 500 + state), noiseOf(points.data.length, 501 + state)];
      const noise = from.map((value, at) => Math.cos(turn) * value + Math.sin(turn) * to[at]);
      const data = points.data.map((value, at) => value + size * noise[at]);
      return {
        epoch,
        points: { ...points, data },
        axes: perturbedAxes(points, noise, size),
        converged: epoch === GLIDE * STATES,
      };
    },
  };
}

/**
 * First-order turn of the subspace of the first k of three axes by noise of a size in every number: every pair of an axis i inside and an
 * axis j outside turns by ε·√((λᵢ + λⱼ)/(n − 1))/(λᵢ − λⱼ), and squares add up. At most 90°.
 */
export function expectedTurn(values: readonly number[], k: number, size: number, rows = ROWS): number {
  let sum = 0;
  for (const inside of values.slice(0, k)) {
    for (const outside of values.slice(k)) sum += (inside + outside) / (rows - 1) / (inside - outside) ** 2;
  }
  return Math.min(Math.PI / 2, size * Math.sqrt(sum));
}

/** The angle between two lines, from 0 to π/2. */
export function lineTurn(a: Float64Array, b: Float64Array): number {
  const cosine = Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  const cross = Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
  return Math.atan2(cross, cosine);
}

/** How far the subspace of the first k axes has turned: of a plane, its normal. */
export function subspaceTurn(a: Eigen, b: Eigen, k: number): number {
  const at = k === 1 ? 0 : 6;
  return lineTurn(a.vectors.subarray(at, at + 3), b.vectors.subarray(at, at + 3));
}

/** The root of the mean square of some angles. */
export function typical(angles: readonly number[]): number {
  return Math.sqrt(angles.reduce((sum, angle) => sum + angle * angle, 0) / angles.length);
}

import type { Matrix } from '@scree/core';
import { combineRows, type Eigen, orthonormalRows, random, rowProducts } from '@scree/core/learn';
import { axesOf } from '../shared/axes.js';
import { centred } from '../shared/clouds.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';

const ROWS = 70;

/** Points in space whose covariance has these eigenvalues, exact to rounding. They are tilted, so that no coordinate axis is an eigenvector. */
export function cloudWith(values: readonly number[]): Matrix<Float64Array> {
  const stretched = whitened().map((value, at) => value * Math.sqrt(values[at % 3]));
  return { rows: ROWS, cols: 3, data: combineRows(stretched, ROWS, TILT, 3, 3) };
}

/** Rows are the axes of the cloud. */
const TILT = orthonormalRows(Float64Array.of(0.8, 0.5, 0.25, -0.5, 0.85, 0.2, 0, 0, 1), 3, 3);

/** Random centred points with covariance I. */
function whitened(): Float64Array {
  const raw = centred({ rows: ROWS, cols: 3, data: new Float64Array(ROWS * 3).map(random(5).normal) });
  const { values, vectors } = axesOf(raw);
  return rowProducts(raw.data, ROWS, vectors, 3, 3).map((value, at) => value / Math.sqrt(values[at % 3]));
}

/** Normally distributed noise for every number of a cloud. */
function noiseOf(count: number, seed: number): Float64Array {
  return new Float64Array(count).map(random(seed + 1000).normal);
}

/** The axes of the points after noise is added. */
function perturbedAxes(points: Matrix<Float64Array>, noise: Float64Array, size: number): Eigen {
  const moved = centred({ ...points, data: points.data.map((value, at) => value + size * noise[at]) });
  return axesOf(moved);
}

/** Axes of many perturbed copies of the same points. */
export function fanOf(points: Matrix<Float64Array>, size: number, count: number): readonly Eigen[] {
  return Array.from({ length: count }, (_, i) => perturbedAxes(points, noiseOf(points.data.length, i), size));
}

export interface Wobble extends Moment {
  readonly points: Matrix<Float64Array>;
  readonly axes: Eigen;
}

/** Epochs from one random state to the next, and number of states. */
const GLIDE = 24;
const STATES = 10;

/** Noise of constant size that changes smoothly from one random state to the next, and the axes that follow it. */
export function wobble(points: Matrix<Float64Array>, size: number): EpochRun<Wobble> {
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
 * The angle by which noise of size ε in every number turns the subspace of the first k of three axes, to first order. Every pair
 * of an axis i inside and an axis j outside turns by ε·√((λᵢ + λⱼ)/(n − 1))/(λᵢ − λⱼ). The squares add up, to at most 90°.
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

/** The angle by which the subspace of the first k axes has turned; for a plane, the angle of its normal. */
export function subspaceTurn(a: Eigen, b: Eigen, k: number): number {
  const at = k === 1 ? 0 : 6;
  return lineTurn(a.vectors.subarray(at, at + 3), b.vectors.subarray(at, at + 3));
}

/** The root mean square of angles. */
export function typical(angles: readonly number[]): number {
  return Math.sqrt(angles.reduce((sum, angle) => sum + angle * angle, 0) / angles.length);
}

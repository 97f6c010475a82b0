import { ConvergenceError } from '@scree/core';
import { averageTerms, random, rowProducts, scatterOf } from '@scree/core/learn';
import { angleToGoal, areLengthsDetermined, goalOf } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { EpochRun } from '../shared/playback.js';
import type { UnitCloud } from '../shared/unit-cloud.js';

/** `rods`: the orthonormality term, and the reconstruction term if data pull. `held`: the same, but rows keep length 1. `coulomb`: electric charges, for comparison. */
export const LAWS = ['rods', 'held', 'coulomb'] as const;
export type Law = (typeof LAWS)[number];

export interface Charged extends Moment {
  /** k × 3. */
  readonly w: Float64Array;
  /** The force on each row: minus the gradient. If rows are held on the sphere, only the tangential part. */
  readonly force: Float64Array;
  /** ‖I − WWᵀ‖². */
  readonly orthogonality: number;
  /** The largest difference between an entry of WWᵀ (or WᵀW) and its goal; see `offGoal`. */
  readonly off: number;
  /** Angle between the rows and the best subspace (the nearest, if several are equally good). Only if α < 1 and k < 3. */
  readonly angle?: number;
}

const D = 3;
const STEP: Record<Law, number> = { rods: 0.012, held: 0.015, coulomb: 0.04 };
/** How much longer a step may be if the data have all the weight, because their forces are weaker. */
const DATA_STEP = 0.06;
const TOLERANCE = 1e-7;
const EPOCHS = 20_000;

/** Moves the rows of W by a small step along the forces per epoch. `live.alpha`, the weight of the orthonormality term, may change. */
export function moveRows(
  law: Law,
  k: number,
  seed: number,
  data: UnitCloud,
  live: { readonly alpha: number },
): EpochRun<Charged> {
  let w = startRows(k, seed);
  let epoch = -1;
  let done = false;
  const goal = k < D ? goalOf(data, k) : undefined;
  return {
    next() {
      if (done) return undefined;
      const alpha = law === 'rods' ? live.alpha : 1;
      if (epoch >= 0) {
        const direction = forceOf(law, w, k, alpha, data.c);
        w = w.map((value, at) => value + (STEP[law] + DATA_STEP * (1 - alpha)) * direction[at]);
        if (law !== 'rods') w = normalised(w, k);
      }
      epoch++;
      const force = forceOf(law, w, k, alpha, data.c);
      const off = offGoal(law, w, k);
      const angle = alpha < 1 && goal ? angleToGoal(goal, w) : undefined;
      const free = law === 'coulomb' || !areLengthsDetermined(data, k, alpha);
      done = largest(force) < TOLERANCE && (free || off < 1e-5) && (angle ?? 0) < 1e-5;
      if (epoch >= EPOCHS && !done)
        throw new ConvergenceError(
          `After ${epoch} epochs the rows still move a little${alpha < 1 ? ': the smaller a variance that pulls, the slower' : ''}. Try another start${alpha < 1 ? ', or another α' : ''}.`,
          undefined,
        );
      return {
        epoch,
        w,
        force,
        orthogonality: termsOf(w, k, 1, data.c).orthogonality,
        off,
        ...(angle === undefined ? {} : { angle }),
        converged: done,
      };
    },
  };
}

/** Minus the gradient of the law's loss. */
export function forceOf(law: Law, w: Float64Array, k: number, alpha: number, c: Float64Array): Float64Array {
  if (law === 'coulomb') return alongSphere(w, coulomb(w, k), k);
  const force = termsOf(w, k, law === 'held' ? 1 : alpha, c).gradient.map((value) => -value);
  return law === 'held' ? alongSphere(w, force, k) : force;
}

/** The library's loss terms of W, with weight α for the orthonormality term. */
function termsOf(w: Float64Array, k: number, alpha: number, c: Float64Array) {
  return averageTerms({ rows: k, cols: D, data: w }, c, alpha);
}

/** Σ (wₐ − w_b)/‖wₐ − w_b‖³. */
function coulomb(w: Float64Array, k: number): Float64Array {
  const out = new Float64Array(w.length);
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < k; b++) {
      if (a === b) continue;
      const gap = [0, 1, 2].map((j) => w[a * D + j] - w[b * D + j]);
      const distance = Math.max(1e-3, Math.hypot(...gap));
      for (let j = 0; j < D; j++) out[a * D + j] += gap[j] / distance ** 3;
    }
  }
  return out;
}

/** The energy of charges; `coulomb` is minus its gradient. */
export function coulombEnergy(w: Float64Array, k: number): number {
  let energy = 0;
  for (let a = 0; a < k; a++) {
    for (let b = a + 1; b < k; b++) energy += 1 / Math.hypot(...[0, 1, 2].map((j) => w[a * D + j] - w[b * D + j]));
  }
  return energy;
}

/** The part of a force that is tangent to the sphere. */
function alongSphere(w: Float64Array, force: Float64Array, k: number): Float64Array {
  const out = force.slice();
  for (let a = 0; a < k; a++) {
    let [inward, square] = [0, 0];
    for (let j = 0; j < D; j++) {
      inward += force[a * D + j] * w[a * D + j];
      square += w[a * D + j] ** 2;
    }
    for (let j = 0; j < D; j++) out[a * D + j] -= (inward / square) * w[a * D + j];
  }
  return out;
}

function normalised(w: Float64Array, k: number): Float64Array {
  const out = w.slice();
  for (let a = 0; a < k; a++) {
    const length = Math.hypot(...w.subarray(a * D, a * D + D)) || 1;
    for (let j = 0; j < D; j++) out[a * D + j] /= length;
  }
  return out;
}

/**
 * How far W is from the minimum of ‖I − WWᵀ‖². With at most three rows, WWᵀ = I there. More than three rows cannot all be
 * orthogonal, and become a tight frame. For free rows, WᵀW = I₃ and ‖I − WWᵀ‖² = k − 3. For rows of length 1, WᵀW = (k/3)·I₃
 * (Benedetto & Fickus 2003).
 */
function offGoal(law: Law, w: Float64Array, k: number): number {
  if (k <= D) return offIdentity(rowProducts(w, k, w, k, D), k, 1);
  return offIdentity(scatterOf(w, k, D), D, law === 'rods' ? 1 : k / D);
}

/** max |A − c·I|. */
function offIdentity(a: Float64Array, size: number, c: number): number {
  return largest(a.map((value, at) => value - (at % (size + 1) === 0 ? c : 0)));
}

/** The largest absolute value. */
function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** The lowest possible ‖I − WWᵀ‖². */
export function leastOf(law: Law, k: number): number {
  return k <= D ? 0 : law === 'rods' ? k - D : (k * k) / D - k;
}

/** Rows of length 1, close together on one side of the sphere. */
function startRows(k: number, seed: number): Float64Array {
  const rng = random(seed + 100);
  const w = new Float64Array(k * D);
  for (let a = 0; a < k; a++) {
    const around = (2 * Math.PI * a) / k + 0.5 * rng.normal();
    const out = 0.35 + 0.3 * rng.uniform();
    w.set([1, out * Math.cos(around), 0.15 + out * Math.sin(around)], a * D);
  }
  return normalised(w, k);
}

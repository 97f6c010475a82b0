import { ConvergenceError } from '@scree/core';
import { angleToGoal, goalOf, pinned } from '../shared/goal.js';
import type { Moment } from '../shared/history.js';
import type { Road } from '../shared/playback.js';
import { random } from '../shared/random.js';
import type { Eigen } from '../shared/small-matrix.js';
import {
  largest,
  offIdentity,
  orthogonalityTerm,
  product,
  productTransposed,
  reconstructionTerm,
} from '../shared/weight-terms.js';

/** rods: the orthonormality term; held: the same with rows kept at length 1; coulomb: real charges, for comparison. */
export const LAWS = ['rods', 'held', 'coulomb'] as const;
export type Law = (typeof LAWS)[number];

export interface Charged extends Moment {
  /** k × 3. */
  readonly w: Float64Array;
  /** What moves each row: minus the gradient, on the sphere only along it. */
  readonly force: Float64Array;
  /** ‖I − WWᵀ‖². */
  readonly orthogonality: number;
  /** How far from what the mathematics says, as the largest entry that is wrong; see `goalOf`. */
  readonly off: number;
  /** To the exact subspace, where data pull and k leaves something out; to the nearest where several are as good. */
  readonly angle?: number;
}

/** Data that pull on the rows too: C with λ₁ = 1, its eigenvalues and eigenvectors, and the weight α of the orthonormality term. */
export interface Pull extends Eigen {
  readonly c: Float64Array;
  readonly hand: { alpha: number };
}

const D = 3;
const STEP: Record<Law, number> = { rods: 0.012, held: 0.015, coulomb: 0.04 };
/** How much longer a step may be where data have all the weight: they pull more gently. */
const DATA_STEP = 0.06;
const TOLERANCE = 1e-7;
const EPOCHS = 20_000;

/** Rows of W as charges: every epoch is a small step along the forces. */
export function chargesRoad(law: Law, k: number, seed: number, pull: Pull): Road<Charged> {
  let w = startRows(k, seed);
  let epoch = -1;
  let done = false;
  const goal = k < D ? goalOf(pull, k) : undefined;
  return {
    next() {
      if (done) return undefined;
      const alpha = law === 'rods' ? pull.hand.alpha : 1;
      if (epoch >= 0) {
        const way = forceOf(law, w, k, alpha, pull.c);
        w = w.map((value, at) => value + (STEP[law] + DATA_STEP * (1 - alpha)) * way[at]);
        if (law !== 'rods') w = normalised(w, k);
      }
      epoch++;
      const force = forceOf(law, w, k, alpha, pull.c);
      const off = offGoal(law, w, k);
      const angle = alpha < 1 && goal ? angleToGoal(goal, w) : undefined;
      const free = law === 'coulomb' || !pinned(pull, k, alpha);
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
        orthogonality: orthogonalityTerm(w, k, D).loss,
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
  const apart = orthogonalityTerm(w, k, D).gradient.map((value) => -value);
  if (law === 'held') return alongSphere(w, apart, k);
  if (alpha === 1) return apart;
  const data = reconstructionTerm(w, c, k, D).gradient;
  return apart.map((value, at) => alpha * value - (1 - alpha) * data[at]);
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

/** The energy of charges, whose negative gradient `coulomb` is; for the test. */
export function coulombEnergy(w: Float64Array, k: number): number {
  let energy = 0;
  for (let a = 0; a < k; a++) {
    for (let b = a + 1; b < k; b++) energy += 1 / Math.hypot(...[0, 1, 2].map((j) => w[a * D + j] - w[b * D + j]));
  }
  return energy;
}

/** What is left of a force on rows that may only slide along the sphere. */
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
 * How far W is from where ‖I − WWᵀ‖² is least. With at most three rows WWᵀ = I. More cannot all be orthogonal: free rows become a tight
 * frame, WᵀW = I₃ with ‖I − WWᵀ‖² = k − 3, and rows of length 1 one with WᵀW = (k/3)·I₃ (Benedetto & Fickus 2003).
 */
function offGoal(law: Law, w: Float64Array, k: number): number {
  if (k <= D) return offIdentity(productTransposed(w, w, k, D, k), k, 1);
  const columns = new Float64Array(D * k);
  for (let a = 0; a < k; a++) for (let j = 0; j < D; j++) columns[j * k + a] = w[a * D + j];
  return offIdentity(product(columns, w, D, k, D), D, law === 'rods' ? 1 : k / D);
}

/** The least that ‖I − WWᵀ‖² can be. */
export function leastOf(law: Law, k: number): number {
  return k <= D ? 0 : law === 'rods' ? k - D : (k * k) / D - k;
}

/** Rows of length 1 close together on one side of the sphere: they have some way to go. */
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

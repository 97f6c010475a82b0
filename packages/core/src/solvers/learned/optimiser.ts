import { dot } from '../../linalg/vector.js';
import type { RuleControls } from './rule.js';

/** A method of gradient descent. */
export interface Optimiser {
  /** The point at which the next gradient is needed. */
  readonly at: Float64Array;
  /** Takes a step against the gradient, which was computed at `at`. */
  advance(gradient: Float64Array, step: number, momentum: number | undefined): void;
  /** Returns to an earlier point, and resets the momentum. */
  returnTo(place: Float64Array): void;
  /** True if the length of a step does not depend on the size of the gradient. It is then a share of the size of the weights. */
  readonly scaleInvariant?: boolean;
}

export function optimiser(descent: RuleControls['descent'], start: Float64Array, entrySize: number): Optimiser {
  if (descent === 'plain') return new Plain(start);
  return descent === 'momentum' ? new Momentum(start) : new Adam(start, entrySize);
}

/** θ ← θ − η·g. */
class Plain implements Optimiser {
  readonly at: Float64Array;

  constructor(start: Float64Array) {
    this.at = start.slice();
  }

  advance(gradient: Float64Array, step: number): void {
    for (let i = 0; i < this.at.length; i++) this.at[i] -= step * gradient[i];
  }

  returnTo(place: Float64Array): void {
    this.at.set(place);
  }
}

/**
 * Nesterov's momentum: x' = θ − η·g(θ), θ' = x' + μ(x' − x). By default μ = t/(t + 3) for the t-th step since the last reset. A
 * step that goes uphill (g·(x' − x) > 0) resets the momentum (O'Donoghue & Candès 2015).
 */
class Momentum implements Optimiser {
  readonly at: Float64Array;
  readonly #reached: Float64Array;
  #steps = 0;

  constructor(start: Float64Array) {
    this.at = start.slice();
    this.#reached = start.slice();
  }

  advance(gradient: Float64Array, step: number, momentum: number | undefined): void {
    const { at } = this;
    const reached = this.#reached;
    let uphill = 0;
    for (let i = 0; i < at.length; i++) uphill += gradient[i] * (at[i] - step * gradient[i] - reached[i]);
    this.#steps = uphill > 0 && momentum === undefined ? 0 : this.#steps + 1;
    const share = momentum ?? this.#steps / (this.#steps + 3);
    for (let i = 0; i < at.length; i++) {
      const next = at[i] - step * gradient[i];
      at[i] = next + share * (next - reached[i]);
      reached[i] = next;
    }
  }

  returnTo(place: Float64Array): void {
    this.at.set(place);
    this.#reached.set(place);
    this.#steps = 0;
  }
}

const BETA1 = 0.9;
const BETA2 = 0.99;

/**
 * Adam (Kingma & Ba 2015): θ ← θ − η·s·m̂/√v̂, with running means m of the gradients and v of their squares. s is the usual size
 * of an entry of θ.
 */
class Adam implements Optimiser {
  readonly at: Float64Array;
  readonly scaleInvariant = true;
  readonly #entrySize: number;
  readonly #mean: Float64Array;
  readonly #square: Float64Array;
  #steps = 0;

  constructor(start: Float64Array, entrySize: number) {
    this.at = start.slice();
    this.#entrySize = entrySize;
    this.#mean = new Float64Array(start.length);
    this.#square = new Float64Array(start.length);
  }

  advance(gradient: Float64Array, step: number): void {
    this.#steps++;
    const first = 1 - BETA1 ** this.#steps;
    const second = 1 - BETA2 ** this.#steps;
    // Weights whose gradients are all zero do not move.
    const least = Number.EPSILON * Math.sqrt(dot(gradient, 0, gradient, 0, gradient.length) / gradient.length);
    for (let i = 0; i < gradient.length; i++) {
      this.#mean[i] = BETA1 * this.#mean[i] + (1 - BETA1) * gradient[i];
      this.#square[i] = BETA2 * this.#square[i] + (1 - BETA2) * gradient[i] ** 2;
      const size = Math.sqrt(this.#square[i] / second) + least;
      if (size > 0) this.at[i] -= (step * this.#entrySize * (this.#mean[i] / first)) / size;
    }
  }

  returnTo(place: Float64Array): void {
    this.at.set(place);
    this.#mean.fill(0);
    this.#square.fill(0);
    this.#steps = 0;
  }
}

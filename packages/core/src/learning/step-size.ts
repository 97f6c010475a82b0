import type { Optimiser } from './optimiser.js';
import type { Controls } from './rule.js';

/** Growth of the loss that is no more than rounding, relative to the loss at the start. */
const ROUNDING = 1e-12;
/** How often the loss may grow in succession before the step is called too long. */
const PATIENCE = 3;
/** How many times the loss of the start is too much at once. */
const TOO_MUCH = 2;
/** Epochs without a new lowest loss, though there is something to gain, after which steps jump to and fro. */
const IDLE = 100;

/** The first step of an optimiser whose steps do not depend on the size of the gradient, as a share of what it moves. */
const STRIDE = 0.1;
/** What is left of such a step when the loss grows: it was as long as the way that was left. */
const SHORTER = 0.7;

/**
 * The length of the next step, from how the loss went. A step that was given is kept, and a loss that grows is told as divergence;
 * one that was left to the rule is halved and tried again from the best place so far.
 */
export class StepSize {
  readonly #optimiser: Optimiser;
  readonly #controls: Controls;
  readonly #best: Float64Array;
  #chosen: number;
  #first = Number.NaN;
  #lowest = Number.POSITIVE_INFINITY;
  #last = Number.POSITIVE_INFINITY;
  #growing = 0;
  #idle = 0;

  constructor(optimiser: Optimiser, controls: Controls, chosen: number) {
    this.#optimiser = optimiser;
    this.#controls = controls;
    this.#chosen = optimiser.striding ? STRIDE : chosen;
    this.#best = optimiser.at.slice();
  }

  get step(): number {
    return this.#controls.step ?? this.#chosen;
  }

  /**
   * Notes the loss at a place, which is where the optimiser is unless another is given. A loss that `mayGrow` is one of batches, or of no
   * gradient; one that is not `settled` must still fall.
   */
  judge(
    loss: number,
    { mayGrow = false, settled = true, rows = this.#optimiser.at } = {},
  ): 'go on' | 'try again' | 'diverged' {
    if (Number.isNaN(this.#first)) this.#first = loss;
    const rounding = ROUNDING * Math.abs(this.#first);
    const grew = !(loss <= this.#last + rounding);
    const rose = loss > this.#last + Math.abs(this.#first) * 4 * Number.EPSILON;
    this.#growing = grew ? this.#growing + 1 : 0;
    this.#last = loss;
    const fell = loss < this.#lowest - rounding;
    this.#idle = fell || (settled && loss <= this.#lowest + rounding) ? 0 : this.#idle + 1;
    if (loss < this.#lowest) {
      this.#lowest = loss;
      this.#best.set(rows);
    }
    const idle = this.#idle >= IDLE;
    const burst = !Number.isFinite(loss) || loss > TOO_MUCH * this.#first + rounding || idle;
    if (!burst && rose && this.#optimiser.striding) this.#chosen *= SHORTER;
    if (!burst && (mayGrow || this.#optimiser.striding || this.#growing < PATIENCE)) return 'go on';
    // A loss that wavers just above its lowest is at its end, not on its way up.
    if (!burst && loss - this.#lowest <= 1e-3 * (this.#first - this.#lowest)) return 'go on';
    if (this.#controls.step !== undefined) return 'diverged';
    this.#chosen /= 2;
    this.#growing = 0;
    this.#idle = 0;
    this.#last = Number.POSITIVE_INFINITY;
    this.#optimiser.returnTo(this.#best);
    return 'try again';
  }
}

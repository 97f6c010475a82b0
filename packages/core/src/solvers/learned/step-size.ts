import type { Optimiser } from './optimiser.js';
import type { RuleControls } from './rule.js';

/** Growth of the loss that is no more than rounding, relative to the loss at the start. */
const ROUNDING = 1e-12;
/** How often the loss may grow in succession before the step is called too long. */
const PATIENCE = 3;
/** A loss so many times that of the start means that the step is too long. */
const DIVERGED_LOSS = 2;
/** Epochs without a new lowest loss, although it could fall, after which the step is too long: it oscillates. */
const MOST_IDLE_EPOCHS = 100;
/** The first step of an optimiser whose steps do not depend on the size of the gradient, as a share of what it moves. */
const FIRST_RELATIVE_STEP = 0.1;
/** Factor for such a step when the loss grows: it was about as long as the remaining distance. */
const SHORTER = 0.7;

export interface StepVerdict {
  /** Whether the gradient that belongs to the loss is to be followed; if not, the optimiser is back at the best point so far. */
  readonly advance: boolean;
  /** Where a step that was given is too long: one to try. */
  readonly shorter?: number;
}

/** Facts about an epoch besides its loss. */
interface EpochFacts {
  readonly mayGrow?: boolean;
  readonly settled?: boolean;
  /** The point that has this loss. Default: where the optimiser is. */
  readonly point?: Float64Array;
  /** How much a loss may grow beyond that of the start. Default 0. */
  readonly allowedGrowth?: number;
  /** Length of the step's direction, which falls towards the end. */
  readonly directionLength?: number;
  readonly reversed?: boolean;
}

const ADVANCE: StepVerdict = { advance: true };

/**
 * The length of the next step, from how the loss changed. When the loss grows, the optimiser returns to the best point so far; a step
 * that the rule has chosen is halved, and a step that was given is reported as too long.
 */
export class StepSize {
  readonly #optimiser: Optimiser;
  readonly #controls: RuleControls;
  readonly #best: Float64Array;
  #chosen: number;
  #alpha: number;
  #first = Number.NaN;
  #lowest = Number.POSITIVE_INFINITY;
  #last = Number.POSITIVE_INFINITY;
  #growing = 0;
  #idle = 0;
  #leastLength = Number.POSITIVE_INFINITY;

  constructor(optimiser: Optimiser, controls: RuleControls, chosen: number) {
    this.#optimiser = optimiser;
    this.#controls = controls;
    this.#chosen = optimiser.scaleInvariant ? FIRST_RELATIVE_STEP : chosen;
    this.#best = optimiser.at.slice();
    this.#alpha = controls.alpha;
  }

  get step(): number {
    return this.#controls.step ?? this.#chosen;
  }

  /**
   * Records the loss at a point, by default where the optimiser is. A loss that `mayGrow` is one of batches, or of no
   * gradient; one that is not `settled` must still fall.
   *
   * A rule that follows no gradient adds what else it knows: how much a loss may grow beyond that of the start (`allowedGrowth`), the length of
   * the step's direction (`directionLength`), which falls towards the end, and whether the direction is `reversed` since the last step: a rule
   * that still makes progress is not idle, however slow it is.
   */
  judge(
    loss: number,
    {
      mayGrow = false,
      settled = true,
      point = this.#optimiser.at,
      allowedGrowth = 0,
      directionLength = Number.POSITIVE_INFINITY,
      reversed = true,
    }: EpochFacts = {},
  ): StepVerdict {
    this.#forgetOtherLosses();
    if (Number.isNaN(this.#first) && Number.isFinite(loss)) this.#first = loss;
    const first = Math.abs(this.#first) || 0;
    const rounding = ROUNDING * first;
    const rose = loss > this.#last + 4 * Number.EPSILON * first;
    this.#growing = loss <= this.#last + rounding ? 0 : this.#growing + 1;
    this.#last = loss;
    const fell = loss < this.#lowest - rounding;
    const progress = fell || directionLength < this.#leastLength || (settled && loss <= this.#lowest + rounding);
    this.#idle = progress ? 0 : this.#idle + (reversed ? 1 : 0);
    this.#leastLength = Math.min(this.#leastLength, directionLength);
    if (loss < this.#lowest) {
      this.#lowest = loss;
      this.#best.set(point);
    }
    if (
      !Number.isFinite(loss) ||
      loss > DIVERGED_LOSS * (first + allowedGrowth) + rounding ||
      this.#idle >= MOST_IDLE_EPOCHS
    )
      return this.#returnToBest();
    if (rose && this.#optimiser.scaleInvariant) this.#chosen *= SHORTER;
    if (mayGrow || this.#optimiser.scaleInvariant || this.#growing < PATIENCE) return ADVANCE;
    // A loss that stays just above its minimum has converged; it is not growing.
    return loss - this.#lowest <= 1e-3 * (first - this.#lowest) ? ADVANCE : this.#returnToBest();
  }

  /** Forgets the losses: those of another α cannot be compared. */
  #forgetOtherLosses(): void {
    if (this.#alpha === this.#controls.alpha) return;
    this.#alpha = this.#controls.alpha;
    this.#first = Number.NaN;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#last = Number.POSITIVE_INFINITY;
    this.#growing = 0;
    this.#idle = 0;
  }

  #returnToBest(): StepVerdict {
    const { step } = this.#controls;
    this.#growing = 0;
    this.#idle = 0;
    this.#last = Number.POSITIVE_INFINITY;
    this.#optimiser.returnTo(this.#best);
    if (step !== undefined) return { advance: false, shorter: Math.min(step / 4, this.#chosen) };
    this.#chosen /= 2;
    return { advance: false };
  }
}

import type { Optimiser } from './optimiser.js';
import type { RuleControls } from './rule.js';

/** Growth of the loss by rounding, relative to the loss at the start. */
const ROUNDING = 1e-12;
/** A step is too long if the loss grows this number of times in succession. */
const PATIENCE = 3;
/** A step is too long if the loss exceeds that of the start by this factor. */
const DIVERGED_LOSS = 2;
/** A step is too long if the loss oscillates: this number of epochs without a new lowest loss, although it could fall. */
const MOST_IDLE_EPOCHS = 100;
/** The first step of a scale-invariant optimiser, as a share of the size of the weights. */
const FIRST_RELATIVE_STEP = 0.1;
/** Factor for such a step when the loss grows, because the step was about as long as the remaining distance. */
const SHORTER = 0.7;

export interface StepVerdict {
  /** True if the gradient at this point is to be followed. If not, the optimiser has returned to the best point. */
  readonly advance: boolean;
  /** A shorter step to try, if the given step is too long. */
  readonly shorter?: number;
}

/** Facts about an epoch besides its loss. */
interface EpochFacts {
  readonly mayGrow?: boolean;
  readonly settled?: boolean;
  /** The point that has this loss. Default: the current point of the optimiser. */
  readonly point?: Float64Array;
  /** Allowed growth of the loss beyond that of the start. Default 0. */
  readonly allowedGrowth?: number;
  /** Length of the direction of the step, which falls towards the end. */
  readonly directionLength?: number;
  readonly reversed?: boolean;
}

const ADVANCE: StepVerdict = { advance: true };

/**
 * Chooses the length of the next step from the changes of the loss. When the loss grows, the optimiser returns to the best point
 * so far. A step that the rule has chosen is then halved, and a step that the user has given is reported as too long.
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
   * Records the loss at a point, by default the current point of the optimiser. `mayGrow` is for losses of batches, and of rules
   * that follow no gradient. A loss that is not `settled` must still fall.
   *
   * A rule that follows no gradient gives further facts: the allowed growth of the loss beyond that of the start
   * (`allowedGrowth`), the length of the step's direction (`directionLength`), and whether the direction has `reversed` since the
   * last step. With them, a rule that makes slow progress is not taken for one that oscillates.
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
    // A loss that stays just above its minimum has converged and is not growing.
    return loss - this.#lowest <= 1e-3 * (first - this.#lowest) ? ADVANCE : this.#returnToBest();
  }

  /** Forgets all losses if α has changed, because losses for different α cannot be compared. */
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

/** A frame that takes longer than this is seen to stutter; one that is shorter has room for more. */
const LONG = 24;
const SHORT = 18;
const FEWEST = 20_000;
const FIRST = 250_000;

/**
 * How many points a frame may draw. Browsers hold back frames while the graphics card is behind, so the time between frames tells
 * how it fares: where it is slow, fewer points are drawn while the picture moves, and the rest follows when it stands still.
 */
export class Pace {
  #budget = FIRST;
  #last = Number.NaN;

  get budget(): number {
    return this.#budget;
  }

  /** A frame begins at this time, in milliseconds. */
  frame(now: number): void {
    const taken = now - this.#last;
    this.#last = now;
    if (taken > LONG) this.#budget = Math.max(FEWEST, Math.round(this.#budget * 0.7));
    else if (taken < SHORT) this.#budget = Math.min(1e9, Math.round(this.#budget * 1.4));
  }

  /** No frame follows at once: the time until the next says nothing. */
  rest(): void {
    this.#last = Number.NaN;
  }
}

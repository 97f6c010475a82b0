/** A frame that takes longer than this is seen to stutter; much longer, and nothing was to be drawn meanwhile. In milliseconds. */
const SLOW_FRAME = 24;
const IDLE_GAP = 300;
const MIN_POINTS = 4_000;
const INITIAL_POINTS = 250_000;

/** How many points a frame may draw, learnt from how the frames before fared. */
export class FrameBudget {
  #budget = INITIAL_POINTS;
  #drawn = 0;
  #last = Number.NaN;

  get points(): number {
    return Math.round(this.#budget);
  }

  /** So many points are drawn in this frame; 0 when it is no example for others. */
  recordDrawn(points: number): void {
    this.#drawn = points;
  }

  /** A frame begins at this time; `busy`: the graphics card has not finished the one before. */
  beginFrame(now: number, busy: boolean): void {
    const taken = now - this.#last;
    const late = busy || (taken > SLOW_FRAME && taken < IDLE_GAP);
    this.#last = now;
    if (this.#drawn === 0) return;
    // Less is taken back quickly, more is tried slowly: it is the frame that is too long that is seen.
    if (late) this.#budget = Math.max(MIN_POINTS, Math.min(this.#budget, this.#drawn) * 0.6);
    else if (this.#drawn > 0.9 * this.#budget) this.#budget = Math.min(1e9, this.#budget * 1.15);
    this.#drawn = 0;
  }
}

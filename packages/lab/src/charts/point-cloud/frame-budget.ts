/** A frame that takes longer than this stutters visibly. */
const SLOW_FRAME = 24;
/** After a longer gap the frame was not slow: nothing had to be drawn. */
const IDLE_GAP = 300;
const MIN_POINTS = 4_000;
const INITIAL_POINTS = 250_000;

/** How many points a frame may draw, adapted to how long the previous frames took. */
export class FrameBudget {
  #budget = INITIAL_POINTS;
  #drawn = 0;
  #last = Number.NaN;

  get points(): number {
    return Math.round(this.#budget);
  }

  /** Records how many points this frame draws; 0 when the frame says nothing about others. */
  recordDrawn(points: number): void {
    this.#drawn = points;
  }

  /** A frame begins at this time; `busy`: the graphics card has not finished the previous one. */
  beginFrame(now: number, busy: boolean): void {
    const taken = now - this.#last;
    const late = busy || (taken > SLOW_FRAME && taken < IDLE_GAP);
    this.#last = now;
    if (this.#drawn === 0) return;
    // The budget falls quickly and rises slowly, because frames that take too long are visible.
    if (late) this.#budget = Math.max(MIN_POINTS, Math.min(this.#budget, this.#drawn) * 0.6);
    else if (this.#drawn > 0.9 * this.#budget) this.#budget = Math.min(1e9, this.#budget * 1.15);
    this.#drawn = 0;
  }
}

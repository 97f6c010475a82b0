/**
 * When to measure again how far an iteration is from its goal. Residuals fall by about the same factor every pass, so two measurements show
 * when the next can decide something. It is taken a little early, and never more than a quarter of the passes later.
 */
export class ResidualSchedule {
  #next = 1;
  #pass = 0;
  #excess = Number.POSITIVE_INFINITY;

  due(pass: number): boolean {
    return pass >= this.#next;
  }

  /** Notes how many times too large the worst residual is. */
  note(pass: number, excess: number): void {
    const rate = Math.log(this.#excess / excess) / (pass - this.#pass);
    const left = rate > 0 && rate < Number.POSITIVE_INFINITY ? (0.8 * Math.log(excess)) / rate : pass;
    this.#next = pass + Math.max(1, Math.floor(Math.min(left, pass / 4)));
    [this.#pass, this.#excess] = [pass, excess];
  }
}

/**
 * Decides in which pass to measure the residuals of an iteration again. Every pass reduces them by about the same factor, so two
 * measurements predict the pass in which the iteration converges. The next measurement is taken a little earlier than predicted,
 * and after at most a quarter of the passes so far.
 */
export class ResidualSchedule {
  #next = 1;
  #pass = 0;
  #excess = Number.POSITIVE_INFINITY;

  due(pass: number): boolean {
    return pass >= this.#next;
  }

  /** Records a measurement: the worst residual as a multiple of the allowed one. */
  note(pass: number, excess: number): void {
    const rate = Math.log(this.#excess / excess) / (pass - this.#pass);
    const left = rate > 0 && rate < Number.POSITIVE_INFINITY ? (0.8 * Math.log(excess)) / rate : pass;
    this.#next = pass + Math.max(1, Math.floor(Math.min(left, pass / 4)));
    [this.#pass, this.#excess] = [pass, excess];
  }
}

import type { Random } from '@scree/core/linalg';
import { generatorOf } from './draws.js';

/** P(X ≤ x) of the Poisson distribution of mean 1, until it is 1 in float64. */
const CUMULATIVE = Array.from({ length: 19 }, (_, x) => {
  let [term, sum] = [Math.exp(-1), Math.exp(-1)];
  for (let i = 1; i <= x; i++) {
    term /= i;
    sum += term;
  }
  return sum;
});

/**
 * How often each row is in each replicate: independent Poisson variates of mean 1. They do not depend on the number of rows, so parts
 * of a table can be drawn independently (Hanley & MacGibbon 2006; Chamandy et al. 2012). Given their sum, they are the multinomial
 * counts of drawing that many rows with replacement. `part` makes the draws of parts differ.
 */
export class PoissonDraws {
  readonly #generators: readonly Random[];

  constructor(replicates: number, seed: number, part: number) {
    this.#generators = Array.from({ length: replicates }, (_, b) => generatorOf(seed, b + 1, part));
  }

  /** Counts of the next rows in one replicate, times their weights. */
  next(replicate: number, rows: number, weights: Float64Array | undefined): Float64Array {
    const { uniform } = this.#generators[replicate];
    const counts = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      const u = uniform();
      let x = 0;
      while (x < CUMULATIVE.length && u >= CUMULATIVE[x]) x++;
      counts[i] = weights ? x * weights[i] : x;
    }
    return counts;
  }
}

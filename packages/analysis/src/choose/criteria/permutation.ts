import { random, transpose } from '@scree/core/linalg';
import { type CriterionMethod, doesNotApply, type Evidence, firstHave, leadingAbove } from './criterion.js';
import { percentOf, quantiles, simulations, tables, takesTooLong } from './simulate.js';

/**
 * Parallel analysis by permutation (Buja & Eyuboglu 1992): as `parallel`, against the data themselves with the rows of every
 * column in an order of their own. Columns keep their values, so nothing is assumed about their distribution, and no column counts as
 * structure because it varies much; only what columns share is destroyed. Weakness of both: variance that strong components have is given to noise in the
 * simulated tables, which can hide weak components behind strong ones.
 *
 * A permuted column that is rotated by a random number of rows is a random permutation again, in which every order is as likely as any other. So
 * columns are shuffled for every sixteenth table and rotated for those in between, which costs a sixteenth of the random numbers; and one pass
 * `gram` each (n·d²; `dual`, n²·d, where there are fewer rows than columns).
 */
export const permutation: CriterionMethod = {
  name: 'permutation',
  about: 'variance of each component, and the quantile of tables whose columns were permuted',
  needs: ['rows', 'columnVariances'],
  requires: ['centered', 'unweighted'],
  compute: async (evidence) => {
    const { n, rows, columnVariances, spectrum, divisor, options } = evidence;
    const d = columnVariances?.length ?? 0;
    const size = Math.min(d, n - 1);
    if (!rows || size < 2) return doesNotApply('Permuting needs at least 2 columns that vary and 3 rows.');
    const { uniform } = random(options.seed);
    const operations = permutationWork(n, d);
    if (takesTooLong(evidence, operations)) return doesNotApply(`The permutation test ${tooLong(n, d)}`);
    const count = simulations(evidence, operations);
    const columns = transpose(rows, n, d);
    const shuffled = new Float64Array(n * d);
    let table = 0;
    const thresholds = await quantiles(count, size, evidence, 'permuted tables', async () => {
      const shuffle = table++ % ROTATIONS === 0;
      // The first column may stay: only the orders of columns relative to each other matter.
      if (shuffle) for (let j = 1; j < d; j += 2) shuffleTwo(columns, j * n, Math.min(j + 1, d - 1) * n, n, uniform);
      for (let j = 0; j < d; j++) {
        const turn = shuffle || j === 0 ? 0 : Math.floor(uniform() * n);
        let at = j;
        for (let i = turn; i < n; i++, at += d) shuffled[at] = columns[j * n + i];
        for (let i = 0; i < turn; i++, at += d) shuffled[at] = columns[j * n + i];
      }
      return squaredSingularValues(shuffled, n, d, evidence);
    });
    const values = Array.from(spectrum.subarray(0, size));
    const scaled = thresholds.map((value) => value / divisor);
    const k = leadingAbove(values, scaled);
    return {
      k,
      values,
      thresholds: scaled,
      sentence: `${firstHave(k)} more variance than the ${percentOf(options.quantile)} quantile of ${tables(count, '')} with the rows of every column permuted.`,
    };
  },
};

/** Tables made of one shuffle. */
const ROTATIONS = 16;

/** Operations of one permutation. */
export function permutationWork(n: number, d: number): number {
  return n * d * (Math.min(n, d) + 60) + 4 * Math.min(n, d) ** 3;
}

/** The end of the sentence where it was left out. */
export function tooLong(n: number, d: number): string {
  return `of ${n} × ${d} numbers takes long and was left out. Give a number of permutations to do it, or use parallel analysis.`;
}

/**
 * Shuffles two columns, each in an order of its own (Fisher & Yates). The 53 bits of one random number are enough for a place in each:
 * its whole part and what is left of it, times the number of places.
 */
function shuffleTwo(columns: Float64Array, one: number, two: number, n: number, uniform: () => number): void {
  for (let i = n - 1; i > 0; i--) {
    const scaled = uniform() * (i + 1);
    const first = Math.floor(scaled);
    const second = Math.floor((scaled - first) * (i + 1));
    const value = columns[one + i];
    columns[one + i] = columns[one + first];
    columns[one + first] = value;
    const other = columns[two + i];
    columns[two + i] = columns[two + second];
    columns[two + second] = other;
  }
}

/** σ² of an n × d matrix, largest first: eigenvalues of BᵀB, or of BBᵀ where there are fewer rows. */
async function squaredSingularValues(
  data: Float64Array,
  n: number,
  d: number,
  { engine, progress }: Evidence,
): Promise<Float64Array> {
  const size = Math.min(n, d);
  const products = new Float64Array(size * size);
  const frame = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const block = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data });
  try {
    if (d <= n) await block.gram(frame, products, onStep);
    else await block.dual(frame, block, frame, { products, size, row: 0, column: 0 }, onStep);
  } finally {
    block.release();
  }
  return (await engine.symmetricEigen(products, size, 0, onStep)).values;
}

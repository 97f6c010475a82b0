import { type Random, random, tridiagonalValues } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';
import { gamma } from '../../statistics/gamma.js';
import { type CriterionMethod, doesNotApply, type Evidence, firstHave, leadingAbove } from './criterion.js';
import { percentOf, quantiles, simulations, tables, takesTooLong } from './simulate.js';

/** Variances above which the spectra of equal columns are drawn without a matrix. */
const WITHOUT_MATRIX = 300;

/**
 * Parallel analysis (Horn 1965; quantiles: Glorfeld 1995): the first components with more variance than the 95 % quantile of
 * the same component in tables of independent normal columns, as many rows and columns, each column with the variance that it has here.
 *
 * A simulated table is its correlation matrix R, scaled: DRD, D the standard deviations of the columns. R comes from Bartlett's
 * decomposition of the Wishart distribution (1933): AAᵀ, A lower triangular, √χ²(n − i) on the diagonal (i from 1) and normal numbers below,
 * rows of A divided by their lengths. So it costs O(d³) whatever n is. Where more than 300 variances are to be simulated and the
 * columns have one variance, the spectrum of AAᵀ alone is drawn, by the bidiagonal matrix of Dumitriu & Edelman (2002), O(d²), and
 * scaled to the total variance. Each column is then not of exactly its variance, which makes the quantiles of the first components about 1 % too large, on the safe side.
 */
export const parallel: CriterionMethod = {
  name: 'parallel',
  about: 'variance of each component, and the quantile of simulated independent normal columns',
  needs: ['columnVariances'],
  requires: ['centered', 'unweighted'],
  compute: async (evidence) => {
    const { n, columnVariances, spectrum, correlation, options } = evidence;
    const d = columnVariances?.length ?? 0;
    const size = Math.min(d, n - 1);
    if (!columnVariances || size < 2)
      return doesNotApply('Parallel analysis needs at least 2 columns that vary and 3 rows.');
    const rng = random(options.seed);
    const light = correlation && size > WITHOUT_MATRIX;
    const operations = light ? 60 * size * size : 2 * d * size * size + 4 * size ** 3 + 150 * d * size;
    if (takesTooLong(evidence, operations)) {
      return doesNotApply(
        `Simulating tables of ${d} columns of different variances takes long and was left out. Give a number of permutations to do it, or use scale: 'unit'.`,
      );
    }
    const count = simulations(evidence, operations);
    const total = columnVariances.reduce((sum, value) => sum + value, 0);
    const thresholds = await quantiles(count, size, evidence, 'simulated tables', () =>
      light ? whiteSpectrum(n - 1, d, total, rng) : independentSpectrum(n - 1, columnVariances, rng, evidence),
    );
    const values = Array.from(spectrum.subarray(0, size));
    const k = leadingAbove(values, thresholds);
    return {
      k,
      values,
      thresholds,
      sentence: `${firstHave(k)} more variance than the ${percentOf(options.quantile)} quantile of ${tables(count, 'simulated ')} of independent normal columns with the same variances.`,
    };
  },
};

/** The variances of one table of independent normal columns: eigenvalues of DRD, largest first. m = n − 1 degrees of freedom. */
async function independentSpectrum(
  m: number,
  columnVariances: Float64Array,
  rng: Random,
  { engine, progress }: Evidence,
): Promise<Float64Array> {
  const d = columnVariances.length;
  const width = Math.min(m, d);
  const a = new Float64Array(d * width);
  for (let i = 0; i < d; i++) {
    const row = i * width;
    let square = 0;
    for (let j = 0; j < Math.min(i, width); j++) {
      const z = rng.normal();
      a[row + j] = z;
      square += z * z;
    }
    if (i < width) {
      const chi = 2 * gamma((m - i) / 2, rng);
      a[row + i] = Math.sqrt(chi);
      square += chi;
    }
    const factor = Math.sqrt(columnVariances[i] / square);
    for (let j = 0; j < width; j++) a[row + j] *= factor;
  }
  const products = width < d ? columnProducts(a, d, width) : rowProducts(a, d, width);
  const { values } = await engine.symmetricEigen(products, width, 0, () => progress.yieldToEventLoop());
  return values;
}

/** AᵀA, upper triangle. */
function columnProducts(a: Float64Array, rows: number, cols: number): Float64Array {
  const out = new Float64Array(cols * cols);
  for (let r = 0; r < rows; r++) {
    const row = r * cols;
    const last = Math.min(r + 1, cols);
    for (let i = 0; i < last; i++) {
      const x = a[row + i];
      for (let j = i; j < last; j++) out[i * cols + j] += x * a[row + j];
    }
  }
  return out;
}

/** AAᵀ of lower triangular A, upper triangle. */
function rowProducts(a: Float64Array, rows: number, cols: number): Float64Array {
  const out = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    for (let j = i; j < rows; j++) {
      let sum = 0;
      for (let c = 0; c <= i; c++) sum += a[i * cols + c] * a[j * cols + c];
      out[i * rows + j] = sum;
    }
  }
  return out;
}

/** The variances of one table of normal columns of equal variance, scaled to add up to `total`. */
export function whiteSpectrum(m: number, d: number, total: number, rng: Random): Float64Array {
  const [small, large] = [Math.min(m, d), Math.max(m, d)];
  const diagonal = new Float64Array(small);
  const offDiagonal = new Float64Array(small);
  let trace = 0;
  let below = 0;
  for (let i = 0; i < small; i++) {
    const chi = 2 * gamma((large - i) / 2, rng);
    diagonal[i] = chi + below;
    trace += diagonal[i];
    if (i === small - 1) break;
    below = 2 * gamma((small - 1 - i) / 2, rng);
    offDiagonal[i] = Math.sqrt(chi * below);
  }
  const found = runTaskSync(tridiagonalValues(diagonal, offDiagonal));
  return Float64Array.from(found, ({ value }) => (value * total) / trace);
}

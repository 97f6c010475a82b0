import { type Random, random, tridiagonalValues } from '@scree/core/linalg';
import { runTaskSync } from '@scree/core/pipeline';
import { gamma } from '../../statistics/gamma.js';
import { type Evidence, total } from '../criteria/criterion.js';

/** A function that draws the variances of a table of independent normal columns: see `criteria/parallel.ts`. */
export function normalSpectra(
  n: number,
  columnVariances: Float64Array,
  withoutMatrix: boolean,
  evidence: Evidence,
): () => Float64Array | Promise<Float64Array> {
  const rng = random(evidence.options.seed);
  const sum = total(columnVariances);
  return () =>
    withoutMatrix
      ? whiteSpectrum(n - 1, columnVariances.length, sum, rng)
      : independentSpectrum(n - 1, columnVariances, rng, evidence);
}

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

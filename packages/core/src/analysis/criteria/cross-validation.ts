import { random } from '../../linalg/random.js';
import { eigenFlops } from '../../linalg/symmetric-eigen.js';
import { type CriterionMethod, components, doesNotApply, type Evidence, smallest } from './criterion.js';

/** Most components that are compared. */
const MOST = 100;
/** Operations beyond which wide tables are left out. */
const TOO_MANY_OPERATIONS = 2e11;
/** A column that is its own component is not predicted by the others: 1 − h below this is 0. */
const ALONE = 1e-9;

/**
 * Cross-validation of single entries: the "eigenvector" method of Bro, Kjeldahl, Smilde & Kiers (2008).
 *
 * The rows are divided at random into groups. For each group, mean and components V (d × k) come from the rows of the other groups; then
 * entry j of each row x of the group is predicted from the other entries of that row, by least squares on the components:
 * x̂ⱼ = vⱼᵀ(V₋ⱼᵀV₋ⱼ)⁻¹V₋ⱼᵀx₋ⱼ. The entry is used neither for the components nor for the scores of its row, so nothing leaks; the
 * scales of columns alone come from all rows. Its error has a closed form, eⱼ/(1 − hⱼ) with e = x − VVᵀx and h = diag(VVᵀ), so that
 *
 *   error(k) = 1/(nd)·Σ_groups Σⱼ [(I − VVᵀ)S(I − VVᵀ)]ⱼⱼ/(1 − hⱼ)²,  S the scatter of the group about the mean of the others:
 *
 * moments of the groups are all it needs, one pass over the rows, and all k cost O(d³) per group. Where there are fewer rows than
 * columns, V comes from the products of rows (the dual problem), and the rows must be in memory. Weakness: with few columns, least squares
 * from those that are left is noisy, and weak components are left out.
 */
export const crossValidation: CriterionMethod = {
  name: 'cross-validation',
  title: 'cross-validation',
  about: 'mean squared error of entries that are left out, for k = 0, 1, 2, …',
  needs: ['folds'],
  requires: ['centered', 'unweighted'],
  compute: async (evidence) => {
    const { n, columnVariances, folds, rows } = evidence;
    const d = columnVariances?.length ?? 0;
    if (n < 4 || d < 2) return doesNotApply('Cross-validation needs at least 4 rows and 2 columns that vary.');
    if (!folds && evidence.options.folds * n * n * d > TOO_MANY_OPERATIONS)
      return doesNotApply(`Cross-validation of ${n} × ${d} numbers takes long and was left out. Use fewer columns.`);
    const errors = folds
      ? await errorsByMoments(folds, d, evidence)
      : await errorsByRows(rows as Float64Array, n, d, evidence);
    const values = errors.map((error) => error / (n * d));
    const k = smallest(values);
    const gain = values[0] > 0 ? 1 - values[k] / values[0] : 0;
    return {
      k,
      values,
      sentence:
        k === 0
          ? 'Entries that are left out are predicted best by the means of their columns: components make the error larger.'
          : `Entries that are left out are predicted best with ${components(k)}: the squared error is ${Number((100 * gain).toPrecision(3))} % smaller than that of the column means.`,
    };
  },
};

/** Σ of squared errors for k = 0, 1, …, of groups of rows that are known by their moments. */
async function errorsByMoments(
  folds: NonNullable<Evidence['folds']>,
  d: number,
  { engine, progress }: Evidence,
): Promise<number[]> {
  const n = folds.reduce((sum, { rows }) => sum + rows, 0);
  const most = Math.min(MOST, d - 1, ...folds.map(({ rows }) => n - rows - 1));
  const errors = new Array<number>(most + 1).fill(0);
  progress.begin('cross-validation', folds.length * (eigenFlops(d, most) + 4 * most * d * d));
  for (const fold of folds) {
    const others = mergeFolds(
      folds.filter((other) => other !== fold),
      d,
    );
    const { vectors } = await engine.symmetricEigen(others.scatter, d, most, (flops) => progress.step(flops));
    // S, and then (I − VVᵀ)S(I − VVᵀ), one component at a time.
    const s = fold.scatter.slice();
    const delta = fold.mean.map((mean, j) => mean - others.mean[j]);
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) s[i * d + j] += fold.rows * delta[i] * delta[j];
    const total = Float64Array.from({ length: d }, (_, j) => s[j * d + j]);
    const h = new Float64Array(d);
    const image = new Float64Array(d);
    for (let k = 0; k <= most; k++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += h[j] > 1 - ALONE ? total[j] : Math.max(0, s[j * d + j]) / (1 - h[j]) ** 2;
      errors[k] += sum;
      if (k === most) break;
      const v = vectors.subarray(k * d, (k + 1) * d);
      let energy = 0;
      for (let i = 0; i < d; i++) {
        let product = 0;
        for (let j = 0; j < d; j++) product += s[i * d + j] * v[j];
        image[i] = product;
        energy += product * v[i];
        h[i] += v[i] * v[i];
      }
      for (let i = 0; i < d; i++) {
        for (let j = 0; j < d; j++) s[i * d + j] += v[i] * (energy * v[j] - image[j]) - image[i] * v[j];
      }
      const pause = progress.step(4 * d * d);
      if (pause) await pause;
    }
  }
  progress.end();
  return errors;
}

/** The moments of several groups together (Chan, Golub & LeVeque 1983). */
function mergeFolds(folds: NonNullable<Evidence['folds']>, d: number): { mean: Float64Array; scatter: Float64Array } {
  const mean = new Float64Array(d);
  const scatter = new Float64Array(d * d);
  let rows = 0;
  for (const fold of folds) {
    const weight = (rows * fold.rows) / (rows + fold.rows);
    const delta = fold.mean.map((value, j) => value - mean[j]);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) scatter[i * d + j] += fold.scatter[i * d + j] + weight * delta[i] * delta[j];
    }
    rows += fold.rows;
    for (let j = 0; j < d; j++) mean[j] += (delta[j] * fold.rows) / rows;
  }
  return { mean, scatter };
}

/** The same from the rows, for fewer rows than columns: components from the products of the other rows. */
async function errorsByRows(
  rows: Float64Array,
  n: number,
  d: number,
  { engine, progress, options }: Evidence,
): Promise<number[]> {
  const groups: number[][] = Array.from({ length: Math.min(n, options.folds) }, () => []);
  const next = groupNumbers(groups.length, options.seed);
  for (let i = 0; i < n; i++) groups[next()].push(i);
  const largest = Math.max(...groups.map((group) => group.length));
  const most = Math.min(MOST, d - 1, n - largest - 1);
  const errors = new Array<number>(most + 1).fill(0);
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  progress.begin('cross-validation', groups.length);
  for (const group of groups) {
    const out = new Set(group);
    const others = Array.from({ length: n }, (_, i) => i).filter((i) => !out.has(i));
    const m = others.length;
    const train = new Float64Array(m * d);
    const mean = new Float64Array(d);
    others.forEach((from, to) => {
      train.set(rows.subarray(from * d, (from + 1) * d), to * d);
      for (let j = 0; j < d; j++) mean[j] += rows[from * d + j] / m;
    });
    const frame = { shift: mean, factor: new Float64Array(d).fill(1) };
    const products = new Float64Array(m * m);
    const v = new Float64Array(most * d);
    const block = await engine.load({ kind: 'dense', rows: m, cols: d, stride: d, data: train });
    let found = 0;
    try {
      await block.dual(frame, block, frame, { products, size: m, row: 0, column: 0 }, onStep);
      const { values, vectors } = await engine.symmetricEigen(products, m, most, onStep);
      while (found < most && values[found] > 1e-12 * values[0]) found++;
      const scores = new Float64Array(m * found);
      for (let c = 0; c < found; c++) {
        for (let i = 0; i < m; i++) scores[i * found + c] = vectors[c * m + i] / Math.sqrt(values[c]);
      }
      await block.multiplyTransposed(frame, scores, found, v, onStep);
    } finally {
      block.release();
    }
    const h = new Float64Array(d);
    const rest = group.map((i) => Float64Array.from({ length: d }, (_, j) => rows[i * d + j] - mean[j]));
    const whole = rest.map((row) => row.slice());
    for (let k = 0; k <= most; k++) {
      let sum = 0;
      rest.forEach((row, r) => {
        for (let j = 0; j < d; j++) {
          const error = h[j] > 1 - ALONE ? whole[r][j] : row[j] / (1 - h[j]);
          sum += error * error;
        }
      });
      errors[k] += sum;
      if (k >= found) continue;
      const axis = v.subarray(k * d, (k + 1) * d);
      for (const row of rest) {
        let score = 0;
        for (let j = 0; j < d; j++) score += row[j] * axis[j];
        for (let j = 0; j < d; j++) row[j] -= score * axis[j];
      }
      for (let j = 0; j < d; j++) h[j] += axis[j] * axis[j];
      const pause = progress.yieldToEventLoop();
      if (pause) await pause;
    }
    await progress.step(1);
  }
  progress.end();
  return errors;
}

/** Numbers of groups for one row after the other: every run of `count` rows has one of each, in random order. */
export function groupNumbers(count: number, seed: number): () => number {
  const { uniform } = random(seed);
  const order = Array.from({ length: count }, (_, i) => i);
  let at = count;
  return () => {
    if (at === count) {
      at = 0;
      for (let i = count - 1; i > 0; i--) {
        const other = Math.floor(uniform() * (i + 1));
        [order[i], order[other]] = [order[other], order[i]];
      }
    }
    return order[at++];
  };
}

import { axpy, eigenFlops, random, rowProducts } from '@scree/core/linalg';
import { type CriterionMethod, components, doesNotApply, type Evidence } from './criterion.js';

/** Most components that are compared. */
const MOST = 100;
/** How many more components are compared with a number that may be enough. */
const AHEAD = 3;
/** Operations beyond which wide tables are left out. */
const TOO_MANY_OPERATIONS = 2e11;
/** A column that is its own component is not predicted by the others: 1 − h below this is 0. */
const ALONE = 1e-9;

/**
 * Cross-validation of single entries, without leaks (after the "eigenvector" method of Bro, Kjeldahl, Smilde & Kiers 2008).
 *
 * The rows are divided at random into groups. For each group, mean, components V and variances λ come from the rows of the other
 * groups; then every entry xⱼ of each row of the group is predicted from the other entries of that row, by probabilistic PCA with k
 * components (Tipping & Bishop 1999): the conditional mean under Σ = V(Λ − vI)Vᵀ + vI, v the mean of the variances left out. So an
 * entry is used neither for the components nor for its own prediction; only the scales of columns come from all rows. With weights
 * wᵢ = (λᵢ − v)/λᵢ its error has a closed form, [Σ⁻¹x]ⱼ/[Σ⁻¹]ⱼⱼ = eⱼ/(1 − hⱼ), e = x − Σᵢ≤ₖ wᵢvᵢvᵢᵀx, hⱼ = Σᵢ≤ₖ wᵢvᵢⱼ². Hence
 *
 *   error(k) = 1/(nd)·Σ_groups Σⱼ [(I − VWVᵀ)S(I − VWVᵀ)]ⱼⱼ/(1 − hⱼ)²,  S the scatter of the group about the mean of the others:
 *
 * moments of the groups are all it needs, one pass over the rows. Where there are fewer rows than columns, V comes from the products of
 * rows (the dual problem), and the rows must be in memory.
 *
 * Chosen is the smallest k such that none of k + 1, k + 2 and k + 3 has an error lower by more than one standard error of the difference, over the
 * groups (the rule of Breiman, Friedman, Olshen & Stone 1984). Three, since of factors of equal strength one alone may predict little.
 * Weakness: where noise is not equal in all columns, components that carry single columns predict too, and more are kept.
 */
export const crossValidation: CriterionMethod = {
  name: 'cross-validation',
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
    const values = errors[0].map((_, k) => errors.reduce((sum, group) => sum + group[k], 0) / (n * d));
    let k = 0;
    for (let next = k + 1; next < values.length && next <= k + AHEAD; ) {
      if (isBetter(errors, next, k)) k = next;
      next = Math.max(next, k) + 1;
    }
    const gain = values[0] > 0 ? 1 - values[k] / values[0] : 0;
    return {
      k,
      values,
      sentence:
        k === 0
          ? 'Entries that are left out are not predicted better with components than by the means of their columns.'
          : `The mean squared error of entries that are left out is ${Number((100 * gain).toPrecision(3))} % smaller if ${components(k)} ${k === 1 ? 'predicts' : 'predict'} them than if the column means do${k === values.length - 1 ? `; no more than ${k} can be compared` : ', and more do not clearly reduce it'}.`,
    };
  },
};

/** Whether the error with `more` components is lower than with `k`, by more than the standard error over the groups. */
function isBetter(errors: readonly (readonly number[])[], more: number, k: number): boolean {
  const gains = errors.map((group) => group[k] - group[more]);
  const sum = gains.reduce((total, value) => total + value, 0);
  const square = gains.reduce((total, value) => total + (value - sum / gains.length) ** 2, 0);
  return sum > Math.sqrt((square * gains.length) / (gains.length - 1));
}

/** Weights (λ − v)/λ of the first k components, v the mean of the other d − k variances. */
function shrinkage(values: Float64Array, k: number, d: number): Float64Array {
  let left = 0;
  for (let i = k; i < Math.min(d, values.length); i++) left += Math.max(0, values[i]);
  const v = left / (d - k);
  return Float64Array.from({ length: k }, (_, i) => (values[i] > v ? 1 - v / values[i] : 0));
}

/** Σ of squared errors per group for k = 0, 1, …, of groups of rows that are known by their moments. */
async function errorsByMoments(
  folds: NonNullable<Evidence['folds']>,
  d: number,
  { engine, progress }: Evidence,
): Promise<number[][]> {
  const n = folds.reduce((sum, { rows }) => sum + rows, 0);
  const most = Math.min(MOST, d - 1, ...folds.map(({ rows }) => n - rows - 1));
  const errors: number[][] = [];
  progress.begin('cross-validation', folds.length * (eigenFlops(d, most) + 2 * most * d * d + (d * most ** 3) / 3));
  for (const fold of folds) {
    const others = mergeFolds(
      folds.filter((other) => other !== fold),
      d,
    );
    const { values, vectors } = await engine.symmetricEigen(others.scatter, d, most, (flops) => progress.step(flops));
    const s = fold.scatter.slice();
    const delta = fold.mean.map((mean, j) => mean - others.mean[j]);
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) s[i * d + j] += fold.rows * delta[i] * delta[j];
    const images = rowProducts(vectors, most, s, d, d);
    const between = rowProducts(images, most, vectors, most, d);
    await progress.step(2 * most * d * d);
    const own: number[] = [];
    for (let k = 0; k <= most; k++) {
      const w = shrinkage(values, k, d);
      let sum = 0;
      for (let j = 0; j < d; j++) {
        let h = 0;
        let square = s[j * d + j];
        for (let i = 0; i < k; i++) {
          const weighted = w[i] * vectors[i * d + j];
          let inner = 0;
          for (let l = 0; l < k; l++) inner += between[i * most + l] * w[l] * vectors[l * d + j];
          h += weighted * vectors[i * d + j];
          square += weighted * (inner - 2 * images[i * d + j]);
        }
        sum += h > 1 - ALONE ? s[j * d + j] : Math.max(0, square) / (1 - h) ** 2;
      }
      own.push(sum);
      const pause = progress.step(d * k * k);
      if (pause) await pause;
    }
    errors.push(own);
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
): Promise<number[][]> {
  const groups: number[][] = Array.from({ length: Math.min(n, options.folds) }, () => []);
  const next = groupNumbers(groups.length, options.seed);
  for (let i = 0; i < n; i++) groups[next()].push(i);
  const largest = Math.max(...groups.map((group) => group.length));
  const most = Math.min(MOST, d - 1, n - largest - 1);
  const errors: number[][] = [];
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
    let variances: Float64Array = products;
    try {
      await block.dual(frame, block, frame, { products, size: m, row: 0, column: 0 }, onStep);
      const { values, vectors } = await engine.symmetricEigen(products, m, most, onStep);
      variances = values;
      while (found < most && values[found] > 1e-12 * values[0]) found++;
      const scores = new Float64Array(m * found);
      for (let c = 0; c < found; c++) {
        for (let i = 0; i < m; i++) scores[i * found + c] = vectors[c * m + i] / Math.sqrt(values[c]);
      }
      await block.multiplyTransposed(frame, scores, found, v, onStep);
    } finally {
      block.release();
    }
    const whole = group.map((i) => Float64Array.from({ length: d }, (_, j) => rows[i * d + j] - mean[j]));
    const scores = whole.map((row) => rowProducts(v, found, row, 1, d));
    const own: number[] = [];
    for (let k = 0; k <= most; k++) {
      const used = Math.min(k, found);
      const w = shrinkage(variances, used, d);
      const h = new Float64Array(d);
      for (let c = 0; c < used; c++) for (let j = 0; j < d; j++) h[j] += w[c] * v[c * d + j] ** 2;
      let sum = 0;
      whole.forEach((row, r) => {
        const rest = row.slice();
        for (let c = 0; c < used; c++) axpy(-w[c] * scores[r][c], v, c * d, rest, 0, d);
        for (let j = 0; j < d; j++) sum += (h[j] > 1 - ALONE ? row[j] : rest[j] / (1 - h[j])) ** 2;
      });
      own.push(sum);
      const pause = progress.yieldToEventLoop();
      if (pause) await pause;
    }
    errors.push(own);
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

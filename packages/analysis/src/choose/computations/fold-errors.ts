import { axpy, eigenFlops, random, rowProducts } from '@scree/core/linalg';
import type { Evidence } from '../criteria/criterion.js';

/** Squared errors of entries that are left out, for `criteria/cross-validation.ts`, which has the formulas. */

/** Most components that are compared. */
const MOST = 100;
/** 1 − h below this is 0: the column is its own component, and the others do not predict it. */
const ALONE = 1e-9;

/** Weights (λ − v)/λ of the first k components, v the mean of the other d − k variances. */
function shrinkage(values: Float64Array, k: number, d: number): Float64Array {
  let left = 0;
  for (let i = k; i < Math.min(d, values.length); i++) left += Math.max(0, values[i]);
  const v = left / (d - k);
  return Float64Array.from({ length: k }, (_, i) => (values[i] > v ? 1 - v / values[i] : 0));
}

/** Σ of squared errors per group for k = 0, 1, …, from the moments of groups of rows. */
export async function errorsByMoments(
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

/** The same from the rows, if there are fewer rows than columns. Components come from the products of the other rows. */
export async function errorsByRows(
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
    const scaler = { shift: mean, factor: new Float64Array(d).fill(1) };
    const products = new Float64Array(m * m);
    const v = new Float64Array(most * d);
    const block = await engine.load({ kind: 'dense', rows: m, cols: d, stride: d, data: train });
    let found = 0;
    let variances: Float64Array = products;
    try {
      await block.dual(scaler, block, scaler, { products, size: m, row: 0, column: 0 }, onStep);
      const { values, vectors } = await engine.symmetricEigen(products, m, most, onStep);
      variances = values;
      while (found < most && values[found] > 1e-12 * values[0]) found++;
      const scores = new Float64Array(m * found);
      for (let c = 0; c < found; c++) {
        for (let i = 0; i < m; i++) scores[i * found + c] = vectors[c * m + i] / Math.sqrt(values[c]);
      }
      await block.multiplyTransposed(scaler, scores, found, v, onStep);
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

/** A function that returns the group of each next row: every `count` rows in sequence have one row of each group, in random order. */
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

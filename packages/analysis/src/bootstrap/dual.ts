import type { Engine } from '@scree/core';
import type { Scaler } from '@scree/core/data';
import { norm, orthonormalise, random, scale } from '@scree/core/linalg';
import type { ProgressTracker } from '@scree/core/pipeline';
import type { ReplicateOptions, Replicates } from './replicate.js';
import { NO_VARIANCE } from './replicate-summary.js';
import type { WideReplicate, WideRows } from './wide-rows.js';

/** Replicates whose components are computed together, in one pass over the rows. */
const TOGETHER = 16;

/**
 * Replicates of tables with fewer rows than columns, in the space of the rows (Fisher, Caffo, Schwartz & Zipunnikov 2016). With K = YYᵀ
 * of the sample, a replicate with weights w and W = Σw has K_b = D(K − a1ᵀ − 1aᵀ + c)D, D = √(w/(W − ddof)), a = Kw/W, c = wᵀa/W. Its n
 * × n problem is reduced to the rows that were drawn, about 63 %. If a replicate has its own scale (`scale: 'unit'`), its K is computed
 * too.
 */
export async function* replicatesByDual(
  rows: WideRows,
  options: ReplicateOptions,
  ownScale: boolean,
  engine: Engine,
  progress: ProgressTracker,
): Replicates {
  const { k, replicates } = options;
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const plain = unweighted(rows.replicate(0));
  const shared = ownScale ? undefined : await productsOf(rows, plain, onStep);
  let axes: Float64Array | undefined;
  let scores: Float64Array | undefined;
  for (let from = 0; from <= replicates; ) {
    // The sample comes first: the replicates are compared with it.
    const count = from === 0 || ownScale ? 1 : Math.min(TOGETHER, replicates + 1 - from);
    const some = Array.from({ length: count }, (_, i) => rows.replicate(from + i));
    const solved: Solved[] = [];
    for (const replicate of some) {
      solved.push(await solveProducts(rows, replicate, shared, options, engine, onStep));
    }
    const scaler = ownScale ? some[0].scaler : plain.scaler;
    const vectors = await componentsOf(rows, scaler, solved, k, ownScale, progress);
    if (axes && (ownScale || !scores)) scores = await scoresOf(rows, scaler, axes, k, onStep);
    for (let i = 0; i < count; i++) {
      const { columns, deviations, total } = some[i];
      const { values } = solved[i];
      const along = scores ? variancesAlongSample(scores, solved[i].roots, k, ownScale, options.center) : values;
      axes ??= vectors[i];
      yield { mean: columns.mean, scale: columns.scale, values, total, vectors: vectors[i], deviations, along };
    }
    from += count;
  }
}

/** Eigenvalues, and eigenvectors over the rows that were drawn. */
interface Solved {
  readonly values: Float64Array;
  readonly drawn: Int32Array;
  readonly vectors: Float64Array;
  readonly roots: Float64Array;
}

async function solveProducts(
  rows: WideRows,
  replicate: WideReplicate,
  shared: Float64Array | undefined,
  { k, center }: ReplicateOptions,
  engine: Engine,
  onStep: () => void | Promise<void>,
): Promise<Solved> {
  const roots = replicate.scaler.rootWeights;
  const drawn = Int32Array.from(roots.keys()).filter((i) => roots[i] > 0);
  const matrix = shared
    ? replicateProducts(shared, rows.n, drawn, roots, replicate.columns.divisor, center)
    : selected(await productsOf(rows, replicate, onStep), rows.n, drawn);
  const found = await engine.symmetricEigen(matrix, drawn.length, Math.min(k, drawn.length), onStep);
  const values = Float64Array.from({ length: k }, (_, i) => Math.max(0, found.values[i] ?? 0));
  return { values, drawn, vectors: found.vectors, roots };
}

/** The same rows without their weights. */
function unweighted(replicate: WideReplicate): WideReplicate {
  const { scaler } = replicate;
  return { ...replicate, scaler: { ...scaler, rootWeights: new Float64Array(scaler.rootWeights.length).fill(1) } };
}

/** BBᵀ, upper triangle, n × n. */
async function productsOf(
  { block, n }: WideRows,
  { scaler }: WideReplicate,
  onStep: () => void | Promise<void>,
): Promise<Float64Array> {
  const into = { products: new Float64Array(n * n), size: n, row: 0, column: 0 };
  await block.dual(scaler, block, scaler, into, onStep);
  return into.products;
}

/** The upper triangle of the drawn rows and columns of an upper triangle. */
function selected(products: Float64Array, n: number, drawn: Int32Array): Float64Array {
  const m = drawn.length;
  const out = new Float64Array(m * m);
  for (let i = 0; i < m; i++) for (let j = i; j < m; j++) out[i * m + j] = products[drawn[i] * n + drawn[j]];
  return out;
}

/** K_b of the rows that were drawn, upper triangle. */
function replicateProducts(
  shared: Float64Array,
  n: number,
  drawn: Int32Array,
  roots: Float64Array,
  divisor: number,
  center: boolean,
): Float64Array {
  const m = drawn.length;
  const out = selected(shared, n, drawn);
  const weights = Float64Array.from(drawn, (i) => roots[i] * roots[i] * divisor);
  const sum = weights.reduce((sum, weight) => sum + weight, 0);
  const means = new Float64Array(m);
  let centre = 0;
  if (center) {
    for (let i = 0; i < m; i++) {
      means[i] += weights[i] * out[i * m + i];
      for (let j = i + 1; j < m; j++) {
        means[i] += weights[j] * out[i * m + j];
        means[j] += weights[i] * out[i * m + j];
      }
    }
    for (let i = 0; i < m; i++) {
      means[i] /= sum;
      centre += (weights[i] * means[i]) / sum;
    }
  }
  for (let i = 0; i < m; i++) {
    for (let j = i; j < m; j++) {
      out[i * m + j] = (out[i * m + j] - means[i] - means[j] + centre) * roots[drawn[i]] * roots[drawn[j]];
    }
  }
  return out;
}

/**
 * From eigenvectors u of K_b to components v = Bᵀu/‖Bᵀu‖, for several replicates in one pass over the sample's rows. The weights become
 * part of u. The means need not be subtracted, because u is orthogonal to √w if its eigenvalue is not 0.
 */
async function componentsOf(
  rows: WideRows,
  scaler: Scaler,
  solved: readonly Solved[],
  k: number,
  weighted: boolean,
  progress: ProgressTracker,
): Promise<Float64Array[]> {
  const { n, d, block } = rows;
  const width = k * solved.length;
  const coordinates = new Float64Array(n * width);
  solved.forEach(({ drawn, vectors, roots }, s) => {
    const m = drawn.length;
    for (let c = 0; c < Math.min(k, m); c++) {
      for (let i = 0; i < m; i++) {
        coordinates[drawn[i] * width + s * k + c] = vectors[c * m + i] * (weighted ? 1 : roots[drawn[i]]);
      }
    }
  });
  const all = new Float64Array(width * d);
  await block.multiplyTransposed(scaler, coordinates, width, all, () => progress.yieldToEventLoop());
  const components: Float64Array[] = [];
  for (const [s, { values }] of solved.entries()) {
    const vectors = all.slice(s * k * d, (s + 1) * k * d);
    const rank = values.filter((value) => value > NO_VARIANCE * values[0]).length;
    for (let c = 0; c < rank; c++) scale(1 / norm(vectors, c * d, d), vectors, c * d, d);
    // Components without variance get any orthogonal direction.
    vectors.fill(0, rank * d);
    if (rank < k) await progress.follow(orthonormalise(vectors, k, d, random(0)));
    components.push(vectors);
  }
  return components;
}

/** Bu for k rows u: n × k. */
async function scoresOf(
  { block, n }: WideRows,
  scaler: Scaler,
  axes: Float64Array,
  k: number,
  onStep: () => void | Promise<void>,
): Promise<Float64Array> {
  const scores = new Float64Array(n * k);
  await block.multiply(scaler, axes, k, scores, onStep);
  return scores;
}

/**
 * The replicate's variance along the sample's axes, from the scores of the rows. `framed` scores have the replicate's weights and mean
 * already.
 */
function variancesAlongSample(
  scores: Float64Array,
  roots: Float64Array,
  k: number,
  framed: boolean,
  center: boolean,
): Float64Array {
  const out = new Float64Array(k);
  if (framed) {
    for (let at = 0; at < scores.length; at++) out[at % k] += scores[at] * scores[at];
    return out;
  }
  const weight = roots.reduce((sum, root) => sum + root * root, 0);
  const means = new Float64Array(k);
  if (center) {
    for (let at = 0; at < scores.length; at++) means[at % k] += (roots[Math.floor(at / k)] ** 2 * scores[at]) / weight;
  }
  for (let at = 0; at < scores.length; at++) {
    out[at % k] += roots[Math.floor(at / k)] ** 2 * (scores[at] - means[at % k]) ** 2;
  }
  return out;
}

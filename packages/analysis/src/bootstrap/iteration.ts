import type { Engine } from '@scree/core';
import { dot, random } from '@scree/core/linalg';
import { KrylovSpace, type ProgressTracker, residualNorms } from '@scree/core/pipeline';
import type { Replicate, ReplicateOptions, Replicates } from './replicate.js';
import type { WideReplicate, WideRows } from './wide-rows.js';

/** Additional vectors: they speed up convergence, and show the next component. */
const EXTRA = 6;
/**
 * A replicate's axes have converged if their residuals are this share of the residuals of the sample's axes in the replicate. The error
 * of an axis is its residual over the gap to its neighbours, so it is at most a thousandth of the distance between the sample's axis
 * and the replicate's.
 */
const SHARE_OF_SAMPLING = 1e-3;
/** The residual, relative to the first variance, that is always small enough. The sample's own axes must reach it. */
const SAMPLE_TOLERANCE = 1e-10;
/** Most blocks of a space. Then it restarts from its best vectors. */
const MOST_BLOCKS = 20;
const MOST_RESTARTS = 50;
/**
 * Vectors of all replicates of a group, which share passes over the rows. A pass with few vectors takes about as long as one with many,
 * because it reads and converts all rows.
 */
const GROUP_VECTORS = 128;
/** Numbers that the scores and the spaces of a group may take: 256 MB each. */
const GROUP_NUMBERS = 1 << 25;

/**
 * Few components of replicates of wide data: block Lanczos, started from the sample's components. Products with a replicate's
 * covariance matrix are passes over the rows, so no matrix of d × d numbers is formed.
 */
export async function* replicatesByIteration(
  rows: WideRows,
  options: ReplicateOptions,
  engine: Engine,
  progress: ProgressTracker,
): Replicates {
  const { n, d } = rows;
  const { k, replicates } = options;
  const width = Math.min(d, k + EXTRA);
  const most = Math.min(GROUP_VECTORS / width, GROUP_NUMBERS / (n * width), GROUP_NUMBERS / (MOST_BLOCKS * d * width));
  const size = Math.max(1, Math.floor(most));
  const [sample] = await iterateGroup(rows, [0], k, width, undefined, engine, progress);
  yield sample.replicate;
  for (let from = 1; from <= replicates; from += size) {
    const numbers = Array.from({ length: Math.min(size, replicates + 1 - from) }, (_, i) => from + i);
    const found = await iterateGroup(rows, numbers, k, width, sample.leading, engine, progress);
    for (const { replicate } of found) yield replicate;
  }
}

interface Found {
  readonly replicate: Replicate;
  readonly leading: Float64Array;
}

/** Vectors to be multiplied by a replicate's covariance matrix. */
interface Vectors {
  readonly vectors: Float64Array;
  readonly count: number;
}

/** Iterates several replicates, with one pass for the vectors of all replicates that have not converged. */
async function iterateGroup(
  rows: WideRows,
  numbers: readonly number[],
  k: number,
  width: number,
  start: Float64Array | undefined,
  engine: Engine,
  progress: ProgressTracker,
): Promise<Found[]> {
  const found: Found[] = [];
  const all = numbers.map((number, at) => {
    const replicate = rows.replicate(number);
    return {
      at,
      replicate,
      steps: iterate(rows.d, replicate, { k, width, start, seed: rows.startSeed + number, engine, progress }),
    };
  });
  try {
    let active: ((typeof all)[0] & { asked: Vectors; image?: Float64Array })[] = [];
    const advance = async (each: (typeof all)[0], image: Float64Array): Promise<typeof active> => {
      const step = await each.steps.next(image);
      if (!step.done) return [{ ...each, asked: step.value }];
      found[each.at] = step.value;
      return [];
    };
    // The first call has no vectors to multiply yet.
    for (const each of all) active.push(...(await advance(each, new Float64Array(0))));
    while (active.length > 0) {
      const images = await multiplyAll(rows, active, progress);
      const next: typeof active = [];
      for (const [i, each] of active.entries()) next.push(...(await advance(each, images[i])));
      active = next;
    }
    return found;
  } finally {
    // Releases all spaces after an error, too.
    for (const { steps } of all) await steps.return(undefined as never);
  }
}

/**
 * V·C_b of several replicates b, in one pass with all vectors. A row of replicate b is (a − δ_b)∘g_b, with a the scaled row of the
 * sample. So with U = V∘g_b, the scores of row i are y = Ua − Uδ_b, and the product is g_b∘(Σ wᵢyaᵀ − (Σ wᵢy)δ_bᵀ).
 */
async function multiplyAll(
  { block, n, d, scaler }: WideRows,
  asked: readonly { readonly replicate: WideReplicate; readonly asked: Vectors }[],
  progress: ProgressTracker,
): Promise<Float64Array[]> {
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const total = asked.reduce((sum, each) => sum + each.asked.count, 0);
  const all = new Float64Array(total * d);
  const parts: { first: number; count: number; factor: Float64Array; shift: Float64Array; weights: Float64Array }[] =
    [];
  let first = 0;
  for (const { replicate, asked: own } of asked) {
    const { shift, factor, rootWeights } = replicate.scaler;
    const relative = factor.map((value, j) => (scaler.factor[j] === 0 ? 0 : value / scaler.factor[j]));
    const moved = scaler.factor.map((value, j) => (shift[j] - scaler.shift[j]) * value);
    for (let r = 0; r < own.count; r++)
      for (let j = 0; j < d; j++) all[(first + r) * d + j] = own.vectors[r * d + j] * relative[j];
    parts.push({ first, count: own.count, factor: relative, shift: moved, weights: rootWeights });
    first += own.count;
  }
  const scores = new Float64Array(n * total);
  await block.multiply(scaler, all, total, scores, onStep);
  const sums = new Float64Array(total);
  for (const { first, count, shift, weights } of parts) {
    for (let r = first; r < first + count; r++) {
      const offset = dot(all, r * d, shift, 0, d);
      for (let i = 0, at = r; i < n; i++, at += total) {
        scores[at] = (scores[at] - offset) * weights[i] ** 2;
        sums[r] += scores[at];
      }
    }
  }
  all.fill(0);
  await block.multiplyTransposed(scaler, scores, total, all, onStep);
  return parts.map(({ first, count, factor, shift }) => {
    const image = all.slice(first * d, (first + count) * d);
    for (let r = 0; r < count; r++)
      for (let j = 0; j < d; j++) image[r * d + j] = factor[j] * (image[r * d + j] - sums[first + r] * shift[j]);
    return image;
  });
}

interface IterationOptions {
  readonly k: number;
  /** Vectors of a block. */
  readonly width: number;
  /** Start vectors; undefined for random ones. */
  readonly start: Float64Array | undefined;
  readonly seed: number;
  readonly engine: Engine;
  readonly progress: ProgressTracker;
}

/** Iterates one replicate: yields vectors, and receives their products with its covariance matrix, until its components have converged. */
async function* iterate(
  d: number,
  { columns, deviations, total }: WideReplicate,
  { k, width, start, seed, engine, progress }: IterationOptions,
): AsyncGenerator<Vectors, Found, Float64Array> {
  const space = new KrylovSpace(d, random(seed), engine);
  try {
    await space.append(width, progress, start);
    let allowed = new Float64Array(k);
    let along = new Float64Array(k);
    for (let blocks = 1, restarts = 0; ; blocks++) {
      const image = yield { vectors: space.lastBlock(), count: space.lastCount };
      if (start && blocks === 1 && restarts === 0) {
        along = Float64Array.from({ length: k }, (_, i) => dot(image, i * d, start, i * d, d));
        allowed = residualNorms(image.slice(), start, along, k, d).map((residual) => SHARE_OF_SAMPLING * residual);
      }
      await space.expand(image, progress);
      const whole = space.size >= d;
      const crowded = blocks >= MOST_BLOCKS;
      // The sample's own axes take longer, and with many blocks the test costs more than a pass.
      const ritz = await space.ritz(progress, () => Math.min(space.size, width));
      const least = SAMPLE_TOLERANCE * ritz.values[0];
      const done = Array.from({ length: k }, (_, i) => ritz.residuals[i] <= Math.max(allowed[i], least)).every(Boolean);
      if (done || whole || restarts > MOST_RESTARTS) {
        const leading = await space.vectors(ritz, Math.min(space.size, width), progress);
        const values = ritz.values.slice(0, k).map((value) => Math.max(0, value));
        const { mean, scale } = columns;
        const vectors = leading.slice(0, k * d);
        return {
          replicate: { mean, scale, values, total, vectors, deviations, along: start ? along : values },
          leading,
        };
      }
      if (crowded) {
        await space.restart(Math.min(3 * width, space.size), progress);
        blocks = 0;
        restarts++;
      }
      await space.append(Math.min(space.lastCount, d - space.size), progress);
    }
  } finally {
    space.release();
  }
}

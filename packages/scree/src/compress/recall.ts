import { DataError, type Engine, type Matrix, type NumberArray, OptionError, type RowSource } from '@scree/core';
import type { Block } from '@scree/core/data';
import { decodeHalf, identityScaler } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';
import { evenBlocks } from './even-blocks.js';
import { productEngine } from './products.js';

/** Options of `neighbourRecall`. */
export interface RecallOptions {
  /** Size of the random sample in which neighbours are searched. Default 5000, or all rows. */
  readonly sample?: number | undefined;
  /** Number of sampled rows whose neighbours are searched. Default 500. */
  readonly queries?: number | undefined;
  /** The distance. Default `'cosine'`, the usual one for embeddings. */
  readonly metric?: 'cosine' | 'euclidean' | undefined;
  /** Seed of the sample. Default 0. */
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number | undefined;
}

/** The share of nearest neighbours that other vectors of the same rows keep. */
export interface Recall {
  /** Share of the ten nearest rows that are still among the ten nearest: 0 to 1. */
  readonly recall: number;
  readonly queries: number;
  /** Rows of the sample. */
  readonly sample: number;
  /** Number of neighbours: 10, or all other rows if there are fewer. */
  readonly neighbours: number;
  readonly metric: 'cosine' | 'euclidean';
  /** Numbers per row of the original, and numbers per vector: fewer if the vectors are scores. */
  readonly cols: number;
  readonly vectorCols: number;
}

const NEIGHBOURS = 10;
/** Limit for the numbers in a sample: 256 MB as float32. */
const LARGEST_SAMPLE = 1 << 26;
/** Queries whose products with all rows are in memory at a time. */
const QUERIES = 128;
/** Rows that are searched at a time. */
const CHUNK = 1024;

type Rows = RowSource | Matrix<NumberArray>;

/**
 * Recall of the ten nearest neighbours. For each queried row: the share of its ten nearest rows in the original that are also among its ten
 * nearest by the vectors. The result is the average. `vectors` represent the rows, in the same order: rows that were reconstructed (a .scree file), or
 * reduced vectors, such as the scores in an index. With the cosine, these two differ: scores are centred, and reconstructions
 * contain the mean. With the Euclidean distance they have the same recall, up to rounding.
 *
 * Both searches are exact. The query is the row itself, or its vector. Rows as near as the tenth count as neighbours, so
 * duplicates do not lower the result. Both sources are read once, and the same rows are sampled from both. Cost 4·queries·sample·d.
 */
export async function neighbourRecall(original: Rows, vectors: Rows, options: RecallOptions = {}): Promise<Recall> {
  const { sample = 5000, queries = 500, metric = 'cosine', seed = 0 } = options;
  for (const [option, value] of [
    ['sample', sample],
    ['queries', queries],
  ] as const) {
    if (!(Number.isSafeInteger(value) && value >= 1))
      throw new OptionError('BAD_OPTION', `${option} must be a whole number from 1 up, not ${value}.`, {
        option,
        value,
      });
  }
  if (metric !== 'cosine' && metric !== 'euclidean')
    throw new OptionError('BAD_OPTION', `metric must be 'cosine' or 'euclidean', not ${JSON.stringify(metric)}.`, {
      option: 'metric',
      value: metric,
    });
  const progress = new ProgressTracker(options);
  const engine = await productEngine(options.threads);
  const size = Math.max(2, Math.min(sample, Math.floor(LARGEST_SAMPLE / original.cols)));
  const [before, after] = [await draw(original, size, seed, progress), await draw(vectors, size, seed, progress)];
  if (before.seen !== after.seen || before.cols < after.cols) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `The original is ${before.seen} × ${before.cols}, and its vectors are ${after.seen} × ${after.cols}. Pass first the original, then one vector per row, as long as its row or shorter.`,
    );
  }
  const { rows } = before;
  if (rows < 2) throw new DataError('TOO_FEW_ROWS', 'A single row has no neighbours. Compare two rows or more.');
  const queried = Math.min(queries, rows);
  const neighbours = Math.min(NEIGHBOURS, rows - 1);
  let hits = 0;
  for (let from = 0; from < queried; from += QUERIES) {
    const to = Math.min(queried, from + QUERIES);
    const [was, is] = [
      await nearness(before, from, to, metric, engine, progress),
      await nearness(after, from, to, metric, engine, progress),
    ];
    for (let q = 0; q < to - from; q++) {
      const own = was.subarray(q * rows, (q + 1) * rows);
      const least = own[nearest(own, from + q, neighbours)[neighbours - 1]];
      for (const row of nearest(is.subarray(q * rows, (q + 1) * rows), from + q, neighbours)) {
        if (own[row] >= least) hits++;
      }
    }
  }
  return {
    recall: hits / (queried * neighbours),
    queries: queried,
    sample: rows,
    neighbours,
    metric,
    cols: before.cols,
    vectorCols: after.cols,
  };
}

/** @deprecated The earlier name of `neighbourRecall`. */
export const recallAtTen = neighbourRecall;

interface Sample {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
  /** Number of rows that the sample was drawn from. */
  readonly seen: number;
}

/** Reservoir sampling (Vitter) in one pass. The sample depends only on the seed and the number of rows. */
async function draw(from: Rows, size: number, seed: number, progress: ProgressTracker): Promise<Sample> {
  const source = 'blocks' in from ? from : matrixSource(from);
  const { cols } = source;
  const uniform = random(seed);
  let data = new Float32Array(Math.min(size, source.rows ?? size) * cols);
  let seen = 0;
  for await (const block of evenBlocks(source, Math.max(1, Math.floor((1 << 20) / cols)), progress)) {
    for (let i = 0; i < block.rows; i++, seen++) {
      const place = seen < size ? seen : Math.floor(uniform() * (seen + 1));
      if (place >= size) continue;
      if ((place + 1) * cols > data.length) {
        const grown = new Float32Array(size * cols);
        grown.set(data);
        data = grown;
      }
      const row = block.data.subarray(i * block.stride, i * block.stride + cols);
      data.set(block.half ? decodeHalf(row) : row, place * cols);
    }
    const pause = progress.yieldToEventLoop();
    if (pause) await pause;
  }
  return { data, rows: Math.min(seen, size), cols, seen };
}

function matrixSource({ rows, cols, stride = cols, data, dtype }: Matrix<NumberArray>): RowSource {
  const block: Block = { kind: 'dense', rows, cols, stride, data, half: dtype === 'float16' };
  return { rows, cols, dtype: 'float32', rereadable: true, resident: true, blocks: () => [block] };
}

/**
 * The nearness of every row to the queries, which are the rows from…to−1. Larger is nearer: ⟨q, x⟩/‖x‖ for cosine, and ⟨q, x⟩ − ‖x‖²/2 for
 * Euclidean distance. Only the order matters. One row of the result per query.
 */
async function nearness(
  { data, rows, cols }: Sample,
  from: number,
  to: number,
  metric: 'cosine' | 'euclidean',
  engine: Engine,
  progress: ProgressTracker,
): Promise<Float64Array> {
  const count = to - from;
  const vectors = Float64Array.from(data.subarray(from * cols, to * cols));
  const frame = identityScaler(cols);
  const out = new Float64Array(count * rows);
  for (let first = 0; first < rows; first += CHUNK) {
    const some = Math.min(CHUNK, rows - first);
    const part = data.subarray(first * cols, (first + some) * cols);
    const loaded = await engine.load({ kind: 'dense', rows: some, cols, stride: cols, data: part });
    const products = new Float64Array(some * count);
    try {
      await loaded.multiply(frame, vectors, count, products, () => progress.yieldToEventLoop());
    } finally {
      loaded.release();
    }
    for (let i = 0; i < some; i++) {
      let square = 0;
      for (let j = i * cols; j < (i + 1) * cols; j++) square += part[j] * part[j];
      const [factor, less] = metric === 'euclidean' ? [1, square / 2] : [square > 0 ? 1 / Math.sqrt(square) : 0, 0];
      for (let q = 0; q < count; q++) out[q * rows + first + i] = products[i * count + q] * factor - less;
    }
  }
  return out;
}

/** The indexes of the largest values, largest first, without the row itself. */
function nearest(values: Float64Array, own: number, count: number): number[] {
  const best: number[] = [];
  for (let i = 0; i < values.length; i++) {
    if (i === own || (best.length === count && !(values[i] > values[best[count - 1]]))) continue;
    let at = best.length === count ? count - 1 : best.length;
    while (at > 0 && values[i] > values[best[at - 1]]) {
      best[at] = best[at - 1];
      at--;
    }
    best[at] = i;
  }
  return best;
}

/** mulberry32 (public domain). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

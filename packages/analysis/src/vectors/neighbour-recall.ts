import { DataError, type Matrix, type NumberArray, OptionError, type RowSource } from '@scree/core';
import { openSource } from '@scree/core/data';
import { ProgressTracker } from '@scree/core/pipeline';
import { NeighbourSearch, type Neighbours } from './exact-neighbours.js';
import { FamilyCounter } from './measure.js';
import { VectorProducts } from './products.js';
import { type RowChunk, rowChunks } from './row-chunks.js';
import { looseRows, querySet } from './sample-queries.js';

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
/** Queries whose products with the rows are in memory at a time. */
const QUERIES = 128;

type Rows = RowSource | Matrix<NumberArray>;

/**
 * Recall of the ten nearest neighbours. For each queried row: the share of its ten nearest rows in the original that are also among its ten
 * nearest by the vectors. The result is the average. `vectors` represent the rows, in the same order: rows that were reconstructed (a .scree file), or
 * reduced vectors, such as the scores in an index. With the cosine, these two differ: scores are centred, and reconstructions
 * contain the mean. With the Euclidean distance they have the same recall, up to rounding.
 *
 * All rows of the sample are compared, by the search of `reduceVectors`. The query is the row itself, or its vector. Rows as near as the tenth
 * count as neighbours, so duplicates do not lower the result. Both sources are read once, as float32, and the same rows are sampled from both.
 * Cost 4·queries·sample·d.
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
  const products = await VectorProducts.open(options.threads, progress);
  let hits = 0;
  for (let from = 0; from < queried; from += QUERIES) {
    const own = Int32Array.from({ length: Math.min(QUERIES, queried - from) }, (_, q) => from + q);
    const search = new NeighbourSearch(
      queriesOf(before, own),
      metric === 'cosine' ? metric : 'l2',
      neighbours,
      products,
    );
    for await (const chunk of rowChunks(before.source, progress)) await search.add(chunk);
    hits += await found(after, own, search.neighbours, { metric, at: neighbours, products, progress });
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

interface SearchTools {
  readonly metric: 'cosine' | 'euclidean';
  readonly at: number;
  readonly products: VectorProducts;
  readonly progress: ProgressTracker;
}

/** How many of the neighbours are among the nearest by the vectors of the sample. */
async function found(
  sample: Sample,
  own: Int32Array,
  neighbours: readonly Neighbours[],
  { metric, ...tools }: SearchTools,
): Promise<number> {
  const { cols, rows, data, source } = sample;
  const all = { data, places: new Map(Array.from({ length: rows }, (_, row) => [row, row])) };
  const set = querySet(queriesOf(sample, own), neighbours, all, 0, own.length);
  const search = metric === 'cosine' ? metric : 'l2';
  const family = { reduction: 'first', store: 'float32', center: false, whiten: false, search } as const;
  const numbers = async (chunk: RowChunk): Promise<Float32Array> => chunk.data;
  const counter = await FamilyCounter.open(family, [cols], numbers, tools, set);
  for await (const chunk of rowChunks(source, tools.progress)) await counter.add(chunk);
  return [...counter.found().values()].flat().reduce((sum, { first }) => sum + first, 0);
}

function queriesOf({ data, cols: d }: Sample, own: Int32Array) {
  const rows = data.subarray(own[0] * d, (own[own.length - 1] + 1) * d);
  return { data: rows, count: own.length, d, own };
}

interface Sample {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
  readonly source: RowSource;
  /** Number of rows that the sample was drawn from. */
  readonly seen: number;
}

/** Reservoir sampling (Vitter) in one pass. The sample depends only on the seed and the number of rows. */
async function draw(from: Rows, size: number, seed: number, progress: ProgressTracker): Promise<Sample> {
  const source = await openSource(from, progress);
  const { cols } = source;
  const uniform = mulberry(seed);
  let data = new Float32Array(Math.min(size, source.rows ?? size) * cols);
  let seen = 0;
  for await (const chunk of rowChunks(source, progress)) {
    for (let i = 0; i < chunk.rows; i++, seen++) {
      const place = seen < size ? seen : Math.floor(uniform() * (seen + 1));
      if (place >= size) continue;
      if ((place + 1) * cols > data.length) {
        const grown = new Float32Array(size * cols);
        grown.set(data);
        data = grown;
      }
      data.set(chunk.data.subarray(i * cols, (i + 1) * cols), place * cols);
    }
  }
  const rows = Math.min(seen, size);
  data = data.subarray(0, rows * cols);
  return { data, rows, cols, seen, source: sampleSource(looseRows(data, cols), cols) };
}

function sampleSource({ rows, data }: RowChunk, cols: number): RowSource {
  const block = { kind: 'dense' as const, rows, cols, stride: cols, data };
  return { rows, cols, dtype: 'float32', rereadable: true, resident: true, blocks: () => [block] };
}

/** mulberry32 (public domain). */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

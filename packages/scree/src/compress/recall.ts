import {
  type Block,
  DataError,
  type Engine,
  type Matrix,
  type NumberArray,
  OptionError,
  type RowSource,
} from '@scree/core';
import { decodeHalf, identityFrame, ProgressTracker } from '@scree/core/engine';
import { evenBlocks } from './even-blocks.js';
import { productEngine } from './products.js';

export interface RecallOptions {
  /** Rows among which neighbours are looked for, drawn at random. Default 5000, or all there are. */
  readonly sample?: number | undefined;
  /** How many of them ask for their neighbours. Default 500. */
  readonly queries?: number | undefined;
  /** What near means. Default `'cosine'`, as embeddings are compared. */
  readonly metric?: 'cosine' | 'euclidean' | undefined;
  /** Of the drawing. Default 0. */
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly threads?: number | undefined;
}

export interface Recall {
  /** How many of the ten nearest rows are still among the ten nearest: 0 to 1. */
  readonly recall: number;
  readonly queries: number;
  /** Rows of the sample. */
  readonly sample: number;
  /** Neighbours looked for: 10, or all others where there are fewer. */
  readonly neighbours: number;
  readonly metric: 'cosine' | 'euclidean';
}

const NEIGHBOURS = 10;
/** Numbers of a sample at most: 256 MB as float32. */
const LARGEST_SAMPLE = 1 << 26;
/** Queries whose products with all rows are in memory at a time. */
const QUERIES = 128;
/** Rows looked through at a time. */
const CHUNK = 1024;

type Rows = RowSource | Matrix<NumberArray>;

/**
 * Recall of the ten nearest neighbours: what share of a row's exact neighbours among the original rows it has among the
 * reconstructed ones, on average. Both are searched exactly, each row with its own reconstruction. A row as near as the
 * tenth counts as a neighbour, so that rows that are there twice cost nothing.
 *
 * Both are read once; the same rows are drawn from both. Cost 4·queries·sample·d.
 */
export async function recallAtTen(original: Rows, reconstructed: Rows, options: RecallOptions = {}): Promise<Recall> {
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
  const [before, after] = [await draw(original, size, seed, progress), await draw(reconstructed, size, seed, progress)];
  if (before.cols !== after.cols || before.seen !== after.seen) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `The original is ${before.seen} × ${before.cols}, the reconstruction ${after.seen} × ${after.cols}. Compare data of one shape.`,
    );
  }
  const { rows } = before;
  if (rows < 2) throw new DataError('TOO_FEW_ROWS', 'A single row has no neighbours. Compare two rows or more.');
  const asking = Math.min(queries, rows);
  const neighbours = Math.min(NEIGHBOURS, rows - 1);
  let hits = 0;
  for (let from = 0; from < asking; from += QUERIES) {
    const to = Math.min(asking, from + QUERIES);
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
  return { recall: hits / (asking * neighbours), queries: asking, sample: rows, neighbours, metric };
}

interface Sample {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
  /** Rows it was drawn from. */
  readonly seen: number;
}

/** Draws rows in one reading (Vitter's reservoir). Which ones depends on the seed and the number of rows, and nothing else. */
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
 * How near every row is to rows from…to−1, larger is nearer: ⟨q, x⟩/‖x‖ for the angle, and ⟨q, x⟩ − ‖x‖²/2 for the
 * distance, of which only the order counts. Query by query.
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
  const frame = identityFrame(cols);
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

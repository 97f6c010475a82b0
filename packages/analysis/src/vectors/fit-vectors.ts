import { type Matrix, type Model, pca, type RowSource } from '@scree/core';
import type { ProgressTracker } from '@scree/core/pipeline';
import type { ScoreFacts } from './candidates.js';
import type { VectorProducts } from './products.js';
import { firstNumbers } from './query/encode-vector.js';
import { roundComponents } from './query/exact-products.js';
import type { ReduceSettings } from './reduce-options.js';
import { type RowChunk, rowChunks } from './row-chunks.js';
import type { OpenVectors } from './sample-queries.js';

/** Numbers of training rows that are copied into memory for the fit. */
const COPIED_NUMBERS = 1 << 23;

/** The rows that the components are fitted to: all but the queries, and of length 1 if the metric is the cosine. */
function trainingRows(
  { source, n }: OpenVectors,
  without: ReadonlySet<number>,
  cosine: boolean,
  progress: ProgressTracker,
): RowSource {
  const d = source.cols;
  async function* blocks() {
    for await (const { first, rows, data, squares } of rowChunks(source, progress)) {
      const out = new Float32Array(rows * d);
      let kept = 0;
      for (let i = 0; i < rows; i++) {
        if (without.has(first + i)) continue;
        const rule = { k: d, metric: cosine ? 'cosine' : 'l2' } as const;
        firstNumbers(data, i * d, squares[i], rule, out, kept * d);
        kept++;
      }
      if (kept > 0) yield { kind: 'dense' as const, rows: kept, cols: d, stride: d, data: out.subarray(0, kept * d) };
    }
  }
  return { rows: n - without.size, cols: d, dtype: 'float32', rereadable: true, resident: false, blocks };
}

/** Fits k components, once: models of fewer components are its first ones. */
export async function fitVectors(
  vectors: OpenVectors,
  without: ReadonlySet<number>,
  k: number,
  center: boolean,
  { metric, threads, signal, onProgress, seed }: ReduceSettings,
  progress: ProgressTracker,
): Promise<Model> {
  const source = trainingRows(vectors, without, metric === 'cosine', progress);
  const small = vectors.n * source.cols <= COPIED_NUMBERS;
  return pca(small ? await inMemory(source) : source, { k, center, seed, threads, signal, onProgress });
}

async function inMemory(source: RowSource): Promise<Matrix> {
  const data = new Float32Array((source.rows as number) * source.cols);
  let at = 0;
  for await (const block of source.blocks()) {
    data.set(block.data, at);
    at += block.data.length;
  }
  return { rows: source.rows as number, cols: source.cols, data };
}

/** Centred scores of rows by float32 products, to measure many candidates. Stored vectors are computed by `BatchEncoder`. */
export class ApproximateScores {
  readonly #components: Float32Array;
  readonly #facts: ScoreFacts;
  readonly #products: VectorProducts;
  readonly #cosine: boolean;
  readonly #kept = new Map<number, Float32Array>();
  /** Scores of rows without a position, such as queries, which every family asks for. */
  readonly #loose = new WeakMap<RowChunk, Float32Array>();
  #room: number;

  /** `room` is the number of bytes that scores of rows may take that are kept for the next reading. */
  constructor(components: Float32Array, facts: ScoreFacts, products: VectorProducts, cosine: boolean, room: number) {
    this.#components = components;
    this.#facts = facts;
    this.#products = products;
    this.#cosine = cosine;
    this.#room = room;
  }

  /** One row of scores per row of the chunk. The result must not be changed. */
  async of(chunk: RowChunk): Promise<Float32Array> {
    const { first, rows, data, squares } = chunk;
    const kept = first < 0 ? this.#loose.get(chunk) : this.#kept.get(first);
    if (kept) return kept;
    const { mean } = this.#facts;
    const k = mean.length;
    const d = data.length / rows;
    const sums = this.#products.scratch(0, rows * k);
    const range = { stride: d, left: 0, right: d };
    await this.#products.between({ data, rows, ...range }, { data: this.#components, rows: k, ...range }, sums);
    const out = new Float32Array(rows * k);
    for (let i = 0, at = 0; i < rows; i++) {
      const factor = !this.#cosine ? 1 : squares[i] > 0 ? 1 / Math.sqrt(squares[i]) : 0;
      for (let c = 0; c < k; c++, at++) out[at] = sums[at] * factor - mean[c];
    }
    if (first < 0) this.#loose.set(chunk, out);
    else if (out.byteLength <= this.#room) {
      this.#room -= out.byteLength;
      this.#kept.set(first, out);
    }
    return out;
  }
}

/** The components as rows and queries use them, the scores of the mean, and 1/√λ. */
export function scoreFacts(model: Model, center: boolean): ScoreFacts & { readonly components: Float32Array } {
  const { rows: k, cols: d, data } = model.components;
  const components = roundComponents(data);
  const mean = new Float64Array(k);
  if (center) for (let c = 0; c < k; c++) for (let j = 0; j < d; j++) mean[c] += components[c * d + j] * model.mean[j];
  const weights = Float64Array.from(model.variances, (variance) => (variance > 0 ? 1 / Math.sqrt(variance) : 0));
  return { components, mean, weights };
}

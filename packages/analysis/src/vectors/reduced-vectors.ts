import type { Model } from '@scree/core';
import { withText } from '@scree/core/data';
import { candidateBytes, type Reduction, type VectorCandidate } from './candidates.js';
import { describeReduction } from './describe-reduction.js';
import type { RecallInterval } from './interval.js';
import { codeBytes, entriesOf } from './query/codes.js';
import type { QueryModel, VectorCode, VectorMetric, VectorSearch, VectorStore } from './query/query-model.js';
import { type SqlOptions, type VectorSql, vectorSql } from './vector-sql.js';
import { writeQueryModel } from './write-query-model.js';

/** A kind of stored vector that was measured on the choosing queries. */
export interface TriedVectors {
  /** `'pca'`: the first k scores. `'first'`: the first k numbers of the embedding. */
  readonly reduction: Reduction;
  readonly k: number;
  readonly store: VectorStore;
  readonly bytes: number;
  /** Share of the nearest neighbours that a search of the stored vectors finds. */
  readonly recall: number;
  /** The same if five times as many candidates are re-ranked by the embeddings. */
  readonly reranked: number;
  readonly search: VectorSearch;
  readonly center: boolean;
  readonly whiten: boolean;
  /** Number of queries it was measured with. */
  readonly queries: number;
}

/**
 * The recommendation: `'reduce'` stores components; `'truncate'` the first numbers, because components need as many bytes; `'quantise'` all numbers in a
 * smaller type; `'keep'` the embeddings as they are, because nothing smaller keeps the recall; `'below'` means that what the options demand
 * keeps less than the wanted recall.
 */
export type VectorAdvice = 'reduce' | 'truncate' | 'quantise' | 'keep' | 'below';

/** One line of a plot of bytes per vector against recall. */
export interface RecallSeries {
  readonly reduction: Reduction;
  readonly store: VectorStore;
  readonly points: readonly {
    readonly bytes: number;
    readonly k: number;
    readonly recall: number;
    readonly reranked: number;
  }[];
}

/** The queries that recall was measured with. */
export interface QueryCounts {
  readonly count: number;
  /** Queries that chose k and the type. */
  readonly choosing: number;
  /** Queries that `recall` was measured with. */
  readonly heldOut: number;
  /** True if they were drawn from the vectors, and left out of the fit. */
  readonly drawn: boolean;
}

interface Facts {
  readonly rows: number;
  readonly model: Model | undefined;
  readonly query: QueryModel;
  readonly chosen: VectorCandidate;
  readonly reached: boolean;
  readonly recall: RecallInterval;
  readonly reranked: RecallInterval;
  readonly wanted: number;
  readonly codes: VectorCode | undefined;
  readonly queries: QueryCounts;
  readonly tried: readonly {
    readonly candidate: VectorCandidate;
    readonly recall: number;
    readonly reranked: number;
    readonly queries: number;
  }[];
}

/** The result of `reduceVectors`: stored vectors, their recall, and everything that was measured. */
export class ReducedVectors {
  /** Number of vectors. */
  readonly rows: number;
  /** Numbers of an embedding. */
  readonly d: number;
  /** Numbers of a stored vector. */
  readonly k: number;
  readonly reduction: Reduction;
  readonly store: VectorStore;
  /** Bytes of a stored vector. */
  readonly bytes: number;
  readonly metric: VectorMetric;
  /** The metric by which stored vectors must be searched. */
  readonly search: VectorSearch;
  readonly center: boolean;
  readonly whiten: boolean;
  readonly advice: VectorAdvice;
  /** Recall of a search of the stored vectors, on queries that did not choose them, with its 95 % interval. */
  readonly recall: RecallInterval;
  /** The same if five times as many candidates are re-ranked by the embeddings. */
  readonly reranked: RecallInterval;
  /** The recall that was asked for. */
  readonly wanted: number;
  readonly queries: QueryCounts;
  /** Everything that was measured to choose, by bytes. */
  readonly tried: readonly TriedVectors[];
  /**
   * The stored vectors, one after the other: k numbers each, or ⌈k/8⌉ bytes for bits. Float16 are the bits of half-precision numbers. Undefined
   * if `write` received them.
   */
  readonly codes: VectorCode | undefined;
  /** The first k components, of vectors of length 1 if the metric is the cosine. Undefined if no components are used. */
  readonly model: Model | undefined;
  /** The rule by which rows were stored, for `encodeVector`. */
  readonly query: QueryModel;

  /** @internal */
  constructor({ rows, model, query, chosen, reached, recall, reranked, wanted, codes, queries, tried }: Facts) {
    const { reduction, store, k, search, center, whiten } = chosen;
    this.rows = rows;
    this.d = query.d;
    this.k = k;
    this.reduction = reduction;
    this.store = store;
    this.bytes = codeBytes(store, k);
    this.metric = query.metric;
    this.search = search;
    this.center = center;
    this.whiten = whiten;
    this.advice = adviceFor(chosen, query.d, reached);
    this.recall = recall;
    this.reranked = reranked;
    this.wanted = wanted;
    this.queries = queries;
    this.codes = codes;
    this.model = model;
    this.query = query;
    this.tried = tried
      .map(({ candidate, ...measured }) => ({ ...candidate, bytes: candidateBytes(candidate), ...measured }))
      .sort((a, b) => a.bytes - b.bytes || b.recall - a.recall);
    withText(this, () => describeReduction(this).join('\n'));
  }

  /** Bytes for `loadQueryModel`: the rule and the components as float32. */
  get queryModel(): Uint8Array {
    return writeQueryModel(this.query);
  }

  /** The stored form of vector i. */
  code(i: number): VectorCode {
    if (!this.codes || !(Number.isSafeInteger(i) && i >= 0 && i < this.rows))
      throw new RangeError(`There is no stored vector ${i} in this result.`);
    const entries = entriesOf(this.store, this.k);
    return this.codes.subarray(i * entries, (i + 1) * entries);
  }

  /** Statements for Postgres with pgvector: table, index and query. */
  sql(options?: SqlOptions): VectorSql {
    return vectorSql(this, options);
  }

  /** Bytes per vector against recall, one line per reduction and type. */
  plot(): readonly RecallSeries[] {
    const series = new Map<string, RecallSeries & { points: RecallSeries['points'][number][] }>();
    for (const { reduction, store, bytes, k, recall, reranked, whiten, center, search } of this.tried) {
      // A line needs two sizes. Variants that were not chosen have one.
      const usual =
        reduction === 'first' ||
        store === 'bit' ||
        this.tried.some((each) => isLine(each, { reduction, store, whiten, center, search }, k));
      if (!usual) continue;
      const key = `${reduction} ${store}`;
      const line = series.get(key) ?? { reduction, store, points: [] };
      line.points.push({ bytes, k, recall, reranked });
      series.set(key, line);
    }
    return [...series.values()];
  }

  /** The result without codes and components. */
  toJSON(): object {
    const { rows, d, k, store, reduction, bytes, metric, search, center, whiten, advice, recall, reranked, queries } =
      this;
    const chosen = { rows, d, k, store, reduction, bytes, metric, search, center, whiten, advice };
    return { ...chosen, recall, reranked, wanted: this.wanted, queries, tried: this.tried };
  }

  /** The recommendation, its recall, and how it was measured. `console.log` prints the same. */
  toString(): string {
    return describeReduction(this).join('\n');
  }
}

/** Returns true if a measurement at another k has the same variant. */
function isLine(
  other: TriedVectors,
  variant: Pick<TriedVectors, 'reduction' | 'store' | 'whiten' | 'center' | 'search'>,
  k: number,
): boolean {
  return (
    other.k !== k &&
    other.reduction === variant.reduction &&
    other.store === variant.store &&
    other.whiten === variant.whiten &&
    other.center === variant.center &&
    other.search === variant.search
  );
}

function adviceFor({ reduction, store, k }: VectorCandidate, d: number, reached: boolean): VectorAdvice {
  if (!reached) return 'below';
  if (reduction === 'pca') return 'reduce';
  if (k < d) return 'truncate';
  return store === 'float32' ? 'keep' : 'quantise';
}

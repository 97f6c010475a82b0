import type { Data } from '@scree/core';
import { DEFAULT_MEMORY } from '@scree/core/data';
import {
  CONTROL_OPTIONS,
  type ControlOptions,
  checkObject,
  checkOption,
  type OptionCheck,
  unknownOption,
} from '@scree/core/pipeline';
import type { CodeRule, VectorCode, VectorMetric, VectorStore } from './query/query-model.js';

/** Options of `reduceVectors`. */
export interface ReduceVectorsOptions extends ControlOptions {
  /** The share of nearest neighbours that a search of the stored vectors must return. Default 0.95. */
  readonly recall?: number | undefined;
  /** Number of nearest neighbours. Default 10. */
  readonly at?: number | undefined;
  /** How the embeddings are compared. Default `'cosine'`, which divides every vector by its length first. */
  readonly metric?: VectorMetric | undefined;
  /** Numbers per stored vector. Default: the fewest that keep the recall. */
  readonly k?: number | undefined;
  /** Subtract the mean of the vectors. `'auto'` (default) measures both for the cosine; for `'l2'` it subtracts, for `'dot'` it does not. */
  readonly center?: boolean | 'auto' | undefined;
  /** Divide the scores by their standard deviations. `'auto'` (default) measures both. */
  readonly whiten?: boolean | 'auto' | undefined;
  /** How numbers are stored. `'auto'` (default) takes the fewest bytes of float16, int8 and bit. */
  readonly store?: VectorStore | 'auto' | undefined;
  /**
   * The queries that recall is measured with: vectors, or how many vectors to draw at random. Drawn vectors are left out of the fit. Default:
   * 1,000, or a fifth of the vectors if that is less.
   */
  readonly queries?: Data | number | undefined;
  /** Seed of everything random. Default 0. */
  readonly seed?: number | undefined;
  /** Bytes that scores kept between readings may take together with other results. Default 1 GB; 3/16 of it are for them. */
  readonly memory?: number | undefined;
  /**
   * Receives the stored vectors in order, some at a time, and the rule they follow, instead of `codes` of the result: for vectors that do not
   * fit in memory.
   */
  readonly write?: ((codes: VectorCode, rows: number, rule: CodeRule) => void | Promise<void>) | undefined;
}

const choice = (...values: readonly unknown[]): OptionCheck => ({
  must: values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' or '),
  test: (value) => values.includes(value),
});
const count: OptionCheck = {
  must: 'a whole number from 1 up',
  test: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};

const OPTIONS: Record<keyof ReduceVectorsOptions, OptionCheck> = {
  ...CONTROL_OPTIONS,
  recall: { must: 'a number above 0 and up to 1', test: (v) => typeof v === 'number' && v > 0 && v <= 1 },
  at: count,
  k: count,
  metric: choice('cosine', 'dot', 'l2'),
  center: choice(true, false, 'auto'),
  whiten: choice(true, false, 'auto'),
  store: choice('float32', 'float16', 'int8', 'bit', 'auto'),
  queries: {
    must: 'vectors, or a whole number from 2 up',
    test: (v) => (typeof v === 'number' ? Number.isSafeInteger(v) && v >= 2 : typeof v === 'object' && v !== null),
  },
  seed: { must: 'a whole number', test: (v) => Number.isSafeInteger(v) },
  memory: { must: 'a number of bytes from 1 up', test: (v) => typeof v === 'number' && v >= 1 },
  write: { must: 'a function', test: (v) => typeof v === 'function' },
};

/** Options with their defaults. */
export type ReduceSettings = ReturnType<typeof checkReduceOptions>;

/** Checks the options, and fills in the defaults. */
export function checkReduceOptions(options: ReduceVectorsOptions) {
  checkObject(options);
  for (const [name, value] of Object.entries(options)) {
    const check = OPTIONS[name as keyof ReduceVectorsOptions];
    if (!check) throw unknownOption(name, Object.keys(OPTIONS));
    if (value !== undefined) checkOption(name, value, check);
  }
  const { recall = 0.95, at = 10, metric = 'cosine', center = 'auto', whiten = 'auto', store = 'auto' } = options;
  const { seed = 0, memory = DEFAULT_MEMORY, k, queries, write, threads, signal, onProgress } = options;
  return { recall, at, metric, center, whiten, store, seed, memory, k, queries, write, threads, signal, onProgress };
}

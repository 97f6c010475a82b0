/** `@scree/analysis/vectors`: embeddings for a vector index: fewer numbers, smaller types, and what a search of them still finds. */
export type { Reduction } from './candidates.js';
export { shareText, storedKind } from './describe-reduction.js';
export * from './encode-vector.js';
export type { RecallInterval } from './interval.js';
export { neighbourRecall, type Recall, type RecallOptions } from './neighbour-recall.js';
export type { ReduceVectorsOptions } from './reduce-options.js';
export { reduceVectors } from './reduce-vectors.js';
export {
  type QueryCounts,
  type RecallSeries,
  ReducedVectors,
  type TriedVectors,
  type VectorAdvice,
} from './reduced-vectors.js';
export { type SqlOptions, type SqlVectors, type VectorSql, vectorSql } from './vector-sql.js';

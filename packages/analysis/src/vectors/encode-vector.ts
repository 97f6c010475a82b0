/**
 * `@scree/analysis/encode-vector`: the query side of reduced vectors, for servers, Workers and pages. It imports nothing else and has less
 * than 10 kB of code.
 */
export { encodeVector, vectorText } from './query/encode-vector.js';
export { loadQueryModel, type QueryModelOptions } from './query/load-query-model.js';
export type { CodeRule, QueryModel, VectorCode, VectorMetric, VectorSearch, VectorStore } from './query/query-model.js';

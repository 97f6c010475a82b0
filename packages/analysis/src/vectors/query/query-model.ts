/** How vectors are compared: by angle, by inner product, or by Euclidean distance. */
export type VectorMetric = 'cosine' | 'dot' | 'l2';

/** The type in which an index stores each number of a vector. */
export type VectorStore = 'float32' | 'float16' | 'int8' | 'bit';

/** How an index must compare stored vectors: the metric of its search. `'hamming'` is for bits. */
export type VectorSearch = VectorMetric | 'hamming';

/** Stored numbers: float32, the bits of half-precision numbers, integers from −127 to 127, or eight signs per byte. */
export type VectorCode = Float32Array | Uint16Array | Int8Array | Uint8Array;

/** The rule that makes a stored vector of an embedding. Rows and queries follow the same rule. */
export interface CodeRule {
  /** Numbers of an embedding, and numbers of a stored vector. */
  readonly d: number;
  readonly k: number;
  /** The metric of the embeddings. */
  readonly metric: VectorMetric;
  readonly store: VectorStore;
  /** The metric by which stored vectors must be searched. */
  readonly search: VectorSearch;
  /** The value of one step of int8. Other stores have step 1. */
  readonly step: number;
}

/** A rule with its components, as `loadQueryModel` returns it. */
export interface QueryModel extends CodeRule {
  /** k × d, row-major: multiples of 2^-24. Undefined if the stored vector is the first k numbers of the embedding. */
  readonly components: Float32Array | undefined;
  /** k numbers that are subtracted from the products with the components: the scores of the mean. */
  readonly offset: Float64Array;
  /** k numbers that the scores are multiplied by, 1/√λ. Undefined if the model is not whitened. */
  readonly weights: Float64Array | undefined;
}

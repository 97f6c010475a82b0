/** Largest square matrix anything here allocates: 16384² float64 are 2 GB. */
export const LARGEST_SQUARE = 16384;

/** Most columns data may have: more cannot be indexed by the integers that sparse data are stored with. */
export const MOST_COLUMNS = 2 ** 31 - 1;

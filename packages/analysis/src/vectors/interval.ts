/** A measured recall with its 95 % interval. */
export interface RecallInterval {
  /** Share of the nearest neighbours that a search of the stored vectors returns: 0 to 1. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Number of neighbours. */
  readonly at: number;
}

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** Mean and standard error of shares, one per query. */
export function meanOf(shares: readonly number[]): { readonly mean: number; readonly error: number } {
  const n = shares.length;
  const mean = shares.reduce((sum, share) => sum + share, 0) / n;
  const squares = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0);
  return { mean, error: n > 1 ? Math.sqrt(squares / (n - 1) / n) : 0.5 };
}

/**
 * Wilson's interval (1927) for a mean of shares. The neighbours of one query are not independent, so the number of trials is the one whose
 * binomial variance p(1 − p)/m is the measured variance of the mean, but at least the number of queries. Unlike mean ± 2 errors, it
 * stays within 0 and 1, and is not empty if all queries have recall 1.
 */
export function recallInterval(shares: readonly number[], at: number): RecallInterval {
  const { mean: p, error } = meanOf(shares);
  const effective = error > 0 ? (p * (1 - p)) / (error * error) : 0;
  const m = Math.max(shares.length, Math.min(effective, shares.length * at));
  const centre = (p + (Z * Z) / (2 * m)) / (1 + (Z * Z) / m);
  const half = (Z / (1 + (Z * Z) / m)) * Math.sqrt((p * (1 - p)) / m + (Z * Z) / (4 * m * m));
  return { value: p, low: Math.max(0, Math.min(p, centre - half)), high: Math.min(1, Math.max(p, centre + half)), at };
}

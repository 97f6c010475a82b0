import type { RowSource } from '@scree/core';

/** A column, compared between rows with and without gaps. */
export interface GapDifference {
  readonly name: string;
  /** Mean of the values that are there, of rows with gaps and of complete rows. */
  readonly withGaps: number;
  readonly complete: number;
  /** Their difference, divided by the standard deviation of all values. */
  readonly standardised: number;
}

/** What is missing in a table, before anything is filled in. */
export interface GapSummary {
  readonly rows: number;
  readonly rowsWithGaps: number;
  readonly values: number;
  /** Missing values, as a share of all. */
  readonly share: number;
  /** Different sets of missing columns among rows with gaps; at most `MOST_PATTERNS` are counted. */
  readonly patterns: number;
  readonly columns: readonly { readonly name: string; readonly missing: number }[];
  /** How rows with gaps differ from complete rows, the largest difference first. Empty if there are fewer than two rows of either kind. */
  readonly differences: readonly GapDifference[];
}

/** Patterns that are counted. */
const MOST_PATTERNS = 10_000;

/** Sums of one column over one kind of rows. */
interface Sums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
}

/** Reads the rows once: what is missing, and whether rows with gaps differ. Missing values are NaN. */
export async function gapSummary(source: RowSource, names: readonly string[]): Promise<GapSummary> {
  const { cols } = source;
  const missing = new Float64Array(cols);
  const first = new Float64Array(cols).fill(Number.NaN);
  const squares = new Float64Array(cols);
  const kinds: readonly Sums[] = [0, 1].map(() => ({ count: new Float64Array(cols), sum: new Float64Array(cols) }));
  const patterns = new Set<string>();
  let [rows, rowsWithGaps] = [0, 0];
  for await (const block of source.blocks()) {
    rows += block.rows;
    if (block.kind === 'sparse' || block.half) continue;
    const { data, stride } = block;
    for (let i = 0; i < block.rows; i++) {
      const gaps: number[] = [];
      for (let j = 0; j < cols; j++) if (Number.isNaN(data[i * stride + j])) gaps.push(j);
      for (const j of gaps) missing[j]++;
      if (gaps.length > 0) {
        rowsWithGaps++;
        if (patterns.size < MOST_PATTERNS) patterns.add(gaps.join());
      }
      const { count, sum } = kinds[gaps.length > 0 ? 1 : 0];
      for (let j = 0; j < cols; j++) {
        const value = data[i * stride + j];
        if (Number.isNaN(value)) continue;
        if (Number.isNaN(first[j])) first[j] = value;
        // Sums are about the first value, so that data far from zero lose no digits.
        const x = value - first[j];
        count[j]++;
        sum[j] += x;
        squares[j] += x * x;
      }
    }
  }
  const [complete, gappy] = kinds;
  const differences = Array.from({ length: cols }, (_, j): GapDifference => {
    const [n, total] = [complete.count[j] + gappy.count[j], complete.sum[j] + gappy.sum[j]];
    const deviation = Math.sqrt(Math.max(0, squares[j] - (total * total) / n) / (n - 1));
    const [a, b] = [gappy.sum[j] / gappy.count[j], complete.sum[j] / complete.count[j]];
    const standardised = deviation > 0 ? (a - b) / deviation : 0;
    return { name: names[j], withGaps: first[j] + a, complete: first[j] + b, standardised };
  }).filter((each, j) => gappy.count[j] >= 2 && complete.count[j] >= 2 && Number.isFinite(each.standardised));
  const values = missing.reduce((sum, count) => sum + count, 0);
  return {
    ...{ rows, rowsWithGaps, values, share: rows > 0 ? values / (rows * cols) : 0, patterns: patterns.size },
    columns: Array.from(missing, (count, j) => ({ name: names[j], missing: count })),
    differences: differences.sort((a, b) => Math.abs(b.standardised) - Math.abs(a.standardised)),
  };
}

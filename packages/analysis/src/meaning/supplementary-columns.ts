import { correlationPValue } from './significance.js';

/** A numeric column that was not fitted; each list has one entry per component. */
export interface SupplementaryColumn {
  readonly name?: string;
  /** The sum of the weights of rows with a value. */
  readonly n: number;
  /** Correlation of the column with the scores, over the rows with a value. NaN for a constant column. */
  readonly correlation: readonly number[];
  readonly cos2: readonly number[];
  /** Two-sided p-value of each correlation, not corrected for their number. */
  readonly pValue: readonly number[];
}

/**
 * Correlations of columns q with scores z, row by row in one pass: with W = Σw including the row and δ its deviation from the means
 * before it, means += (w/W)·δ and each sum of products grows by w·(1 − w/W)·δqδz (Welford 1962, West 1979). NaN is a missing value, so
 * each column has its own means of the scores.
 */
export class ColumnCorrelations {
  readonly #columns: number;
  readonly #k: number;
  readonly #weight: Float64Array;
  readonly #mean: Float64Array;
  readonly #square: Float64Array;
  readonly #scoreMean: Float64Array;
  readonly #scoreSquare: Float64Array;
  readonly #product: Float64Array;

  constructor(columns: number, k: number) {
    this.#columns = columns;
    this.#k = k;
    this.#weight = new Float64Array(columns);
    this.#mean = new Float64Array(columns);
    this.#square = new Float64Array(columns);
    this.#scoreMean = new Float64Array(columns * k);
    this.#scoreSquare = new Float64Array(columns * k);
    this.#product = new Float64Array(columns * k);
  }

  /** Adds a row: `values` from `start` on, and the row's scores from `scoreStart` on. */
  add(values: Float64Array, start: number, scores: Float64Array, scoreStart: number, weight: number): void {
    if (weight === 0) return;
    for (let j = 0; j < this.#columns; j++) {
      const value = values[start + j];
      if (Number.isNaN(value)) continue;
      this.#weight[j] += weight;
      const share = weight / this.#weight[j];
      const factor = weight * (1 - share);
      const delta = value - this.#mean[j];
      this.#mean[j] += share * delta;
      this.#square[j] += factor * delta * delta;
      for (let c = 0; c < this.#k; c++) {
        const at = j * this.#k + c;
        const distance = scores[scoreStart + c] - this.#scoreMean[at];
        this.#scoreMean[at] += share * distance;
        this.#scoreSquare[at] += factor * distance * distance;
        this.#product[at] += factor * delta * distance;
      }
    }
  }

  result(names?: readonly string[]): SupplementaryColumn[] {
    return Array.from({ length: this.#columns }, (_, j) => {
      const correlation = Array.from({ length: this.#k }, (_, c) => {
        const at = j * this.#k + c;
        const r = this.#product[at] / (Math.sqrt(this.#square[j]) * Math.sqrt(this.#scoreSquare[at]));
        return r > 1 ? 1 : r < -1 ? -1 : r;
      });
      const n = this.#weight[j];
      return {
        ...(names ? { name: names[j] } : {}),
        n,
        correlation,
        cos2: correlation.map((r) => r * r),
        pValue: correlation.map((r) => correlationPValue(r, n)),
      };
    });
  }
}

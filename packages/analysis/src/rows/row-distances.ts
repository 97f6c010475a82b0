import type { Matrix, Model, NumberArray, PcaOptions } from '@scree/core';

/** The rows with the largest distances from their reconstructions. */
export interface FarthestRows {
  /** Up to 200 rows, the farthest first. */
  readonly rows: Uint32Array;
  readonly median: number;
  readonly largest: number;
}

type Control = Pick<PcaOptions, 'signal' | 'onProgress'>;

/** Rows listed with the largest distances. */
const LISTED_ROWS = 200;

/**
 * Distances of rows from their reconstructions by any number of components, for rows and scores in memory. Before numbers are squared they are divided by a unit,
 * a power of two near the largest score, because in float64 the square of 1e-200 is 0 and the square of 1e200 is infinite.
 */
export class RowDistances {
  readonly #scores: Matrix;
  readonly #unit: number;
  /** Squared distances from the reconstruction by all components. */
  readonly #errors: Float64Array;
  /** The size of squares that come from rounding alone. Smaller squares count as 0, so that rounding is neither coloured nor ranked. */
  readonly #rounding: number;

  private constructor(scores: Matrix, unit: number, errors: Float64Array, rounding: number) {
    this.#scores = scores;
    this.#unit = unit;
    this.#errors = errors;
    this.#rounding = rounding;
  }

  static async of(
    model: Model,
    matrix: Matrix<NumberArray>,
    scores: Matrix,
    control: Control = {},
  ): Promise<RowDistances> {
    const unit = unitOf(scores.data);
    const errors = await errorsIn(unit, model, matrix, scores, control);
    return new RowDistances(scores, unit, errors, roundingIn(unit, model, scores));
  }

  /** The distance grows by the scores that are left out: ‖x − x̂ₖ‖² = ‖x − x̂_K‖² + Σ z², over the components k+1 to K. */
  at(row: number, k: number): number {
    const { data, cols } = this.#scores;
    let sum = this.#errors[row];
    for (let c = k; c < cols; c++) sum += (data[row * cols + c] / this.#unit) ** 2;
    return sum > this.#rounding ? Math.sqrt(sum) * this.#unit : 0;
  }

  all(k: number): Float64Array {
    return Float64Array.from({ length: this.#scores.rows }, (_, row) => this.at(row, k));
  }

  farthest(k: number): FarthestRows {
    const distances = this.all(k);
    const sorted = distances.slice().sort();
    const n = sorted.length;
    const least = sorted[Math.max(0, n - LISTED_ROWS)];
    const rows = [...distances.keys()].filter((row) => distances[row] >= least);
    rows.sort((a, b) => distances[b] - distances[a]);
    return {
      rows: Uint32Array.from(rows.slice(0, LISTED_ROWS)),
      median: sorted[Math.min(n - 1, Math.floor(n / 2))],
      largest: sorted[n - 1],
    };
  }
}

function unitOf(scores: ArrayLike<number>): number {
  let largest = 0;
  for (let at = 0; at < scores.length; at++) largest = Math.max(largest, Math.abs(scores[at]));
  return largest > 0 && largest < Number.POSITIVE_INFINITY ? 2 ** Math.floor(Math.log2(largest)) : 1;
}

/** Squares of numbers below this unit lose digits, or are 0. */
const MIN_SQUARED_UNIT = 2 ** -400;
/** Number of rows that are reconstructed at a time. */
const ROWS = 1024;

async function errorsIn(
  unit: number,
  model: Model,
  matrix: Matrix<NumberArray>,
  scores: Matrix,
  control: Control,
): Promise<Float64Array> {
  if (unit > MIN_SQUARED_UNIT) {
    return (await model.reconstructionError(matrix, control)).map((square) => square / unit / unit);
  }
  const { data, rows, cols } = matrix;
  const errors = new Float64Array(rows);
  for (let from = 0; from < rows; from += ROWS) {
    const count = Math.min(ROWS, rows - from);
    const part = scores.data.subarray(from * model.k, (from + count) * model.k);
    const rebuilt = await model.inverseTransform({ rows: count, cols: model.k, data: part }, control);
    for (let at = 0; at < count * cols; at++) {
      const rest = (data[from * cols + at] - rebuilt.data[at]) / model.scale[at % cols] / unit;
      errors[from + Math.floor(at / cols)] += rest * rest;
    }
  }
  return errors;
}

/** The size of squares that come from rounding: subtracting a mean that is far from zero loses the last digits. */
function roundingIn(unit: number, { mean, scale }: Model, { data, rows }: Matrix): number {
  let squares = 0;
  for (let at = 0; at < data.length; at++) squares += (data[at] / unit) ** 2;
  const variance = squares / Math.max(1, rows - 1);
  const far = mean.reduce((sum, value, j) => sum + (value / scale[j] / unit) ** 2, 0);
  return Math.max(1e-20 * variance, (8 * Number.EPSILON) ** 2 * far);
}

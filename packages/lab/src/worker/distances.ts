import type { Matrix, Model, NumberArray } from '@scree/core';
import { Pace } from '@scree/core/engine';
import type { Control } from './loaded-table.js';

/**
 * Distances of rows from their reconstructions by any number of components. They are squared in a unit of their own, a power
 * of two near the largest score: squares of 1e-200 would be nothing, and those of 1e200 infinite.
 */
export class Distances {
  readonly #scores: Matrix;
  readonly #unit: number;
  /** Squared, from the reconstruction by all components. */
  readonly #errors: Float64Array;
  /** What squares are by rounding alone: less is nothing, and would only be coloured and put in order as if it were something. */
  readonly #rounding: number;

  private constructor(scores: Matrix, unit: number, errors: Float64Array, rounding: number) {
    this.#scores = scores;
    this.#unit = unit;
    this.#errors = errors;
    this.#rounding = rounding;
  }

  static async of(model: Model, matrix: Matrix<NumberArray>, scores: Matrix, control: Control): Promise<Distances> {
    const unit = unitOf(scores.data);
    const errors = await errorsIn(unit, model, matrix, scores, control);
    return new Distances(scores, unit, errors, roundingIn(unit, model, scores));
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
}

function unitOf(scores: ArrayLike<number>): number {
  let largest = 0;
  for (let at = 0; at < scores.length; at++) largest = Math.max(largest, Math.abs(scores[at]));
  return largest > 0 && largest < Number.POSITIVE_INFINITY ? 2 ** Math.floor(Math.log2(largest)) : 1;
}

/** Squares below this have lost digits, or are nothing. */
const SMALL = 2 ** -400;

async function errorsIn(
  unit: number,
  model: Model,
  matrix: Matrix<NumberArray>,
  scores: Matrix,
  control: Control,
): Promise<Float64Array> {
  if (unit > SMALL) return (await model.reconstructionError(matrix, control)).map((square) => square / unit / unit);
  const { data, rows, cols } = matrix;
  const { mean, scale, components, k } = model;
  const errors = new Float64Array(rows);
  const rest = new Float64Array(cols);
  const pace = new Pace(control);
  pace.begin('reconstruction error', rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) rest[j] = (data[i * cols + j] - mean[j]) / scale[j] / unit;
    for (let c = 0; c < k; c++) {
      const score = scores.data[i * k + c] / unit;
      for (let j = 0; j < cols; j++) rest[j] -= score * components.data[c * cols + j];
    }
    errors[i] = rest.reduce((sum, value) => sum + value * value, 0);
    const pause = pace.step(1);
    if (pause) await pause;
  }
  pace.end();
  return errors;
}

/** The mean is taken off: of numbers far from zero the last digits of their size are lost. */
function roundingIn(unit: number, { mean, scale }: Model, { data, rows }: Matrix): number {
  let squares = 0;
  for (let at = 0; at < data.length; at++) squares += (data[at] / unit) ** 2;
  const variance = squares / Math.max(1, rows - 1);
  const far = mean.reduce((sum, value, j) => sum + (value / scale[j] / unit) ** 2, 0);
  return Math.max(1e-20 * variance, (8 * Number.EPSILON) ** 2 * far);
}

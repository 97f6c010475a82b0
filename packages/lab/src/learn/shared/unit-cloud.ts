import type { Matrix } from '@scree/core';
import { type Eigen, eigenOf } from '@scree/core/learn';
import { covarianceOf } from './axes.js';

/** A cloud in units in which its largest variance is 1. The rules of the library use the same units. */
export interface UnitCloud extends Eigen {
  readonly points: Matrix<Float64Array>;
  /** Σxxᵀ/n; `values` and `vectors` are its eigenvalues and eigenvectors. */
  readonly c: Float64Array;
}

export function unitCloud({ rows, cols, data }: Matrix<Float64Array>): UnitCloud {
  const overRows = (points: Matrix<Float64Array>): Float64Array =>
    covarianceOf(points).map((value) => (value * (rows - 1)) / rows);
  const unit = Math.sqrt(eigenOf(overRows({ rows, cols, data }), cols).values[0]) || 1;
  const points = { rows, cols, data: data.map((value) => value / unit) };
  const c = overRows(points);
  return { points, c, ...eigenOf(c, cols) };
}

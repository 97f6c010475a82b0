import type { Matrix } from '@scree/core';
import { type Eigen, eigenOf, scatterOf } from '@scree/core/learn';

/** The covariance C = XᵀX/(n − 1) of centred points with few columns. */
export function covarianceOf({ rows, cols, data }: Matrix<Float64Array>): Float64Array {
  return scatterOf(data, rows, cols).map((value) => value / (rows - 1));
}

/** Variances, largest first, and principal axes of centred points. */
export function axesOf(points: Matrix<Float64Array>): Eigen {
  return eigenOf(covarianceOf(points), points.cols);
}

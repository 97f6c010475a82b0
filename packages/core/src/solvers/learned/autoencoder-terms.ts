import { isFloat64Array } from '../../base/built-in-name.js';
import { runTaskSync } from '../../base/progress.js';
import type { Matrix } from '../../data/blocks/matrix.js';
import { isMatrix } from '../../data/inputs/to-block.js';
import { DataError, describeValue } from '../../errors.js';
import { addCombination, rowProducts } from '../../linalg/row-products.js';
import { type MeanTerms, meanTerms, orthogonalityLoss } from './mean-terms.js';

/**
 * The linear autoencoder with tied weights W (k × d), its loss and its gradient.
 *
 * L_AE = ‖x − WᵀWx‖², and with y = Wx, x_rec = Wᵀy, y_rec = Wx_rec
 *
 *   ∂L_AE/∂W = 2[ y(x_rec − x)ᵀ + (y_rec − y)xᵀ ].
 *
 * L_O = ‖I − WWᵀ‖², and with W_rec = WWᵀW
 *
 *   ∂L_O/∂W = −4(W − W_rec).
 *
 * L_PCA = (1 − α)·L_AE + α·L_O.
 */
export interface AutoencoderTerms {
  /** Wx: the code. */
  readonly y: Float64Array;
  /** Wᵀy: the reconstruction. */
  readonly xRec: Float64Array;
  /** Wx_rec: the code of the reconstruction. */
  readonly yRec: Float64Array;
  /** WWᵀW (k × d). */
  readonly wRec: Float64Array;
  /** ‖x − x_rec‖². */
  readonly reconstruction: number;
  /** ‖I − WWᵀ‖². */
  readonly orthogonality: number;
  /** ∂L_AE/∂W (k × d). */
  readonly reconstructionGradient: Float64Array;
  /** ∂L_O/∂W (k × d). */
  readonly orthogonalityGradient: Float64Array;
}

/** The means of both terms over all rows and the gradient of the loss, from the covariance C = Σxxᵀ/n (d × d) of the rows. */
export function averageTerms(weights: Matrix<Float64Array>, covariance: Float64Array, alpha: number): MeanTerms {
  const { rows: k, cols: d, data } = weights;
  let trace = 0;
  for (let j = 0; j < d; j++) trace += covariance[j * d + j];
  return runTaskSync(meanTerms(data, rowProducts(data, k, covariance, d, d), trace, alpha, k, d));
}

/** All terms for one row x and weights W (k × d). */
export function autoencoderTerms(matrix: Matrix<Float64Array>, row: ArrayLike<number>): AutoencoderTerms {
  if (!isMatrix(matrix) || !isFloat64Array(matrix.data)) {
    throw new DataError(
      'BAD_DATA',
      `Weights are a matrix { rows, cols, data } of Float64Array, not ${describeValue(matrix)}.`,
    );
  }
  const { rows: k, cols: d, data: weights } = matrix;
  const x = Float64Array.from(row);
  if (x.length !== d || weights.length !== k * d) {
    const found = `W is ${k} × ${d} with ${weights.length} numbers, and the row has ${x.length}.`;
    throw new DataError('WIDTH_MISMATCH', found, { value: x.length, expected: d });
  }
  const y = rowProducts(weights, k, x, 1, d);
  const xRec = new Float64Array(d);
  addCombination(1, y, 1, weights, k, d, xRec);
  const yRec = rowProducts(weights, k, xRec, 1, d);
  const error = xRec.map((value, j) => value - x[j]);
  const reconstructionGradient = new Float64Array(k * d);
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < d; b++) reconstructionGradient[a * d + b] = 2 * (y[a] * error[b] + (yRec[a] - y[a]) * x[b]);
  }
  const p = rowProducts(weights, k, weights, k, d);
  const wRec = new Float64Array(k * d);
  addCombination(1, p, k, weights, k, d, wRec);
  return {
    y,
    xRec,
    yRec,
    wRec,
    reconstruction: error.reduce((sum, value) => sum + value * value, 0),
    orthogonality: orthogonalityLoss(p, k),
    reconstructionGradient,
    orthogonalityGradient: wRec.map((value, at) => -4 * (weights[at] - value)),
  };
}

/**
 * Applies stored models without the code that fits them, for pages and servers that only transform rows. The functions are
 * synchronous and plain JavaScript. `Model` of `@scree/core` is faster for large data, reads sparse matrices, streams and files,
 * and encodes categories.
 */
import { isFloat32Array } from './base/built-in-name.js';
import { identityScaler } from './data/blocks/block.js';
import { decoded } from './data/blocks/float16.js';
import type { GapReading } from './data/blocks/gap.js';
import type { FloatArray, NumberArray } from './data/blocks/matrix.js';
import { fitsFloat32, type Matrix } from './data/blocks/matrix.js';
import { RowMatrix, scoreNames } from './data/blocks/row-matrix.js';
import { isCoo } from './data/inputs/coo.js';
import { isRecord, type Row } from './data/inputs/row-gatherer.js';
import { asRows, denseBlock, hasNoRows, isMatrix, type MatrixLike } from './data/inputs/to-block.js';
import { notFinite } from './data/statistics/not-finite.js';
import { DataError, describeCell } from './errors.js';
import {
  checkMean,
  checkNumbers,
  checkTransform,
  checkVector,
  ORTHONORMAL,
  ORTHONORMAL_FLOAT32,
} from './model/check-numbers.js';
import { ConditionalMeans, type ConditionalScores, conditionalScores } from './model/conditional.js';
import { readOneRow } from './model/one-row.js';
import { modelError, readTransform } from './model/read-record.js';
import type { ModelRecord } from './model/record.js';
import { emptyRow, noErrorsOfZca, type ScoresWithErrors } from './model/score-errors.js';
import { type TransformRecord, transformOf } from './model/transform-record.js';

export { DataError, ModelError, ScreeError } from './errors.js';
export type { FloatArray, Matrix, ModelRecord, NumberArray, Row, RowMatrix, ScoresWithErrors };

/** A dense matrix, or a matrix with a method that returns its entries. */
export type DenseMatrix = Matrix<NumberArray> | MatrixLike;

/** A stored model as two functions. */
export interface StoredTransform {
  /** Number of components: the columns of scores. */
  readonly k: number;
  /** Number of columns that rows must have. */
  readonly d: number;
  /** The column names. Records may have further keys. */
  readonly columnNames?: readonly string[];
  /**
   * Scores of rows, as `Model.transform` computes them: z = V(x − mean)/scale, whitened if the model is whitened. Rows with missing values
   * get their expected scores, and `errors: true` adds the standard errors. For both, the whole model must be stored.
   */
  transform(data: readonly Row[] | Row | DenseMatrix, options: { readonly errors: true }): ScoresWithErrors;
  transform(data: readonly Row[] | Row | DenseMatrix, options?: { readonly errors?: false | undefined }): RowMatrix;
  /** Rows from scores, as `Model.inverseTransform` computes them: x = mean + scale·(Vᵀz). */
  inverseTransform(scores: readonly Row[] | Row | DenseMatrix): RowMatrix;
}

/**
 * Reads a stored model, JSON or binary, or components of other software: `{ components, mean, variances }`. Throws if the model
 * encodes columns: use `loadModel` for such a model.
 */
export function loadTransform(source: string | object | Uint8Array | ArrayBuffer): StoredTransform {
  const { components, mean, scale, deviations, whiten, columnNames, noise } = readModel(source);
  checkMean(mean);
  const { rows: k, cols: d, data: basis } = components;
  const scaler = { shift: mean, factor: scale.map((s) => 1 / s) };
  const width = whiten === 'zca' ? d : k;
  const names = columnNames ?? Array.from({ length: d }, (_, j) => String(j));

  /** out = Vᵀz. */
  const combine = (z: Float64Array, out: Float64Array): void => {
    out.fill(0);
    for (let c = 0; c < k; c++) for (let j = 0; j < d; j++) out[j] += z[c] * basis[c * d + j];
  };
  /** out = Vx. */
  const project = (x: Float64Array, out: Float64Array): void => {
    for (let c = 0; c < k; c++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += x[j] * basis[c * d + j];
      out[c] = sum;
    }
  };

  const whitenScores = (z: Float64Array): void => {
    if (whiten) for (let c = 0; c < k; c++) z[c] = deviations[c] > 0 ? z[c] / deviations[c] : 0;
  };
  const predictor = noise && { components, variances: deviations.map((s) => s * s), noiseVariance: noise.variance };
  const plain = { mean: new Float64Array(d), scale: new Float64Array(d).fill(1) };
  let means: ConditionalMeans | undefined;
  /** Expected scores of a scaled row, and their standard errors. */
  const estimate = (row: Float64Array, i: number): Pick<ConditionalScores, 'scores' | 'errors'> => {
    if (row.every(Number.isNaN)) throw emptyRow(i);
    if (!predictor) throw noNoise(i);
    means ??= ConditionalMeans.of(predictor);
    return conditionalScores({ ...predictor, ...plain }, row, means);
  };

  function transform(data: readonly Row[] | Row | DenseMatrix, options: { readonly errors: true }): ScoresWithErrors;
  function transform(data: readonly Row[] | Row | DenseMatrix): RowMatrix;
  function transform(
    data: readonly Row[] | Row | DenseMatrix,
    options: { readonly errors?: boolean } = {},
  ): RowMatrix | ScoresWithErrors {
    if (options.errors && whiten === 'zca') throw noErrorsOfZca();
    const z = new Float64Array(k);
    const found: Float64Array[] = [];
    const scores = eachRow(
      data,
      d,
      columnNames,
      scaler,
      whiten === 'zca' ? names : scoreNames(k),
      (row, out, i) => {
        const expected = row.some(Number.isNaN) ? estimate(row, i) : undefined;
        if (expected) z.set(expected.scores);
        else project(row, z);
        whitenScores(z);
        if (whiten === 'zca') combine(z, out);
        else out.set(z);
        if (!options.errors) return;
        const errors = expected?.errors ?? new Float64Array(k);
        whitenScores(errors);
        found.push(errors);
      },
      'with-keys',
    );
    if (!options.errors) return scores;
    const errors = new Float64Array(found.length * k);
    found.forEach((own, i) => {
      errors.set(own, i * k);
    });
    return { scores, errors: new RowMatrix(found.length, k, errors, scoreNames(k)) };
  }

  return {
    k,
    d,
    ...(columnNames ? { columnNames } : {}),
    transform,
    inverseTransform(scores) {
      const z = new Float64Array(k);
      const plain = identityScaler(width);
      const given = whiten === 'zca' ? columnNames : undefined;
      return eachRow(scores, width, given, plain, names, (row, out) => {
        if (whiten === 'zca') project(row, z);
        else z.set(row);
        if (whiten) for (let c = 0; c < k; c++) z[c] *= deviations[c];
        combine(z, out);
        for (let j = 0; j < d; j++) out[j] = out[j] * scale[j] + mean[j];
      });
    },
  };
}

/** max |VVᵀ − I|, by the definition. A model, which may have many components, measures it faster with more code. */
function defectOf(v: Float64Array, k: number, d: number): number {
  let defect = 0;
  for (let a = 0; a < k; a++) {
    for (let b = 0; b <= a; b++) {
      let product = a === b ? -1 : 0;
      for (let j = 0; j < d; j++) product += v[a * d + j] * v[b * d + j];
      defect = Math.max(defect, Math.abs(product));
    }
  }
  return defect;
}

function noNoise(row: number): DataError {
  return new DataError(
    'MISSING_VALUES',
    `Row ${row + 1} has missing values, and this file has only what complete rows need. Store the whole model with toBinary() or toJSON(): it predicts missing values.`,
    { row },
  );
}

/** Reads the transform of a stored model, and checks its numbers. Throws a `ModelError` if they are invalid. */
function readModel(source: string | object): TransformRecord & { readonly noise?: { readonly variance: number } } {
  try {
    const record = readTransform(source);
    if ('deviations' in record) {
      checkTransform(record, defectOf, record.float32 ? ORTHONORMAL_FLOAT32 : ORTHONORMAL);
      checkVector('deviations', record.deviations, record.components.rows, true);
      return record;
    }
    checkNumbers(record, defectOf);
    return { ...transformOf(record), noise: { variance: record.noiseVariance } };
  } catch (error) {
    throw modelError(error);
  }
}

/** Shifts and scales every row of `width` numbers, and applies `compute`, which makes a row with one number per name. */
function eachRow(
  data: readonly Row[] | Row | DenseMatrix,
  width: number,
  columnNames: readonly string[] | undefined,
  scaler: { readonly shift: Float64Array; readonly factor: Float64Array },
  names: readonly string[],
  compute: (row: Float64Array, out: Float64Array, i: number) => void,
  gaps: GapReading = false,
): RowMatrix {
  if (typeof data !== 'object' || data === null) throw badRows();
  const cols = names.length;
  const rows = asRows(data, columnNames) as readonly Row[] | DenseMatrix;
  if (hasNoRows(rows)) return new RowMatrix(0, cols, new Float64Array(0), names);
  if ('indptr' in rows || isCoo(rows)) {
    throw new DataError(
      'BAD_DATA',
      'Sparse matrices are transformed by the model that loadModel of @scree/core reads.',
    );
  }
  const block = isMatrix(rows) ? decoded(denseBlock(rows)) : gather(rows as readonly Row[], columnNames, width, gaps);
  if (block.cols !== width) {
    throw new DataError(
      'WIDTH_MISMATCH',
      `These rows have ${block.cols} columns, and ${width} are needed. Pass the same columns in the same order.`,
      { value: block.cols, expected: width },
    );
  }
  const length = block.rows * cols;
  const output = fitsFloat32(block.data) ? new Float32Array(length) : new Float64Array(length);
  const [row, out] = [new Float64Array(width), new Float64Array(cols)];
  for (let i = 0; i < block.rows; i++) {
    for (let j = 0; j < width; j++) row[j] = (block.data[i * block.stride + j] - scaler.shift[j]) * scaler.factor[j];
    const bad = row.findIndex((value) => !(Number.isFinite(value) || (gaps && Number.isNaN(value))));
    if (bad >= 0) {
      const where = describeCell(i, bad, columnNames);
      throw new DataError('NOT_FINITE', `A value is not finite: ${where}. Drop the row or fill the value in first.`, {
        row: i,
        column: bad,
      });
    }
    compute(row, out, i);
    output.set(out, i * cols);
  }
  return new RowMatrix(block.rows, cols, output, names);
}

function badRows(): DataError {
  return new DataError(
    'BAD_DATA',
    'Pass rows as [[1, 2], [3, 4]], records, one row, or a matrix { rows, cols, data }.',
  );
}

function gather(rows: readonly Row[], chosen: readonly string[] | undefined, width: number, gaps: GapReading) {
  if (!Array.isArray(rows)) throw badRows();
  const names = chosen ?? (isRecord(rows[0]) ? Object.keys(rows[0]) : undefined);
  const length = rows.length * width;
  const data = rows.every(isFloat32Array) ? new Float32Array(length) : new Float64Array(length);
  const row = new Float64Array(width);
  let at = 0;
  const onGap = (column: number): number => {
    if (gaps) return Number.NaN;
    throw notFinite(Number.NaN, at, column, names);
  };
  // By index, because forEach skips holes.
  for (; at < rows.length; at++) {
    readOneRow(rows[at], names, width, row, onGap, at);
    data.set(row, at * width);
  }
  return { rows: rows.length, cols: width, stride: width, data };
}

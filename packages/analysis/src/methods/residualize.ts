import { type Data, DataError, type Encoding, RowMatrix, type RowSource, type Warning } from '@scree/core';
import {
  type Block,
  type BlockPair,
  type ColumnStatistics,
  checkFinite,
  type EncodedRegression,
  emptyStatistics,
  keepRows,
  mapAsync,
  mapSource,
  mergeStatistics,
  openSource,
  packedRows,
  pairedBlocks,
  takeOut,
  withJson,
} from '@scree/core/data';
import { axpy, dot } from '@scree/core/linalg';
import { type ControlOptions, checkControl, chooseEngine, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import { type CovariateEncoding, type Covariates, openCovariates } from '../meaning/covariates.js';

/** A covariate depends on those before it if they leave less than this share of its sum of squares. */
const DEPENDENT = 1e-11;

/** The regression of columns on covariates: x ≈ mean + (c − covariateMean)·slopes. */
export interface Regression {
  /** Names of the encoded covariates. A label has one term per level except the first. */
  readonly terms: readonly string[];
  /** One row per term, one column per column of the data. 0 for terms that were dropped. */
  readonly slopes: RowMatrix<Float64Array>;
  /** The value at covariates of 0. */
  readonly intercept: Float64Array;
  /** Terms that are constant, or depend on those before them. */
  readonly dropped: readonly string[];
}

/** Residuals of rows as a source of rows, and their regression. */
export interface Residuals extends RowSource {
  readonly regression: Regression;
  /**
   * How rows with their covariates become residuals. A model of the residuals that is stored with it,
   * `new Model({ ...model, coding: residuals.coding })`, takes such rows: the columns, then the covariates.
   */
  readonly coding: Encoding & { readonly regression: EncodedRegression };
  /** Mean and spread of the columns before the regression. */
  readonly columns: Readonly<ColumnStatistics>;
  /** Residuals of other rows by the same regression. Labels must be among those of the fit. */
  apply(data: Data, covariates: Covariates, options?: ControlOptions): Promise<RowSource>;
}

/**
 * Residuals of the least-squares regression of every column on all covariates and a constant, as R's `resid(lm(X ~ covariates))`. The
 * coefficients take one reading of the data together with the covariates, and memory of covariates × columns. Residuals are computed
 * when they are read, block by block. A stream that cannot be read again is kept in memory.
 *
 * With block means m: S = Σ(c − c̄)(c − c̄)ᵀ and Z = Σ(c − c̄)(x − x̄)ᵀ are merged as `Moments` are, slopes = S⁻¹Z by Cholesky.
 * Covariates that depend on one another to 5 digits count as dependent.
 */
export function residualize(data: Data, covariates: Covariates, options: ControlOptions = {}): Promise<Residuals> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const { source, other, coding: encoding } = await openBoth(data, covariates, progress);
    try {
      const fit = await regress(source, other, encoding, options, progress);
      const apply = async (rows: Data, values: Covariates, control: ControlOptions = {}): Promise<RowSource> => {
        const again = new ProgressTracker(checkControl(control));
        const opened = await openBoth(rows, values, again, fit.coding, source);
        return residualSource(opened.source, opened.other, fit);
      };
      const { slopes, intercept, dropped, columns } = fit;
      const regression = withJson({ terms: encoding.terms, slopes, intercept, dropped });
      const facts = { rows: columns.rows, columns, regression, coding: storedEncoding(source, fit), apply };
      return Object.assign(residualSource(source, other, fit), facts);
    } catch (error) {
      await source.close?.();
      await other.close?.();
      throw error;
    }
  });
}

interface Opened {
  readonly source: RowSource;
  readonly other: RowSource;
  readonly coding: CovariateEncoding;
}

/** Opens rows and their covariates, and makes both rereadable. */
async function openBoth(
  data: Data,
  covariates: Covariates,
  progress: ProgressTracker,
  encoding?: CovariateEncoding,
  like?: RowSource,
): Promise<Opened> {
  const opened = await openSource(data, progress, like?.columnNames);
  try {
    if (like && opened.cols !== like.cols) {
      throw new DataError('WIDTH_MISMATCH', `These rows have ${opened.cols} columns, those of the fit ${like.cols}.`, {
        value: opened.cols,
        expected: like.cols,
      });
    }
    const found = await openCovariates(covariates, progress, encoding);
    const [source, other] = [await reread(opened, progress), await reread(found.source, progress)];
    return { source, other, coding: found.coding };
  } catch (error) {
    await opened.close?.();
    throw error;
  }
}

async function reread(source: RowSource, progress: ProgressTracker): Promise<RowSource> {
  if (source.rereadable) return source;
  progress.begin('reading rows', source.rows);
  const kept = await keepRows(source, (rows) => progress.step(rows));
  progress.end();
  await source.close?.();
  return kept;
}

interface Fit {
  readonly coding: CovariateEncoding;
  readonly columns: ColumnStatistics;
  readonly covariateMean: Float64Array;
  readonly slopes: RowMatrix<Float64Array>;
  readonly intercept: Float64Array;
  readonly dropped: readonly string[];
}

async function regress(
  source: RowSource,
  other: RowSource,
  encoding: CovariateEncoding,
  { threads }: ControlOptions,
  progress: ProgressTracker,
): Promise<Fit> {
  const [d, c] = [source.cols, other.cols];
  const engine = await chooseEngine({ threads }, source.rows === undefined ? undefined : source.rows * d);
  const columns = emptyStatistics(d);
  const means = new Float64Array(c);
  const own = new Float64Array(c * c);
  const cross = new Float64Array(c * d);
  progress.begin('regression', source.rows);
  for await (const { left, right, first } of pairedBlocks(source, other)) {
    await progress.follow(checkFinite(right, first, encoding.terms));
    const loaded = await engine.load(left);
    try {
      const at = { first, weights: undefined, columnNames: source.columnNames };
      const stats = await loaded.summarise(at, undefined, () => progress.yieldToEventLoop());
      const values = packedRows(right);
      const mean = centre(values, left.rows, c);
      addProducts(values, left.rows, c, own);
      const scaler = { shift: stats.mean, factor: new Float64Array(d).fill(1) };
      await loaded.multiplyTransposed(scaler, values, c, cross, (rows) => progress.step(rows));
      // Chan, Golub & LeVeque (1983): merges the products of the rows before and of this block, each about its own means.
      const weight = columns.weight === 0 ? 0 : (columns.weight * left.rows) / (columns.weight + left.rows);
      const delta = mean.map((m, j) => m - means[j]);
      const shift = stats.mean.map((m, j) => m - columns.mean[j]);
      for (let i = 0; i < c; i++) {
        axpy(weight * delta[i], delta, 0, own, i * c, c);
        axpy(weight * delta[i], shift, 0, cross, i * d, d);
        means[i] += delta[i] * (left.rows / (columns.weight + left.rows));
      }
      mergeStatistics(columns, stats);
    } finally {
      loaded.release();
    }
  }
  progress.end();
  const { slopes, kept } = solve(own, cross, c, d);
  const intercept = columns.mean.slice();
  for (let i = 0; i < c; i++) axpy(-means[i], slopes, i * d, intercept, 0, d);
  if (!slopes.every(Number.isFinite)) {
    throw new DataError(
      'OUT_OF_RANGE',
      'The products of covariates and columns are beyond float64. Divide them by a constant first.',
    );
  }
  const dropped = encoding.terms.filter((_, i) => !kept[i]);
  const matrix = new RowMatrix(c, d, slopes, source.columnNames);
  return { coding: encoding, columns, covariateMean: means, slopes: matrix, intercept, dropped };
}

/** Subtracts the means of the columns from rows × c numbers, and returns them. */
function centre(values: Float64Array, rows: number, c: number): Float64Array {
  const mean = values.slice(0, c);
  const sums = new Float64Array(c);
  for (let at = 0; at < values.length; at++) sums[at % c] += values[at] - mean[at % c];
  for (let j = 0; j < c; j++) mean[j] += sums[j] / rows;
  for (let at = 0; at < values.length; at++) values[at] -= mean[at % c];
  return mean;
}

/** S += VᵀV. */
function addProducts(values: Float64Array, rows: number, c: number, own: Float64Array): void {
  for (let i = 0; i < rows; i++) for (let j = 0; j < c; j++) axpy(values[i * c + j], values, i * c, own, j * c, c);
}

/** S⁻¹Z for the terms that do not depend on those before them, and which terms were kept. Slopes of the others are 0. */
function solve(
  own: Float64Array,
  cross: Float64Array,
  c: number,
  d: number,
): { slopes: Float64Array; kept: boolean[] } {
  const size = Float64Array.from({ length: c }, (_, i) => Math.sqrt(own[i * c + i]));
  const l = new Float64Array(c * c);
  const slopes = cross.slice();
  const kept: boolean[] = [];
  // Solves Lu = Z row by row, with S scaled to a diagonal of 1. Later rows ignore a dropped row.
  for (let j = 0; j < c; j++) {
    for (let i = 0; i < j; i++) {
      if (!kept[i]) continue;
      l[j * c + i] = (own[j * c + i] / (size[i] * size[j]) - dot(l, j * c, l, i * c, i)) / l[i * c + i] || 0;
    }
    const rest = 1 - dot(l, j * c, l, j * c, j);
    kept[j] = size[j] > 0 && rest > DEPENDENT;
    if (!kept[j]) {
      l.fill(0, j * c, (j + 1) * c);
      slopes.fill(0, j * d, (j + 1) * d);
      continue;
    }
    l[j * c + j] = Math.sqrt(rest);
    for (let e = 0; e < d; e++) slopes[j * d + e] /= size[j];
    for (let i = 0; i < j; i++) axpy(-l[j * c + i], slopes, i * d, slopes, j * d, d);
    for (let e = 0; e < d; e++) slopes[j * d + e] /= l[j * c + j];
  }
  for (let j = c - 1; j >= 0; j--) {
    if (!kept[j]) continue;
    for (let i = j + 1; i < c; i++) axpy(-l[i * c + j], slopes, i * d, slopes, j * d, d);
    for (let e = 0; e < d; e++) slopes[j * d + e] /= l[j * c + j];
  }
  for (let j = 0; j < c; j++) if (kept[j]) for (let e = 0; e < d; e++) slopes[j * d + e] /= size[j];
  return { slopes, kept };
}

function residualSource(source: RowSource, other: RowSource, fit: Fit): RowSource {
  return mapSource(source, {
    rows: source.rows ?? other.rows,
    dtype: 'float64',
    nonzeros: undefined,
    sample: undefined,
    remote: undefined,
    rereadable: true,
    resident: false,
    blocks: () => mapAsync(pairedBlocks(source, other), (pair) => residualBlock(pair, fit)),
    warnings: async () => [
      ...((await source.warnings?.()) ?? []),
      ...((await other.warnings?.()) ?? []),
      ...droppedWarnings(fit),
    ],
    close: async () => {
      await source.close?.();
      await other.close?.();
    },
  });
}

function residualBlock({ left, right }: BlockPair, { columns, covariateMean, slopes }: Fit): Block {
  const { rows, cols } = left;
  const data = packedRows(left);
  takeOut({ mean: columns.mean, covariateMean, slopes: slopes.data }, packedRows(right), data);
  return { kind: 'dense', rows, cols, stride: cols, data };
}

/** The regression as a model stores it. */
function storedEncoding(
  { cols, columnNames }: RowSource,
  { coding: encoding, columns, covariateMean, slopes }: Fit,
): Residuals['coding'] {
  const names = columnNames ?? Array.from({ length: cols }, (_, j) => String(j));
  return {
    version: 1,
    method: 'pca',
    named: columnNames !== undefined,
    missing: 'error',
    unseen: 'error',
    columns: names.map((name) => ({ kind: 'number', name, transform: 'none' })),
    regression: {
      covariates: encoding.columns ?? encoding.terms.map((name) => ({ name })),
      mean: Array.from(columns.mean),
      covariateMean: Array.from(covariateMean),
      slopes: Array.from({ length: slopes.rows }, (_, t) => Array.from(slopes.data.subarray(t * cols, (t + 1) * cols))),
    },
  };
}

function droppedWarnings({ dropped }: Fit): Warning[] {
  if (dropped.length === 0) return [];
  const [terms, depend] = dropped.length === 1 ? ['The covariate', 'is'] : ['The covariates', 'are'];
  return [
    {
      code: 'COVARIATE_DROPPED',
      message: `${terms} ${dropped.join(', ')} ${depend} constant or a combination of those before, and made no difference.`,
      details: { covariates: dropped },
    },
  ];
}

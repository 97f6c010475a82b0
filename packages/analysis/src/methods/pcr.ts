import {
  type ApplyOptions,
  type Data,
  DataError,
  type Model,
  OptionError,
  pca,
  type Row,
  RowMatrix,
  type RowSource,
  type Scale,
} from '@scree/core';
import {
  type Block,
  keepRows,
  listsOf,
  mapBlocks,
  openSource,
  packedRows,
  refuseChanged,
  withJson,
} from '@scree/core/data';
import { axpy, random } from '@scree/core/linalg';
import {
  type ControlOptions,
  checkControl,
  checkOption,
  describeValue,
  keepAlive,
  ProgressTracker,
} from '@scree/core/pipeline';
import { readBlocks } from '../reading/read-blocks.js';

/** Options of `pcr`. */
export interface PcrOptions extends ControlOptions {
  /** Most components to regress on. Default 10, or fewer if the smallest training set has fewer. */
  readonly k?: number | undefined;
  /**
   * How cross-validation leaves rows out: a number of random folds of equal size, `'loo'` for one row at a time, or one label per row,
   * to leave out rows with the same label together. Default 10, or `'loo'` for up to 10 rows.
   */
  readonly folds?: number | 'loo' | ArrayLike<number | string> | undefined;
  /** How columns are scaled, separately in every fold. Default `'none'`. */
  readonly scale?: Scale | undefined;
  /** Seed of the folds. Default 0. */
  readonly seed?: number | undefined;
  readonly columnNames?: readonly string[] | undefined;
}

/**
 * Principal component regression: y on the scores of the first m components, for m = 0, 1, … k. Scores are uncorrelated, so each
 * coefficient is γᵢ = Σ zᵢ(y − ȳ)/Σ zᵢ². The prediction error is cross-validated: means, scales, components and coefficients are
 * computed without the rows that are predicted. As `pcr` of R's pls.
 *
 * Every fold reads the rows again and fits them; n rows with `'loo'` take n fits.
 */
export function pcr(data: Data, y: ArrayLike<number>, options: PcrOptions = {}): Promise<Pcr> {
  return keepAlive(async () => {
    const progress = new ProgressTracker(checkControl(options));
    const target = checkTarget(y);
    const folds = foldsOf(options, target.length);
    const source = await rereadable(await openSource(data, progress, options.columnNames), progress);
    try {
      return await crossValidate(source, target, folds, options, progress);
    } finally {
      await source.close?.();
    }
  });
}

/** A fitted principal component regression. */
export class Pcr {
  /** The components of all rows. */
  readonly model: Model;
  /** Mean of y. */
  readonly mean: number;
  /** γ of each component. */
  readonly scoreCoefficients: Float64Array;
  /** Root of the mean squared error of cross-validated predictions, with 0, 1, … k components. */
  readonly rmsep: Float64Array;
  /** 1 − squared error of cross-validated predictions/Σ(y − ȳ)²; below 0 if the mean of y predicts better. */
  readonly r2: Float64Array;
  /** Root of the mean squared error on the rows of the fit. It falls with every component, and says nothing about new rows. */
  readonly rmse: Float64Array;
  /** The number of components with the least `rmsep`. */
  readonly best: number;
  /** Cross-validated predictions, one row per row of the data, one column per number of components from 0. */
  readonly predictions: RowMatrix<Float64Array>;
  readonly folds: number;

  constructor(parts: Omit<Pcr, 'predict' | 'coefficients' | 'toJSON'>) {
    this.model = parts.model;
    this.mean = parts.mean;
    this.scoreCoefficients = parts.scoreCoefficients;
    this.rmsep = parts.rmsep;
    this.r2 = parts.r2;
    this.rmse = parts.rmse;
    this.best = parts.best;
    this.predictions = parts.predictions;
    this.folds = parts.folds;
    Object.freeze(this);
  }

  /** Predictions for rows, with the best number of components or another. */
  async predict(
    data: Data | Row,
    options: ApplyOptions & { readonly components?: number } = {},
  ): Promise<Float64Array> {
    const { components = this.best, ...control } = options;
    const count = this.#checkCount(components);
    const { k } = this.model;
    const found: number[] = [];
    await readBlocks(this.model, 'prediction', data, control, ({ scores }, { rows }) => {
      for (let i = 0; i < rows; i++) {
        let value = this.mean;
        for (let c = 0; c < count; c++) value += this.scoreCoefficients[c] * scores[i * k + c];
        found.push(value);
      }
    });
    return withJson(Float64Array.from(found));
  }

  /** The regression in the columns' own units: y ≈ intercept + Σ slopeⱼ·xⱼ. */
  coefficients(components = this.best): { readonly intercept: number; readonly slopes: Float64Array } {
    const { d, mean, scale } = this.model;
    const slopes = new Float64Array(d);
    for (let c = 0; c < this.#checkCount(components); c++) {
      axpy(this.scoreCoefficients[c], this.model.components.data, c * d, slopes, 0, d);
    }
    let intercept = this.mean;
    for (let j = 0; j < d; j++) {
      slopes[j] /= scale[j];
      intercept -= slopes[j] * mean[j];
    }
    return withJson({ intercept, slopes });
  }

  /** For `JSON.stringify`: matrices as rows, typed arrays as lists. */
  toJSON(): object {
    return listsOf(this);
  }

  #checkCount(components: number): number {
    const most = this.rmsep.length - 1;
    checkOption('components', components, {
      must: `a whole number from 0 to ${most}`,
      test: (v) => Number.isSafeInteger(v) && Number(v) >= 0 && Number(v) <= most,
    });
    return components;
  }
}

interface Folds {
  /** The fold of each row. */
  readonly of: Int32Array;
  readonly sizes: readonly number[];
}

async function crossValidate(
  source: RowSource,
  y: Float64Array,
  folds: Folds,
  options: PcrOptions,
  progress: ProgressTracker,
): Promise<Pcr> {
  const n = y.length;
  if (source.rows !== undefined && source.rows !== n) throw mismatch(source.rows, n);
  const smallest = n - Math.max(...folds.sizes);
  if (smallest < 2) {
    throw new DataError('TOO_FEW_ROWS', 'A fold leaves 1 row to fit. Use folds that leave at least 2.', {
      value: 1,
      expected: 2,
    });
  }
  const most = Math.min(smallest - 1, source.cols);
  const { k = Math.min(10, most), scale = 'none', threads, signal } = options;
  checkOption('k', k, {
    must: `a whole number from 1 to ${most}: the smallest training set has ${smallest} rows of ${source.cols} columns`,
    test: (v) => Number.isSafeInteger(v) && Number(v) >= 1 && Number(v) <= most,
  });
  const control = { ...(threads === undefined ? {} : { threads }), ...(signal ? { signal } : {}) };
  const width = k + 1;
  const predictions = new Float64Array(n * width);
  const fit = async (rows: RowSource, own: ArrayLike<number>): Promise<Fit> => {
    const model = await pca(rows, { ...control, k, scale });
    return fitScores(model, rows, own, control);
  };
  const all = someRows(source, () => true, n);
  const whole = await fit(all, y);
  progress.begin('cross-validation', folds.sizes.length);
  for (let fold = 0; fold < folds.sizes.length; fold++) {
    const inside = (row: number): boolean => folds.of[row] === fold;
    const size = folds.sizes[fold];
    const training = someRows(source, (row) => !inside(row), n - size);
    const { model, mean, gamma } = await fit(
      training,
      y.filter((_, row) => !inside(row)),
    );
    const left = Array.from(y.keys()).filter(inside);
    let at = 0;
    await readBlocks(model, 'prediction', someRows(source, inside, size), control, ({ scores }, { rows }) => {
      for (let i = 0; i < rows; i++, at++) {
        let value = mean;
        for (let m = 0; m <= k; m++) {
          if (m > 0) value += gamma[m - 1] * scores[i * k + m - 1];
          predictions[left[at] * width + m] = value;
        }
      }
    });
    const pause = progress.step(1);
    if (pause) await pause;
  }
  progress.end();
  await refuseChanged(source);
  const squares = Float64Array.from({ length: width }, (_, m) => {
    return y.reduce((sum, value, i) => sum + (value - predictions[i * width + m]) ** 2, 0);
  });
  const total = y.reduce((sum, value) => sum + (value - whole.mean) ** 2, 0);
  const rmsep = squares.map((sum) => Math.sqrt(sum / n));
  return new Pcr({
    model: whole.model,
    mean: whole.mean,
    scoreCoefficients: whole.gamma,
    rmsep,
    r2: squares.map((sum) => 1 - sum / total),
    rmse: trainingErrors(whole, total, n),
    best: rmsep.indexOf(Math.min(...rmsep)),
    predictions: new RowMatrix(n, width, predictions),
    folds: folds.sizes.length,
  });
}

interface Fit {
  readonly model: Model;
  readonly mean: number;
  readonly gamma: Float64Array;
  /** Σ zᵢ² of each component. */
  readonly squares: Float64Array;
}

/** γᵢ = Σ zᵢ(y − ȳ)/Σ zᵢ², 0 for components without variance. */
async function fitScores(model: Model, rows: RowSource, y: ArrayLike<number>, control: ControlOptions): Promise<Fit> {
  const { k } = model;
  let mean = 0;
  for (let i = 0; i < y.length; i++) mean += (y[i] - mean) / (i + 1);
  const products = new Float64Array(k);
  const squares = new Float64Array(k);
  let at = 0;
  await readBlocks(model, 'regression', rows, control, ({ scores }, block) => {
    if (at + block.rows > y.length) throw mismatch(at + block.rows, y.length);
    for (let i = 0; i < block.rows; i++, at++) {
      for (let c = 0; c < k; c++) {
        const score = scores[i * k + c];
        products[c] += score * (y[at] - mean);
        squares[c] += score * score;
      }
    }
  });
  if (at !== y.length) throw mismatch(at, y.length);
  const gamma = products.map((product, c) => (c < model.uniqueness.rank ? product / squares[c] : 0));
  return { model, mean, gamma, squares };
}

/** The training errors of 0, 1, … k components. Each component reduces Σ(y − ȳ)² by γᵢ²·Σzᵢ². */
function trainingErrors({ gamma, squares }: Fit, total: number, n: number): Float64Array {
  const errors = new Float64Array(gamma.length + 1);
  let left = total;
  errors[0] = Math.sqrt(left / n);
  gamma.forEach((g, c) => {
    left = Math.max(0, left - g * g * squares[c]);
    errors[c + 1] = Math.sqrt(left / n);
  });
  return errors;
}

function checkTarget(y: ArrayLike<number>): Float64Array {
  if (typeof y !== 'object' || y === null || typeof y.length !== 'number') {
    throw new OptionError('BAD_OPTION', `y must be an array with one number per row, not ${describeValue(y)}.`, {
      option: 'y',
      value: y,
    });
  }
  for (let i = 0; i < y.length; i++) {
    if (typeof y[i] === 'number' && Number.isFinite(y[i])) continue;
    throw new DataError('NOT_FINITE', `y of row ${i + 1} is ${describeValue(y[i])}. Leave rows without y out.`, {
      row: i,
      value: y[i],
    });
  }
  if (y.length < 3) {
    throw new DataError(
      'TOO_FEW_ROWS',
      `There ${y.length === 1 ? 'is 1 row' : `are ${y.length} rows`}. Cross-validation takes at least 3.`,
      {
        value: y.length,
        expected: 3,
      },
    );
  }
  return Float64Array.from(y);
}

function foldsOf({ folds, seed = 0 }: PcrOptions, n: number): Folds {
  const wanted = folds ?? (n <= 10 ? 'loo' : 10);
  checkOption('seed', seed, { must: 'a whole number', test: Number.isSafeInteger });
  if (typeof wanted === 'object') return foldsByLabel(wanted, n);
  const count = wanted === 'loo' ? n : wanted;
  checkOption('folds', count, {
    must: `a whole number from 2 to ${n}, 'loo', or one label per row`,
    test: (v) => Number.isSafeInteger(v) && Number(v) >= 2 && Number(v) <= n,
  });
  const order = Int32Array.from({ length: n }, (_, i) => i);
  const { uniform } = random(seed);
  // Fisher–Yates shuffle, not needed for one row at a time.
  for (let i = n - 1; i > 0 && count < n; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  const of = new Int32Array(n);
  order.forEach((row, place) => {
    of[row] = place % count;
  });
  return { of, sizes: sizesOf(of, count) };
}

function foldsByLabel(labels: ArrayLike<number | string>, n: number): Folds {
  if (labels.length !== n) {
    throw new OptionError('BAD_OPTION', `folds has ${labels.length} labels for ${n} rows.`, {
      option: 'folds',
      value: labels.length,
      expected: n,
    });
  }
  const numbers = new Map<number | string, number>();
  const of = Int32Array.from({ length: n }, (_, i) => {
    const known = numbers.get(labels[i]);
    if (known !== undefined) return known;
    numbers.set(labels[i], numbers.size);
    return numbers.size - 1;
  });
  if (numbers.size > 1) return { of, sizes: sizesOf(of, numbers.size) };
  throw new OptionError('BAD_OPTION', 'All rows have the same label in folds. There must be at least 2.', {
    option: 'folds',
  });
}

function sizesOf(of: Int32Array, count: number): number[] {
  const sizes = new Array<number>(count).fill(0);
  for (const fold of of) sizes[fold]++;
  return sizes;
}

function mismatch(rows: number, values: number): DataError {
  return new DataError('BAD_DATA', `y has ${values} values for ${rows} rows.`, { value: values, expected: rows });
}

async function rereadable(source: RowSource, progress: ProgressTracker): Promise<RowSource> {
  if (source.rereadable) return source;
  try {
    return await keepRows(source, (rows) => progress.step(rows));
  } finally {
    await source.close?.();
  }
}

/** The rows of a source for which `wanted` is true, by their number; `rows` says how many these are. Closing it does nothing. */
function someRows(source: RowSource, wanted: (row: number) => boolean, rows: number): RowSource {
  const choose = (block: Block, first: number): Block | undefined => {
    const chosen = chosenRows(block, (i) => wanted(first + i));
    return chosen.rows > 0 ? chosen : undefined;
  };
  return mapBlocks(source, choose, { rows, expectedRows: undefined, warnings: () => [], close: () => {} });
}

function chosenRows(block: Block, wanted: (i: number) => boolean): Block {
  const { cols } = block;
  const plain = block.kind === 'dense' && !block.half;
  const [numbers, stride] = plain ? [block.data, block.stride] : [packedRows(block), cols];
  const data = new Float64Array(block.rows * cols);
  let end = 0;
  for (let i = 0; i < block.rows; i++) {
    if (!wanted(i)) continue;
    for (let at = i * stride; at < i * stride + cols; at++) data[end++] = numbers[at];
  }
  return { kind: 'dense', rows: end / cols, cols, stride: cols, data };
}

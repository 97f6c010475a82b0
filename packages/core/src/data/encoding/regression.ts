import { DataError, describeValue } from '../../errors.js';
import { addCombination } from '../../linalg/row-products.js';
import { axpy } from '../../linalg/vector.js';
import { type CellBatch, isGap } from '../../table/table.js';
import { type EncodedCovariate, type EncodedRegression, termNames, type UnseenRule } from './encoding.js';

/** A regression of columns x on the terms c of covariates: x ≈ mean + (c − covariateMean)·slopes. */
export interface LinearFit {
  readonly mean: Float64Array;
  readonly covariateMean: Float64Array;
  /** terms × columns. */
  readonly slopes: Float64Array;
}

/** Replaces every row x by x − mean − (c − covariateMean)·slopes. Also centres `terms` (rows × terms). */
export function takeOut({ mean, covariateMean, slopes }: LinearFit, terms: Float64Array, data: Float64Array): void {
  const [cols, width] = [mean.length, covariateMean.length];
  const rows = data.length / cols;
  for (let i = 0; i < rows; i++) axpy(-1, mean, 0, data, i * cols, cols);
  for (let i = 0; i < rows; i++) axpy(-1, covariateMean, 0, terms, i * width, width);
  addCombination(-1, terms, rows, slopes, width, cols, data);
}

/**
 * Converts covariates to the terms of a regression. A number is one term, and a label is an indicator of each level except the
 * first.
 */
export class TermEncoder {
  readonly #covariates: readonly (EncodedCovariate & { readonly indexes: ReadonlyMap<string, number> | undefined })[];
  readonly #terms: number;
  readonly #substitutes: Float64Array | undefined;

  /** `substitutes` are the terms for levels that the fit did not see. Without them, such levels are an error. */
  constructor(covariates: readonly EncodedCovariate[], substitutes?: Float64Array) {
    this.#covariates = covariates.map((covariate) => ({
      ...covariate,
      indexes: covariate.levels && new Map(covariate.levels.map((level, at) => [level, at])),
    }));
    this.#terms = termNames(covariates).length;
    this.#substitutes = substitutes;
  }

  /** The terms (rows × terms) of some rows of a batch. The covariates are its columns from `column` on. */
  encode(batch: Pick<CellBatch, 'columns' | 'rowNumber'>, from: number, to: number, column: number): Float64Array {
    const terms = new Float64Array((to - from) * this.#terms);
    let term = 0;
    this.#covariates.forEach(({ name, levels, indexes }, c) => {
      const width = levels ? levels.length - 1 : 1;
      const cellOf = batch.columns[column + c];
      for (let i = from; i < to; i++) {
        const cell = cellOf(i);
        const at = (i - from) * this.#terms + term;
        const bad = (): DataError => notUsable(name, batch.rowNumber(i), cell, levels);
        if (!indexes) {
          if (typeof cell !== 'number' || !Number.isFinite(cell)) throw bad();
          terms[at] = cell;
          continue;
        }
        const level = indexes.get(String(cell));
        if (level !== undefined && cell !== null && cell !== undefined) {
          if (level > 0) terms[at + level - 1] = 1;
        } else if (this.#substitutes && !isGap(cell)) terms.set(this.#substitutes.subarray(term, term + width), at);
        else throw bad();
      }
      term += width;
    });
    return terms;
  }
}

function notUsable(columnName: string, row: number, value: unknown, levels: readonly string[] | undefined): DataError {
  const must = levels
    ? `one of ${levels.slice(0, 5).map(describeValue).join(', ')}${levels.length > 5 ? ', …' : ''}`
    : 'a number';
  const message = `${describeValue(columnName)} of row ${row + 1} is ${describeValue(value)}; it must be ${must}.`;
  const details = { row, columnName, value };
  if (isGap(value)) return new DataError('MISSING_VALUES', message, { ...details, reason: 'missing-covariate' });
  return new DataError('BAD_DATA', message, { ...details, ...(levels ? { reason: 'unseen-covariate' } : {}) });
}

/** Subtracts a stored regression from encoded rows. */
export class RegressionEncoder {
  readonly #fit: LinearFit;
  readonly #encoder: TermEncoder;

  constructor({ covariates, mean, covariateMean, slopes }: EncodedRegression, unseen: UnseenRule) {
    this.#fit = {
      mean: Float64Array.from(mean),
      covariateMean: Float64Array.from(covariateMean),
      slopes: Float64Array.from(slopes.flat()),
    };
    // Terms that equal their means have no effect: the row counts as the average of all levels.
    this.#encoder = new TermEncoder(covariates, unseen === 'mean' ? this.#fit.covariateMean : undefined);
  }

  /**
   * Replaces `data`, the encoded cells of some rows of a batch, by residuals. The other arguments are those of
   * `TermEncoder.encode`.
   */
  takeOut(data: Float64Array, ...rows: Parameters<TermEncoder['encode']>): void {
    takeOut(this.#fit, this.#encoder.encode(...rows), data);
  }
}

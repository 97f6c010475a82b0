import { DataError, describeValue } from '../../errors.js';
import { addCombination } from '../../linalg/row-products.js';
import { axpy } from '../../linalg/vector.js';
import { isGap, rowNumber, type TableBatch } from '../../table/table.js';
import { type EncodedCovariate, type EncodedRegression, termNames, type UnseenRule } from './encoding.js';

/** A regression of columns x on the terms c of covariates: x ≈ mean + (c − covariateMean)·slopes. */
export interface LinearFit {
  readonly mean: Float64Array;
  readonly covariateMean: Float64Array;
  /** terms × columns. */
  readonly slopes: Float64Array;
}

/** x − mean − (c − covariateMean)·slopes for every row, in the place of x. `terms`, rows × terms, are centred in place. */
export function takeOut({ mean, covariateMean, slopes }: LinearFit, terms: Float64Array, data: Float64Array): void {
  const [cols, width] = [mean.length, covariateMean.length];
  const rows = data.length / cols;
  for (let i = 0; i < rows; i++) axpy(-1, mean, 0, data, i * cols, cols);
  for (let i = 0; i < rows; i++) axpy(-1, covariateMean, 0, terms, i * width, width);
  addCombination(-1, terms, rows, slopes, width, cols, data);
}

/** Covariates as numbers, the terms of a regression: a number is one, and a label an indicator of each level but the first. */
export class TermEncoder {
  readonly #covariates: readonly (EncodedCovariate & { readonly indexes: ReadonlyMap<string, number> | undefined })[];
  readonly #terms: number;
  readonly #substitutes: Float64Array | undefined;

  /** `substitutes` are the terms that stand for levels that the fit did not see; without them such levels are refused. */
  constructor(covariates: readonly EncodedCovariate[], substitutes?: Float64Array) {
    this.#covariates = covariates.map((covariate) => ({
      ...covariate,
      indexes: covariate.levels && new Map(covariate.levels.map((level, at) => [level, at])),
    }));
    this.#terms = termNames(covariates).length;
    this.#substitutes = substitutes;
  }

  /** rows × terms numbers of some rows of a batch, whose cells from column `column` on are the covariates; `first` rows came before it. */
  encode(batch: TableBatch, from: number, to: number, column: number, first: number): Float64Array {
    const terms = new Float64Array((to - from) * this.#terms);
    let term = 0;
    this.#covariates.forEach(({ name, levels, indexes }, c) => {
      const width = levels ? levels.length - 1 : 1;
      for (let i = from; i < to; i++) {
        const cell = batch.cell(i, column + c);
        const at = (i - from) * this.#terms + term;
        const bad = (): DataError => notUsable(name, rowNumber(batch, i, first), cell, levels);
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

/** Takes a stored regression out of encoded rows. */
export class RegressionEncoder {
  readonly #fit: LinearFit;
  readonly #encoder: TermEncoder;

  constructor({ covariates, mean, covariateMean, slopes }: EncodedRegression, unseen: UnseenRule) {
    this.#fit = {
      mean: Float64Array.from(mean),
      covariateMean: Float64Array.from(covariateMean),
      slopes: Float64Array.from(slopes.flat()),
    };
    // Terms at their means change nothing: the row counts as the average of all levels.
    this.#encoder = new TermEncoder(covariates, unseen === 'mean' ? this.#fit.covariateMean : undefined);
  }

  /** Residuals in the place of `data`, the encoded cells of some rows of a batch. The arguments are those of `TermEncoder.encode`. */
  takeOut(data: Float64Array, ...rows: Parameters<TermEncoder['encode']>): void {
    takeOut(this.#fit, this.#encoder.encode(...rows), data);
  }
}

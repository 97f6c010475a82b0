import { describeValue, OptionError } from '../../errors.js';

/** Largest weight. Products and sums over any number of rows stay finite. */
const HEAVIEST = 1e100;

/** Checked row weights, for reading them block by block. */
export interface RowWeights {
  /** The weights of rows from, …, from + count − 1; undefined if rows have no weights. */
  slice(from: number, count: number): Float64Array | undefined;
  /** Call it with the number of rows after the last one. Throws if it differs from the number of weights. */
  end(rows: number): void;
}

/**
 * Checks row weights. A row of weight 2 counts twice, and a row of weight 0 is left out. So Σw replaces n in the mean, the
 * covariance and ddof.
 */
export function rowWeights(weights: ArrayLike<number> | undefined, rows: number | undefined): RowWeights {
  if (weights === undefined) return { slice: () => undefined, end: () => {} };
  if (typeof weights !== 'object' || weights === null || typeof weights.length !== 'number') {
    throw new OptionError(
      'BAD_WEIGHTS',
      `weights must be an array with one number per row, not ${describeValue(weights)}.`,
      {
        option: 'weights',
        value: weights,
      },
    );
  }
  const checked = new Float64Array(weights.length);
  let sum = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i];
    if (typeof weight !== 'number' || !(weight >= 0 && weight <= HEAVIEST)) {
      throw new OptionError(
        'BAD_WEIGHTS',
        `The weight of row ${i + 1} is ${describeValue(weight)}. Weights must be numbers from 0 to ${HEAVIEST}; 0 leaves a row out.`,
        { option: 'weights', row: i, value: weight },
      );
    }
    checked[i] = weight;
    sum += weight;
  }
  const mismatch = (count: number): OptionError =>
    new OptionError('BAD_WEIGHTS', `There are ${weights.length} weights for ${count} rows. Give one weight per row.`, {
      option: 'weights',
      value: weights.length,
      expected: count,
    });
  if (rows !== undefined && rows !== weights.length) throw mismatch(rows);
  if (sum === 0) {
    throw new OptionError('BAD_WEIGHTS', `The weights add up to 0. At least one row needs a weight above 0.`, {
      option: 'weights',
      value: sum,
    });
  }
  return {
    slice(from, count) {
      if (from + count > checked.length) throw mismatch(from + count);
      return checked.subarray(from, from + count);
    },
    end(count) {
      if (count !== checked.length) throw mismatch(count);
    },
  };
}

import { describeValue, OptionError } from '../../errors.js';

/** Largest weight: products and sums over any number of rows stay finite. */
const HEAVIEST = 1e100;

/** Row weights, checked, and handed out block by block. */
export interface RowWeights {
  /** Weights of the next rows from…from + count − 1; undefined when rows are not weighted. */
  slice(from: number, count: number): Float64Array | undefined;
  /** Called with the number of rows there were: there must have been one weight for each. */
  end(rows: number): void;
}

/**
 * A weight counts its row that many times: weight 2 is the row twice, weight 0 is the row left out. So n becomes Σw
 * everywhere, in the mean, the covariance and ddof.
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

import { OptionError } from '@scree/core';
import type { RobustMethod } from '@scree/core/pipeline';
import { plural } from '../describe/numbers.js';

/** A method, and why it was taken. */
export interface ChosenMethod {
  readonly method: RobustMethod;
  readonly reason: string;
}

/** The widest table for the covariance, and the fewest rows per column. Random starts of more columns rarely have good rows alone. */
const [MCD_COLUMNS, MCD_ROWS_PER_COLUMN] = [10, 5];
/** Operations that the projection method may take unasked: about ten seconds. */
const MOST_OPERATIONS = 1e10;
/** Numbers that the projection method may keep in memory unasked. */
const MOST_NUMBERS = 1e7;

/** Operations of the projection method for n rows of d columns: directions, their sorted scores, and three covariances with their axes. */
export function projectionOperations(n: number, d: number): number {
  const p = Math.min(n, d);
  return 250 * n * (p + 12 * Math.log2(Math.max(2, n))) + 3 * n * p * p + 10 * p ** 3 + (d > n ? n * n * d : 0);
}

/** The method of `'auto'`, by the shape alone. */
export function chooseRobustMethod(n: number, d: number): ChosenMethod {
  const shape = `${plural(n, 'row')} and ${plural(d, 'column')}`;
  if (d <= MCD_COLUMNS && n >= MCD_ROWS_PER_COLUMN * d) {
    return {
      method: 'mcd',
      reason: `The minimum covariance determinant (FAST-MCD), because ${shape} are enough rows for few columns.`,
    };
  }
  if (n * d <= MOST_NUMBERS && projectionOperations(n, d) <= MOST_OPERATIONS) {
    const why = d > MCD_COLUMNS ? 'columns are too many' : 'rows are too few';
    return {
      method: 'projection',
      reason: `Projections (ROBPCA), because ${shape} do not suit a robust covariance: ${why}.`,
    };
  }
  return {
    method: 'spherical',
    reason: `Spherical components, because ${shape} are too many numbers for the other robust methods.`,
  };
}

/** The requested method. Throws if the shape does not suit it. */
export function requestedMethod(method: RobustMethod, n: number, d: number): ChosenMethod {
  if (method === 'mcd' && n < 2 * d) {
    throw new OptionError(
      'BAD_OPTION',
      `The minimum covariance determinant needs at least two rows per column, and there are ${plural(n, 'row')} and ${plural(d, 'column')}. Use method 'projection'.`,
      { option: 'method', value: method, expected: 2 * d },
    );
  }
  const names = {
    mcd: 'The minimum covariance determinant (FAST-MCD)',
    projection: 'Projections (ROBPCA)',
    spherical: 'Spherical components',
  };
  return { method, reason: `${names[method]}, as requested.` };
}

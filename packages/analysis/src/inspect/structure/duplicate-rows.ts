import type { StructureCheck } from './structure-check.js';

/** Fewest repeated rows, and their least share of all rows. */
const FEWEST = 3;
const LEAST_SHARE = 0.01;
/** Most: if more than half of the rows repeat others, there are only few different values. */
const MOST_SHARE = 0.5;
/** Fewest columns: in one or two columns equal rows are no surprise. */
const FEWEST_COLUMNS = 3;

/**
 * DUPLICATE_ROWS: rows that repeat earlier rows, as if records had been entered twice. If values are so coarse that many more rows agree
 * in all columns but one, equal rows are chance.
 */
export const duplicateRows: StructureCheck = {
  code: 'DUPLICATE_ROWS',
  find({ read }) {
    const { repeated, columns } = read;
    if (!repeated || columns.length < FEWEST_COLUMNS) return undefined;
    const { count, compared, nearly, pairs } = repeated;
    const share = count / compared;
    if (count < FEWEST || share < LEAST_SHARE || share > MOST_SHARE || nearly > 1.5 * count) return undefined;
    const [[row, of]] = pairs;
    const where = compared < read.rows ? ` of the first ${compared}` : ` of ${compared}`;
    return {
      message: `${count}${where} rows repeat earlier rows in all ${columns.length} columns, the first of them row ${row}, which is row ${of} again (counted from 0). If records were entered twice, leave the repetitions out: they count more than once, and make the results look more certain.`,
      details: {
        count,
        compared,
        pairs: pairs.map(([row, of]) => [row + 1, of + 1]),
      },
    };
  },
};

import { beginAlike } from '../column-units.js';
import { columnDetails, type StructureCheck, titleOfColumn, titles, valuesOf } from './structure-check.js';

/** Share of the rows with the most frequent value, and fewest rows. */
const SHARE = 0.95;
const FEWEST_ROWS = 40;

/**
 * NEAR_CONSTANT_COLUMN: at least 95 % of the values are the same, so a few rows have all of the variance of the column. Nothing is said
 * if a third of the columns are like that, or all begin at the same number: images, abundances and counts of words have many zeros.
 */
export const nearConstantColumn: StructureCheck = {
  code: 'NEAR_CONSTANT_COLUMN',
  find({ sample, measured }) {
    if (!sample || sample.rows < FEWEST_ROWS) return undefined;
    const found = measured.flatMap((column) => {
      const counts = new Map<number, number>();
      for (const value of valuesOf(sample, column.index)) {
        counts.set(value, (counts.get(value) ?? 0) + 1);
        // A column with many values has no frequent one.
        if (counts.size > sample.rows * (1 - SHARE) + 1) return [];
      }
      const [value, times] = [...counts].reduce((most, each) => (each[1] > most[1] ? each : most));
      return times >= SHARE * sample.rows ? [{ column, value, share: times / sample.rows }] : [];
    });
    if (found.length === 0 || found.length >= measured.length / 3 || beginAlike(measured)) return undefined;
    const shares = new Map(found.map(({ column, share }) => [column, share]));
    const columns = found.map(({ column }) => column);
    const [column, it] = found.length === 1 ? ['Column', 'it'] : ['Columns', 'them'];
    return {
      message: `${column} ${titles(columns, (each) => `${titleOfColumn(each)} (${Math.floor(100 * (shares.get(each) ?? 0))} %)`)} nearly always ${found.length === 1 ? 'has' : 'have'} the same value, so a few rows decide all of the variance there. Leave ${it} out, or look at these rows.`,
      details: {
        ...columnDetails(columns),
        shares: found.map(({ share }) => share),
        values: found.map(({ value }) => value),
      },
    };
  },
};

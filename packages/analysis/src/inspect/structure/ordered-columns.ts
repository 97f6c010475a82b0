import type { ColumnFacts, SampledRows } from '../column-inspector.js';
import { columnDetails, type StructureCheck, titleOfColumn, valuesOf } from './structure-check.js';

/** Fewest columns of a curve, and fewest rows. */
const FEWEST_COLUMNS = 16;
const FEWEST_ROWS = 8;
/** Columns whose most similar column is searched, evenly spread. */
const SEARCHED = 64;
/** Most columns. */
const MOST_COLUMNS = 1 << 14;
/** Share of the columns whose most similar column is a neighbour. Without an order it would be 2/(d − 1). */
const NEXT = 0.6;
/** Median correlation of neighbours. */
const LEAST_CORRELATION = 0.7;

/**
 * Returns true if columns are in an order in which neighbours are alike, as wavelengths, times and positions are: the column that is most
 * correlated with a column is mostly one of its two neighbours on either side. Correlations do not depend on units, and no column may
 * have a correlation with its neighbour below 0, as different quantities have.
 */
export function areOrdered(sample: SampledRows | undefined, columns: readonly ColumnFacts[]): boolean {
  const d = columns.length;
  if (!sample || sample.rows < FEWEST_ROWS || d < FEWEST_COLUMNS || d > MOST_COLUMNS) return false;
  const step = Math.max(1, d / SEARCHED);
  const standardised = columns.map(({ index }) => unitLength(valuesOf(sample, index)));
  const near: number[] = [];
  let neighbours = 0;
  let searched = 0;
  for (let at = 0; Math.floor(at) < d; at += step) {
    const j = Math.floor(at);
    const own = standardised[j];
    let [best, largest] = [-1, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < d; i++) {
      if (i === j) continue;
      const r = product(own, standardised[i]);
      if (r > largest) [best, largest] = [i, r];
    }
    searched++;
    if (Math.abs(best - j) <= 2) neighbours++;
    if (j + 1 < d) near.push(product(own, standardised[j + 1]));
  }
  near.sort((a, b) => a - b);
  return neighbours >= NEXT * searched && near[Math.floor(near.length / 2)] >= LEAST_CORRELATION;
}

/** ORDERED_COLUMNS: spectra, curves and rows of pixels. Their columns have one unit, and loadings are read as a curve. */
export const orderedColumns: StructureCheck = {
  code: 'ORDERED_COLUMNS',
  find({ sample, measured }) {
    if (!areOrdered(sample, measured)) return undefined;
    const [first, last] = [measured[0], measured[measured.length - 1]];
    return {
      message: `The ${measured.length} columns from ${titleOfColumn(first)} to ${titleOfColumn(last)} are in an order in which neighbours are alike, like a spectrum or a curve. Do not scale them one by one, because that raises noise to the size of the signal, and read loadings as curves.`,
      details: { ...columnDetails([first, last]), count: measured.length },
    };
  },
};

/** The values about their mean, with length 1; zeros if they do not vary. */
function unitLength(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0) || 1;
  const centred = values.map((value) => (value - mean) / largest);
  const length = Math.sqrt(product(centred, centred)) || 1;
  return centred.map((value) => value / length);
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

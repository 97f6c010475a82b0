import { formatNumber } from '../../describe/numbers.js';
import type { ColumnFacts, SampledRows } from '../column-inspector.js';
import { columnDetails, type StructureCheck } from './structure-check.js';

/** Fewest parts of a whole, and fewest rows. */
const FEWEST_PARTS = 3;
const FEWEST_ROWS = 8;
/** Most that sums may differ, as a share of their mean: percentages that were rounded. */
const MOST_RANGE = 0.02;
/** Most variance of the sums, as a share of that of independent columns. */
const MOST_VARIANCE = 0.01;

/** The sums of rows whose columns are parts of one whole. */
export interface RowSums {
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  /** Parts of some rows that are 0. Log-ratios need numbers above 0. */
  readonly zeros: number;
}

/**
 * The sums of the sampled rows, if all are the same but for rounding; undefined otherwise. With independent columns Var Σxⱼ would be
 * ΣVar xⱼ. Indicators of 0 and 1 are levels of a category, not parts.
 */
export function constantSums(sample: SampledRows | undefined, columns: readonly ColumnFacts[]): RowSums | undefined {
  if (!sample || sample.rows < FEWEST_ROWS || columns.length < FEWEST_PARTS) return undefined;
  if (columns.some(({ min }) => min < 0)) return undefined;
  if (columns.every(({ integers, max }) => integers && max === 1)) return undefined;
  const sums = new Float64Array(sample.rows);
  for (let i = 0; i < sample.rows; i++)
    for (const { index } of columns) sums[i] += sample.data[i * sample.cols + index];
  const mean = sums.reduce((total, value) => total + value, 0) / sums.length;
  const [least, most] = [sums.reduce((a, b) => Math.min(a, b)), sums.reduce((a, b) => Math.max(a, b))];
  if (!(mean > 0) || most - least > MOST_RANGE * mean) return undefined;
  const spread = sums.reduce((total, value) => total + ((value - mean) / mean) ** 2, 0) / (sums.length - 1);
  const independent = columns.reduce((total, { deviation }) => total + (deviation / mean) ** 2, 0);
  if (spread > MOST_VARIANCE * independent) return undefined;
  return { mean, least, most, zeros: columns.reduce((total, { zeros = 0 }) => total + zeros, 0) };
}

/** CONSTANT_SUM: the columns are parts of a whole, so that one of them follows from the others and correlations are partly forced. */
export const constantSum: StructureCheck = {
  code: 'CONSTANT_SUM',
  find({ sample, measured }) {
    const sums = constantSums(sample, measured);
    if (!sums) return undefined;
    const { mean, least, most, zeros } = sums;
    const total = most - least > 1e-6 * mean ? `${formatNumber(least)} to ${formatNumber(most)}` : formatNumber(mean);
    const replace =
      zeros > 0
        ? ' Log-ratios need numbers above 0: first replace zeros, for example by two thirds of the smallest amount that can be measured.'
        : '';
    return {
      message: `The ${measured.length} columns of measurements add up to ${total} in every row, so they are parts of a whole: if one rises, others must fall. Take log-ratios: columnTransform: 'clr' or 'ilr'.${replace}`,
      details: { ...columnDetails(measured), total: mean, least, most, zeros },
    };
  },
};

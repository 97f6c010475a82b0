import { columnDeviation } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import { describeColumn } from '../errors.js';
import { powerOfTwo } from '../linalg/vector.js';
import type { Warning } from '../warning.js';
import type { FitFacts } from './finish.js';

/** A standard deviation of fewer steps of the type that stores a column: less than three digits. */
const FEW_STEPS = 1000;
/** Columns that details name. */
const MOST_NAMED = 5;

/**
 * Warns of columns that are so far from zero, or so small, that few digits are left for what differs from row to row. Nothing
 * can be known of digits that were rounded away before; these are those that are left.
 */
export function fewDigits(stats: ColumnStatistics, { dtype, weight, ddof, columnNames: names }: FitFacts): Warning[] {
  const float32 = dtype === 'float32';
  const found = Array.from(stats.spread, (spread, j) => {
    const [min, max] = [stats.min[j], stats.max[j]];
    const largest = Math.max(-min, max);
    const deviation = columnDeviation(stats, j, weight - ddof, true);
    // Below 1 in units of 2^-60: powers of two end at 2^-1000. The smallest numbers of a type are all equally far apart.
    const unit = largest < 1 ? 2 ** -60 : 1;
    const step = Math.max(
      powerOfTwo(largest / unit) * 2 ** (float32 ? -23 : -52) * unit,
      2 ** (float32 ? -149 : -1074),
    );
    // Integers of up to 16 bits count as float32 and have all of their digits.
    const integers = float32 && Number.isInteger(min) && Number.isInteger(max) && largest < 2 ** 16;
    return { j, largest, step, deviation, few: spread > 0 && !integers && deviation < FEW_STEPS * step };
  }).filter(({ few }) => few);
  if (found.length === 0) return [];
  found.sort((a, b) => a.deviation / a.step - b.deviation / b.step);
  const [{ j: first, largest, step, deviation }] = found;
  const worst = `${found.length > 1 ? `${found.length} columns, the fewest in ` : ''}column ${describeColumn(first, names)}`;
  return [
    {
      code: 'FEW_DIGITS',
      message: `Differences between rows have few digits in ${worst}: it has numbers up to ${largest.toPrecision(3)}, where ${dtype} numbers are ${step.toPrecision(3)} apart, and a standard deviation of ${deviation.toPrecision(3)}. If more digits were measured, ${largest < FEW_STEPS * step ? 'multiply by' : 'subtract'} a constant before the numbers are stored.`,
      details: {
        columns: found.slice(0, MOST_NAMED).map(({ j }) => names?.[j] ?? j),
        count: found.length,
        largest,
        step,
        deviation,
        dtype,
      },
    },
  ];
}

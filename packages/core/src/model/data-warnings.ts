import { columnDeviation } from '../data/statistics/scaling.js';
import type { ColumnStatistics } from '../data/statistics/statistics.js';
import { describeColumn } from '../errors.js';
import { powerOfTwo } from '../linalg/vector.js';
import type { Warning } from '../warning.js';
import type { FitFacts } from './finish.js';

/** Warns of columns that cannot be scaled, and of data whose variance is zero or too small for float64. */
export function dataWarnings(facts: FitFacts, variances: Float64Array, values: Float64Array): Warning[] {
  const warnings: Warning[] = [];
  const constant = facts.scaling.constantColumns;
  if (constant.length > 0) {
    const named = constant.slice(0, 5).map((j) => describeColumn(j, facts.columnNames));
    const more = constant.length > 5 ? ` and ${constant.length - 5} more` : '';
    const [columns, keep] =
      constant.length === 1
        ? ['Column', 'does not vary enough to be scaled and keeps']
        : ['Columns', 'do not vary enough to be scaled and keep'];
    warnings.push({
      code: 'CONSTANT_COLUMN',
      message: `${columns} ${named.join(', ')}${more} ${keep} scale 1. Leaving constant columns out changes nothing else.`,
      details: { columns: constant.slice(0, 5), count: constant.length },
    });
  }
  if (facts.scatterTrace === 0) {
    const any = facts.d > 1 ? ', and any direction is as good as any other' : '';
    // Identifiers and times in nanoseconds may differ by less than the rounding of float64.
    const large = facts.mean.some((mean) => Math.abs(mean) >= 2 ** 53);
    const hint = large ? ' Whole numbers beyond 2^53 may be one in float64: subtract a constant before.' : '';
    warnings.push({
      code: 'CONSTANT_DATA',
      message: `All rows are the same, so there is no variance to explain${any}.${hint}`,
    });
  } else if (values.some((value, i) => value > 0 && variances[i] < 2 ** -1022)) {
    warnings.push({
      code: 'VARIANCE_UNDERFLOW',
      message:
        'The data are so small that variances fall below what float64 can hold. Components, ratios and singular values from 2.2e-308 up are right; multiply the data by a constant to get variances.',
    });
  }
  return warnings;
}

/**
 * A standard deviation of fewer than this number of steps has less than three digits. A step is the distance between neighbouring
 * numbers of the type.
 */
const FEW_STEPS = 1000;
/** Number of columns that the details name. */
const MOST_NAMED = 5;

/**
 * Warns of columns that are so far from zero, or so small, that the differences between rows have few digits. This counts the
 * digits that the stored numbers have, and not those of the measurement.
 */
export function fewDigits(stats: ColumnStatistics, { dtype, weight, ddof, columnNames: names }: FitFacts): Warning[] {
  const float32 = dtype === 'float32';
  const found = Array.from(stats.spread, (spread, j) => {
    const [min, max] = [stats.min[j], stats.max[j]];
    const largest = Math.max(-min, max);
    const deviation = columnDeviation(stats, j, weight - ddof, true);
    // `powerOfTwo` ends at 2^-1000, so numbers below 1 are multiplied by 2^60 first. Subnormal numbers have a fixed spacing,
    // hence the maximum.
    const unit = largest < 1 ? 2 ** -60 : 1;
    const step = Math.max(
      powerOfTwo(largest / unit) * 2 ** (float32 ? -23 : -52) * unit,
      2 ** (float32 ? -149 : -1074),
    );
    // Integers of up to 16 bits count as float32 and are exact.
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

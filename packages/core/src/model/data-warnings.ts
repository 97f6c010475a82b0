import { describeColumn } from '../errors.js';
import type { Warning } from '../warning.js';
import type { FitFacts } from './finish.js';

export { fewDigits } from './few-digits.js';

/** Warns of columns that cannot be scaled, and of data without variance or with too little for float64. */
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
    // Identifiers and times in nanoseconds may differ where float64 cannot see it.
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

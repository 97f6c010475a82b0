import type { GapDifference } from '../missing/gap-summary.js';
import { count, formatNumber, listed, percent, plural } from './numbers.js';

/** The details of the finding `MISSING_VALUES`. */
export interface MissingDetails {
  readonly rows: number;
  readonly rowsWithGaps: number;
  readonly share: number;
  readonly patterns: number;
  /** Draws of multiple imputation that widened the intervals. */
  readonly draws: number;
  /** Columns with missing values. */
  readonly columns: readonly { readonly name: string; readonly missing: number }[];
  /** Columns in which rows with gaps differ by half a standard deviation or more, the largest difference first. */
  readonly differences: readonly GapDifference[];
}

/** Columns that are named. */
const MOST_COLUMNS = 3;
const MOST_DIFFERENCES = 2;

/** What is missing, and whether rows with gaps differ from complete rows. */
export function describeMissing(details: MissingDetails): string {
  const sure = details.draws > 0 ? '' : ' Intervals and angles do not include the uncertainty of the predicted values.';
  return `${missingSentences(details)}${sure}`;
}

function missingSentences({ rows, rowsWithGaps, share, patterns, columns, differences }: MissingDetails): string {
  const most = [...columns].sort((a, b) => b.missing - a.missing);
  const named = most.slice(0, MOST_COLUMNS).map(({ name, missing }) => `${name} ${percent(missing / rows)}`);
  if (most.length > MOST_COLUMNS) named.push(plural(most.length - MOST_COLUMNS, 'more column'));
  const first = `${percent(share)} of the values are missing, in ${count(rowsWithGaps)} of ${plural(rows, 'row')} and ${plural(patterns, 'pattern')}: ${listed(named)}.`;
  const [largest] = differences;
  if (!largest) return first;
  const each = differences
    .slice(0, MOST_DIFFERENCES)
    .map(
      ({ name, withGaps, complete }) =>
        `${name} is ${formatNumber(withGaps, 3)} instead of ${formatNumber(complete, 3)}`,
    );
  return `${first} The ${plural(rowsWithGaps, 'row')} with gaps ${rowsWithGaps === 1 ? 'differs' : 'differ'} from complete rows: on average ${listed(each)}.`;
}

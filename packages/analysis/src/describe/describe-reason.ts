import type { AnalysisPart, NotComputed, Reason } from '../reasons.js';
import { count, formatNumber, plural } from './numbers.js';

type Describe = (details: Readonly<Record<string, unknown>>, part: AnalysisPart, message: string) => string;

const REASONS: { readonly [Code in Reason['code']]: Describe } = {
  NOT_ASKED: () => 'It was not asked for.',
  FEW_ROWS: ({ rows, expected }) =>
    `It takes ${expected} rows or more, and there ${rows === 1 ? 'is' : 'are'} ${rows}.`,
  LARGE_TABLE: ({ rows, cols }, part) =>
    part === 'secondLook'
      ? 'The rows are on a cluster, and the second look reads them here.'
      : `A table of ${count(rows as number)} × ${count(cols as number)} numbers takes long. Use bootstrap: 200 to do it.`,
  NO_VARIANCE: ({ rows }, part) =>
    part === 'supplementaryRows' || rows === 'new' ? 'All rows of the fit are the same.' : 'All rows are the same.',
  ONE_COLUMN: () => 'There is only one column.',
  READ_ONCE: () => 'The rows can be read only once, and are too many to keep.',
  NO_ROWS: (_, part) => (part === 'stability' ? 'Moments have no rows to draw from.' : 'Moments have no rows.'),
  SKETCH: () => 'A sketch has the leading variances only.',
  LEADING_VARIANCES: ({ solver, rows }) =>
    `The ${solver} solver finds only the leading variances of these ${plural(rows as number, 'row')}. Use k: 'auto' to compute all of them, which reads the data again.`,
  CATEGORIES: (details, part) =>
    part === 'unusual' ? 'The limits are for columns of numbers, not for categories.' : inertiaSentence(details),
  GROUP_MEANS: ({ groups }, part) =>
    ({
      choice: `The criteria are for rows, and these components are of means. ${count((groups as number) ?? 2)} groups differ in at most ${plural(((groups as number) ?? 2) - 1, 'direction')}.`,
      stability: 'A bootstrap draws rows, and these components are of means.',
      secondLook: 'The second look compares rows of a fit, and this is one of the means of groups.',
      unusual: 'The limits are for rows of a fit, and this is one of the means of groups.',
      rows: 'Rows have no part in means of groups.',
      supplementaryRows: 'Rows have no part in means of groups.',
      rotation: 'The components are of means.',
    })[part],
  MANY_ROWS: ({ rows, most }) =>
    `There are ${plural(rows as number, 'row')}, and up to ${count(most as number)} are listed.`,
  NO_STRUCTURE: () => 'No component stands out of noise.',
  ROBUST: (_, part) =>
    part === 'stability'
      ? 'The bootstrap repeats the fit of all rows, and these components are robust.'
      : 'The components are robust: rows beyond the limits have little part in them.',
  STORED: (_, part) =>
    part === 'choice'
      ? 'The model does not say how many components to keep; analyze does.'
      : part === 'secondLook'
        ? 'The second look repeats the fit; analyze takes it.'
        : 'The model was made without a bootstrap; analyze makes one.',
  UNSUITABLE: (_, __, message) => message,
};

/** One or two sentences about why a part of an analysis was not computed. */
export function describeReason(part: AnalysisPart, { code, details = {}, message = '' }: Reason): string {
  return REASONS[code](details, part, message);
}

/** All reasons as sentences. */
export function describeReasons(
  reasons: NotComputed,
  describe: typeof describeReason = describeReason,
): { [Part in AnalysisPart]?: string } {
  const parts = Object.entries(reasons) as [AnalysisPart, Reason][];
  return Object.fromEntries(parts.map(([part, reason]) => [part, describe(part, reason)]));
}

function inertiaSentence(details: Readonly<Record<string, unknown>>): string {
  const { method, columns, components, above, limit, column, levels } = details as {
    readonly method: string;
    readonly columns: number;
    readonly components: number;
    readonly above: number;
    readonly limit: number;
    readonly column?: string;
    readonly levels?: number;
  };
  if (levels !== undefined)
    return `One category gives only trivial components: ${column} has ${plural(levels, 'level')}, and so ${plural(levels - 1, 'component')} of variance 1${levels > 2 ? ' each, in no order' : ''}. Add columns to see how they are related.`;
  if (above === 0 && method !== 'mfa')
    return `All components have the same variance, ${formatNumber(limit, 3)}: no column is related to another.`;
  const some = above === components ? ' all' : ` ${above}`;
  const whole = method === 'mca' ? `1/${columns} = ${formatNumber(limit, 3)}` : '1';
  const what = method === 'mfa' ? 'more than the first component of a block alone' : 'that of the average component';
  return `The criteria are for columns of numbers. Of the ${plural(components, 'component')}${some} ${above === 1 ? 'has' : 'have'} a variance above ${whole}, ${what}.`;
}

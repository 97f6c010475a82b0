import type { LeftOutReason, RowOrder } from '@scree/analysis';
import {
  count,
  describeFewDigits,
  describeRank,
  describeRelation,
  describeRowOrder,
  describeTotal,
  type FewDigits,
  formatNumber,
  listed,
  percent,
  plural,
  type RankDetails,
  type WrittenRelation,
} from '@scree/analysis/describe';
import type { ErrorDetails, ScreeError, Warning } from '@scree/core';
import type { ConvertedColumn } from '@scree/files';
import { shorten } from './shorten.js';
import type { TableCell, WorkerProblem } from './worker/messages.js';

/**
 * Errors and warnings as sentences for the page. They are made from codes and details, count rows from 1, and give advice that can
 * be followed on the page. If the page has no sentence for a code, it shows the library's.
 */

const DIVIDE = 'divide the columns by their standard deviation (see Fit)';

/** The details of an error, with names for sentences: `at` is the row with its file, at the start of a sentence and inside it. */
interface NamedDetails extends ErrorDetails {
  readonly file: string;
  readonly at: { readonly start: string; readonly inside: string };
}

type Describe = (details: NamedDetails) => string | undefined;

const ERRORS: { readonly [Code in ScreeError['code']]?: Describe } = {
  RAGGED_ROWS: ({ reason, at, columnName, value, expected }) => {
    if (reason === 'mixed-forms')
      return `${at.start} is a list among records, or the reverse. Use one form for all rows.`;
    if (reason === 'unknown-key') {
      return `${at.start} has a key ${quoted(columnName)} that the first rows do not have. Give all records the same keys.`;
    }
    if (reason === 'list-length') {
      return `${at.start} has ${listOf(value)} in ${quoted(columnName)}, the first row has a list of ${expected}. Make all lists equally long.`;
    }
    if (typeof value !== 'number' || typeof expected !== 'number') return undefined;
    return `${at.start} has ${plural(value, 'cell')}, the others have ${count(expected)}. Complete the row or remove it.`;
  },
  NOT_A_NUMBER: ({ row, at, columnName, value }) =>
    row === undefined
      ? undefined
      : `${at.start} holds ${quoted(value)} in column ${quoted(columnName)}, where numbers are expected. Correct it, or leave the cell empty if the value is missing.`,
  BAD_DATA: ({ reason, at, columnName, value, expected }) => {
    if (reason === 'open-quote') {
      return `${at.start} opens a quotation mark that is never closed. Close it, or double it if it belongs to the text.`;
    }
    if (reason !== 'ambiguous-mark') return undefined;
    const mark = expected === ',' ? 'comma' : 'point';
    return `${at.start} holds ${quoted(value)} in column ${quoted(columnName)}: the ${mark} may separate thousands or decimals. Write all numbers of the column without separators of thousands and with a decimal point.`;
  },
  BAD_FILE: ({ reason, file, at, value, expected }) => {
    if (reason === 'missing-comma') return `${file} cannot be read: there is no comma after ${at.inside}.`;
    if (reason === 'not-a-record') return `${at.start} is neither a record nor a list.`;
    if (reason === 'nested-too-deep') return `${at.start} is nested more than ${expected} levels deep.`;
    return reason === 'invalid-json' ? `${at.start} is not valid JSON (${value}).` : undefined;
  },
  FILE_TRUNCATED: ({ reason, at, expected, file }) => {
    if (reason === 'unfinished-row') return `${file} is cut off: ${at.inside} does not end. ${DOWNLOAD_AGAIN}`;
    if (reason !== 'missing-row') return undefined;
    return `${file} is cut off: it should have ${plural(Number(expected), 'row')} and ends before ${at.inside}. ${DOWNLOAD_AGAIN}`;
  },
  TOO_LARGE: ({ reason, row, at, path, file, option, value }) => {
    if (option === 'solver') {
      return `This solver needs a matrix of ${count(Number(value))} × ${count(Number(value))} numbers, more than a machine can hold. Choose krylov, or let the plan choose.`;
    }
    if (reason !== 'memory') return undefined;
    if (path === undefined)
      return 'This fit needs more memory than the browser allows. Use fewer columns or fewer rows.';
    const what = row === undefined ? file : at.start;
    return `${what} is too large for the page to read. The command can be given more memory: scree fit --memory.`;
  },
  UNSUPPORTED: ({ reason, file }) =>
    reason === 'memory'
      ? `${file} has a dictionary that is too large for the page. The command can be given more memory: scree fit --memory.`
      : undefined,
  NOT_FINITE: ({ row, columnName, value }) =>
    row === undefined
      ? undefined
      : `Row ${count(row + 1)} of the column ${quoted(columnName)} is ${value}. Infinite values have no variance: leave the column out, or correct the data.`,
  OUT_OF_RANGE: ({ column, columnName, value }) =>
    column === undefined
      ? `The variance of these data is too large for float64. Divide the data by ${Number(value).toExponential(0)} first, or ${DIVIDE}.`
      : `The variance of the column ${quoted(columnName)} is too large for float64. Divide the column by a constant first.`,
  EMPTY_DATA: ({ reason }) =>
    reason === 'no-complete-row'
      ? 'Every row has a missing value in one of the chosen columns. Leave out the columns with the most missing values, or fill them with the mean.'
      : undefined,
  MISSING_VALUES: ({ reason, columnName }) =>
    reason === 'empty-column'
      ? `The column ${quoted(columnName)} has no value at all, so it has no mean. Leave it out.`
      : undefined,
  NOT_CONVERGED: ({ value, expected }) =>
    `The solver stopped at a residual of ${formatNumber(Number(value))}, above the tolerance of ${formatNumber(Number(expected))}. Choose another solver.`,
};

const DOWNLOAD_AGAIN = 'Copy or download it again.';

export function describeProblem({ message, code, details = {} }: WorkerProblem): string {
  const file = details.path ?? 'the file';
  const { row } = details;
  const inside = row === undefined ? `the first line of ${file}` : `row ${count(row + 1)} of ${file}`;
  const start = row === undefined ? `The first line of ${file}` : `Row ${count(row + 1)} of ${file}`;
  const at = { start, inside };
  return (code && ERRORS[code]?.({ ...details, file, at })) ?? message;
}

/** Columns that a warning names. */
const NAMED_COLUMNS = 5;

type Names = readonly (string | number)[];
type Counts = readonly { readonly name: string; readonly count: number }[];

/** The reasons why a column is left out, worded to follow "it": those of ID_COLUMN (`details.reasons`) and those of the page. */
export const REASONS: Readonly<Record<LeftOutReason, string>> = {
  counting: 'changes by 1 from row to row, like a row number or a date',
  'one-way': 'goes one way from row to row, mostly by 1, like a row number or a date',
  unique: 'has a different whole number in every row',
  name: 'has the name of an identifier',
  restarts: 'goes up, mostly by 1, and starts again, like a number within groups',
  year: 'holds calendar years',
  date: 'has the name and the values of a date or a time',
  index: 'is the index of the rows, as the file says',
  colour: 'has the groups that were chosen to colour the points',
};

const WARNINGS: {
  readonly [Code in Warning['code']]?: (details: Record<string, unknown>, names: readonly string[]) => string;
} = {
  CONSTANT_COLUMN: ({ columns, count: all }, names) => {
    const some = (columns as readonly number[]).map((column) =>
      /^\d+$/.test(names[column]) ? quoted(names[column]) : shorten(names[column], 40),
    );
    const more = Number(all) - some.length;
    const one = Number(all) === 1;
    return `The ${one ? 'column' : 'columns'} ${listed(more > 0 ? [...some, `${count(more)} more`] : some)} ${one ? 'does' : 'do'} not vary enough to be scaled. Leaving constant columns out changes nothing else.`;
  },
  DOMINANT_COLUMN: ({ columns, share, among, remedy }) => {
    const [name, part] = [nameOf((columns as Names)[0]), percent(Number(share))];
    const has = among
      ? `${name} has ${part} of the variance of the ${plural(Number(among), 'column')} that look like measurements`
      : `${name} has ${part} of the variance`;
    return `${has}, more than the others together, and the columns are not scaled.${spreadAdvice(remedy, columns as Names)}`;
  },
  UNEQUAL_SPREAD: ({ columns, deviations, ratio, remedy }) => {
    const [[largest, smallest], [high, low]] = [columns as Names, deviations as readonly number[]];
    return `The standard deviations of the columns differ ${count(Math.floor(Number(ratio)))}-fold, from ${formatNumber(low)} (${nameOf(smallest)}) to ${formatNumber(high)} (${nameOf(largest)}).${spreadAdvice(remedy, columns as Names)}`;
  },
  ID_COLUMN: ({ columns, count: all, reasons }) => {
    const each = (columns as Names)
      .slice(0, NAMED_COLUMNS)
      .map((name, i) => `${nameOf(name)} ${REASONS[(reasons as readonly LeftOutReason[])[i]]}`);
    if (Number(all) > each.length) each.push(`and so on for ${count(Number(all) - each.length)} more`);
    return `${each.join('; ')}. Leave ${all === 1 ? 'it out unless it measures' : 'them out unless they measure'} something.`;
  },
  CATEGORY_CODES: ({ columns, count: all }) =>
    `The whole numbers of ${namesOf(columns as Names, Number(all))} look like codes of classes, whose differences mean nothing. If they are, leave ${all === 1 ? 'the column' : 'these columns'} out; ${all === 1 ? 'it' : 'they'} can still colour the points.`,
  DUPLICATE_COLUMNS: ({ groups }) => {
    const all = groups as readonly Names[];
    const each = all.slice(0, NAMED_COLUMNS).map((group) => namesOf(group, group.length));
    if (all.length > each.length) each.push(plural(all.length - each.length, 'more group'));
    return `${each.join('; ')} are nearly the same except for unit and offset (|r| > 0.999), so the same information counts more than once. Keep one of them if they are the same quantity.`;
  },
  FEW_ROWS: ({ rows, cols, components }) =>
    `There are only ${plural(Number(rows), 'row')} of ${plural(Number(cols), 'column')}: at most ${plural(Number(components), 'component')} can have variance, and in another sample they may be quite different.`,
  ORDERED_ROWS: (details) => {
    const { randomWalks, block } = details as unknown as RowOrder;
    const so =
      randomWalks.length > 0
        ? 'so other times may have other components'
        : `so samples are drawn in blocks of ${count(block)} rows`;
    return `${describeRowOrder(details as unknown as RowOrder)}, ${so}.`;
  },
  CONSTANT_SUM: ({ total, least, most }) =>
    `The columns add up to ${describeTotal(Number(total), Number(least), Number(most))} in every row, so they are parts of a whole: if one rises, others must fall. Log-ratios avoid this: scree analyze --scale clr.`,
  LINEAR_RELATION: ({ relations }) =>
    `Columns follow exactly from others: ${(relations as readonly WrittenRelation[]).slice(0, 3).map(describeRelation).join('; ')}. What they measure counts more than once.`,
  NEAR_CONSTANT_COLUMN: ({ columns, count: all, shares }) =>
    `At least ${Math.floor(100 * Math.min(...(shares as readonly number[])))} % of the values of ${namesOf(columns as Names, Number(all))} are the same, so a few rows have all of the variance there.`,
  DUPLICATE_ROWS: ({ count: all, compared }) =>
    `${count(Number(all))} of ${plural(Number(compared), 'row')} repeat earlier rows in all columns. If records were entered twice, leave the repetitions out: they make the results look more certain.`,
  FEW_LEVELS: ({ count: all, low, high }) =>
    `${plural(Number(all), 'column')} have only whole numbers from ${low} to ${high}, like answers on a rating scale: their order may mean more than their differences.`,
  SKEWED_COLUMNS: ({ columns, count: all }) =>
    `${namesOf(columns as Names, Number(all))} ${all === 1 ? 'is' : 'are'} very skewed, with a few values many times larger than most: logarithms may show more.`,
  ORDERED_COLUMNS: ({ columns, count: all }) => {
    const [first, last] = (columns as Names).map(nameOf);
    return `The ${plural(Number(all), 'column')} from ${first} to ${last} are in an order in which neighbours are alike, like a spectrum: read weights as curves.`;
  },
  CORRELATION_MATRIX: ({ rows }) =>
    `These ${plural(Number(rows), 'row')} of ${plural(Number(rows), 'column')} look like a correlation matrix (symmetric, with 1 on the diagonal), and PCA takes them for rows of data. Open the table that the matrix was computed from, and ${DIVIDE}.`,
  MISSING_LEVEL: ({ columns }) => {
    const [{ name, level }] = columns as readonly { readonly name: string; readonly level: string }[];
    return `The level ${level} of ${nameOf(name)} counts as a value. If missing values are meant, leave their cells empty in the file.`;
  },
  ZERO_INFLATED: ({ columns, count: all }) =>
    `More than half of the values of ${namesOf(columns as Names, Number(all))} are 0. PCA treats 0 as one more value on the same scale, and not as a separate case.`,
  VALUES_FILLED: ({ columns, values, rows }) => {
    const filled = columns as Counts;
    const were = values === 1 ? 'was' : 'were';
    return filled.length === 1
      ? `${count(filled[0].count)} of ${plural(Number(rows), 'value')} of ${nameOf(filled[0].name)} ${were} filled in with the column's mean.`
      : `${plural(Number(values), 'missing value')} ${were} filled in with column means: ${counted(filled)}, of ${plural(Number(rows), 'row')}.`;
  },
  ROWS_DROPPED: ({ count: dropped, rows, columns }) =>
    `${count(Number(dropped))} of ${plural(Number(rows), 'row')} ${dropped === 1 ? 'has gaps and is' : 'have gaps and are'} left out (${counted(columns as Counts)}).`,
  VALUES_CONVERTED: ({ values, columns }) => {
    const converted = columns as readonly ConvertedColumn[];
    const each = converted
      .slice(0, NAMED_COLUMNS)
      .map(
        ({ name, count: some, from, to }) => `${nameOf(name)} (${count(some)}, such as ${shorten(from, 20)} → ${to})`,
      );
    if (converted.length > each.length) each.push(`${count(converted.length - each.length)} more`);
    return `${plural(Number(values), 'value')} ${values === 1 ? 'was not written as a plain number and was' : 'were not written as plain numbers and were'} converted: ${each.join(', ')}.`;
  },
  COLUMNS_LEFT_OUT: ({ columns }) => {
    const left = columns as readonly { readonly name: string; readonly share?: number; readonly holds?: string }[];
    const each = left
      .slice(0, NAMED_COLUMNS)
      .map(({ name, share, holds }) => `${nameOf(name)} (${holds ?? `${Math.round(100 * Number(share))} % numbers`})`);
    if (left.length > each.length) each.push(`${count(left.length - each.length)} more`);
    const [were, they, hold] = left.length === 1 ? ['was', 'it is', 'it holds'] : ['were', 'they are', 'they hold'];
    if (left[0]?.holds !== undefined) return `${listed(each)} ${were} left out because ${hold} no numbers.`;
    return `${listed(each)} ${were} left out because ${they} mostly text. If the texts mean missing values, leave those cells empty.`;
  },
  INTEGERS_ROUNDED: ({ columns, count: all }) => {
    const rounded = columns as readonly { readonly name: string; readonly count: number }[];
    const some = rounded
      .slice(0, NAMED_COLUMNS)
      .map(({ name, count: each }) => `${shorten(name, 40)} (${count(each)})`);
    if (rounded.length > some.length) some.push(`${count(rounded.length - some.length)} more`);
    const one = Number(all) === 1;
    return `${plural(Number(all), 'whole number')} beyond 2^53 ${one ? 'was' : 'were'} rounded to the nearest float64: ${listed(some)}. If a column holds identifiers, leave it out.`;
  },
  RANK_BELOW_K: ({ precise, ...details }) => {
    const { rank } = details as Partial<RankDetails>;
    const other = precise ? '' : ', or choose the solver svd if you expect variances this small';
    const advice = rank === 0 ? '' : ` Keep ${rank} at most${other}.`;
    return `${describeRank(details as unknown as RankDetails)}${advice}`;
  },
  FEW_DIGITS: (details) =>
    describeFewDigits(details as unknown as FewDigits, (name) =>
      typeof name === 'number' ? `"${name}"` : shorten(name, 40),
    ),
  BELOW_ACCURACY: ({ component, variance, degrees, solver, precise }) =>
    `From component ${Number(component) + 1} on (variance ${formatNumber(Number(variance))}), the solver ${solver} may have rotated neighbouring axes into each other by up to ${degrees}°: their variances are too close, or too small beside the largest. ${
      precise ? `To avoid this, ${DIVIDE}` : `Choose the solver svd, or ${DIVIDE}`
    }.`,
};

/** A warning as a sentence. `names` are the names of the fitted columns. */
export function warningSentence({ code, message, details }: Warning, names: readonly string[]): string {
  return (details && WARNINGS[code]?.(details, names)) ?? message;
}

/** Advice about unequal spreads. The first column has the largest; `remedy` is missing in models of older versions. */
function spreadAdvice(remedy: unknown, [largest]: Names): string {
  if (remedy === 'none') return '';
  return remedy === 'leave-out'
    ? ` If ${nameOf(largest)} numbers the rows or says when they were taken, leave it out; otherwise, if the columns have different units, ${DIVIDE}.`
    : ` If the columns have different units, ${DIVIDE}.`;
}

function nameOf(name: string | number): string {
  return typeof name === 'number' ? `column "${name}"` : shorten(name, 40);
}

/** The first names, and the number of the others: "a, b and 3 more". `all` is the number of all names. */
function namesOf(names: Names, all: number): string {
  const shown = names.slice(0, NAMED_COLUMNS).map(nameOf);
  return listed(all > shown.length ? [...shown, `${count(all - shown.length)} more`] : shown);
}

/** "37 in Ozone, 7 in Solar.R": the columns with the most first. */
function counted(columns: Counts): string {
  const most = [...columns].sort((a, b) => b.count - a.count).slice(0, NAMED_COLUMNS);
  const some = most.map(({ name, count: each }) => `${count(each)} in ${nameOf(name)}`);
  if (columns.length > some.length) some.push(`others in ${plural(columns.length - some.length, 'more column')}`);
  return some.join(', ');
}

/** A cell that is not a number, as in: row 42 holds "ill". */
export function describeMixedCell({ row, value }: TableCell): string {
  return `row ${count(row + 1)} holds ${quoted(value)}`;
}

function quoted(value: unknown): string {
  return shorten(JSON.stringify(value) ?? String(value), 40);
}

/** "a list of 3" for the length of a list; any other value as text. */
function listOf(value: unknown): string {
  return typeof value === 'number' ? `a list of ${value}` : String(value);
}

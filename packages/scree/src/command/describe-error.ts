import type { RowOrder } from '@scree/analysis';
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
import { type ErrorDetails, ScreeError, type Warning } from '@scree/core';
import { withDetails } from '@scree/core/pipeline';
import type { ConvertedColumn } from '@scree/files';
import { shellWord } from './shell-word.js';
import { flagList } from './spelled-flags.js';

/**
 * Errors and warnings as sentences for the terminal, made from their codes and details: rows are counted from 1, and advice names flags.
 * (The library's own messages name options.) If this file has no sentence for an error, the library's message is printed.
 */

/** The details of an error, with names for sentences: `file` is the data, `Row` and `rowName` are "Row 3 of data.csv" and "row 3 of data.csv". */
interface NamedDetails extends ErrorDetails {
  readonly file: string;
  readonly Row: string;
  readonly rowName: string;
  /** True if the command can predict missing values. */
  readonly predicts: boolean;
}

type Describe = (details: NamedDetails, message: string) => string | undefined;

/** Why a criterion does not apply to data. */
const OBSTACLES: Readonly<Record<string, string>> = {
  correlation: 'is for correlations: it applies with --scale unit',
  centered: 'is for centred data: it applies without --no-center',
  unweighted: 'counts rows, and does not apply with --weight',
};

/** The values that a transform accepts, and the remedy for other values. */
const TRANSFORM_BOUNDS: Readonly<Record<string, string>> = {
  log1p:
    'ln(1 + x) needs numbers above −1: use --transform asinh, which takes all numbers, or transform other columns only.',
  sqrt: 'Square roots need numbers from 0 up: use --transform asinh, which takes all numbers, or transform other columns only.',
  clr: 'Log-ratios need parts above 0: replace zeros by a small amount, such as half of the smallest that can be measured, or leave the column out.',
  ilr: 'Log-ratios need parts above 0: replace zeros by a small amount, such as half of the smallest that can be measured, or leave the column out.',
};

const ERRORS: { readonly [Code in ScreeError['code']]?: Describe } = {
  MISSING_VALUES: ({ reason, file, Row, row, columnName, value, count: all, affectedRows, totalRows, predicts }) => {
    if (reason === 'empty-column') {
      return `${capital(column(columnName))} of ${file} has no values, so it has no mean. Leave it out: ${exclude([String(columnName)])}.`;
    }
    if (reason === 'missing-cell')
      return `${Row} has no value in ${column(columnName)}. Use --missing drop to leave such rows out, --missing mean to count it as the average, or --missing level to make it a level of its category.`;
    if (reason === 'missing-covariate')
      return `${Row} has no value in ${column(columnName)}, a covariate. Fill it in, or leave the row out of the file.`;
    if (reason === 'missing-group')
      return `${Row} has no value in ${column(columnName)}, so it is in no group of --between. Fill it in, or leave the row out of the file.`;
    const columns = Array.isArray(value) ? (value as readonly { readonly name: string }[]).map(({ name }) => name) : [];
    if (row !== undefined && columns.length === 0) {
      return `${Row} has no weight (${column(columnName)}). Fill it in, or use --missing drop to leave such rows out.`;
    }
    const choices = `${predicts ? '--missing iterative to predict them from the other columns, ' : ''}--missing drop to leave those rows out, --missing mean to fill them with column means`;
    const consequence = predicts ? ' Predictions are only as good as the relations between the columns.' : '';
    if (affectedRows === undefined || totalRows === undefined) {
      return `${file} has missing values. Use ${choices}, or --exclude to leave out columns.${consequence}`;
    }
    return `${file} has missing values in ${count(affectedRows)} of ${plural(totalRows, 'row')} (${row === undefined ? '' : `first: row ${count(row + 1)}, `}${column(columnName)}). Use ${choices}, or ${exclude(columns, all)}.${consequence}`;
  },
  NOT_FINITE: ({ Row, row, column: index, columnName, value }) =>
    row === undefined
      ? undefined
      : `${Row} has ${value} in ${column(columnName ?? index)}. ${
          Number.isNaN(value) ? 'PCA needs a number there' : 'Infinite values have no variance'
        }: correct it, or leave the column out with --exclude.`,
  NOT_A_NUMBER: ({ reason, file, Row, row, columnName, value }) => {
    if (reason === 'supplementary-text')
      return `${capital(column(columnName))} of ${file} holds no numbers, and --supplementary is for numbers. Use --group ${shellWord(String(columnName))} to compare groups of rows.`;
    if (row === undefined) return undefined;
    const comma =
      typeof value === 'string' && /^[+-]?\d*\.\d+$/.test(value) ? 'numbers with a decimal comma' : 'numbers';
    const missing =
      typeof value === 'string' ? `--na ${shellWord(flagList([value]))} if it means a missing value, or ` : '';
    const title = row === 0 ? ' If these are the names of the columns, remove what is above them.' : '';
    return `${Row} has ${quoted(value)} in ${column(columnName)}, where ${comma} are expected. Correct it, or use ${missing}${exclude([String(columnName)])}.${title}`;
  },
  RAGGED_ROWS: ({ reason, Row, row, columnName, value, expected }) => {
    if (row === undefined) return undefined;
    if (reason === 'mixed-forms') return `${Row} is a list among records, or the reverse. Use one form for all rows.`;
    if (reason === 'unknown-key')
      return `${Row} has a key ${quoted(columnName)} that the first rows do not have. Give all records the same keys.`;
    if (columnName !== undefined) {
      const found = typeof value === 'number' ? `a list of ${count(value)}` : String(value);
      return `${Row} has ${found} in ${column(columnName)}, but the first row has a list of ${expected}. Make all lists equally long, or use ${exclude([columnName])}.`;
    }
    if (typeof value !== 'number' || typeof expected !== 'number') return undefined;
    const title = row === 0 && value < expected ? ', or remove it if it is a title' : ' or remove it';
    return `${Row} has ${plural(value, 'cell')}, but the others have ${count(expected)}. Complete it${title}.`;
  },
  BAD_DATA: ({ reason, file, Row, columnName, column: index, value, expected }) => {
    if (reason === 'unseen-level')
      return `${Row} has ${quoted(value)} in ${column(columnName)}, a level that the fit did not see. Use --unseen mean to count it as the average, or correct it; fits with --rare pool rare and new levels.`;
    if (reason === 'unseen-covariate')
      return `${Row} has ${quoted(value)} in ${column(columnName)}, a covariate of which the fit did not see this level. Use --unseen mean to count it as the average, or correct it.`;
    if (reason === 'no-categories')
      return `${file} has no column of text to use as a category. Name columns whose numbers are codes with --categories, or leave --method out.`;
    if (reason === 'repeated-part')
      return `The same rows are there twice: ${value}, and ${expected}. Leave one of them out; if two parts really have the same rows, use --allow-duplicates.`;
    if (reason === 'median-deviation-0')
      return `More than half of the values of ${column(columnName ?? index)} are the same, so its median absolute deviation is 0. Use ${exclude([columnName ?? Number(index)])}, or --scale unit.`;
    if (reason === 'open-quote')
      return `${Row} opens a quotation mark that is never closed. Close it, or double it if it belongs to the text.`;
    if (reason !== 'ambiguous-mark') return undefined;
    const [mark, text] = [String(expected), String(value)];
    return `${Row} has ${quoted(value)} in ${column(columnName)}: its ${mark === ',' ? 'comma' : 'point'} may separate thousands or decimals. Write ${text.replace(mark, '')} or ${text.replace(mark, '.')}0, and the whole column in the same way, or use ${exclude([String(columnName)])}.`;
  },
  BAD_FILE: ({ reason, file, Row, rowName, row, value, expected }) => {
    if (row === undefined) return undefined;
    if (reason === 'missing-comma') return `${file} cannot be read: there is no comma after ${rowName}.`;
    if (reason === 'not-a-record') return `${Row} is neither a record nor a list.`;
    if (reason === 'nested-too-deep') return `${Row} is nested more than ${expected} levels deep.`;
    return reason === 'invalid-json' ? `${Row} is not valid JSON (${value}).` : undefined;
  },
  FILE_TRUNCATED: ({ reason, file, rowName, expected }) => {
    const again = 'Copy or download it again.';
    if (reason === 'unfinished-row') return `${file} is cut off: ${rowName} does not end. ${again}`;
    if (reason !== 'missing-row') return undefined;
    return `${file} is cut off: it should have ${plural(Number(expected), 'row')} and ends before ${rowName}. ${again}`;
  },
  TOO_LARGE: ({ reason, option, Row, row, value }, message) => {
    if (option === 'solver')
      return `This solver needs a matrix of ${count(Number(value))} × ${count(Number(value))} numbers, more than a machine can hold. Use --solver krylov, or leave --solver out.`;
    if (reason !== 'memory') return undefined;
    if (row === undefined) return `${message} (The limit is --memory.)`;
    return `${Row} is longer than the memory allows. A quotation mark may be missing; otherwise allow more with --memory.`;
  },
  UNSUPPORTED: ({ reason, file }) =>
    reason === 'memory'
      ? `${file} has a dictionary that is too large for the memory. Allow more with --memory.`
      : undefined,
  EMPTY_DATA: ({ reason, file }) =>
    reason === 'no-complete-row'
      ? `Every row of ${file} has a missing value, so --missing drop leaves nothing. Use --missing mean, or --exclude the columns with the most missing values.`
      : undefined,
  OUT_OF_RANGE: ({ reason, Row, row, column: index, columnName, value, expected }) => {
    if (reason === 'transform')
      return `${Row} has ${value} in ${column(columnName ?? index)}. ${TRANSFORM_BOUNDS[String(expected)]}`;
    if (row !== undefined)
      return `${Row} is too far from the rows that the model was fitted to: its scores do not fit into whole steps. Fit the model to these data, or use --quantise float16.`;
    if (index !== undefined || typeof value !== 'number') return undefined;
    return `The variance of these data is too large for float64. Divide the data by ${value.toExponential(0)} first, or use --scale unit.`;
  },
  K_OUT_OF_RANGE: ({ value, expected }) => {
    if (typeof value === 'string' && typeof expected === 'string' && expected in OBSTACLES)
      return `-k ${value} ${OBSTACLES[expected]}. Use -k auto to ask the criteria that apply.`;
    return typeof value !== 'number' || typeof expected !== 'number'
      ? undefined
      : `-k is ${value}, but these data have at most ${plural(expected, 'component')}. Use -k ${expected} or less, or --all.`;
  },
  BAD_WEIGHTS: ({ Row, row, value }) =>
    row === undefined ? undefined : `${Row} has the weight ${value}. Weights must be 0 or more; 0 leaves a row out.`,
  BAD_SCALE: ({ value }) =>
    value === 'median'
      ? '--scale median reads the rows several times, which is not possible with --checkpoint or with rows that can be read only once. Use --scale unit.'
      : undefined,
  BAD_OPTION: ({ option, value, expected, cause }, message) => {
    if (option === 'engine')
      return `--engine ${value} is not available on this machine${cause === undefined ? '; scree doctor says why' : `: ${cause}`}. Leave --engine out to use the fastest one that is.`;
    if (option === 'ddof') return `--ddof ${value} leaves nothing to divide by: use a number below the number of rows.`;
    if (option === 'supplementaryRows' && typeof value === 'number')
      return `--supplementary-rows has row ${value}, and there ${expected === 1 ? 'is 1 row' : `are ${count(Number(expected))} rows`}.`;
    if (option === 'groups' && typeof expected === 'number')
      return `--group ${value} has more than ${count(expected)} different values: these are names of rows rather than of groups. Use --name for them.`;
    if (option === 'groups' && value !== undefined)
      return `--group ${value} is a column of --supplementary or --weight too. Leave it out of one of them.`;
    return option === 'member' || option === 'sql' ? `${message} (--${option})` : undefined;
  },
  NOT_CONVERGED: ({ value, expected }) =>
    typeof value !== 'number' || typeof expected !== 'number'
      ? undefined
      : `The solver stopped at a residual of ${formatNumber(value)}, above the tolerance of ${formatNumber(expected)}. Use another --solver, or a larger --tolerance.`,
  MEAN_UNKNOWN: () =>
    'This model was made from a covariance matrix. It does not know the means of the columns, which rows need: fit it to rows.',
  WORKER_LOST: ({ value }) =>
    `A worker thread stopped in the middle of the work: ${value}. Try again, or use --threads 1.`,
};

export function describeError(error: ScreeError, { predicts = false } = {}): string {
  const { code, message, details } = error;
  const path = details.path ?? ('path' in error ? String(error.path) : undefined);
  const file = path === undefined || path === '-' || path === 'standard input' ? 'standard input' : path;
  const { row } = details;
  const rowName = row === undefined ? `the first line of ${file}` : `row ${count(row + 1)} of ${file}`;
  const named = { ...details, file, rowName, Row: capital(rowName), predicts };
  const described = ERRORS[code]?.(named, message);
  return described === undefined ? message : described.startsWith('standard') ? capital(described) : described;
}

/** Adds the name of the data file to an error that has none. */
export function nameFile(error: unknown, path: string | undefined): unknown {
  return error instanceof ScreeError && error.details.path === undefined && !('path' in error)
    ? withDetails(error, { path: path ?? 'the query' })
    : error;
}

/** Runs `work` on rows that come after `before` other rows, and adds `before` to the row number of an error. */
export async function afterRows<Result>(before: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { row } = error instanceof ScreeError ? error.details : {};
    throw error instanceof ScreeError && row !== undefined ? withDetails(error, { row: row + before }) : error;
  }
}

type Names = readonly (string | number)[];
type Counts = readonly { readonly name: string; readonly count: number }[];

/** Maximum number of relations that a warning writes out. */
const MOST_RELATIONS = 3;

/** Maximum number of columns that a warning names. */
const MOST_SHOWN = 5;

/** Reasons why a column seems to identify rows: `details.reasons` of ID_COLUMN. */
const REASONS: Readonly<Record<string, string>> = {
  counting: 'changes by 1 from row to row, like a row number or a date',
  'one-way': 'goes one way from row to row, mostly by 1, like a row number or a date',
  unique: 'has a different whole number in every row',
  name: 'has the name of an identifier',
  restarts: 'goes up, mostly by 1, and starts again, like a number within groups',
  year: 'holds calendar years',
  date: 'has the name and the values of a date or a time',
};

const WARNINGS: {
  readonly [Code in Warning['code']]?: (
    details: Readonly<Record<string, unknown>>,
    names: readonly string[] | undefined,
  ) => string | undefined;
} = {
  CONSTANT_COLUMN: ({ columns, names: given, count: all }, names) => {
    const shown = (given as Names | undefined) ?? (columns as readonly number[]).map((j) => names?.[j] ?? j);
    return `${capital(columnsOf(shown, Number(all)))} ${all === 1 ? 'does' : 'do'} not vary enough to be scaled. Leaving constant columns out with --exclude changes nothing else.`;
  },
  RANK_BELOW_K: ({ precise, ...details }) => {
    const { rank } = details as Partial<RankDetails>;
    const other = precise ? '' : ', or --solver svd if you expect variances this small';
    const advice = rank === 0 ? '' : ` Use -k ${rank}${rank === 1 ? '' : ' or less'}${other}.`;
    return `${describeRank(details as unknown as RankDetails)}${advice}`;
  },
  BELOW_ACCURACY: ({ component, variance, degrees, solver, precise }) =>
    `From component ${Number(component) + 1} on (variance ${formatNumber(Number(variance))}), the solver ${solver} may have rotated neighbouring axes into each other by up to ${degrees}°: their variances are too close, or too small compared with the largest. ${
      precise ? 'Use --scale unit' : 'Use --solver svd or --scale unit'
    } to avoid this.`,
  DOMINANT_COLUMN: ({ columns, share, among, remedy }) => {
    const [name, part] = [column((columns as Names)[0]), percent(Number(share))];
    const whose = among ? ` of the ${plural(Number(among), 'column')} that look like measurements` : '';
    return `${capital(name)} has ${part} of the variance${whose}, more than the others together, and columns are not scaled.${spreadAdvice(remedy, columns as Names)}`;
  },
  UNEQUAL_SPREAD: ({ columns, deviations, ratio, remedy }) => {
    const [[largest, smallest], [high, low]] = [columns as Names, deviations as readonly number[]];
    return `Standard deviations of the columns differ ${count(Math.floor(Number(ratio)))}-fold, from ${formatNumber(low)} (${column(smallest)}) to ${formatNumber(high)} (${column(largest)}): columns with a large spread decide the first components.${spreadAdvice(remedy, columns as Names)}`;
  },
  ID_COLUMN: ({ columns, count: all, reasons, share }) => {
    const names = columns as Names;
    const each = names
      .slice(0, MOST_SHOWN)
      .map((name, i) => `${column(name)} ${REASONS[String((reasons as Names)[i])]}`);
    if (Number(all) > each.length) each.push(`so do ${count(Number(all) - each.length)} more`);
    const part =
      Number(share) > 0.01 ? `, and ${all === 1 ? 'has' : 'have'} ${percent(Number(share))} of the variance` : '';
    const unless = all === 1 ? 'it measures' : 'they measure';
    return `${capital(each.join('; '))}${part}; unless ${unless} something, use ${exclude(names)}.`;
  },
  CATEGORY_CODES: ({ columns, count: all }) => {
    const names = columns as Names;
    return `The whole numbers of ${columnsOf(names, Number(all))} look like codes of classes, whose differences mean nothing; if they are codes, use ${exclude(names)}, or --label to colour rows by ${all === 1 ? 'it' : 'one of them'}.`;
  },
  DUPLICATE_COLUMNS: ({ groups, count: all }) => {
    const each = (groups as readonly Names[]).slice(0, MOST_SHOWN).map((group) => columnsOf(group, group.length));
    const more = (groups as readonly Names[]).length - each.length;
    if (more > 0) each.push(`${count(more)} more groups`);
    const spare = (groups as readonly Names[]).flatMap((group) => group.slice(1));
    return `${capital(each.join('; '))} are nearly the same but for unit and offset (|r| > 0.999), so what they measure counts more than once. If they are the same quantity, use ${Number(all) > MOST_NAMES ? '--exclude to keep one of each' : exclude(spare)}.`;
  },
  FEW_ROWS: ({ rows, cols, components }) =>
    `There are only ${plural(Number(rows), 'row')} of ${plural(Number(cols), 'column')}: no more than ${plural(Number(components), 'component')} can have variance, and in another sample ${Number(components) === 1 ? 'it' : 'they'} may be quite different.`,
  CORRELATION_MATRIX: ({ rows }) =>
    `These ${plural(Number(rows), 'row')} of ${plural(Number(rows), 'column')} look like a correlation matrix (symmetric, with 1 on the diagonal), and PCA takes them for rows of data. Fit the table that the matrix was computed from, with --scale unit. If you have only the matrix, use scree fit --covariance FILE.`,
  ORDERED_ROWS: (details) => {
    const { randomWalks, block } = details as unknown as RowOrder;
    const remedy =
      randomWalks.length > 0
        ? ', so analyse differences between neighbouring rows'
        : `, so samples are drawn in blocks of ${count(block)} rows (--bootstrap-block takes another number)`;
    return `${describeRowOrder(details as unknown as RowOrder)}${remedy}.`;
  },
  CONSTANT_SUM: ({ count: all, total, least, most, zeros }) =>
    `The ${plural(Number(all), 'column')} of measurements add up to ${describeTotal(Number(total), Number(least), Number(most))} in every row, so they are parts of a whole: use --scale clr${
      Number(zeros) > 0
        ? ', after replacing zeros, for example by two thirds of the smallest amount that can be measured'
        : ''
    }.`,
  LINEAR_RELATION: ({ relations, count: all }) => {
    const written = (relations as readonly WrittenRelation[]).map(describeRelation);
    const shown = written.slice(0, MOST_RELATIONS);
    if (Number(all) > shown.length) shown.push(`${count(Number(all) - shown.length)} more`);
    const lefts = (relations as readonly WrittenRelation[]).map(({ left }) => left);
    return `Columns follow exactly from others, ${shown.join('; ')}: use ${exclude(lefts, Number(all))}, so that nothing counts twice.`;
  },
  NEAR_CONSTANT_COLUMN: ({ columns, count: all, shares }) => {
    const names = columns as Names;
    const least = Math.floor(100 * Math.min(...(shares as readonly number[])));
    return `At least ${least} % of the values of ${columnsOf(names, Number(all))} are the same, so a few rows have all of the variance there: use ${exclude(names, Number(all))}, or look at these rows.`;
  },
  DUPLICATE_ROWS: ({ count: all, compared }) =>
    `${count(Number(all))} of ${plural(Number(compared), 'row')} repeat earlier rows in all columns: if records were entered twice, leave the repetitions out, because they make the results look more certain.`,
  FEW_LEVELS: ({ count: all, low, high }) =>
    `${plural(Number(all), 'column')} have only whole numbers from ${low} to ${high}, like answers on a rating scale: --transform rank --scale unit analyses Spearman's correlations instead.`,
  SKEWED_COLUMNS: ({ columns, count: all }) => {
    const names = columns as Names;
    const some =
      names.length > MOST_NAMES ? undefined : names.map((name) => `${String(name).replaceAll(',', ',,')}=log`);
    return `${capital(columnsOf(names, Number(all)))} ${all === 1 ? 'is' : 'are'} very skewed, with a few values many times larger than most: ${some ? `--transform ${shellWord(some.join(','))}` : '--transform log'} analyses ${all === 1 ? 'its logarithm' : 'their logarithms'}.`;
  },
  ORDERED_COLUMNS: ({ columns, count: all }) => {
    const [first, last] = columns as Names;
    return `The ${plural(Number(all), 'column')} from ${column(first).replace(/^column /, '')} to ${column(last).replace(/^column /, '')} are in an order in which neighbours are alike, like a spectrum: read loadings as curves.`;
  },
  MISSING_LEVEL: ({ columns, count: all }) => {
    const levels = columns as readonly { readonly name: string; readonly level: string }[];
    const each = levels.map(({ name, level }) => `${level} of ${column(name)}`);
    const more = Number(all) > levels.length ? ` and of ${plural(Number(all) - levels.length, 'more column')}` : '';
    const texts = [...new Set(levels.map(({ level }) => level))].join(',');
    return `The level${levels.length > 1 ? 's' : ''} ${each.join(', ')}${more} ${levels.length > 1 ? 'count as values' : 'counts as a value'}. If missing values are meant: --na ${shellWord(texts)} and --missing drop, mean or level.`;
  },
  ZERO_INFLATED: ({ columns, count: all }) =>
    `More than half of the values of ${columnsOf(columns as Names, Number(all))} are 0: PCA treats whether a value is 0, and how large it is otherwise, as one scale.`,
  VALUES_FILLED: ({ columns, values, rows, with: source, k, iterations }) => {
    const filled = columns as Counts;
    if (source === 'level')
      return `${plural(Number(values), 'missing value counts', 'missing values count')} as a level of ${values === 1 ? 'its' : 'their'} own in categories, and as the mean in columns of numbers: ${counted(filled)}, of ${plural(Number(rows), 'row')}.`;
    if (source === 'iterative' || source === 'em' || source === 'nipals') {
      const by = { iterative: 'regularised iterative PCA', em: 'EM of probabilistic PCA', nipals: 'NIPALS' }[source];
      return `${plural(Number(values), 'missing value')} ${Number(values) === 1 ? 'was' : 'were'} predicted by ${by} with ${plural(Number(k), 'component')} (${plural(Number(iterations), 'iteration')}): ${counted(filled)}, of ${plural(Number(rows), 'row')}.`;
    }
    const means = source === 'given' ? "the model's mean" : 'the column mean, which shrinks correlations';
    if (filled.length === 1)
      return `${count(filled[0].count)} of ${plural(Number(rows), 'value')} of ${column(filled[0].name)} ${Number(values) === 1 ? 'was' : 'were'} filled in with ${means}.`;
    return `${plural(Number(values), 'missing value')} ${Number(values) === 1 ? 'was' : 'were'} filled in with ${means}: ${counted(filled)}, of ${plural(Number(rows), 'row')}.`;
  },
  ROWS_DROPPED: ({ count: dropped, rows, columns }) =>
    `${count(Number(dropped))} of ${plural(Number(rows), 'row')} ${dropped === 1 ? 'was' : 'were'} left out because of missing values: ${counted(columns as Counts)}.`,
  VALUES_CONVERTED: ({ values, columns }) => {
    const each = (columns as readonly ConvertedColumn[])
      .slice(0, MOST_SHOWN)
      .map(({ name, count: some, from, to }) => `${column(name)} (${count(some)}, such as ${from} → ${to})`);
    const more = (columns as readonly unknown[]).length - each.length;
    if (more > 0) each.push(plural(more, 'more column', 'more columns'));
    return `${plural(Number(values), 'value')} ${values === 1 ? 'was not written as a plain number and was' : 'were not written as plain numbers and were'} converted: ${each.join(', ')}.`;
  },
  COLUMNS_LEFT_OUT: ({ columns }) => {
    const left = columns as readonly { readonly name: string; readonly share?: number; readonly holds?: string }[];
    const each = left
      .slice(0, MOST_SHOWN)
      .map(({ name, share, holds }) => `${column(name)} (${holds ?? `${Math.round(100 * Number(share))} % numbers`})`);
    if (left.length > each.length) each.push(`${count(left.length - each.length)} more`);
    const [were, they, hold] = left.length === 1 ? ['was', 'it is', 'it holds'] : ['were', 'they are', 'they hold'];
    if (left[0]?.holds !== undefined) return `${capital(each.join(', '))} ${were} left out because ${hold} no numbers.`;
    return `${capital(each.join(', '))} ${were} left out because ${they} mostly text. If the texts mean missing values, name them with --na.`;
  },
  FEW_DIGITS: (details) =>
    describeFewDigits(details as unknown as FewDigits, (name) => column(name).replace(/^column /, '')),
  NO_STRUCTURE: ({ criteria }) =>
    ['permutation', 'parallel'].some((test) => (criteria as readonly string[]).includes(test))
      ? 'No component stands out of noise: the columns are no more related than independent columns would be by chance.'
      : undefined,
  ROTATED: ({ k }) =>
    `The ${plural(Number(k), 'rotated component')} explain as much together as the unrotated ones, but their variances are not eigenvalues: none has to be the direction of most variance. To keep fewer of them, rotate fewer with -k.`,
  SCALES_DIFFER: ({ scales }) =>
    `The models scale their columns differently (${listed((scales as Names).map(String))}), so their loadings have different units. Fit both with the same --scale to compare them.`,
  COVARIATE_DROPPED: ({ covariates }) => {
    const names = covariates as readonly string[];
    return `${names.length === 1 ? 'The covariate' : 'The covariates'} ${listed(names)} ${names.length === 1 ? 'is' : 'are'} constant, or a combination of those before, and made no difference.`;
  },
  ENGINE_FALLBACK: ({ engine, cause }) => {
    if (engine === 'reference')
      return `The slower reference engine was used instead of WebAssembly: ${cause}. The result is as accurate. With --engine reference this warning goes away.`;
    if (engine !== 'wasm') return undefined;
    return `The wasm engine had fewer threads than usual: ${cause}. The result is the same. With --threads 1 this warning goes away.`;
  },
};

/** A warning as a sentence. `names` are the names of the model's columns, if it has names. */
export function warningWithFlags({ code, message, details }: Warning, names: readonly string[] | undefined): string {
  return (details && WARNINGS[code]?.(details, names)) ?? message;
}

/** Advice about a column with a large spread. Models of older versions have no `remedy`. */
function spreadAdvice(remedy: unknown, [largest]: Names): string {
  if (remedy === 'none') return '';
  return remedy === 'leave-out'
    ? ` If ${column(largest)} numbers the rows or says when they were taken, use ${exclude([largest])}; otherwise use --scale unit if the columns have different units.`
    : ' If the columns have different units, use --scale unit.';
}

/** Maximum number of names in the advice to exclude columns. If there are more, their number is given. */
const MOST_NAMES = 8;

function exclude(names: readonly (string | number)[], all = names.length): string {
  if (all > MOST_NAMES) return `--exclude to leave out some of these ${count(all)} columns`;
  // The flag's list needs a comma inside a name to be doubled.
  return `--exclude ${shellWord(names.map((name) => String(name).replaceAll(',', ',,')).join(','))}`;
}

/** A name is quoted if it could be misread: columns of files without names are called "0", "1" and so on. */
function column(name: unknown): string {
  const text = String(name);
  return `column ${/^[\w.-]+$/.test(text) && !/^\d+$/.test(text) ? text : quoted(text)}`;
}

/** "columns a, b and 3 more". `all` is the number of all columns. */
function columnsOf(names: Names, all: number): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => column(name).replace(/^column /, ''));
  if (all > shown.length) shown.push(`${count(all - shown.length)} more`);
  return `${all === 1 ? 'column' : 'columns'} ${listed(shown)}`;
}

/** "Ozone (37), Solar.R (7)". */
function counted(columns: Counts): string {
  const some = columns.slice(0, MOST_SHOWN).map(({ name, count: each }) => `${column(name)} (${count(each)})`);
  if (columns.length > some.length) some.push(`${count(columns.length - some.length)} more columns`);
  return some.join(', ');
}

/** A value as JSON, shortened in the middle of a sentence. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 56)}…"` : text;
}

function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

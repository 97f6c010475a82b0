import type { Warning } from '@scree/core';
import { listed } from '../describe/numbers.js';
import type { ColumnFacts, InspectedColumns } from './column-inspector.js';
import { mayNameRows, namesClasses, namesIdentifier, namesTime } from './column-names.js';
import { beginAlike, haveOneUnit } from './column-units.js';
import { isDate, isYear } from './date-columns.js';
import { DUPLICATE_CORRELATION } from './duplicate-columns.js';
import { areOrdered } from './structure/ordered-columns.js';
import { STRUCTURE_CHECKS } from './structure/registry.js';

/** How a fit centres and scales the columns. */
export interface ColumnScaling {
  /** True if columns are analysed in their own units: `scale: 'none'`. */
  readonly unscaled: boolean;
  /** True if the means are subtracted. Otherwise a spread about the mean does not matter for the fit. */
  readonly centred: boolean;
}

/** Ratio of standard deviations above which spreads are unequal. */
const UNEQUAL = 10;
/** Fewest rows in which numbers that count from 0 or 1 are row numbers. */
const COUNTED_ROWS = 10;
/** The same for numbers that count from anywhere. */
const COUNTED_ANYWHERE = 30;
/** Share of their range that numbers must fill if not all of their steps are 1: row numbers of a table from which rows were removed. */
const FILLED = 0.8;
/** Most classes of a column with a name of classes. */
const MOST_CLASSES = 20;
/** Fewest rows per class: under such a name, and if rows are sorted by class. */
const ROWS_PER_NAMED_CLASS = 5;
const ROWS_PER_CLASS = 3;
/** Largest ratio of the largest to the average group, if groups are numbered. */
const EVEN_GROUPS = 1.6;
/** Most different values of a small count. A column with more is a measurement. */
const LEAST_MEASURED = 10;
/** Most columns in details. */
const MOST_LISTED = 100;
/** Most columns in a message. */
const MOST_NAMED = 5;

/** Warnings that a statistician would want before a fit. */
export function columnWarnings(read: InspectedColumns, { unscaled: inOwnUnits, centred }: ColumnScaling): Warning[] {
  const unscaled = inOwnUnits && centred;
  const { identifiers, classes, measured } = kindsOfColumns(read);
  const isIdentifier = new Set(identifiers.map(({ column }) => column));
  const varying = measured.filter(({ deviation }) => deviation > 0);
  const facts = { read, measured: varying, sample: read.sample };
  const structure = STRUCTURE_CHECKS.flatMap(({ code, find }) => {
    const found = find(facts);
    return found ? [{ code, ...found }] : [];
  });
  return [
    ...fewRows(read, centred),
    ...(unscaled ? spreads(measured, identifiers.length + classes.length > 0, areOrdered(read.sample, varying)) : []),
    ...identifierWarning(identifiers, read, unscaled),
    ...classesWarning(classes),
    ...duplicatesWarning(read, isIdentifier),
    ...zerosWarning(measured, read.rows),
    ...structure,
  ];
}

interface Identifier {
  readonly column: ColumnFacts;
  readonly reason: Reason;
}

/** The columns that number or date rows, those that hold codes of classes, and the others, which are measurements. */
export function kindsOfColumns(read: InspectedColumns): {
  identifiers: readonly Identifier[];
  classes: readonly ColumnFacts[];
  measured: readonly ColumnFacts[];
} {
  const identifiers = read.columns.flatMap((column) => {
    const reason = whyIdentifier(column, read.rows);
    return reason ? [{ column, reason }] : [];
  });
  const isIdentifier = new Set(identifiers.map(({ column }) => column));
  const classes = read.columns.filter((column) => !isIdentifier.has(column) && isClasses(column, read.rows));
  const leave = new Set([...isIdentifier, ...classes]);
  return { identifiers, classes, measured: read.columns.filter((column) => !leave.has(column)) };
}

function fewRows({ rows, columns }: InspectedColumns, centred: boolean): Warning[] {
  const cols = columns.length;
  if (rows > cols || rows < 2) return [];
  const components = centred ? rows - 1 : rows;
  return [
    {
      code: 'FEW_ROWS',
      message: `There are ${rows} rows of ${cols} columns: no more than ${components} ${components === 1 ? 'component has' : 'components have'} variance, and with so few rows the components of another sample may differ much.`,
      details: { rows, cols, components },
    },
  ];
}

/**
 * DOMINANT_COLUMN: a column has more than half of the variance, and at least 3/d of it, three times its share under equal spreads.
 * Otherwise UNEQUAL_SPREAD: standard deviations differ more than tenfold, and the columns do not have one unit. In one unit, small
 * spreads are those of rare events.
 */
function spreads(columns: readonly ColumnFacts[], others: boolean, ordered: boolean): Warning[] {
  const varying = columns.filter(({ deviation }) => deviation > 0 && Number.isFinite(deviation));
  if (varying.length < 2) return [];
  const sorted = [...varying].sort((a, b) => b.deviation - a.deviation);
  const [largest] = sorted;
  const smallest = sorted[sorted.length - 1];
  // In units of the largest, so that no square overflows.
  const total = varying.reduce((sum, { deviation }) => sum + (deviation / largest.deviation) ** 2, 0);
  const share = 1 / total;
  if (share > 0.5 && share >= 3 / columns.length) {
    const remedy = remedyFor(largest, varying, ordered);
    const whose = others ? ` of the ${columns.length} columns that look like measurements` : '';
    return [
      {
        code: 'DOMINANT_COLUMN',
        message: `Column ${shown(largest)} has ${inPercent(share)} of the variance${whose}, more than the others together, and columns are not scaled.${advice(remedy, largest)}`,
        details: {
          columns: [key(largest)],
          remedy,
          share,
          // The number of columns that the share refers to, if others number rows or classes.
          ...(others ? { among: columns.length } : {}),
          deviation: largest.deviation,
          next: { column: key(sorted[1]), deviation: sorted[1].deviation },
        },
      },
    ];
  }
  const ratio = largest.deviation / smallest.deviation;
  const remedy = remedyFor(largest, varying, ordered);
  if (!(ratio > UNEQUAL) || remedy === 'none') return [];
  return [
    {
      code: 'UNEQUAL_SPREAD',
      message: `The standard deviations of the columns differ ${Math.floor(ratio)}-fold, from ${rounded(smallest.deviation)} (column ${shown(smallest)}) to ${rounded(largest.deviation)} (column ${shown(largest)}): columns with a large spread decide the first components.${advice(remedy, largest)}`,
      details: {
        remedy,
        columns: [key(largest), key(smallest)],
        deviations: [largest.deviation, smallest.deviation],
        ratio,
      },
    },
  ];
}

/**
 * The remedy for a spread. A column that numbers rows or counts time should be left out rather than scaled, and columns of one unit
 * should not be scaled.
 */
type Remedy = 'leave-out' | 'none' | 'scale';

function remedyFor(largest: ColumnFacts, columns: readonly ColumnFacts[], ordered: boolean): Remedy {
  if (mayCount(largest)) return 'leave-out';
  return ordered || haveOneUnit(columns) ? 'none' : 'scale';
}

/** Returns true if the name fits row numbers or times. */
function mayCount({ name = '', integers }: ColumnFacts): boolean {
  return namesTime(name) || (integers !== false && (namesIdentifier(name) || mayNameRows(name)));
}

function advice(remedy: Remedy, column: ColumnFacts): string {
  if (remedy === 'none') return '';
  return remedy === 'leave-out'
    ? ` If ${shown(column)} numbers the rows or says when they were taken, leave it out; otherwise use scale: 'unit' if the columns have different units.`
    : " If the columns have different units, use scale: 'unit'.";
}

/** Why a column seems to identify rows, in the words of a message. */
const REASONS = {
  counting: 'changes by 1 from row to row, like a row number or a date',
  'one-way': 'goes one way from row to row, mostly by 1, like a row number or a date',
  unique: 'has a different whole number in every row',
  name: 'has the name of an identifier',
  restarts: 'counts the rows within groups',
  year: 'is a calendar year',
  date: 'has the name and the numbers of a part of a date',
} as const;

type Reason = keyof typeof REASONS;

function whyIdentifier(column: ColumnFacts, rows: number): Reason | undefined {
  const { integers, steps, min, max, unique, name = '' } = column;
  if (!integers || min === max) return undefined;
  const named = namesIdentifier(name) || mayNameRows(name);
  const fills = rows / (max - min + 1) >= FILLED;
  if (steps === 'counting' || (steps === 'one-way' && fills)) {
    const start = min === 0 || min === 1 || named || namesTime(name);
    if (rows >= COUNTED_ANYWHERE || (start && rows >= COUNTED_ROWS) || (named && rows > 2)) return steps;
  }
  if (namesIdentifier(name)) return 'name';
  if (isYear(column)) return 'year';
  if (isDate(column)) return 'date';
  if (column.restarts && !namesClasses(name, false)) return 'restarts';
  const different = unique === true || steps === 'one-way';
  return mayNameRows(name) && different && rows > 2 ? 'unique' : undefined;
}

function identifierWarning(
  found: readonly { readonly column: ColumnFacts; readonly reason: Reason }[],
  { columns }: InspectedColumns,
  unscaled: boolean,
): Warning[] {
  if (found.length === 0) return [];
  const largest = columns.reduce((most, { deviation }) => Math.max(most, deviation), 0);
  const squares = ({ deviation }: ColumnFacts): number => (deviation / largest) ** 2;
  const share = sum(found.map(({ column }) => squares(column))) / sum(columns.map(squares));
  const each = found.slice(0, MOST_NAMED).map(({ column, reason }) => `${shown(column)} ${REASONS[reason]}`);
  const more = found.length > MOST_NAMED ? `, and so on for ${found.length - MOST_NAMED} more` : '';
  const one = found.length === 1;
  const [it, measures] = one ? ['it', 'it measures something'] : ['them', 'they measure something'];
  const part = unscaled && share > 0.01 ? `, and ${one ? 'has' : 'they have'} ${inPercent(share)} of the variance` : '';
  return [
    {
      code: 'ID_COLUMN',
      message: `Column ${each.join('; column ')}${more}${part}. Leave ${it} out unless ${measures}.`,
      details: {
        ...listedColumns(found.map(({ column }) => column)),
        reasons: found.map(({ reason }) => reason),
        ...(unscaled ? { share } : {}),
      },
    },
  ];
}

/**
 * Returns true if whole numbers are codes of classes. Numbers alone do not distinguish codes from counts and ratings, so one of these
 * must hold: the name is one of classes; or rows are sorted into groups of about the same size that are numbered 0, 1, 2, … or 1, 2, 3,
 * … (a table sorted by a count or a rating has groups of very different sizes). Columns of two values need a name of classes, because 0
 * and 1 can be averaged.
 */
function isClasses(column: ColumnFacts, rows: number): boolean {
  const { integers, levels, steps, largestGroup = 0, name = '', min, max } = column;
  if (!integers || min === max) return false;
  if (
    levels &&
    levels.length <= MOST_CLASSES &&
    rows >= ROWS_PER_NAMED_CLASS * levels.length &&
    namesClasses(name, false)
  ) {
    return true;
  }
  if (namesClasses(name, true)) return true;
  const groups = max - min + 1;
  const even = largestGroup <= (EVEN_GROUPS * rows) / groups;
  return steps === 'groups' && even && (min === 0 || min === 1) && groups > 2 && rows >= ROWS_PER_CLASS * groups;
}

function classesWarning(columns: readonly ColumnFacts[]): Warning[] {
  if (columns.length === 0) return [];
  const [first] = columns;
  const one = columns.length === 1;
  const values =
    one && first.levels ? ` (${first.levels.slice(0, 4).join(', ')}${first.levels.length > 4 ? ', …' : ''})` : '';
  return [
    {
      code: 'CATEGORY_CODES',
      message: `The whole numbers of ${one ? 'column' : 'columns'} ${namesOf(columns)}${values} look like codes of classes, whose differences mean nothing. If they are, leave ${one ? 'the column' : 'these columns'} out, or use one column of 0 and 1 per class.`,
      details: {
        ...listedColumns(columns),
        levels: columns.slice(0, MOST_LISTED).map(({ levels }) => levels?.length ?? null),
      },
    },
  ];
}

function duplicatesWarning(
  { columns, duplicates, rows, sampledRows }: InspectedColumns,
  identifiers: ReadonlySet<ColumnFacts>,
): Warning[] {
  const groups = duplicates
    .map((group) => ({
      ...group,
      columns: group.columns.map((j) => columns[j]).filter((each) => !identifiers.has(each)),
    }))
    .filter((group) => group.columns.length > 1);
  if (groups.length === 0) return [];
  const each = groups.slice(0, MOST_NAMED).map((group) => namesOf(group.columns));
  if (groups.length > MOST_NAMED) each.push(`${groups.length - MOST_NAMED} more groups`);
  const where = sampledRows < rows ? `, measured on ${sampledRows} of ${rows} rows` : '';
  return [
    {
      code: 'DUPLICATE_COLUMNS',
      message: `Columns ${each.join('; ')} are nearly the same but for unit and offset (|r| > ${DUPLICATE_CORRELATION}${where}), so what they measure counts more than once. Keep one of them if they are the same quantity.`,
      details: {
        ...listedColumns(groups.flatMap((group) => group.columns)),
        groups: groups.slice(0, MOST_LISTED).map((group) => group.columns.slice(0, MOST_LISTED).map(key)),
        correlations: groups.slice(0, MOST_LISTED).map(({ correlation }) => correlation),
        rows: sampledRows,
      },
    },
  ];
}

/**
 * ZERO_INFLATED: more than half of the values are 0, none is below, and the others are measurements or large counts (more than ten
 * different values). No warning if a third of the columns are mostly 0, or all columns begin at 0: images, abundances and counts of
 * words have many zeros.
 */
function zerosWarning(columns: readonly ColumnFacts[], rows: number): Warning[] {
  const mostlyZero = columns.filter(({ zeros = 0, min }) => zeros > rows / 2 && min === 0);
  const found = mostlyZero.filter(({ levels }) => (levels?.length ?? Number.POSITIVE_INFINITY) > LEAST_MEASURED);
  const usual = (mostlyZero.length >= columns.length / 3 && columns.length > 3) || beginAlike(columns);
  if (found.length === 0 || usual) return [];
  const one = found.length === 1;
  const each = namesOf(found, (column) => `${shown(column)} (${inPercent((column.zeros ?? 0) / rows)})`);
  return [
    {
      code: 'ZERO_INFLATED',
      message: `More than half of the values of ${one ? 'column' : 'columns'} ${each} are 0: PCA treats whether a value is 0 and how large it is otherwise as one scale.`,
      details: { ...listedColumns(found), zeros: found.slice(0, MOST_LISTED).map(({ zeros }) => zeros), rows },
    },
  ];
}

/** The names of columns, or their indexes if they have none, and their number. */
function listedColumns(columns: readonly ColumnFacts[]): { columns: (string | number)[]; count: number } {
  return { columns: columns.slice(0, MOST_LISTED).map(key), count: columns.length };
}

function key({ name, index }: ColumnFacts): string | number {
  return name ?? index;
}

function shown({ name, index }: ColumnFacts): string {
  return name === undefined ? String(index + 1) : JSON.stringify(name);
}

/** "a, b and 3 more". */
function namesOf(columns: readonly ColumnFacts[], title: (column: ColumnFacts) => string = shown): string {
  const names = columns.slice(0, MOST_NAMED).map(title);
  return listed(columns.length > MOST_NAMED ? [...names, `${columns.length - MOST_NAMED} more`] : names);
}

function inPercent(share: number): string {
  const value = 100 * share;
  // A share below 1 is not shown as 100 %.
  return `${value >= 99.95 ? (value > 100 - 1e-6 ? '100' : 'more than 99.9') : value.toFixed(1)} %`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import { uniqueNames } from '../table/unique-names.js';

/** Counts of numbers and texts in a column. */
export interface NumbersAndTexts {
  readonly numbers: number;
  readonly texts: number;
}

/** A cell of a column as a number; undefined if it is something else. */
export type ReadCell = (cell: string, column: number) => number | undefined;

/** The rows below a line that may hold names. */
export interface RowsBelow {
  readonly rows: readonly (readonly string[])[];
  readonly tally: readonly NumbersAndTexts[];
  readonly read: ReadCell;
  /** Texts that mean "no value". */
  readonly missing: ReadonlySet<string>;
}

/**
 * A line of names is above columns of numbers. If all columns are text, it has no gaps and no numbers. Names that are numbers
 * themselves are recognised by `areNumberedNames`.
 */
export function isHeader(first: readonly string[], below: RowsBelow): boolean {
  const { tally, read, missing } = below;
  const isText = (cell: string, j: number) => !missing.has(cell) && read(cell, j) === undefined;
  if (first.length === tally.length - 1) return first.every((cell) => cell !== '');
  if (first.length !== tally.length) return false;
  if (first.some((cell, j) => isText(cell, j) && tally[j].numbers > tally[j].texts)) return true;
  if (first.every((cell, j) => isText(cell, j) || (j === 0 && cell === '')) && first.some(isText)) return true;
  return areNumberedNames(first, below);
}

const WHOLE = /^\d{1,15}$/;
/** Years, as people write them above columns. */
const [EARLIEST, LATEST] = [1500, 2100];
/** Largest probability that a row of data looks like names by chance. */
const SELDOM = 0.01;

/**
 * Names may be numbers: years, or 0, 1, 2, … if pandas had no names. A row of data may look the same, so all of these
 * conditions must hold:
 *
 * - Its cells are whole numbers without a sign, and words that are in no other row of their column, which is text. The
 *   first may be empty, if row names or a count of rows are below.
 * - The numbers are a series: 0, 1, 2, … or 1, 2, 3, …; years that ascend; from three on any even steps.
 * - The data do not continue the series: no column continues from its name in even steps, most rows are not such a series, and
 *   there are no years below years.
 * - In half the columns or more, the number is unlike those below: outside their range, or whole while none of them is.
 *
 * These conditions are enough for 0, 1, 2, … and for three or more years. The last one is not needed for years in even steps,
 * nor for 0, 1, 2, … if the cell above row names or a count of rows is empty. Data may begin with 1, 2, 3 or 0, 1. For these it
 * must also be unlikely that chance alone puts the first of n + 1 rows outside the ranges of these columns (2 in n + 1 each),
 * or makes it the only one without fractions.
 */
function areNumberedNames(first: readonly string[], below: RowsBelow): boolean {
  const { rows, tally } = below;
  const numbered = [...first.keys()].filter((j) => WHOLE.test(first[j]));
  const words = [...first.keys()].filter((j) => !WHOLE.test(first[j]));
  if (rows.length === 0 || numbered.length === 0 || !words.every((j) => isNameOfTexts(first[j], j, below)))
    return false;
  const numbers = numbered.map((j) => Number(first[j]));
  const [counts, years] = [numbers.every((value, i) => value === i), areYears(numbers)];
  const even = hasEvenSteps(numbers) && (numbers.length > 2 || numbers[0] + 1 === numbers[1]);
  if (first[0] === '' && counts && (numbered.length > 1 || tally[0].texts === 0)) return true;
  if (numbered.length < 2 || !(counts || years || even)) return false;
  const columns = numbered.map((j) => rows.map((row) => below.read(row[j], j)).filter((value) => value !== undefined));
  if (goesOn(numbers, columns)) return false;
  // Years may be above anything but years. Two of them must follow each other.
  if (years && columns.filter(holdsYears).length >= numbered.length / 2) return false;
  if (years && even && (words.length > 0 || numbered.length > 2)) return true;
  const whole = numbered.map((j) => rows.some((row) => /^[+-]?\d+$/.test(row[j])));
  const unlike = columns.filter((column, i) => column.length > 0 && (!whole[i] || isOutside(numbers[i], column)));
  if (unlike.length < numbered.length / 2) return false;
  if (numbered.length > 2 && (counts || years)) return true;
  const alone = whole.includes(true) ? 1 : (1 / (rows.length * numbered.length + 2)) ** numbered.length;
  return Math.min(alone, (2 / (rows.length + 1)) ** unlike.length) < SELDOM;
}

/** Returns true for a word that no row below has, and for an empty cell above row names or a count of rows. */
function isNameOfTexts(name: string, column: number, { rows, tally, read, missing }: RowsBelow): boolean {
  if (rows.some((row) => row[column] === name)) return false;
  if (name === '' && column === 0) {
    const counts = rows.every((row, i) => row[0] === String(i)) || rows.every((row, i) => row[0] === String(i + 1));
    return counts || tally[0].numbers === 0;
  }
  return !missing.has(name) && read(name, column) === undefined && tally[column].texts > 0;
}

function areYears(numbers: readonly number[]): boolean {
  return numbers.every((value, i) => isYear(value) && (i === 0 || value > numbers[i - 1]));
}

function holdsYears(column: readonly number[]): boolean {
  return column.filter(isYear).length > column.length / 2;
}

function isYear(value: number): boolean {
  return Number.isInteger(value) && value >= EARLIEST && value <= LATEST;
}

/** Returns true if numbers ascend or descend in steps of one size, up to rounding. */
function hasEvenSteps(numbers: readonly number[]): boolean {
  if (numbers.length < 2) return false;
  const step = numbers[1] - numbers[0];
  const slack = 1e-9 * Math.max(...numbers.slice(0, 3).map(Math.abs));
  return step !== 0 && numbers.every((value, i) => i === 0 || Math.abs(value - numbers[i - 1] - step) <= slack);
}

/** Returns true if the data continue the series of a line: down a column, or in most rows. */
function goesOn(numbers: readonly number[], columns: readonly (readonly number[])[]): boolean {
  if (columns.some((column, i) => column.length > 1 && hasEvenSteps([numbers[i], ...column]))) return true;
  // Two numbers are always in even steps. For them, a column that only ascends or only descends decides.
  if (numbers.length === 2)
    return columns.some((column, i) => column.length > 3 && goesOneWay([numbers[i], ...column]));
  const rows = columns.reduce((least, { length }) => Math.min(least, length), columns[0].length);
  const even = Array.from({ length: rows }, (_, i) => hasEvenSteps(columns.map((column) => column[i])));
  return even.filter(Boolean).length > rows / 2;
}

function goesOneWay(numbers: readonly number[]): boolean {
  const up = numbers[1] > numbers[0];
  return numbers.every((value, i) => i === 0 || (up ? value > numbers[i - 1] : value < numbers[i - 1]));
}

function isOutside(value: number, others: readonly number[]): boolean {
  return others.every((other) => other > value) || others.every((other) => other < value);
}

/** A line that is one name short is a title when the names are in the next. */
export function isTitle(lines: readonly (readonly string[])[], below: RowsBelow): boolean {
  const [first, second] = lines;
  const width = below.tally.length;
  return first.length === width - 1 && second?.length === width && below.rows.length > 0 && isHeader(second, below);
}

/** A header that is one name short lacks that of the row names, as R writes it, or ends before a last delimiter. */
export function fullHeader(
  header: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  if (header.length === width) return header;
  return body.every((record) => record[width - 1] === '') ? [...header, ''] : ['', ...header];
}

/** The names, made unique; numbered (`column1`) if there are none. */
export function columnNames(given: readonly string[], width: number): string[] {
  const nameless = (j: number): string => (j === 0 && given.length > 0 ? 'index' : `column${j}`);
  return uniqueNames(Array.from({ length: width }, (_, j) => given[j] || nameless(j)));
}

import type { TableColumn } from '@scree/core/data';
import { linesOf } from '../bytes/text.js';
import { badFile, unsupported } from '../file-error.js';
import { checkColumns } from '../table/most-columns.js';
import { missingTexts } from './cells.js';
import { isDecimalColumn } from './decimal-column.js';
import {
  type CellCounts,
  classifyCell,
  countCell,
  countNumbers,
  decideMarks,
  type NumberFormat,
  noCells,
  parseNumber,
} from './decimal-marks.js';
import { columnNames, fullHeader, isHeader, isTitle, type NumbersAndTexts, type RowsBelow } from './header.js';
import { readLinesAbove } from './lines-above.js';
import { hasNotation, type Notation, notationOf, stripNotation } from './notation.js';
import { openQuote, splitRecords } from './records.js';

/** How a text table is written, and what its columns hold. */
export interface Dialect {
  /** True if its texts are in Windows-1252, because its beginning is not UTF-8. */
  readonly windows1252: boolean;
  /** Lines above the table. */
  readonly linesAbove: number;
  readonly delimiter: string;
  readonly header: boolean;
  readonly columns: readonly TableColumn[];
  /** How the numbers of each column are written. */
  readonly numberFormats: readonly NumberFormat[];
  /** Per column, the notation of numbers that are not plain. */
  readonly notations: readonly (Notation | undefined)[];
  /** Texts that mean "no value" in a column of numbers. */
  readonly missing: ReadonlySet<string>;
}

/** Options of the user for a text table. */
export interface SniffOptions {
  readonly memory: number;
  /** Texts that mean "no value", besides the usual ones. */
  readonly na?: readonly string[] | undefined;
}

/** Bytes read to detect how a table is written. */
export const SAMPLE = 4 << 20;
const DELIMITERS = [',', '\t', ';', '|', ' '];
/** Rows from which the delimiter is scored, and characters that are enough if they hold several rows. */
const JUDGED = 50;
const JUDGED_TEXT = 1 << 18;
/** Rows and cells from which the columns are scored. */
const ROWS = 1000;
const CELLS = 1_000_000;
/** Share of numbers from which a column of text counts as numbers with notes: leaving it out gives a warning. */
const PARTLY_NUMBERS = 0.2;

/** Detects how the table is written from its beginning. `whole` is true if the beginning is all of it. */
export function sniffDialect(bytes: Uint8Array, whole: boolean, path: string, { memory, na }: SniffOptions): Dialect {
  const missing = missingTexts(na);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw unsupported(path, 'is text in UTF-16', 'Save it as UTF-8.');
  }
  if (bytes.includes(0)) throw badFile(path, 'it is neither text nor a format that scree knows');
  // The last line may be cut within a character.
  const { text: marked, windows1252 } = linesOf(
    whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1 || bytes.length),
  );
  const { delimiter, comments, text, end } = readLinesAbove(marked.replace(/^\ufeff/, ''));
  const lines = delimiter === undefined ? 0 : 1;
  const how = { delimiter, whole, path, memory, missing };
  const table = sniffTable(text.slice(end), how);
  if (comments.length === 0 || table.header) return describe(table, windows1252, lines + comments.length);
  // If the table has no line of names, the last comment may hold them. A line that looks like a row is one: "#1", "#ff0000".
  const cells = (line: string) => splitRecords(line, table.delimiter, 1, true).records[0] ?? [];
  const isNumeric = (cell: string) => missing.has(cell) || isNumber(cell);
  const isRow = (line: string) =>
    cells(line).length === table.width &&
    cells(line).some(isNumeric) &&
    cells(line).every((cell, j) => isNumeric(cell) || table.tally[j].numbers <= table.tally[j].texts);
  if (comments.some(isRow)) return describe(sniffTable(text, how), windows1252, lines);
  const names = namesIn(cells(comments[comments.length - 1].replace(/^#+/, '')), table);
  return describe(names ? { ...table, names } : table, windows1252, lines + comments.length);
}

/** Names of the columns if a comment holds them. The sign of the comment may be the first, and one may be missing, as R writes it. */
function namesIn(cells: readonly string[], { width, tally }: SniffedTable): readonly string[] | undefined {
  const [first, ...others] = cells;
  if (others.some((name) => name === '') || cells.some((name) => name !== '' && classifyCell(name) !== 'text'))
    return undefined;
  if (cells.length === width) return first === '' ? ['#', ...others] : cells;
  return cells.length === width - 1 && first !== '' && tally[0].texts > 0 ? ['', ...cells] : undefined;
}

/** Facts about a table: how it is cut into cells, and what its columns hold. */
interface SniffedTable {
  readonly delimiter: string;
  readonly width: number;
  /** True if the first line has names; and all names. */
  readonly header: boolean;
  readonly names: readonly string[];
  readonly numberFormats: readonly NumberFormat[];
  readonly notations: readonly (Notation | undefined)[];
  readonly tally: readonly NumbersAndTexts[];
  /** True if the counts are those of all rows. */
  readonly complete: boolean;
  readonly missing: ReadonlySet<string>;
}

function sniffTable(
  text: string,
  {
    delimiter: given,
    whole,
    path,
    memory,
    missing,
  }: { delimiter: string | undefined; whole: boolean; path: string; memory: number; missing: ReadonlySet<string> },
): SniffedTable {
  const start = text.slice(0, JUDGED_TEXT);
  const enough = start.length < text.length && (start.match(/\n/g)?.length ?? 0) > 2;
  const scores = (given === undefined ? DELIMITERS : [given]).map((delimiter) =>
    enough ? scoreDelimiter(start, delimiter, false, missing) : scoreDelimiter(text, delimiter, whole, missing),
  );
  const best = ratherThanComma(
    scores.reduce((a, b) => (b.score > a.score ? b : a)),
    scores,
    start,
  );
  const single = given === undefined && best.delimiter === ',' && best.width === 2;
  // Unlike semicolons, tabs say nothing about commas: the numbers decide.
  const delimiter = single && isDecimalColumn(start, enough ? false : whole, missing, path) ? '\t' : best.delimiter;
  checkColumns(best.width, memory, path);
  const most = Math.max(3, Math.min(ROWS, Math.floor(CELLS / best.width)));
  const { records, end, open } = splitRecords(text, delimiter, most, whole);
  if (records.length === 0 && open !== undefined) throw openQuote(path, undefined, open.at(-1));
  if (records.length === 0) throw badFile(path, 'it has no complete line');
  const width = usualWidth(records);
  checkColumns(width, memory, path);
  const body = records.slice(1).filter((record) => record.length === width);
  const below = rowsBelow(body, width, delimiter, missing);
  const header =
    isHeader(records[0], below) &&
    (records[0].length === width || !isTitle(records, rowsBelow(body.slice(1), width, delimiter, missing)));
  // Reported here, because missing cells may already make the columns look odd. Further down, the scanner reports it.
  if (open !== undefined && whole) throw openQuote(path, records.length - (header ? 1 : 0), open.at(-1));
  const judged =
    header || records[0].length !== width ? below : rowsBelow([records[0], ...body], width, delimiter, missing);
  const { counts, notations } = judged;
  const complete = lookFurther(counts, text, end, { delimiter, whole, missing }) && whole;
  const numberFormats = decideFormats(counts, notations, delimiter);
  const names = header ? fullHeader(records[0], body, width) : [];
  const tally = tallyOf(counts, numberFormats);
  return { delimiter, width, header, names, numberFormats, notations, tally, complete, missing };
}

interface JudgedRows extends RowsBelow {
  readonly counts: CellCounts[];
  readonly notations: readonly (Notation | undefined)[];
}

function rowsBelow(
  rows: readonly string[][],
  width: number,
  delimiter: string,
  missing: ReadonlySet<string>,
): JudgedRows {
  const asWritten = countCells(rows, width, missing);
  const cellsOf = (j: number) => rows.map((row) => row[j]);
  const notations = asWritten.map(({ texts }, j) => (texts > 0 ? notationOf(cellsOf(j), missing) : undefined));
  const counts = asWritten.map((each, j) => {
    const notation = notations[j];
    if (!notation) return each;
    const stripped = cellsOf(j).map((cell) => [missing.has(cell) ? cell : (stripNotation(cell, notation) ?? cell)]);
    return countCells(stripped, 1, missing)[0];
  });
  const numberFormats = decideFormats(counts, notations, delimiter);
  const read = (cell: string, j: number): number | undefined => {
    const notation = notations[j];
    const digits = notation ? stripNotation(cell, notation) : cell;
    return digits === undefined ? undefined : parseNumber(digits, numberFormats[j].mark ?? '.');
  };
  return { rows, counts, notations, tally: tallyOf(counts, numberFormats), read, missing };
}

/**
 * How the numbers of every column are written. Amounts of money seldom have three decimals, so "$1,200" alone is not taken for
 * 1.2, not even between semicolons: its mark stays open.
 */
function decideFormats(
  counts: readonly CellCounts[],
  notations: readonly (Notation | undefined)[],
  delimiter: string,
): NumberFormat[] {
  const commas = counts.some(({ decided }) => decided[','] > 0);
  return decideMarks(counts, delimiter).map((format, j) => {
    const sign = notations[j]?.sign;
    const open = sign !== undefined && sign !== '%' && format.mark === ',' && !commas;
    return open ? { ...format, mark: undefined } : format;
  });
}

/** Returns true if a cell is a number in any notation. */
function isNumber(cell: string): boolean {
  return classifyCell(cell) !== 'text' || hasNotation(cell);
}

function describe(table: SniffedTable, windows1252: boolean, linesAbove: number): Dialect {
  const { delimiter, width, header, names, numberFormats, notations, tally, complete, missing } = table;
  const columns = columnNames(names, width).map((name, j) => {
    const nameless = names[j] === '';
    if (j === 0 && nameless && width > 1)
      return { name, kind: tally[0].texts > 0 ? 'text' : 'other', type: 'row index' } as const;
    return describeColumn(name, tally[j], complete || nameless);
  });
  return { windows1252, linesAbove, delimiter, header, columns, numberFormats, notations, missing };
}

/** The number of cells that most rows have. The first row may be names or a title. */
function usualWidth(records: readonly string[][]): number {
  const counts = new Map<number, number>();
  for (const { length } of records.length > 1 ? records.slice(1) : records)
    counts.set(length, (counts.get(length) ?? 0) + 1);
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

interface DelimiterScore {
  readonly delimiter: string;
  readonly width: number;
  readonly score: number;
  /** True if it cuts all lines into the same number of cells. */
  readonly even: boolean;
}

/** Returns true if commas are decimal marks: they are only between digits, and another delimiter cuts every line alike. */
function ratherThanComma(best: DelimiterScore, scores: readonly DelimiterScore[], text: string): DelimiterScore {
  if (best.delimiter !== ',' || /(?<!\d),|,(?!\d)/.test(text.replace(/"[^"]*"/g, ''))) return best;
  return scores.find(({ delimiter, width, even }) => /[;\t|]/.test(delimiter) && even && width > 1) ?? best;
}

/** A delimiter is good when it cuts all lines into the same number of cells, and most of them are numbers. */
function scoreDelimiter(text: string, delimiter: string, whole: boolean, missing: ReadonlySet<string>): DelimiterScore {
  const { records: complete, open } = splitRecords(text, delimiter, JUDGED, whole);
  const records = complete.length === 0 && open ? [open] : complete;
  const widths = new Map<number, number>();
  for (const { length } of records) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width, same] = [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [1, 0]);
  let [cells, numeric] = [0, 0];
  for (const record of records.slice(records.length > 1 ? 1 : 0)) {
    for (const cell of record.slice(0, 1000)) {
      cells++;
      if (missing.has(cell) || isNumber(cell)) numeric++;
    }
  }
  const numbers = numeric / Math.max(1, cells);
  // A delimiter that does not occur leaves one column: the last resort. Blanks also separate the words of a name.
  const trust = width === 1 ? 0.1 : delimiter === ' ' ? 0.6 : 1;
  const score = (same / Math.max(1, records.length)) * (0.25 + numbers) * trust;
  return { delimiter, width, score, even: same === records.length && records.length > 1 };
}

function countCells(
  records: readonly (readonly string[])[],
  width: number,
  missing: ReadonlySet<string>,
): CellCounts[] {
  const counts = Array.from({ length: width }, noCells);
  for (const record of records) {
    for (let j = 0; j < width; j++) if (!missing.has(record[j])) countCell(counts[j], record[j]);
  }
  return counts;
}

function tallyOf(counts: readonly CellCounts[], numberFormats: readonly NumberFormat[]): NumbersAndTexts[] {
  return counts.map((each, j) => {
    const mark = numberFormats[j].mark ?? '.';
    return { numbers: countNumbers(each, mark), texts: each.texts + each.decided[mark === '.' ? ',' : '.'] };
  });
}

/**
 * Looks for values of columns that are empty so far, up to the end of the text: a column may be empty for long and filled
 * further down. Returns true if the text was read to its end.
 */
function lookFurther(
  counts: CellCounts[],
  text: string,
  from: number,
  { delimiter, whole, missing }: { delimiter: string; whole: boolean; missing: ReadonlySet<string> },
): boolean {
  const most = Math.max(1, Math.floor(CELLS / 10 / counts.length));
  for (let at = from; at < text.length; ) {
    const empty = [...counts.keys()].filter(
      (j) => countNumbers(counts[j], '.') + counts[j].decided[','] + counts[j].texts === 0,
    );
    if (empty.length === 0) return false;
    const { records, end } = splitRecords(text, delimiter, most, whole, at);
    if (end === at) return false;
    const rows = records.filter((record) => record.length === counts.length);
    const found = countCells(
      rows.map((row) => empty.map((j) => row[j])),
      empty.length,
      missing,
    );
    for (const [i, j] of empty.entries()) counts[j] = found[i];
    at = end;
  }
  return true;
}

function describeColumn(name: string, { numbers, texts }: NumbersAndTexts, complete: boolean): TableColumn {
  // A few texts among numbers are mistakes, and reported when they are read.
  if (numbers > texts) return { name, kind: 'number', type: 'number' };
  const share = numbers / (numbers + texts);
  if (texts > 0)
    return { name, kind: 'text', type: 'text', ...(share >= PARTLY_NUMBERS ? { numericShare: share } : {}) };
  return complete ? { name, kind: 'other', type: 'empty' } : { name, kind: 'number', type: 'number' };
}

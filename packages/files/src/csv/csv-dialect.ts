import { linesOf } from '../bytes/text.js';
import { badFile, unsupported } from '../file-error.js';
import { checkColumns } from '../table/most-columns.js';
import type { Column } from '../table/table.js';
import { isMissing } from './csv-cells.js';
import { type Form, formOf, hasForm, undress } from './csv-forms.js';
import { type Below, columnNames, fullHeader, isHeader, isTitle, type Tally } from './csv-header.js';
import {
  countSign,
  decideMarks,
  noSigns,
  numberIn,
  numbersOf,
  type Signs,
  type Writing,
  whatTells,
} from './csv-marks.js';
import { openQuote, splitRecords } from './csv-records.js';
import { readTop } from './csv-top.js';

/** How a text table is written, and what its columns hold. */
export interface Dialect {
  /** Whether its texts are in Windows-1252: its beginning is no UTF-8. */
  readonly windows: boolean;
  /** Lines above the table. */
  readonly above: number;
  readonly delimiter: string;
  readonly header: boolean;
  readonly columns: readonly Column[];
  /** How the numbers of each column are written. */
  readonly writing: readonly Writing[];
  /** Of each column: how its numbers are dressed, where they are not plain. */
  readonly forms: readonly (Form | undefined)[];
}

/** Bytes looked at to find out how a table is written. */
export const SAMPLE = 4 << 20;
const DELIMITERS = [',', '\t', ';', '|', ' '];
/** Rows by which the delimiter is judged, and characters where that is enough for some rows. */
const JUDGED = 50;
const JUDGED_TEXT = 1 << 18;
/** Rows and cells by which the columns are judged. */
const ROWS = 1000;
const CELLS = 1_000_000;
/** Share of numbers from which a column of text is one of numbers with notes in it, and leaving it out is worth a warning. */
const PARTLY_NUMBERS = 0.2;

/** Finds out how the table is written from its beginning; `whole` says whether that is all of it. */
export function sniffDialect(bytes: Uint8Array, whole: boolean, path: string, memory: number): Dialect {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw unsupported(path, 'is text in UTF-16', 'Save it as UTF-8.');
  }
  if (bytes.includes(0)) throw badFile(path, 'it is neither text nor a format that scree knows');
  // A line that is cut may be cut within a character.
  const { text: marked, windows } = linesOf(
    whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1 || bytes.length),
  );
  const { delimiter, comments, text, end } = readTop(marked.replace(/^\ufeff/, ''));
  const lines = delimiter === undefined ? 0 : 1;
  const table = sniffTable(text.slice(end), { delimiter, whole, path, memory });
  if (comments.length === 0 || table.header) return describe(table, windows, lines + comments.length);
  // Without names below them, the last comment may hold these, and what looks like a row is one: "#1", "#ff0000".
  const cells = (line: string) => splitRecords(line, table.delimiter, 1, true).records[0] ?? [];
  const isNumeric = (cell: string) => isMissing(cell) || isNumber(cell);
  const isRow = (line: string) =>
    cells(line).length === table.width &&
    cells(line).some(isNumeric) &&
    cells(line).every((cell, j) => isNumeric(cell) || table.tally[j].numbers <= table.tally[j].texts);
  if (comments.some(isRow)) return describe(sniffTable(text, { delimiter, whole, path, memory }), windows, lines);
  const names = namesIn(cells(comments[comments.length - 1].replace(/^#+/, '')), table);
  return describe(names ? { ...table, names } : table, windows, lines + comments.length);
}

/** Names of the columns, where a comment holds them. The sign of the comment may be the first of them, and one may be missing, as R writes it. */
function namesIn(cells: readonly string[], { width, tally }: Sniffed): readonly string[] | undefined {
  const [first, ...others] = cells;
  if (others.some((name) => name === '') || cells.some((name) => name !== '' && whatTells(name) !== 'text'))
    return undefined;
  if (cells.length === width) return first === '' ? ['#', ...others] : cells;
  return cells.length === width - 1 && first !== '' && tally[0].texts > 0 ? ['', ...cells] : undefined;
}

/** What is known of a table: how it is cut into cells, and what its columns hold. */
interface Sniffed {
  readonly delimiter: string;
  readonly width: number;
  /** Whether names are in its first line, and all names there are. */
  readonly header: boolean;
  readonly names: readonly string[];
  readonly writing: readonly Writing[];
  readonly forms: readonly (Form | undefined)[];
  readonly tally: readonly Tally[];
  /** Whether the tally is that of all rows. */
  readonly complete: boolean;
}

function sniffTable(
  text: string,
  {
    delimiter: given,
    whole,
    path,
    memory,
  }: { delimiter: string | undefined; whole: boolean; path: string; memory: number },
): Sniffed {
  const start = text.slice(0, JUDGED_TEXT);
  const enough = start.length < text.length && (start.match(/\n/g)?.length ?? 0) > 2;
  const verdicts = (given === undefined ? DELIMITERS : [given]).map((delimiter) =>
    enough ? judge(start, delimiter, false) : judge(text, delimiter, whole),
  );
  const best = ratherThanComma(
    verdicts.reduce((a, b) => (b.score > a.score ? b : a)),
    verdicts,
    start,
  );
  const { delimiter } = best;
  checkColumns(best.width, memory, path);
  const most = Math.max(3, Math.min(ROWS, Math.floor(CELLS / best.width)));
  const { records, end, open } = splitRecords(text, delimiter, most, whole);
  if (records.length === 0 && open !== undefined) throw openQuote(path, undefined, open.at(-1));
  if (records.length === 0) throw badFile(path, 'it has no complete line');
  const width = usualWidth(records);
  checkColumns(width, memory, path);
  const body = records.slice(1).filter((record) => record.length === width);
  const below = belowOf(body, width, delimiter);
  const header =
    isHeader(records[0], below) &&
    (records[0].length === width || !isTitle(records, belowOf(body.slice(1), width, delimiter)));
  // Said here, where the columns may already look odd by what is missing; further down, reading comes upon it.
  if (open !== undefined && whole) throw openQuote(path, records.length - (header ? 1 : 0), open.at(-1));
  const all = header || records[0].length !== width ? below : belowOf([records[0], ...body], width, delimiter);
  const { signs, forms } = all;
  const complete = lookFurther(signs, text, end, { delimiter, whole }) && whole;
  const writing = decideAllMarks(signs, forms, delimiter);
  const names = header ? fullHeader(records[0], body, width) : [];
  return { delimiter, width, header, names, writing, forms, tally: tallyOf(signs, writing), complete };
}

interface Signed extends Below {
  readonly signs: Signs[];
  readonly forms: readonly (Form | undefined)[];
}

function belowOf(rows: readonly string[][], width: number, delimiter: string): Signed {
  const plain = signsOf(rows, width);
  const cellsOf = (j: number) => rows.map((row) => row[j]);
  const forms = plain.map(({ texts }, j) => (texts > 0 ? formOf(cellsOf(j)) : undefined));
  const signs = plain.map((each, j) => {
    const form = forms[j];
    return form
      ? signsOf(
          cellsOf(j).map((cell) => [isMissing(cell) ? cell : (undress(cell, form) ?? cell)]),
          1,
        )[0]
      : each;
  });
  const writing = decideAllMarks(signs, forms, delimiter);
  const read = (cell: string, j: number): number | undefined => {
    const form = forms[j];
    const digits = form ? undress(cell, form) : cell;
    return digits === undefined ? undefined : numberIn(digits, writing[j].mark ?? '.');
  };
  return { rows, signs, forms, tally: tallyOf(signs, writing), read };
}

/**
 * The decimal mark of every column. Amounts of money seldom have three decimals, so "$1,200" alone is not taken for 1.2, not
 * even between semicolons: there it stays open.
 */
function decideAllMarks(signs: readonly Signs[], forms: readonly (Form | undefined)[], delimiter: string): Writing[] {
  const commas = signs.some(({ mark }) => mark[','] > 0);
  return decideMarks(signs, delimiter).map((writing, j) => {
    const sign = forms[j]?.sign;
    const open = sign !== undefined && sign !== '%' && writing.mark === ',' && !commas;
    return open ? { ...writing, mark: undefined } : writing;
  });
}

/** Whether a cell is a number, however it is written. */
function isNumber(cell: string): boolean {
  return whatTells(cell) !== 'text' || hasForm(cell);
}

function describe(table: Sniffed, windows: boolean, above: number): Dialect {
  const { delimiter, width, header, names, writing, forms, tally, complete } = table;
  const columns = columnNames(names, width).map((name, j) => {
    const nameless = names[j] === '';
    if (j === 0 && nameless && width > 1)
      return { name, kind: tally[0].texts > 0 ? 'text' : 'other', type: 'row index' } as const;
    return describeColumn(name, tally[j], complete || nameless);
  });
  return { windows, above, delimiter, header, columns, writing, forms };
}

/** Cells that most rows have; the first may be one of names, or a title. */
function usualWidth(records: readonly string[][]): number {
  const counts = new Map<number, number>();
  for (const { length } of records.length > 1 ? records.slice(1) : records)
    counts.set(length, (counts.get(length) ?? 0) + 1);
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

interface Verdict {
  readonly delimiter: string;
  readonly width: number;
  readonly score: number;
  /** Whether it cuts all lines into as many cells. */
  readonly even: boolean;
}

/** Commas that stand only between digits are decimal marks where another delimiter cuts every line alike. */
function ratherThanComma(best: Verdict, verdicts: readonly Verdict[], text: string): Verdict {
  if (best.delimiter !== ',' || /(?<!\d),|,(?!\d)/.test(text.replace(/"[^"]*"/g, ''))) return best;
  return verdicts.find(({ delimiter, width, even }) => /[;\t|]/.test(delimiter) && even && width > 1) ?? best;
}

/** A delimiter is good when it cuts all lines into the same number of cells, and most of them are numbers. */
function judge(text: string, delimiter: string, whole: boolean): Verdict {
  const { records: complete, open } = splitRecords(text, delimiter, JUDGED, whole);
  const records = complete.length === 0 && open ? [open] : complete;
  const widths = new Map<number, number>();
  for (const { length } of records) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width, same] = [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [1, 0]);
  let [cells, numeric] = [0, 0];
  for (const record of records.slice(records.length > 1 ? 1 : 0)) {
    for (const cell of record.slice(0, 1000)) {
      cells++;
      if (isMissing(cell) || isNumber(cell)) numeric++;
    }
  }
  const numbers = numeric / Math.max(1, cells);
  // A delimiter that is not there leaves one column: the last resort. Blanks stand between words of a name, too.
  const trust = width === 1 ? 0.1 : delimiter === ' ' ? 0.6 : 1;
  const score = (same / Math.max(1, records.length)) * (0.25 + numbers) * trust;
  return { delimiter, width, score, even: same === records.length && records.length > 1 };
}

function signsOf(records: readonly (readonly string[])[], width: number): Signs[] {
  const signs = Array.from({ length: width }, noSigns);
  for (const record of records) {
    for (let j = 0; j < width; j++) if (!isMissing(record[j])) countSign(signs[j], record[j]);
  }
  return signs;
}

function tallyOf(signs: readonly Signs[], writing: readonly Writing[]): Tally[] {
  return signs.map((each, j) => {
    const mark = writing[j].mark ?? '.';
    return { numbers: numbersOf(each, mark), texts: each.texts + each.mark[mark === '.' ? ',' : '.'] };
  });
}

/**
 * Looks for values of columns that have none so far, as far as the text goes: a column may be empty for long and filled
 * further down. Says whether the text was read to its end.
 */
function lookFurther(
  signs: Signs[],
  text: string,
  from: number,
  { delimiter, whole }: { delimiter: string; whole: boolean },
): boolean {
  const most = Math.max(1, Math.floor(CELLS / 10 / signs.length));
  for (let at = from; at < text.length; ) {
    const empty = [...signs.keys()].filter((j) => numbersOf(signs[j], '.') + signs[j].mark[','] + signs[j].texts === 0);
    if (empty.length === 0) return false;
    const { records, end } = splitRecords(text, delimiter, most, whole, at);
    if (end === at) return false;
    const rows = records.filter((record) => record.length === signs.length);
    const found = signsOf(
      rows.map((row) => empty.map((j) => row[j])),
      empty.length,
    );
    for (const [i, j] of empty.entries()) signs[j] = found[i];
    at = end;
  }
  return true;
}

function describeColumn(name: string, { numbers, texts }: Tally, complete: boolean): Column {
  // A few texts among numbers are mistakes, and reported where they are met.
  if (numbers > texts) return { name, kind: 'number', type: 'number' };
  const share = numbers / (numbers + texts);
  if (texts > 0)
    return { name, kind: 'text', type: 'text', ...(share >= PARTLY_NUMBERS ? { numericShare: share } : {}) };
  return complete ? { name, kind: 'other', type: 'empty' } : { name, kind: 'number', type: 'number' };
}

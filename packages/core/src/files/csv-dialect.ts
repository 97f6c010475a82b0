import { cellNumber, isMissing } from './csv-cells.js';
import { columnNames, fullHeader, isHeader, isTitle, type Tally } from './csv-header.js';
import { openQuote, splitRecords } from './csv-records.js';
import { readTop } from './csv-top.js';
import { badFile, unsupported } from './file-error.js';
import type { Column } from './table.js';
import { linesOf } from './text.js';

/** How a text table is written, and what its columns hold. */
export interface Dialect {
  /** Whether its texts are in Windows-1252: its beginning is no UTF-8. */
  readonly windows: boolean;
  /** Lines above the table. */
  readonly above: number;
  readonly delimiter: string;
  /** Whether numbers have a decimal comma. */
  readonly decimalComma: boolean;
  readonly header: boolean;
  readonly columns: readonly Column[];
}

const DELIMITERS = [',', '\t', ';', '|', ' '];
/** Rows by which the delimiter is judged, and characters where that is enough for some rows. */
const JUDGED = 50;
const JUDGED_TEXT = 1 << 18;
/** Rows and cells by which the columns are judged. */
const ROWS = 1000;
const CELLS = 1_000_000;
/** Most columns a text table may have. */
const MOST_COLUMNS = 2 ** 20;

/** Finds out how the table is written from its beginning; `whole` says whether that is all of it. */
export function sniffDialect(bytes: Uint8Array, whole: boolean, path: string): Dialect {
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
  const table = sniffTable(text.slice(end), { delimiter, whole, path });
  if (comments.length === 0 || table.header) return describe(table, windows, lines + comments.length);
  // Without names below them, the last comment may hold these, and what looks like a row is one: "#1", "#ff0000".
  const cells = (line: string) => splitRecords(line, table.delimiter, 1, true).records[0] ?? [];
  const isRow = (line: string) =>
    cells(line).length === table.width &&
    cells(line).some((cell) => cellNumber(cell, table.decimalComma) !== undefined);
  if (comments.some(isRow)) return describe(sniffTable(text, { delimiter, whole, path }), windows, lines);
  const names = cells(comments[comments.length - 1].replace(/^#+/, ''));
  const fit = names.length === table.width && names.every((name) => name !== '');
  return describe(fit ? { ...table, names } : table, windows, lines + comments.length);
}

/** What is known of a table: how it is cut into cells, and what its columns hold. */
interface Sniffed {
  readonly delimiter: string;
  readonly decimalComma: boolean;
  readonly width: number;
  /** Whether names are in its first line, and all names there are. */
  readonly header: boolean;
  readonly names: readonly string[];
  readonly tally: readonly Tally[];
  /** Whether the tally is that of all rows. */
  readonly complete: boolean;
}

function sniffTable(
  text: string,
  { delimiter: given, whole, path }: { delimiter: string | undefined; whole: boolean; path: string },
): Sniffed {
  const start = text.slice(0, JUDGED_TEXT);
  const enough = start.length < text.length && (start.match(/\n/g)?.length ?? 0) > 2;
  const verdicts = (given === undefined ? DELIMITERS : [given]).map((delimiter) =>
    enough ? judge(start, delimiter, false) : judge(text, delimiter, whole),
  );
  const best = verdicts.reduce((a, b) => (b.score > a.score ? b : a));
  const { delimiter, decimalComma } = best;
  if (best.width > MOST_COLUMNS) throw unsupported(path, `has ${best.width} columns of text`, 'Save it as .npy.');
  const most = Math.max(3, Math.min(ROWS, Math.floor(CELLS / best.width)));
  const { records, end, open } = splitRecords(text, delimiter, most, whole);
  if (records.length === 0 && open !== undefined) throw openQuote(path, undefined, open.at(-1));
  if (records.length === 0) throw badFile(path, 'it has no complete line');
  const width = usualWidth(records);
  const body = records.slice(1).filter((record) => record.length === width);
  const read = (cell: string) => cellNumber(cell, decimalComma);
  const belowOf = (rows: readonly string[][]) => ({ rows, tally: tallyColumns(rows, width, decimalComma), read });
  const below = belowOf(body);
  const header = isHeader(records[0], below) && !isTitle(records, belowOf(body.slice(1)));
  // Said here, where the columns may already look odd by what is missing; further down, reading comes upon it.
  if (open !== undefined && whole) throw openQuote(path, records.length - (header ? 1 : 0), open.at(-1));
  const tally =
    header || records[0].length !== width ? below.tally : tallyColumns([records[0], ...body], width, decimalComma);
  const complete = lookFurther(tally, text, end, { delimiter, decimalComma, whole }) && whole;
  const names = header ? fullHeader(records[0], body, width) : [];
  return { delimiter, decimalComma, width, header, names, tally, complete };
}

function describe(table: Sniffed, windows: boolean, above: number): Dialect {
  const { delimiter, decimalComma, width, header, names, tally, complete } = table;
  const columns = columnNames(names, width).map((name, j) => {
    const nameless = names[j] === '';
    if (j === 0 && nameless && width > 1)
      return { name, kind: tally[0].texts > 0 ? 'text' : 'other', type: 'row index' } as const;
    return describeColumn(name, tally[j], complete || nameless);
  });
  return { windows, above, delimiter, decimalComma, header, columns };
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
  readonly decimalComma: boolean;
  readonly width: number;
  readonly score: number;
}

/** A delimiter is good when it cuts all lines into the same number of cells, and most of them are numbers. */
function judge(text: string, delimiter: string, whole: boolean): Verdict {
  const { records: complete, open } = splitRecords(text, delimiter, JUDGED, whole);
  const records = complete.length === 0 && open ? [open] : complete;
  const widths = new Map<number, number>();
  for (const { length } of records) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width, same] = [...widths].reduce((a, b) => (b[1] > a[1] ? b : a), [1, 0]);
  let [cells, plain, comma] = [0, 0, 0];
  for (const record of records.slice(records.length > 1 ? 1 : 0)) {
    for (const cell of record.slice(0, 1000)) {
      cells++;
      if (isMissing(cell) || cellNumber(cell) !== undefined) plain++;
      else if (delimiter !== ',' && cellNumber(cell, true) !== undefined) comma++;
    }
  }
  const numbers = (plain + comma) / Math.max(1, cells);
  // A delimiter that is not there leaves one column: the last resort. Blanks stand between words of a name, too.
  const trust = width === 1 ? 0.1 : delimiter === ' ' ? 0.6 : 1;
  const score = (same / Math.max(1, records.length)) * (0.25 + numbers) * trust;
  return { delimiter, decimalComma: comma > plain / 4 && comma > 0, width, score };
}

function tallyColumns(records: readonly string[][], width: number, decimalComma: boolean): Tally[] {
  const tally = Array.from({ length: width }, () => ({ numbers: 0, texts: 0 }));
  for (const record of records) {
    for (let j = 0; j < width; j++) {
      if (isMissing(record[j])) continue;
      if (cellNumber(record[j], decimalComma) !== undefined) tally[j].numbers++;
      else tally[j].texts++;
    }
  }
  return tally;
}

/**
 * Looks for values of columns that have none so far, as far as the text goes: a column may be empty for long and filled
 * further down. Says whether the text was read to its end.
 */
function lookFurther(
  tally: Tally[],
  text: string,
  from: number,
  { delimiter, decimalComma, whole }: { delimiter: string; decimalComma: boolean; whole: boolean },
): boolean {
  const most = Math.max(1, Math.floor(CELLS / 10 / tally.length));
  for (let at = from; at < text.length; ) {
    const empty = [...tally.keys()].filter((j) => tally[j].numbers + tally[j].texts === 0);
    if (empty.length === 0) return false;
    const { records, end } = splitRecords(text, delimiter, most, whole, at);
    if (end === at) return false;
    const found = tallyColumns(
      records.filter((record) => record.length === tally.length).map((record) => empty.map((j) => record[j])),
      empty.length,
      decimalComma,
    );
    for (const [i, j] of empty.entries()) tally[j] = found[i];
    at = end;
  }
  return true;
}

function describeColumn(name: string, { numbers, texts }: Tally, complete: boolean): Column {
  // A few texts among numbers are mistakes, and reported where they are met.
  if (numbers > texts) return { name, kind: 'number', type: 'number' };
  if (texts > 0) return { name, kind: 'text', type: 'text' };
  return complete ? { name, kind: 'other', type: 'empty' } : { name, kind: 'number', type: 'number' };
}

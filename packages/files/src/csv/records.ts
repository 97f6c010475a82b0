import { DataError } from '@scree/core';

/** The whole records of a text. */
export interface Records {
  readonly records: string[][];
  /** The start of the next record. */
  readonly end: number;
  /** A last record whose quote is still open at the end of the text. It is not among the others. */
  readonly open: readonly string[] | undefined;
}

/** Splits a text into records, without quotes and the blanks around cells. The last is left out if it may be cut. */
export function splitRecords(text: string, delimiter: string, most: number, whole: boolean, from = 0): Records {
  const records: string[][] = [];
  const blanks = delimiter === ' ';
  let at = from;
  while (at < text.length && records.length < most) {
    const begin = at;
    const record: string[] = [];
    for (;;) {
      while (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t')) at++;
      let cell = '';
      if (text[at] === '"') {
        const close = closingQuote(text, at);
        if (close === -1) return { records, end: begin, open: [...record, text.slice(at, at + 100)] };
        cell = text.slice(at + 1, close).replaceAll('""', '"');
        at = close + 1;
      }
      const rest = at;
      while (
        at < text.length &&
        text[at] !== delimiter &&
        text[at] !== '\n' &&
        text[at] !== '\r' &&
        !(blanks && text[at] === '\t')
      )
        at++;
      cell += text.slice(rest, at);
      record.push(cell.trim());
      if (blanks) while (text[at] === ' ' || text[at] === '\t') at++;
      if (at >= text.length || text[at] === '\n' || text[at] === '\r') break;
      if (!blanks) at++;
    }
    // The record is cut off, or its end is not in the sample.
    if (at >= text.length && !whole) return { records, end: begin, open: undefined };
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    if (record.length > 1 || record[0] !== '') records.push(record);
  }
  return { records, end: at, open: undefined };
}

/** The position at which the quote that opens here is closed; −1 if it is never closed. */
function closingQuote(text: string, open: number): number {
  let at = open + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1 || text[at + 1] !== '"') return at;
    at += 2;
  }
}

/** A quote without an end makes one cell of the rest of the file: rows would be lost silently. */
export function openQuote(path: string, row: number | undefined, cell = ''): DataError {
  const start = cell.slice(0, 40).split(/[\r\n]/, 1)[0];
  return new DataError(
    'BAD_DATA',
    `${row === undefined ? 'The first line' : `Row ${row + 1}`} of ${path} opens a quote that is never closed, at ${start}. Close it, or write it twice (within quotes) if it belongs to the text.`,
    { ...(row === undefined ? {} : { row }), value: cell, reason: 'open-quote' },
  );
}

/** Lines above a text table: a line that tells Excel the delimiter, and comments. */
export interface LinesAbove {
  /** The delimiter of a line such as "sep=;". */
  readonly delimiter: string | undefined;
  /** Lines that begin with #, and blank ones between them. */
  readonly comments: readonly string[];
  /** The text without that line. */
  readonly text: string;
  /** The position at which the comments end. */
  readonly end: number;
}

const SEPARATOR = /^"?sep=([\t ,;|:^~!#$%&*/])"?[\t ]*(?:\r\n|\n|\r)/i;
/** Most lines that are taken for comments. */
const MOST = 10_000;
const LINE = /[^\r\n]*(?:\r\n|\n|\r)/y;

/** Separates the lines above a table from it. If all lines begin with #, they are not comments. */
export function readLinesAbove(whole: string): LinesAbove {
  const [line, delimiter] = SEPARATOR.exec(whole) ?? [''];
  const text = whole.slice(line.length);
  const lines: string[] = [];
  let [count, end] = [0, 0];
  for (let at = 0; lines.length < MOST; ) {
    LINE.lastIndex = at;
    const next = LINE.exec(text)?.[0];
    if (next === undefined || !/^(?: *#|\s*$)/.test(next)) break;
    at += next.length;
    lines.push(next.trim());
    // Blank lines are the table's own unless there is a comment below them.
    if (next.trim() !== '') [count, end] = [lines.length, at];
  }
  if (lines.length === MOST || text.slice(end).trim() === '') [count, end] = [0, 0];
  return { delimiter, comments: lines.slice(0, count), text, end };
}

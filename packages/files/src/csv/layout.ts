import { type Bytes, peek } from '../bytes/bytes.js';
import { textOf } from '../bytes/text.js';
import { DEFAULT_MEMORY } from '../options.js';
import { MISSING_TEXTS } from './cells.js';
import { type Dialect, SAMPLE, sniffDialect } from './dialect.js';

/** What we find out about a text table, for others who are to read it as we do. */
export interface CsvLayout {
  readonly dialect: Dialect;
  /** Lines above the first row: comments, blank ones, and the names. */
  readonly linesAbove: number;
  /** Texts that mean "no value". */
  readonly missing: readonly string[];
  /** Whether one delimiter stands between two cells: of blanks there may be more. */
  readonly singleDelimiter: boolean;
}

export async function csvLayout(bytes: Bytes): Promise<CsvLayout> {
  const sample = await peek(bytes, SAMPLE);
  const dialect = sniffDialect(sample, sample.length < SAMPLE, bytes.path, DEFAULT_MEMORY);
  const top = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r)){${dialect.linesAbove}}`);
  const text = textOf(sample)
    .replace(/^\ufeff/, '')
    .replace(top, '');
  const blank = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0].match(/\r\n|\n|\r/g)?.length ?? 0;
  return {
    dialect,
    linesAbove: dialect.linesAbove + (dialect.header ? blank + 1 : 0),
    missing: [...MISSING_TEXTS],
    singleDelimiter: dialect.delimiter !== ' ' || !/^ | $|[ \t]{2}|\t/m.test(text),
  };
}

import { type Bytes, peek } from '../bytes/bytes.js';
import { textOf } from '../bytes/text.js';
import { DEFAULT_MEMORY } from '../options.js';
import { type Dialect, SAMPLE, sniffDialect } from './dialect.js';

/** How a text table is written, for programs that must read it as this package does. */
export interface CsvLayout {
  readonly dialect: Dialect;
  /** Lines above the first row: comments, blank ones, and the names. */
  readonly linesAbove: number;
  /** True if exactly one delimiter separates two cells. Blanks may be repeated. */
  readonly singleDelimiter: boolean;
}

export async function detectLayout(bytes: Bytes, na: readonly string[]): Promise<CsvLayout> {
  const sample = await peek(bytes, SAMPLE);
  const dialect = sniffDialect(sample, sample.length < SAMPLE, bytes.path, { memory: DEFAULT_MEMORY, na });
  const top = new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r)){${dialect.linesAbove}}`);
  const text = textOf(sample)
    .replace(/^\ufeff/, '')
    .replace(top, '');
  const blank = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0].match(/\r\n|\n|\r/g)?.length ?? 0;
  return {
    dialect,
    linesAbove: dialect.linesAbove + (dialect.header ? blank + 1 : 0),
    singleDelimiter: dialect.delimiter !== ' ' || !/^ | $|[ \t]{2}|\t/m.test(text),
  };
}

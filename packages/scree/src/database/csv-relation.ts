import { OptionError } from '@scree/core';
import { type CsvLayout, csvLayout, type Identified, type NumberFormat, uniqueNames } from '@scree/files/platform';
import { type DuckDb, fileName, identifier, quoted } from './duckdb.js';
import type { Relation } from './relation.js';

/** Types that DuckDB detects in a column of text. In a query their values compare as dates and times. */
const TIME = /^(DATE|TIME|TIMESTAMP)\b/;

/** The formats of dates and times, if they differ from DuckDB's usual ones. */
interface TimeFormats {
  readonly date?: string;
  readonly timestamp?: string;
}

interface Times {
  /** The type of each column. */
  readonly types: readonly string[];
  readonly formats: TimeFormats;
}

/**
 * A text table for DuckDB, parsed by the rules of @scree/files. DuckDB's own detection would choose other delimiters, read NA as text, and
 * end a cell at a decimal comma. It would also round the numbers of a column that begins with integers. `na` are texts that mean "no value"
 * in every column.
 */
export async function csvRelation(
  { content, packing }: Identified,
  file: string,
  duck: DuckDb,
  na: readonly string[],
): Promise<Relation> {
  const layout = await csvLayout(content, na);
  const { columns, numberFormats, notations } = layout.dialect;
  if (!layout.singleDelimiter) {
    throw new OptionError(
      'BAD_OPTION',
      `sql cannot read ${content.path}: several blanks stand between its columns. Save it with commas first.`,
      { option: 'sql' },
    );
  }
  const options = dialectOptions(layout, packing);
  const missing = list([...layout.dialect.missing]);
  const empty = list(['', ...na]);
  // Column names of DuckDB are case-insensitive.
  const names = uniqueNames(
    columns.map(({ name }) => name),
    (name) => name.toLowerCase(),
  );
  const { types, formats } = await findTimes(duck, file, { ...options, nullstr: missing }, columns.length);
  const typeOf = (j: number) => (columns[j].kind !== 'number' && TIME.test(types[j] ?? '') ? types[j] : 'VARCHAR');
  const declared = names.map((name) => `${quoted(name)}: 'VARCHAR'`).join(', ');
  const read = call('read_csv', file, { ...options, nullstr: empty, auto_detect: 'false', columns: `{${declared}}` });
  const cells = names.map((name, j) => {
    const cell = identifier(name);
    if (typeOf(j) !== 'VARCHAR') return `${time(cell, missing, typeOf(j), formats)} AS ${cell}`;
    // Amounts and percentages stay text, and a query converts them.
    const plain = columns[j].kind === 'number' && !notations[j];
    const gaps = columns[j].kind === 'text' ? empty : missing;
    return `${plain ? number(cell, gaps, numberFormats[j]) : text(cell, gaps)} AS ${cell}`;
  });
  const index = new Set(names.filter((_, j) => columns[j].type === 'row index'));
  return { sql: `(SELECT ${cells.join(', ')} FROM ${read})`, isIndex: (name) => index.has(name) };
}

function dialectOptions({ dialect, linesAbove }: CsvLayout, packing: string | undefined): Record<string, string> {
  return {
    delim: quoted(dialect.delimiter),
    quote: `'"'`,
    escape: `'"'`,
    header: 'false',
    skip: String(linesAbove),
    hive_partitioning: 'false',
    ...(dialect.windows1252 ? { encoding: `'latin-1'` } : {}),
    ...(packing ? { compression: quoted(packing) } : {}),
  };
}

/** Lets DuckDB detect columns of dates and times, and their formats. */
async function findTimes(duck: DuckDb, file: string, options: Record<string, string>, width: number): Promise<Times> {
  const sniffed = await duck
    .rows(
      `SELECT list_transform(Columns, lambda each: each.type), DateFormat, TimestampFormat FROM ${call('sniff_csv', file, options)}`,
    )
    // An invalid row is reported when it is read.
    .catch(() => []);
  const [types, date, timestamp] = (sniffed[0] ?? []) as [{ items: string[] }?, string?, string?];
  if (types?.items.length !== width) return { types: [], formats: {} };
  return {
    types: types.items,
    formats: {
      ...(date ? { date } : {}),
      ...(timestamp ? { timestamp } : {}),
    },
  };
}

function call(name: string, file: string, options: Readonly<Record<string, string>>): string {
  const given = Object.entries(options).map(([option, value]) => `${option} = ${value}`);
  return `${name}(${[fileName(file), ...given].join(', ')})`;
}

function list(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

/** SQL for the text of a cell, trimmed. */
function text(cell: string, missing: string): string {
  return `CASE WHEN list_contains(${missing}, trim(${cell})) THEN NULL ELSE trim(${cell}) END`;
}

/** SQL for the date or time in a cell. */
function time(cell: string, missing: string, type: string, { date, timestamp }: TimeFormats): string {
  const format = type === 'DATE' ? date : type.startsWith('TIMESTAMP') ? timestamp : undefined;
  const value = format === undefined ? `trim(${cell})` : `strptime(trim(${cell}), ${quoted(format)})`;
  return `CASE WHEN list_contains(${missing}, trim(${cell})) THEN NULL ELSE ${value}::${type} END`;
}

/** SQL for the number in a cell, by the rules of csv/ in @scree/files. */
function number(cell: string, missing: string, format: NumberFormat): string {
  const cases = [
    `WHEN list_contains(${missing}, trim(${cell})) THEN NULL`,
    `WHEN lower(trim(${cell})) = 'true' THEN 1`,
    `WHEN lower(trim(${cell})) = 'false' THEN 0`,
    ...markCases(cell, format),
  ];
  return `CASE ${cases.join(' ')} ELSE ${format.mark === ',' ? `replace(${cell}, ',', '.')` : cell}::DOUBLE END`;
}

/** Numbers with a mark that is not the decimal one: it separates thousands, or its meaning is unknown. */
function markCases(cell: string, { mark, pointIsDecimal }: NumberFormat): string[] {
  const matches = (expression: string): string => `regexp_matches(trim(${cell}), '${expression}')`;
  if (mark === undefined) {
    const open = matches(`^[+-]?[1-9]\\d{0,2}[${pointIsDecimal ? '' : '.'},]\\d{3}$`);
    return [`WHEN ${open} THEN error(trim(${cell}) || ' may be a number with thousands or one with decimals')::DOUBLE`];
  }
  const parts = mark === '.' ? ',' : '.';
  const parted = matches(`^[+-]?[1-9]\\d{0,2}(?:[${parts}]\\d{3})+(?:[${mark}]\\d*)?$`);
  const digits = `replace(${cell}, '${parts}', '')`;
  return [`WHEN ${parted} THEN ${mark === '.' ? digits : `replace(${digits}, ',', '.')`}::DOUBLE`];
}

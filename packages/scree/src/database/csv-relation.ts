import { OptionError } from '@scree/core';
import { type CsvHead, csvHead, type Identified, uniqueNames, type Writing } from '@scree/files/internal';
import { type Duck, fileName, identifier, quoted } from './duckdb.js';
import type { Relation } from './relation.js';

/** Types that a column of text may have in a query: DuckDB finds them by their look, and they compare as what they are. */
const TIME = /^(DATE|TIME|TIMESTAMP)\b/;

interface Times {
  /** Of each column: its type. */
  readonly types: readonly string[];
  readonly formats: Readonly<Record<string, string>>;
}

/**
 * A text table for DuckDB, read as we read it: DuckDB alone would find other delimiters, take NA for text and a decimal comma
 * for the end of a cell, and round the numbers of a column that begins with whole ones.
 */
export async function csvRelation({ content, packing }: Identified, file: string, duck: Duck): Promise<Relation> {
  const head = await csvHead(content);
  const { columns, writing, forms } = head.dialect;
  if (!head.single) {
    throw new OptionError(
      'BAD_OPTION',
      `sql cannot read ${content.path}: several blanks stand between its columns. Save it with commas first.`,
      { option: 'sql' },
    );
  }
  const options = dialectOptions(head, packing);
  // DuckDB does not tell "a" from "A".
  const names = uniqueNames(
    columns.map(({ name }) => name),
    (name) => name.toLowerCase(),
  );
  const { types, formats } = await findTimes(duck, file, options, columns.length);
  const typeOf = (j: number) => (columns[j].kind !== 'number' && TIME.test(types[j] ?? '') ? types[j] : 'VARCHAR');
  const declared = names.map((name, j) => `${quoted(name)}: ${quoted(typeOf(j))}`).join(', ');
  const read = call('read_csv', file, { ...options, ...formats, auto_detect: 'false', columns: `{${declared}}` });
  const missing = list(head.missing);
  const cells = names.map((name, j) => {
    const cell = identifier(name);
    if (typeOf(j) !== 'VARCHAR') return cell;
    // Amounts and percentages stay text: a query says itself what they are.
    const plain = columns[j].kind === 'number' && !forms[j];
    return `${plain ? number(cell, missing, writing[j]) : text(cell, missing)} AS ${cell}`;
  });
  const index = new Set(names.filter((_, j) => columns[j].type === 'row index'));
  return { sql: `(SELECT ${cells.join(', ')} FROM ${read})`, isIndex: (name) => index.has(name) };
}

function dialectOptions({ dialect, above, missing }: CsvHead, packing: string | undefined): Record<string, string> {
  return {
    delim: quoted(dialect.delimiter),
    quote: `'"'`,
    escape: `'"'`,
    header: 'false',
    skip: String(above),
    nullstr: list(missing),
    hive_partitioning: 'false',
    ...(dialect.windows ? { encoding: `'latin-1'` } : {}),
    ...(packing ? { compression: quoted(packing) } : {}),
  };
}

/** Which columns look like dates and times, and how these are written. */
async function findTimes(duck: Duck, file: string, options: Record<string, string>, width: number): Promise<Times> {
  const sniffed = await duck
    .rows(
      `SELECT list_transform(Columns, lambda each: each.type), DateFormat, TimestampFormat FROM ${call('sniff_csv', file, options)}`,
    )
    // What is wrong with a row is said where it is read.
    .catch(() => []);
  const [types, date, timestamp] = (sniffed[0] ?? []) as [{ items: string[] }?, string?, string?];
  if (types?.items.length !== width) return { types: [], formats: {} };
  return {
    types: types.items,
    formats: {
      ...(date ? { dateformat: quoted(date) } : {}),
      ...(timestamp ? { timestampformat: quoted(timestamp) } : {}),
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

/** A cell's text without the blanks around it. */
function text(cell: string, missing: string): string {
  return `CASE WHEN list_contains(${missing}, trim(${cell})) THEN NULL ELSE trim(${cell}) END`;
}

/** A cell's number, by the rules of core's csv-cells and csv-marks. */
function number(cell: string, missing: string, writing: Writing): string {
  const cases = [
    `WHEN list_contains(${missing}, trim(${cell})) THEN NULL`,
    `WHEN lower(trim(${cell})) = 'true' THEN 1`,
    `WHEN lower(trim(${cell})) = 'false' THEN 0`,
    ...markCases(cell, writing),
  ];
  return `CASE ${cases.join(' ')} ELSE ${writing.mark === ',' ? `replace(${cell}, ',', '.')` : cell}::DOUBLE END`;
}

/** Numbers with a mark that is not the decimal one: it separates thousands, or its meaning is unknown. */
function markCases(cell: string, { mark, plain }: Writing): string[] {
  const matches = (expression: string): string => `regexp_matches(trim(${cell}), '${expression}')`;
  if (mark === undefined) {
    const open = matches(`^[+-]?[1-9]\\d{0,2}[${plain ? '' : '.'},]\\d{3}$`);
    return [`WHEN ${open} THEN error(trim(${cell}) || ' may be a number with thousands or one with decimals')::DOUBLE`];
  }
  const parts = mark === '.' ? ',' : '.';
  const parted = matches(`^[+-]?[1-9]\\d{0,2}(?:[${parts}]\\d{3})+(?:[${mark}]\\d*)?$`);
  const digits = `replace(${cell}, '${parts}', '')`;
  return [`WHEN ${parted} THEN ${mark === '.' ? digits : `replace(${digits}, ',', '.')`}::DOUBLE`];
}

import type { ColumnKind } from '@scree/core/data';
import { pandasIndex } from '../table/pandas-index.js';
import type { Footer, SchemaElement } from './footer.js';

/** How the lists of a column are stored. A level says how far a value is there. */
export interface ListLevels {
  /** The definition level of a value, of an empty list, and of a missing value in a list; −1 if there is none. */
  readonly value: number;
  readonly empty: number;
  readonly missing: number;
}

/** A column of a Parquet file, with what is needed to read it. */
export interface ParquetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The type as DuckDB calls it. */
  readonly type: string;
  /** Its index among the leaves of the schema, which is also the index of its chunk in every row group; −1 if it is not read. */
  readonly leaf: number;
  readonly element: SchemaElement;
  readonly index: boolean;
  /** For a column of lists of numbers. */
  readonly list?: ListLevels | undefined;
}

/** Types whose numbers float32 holds. */
export const FLOAT32_TYPES = /^(TINYINT|SMALLINT|UTINYINT|USMALLINT|FLOAT|BOOLEAN)$/;
const NUMBER =
  /^(TINYINT|SMALLINT|INTEGER|BIGINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(\d+,\d+\))$/;
const TEXT = /^(VARCHAR|UUID)$/;

/** The columns of a schema. Columns that are nested in other ways than as lists of numbers are listed, but not read. */
export function columnsOf({ schema, notes, emptyLeaves }: Footer, durations: readonly string[]): ParquetColumn[] {
  const isIndex = pandasIndex(notes.get('pandas'));
  const columns: ParquetColumn[] = [];
  const wanted = schema[0].children;
  let leaf = 0;
  for (let at = 1; columns.length < wanted; ) {
    const start = at;
    const first = leaf;
    // Elements are in depth-first order: a column ends when all the children that were announced were seen.
    for (let open = 1; open > 0; at++) {
      const element = schema[at];
      if (!element) throw new RangeError('its schema ends early');
      open += element.children - 1;
      if (element.children === 0) leaf++;
    }
    const parts = schema.slice(start, at);
    const [element] = parts;
    const { name } = element;
    const index = isIndex(name);
    const list = listOf(parts);
    if (list) {
      columns.push({ name, kind: 'number', type: typeName(list.element), leaf: first, index, ...list });
      continue;
    }
    const flat = parts.length === 1 && element.repetition !== 'REPEATED';
    const stored = flat ? typeName(element) : nestedName(element);
    const number = NUMBER.test(stored);
    const isEmpty = flat && (element.logical?.name === 'NULL' || emptyLeaves[first]);
    const instead = durations.includes(name) ? 'duration' : isEmpty ? 'empty' : undefined;
    const type = number ? (instead ?? stored) : stored;
    const kind = type !== stored ? 'other' : number ? 'number' : TEXT.test(type) ? 'text' : 'other';
    columns.push({ name, kind, type, leaf: flat ? first : -1, element, index });
  }
  if (leaf !== emptyLeaves.length) throw new RangeError('its schema has more elements than columns');
  return columns;
}

/** Lists of numbers: a group LIST around a repeated group around the values, or as older writers nest them. */
function listOf(parts: readonly SchemaElement[]): { element: SchemaElement; list: ListLevels } | undefined {
  const element = parts[parts.length - 1];
  const [outer, ...inner] = parts;
  const outerLevel = outer.repetition === 'OPTIONAL' ? 1 : 0;
  const plainList = parts.length === 1 && outer.repetition === 'REPEATED';
  const isList = outer.converted === 'LIST' || outer.logical?.name === 'LIST';
  const nested =
    isList &&
    outer.repetition !== 'REPEATED' &&
    parts.length <= 3 &&
    inner[0]?.repetition === 'REPEATED' &&
    parts.slice(0, -1).every(({ children }) => children === 1) &&
    (parts.length === 2 || element.repetition !== 'REPEATED');
  if (!(plainList || nested) || !NUMBER.test(typeName(element)) || element.children > 0) return undefined;
  const empty = plainList ? 0 : outerLevel;
  const optional = parts.length === 3 && element.repetition === 'OPTIONAL';
  return { element, list: { empty, value: empty + (optional ? 2 : 1), missing: optional ? empty + 1 : -1 } };
}

function nestedName({ converted, repetition, children }: SchemaElement): string {
  if (converted === 'LIST' || (repetition === 'REPEATED' && children === 0)) return 'LIST';
  return converted === 'MAP' ? 'MAP' : 'STRUCT';
}

function typeName(element: SchemaElement): string {
  const { type, converted, logical } = element;
  if (converted === 'DECIMAL' || logical?.name === 'DECIMAL') {
    const { precision, scale } = decimalOf(element);
    return `DECIMAL(${precision},${scale})`;
  }
  switch (type) {
    case 'BOOLEAN':
      return 'BOOLEAN';
    case 'FLOAT':
      return 'FLOAT';
    case 'DOUBLE':
      return 'DOUBLE';
    case 'INT32':
    case 'INT64':
      return integerName(element);
    case 'INT96':
      return 'TIMESTAMP';
    case 'BYTE_ARRAY':
      if (converted === 'UTF8' || converted === 'ENUM' || logical?.name === 'STRING' || logical?.name === 'ENUM')
        return 'VARCHAR';
      return converted === 'JSON' || logical?.name === 'JSON' ? 'JSON' : 'BLOB';
    case 'FIXED_LEN_BYTE_ARRAY':
      if (logical?.name === 'FLOAT16' && element.length === 2) return 'FLOAT';
      if (logical?.name === 'UUID' && element.length === 16) return 'UUID';
      return converted === 'INTERVAL' ? 'INTERVAL' : 'BLOB';
    default:
      return 'unknown';
  }
}

const INTEGERS = new Map([
  ['INT_8', 'TINYINT'],
  ['INT_16', 'SMALLINT'],
  ['INT_32', 'INTEGER'],
  ['INT_64', 'BIGINT'],
  ['UINT_8', 'UTINYINT'],
  ['UINT_16', 'USMALLINT'],
  ['UINT_32', 'UINTEGER'],
  ['UINT_64', 'UBIGINT'],
]);

function integerName({ type, converted, logical }: SchemaElement): string {
  if (logical?.name === 'INTEGER') {
    const found = INTEGERS.get(`${logical.signed ? '' : 'U'}INT_${logical.bits}`);
    if (found) return found;
  }
  const named = converted && INTEGERS.get(converted);
  if (named) return named;
  if (converted === 'DATE' || logical?.name === 'DATE') return 'DATE';
  if (converted?.startsWith('TIMESTAMP') || logical?.name === 'TIMESTAMP') return 'TIMESTAMP';
  if (converted?.startsWith('TIME_') || logical?.name === 'TIME') return 'TIME';
  return type === 'INT64' ? 'BIGINT' : 'INTEGER';
}

/** Digits of a decimal number, and the number of digits after the point. */
export function decimalOf({ logical, precision, scale }: SchemaElement): {
  readonly precision: number;
  readonly scale: number;
} {
  const given = logical?.name === 'DECIMAL' ? logical : { precision, scale };
  if (!(given.scale >= 0 && given.scale <= 76)) throw new RangeError(`a decimal has ${given.scale} places`);
  return { precision: given.precision, scale: given.scale };
}

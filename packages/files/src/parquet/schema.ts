import type { ColumnKind } from '@scree/core/data';
import type { FileMetaData, SchemaElement } from 'hyparquet';
import { pandasIndex } from '../table/pandas-index.js';

/** A column of a Parquet file, with what is needed to read it. */
export interface ParquetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The type as DuckDB calls it, so that the lab and scree say the same. */
  readonly type: string;
  /** Its index among the leaves of the schema, which is also the index of its chunk in every row group; −1 where it is nested. */
  readonly leaf: number;
  readonly element: SchemaElement;
  readonly index: boolean;
}

/** Types whose numbers float32 holds. */
export const FLOAT32_TYPES = /^(TINYINT|SMALLINT|UTINYINT|USMALLINT|FLOAT|BOOLEAN)$/;
const NUMBER =
  /^(TINYINT|SMALLINT|INTEGER|BIGINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|BOOLEAN|DECIMAL\(\d+,\d+\))$/;
const TEXT = /^(VARCHAR|UUID)$/;
const REPETITIONS = new Set<string | undefined>(['REQUIRED', 'OPTIONAL', 'REPEATED']);

/** A note in the footer of a file, by its key: pandas and Arrow keep their own descriptions there. */
export function noteOf({ key_value_metadata: notes }: FileMetaData, name: string): string | undefined {
  return notes?.find(({ key }) => key === name)?.value;
}

/** The columns of a schema. Nested columns, durations and empty columns are listed, but not read. */
export function columnsOf(metadata: FileMetaData, durations: readonly string[]): ParquetColumn[] {
  const { schema } = metadata;
  const isIndex = pandasIndex(noteOf(metadata, 'pandas'));
  const columns: ParquetColumn[] = [];
  const wanted = schema[0]?.num_children ?? 0;
  let leaf = 0;
  for (let at = 1; columns.length < wanted; ) {
    const element = schema[at];
    if (!element) throw new RangeError('its schema ends early');
    const { name } = element;
    // Elements are in depth-first order: a column ends when all the children that were announced were seen.
    let open = 1;
    const first = leaf;
    for (; open > 0; at++) {
      const each = schema[at];
      if (!each) throw new RangeError('its schema ends early');
      const children = each.num_children ?? 0;
      if (!(children >= 0 && REPETITIONS.has(each.repetition_type))) throw new RangeError('its schema is broken');
      open += children - 1;
      if (children === 0) leaf++;
    }
    const flat = !element.num_children && element.repetition_type !== 'REPEATED';
    const stored = flat ? typeName(element) : nestedName(element);
    const number = NUMBER.test(stored);
    const instead = durations.includes(name) ? 'duration' : isEmpty(metadata, element, first) ? 'empty' : undefined;
    const type = number ? (instead ?? stored) : stored;
    const kind = type !== stored ? 'other' : number ? 'number' : TEXT.test(type) ? 'text' : 'other';
    columns.push({ name, kind, type, leaf: flat ? first : -1, element, index: isIndex(name) });
  }
  return columns;
}

/** Whether all values of a column are missing, as far as its type or the counts of its chunks say so. */
function isEmpty(
  { row_groups: groups }: FileMetaData,
  { logical_type: logical }: SchemaElement,
  leaf: number,
): boolean {
  if (logical?.type === 'NULL') return true;
  return (
    groups.length > 0 &&
    groups.every(({ columns }) => {
      const { num_values: all, statistics } = columns[leaf]?.meta_data ?? {};
      return all !== undefined && all > 0n && statistics?.null_count === all;
    })
  );
}

function nestedName({
  converted_type: converted,
  repetition_type: repetition,
  num_children: children,
}: SchemaElement): string {
  if (converted === 'LIST' || (repetition === 'REPEATED' && !children)) return 'LIST';
  return converted === 'MAP' ? 'MAP' : 'STRUCT';
}

function typeName(element: SchemaElement): string {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
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
      if (converted === 'UTF8' || converted === 'ENUM' || logical?.type === 'STRING' || logical?.type === 'ENUM')
        return 'VARCHAR';
      return converted === 'JSON' || logical?.type === 'JSON' ? 'JSON' : 'BLOB';
    case 'FIXED_LEN_BYTE_ARRAY':
      if (logical?.type === 'FLOAT16' && element.type_length === 2) return 'FLOAT';
      if (logical?.type === 'UUID' && element.type_length === 16) return 'UUID';
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

function integerName({ type, converted_type: converted, logical_type: logical }: SchemaElement): string {
  if (logical?.type === 'INTEGER') {
    const found = INTEGERS.get(`${logical.isSigned ? '' : 'U'}INT_${logical.bitWidth}`);
    if (found) return found;
  }
  const named = converted && INTEGERS.get(converted);
  if (named) return named;
  if (converted === 'DATE' || logical?.type === 'DATE') return 'DATE';
  if (converted?.startsWith('TIMESTAMP') || logical?.type === 'TIMESTAMP') return 'TIMESTAMP';
  if (converted?.startsWith('TIME_') || logical?.type === 'TIME') return 'TIME';
  return type === 'INT64' ? 'BIGINT' : 'INTEGER';
}

/** Digits of a decimal number, and how many of them stand behind the point. */
export function decimalOf({ logical_type: logical, precision, scale }: SchemaElement): {
  readonly precision: number;
  readonly scale: number;
} {
  const given = logical?.type === 'DECIMAL' ? logical : { precision, scale };
  const places = given.scale ?? 0;
  if (!(places >= 0 && places <= 76)) throw new RangeError(`a decimal has ${places} places`);
  return { precision: given.precision ?? 0, scale: places };
}

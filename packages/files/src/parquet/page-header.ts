import { ThriftReader } from './thrift.js';

export const ENCODINGS = [
  'PLAIN',
  undefined,
  'PLAIN_DICTIONARY',
  'RLE',
  'BIT_PACKED',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'DELTA_BYTE_ARRAY',
  'RLE_DICTIONARY',
  'BYTE_STREAM_SPLIT',
] as const;
export type PageEncoding = Exclude<(typeof ENCODINGS)[number], undefined>;

/** The header of a page. Its sizes and counts are whole and not negative, but they may still be wrong. */
export interface PageHeader {
  readonly kind: 'data' | 'index' | 'dictionary' | 'data v2';
  /** Bytes of the page as it is stored, and after unpacking. */
  readonly packed: number;
  readonly size: number;
  /** CRC-32 of the page as it is stored; undefined where the writer left none. */
  readonly crc: number | undefined;
  /** Values in the page, missing ones included; 0 in an index page. */
  readonly values: number;
  /** Missing values among them. Only pages of version 2 say so. */
  readonly missing: number | undefined;
  readonly encoding: PageEncoding | undefined;
  readonly definitionEncoding: PageEncoding | undefined;
  readonly repetitionEncoding: PageEncoding | undefined;
  /** Bytes of levels before the values; they are never packed. Only pages of version 2 have them. */
  readonly levels: { readonly repetition: number; readonly definition: number };
  /** Whether the values are packed with the codec of the column. */
  readonly isPacked: boolean;
}

/** PageType in parquet.thrift, and the field of PageHeader that has its details. */
const KINDS = ['data', 'index', 'dictionary', 'data v2'] as const;
const DETAILS = { data: 5, index: 0, dictionary: 7, 'data v2': 8 } as const;

/** Reads the header at the beginning of the bytes. A broken header, or one that is cut off, is a RangeError. */
export function readPageHeader(bytes: Uint8Array): { readonly header: PageHeader; readonly length: number } {
  const reader = new ThriftReader(bytes);
  let [type, size, packed] = [-1, -1, -1];
  let crc: number | undefined;
  /** Integers of the details by their fields; the details that the kind does not have are kept apart. */
  const details = new Map<number, Map<number, number>>();
  let isPacked = true;
  reader.fields((field, fieldType) => {
    if (field === 1) type = reader.count(fieldType);
    else if (field === 2) size = reader.count(fieldType);
    else if (field === 3) packed = reader.count(fieldType);
    else if (field === 4) crc = reader.integer(fieldType) >>> 0;
    else if (field === 5 || field === 7 || field === 8) {
      const own = new Map<number, number>();
      reader.struct(fieldType, (inner, innerType) => {
        if (field === 8 && inner === 7) isPacked = reader.boolean(innerType);
        else if (inner <= 6 && innerType > 2 && innerType < 7) own.set(inner, reader.integer(innerType));
      });
      details.set(field, own);
    }
  });
  const kind = KINDS[type];
  if (!kind) throw new RangeError('a page of an unknown kind');
  if (size < 0 || packed < 0) throw new RangeError('a page header has no size');
  const own = kind === 'index' ? new Map<number, number>() : details.get(DETAILS[kind]);
  if (!own) throw new RangeError('a page header says nothing about its values');
  const version2 = kind === 'data v2';
  const encodingAt = (at: number): PageEncoding | undefined => ENCODINGS[own.get(at) ?? -1];
  const header: PageHeader = {
    kind,
    size,
    packed,
    crc,
    values: kind === 'index' ? 0 : count(own, 1, 'number of values'),
    missing: version2 ? count(own, 2, 'number of missing values') : undefined,
    encoding: encodingAt(version2 ? 4 : 2),
    definitionEncoding: kind === 'data' ? encodingAt(3) : undefined,
    repetitionEncoding: kind === 'data' ? encodingAt(4) : undefined,
    levels: version2
      ? { definition: count(own, 5, 'length of levels'), repetition: count(own, 6, 'length of levels') }
      : { definition: 0, repetition: 0 },
    isPacked: !version2 || isPacked,
  };
  const { definition, repetition } = header.levels;
  if (definition + repetition > Math.min(packed, size)) throw new RangeError('the levels of a page go beyond it');
  return { header, length: reader.position };
}

function count(own: ReadonlyMap<number, number>, field: number, name: string): number {
  const value = own.get(field);
  if (value !== undefined && value >= 0 && Number.isSafeInteger(value)) return value;
  throw new RangeError(`a page header has no ${name}`);
}

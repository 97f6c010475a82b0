import type { Encoding } from 'hyparquet';
import { readThrift, type ThriftStruct } from './thrift.js';

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
  readonly encoding: Encoding | undefined;
  readonly definitionEncoding: Encoding | undefined;
  /** Bytes of levels before the values; they are never packed. Only pages of version 2 have them. */
  readonly levels: { readonly repetition: number; readonly definition: number };
  /** Whether the values are packed with the codec of the column. */
  readonly isPacked: boolean;
}

/** PageType and Encoding in parquet.thrift; both count from 0. */
const KINDS = ['data', 'index', 'dictionary', 'data v2'] as const;
const ENCODINGS: readonly (Encoding | undefined)[] = [
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
];

/** Reads the header at the beginning of the bytes. A broken header, or one that is cut off, is a RangeError. */
export function readPageHeader(bytes: Uint8Array): { readonly header: PageHeader; readonly length: number } {
  const { struct, length } = readThrift(bytes);
  const kind = KINDS[count(struct, 1, 'kind')];
  if (!kind) throw new RangeError('a page of an unknown kind');
  const version2 = kind === 'data v2';
  // The field numbers of DataPageHeader, DictionaryPageHeader and DataPageHeaderV2 in PageHeader.
  const field = { data: 5, index: 0, dictionary: 7, 'data v2': 8 }[kind];
  const details = field === 0 ? undefined : struct.get(field);
  if (field !== 0 && !(details instanceof Map)) throw new RangeError('a page header says nothing about its values');
  const own: ThriftStruct = details instanceof Map ? details : new Map();
  const encodingAt = (at: number): Encoding | undefined => ENCODINGS[Number(own.get(at))];
  const crc = struct.get(4);
  const header: PageHeader = {
    kind,
    size: count(struct, 2, 'size'),
    packed: count(struct, 3, 'packed size'),
    crc: typeof crc === 'number' ? crc >>> 0 : undefined,
    values: field === 0 ? 0 : count(own, 1, 'number of values'),
    missing: version2 ? count(own, 2, 'number of missing values') : undefined,
    encoding: encodingAt(version2 ? 4 : 2),
    definitionEncoding: kind === 'data' ? encodingAt(3) : undefined,
    levels: version2
      ? { definition: count(own, 5, 'length of levels'), repetition: count(own, 6, 'length of levels') }
      : { definition: 0, repetition: 0 },
    isPacked: !version2 || own.get(7) !== false,
  };
  const { definition, repetition } = header.levels;
  if (definition + repetition > Math.min(header.packed, header.size))
    throw new RangeError('the levels of a page go beyond it');
  return { header, length };
}

function count(struct: ThriftStruct, field: number, name: string): number {
  const value = struct.get(field);
  if (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)) return value;
  throw new RangeError(`a page header has no ${name}`);
}

import type { SeekableBytes } from '../archive/zip.js';
import { showBytes } from '../bytes/show-bytes.js';
import { textOf } from '../bytes/text.js';
import { badFile, FileError, truncated, unsupported } from '../file-error.js';
import { checkColumns } from '../table/most-columns.js';
import { ThriftReader } from './thrift.js';

/** Physical types, in the order of parquet.thrift. */
const TYPES = ['BOOLEAN', 'INT32', 'INT64', 'INT96', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'] as const;
export type PhysicalType = (typeof TYPES)[number];

const REPETITIONS = ['REQUIRED', 'OPTIONAL', 'REPEATED'] as const;

const CONVERTED = [
  'UTF8',
  'MAP',
  'MAP_KEY_VALUE',
  'LIST',
  'ENUM',
  'DECIMAL',
  'DATE',
  'TIME_MILLIS',
  'TIME_MICROS',
  'TIMESTAMP_MILLIS',
  'TIMESTAMP_MICROS',
  'UINT_8',
  'UINT_16',
  'UINT_32',
  'UINT_64',
  'INT_8',
  'INT_16',
  'INT_32',
  'INT_64',
  'JSON',
  'BSON',
  'INTERVAL',
] as const;

/** The members of the union LogicalType, by their fields. */
const LOGICAL = new Map<number, LogicalName>([
  [1, 'STRING'],
  [2, 'MAP'],
  [3, 'LIST'],
  [4, 'ENUM'],
  [5, 'DECIMAL'],
  [6, 'DATE'],
  [7, 'TIME'],
  [8, 'TIMESTAMP'],
  [10, 'INTEGER'],
  [11, 'NULL'],
  [12, 'JSON'],
  [13, 'BSON'],
  [14, 'UUID'],
  [15, 'FLOAT16'],
]);
type LogicalName =
  | 'STRING'
  | 'MAP'
  | 'LIST'
  | 'ENUM'
  | 'DECIMAL'
  | 'DATE'
  | 'TIME'
  | 'TIMESTAMP'
  | 'INTEGER'
  | 'NULL'
  | 'JSON'
  | 'BSON'
  | 'UUID'
  | 'FLOAT16';

export const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'LZO', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW'] as const;
export type Codec = (typeof CODECS)[number];

/** The unit of a time: a second has so many. */
const UNITS = new Map([
  [1, 1e3],
  [2, 1e6],
  [3, 1e9],
]);

/** What an element of the schema means, in addition to how it is stored. */
export interface LogicalType {
  readonly name: LogicalName;
  /** Of a decimal. */
  readonly scale: number;
  readonly precision: number;
  /** Of an integer. */
  readonly bits: number;
  readonly signed: boolean;
  /** Of a time: units per second, and whether it is UTC. */
  readonly units: number | undefined;
  readonly utc: boolean;
}

/** An element of the schema: a column, or a part of one that is nested. */
export interface SchemaElement {
  readonly name: string;
  readonly type: PhysicalType | undefined;
  /** Bytes of each value of a FIXED_LEN_BYTE_ARRAY. */
  readonly length: number;
  readonly repetition: (typeof REPETITIONS)[number] | undefined;
  readonly children: number;
  readonly converted: (typeof CONVERTED)[number] | undefined;
  readonly scale: number;
  readonly precision: number;
  readonly logical: LogicalType | undefined;
}

/** Where a column's pages are in one row group. */
export interface ChunkPlace {
  readonly start: number;
  readonly end: number;
  /** Values in all its pages, missing ones included. */
  readonly values: number;
  readonly codec: Codec;
}

/** Numbers that `Chunks` keeps for each chunk. */
const PER_CHUNK = 4;
/** In place of a codec: a chunk that is encrypted or in another file, and a chunk of another type than its column. */
const [ELSEWHERE, OTHER_TYPE] = [-2, -3];

/** The places of all chunks, as numbers: a file may have hundreds of thousands. */
export class Chunks {
  readonly #leaves: number;
  #numbers = new Float64Array(0);
  #count = 0;
  #end = 4;

  constructor(leaves: number) {
    this.#leaves = leaves;
  }

  add(start: number, end: number, values: number, codec: number): void {
    if (this.#count === this.#numbers.length) {
      const larger = new Float64Array(Math.max(64, Math.ceil(1.5 * this.#count)) * PER_CHUNK);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set([start, end, values, codec], this.#count);
    this.#count += PER_CHUNK;
  }

  /** Says that pages, or an index of them, end there. */
  endsAt(end: number): void {
    this.#end = Math.max(this.#end, end);
  }

  /** The end of everything that the footer describes. The footer follows it. */
  get end(): number {
    return this.#end;
  }

  /** The place of a column's chunk. Throws if it cannot be read. */
  place({ path, size }: SeekableBytes, group: number, leaf: number): ChunkPlace {
    const at = PER_CHUNK * (group * this.#leaves + leaf);
    const [start, end, values, code] = this.#numbers.subarray(at, at + PER_CHUNK);
    if (code === ELSEWHERE)
      throw unsupported(path, 'keeps columns elsewhere, or encrypted', 'Write it again as one plain file.');
    if (code === OTHER_TYPE) throw badFile(path, 'a column has two types');
    const codec = CODECS[code];
    if (!codec) throw unsupported(path, 'is packed with an unknown codec', 'Write it with Snappy, zstd or gzip.');
    if (!(start >= 4 && end >= start && end <= size)) throw truncated(path, 'a column would lie beyond its end');
    return { start, end, values, codec };
  }
}

/** What the end of a file says about it. */
export interface Footer {
  readonly schema: readonly SchemaElement[];
  readonly rows: number;
  /** Rows of each group. */
  readonly groups: readonly number[];
  readonly chunks: Chunks;
  /** For each leaf of the schema: whether all its values are missing, as far as the statistics say. */
  readonly emptyLeaves: readonly boolean[];
  /** pandas and Arrow keep their own descriptions here. */
  readonly notes: ReadonlyMap<string, string>;
}

/** Bytes of a Parquet file without a schema: its magic bytes twice, and the length of the footer. */
const SMALLEST_FILE = 12;
/** The footer may take at most 1/8 of the memory, because what is kept of it takes as much again. */
const FOOTER_SHARE = 8;

/** Reads the end of the file, which describes it. Errors of the format are RangeErrors. */
export async function readFooter(file: SeekableBytes, memory: number): Promise<Footer> {
  const { path, size } = file;
  const tail = await bytesAt(file, Math.max(0, size - 8), Math.min(8, size));
  const mark = String.fromCharCode(...tail.subarray(4));
  if (mark === 'PARE') throw unsupported(path, 'is an encrypted Parquet file', 'Write it again without encryption.');
  if (size < 12 || mark !== 'PAR1') throw truncated(path, 'it has no footer, as Parquet files do');
  const length = new DataView(tail.buffer).getUint32(0, true);
  if (length > size - 12) throw badFile(path, `its footer claims ${length} bytes`);
  if (length > memory / FOOTER_SHARE) {
    throw new FileError(
      'TOO_LARGE',
      path,
      `The footer of ${path} takes ${showBytes(length)}, and ${showBytes(memory / FOOTER_SHARE)} fit in the memory that reading may take. Allow more memory, or write fewer columns or row groups.`,
    );
  }
  const bytes = await bytesAt(file, size - 8 - length, length);
  const footer = parseFooter(bytes, (columns) => checkColumns(columns, memory, path));
  await refuseGlued(file, size - 8 - length - footer.chunks.end);
  return footer;
}

/**
 * Throws if the file is several Parquet files one after the other, as `cat` makes them. The last footer counts from the beginning of
 * its own file, so its columns would be read from the first one, without an error if both have the same size.
 * @param before Bytes before the footer that it does not describe.
 */
async function refuseGlued(file: SeekableBytes, before: number): Promise<void> {
  if (before < SMALLEST_FILE) return;
  const seam = String.fromCharCode(...(await bytesAt(file, before - 4, 8)));
  if (seam !== 'PAR1PAR1') return;
  throw unsupported(file.path, 'is several Parquet files glued together', 'Read them as separate files.');
}

function parseFooter(bytes: Uint8Array, checkCount: (columns: number) => void): Footer {
  const reader = new ThriftReader(bytes);
  const schema: SchemaElement[] = [];
  const groups: number[] = [];
  const notes = new Map<string, string>();
  let rows = -1;
  let leaves: readonly SchemaElement[] = [];
  let chunks = new Chunks(0);
  let empty: boolean[] = [];
  let hasGroups = false;
  reader.fields((field, type) => {
    if (field === 2 && schema.length === 0) {
      reader.list(
        type,
        (item) => schema.push(readElement(reader, item)),
        (count) => checkCount(count - 1),
      );
      leaves = schema.filter(({ children }, i) => children === 0 && i > 0);
      chunks = new Chunks(leaves.length);
      empty = leaves.map(() => true);
    } else if (field === 3) rows = reader.count(type);
    else if (field === 4 && schema.length > 0 && !hasGroups) {
      hasGroups = true;
      reader.list(type, (item) => groups.push(readGroup(reader, item, leaves, chunks, empty)));
    } else if (field === 5) {
      reader.list(type, (item) => {
        let [key, value] = ['', ''];
        reader.struct(item, (inner, innerType) => {
          if (inner === 1) key = textOf(reader.binary(innerType));
          else if (inner === 2) value = textOf(reader.binary(innerType));
        });
        notes.set(key, value);
      });
    }
  });
  if (schema.length === 0 || !hasGroups) throw new RangeError('its footer is broken');
  const sum = groups.reduce((total, each) => total + each, 0);
  if (!Number.isSafeInteger(sum) || sum !== rows)
    throw new RangeError(`it says that it has ${rows} rows, its groups have ${sum}`);
  return { schema, rows, groups, chunks, emptyLeaves: groups.length === 0 ? leaves.map(() => false) : empty, notes };
}

function readElement(reader: ThriftReader, itemType: number): SchemaElement {
  let name = '';
  let logical: LogicalType | undefined;
  const numbers = new Map<number, number>();
  reader.struct(itemType, (field, type) => {
    if (field === 4) name = textOf(reader.binary(type));
    else if (field === 10) logical = readLogical(reader, type);
    else if (field <= 8) numbers.set(field, reader.integer(type));
  });
  const children = numbers.get(5) ?? 0;
  const repetition = numbers.get(3);
  if (children < 0 || (repetition !== undefined && !REPETITIONS[repetition]))
    throw new RangeError('its schema is broken');
  return {
    name,
    type: TYPES[numbers.get(1) ?? -1],
    length: numbers.get(2) ?? 0,
    repetition: REPETITIONS[repetition ?? -1],
    children,
    converted: CONVERTED[numbers.get(6) ?? -1],
    scale: numbers.get(7) ?? 0,
    precision: numbers.get(8) ?? 0,
    logical,
  };
}

function readLogical(reader: ThriftReader, itemType: number): LogicalType | undefined {
  let logical: LogicalType | undefined;
  reader.struct(itemType, (member, type) => {
    const name = LOGICAL.get(member);
    if (!name) return;
    let [scale, precision, bits, signed, utc] = [0, 0, 0, true, false];
    let units: number | undefined;
    reader.struct(type, (field, fieldType) => {
      if (name === 'DECIMAL' && field === 1) scale = reader.integer(fieldType);
      else if (name === 'DECIMAL' && field === 2) precision = reader.integer(fieldType);
      else if (name === 'INTEGER' && field === 1) bits = reader.integer(fieldType);
      else if (name === 'INTEGER' && field === 2) signed = reader.boolean(fieldType);
      else if ((name === 'TIME' || name === 'TIMESTAMP') && field === 1) utc = reader.boolean(fieldType);
      else if ((name === 'TIME' || name === 'TIMESTAMP') && field === 2) {
        reader.struct(fieldType, (unit) => {
          units = UNITS.get(unit);
        });
      }
    });
    logical = { name, scale, precision, bits, signed, units, utc };
  });
  return logical;
}

/** Reads a row group and returns its number of rows. */
function readGroup(
  reader: ThriftReader,
  itemType: number,
  leaves: readonly SchemaElement[],
  chunks: Chunks,
  empty: boolean[],
): number {
  let [rows, columns] = [-1, 0];
  reader.struct(itemType, (field, type) => {
    if (field === 3) rows = reader.count(type);
    else if (field === 1) {
      reader.list(
        type,
        (item) => {
          readChunk(reader, item, leaves[columns], chunks, (isEmpty) => {
            empty[columns] &&= isEmpty;
          });
          columns++;
        },
        (count) => {
          if (count !== leaves.length || columns > 0) throw new RangeError('a row group lacks a column');
        },
      );
    }
  });
  if (rows < 0 || columns !== leaves.length) throw new RangeError('a row group lacks a column');
  return rows;
}

function readChunk(
  reader: ThriftReader,
  itemType: number,
  leaf: SchemaElement,
  chunks: Chunks,
  isEmpty: (empty: boolean) => void,
): void {
  let [elsewhere, described] = [false, false];
  let [type, codec, values, size, data, dictionary, nulls] = [-1, -1, -1, -1, -1, 0, -1];
  // Offsets and lengths of what else belongs to the chunk: two indexes of its pages, and a Bloom filter.
  const [offsets, lengths] = [new Map<number, number>(), new Map<number, number>()];
  reader.struct(itemType, (field, fieldType) => {
    if (field === 4 || field === 6) offsets.set(field, reader.integer(fieldType));
    else if (field === 5 || field === 7) lengths.set(field - 1, reader.integer(fieldType));
    else if (field === 1) elsewhere ||= reader.binary(fieldType).length > 0;
    else if (field === 8 || field === 9) elsewhere = true;
    if (field !== 3) return;
    described = true;
    reader.struct(fieldType, (inner, innerType) => {
      if (inner === 1) type = reader.integer(innerType);
      else if (inner === 4) codec = reader.integer(innerType);
      else if (inner === 5) values = reader.count(innerType);
      else if (inner === 7) size = reader.integer(innerType);
      else if (inner === 9) data = reader.integer(innerType);
      else if (inner === 11) dictionary = reader.integer(innerType);
      else if (inner === 14) offsets.set(14, reader.integer(innerType));
      else if (inner === 15) lengths.set(14, reader.integer(innerType));
      else if (inner === 12) {
        reader.struct(innerType, (statistic, statisticType) => {
          if (statistic === 3) nulls = reader.integer(statisticType);
        });
      }
    });
  });
  if (!described && !elsewhere) throw new RangeError('a row group lacks a column');
  // A dictionary offset of 0 means that there is none: a file begins with its magic bytes.
  const start = dictionary || data;
  const code = elsewhere ? ELSEWHERE : TYPES[type] !== leaf.type ? OTHER_TYPE : codec;
  chunks.add(start, start + size, values, code);
  if (!elsewhere) chunks.endsAt(start + size);
  for (const [field, offset] of offsets) chunks.endsAt(offset + (lengths.get(field) ?? 0));
  isEmpty(values > 0 && nulls === values);
}

async function bytesAt(file: SeekableBytes, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  if ((await file.readAt(bytes, from)) < length) throw truncated(file.path, 'it became shorter while it was read');
  return bytes;
}

import type { SeekableBytes } from '../archive/zip.js';
import { latin1Of } from '../bytes/text.js';
import { badFile, truncated, unsupported } from '../file-error.js';
import { checkColumns, mostColumns, tooManyColumns } from '../table/most-columns.js';
import { FlatTable } from './flatbuffer.js';

/** A field of an Arrow schema, and the layout of its values. */
export interface Field {
  readonly name: string;
  readonly type: ValueType;
  /** The dictionary that its values are indexes of. */
  readonly dictionary?: { readonly id: number; readonly index: ValueType };
  readonly children: readonly Field[];
}

/** The types of values that are read. Those of `other` fields are only counted, to find the fields after them. */
export interface ValueType {
  readonly name: string;
  readonly kind: 'int' | 'uint' | 'float' | 'bool' | 'decimal' | 'text' | 'largeText' | 'vector' | 'list' | 'other';
  /** Bits of a number or of a list's offsets; the length of a vector. */
  readonly size: number;
  /** The number of its own buffers, which come before those of its children. */
  readonly buffers: number;
  /** Digits of a decimal after the point. */
  readonly scale?: number;
  /** True if more buffers follow. The batch has their number. */
  readonly variadic?: boolean;
}

/** The position of a batch of rows in the file. */
export interface MessageLocation {
  readonly offset: number;
  readonly metadata: number;
  readonly body: number;
}

export interface ArrowFile {
  readonly fields: readonly Field[];
  /** The metadata that pandas stores about the columns. */
  readonly pandas: string | undefined;
  readonly dictionaries: readonly MessageLocation[];
  readonly batches: readonly MessageLocation[];
}

/** The header of a batch: rows, and the position of each buffer in its body. */
export interface RecordBatch {
  readonly length: number;
  /** Length and number of missing values of each field, in depth-first order. */
  readonly nodes: Float64Array;
  /** Offset and length of each buffer, one after the other. */
  readonly buffers: Float64Array;
  readonly compression: 'none' | 'lz4' | 'zstd';
  readonly variadic: Float64Array;
  /** Position of the body in the file, and its length. */
  readonly body: number;
  readonly bodyLength: number;
}

/** Largest header of a message that is read, and most batches. */
const LARGEST_HEADER = 64 << 20;
const MOST_BATCHES = 1 << 22;
const DEEPEST = 32;
/** Longest vector or list that becomes columns. */
export const LONGEST_VECTOR = 1 << 16;

const [SCHEMA, DICTIONARY, RECORDS] = [1, 2, 3];

/** Finds schema, batches and dictionaries: from the footer of a file, or message by message in a stream. */
export async function readArrow(file: SeekableBytes, memory: number): Promise<ArrowFile> {
  const head = await bytesAt(file, 0, Math.min(8, file.size));
  return rangeErrorsAsBadFile(file.path, () =>
    latin1Of(head).startsWith('ARROW1') ? readFooter(file, memory) : readMessages(file, memory),
  );
}

async function readFooter(file: SeekableBytes, memory: number): Promise<ArrowFile> {
  const tail = file.size >= 18 ? await bytesAt(file, file.size - 10, 10) : undefined;
  if (!tail || latin1Of(tail.subarray(4)) !== 'ARROW1')
    throw truncated(file.path, 'it has no footer, as Arrow files do');
  const length = viewOf(tail).getInt32(0, true);
  if (length <= 0 || length > file.size - 18 || length > LARGEST_HEADER)
    throw badFile(file.path, `its footer claims ${length} bytes`);
  const footer = FlatTable.root(await bytesAt(file, file.size - 10 - length, length));
  const schema = footer.table(1);
  if (!schema) throw badFile(file.path, 'its footer has no schema');
  const locations = (number: number): MessageLocation[] => {
    // Offset, length of the header, four unused bytes, length of the body.
    const values = footer.int64s(number, 3);
    if (values.length / 3 > MOST_BATCHES) throw badFile(file.path, 'it claims too many batches');
    return Array.from({ length: values.length / 3 }, (_, i) => ({
      offset: values[3 * i],
      metadata: values[3 * i + 1] % 2 ** 32,
      body: values[3 * i + 2],
    }));
  };
  return { ...readSchema(schema, file.path, memory), dictionaries: locations(2), batches: locations(3) };
}

async function readMessages(file: SeekableBytes, memory: number): Promise<ArrowFile> {
  let found: Schema | undefined;
  const [dictionaries, batches]: [MessageLocation[], MessageLocation[]] = [[], []];
  for (let offset = 0; offset + 8 <= file.size; ) {
    const { message, metadata } = await readMessage(file, { offset, metadata: 0, body: 0 });
    if (!message) break;
    const body = message.int64(3);
    const kind = message.uint8(1);
    if (body < 0 || offset + metadata + body > file.size) throw truncated(file.path, 'its last batch is not whole');
    if (kind === SCHEMA) {
      const schema = message.table(2);
      if (found || !schema) throw badFile(file.path, 'it must have one schema');
      found = readSchema(schema, file.path, memory);
    } else if (kind === DICTIONARY) dictionaries.push({ offset, metadata, body });
    else if (kind === RECORDS) batches.push({ offset, metadata, body });
    if (batches.length > MOST_BATCHES) throw badFile(file.path, 'it has too many batches');
    offset += metadata + body;
  }
  if (!found) throw badFile(file.path, 'it has no schema');
  return { ...found, dictionaries, batches };
}

/** Reads the message at a position: a mark, the length of its header, the header. Old files have no mark. */
async function readMessage(
  file: SeekableBytes,
  place: MessageLocation,
): Promise<{ message?: FlatTable; metadata: number }> {
  const start = viewOf(await bytesAt(file, place.offset, Math.min(8, Math.max(0, file.size - place.offset))));
  if (start.byteLength < 8) throw truncated(file.path, 'a message is not whole');
  const marked = start.getUint32(0, true) === 0xffffffff;
  const length = start.getInt32(marked ? 4 : 0, true);
  const before = marked ? 8 : 4;
  if (length === 0) return { metadata: before };
  if (length < 0 || length > LARGEST_HEADER) throw badFile(file.path, `a header claims ${length} bytes`);
  const message = FlatTable.root(await bytesAt(file, place.offset + before, length));
  return { message, metadata: before + length };
}

/** Reads the header of a batch of rows. */
export async function readBatch(file: SeekableBytes, place: MessageLocation): Promise<RecordBatch> {
  return rangeErrorsAsBadFile(file.path, async () => {
    const { message, metadata } = await readMessage(file, place);
    if (message?.uint8(1) !== RECORDS) throw badFile(file.path, 'a batch of rows is not where it should be');
    const records = message.table(2);
    if (!records) throw badFile(file.path, 'a batch of rows is empty');
    return describeBatch(records, file, place.offset + metadata, message.int64(3));
  });
}

/** A dictionary, or more entries of one. */
export async function readDictionary(
  file: SeekableBytes,
  place: MessageLocation,
): Promise<{ id: number; more: boolean; batch: RecordBatch }> {
  return rangeErrorsAsBadFile(file.path, async () => {
    const { message, metadata } = await readMessage(file, place);
    const dictionary = message?.uint8(1) === DICTIONARY ? message.table(2) : undefined;
    const records = dictionary?.table(1);
    if (!message || !dictionary || !records) throw badFile(file.path, 'a dictionary is not where it should be');
    const batch = describeBatch(records, file, place.offset + metadata, message.int64(3));
    return { id: dictionary.int64(0), more: dictionary.uint8(2) !== 0, batch };
  });
}

function describeBatch(records: FlatTable, file: SeekableBytes, body: number, bodyLength: number): RecordBatch {
  const length = records.int64(0);
  const [nodes, buffers] = [records.int64s(1, 2), records.int64s(2, 2)];
  if (length < 0 || bodyLength < 0 || body + bodyLength > file.size)
    throw truncated(file.path, 'a batch of rows is not whole');
  for (let i = 0; i < buffers.length; i += 2) {
    if (buffers[i] < 0 || buffers[i + 1] < 0 || buffers[i] + buffers[i + 1] > bodyLength) {
      throw badFile(file.path, 'a column lies outside its batch');
    }
  }
  const codec = records.table(3);
  const compression = codec ? (codec.uint8(0) === 1 ? 'zstd' : 'lz4') : 'none';
  return { length, nodes, buffers, compression, variadic: records.int64s(4), body, bodyLength };
}

type Schema = Pick<ArrowFile, 'fields' | 'pandas'>;

function readSchema(schema: FlatTable, path: string, memory: number): Schema {
  if (schema.int16(0) === 1)
    throw unsupported(path, 'was written by a big-endian machine', 'Write it again on another.');
  const most = mostColumns(memory);
  let [count, letters] = [0, 0];
  const read = (table: FlatTable, depth: number): Field => {
    checkColumns(++count + table.count(5), memory, path);
    if (depth > DEEPEST) throw badFile(path, 'its schema is too deep');
    const children = table.tables(5, most).map((child) => read(child, depth + 1));
    const type = valueType(table.uint8(2), table.table(3), children);
    const encoded = table.table(4);
    const name = table.string(0);
    // Fields may share one long name.
    letters += name.length;
    if (letters > memory / 8) throw tooManyColumns(path, memory, 'names that are too long');
    if (!encoded) return { name, type, children };
    const given = encoded.table(1);
    const index = given ? intType(given) : INT32;
    if (index.kind === 'other') throw new RangeError('a dictionary is not numbered by integers');
    return { name, type, children, dictionary: { id: encoded.int64(0), index } };
  };
  checkColumns(schema.count(1), memory, path);
  const pandas = schema.tables(2, most).find((entry) => entry.string(0) === 'pandas');
  return { fields: schema.tables(1, most).map((field) => read(field, 0)), pandas: pandas?.string(1) };
}

/** Returns true if the values of a field are numbers. */
export function isNumber({ kind }: ValueType): boolean {
  return kind === 'int' || kind === 'uint' || kind === 'float' || kind === 'bool' || kind === 'decimal';
}

export function isText({ kind }: ValueType): boolean {
  return kind === 'text' || kind === 'largeText';
}

const INT32: ValueType = { name: 'int32', kind: 'int', size: 32, buffers: 2 };

function intType(type: FlatTable): ValueType {
  const bits = type.int32(0);
  const signed = type.uint8(1) !== 0;
  if (![8, 16, 32, 64].includes(bits)) return other(`${bits}-bit integer`, 2);
  return { name: `${signed ? '' : 'u'}int${bits}`, kind: signed ? 'int' : 'uint', size: bits, buffers: 2 };
}

function decimalType(type: FlatTable): ValueType {
  const [precision, scale, bits] = [type.int32(0), type.int32(1), type.int32(2) || 128];
  if (![32, 64, 128, 256].includes(bits)) return other('decimal', 2);
  return { name: `decimal(${precision},${scale})`, kind: 'decimal', size: bits, scale, buffers: 2 };
}

function other(name: string, buffers: number): ValueType {
  return { name, kind: 'other', size: 0, buffers };
}

/** Types by their number in Schema.fbs, with the buffers of their layout. */
function valueType(number: number, type: FlatTable | undefined, children: readonly Field[]): ValueType {
  switch (number) {
    case 1:
      return other('null', 0);
    case 2:
      return type ? intType(type) : other('integer', 2);
    case 3: {
      const bits = [16, 32, 64][type?.int16(0) ?? 0];
      return bits === undefined ? other('float', 2) : { name: `float${bits}`, kind: 'float', size: bits, buffers: 2 };
    }
    case 4:
      return other('binary', 3);
    case 5:
      return { name: 'text', kind: 'text', size: 32, buffers: 3 };
    case 6:
      return { name: 'bool', kind: 'bool', size: 1, buffers: 2 };
    case 7:
      return type ? decimalType(type) : other('decimal', 2);
    case 8:
      return other('date', 2);
    case 9:
      return other('time', 2);
    case 10:
      return other('timestamp', 2);
    case 11:
      return other('interval', 2);
    case 12:
      return { name: 'list', kind: 'list', size: 32, buffers: 2 };
    case 13:
      return other('struct', 1);
    case 14:
      // Sparse or dense: the type of each value and, if dense, its offset.
      return other('union', (type?.int16(0) ?? 0) === 0 ? 1 : 2);
    case 15:
      return other('fixed-size binary', 2);
    case 16: {
      const [child] = children;
      const plain = children.length === 1 && !child.dictionary && isNumber(child.type);
      const size = type?.int32(0) ?? 0;
      return plain && size > 0 && size <= LONGEST_VECTOR
        ? { name: `${child.type.name}[${size}]`, kind: 'vector', size, buffers: 1 }
        : other('fixed-size list', 1);
    }
    case 17:
      return other('map', 2);
    case 18:
      return other('duration', 2);
    case 19:
      return other('large binary', 3);
    case 20:
      return { name: 'text', kind: 'largeText', size: 64, buffers: 3 };
    case 21:
      return { name: 'list', kind: 'list', size: 64, buffers: 2 };
    case 22:
      return other('run-end encoded', 0);
    case 23:
    case 24:
      return { ...other(number === 23 ? 'binary view' : 'text view', 2), variadic: true };
    case 25:
    case 26:
      return other('list view', 3);
    default:
      // Without its layout, the fields after it cannot be found.
      throw new RangeError(`an unknown type ${number}`);
  }
}

export async function bytesAt(file: SeekableBytes, offset: number, length: number): Promise<Uint8Array> {
  if (!(offset >= 0 && length >= 0 && offset + length <= file.size))
    throw truncated(file.path, 'a part of it would lie beyond its end');
  const bytes = new Uint8Array(length);
  if ((await file.readAt(bytes, offset)) < length) throw truncated(file.path, 'it became shorter while it was read');
  return bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Turns the RangeErrors of broken headers, whose positions lie outside, into errors of the file. */
async function rangeErrorsAsBadFile<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError) throw badFile(path, `its description is broken (${error.message})`);
    throw error;
  }
}

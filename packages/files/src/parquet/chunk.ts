import type { ColumnChunk, ColumnMetaData, Encoding, SchemaElement } from 'hyparquet';
import { plainUnpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { readerAt } from '../bytes/bytes.js';
import { showBytes } from '../bytes/show-bytes.js';
import { badFile, FileError, truncated, unsupported } from '../file-error.js';
import { type PageHeader, readPageHeader } from './page-header.js';
import { readRuns, readValues, type Span, type Stored, textOfValue } from './values.js';

/** Bytes of a page's own header, at most. */
const LONGEST_HEADER = 1 << 16;
/** Bytes that a number or a code of a dictionary takes in memory, with two marks (present, rounded), and a text, which is a view of its page. */
const [NUMBER, TEXT] = [10, 120];

/** Bytes that all columns together keep, and may keep. */
export interface Budget {
  kept: number;
  readonly most: number;
}

export interface ChunkOptions {
  readonly rows: number;
  readonly element: SchemaElement;
  /** Bytes in view at once; more where a page is longer. */
  readonly window: number;
  readonly budget: Budget;
}

/** Values, and 1 for each that was rounded; undefined where none was. */
interface Values {
  readonly values: Stored;
  readonly rounded: Uint8Array | undefined;
}

/** Values of a page, or codes of a dictionary's values, and which rows have a value; undefined where all have one. */
interface Page extends Values {
  readonly codes: Uint32Array | undefined;
  readonly present: Uint8Array | undefined;
}

type Unpacker = (packed: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>;

/** A flat column of a row group, read a page at a time: a window of its bytes, its dictionary and one page are kept. */
export class ParquetChunk {
  readonly #file: SeekableBytes;
  readonly #options: ChunkOptions;
  readonly #end: number;
  readonly #unpack: Unpacker;
  #window = new Uint8Array(0);
  #position: number;
  #left: number;
  #dictionary: Values | undefined;
  #page: Page = { values: new Float64Array(0), rounded: undefined, codes: undefined, present: undefined };
  #rowsOfPage = 0;
  /** Where the next row is: among the rows of the page, and among its values. */
  #row = 0;
  #value = 0;
  /** Bytes kept for the dictionary, and for the page. */
  #kept = { dictionary: 0, page: 0 };

  static async open(file: SeekableBytes, chunk: ColumnChunk | undefined, options: ChunkOptions): Promise<ParquetChunk> {
    const meta = chunk?.meta_data;
    if (!chunk || !meta) throw badFile(file.path, 'a row group lacks a column');
    if (chunk.file_path || chunk.crypto_metadata)
      throw unsupported(file.path, 'keeps columns elsewhere, or encrypted', 'Write it again as one plain file.');
    if (meta.type !== options.element.type) throw badFile(file.path, 'a column has two types');
    return new ParquetChunk(file, meta, options, await unpackerOf(meta, file.path));
  }

  private constructor(file: SeekableBytes, meta: ColumnMetaData, options: ChunkOptions, unpack: Unpacker) {
    this.#file = file;
    this.#options = options;
    this.#unpack = unpack;
    this.#left = options.rows;
    // A dictionary offset of 0 means that there is none: a file begins with its magic bytes.
    this.#position = Number(meta.dictionary_page_offset || meta.data_page_offset);
    this.#end = this.#position + Number(meta.total_compressed_size);
    if (!(this.#position >= 4 && this.#end >= this.#position && this.#end <= file.size))
      throw truncated(file.path, 'a column would lie beyond its end');
  }

  /** Writes the next numbers into every `stride`-th element; missing ones are NaN. Returns how many were rounded. */
  async numbers(out: Float32Array | Float64Array, start: number, stride: number, count: number): Promise<number> {
    let [at, roundedHere] = [start, 0];
    await this.#take(count, ({ values, rounded, codes, present }, row, value, some) => {
      if (!(values instanceof Float64Array)) throw new RangeError('a column of numbers holds none');
      let from = value;
      for (let i = row; i < row + some; i++, at += stride) {
        if (present && present[i] === 0) out[at] = Number.NaN;
        else {
          const index = codes ? codes[from] : from;
          if (index >= values.length) throw new RangeError('a value is not in its dictionary');
          out[at] = values[index];
          if (rounded) roundedHere += rounded[index];
          from++;
        }
      }
      return from;
    });
    return roundedHere;
  }

  /** The next values as text; numbers as they are shown. */
  async texts(count: number): Promise<(string | null)[]> {
    const { element } = this.#options;
    const texts: (string | null)[] = [];
    await this.#take(count, ({ values, codes, present }, row, value, some) => {
      let from = value;
      for (let i = row; i < row + some; i++) {
        if (present && present[i] === 0) texts.push(null);
        else {
          const index = codes ? codes[from] : from;
          if (index >= values.length) throw new RangeError('a value is not in its dictionary');
          const found = values[index];
          texts.push(
            typeof found !== 'number' ? textOfValue(found, element) : Number.isNaN(found) ? null : String(found),
          );
          from++;
        }
      }
      return from;
    });
    return texts;
  }

  async #take(count: number, use: (page: Page, row: number, value: number, some: number) => number): Promise<void> {
    for (let taken = 0; taken < count; ) {
      while (this.#row === this.#rowsOfPage) await this.#nextPage();
      const some = Math.min(count - taken, this.#rowsOfPage - this.#row);
      this.#value = use(this.#page, this.#row, this.#value, some);
      this.#row += some;
      taken += some;
    }
  }

  async #nextPage(): Promise<void> {
    const { path } = this.#file;
    await this.#view(LONGEST_HEADER);
    if (this.#window.length === 0) throw truncated(path, 'a column ends early');
    const { header, length } = readPageHeader(this.#window);
    const { packed, size } = header;
    if (packed > this.#end - this.#position - length) throw truncated(path, 'a page goes beyond its column');
    this.#keep(header.kind === 'dictionary' ? 'dictionary' : 'page', packed + size);
    this.#skip(length);
    await this.#view(packed);
    const bytes = this.#window.subarray(0, packed);
    if (header.crc !== undefined && plainUnpackers.crc32(bytes, 0) !== header.crc)
      throw new RangeError('the checksum of a page says that it was changed or damaged');
    await this.#readPage(header, bytes);
    this.#skip(packed);
  }

  async #readPage(header: PageHeader, bytes: Uint8Array): Promise<void> {
    const { kind, size, values } = header;
    if (kind === 'data') this.#readVersion1(header, await this.#unpacked(bytes, size));
    else if (kind === 'data v2') await this.#readVersion2(header, bytes);
    else if (kind === 'dictionary') {
      if (this.#dictionary) throw new RangeError('a column has two dictionaries');
      this.#keep('dictionary', size + values * this.#bytesOfValue());
      const span = { bytes: await this.#unpacked(bytes, size), at: 0 };
      this.#dictionary = this.#readValues(span, 'PLAIN', values);
    }
  }

  /** A page that is packed as a whole. */
  #readVersion1(header: PageHeader, bytes: Uint8Array): void {
    const rows = this.#checkedRows(header);
    let at = 0;
    let present: Uint8Array | undefined;
    if (this.#options.element.repetition_type === 'OPTIONAL') {
      if (header.definitionEncoding !== 'RLE') throw new RangeError('missing values are encoded in an old way');
      const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
      present = new Uint8Array(rows);
      readRuns(bytes, 4, 4 + length, 1, present);
      at = 4 + length;
    }
    this.#setPage({ bytes, at }, header.encoding, rows, present);
  }

  /** A page whose levels stand before the packed values. */
  async #readVersion2(header: PageHeader, bytes: Uint8Array): Promise<void> {
    const rows = this.#checkedRows(header);
    const { definition, repetition } = header.levels;
    const levels = definition + repetition;
    let present: Uint8Array | undefined;
    if (this.#options.element.repetition_type === 'OPTIONAL' && definition > 0) {
      present = new Uint8Array(rows);
      readRuns(bytes, repetition, levels, 1, present);
    }
    const missing = present?.reduce((count, one) => count + (one === 0 ? 1 : 0), 0) ?? 0;
    if (missing !== header.missing)
      throw new RangeError(`a page says that ${header.missing} of its values are missing, and ${missing} are`);
    const rest = bytes.subarray(levels);
    const values = header.isPacked ? await this.#unpacked(rest, header.size - levels) : rest;
    this.#setPage({ bytes: values, at: 0 }, header.encoding, rows, present);
  }

  #checkedRows({ values: rows, encoding }: PageHeader): number {
    // A page of zero rows does no harm, but a column of such pages would never end.
    if (!(rows > 0 && rows <= this.#left)) throw new RangeError(`a page of ${rows} rows`);
    // A single run may stand for any number of rows.
    const coded = encoding?.endsWith('_DICTIONARY');
    this.#keep('page', this.#kept.page + rows * (coded ? NUMBER : this.#bytesOfValue()));
    return rows;
  }

  #setPage(span: Span, encoding: Encoding | undefined, rows: number, present: Uint8Array | undefined): void {
    let count = rows;
    if (present) {
      count = 0;
      for (const one of present) count += one === 0 ? 0 : 1;
    }
    if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
      if (!this.#dictionary) throw new RangeError('a dictionary is missing');
      const codes = new Uint32Array(count);
      if (count > 0) {
        const width = span.bytes[span.at];
        if (width === undefined) throw new RangeError('a page is empty');
        readRuns(span.bytes, span.at + 1, span.bytes.length, width, codes);
      }
      this.#page = { ...this.#dictionary, codes, present };
    } else this.#page = { ...this.#readValues(span, encoding, count), codes: undefined, present };
    this.#rowsOfPage = rows;
    this.#left -= rows;
    this.#row = 0;
    this.#value = 0;
  }

  #readValues(span: Span, encoding: Encoding | undefined, count: number): Values {
    let rounded: Uint8Array | undefined;
    const values = readValues(span, encoding, count, this.#options.element, (index) => {
      rounded ??= new Uint8Array(count);
      rounded[index] = 1;
    });
    return { values, rounded };
  }

  #bytesOfValue(): number {
    return this.#options.element.type?.endsWith('BYTE_ARRAY') ? TEXT : NUMBER;
  }

  /** Counts the bytes that are kept from now on, and refuses more than all columns together may keep. */
  #keep(what: 'dictionary' | 'page', bytes: number): void {
    const { budget } = this.#options;
    budget.kept += bytes - this.#kept[what];
    this.#kept[what] = bytes;
    if (budget.kept <= budget.most) return;
    throw new FileError(
      'TOO_LARGE',
      this.#file.path,
      `Pages of ${this.#file.path} take more than ${showBytes(budget.most)} at once. Allow more memory, choose fewer columns, or write smaller pages.`,
    );
  }

  async #unpacked(bytes: Uint8Array, size: number): Promise<Uint8Array> {
    const out = await this.#unpack(bytes, size);
    if (out.length !== size) throw new RangeError(`a page unpacks to ${out.length} bytes instead of ${size}`);
    return out;
  }

  /** Makes sure that the window holds so many bytes of the column, or all that are left. */
  async #view(count: number): Promise<void> {
    const left = this.#end - this.#position;
    const wanted = Math.min(count, left);
    if (this.#window.length >= wanted) return;
    const larger = new Uint8Array(Math.min(left, Math.max(wanted, this.#options.window)));
    larger.set(this.#window);
    const from = this.#window.length;
    const got = await this.#file.readAt(larger.subarray(from), this.#position + from);
    if (got < larger.length - from) throw truncated(this.#file.path, 'it became shorter while it was read');
    this.#window = larger;
  }

  #skip(count: number): void {
    this.#window = this.#window.subarray(count);
    this.#position += count;
  }
}

/** The unpacker for a column's codec; the library is loaded when the first file needs it. */
async function unpackerOf({ codec }: ColumnMetaData, path: string): Promise<Unpacker> {
  if (codec === 'UNCOMPRESSED') return (bytes) => bytes;
  // Our own unpackers verify checksums, and never unpack to more than the size.
  if (codec === 'ZSTD') return plainUnpackers.zstdPiece;
  if (codec === 'GZIP') return (bytes, size) => gunzipPage(bytes, size, path);
  const { compressors } = await import('hyparquet-compressors');
  const unpack = compressors[codec];
  if (!unpack) throw unsupported(path, `is packed with ${codec}`, 'Write it with Snappy, zstd or gzip.');
  if (codec !== 'SNAPPY') return unpack;
  return (bytes, size) => {
    if (snappySize(bytes) !== size) throw new RangeError('a page says two sizes');
    return unpack(bytes, size);
  };
}

async function gunzipPage(packed: Uint8Array, size: number, path: string): Promise<Uint8Array> {
  const reader = readerAt(async (into, position) => {
    const part = packed.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  });
  const out = new Uint8Array(size);
  let filled = 0;
  for (const chunks = plainUnpackers.gzip(reader, path, size); ; ) {
    const next = await chunks.next();
    if (next.done) return out.subarray(0, filled);
    if (next.value.length > size - filled) throw new RangeError('a page unpacks to more than it says');
    out.set(next.value, filled);
    filled += next.value.length;
  }
}

/** The size that Snappy's data claim. The unpacker allocates it, so it must be the size in the page header. */
function snappySize(bytes: Uint8Array): number {
  let size = 0;
  for (let i = 0; i < 5 && i < bytes.length; i++) {
    size += (bytes[i] & 127) * 2 ** (7 * i);
    if (bytes[i] < 128) return size;
  }
  return -1;
}

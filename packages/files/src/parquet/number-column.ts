import { DataError } from '@scree/core';
import type { SeekableBytes } from '../archive/zip.js';
import type { BufferPool } from '../bytes/buffer-pool.js';
import type { PageTools } from './codecs.js';
import type { ChunkPlace, SchemaElement } from './footer.js';
import { leveled } from './levels.js';
import type { PageHeader } from './page-header.js';
import { type PageBudget, PageReader, type Scratch, Share } from './pages.js';
import type { ListLevels } from './schema.js';
import { isCoded, PADDING, readCodes, readValues, type Span, type Stored, writeNumbers } from './values.js';

/** Bytes of a number of a page or dictionary, and of one that goes through a list or a code. */
const [NUMBER, WITH_CODE] = [8, 13];
/** Bytes of a byte string that stands for a number, in addition. */
const BYTES_OBJECT = 112;

/** Numbers, and 1 for each that was rounded; undefined if none was. */
interface Numbers {
  readonly values: Float64Array;
  readonly rounded: Uint8Array | undefined;
}

/** A column to read, as plain data: it may be sent to a thread. */
export interface NumberColumnSpec {
  readonly name: string;
  readonly element: SchemaElement;
  /** For a column of lists: how they are stored, and how long they are. */
  readonly list?: (ListLevels & { readonly length: number }) | undefined;
  /** Entries of the lists that are wanted (0 if there are no lists), and for each its column of the block. */
  readonly entries: readonly number[];
  readonly slots: readonly number[];
}

/** What all columns of a reading share. */
export interface ColumnContext {
  readonly file: SeekableBytes;
  readonly tools: PageTools;
  readonly budget: PageBudget;
  readonly scratch: Scratch;
  readonly pool: BufferPool;
  /** Bytes that are read ahead for each column. */
  readonly window: number;
}

const NOTHING: Numbers = { values: new Float64Array(0), rounded: undefined };

/**
 * A column of numbers, or of lists of numbers of one length, read a page at a time: a window of its bytes, its dictionary and the
 * rows of one page are kept.
 */
export class NumberColumnDecoder {
  readonly spec: NumberColumnSpec;
  readonly #path: string;
  readonly #share: Share;
  readonly #pages: PageReader;
  readonly #pool: BufferPool;
  /** Numbers per row. */
  readonly #width: number;
  /** Whether wanted entries follow each other, in the lists and in the block. */
  readonly #consecutive: boolean;
  #dictionary: Numbers | undefined;
  /** Rows of the page, and how many were used. */
  #rows: Numbers = NOTHING;
  #row = 0;
  #end = 0;
  /** Values and rows that the pages of the chunk still must have. */
  #valuesLeft = 0;
  #rowsLeft = 0;
  /** For lists: the numbers of the last row that was begun, and how many it has; −1 if none was begun. */
  readonly #open: Float64Array;
  readonly #openRounded: Uint8Array;
  #openCount = -1;
  /** Number of the next row in the file, for messages. */
  #nextRow = 0;
  #buffer: Float64Array = new Float64Array(0);
  #kept = { dictionary: 0, page: 0 };

  constructor(spec: NumberColumnSpec, { file, tools, budget, scratch, pool, window }: ColumnContext) {
    this.spec = spec;
    this.#path = file.path;
    this.#share = new Share(file.path, budget);
    this.#pages = new PageReader(file, { window, tools, scratch });
    this.#pool = pool;
    this.#width = spec.list?.length ?? 1;
    this.#open = new Float64Array(spec.list ? this.#width : 0);
    this.#openRounded = new Uint8Array(this.#open.length);
    const { entries, slots } = spec;
    this.#consecutive = entries.every((entry, i) => entry === entries[0] + i && slots[i] === slots[0] + i);
  }

  /** Begins with a row group. */
  start(place: ChunkPlace, rows: number, firstRow: number): void {
    if (!this.spec.list && place.values !== rows)
      throw new RangeError(`column ${JSON.stringify(this.spec.name)} has ${place.values} values for ${rows} rows`);
    this.#pages.open(place);
    this.#dictionary = undefined;
    this.#kept.dictionary = 0;
    this.#row = 0;
    this.#end = 0;
    this.#valuesLeft = place.values;
    this.#rowsLeft = rows;
    this.#openCount = -1;
    this.#nextRow = firstRow;
  }

  /** Gives the memory of the page back to the pool. No row is read after that. */
  release(): void {
    this.#pool.give(this.#buffer.buffer);
    this.#buffer = new Float64Array(0);
  }

  /** Reads the beginning of the chunk ahead. */
  prefetch(): Promise<void> {
    return this.#pages.prefetch();
  }

  /** Rows that can be written now. */
  get ready(): number {
    return this.#end - this.#row;
  }

  /** Writes rows that are ready to the slots of a block, from its row `to` on. */
  write(out: Float32Array | Float64Array, to: number, stride: number, count: number): void {
    const { values } = this.#rows;
    const { entries, slots } = this.spec;
    const width = this.#width;
    const row = this.#row;
    this.#row += count;
    if (width === 1 && entries.length === 1) writeStrided(values, row, out, to * stride + slots[0], stride, count);
    else {
      for (let i = 0; i < count; i++) {
        const from = (row + i) * width;
        const start = (to + i) * stride;
        if (this.#consecutive) {
          for (let e = 0, at = start + slots[0], own = from + entries[0]; e < entries.length; e++)
            out[at + e] = values[own + e];
        } else for (let e = 0; e < entries.length; e++) out[start + slots[e]] = values[from + entries[e]];
      }
    }
  }

  /** How many numbers of the next rows were rounded, by entry; undefined if none was. */
  roundedIn(count: number): Uint32Array | undefined {
    const { rounded } = this.#rows;
    if (!rounded) return undefined;
    const sums = new Uint32Array(this.#width);
    const end = (this.#row + count) * this.#width;
    for (let i = this.#row * this.#width, e = 0; i < end; i++, e = e + 1 === this.#width ? 0 : e + 1)
      sums[e] += rounded[i];
    return sums;
  }

  /** Reads pages until rows are ready. */
  async load(): Promise<void> {
    while (this.ready === 0) {
      if (this.#valuesLeft === 0) throw new RangeError('the lists of a column are fewer than its rows');
      const page = await this.#pages.next();
      const { kind } = page.header;
      if (kind === 'dictionary') this.#readDictionary(page.header, page.body);
      else if (kind !== 'index') {
        const { values } = page.header;
        // A page without values does no harm, but a column of such pages would never end.
        if (!(values > 0 && values <= this.#valuesLeft)) throw new RangeError(`a page of ${values} values`);
        this.#valuesLeft -= values;
        this.#keep('page', values * this.#bytesPerValue(page.header));
        if (this.spec.list) this.#readLists(leveled(page, 1, this.spec.list.value), page.header, this.spec.list);
        else this.#readRows(leveled(page, 0, this.spec.element.repetition === 'OPTIONAL' ? 1 : 0), page.header);
        if (this.#end > this.#rowsLeft) throw new RangeError('a column has more rows than its group');
        this.#rowsLeft -= this.#end;
        if (this.#valuesLeft === 0 && this.#rowsLeft > 0)
          throw new RangeError('a column has fewer rows than its group');
      }
    }
  }

  #readRows({ definition, present, span }: ReturnType<typeof leveled>, header: PageHeader): void {
    const rows = header.values;
    const out = this.#take(rows);
    const { rounded } = this.#read(span, header, present, out);
    this.#rows = { values: out, rounded: definition ? spread(out, rounded, definition, present) : rounded };
    this.#row = 0;
    this.#end = rows;
  }

  /** Numbers of a page or of the dictionary, at the beginning of `out`. */
  #read(span: Span, header: PageHeader, count: number, out: Float64Array): Numbers {
    if (!isCoded(header.encoding)) return this.#write(readValues(span, header.encoding, count, this.spec.element), out);
    if (!this.#dictionary) throw new RangeError('a dictionary is missing');
    const codes = new Uint32Array(count);
    readCodes(span, codes);
    const { values, rounded: marks } = this.#dictionary;
    const { length } = values;
    for (let i = 0; i < count; i++) {
      const code = codes[i];
      if (code >= length) throw new RangeError('a value is not in its dictionary');
      out[i] = values[code];
    }
    if (!marks) return { values: out, rounded: undefined };
    const rounded = new Uint8Array(out.length);
    for (let i = 0; i < count; i++) rounded[i] = marks[codes[i]];
    return { values: out, rounded };
  }

  #write(stored: Stored, out: Float64Array): Numbers {
    let rounded: Uint8Array | undefined;
    writeNumbers(stored, this.spec.element, out, (index) => {
      rounded ??= new Uint8Array(out.length);
      rounded[index] = 1;
    });
    return { values: out, rounded };
  }

  #readDictionary({ values, encoding }: PageHeader, body: Uint8Array): void {
    if (this.#dictionary) throw new RangeError('a column has two dictionaries');
    if (encoding !== 'PLAIN' && encoding !== 'PLAIN_DICTIONARY')
      throw new RangeError('a dictionary is encoded in another way');
    this.#keep('dictionary', values * this.#bytesOfNumber(NUMBER));
    const stored = readValues({ bytes: body, at: 0, padding: PADDING }, 'PLAIN', values, this.spec.element);
    this.#dictionary = this.#write(stored, new Float64Array(values));
  }

  /** The rows that end in a page. The last one may go on in the next page. */
  #readLists(
    { repetition, definition, present, span }: ReturnType<typeof leveled>,
    header: PageHeader,
    list: ListLevels,
  ): void {
    const entries = header.values;
    const { values, rounded } = this.#read(span, header, present, new Float64Array(present));
    const open = this.#open;
    // Every row but the one that is open begins with an entry of its own.
    let begun = this.#openCount >= 0 ? 1 : 0;
    for (let i = 0; i < entries; i++) if (!repetition || repetition[i] === 0) begun++;
    this.#keep('page', entries * this.#bytesPerValue(header) + begun * this.#width * NUMBER);
    const out = this.#take(begun * this.#width);
    const marks = rounded && new Uint8Array(out.length);
    let rows = 0;
    const close = (): void => {
      if (this.#openCount !== this.#width) throw this.#ragged(this.#openCount);
      out.set(open, rows * this.#width);
      if (marks) for (let e = 0; e < this.#width; e++) marks[rows * this.#width + e] = this.#openRounded[e];
      rows++;
      this.#nextRow++;
    };
    for (let i = 0, at = 0; i < entries; i++) {
      if (!repetition || repetition[i] === 0) {
        if (this.#openCount >= 0) close();
        this.#openCount = 0;
      } else if (this.#openCount < 0) throw new RangeError('a list begins before its row');
      const level = definition ? definition[i] : list.value;
      if (level < list.empty) {
        // The list itself is missing: so are all its numbers.
        open.fill(Number.NaN);
        this.#openRounded.fill(0);
        this.#openCount = this.#width;
      } else if (level !== list.empty) {
        const isThere = level === list.value;
        if (this.#openCount < this.#width) {
          open[this.#openCount] = isThere ? values[at] : Number.NaN;
          this.#openRounded[this.#openCount] = isThere && rounded ? rounded[at] : 0;
        }
        this.#openCount++;
        if (isThere) at++;
      }
    }
    if (this.#valuesLeft === 0) {
      close();
      this.#openCount = -1;
    }
    this.#rows = { values: out, rounded: marks };
    this.#row = 0;
    this.#end = rows;
  }

  #ragged(found: number): DataError {
    const { name } = this.spec;
    return new DataError(
      'RAGGED_ROWS',
      `Row ${this.#nextRow + 1} of ${this.#path} has a list of ${found} in column ${JSON.stringify(name)}, the first has ${this.#width}. Exclude the column, or make all lists equally long.`,
      { row: this.#nextRow, columnName: name, value: found, expected: this.#width, reason: 'list-length' },
    );
  }

  /** Room for the numbers of a page, which is used again for the next. */
  #take(count: number): Float64Array {
    if (this.#buffer.length < count) {
      this.#pool.give(this.#buffer.buffer);
      this.#buffer = new Float64Array(this.#pool.take(NUMBER * count), 0, count);
    }
    return this.#buffer.subarray(0, count);
  }

  #bytesPerValue({ encoding }: PageHeader): number {
    return isCoded(encoding) || this.spec.list ? WITH_CODE : this.#bytesOfNumber(NUMBER);
  }

  #bytesOfNumber(bytes: number): number {
    return this.spec.element.type?.endsWith('BYTE_ARRAY') ? bytes + BYTES_OBJECT : bytes;
  }

  #keep(what: 'dictionary' | 'page', bytes: number): void {
    // The room for a page stays when the next is smaller.
    this.#kept[what] = what === 'page' ? Math.max(bytes, this.#buffer.byteLength) : bytes;
    this.#share.set(this.#kept.dictionary + this.#kept.page);
  }
}

/** Every `stride`-th element. */
function writeStrided(
  values: Float64Array,
  from: number,
  out: Float32Array | Float64Array,
  start: number,
  stride: number,
  count: number,
): void {
  for (let i = from, at = start; i < from + count; i++, at += stride) out[at] = values[i];
}

/** Moves values to their rows, from the last to the first; the others become NaN. Returns where the marks of rounded ones are then. */
function spread(
  values: Float64Array,
  rounded: Uint8Array | undefined,
  definition: Uint8Array,
  present: number,
): Uint8Array | undefined {
  for (let i = definition.length - 1, from = present; i >= 0; i--) {
    const there = definition[i] !== 0;
    if (there) from--;
    values[i] = there ? values[from] : Number.NaN;
    if (rounded) rounded[i] = there ? rounded[from] : 0;
  }
  return rounded;
}

import type { SeekableBytes } from '../archive/zip.js';
import type { PageTools } from './codecs.js';
import type { ChunkPlace, SchemaElement } from './footer.js';
import { leveled } from './levels.js';
import type { PageHeader } from './page-header.js';
import { type Page, type PageBudget, PageReader, type Scratch, Share } from './pages.js';
import { textFormat } from './text-values.js';
import { isCoded, PADDING, readCodes, readValues, type Span, type Stored } from './values.js';

/** Bytes that a value takes in memory, in addition to its bytes (a view of them, a text of a dictionary), and those of a code and its level. */
const [VALUE, CODE] = [160, 5];

export interface TextContext {
  readonly file: SeekableBytes;
  readonly tools: PageTools;
  readonly budget: PageBudget;
  readonly scratch: Scratch;
  readonly window: number;
}

/** A flat column read as text, a page at a time. Equal values of a dictionary share one text. */
export class TextColumn {
  readonly #element: SchemaElement;
  readonly #share: Share;
  readonly #pages: PageReader;
  readonly #format: ReturnType<typeof textFormat>;
  #dictionary: Stored | undefined;
  /** Texts of the dictionary, as far as they were needed. */
  #known: (string | null | undefined)[] = [];
  #values: Stored = [];
  #codes: Uint32Array | undefined;
  #definition: Uint8Array | undefined;
  #row = 0;
  #end = 0;
  /** The value of the next row that has one. */
  #at = 0;
  #left = 0;
  #kept = { dictionary: 0, page: 0 };

  constructor(element: SchemaElement, { file, tools, budget, scratch, window }: TextContext) {
    this.#element = element;
    this.#share = new Share(file.path, budget);
    this.#pages = new PageReader(file, { window, tools, scratch });
    this.#format = textFormat(element);
  }

  start(place: ChunkPlace, rows: number): void {
    if (place.values !== rows) throw new RangeError(`a column of text has ${place.values} values for ${rows} rows`);
    this.#pages.open(place);
    this.#dictionary = undefined;
    this.#kept.dictionary = 0;
    this.#row = 0;
    this.#end = 0;
    this.#left = rows;
  }

  /** Gives the texts of the next rows to `add`, null where one is missing, until it returns false. Returns the number of rows. */
  async take(most: number, add: (text: string | null) => boolean): Promise<number> {
    for (let taken = 0; ; ) {
      while (this.#row === this.#end) await this.#load();
      for (const end = Math.min(this.#end, this.#row + most - taken); this.#row < end; ) {
        taken++;
        if (!add(this.#next()) || taken === most) return taken;
      }
    }
  }

  #next(): string | null {
    const i = this.#row++;
    if (this.#definition && this.#definition[i] === 0) return null;
    const at = this.#at++;
    if (!this.#codes) return this.#format(this.#values[at]);
    const code = this.#codes[at];
    if (code >= this.#values.length) throw new RangeError('a value is not in its dictionary');
    let text = this.#known[code];
    if (text === undefined) {
      text = this.#format(this.#values[code]);
      this.#known[code] = text;
    }
    return text;
  }

  async #load(): Promise<void> {
    const page = await this.#pages.next();
    const { kind, values } = page.header;
    if (kind === 'dictionary') this.#readDictionary(page);
    else if (kind !== 'index') {
      // A page without rows does no harm, but a column of such pages would never end.
      if (!(values > 0 && values <= this.#left)) throw new RangeError(`a page of ${values} rows`);
      this.#left -= values;
      this.#readPage(page);
    }
  }

  #readDictionary({ header: { values, encoding }, body }: Page): void {
    if (this.#dictionary) throw new RangeError('a column has two dictionaries');
    if (encoding !== 'PLAIN' && encoding !== 'PLAIN_DICTIONARY')
      throw new RangeError('a dictionary is encoded in another way');
    this.#keep('dictionary', body.length + values * VALUE);
    this.#dictionary = readValues({ bytes: body.slice(), at: 0, padding: PADDING }, 'PLAIN', values, this.#element);
    this.#known = new Array(values);
  }

  #readPage(page: Page): void {
    const { header } = page;
    this.#keep('page', isCoded(header.encoding) ? header.values * CODE : header.values * VALUE + page.body.length);
    const { definition, present, span } = leveled(page, 0, this.#element.repetition === 'OPTIONAL' ? 1 : 0);
    this.#definition = definition;
    this.#readValues(header, span, present);
    this.#row = 0;
    this.#at = 0;
    this.#end = header.values;
  }

  #readValues({ encoding }: PageHeader, { bytes, at, padding }: Span, present: number): void {
    if (!isCoded(encoding)) {
      // A copy: the values are views, and the bytes of a page do not stay.
      this.#values = readValues({ bytes: bytes.slice(at), at: 0, padding }, encoding, present, this.#element);
      this.#codes = undefined;
      return;
    }
    if (!this.#dictionary) throw new RangeError('a dictionary is missing');
    this.#values = this.#dictionary;
    this.#codes = new Uint32Array(present);
    readCodes({ bytes, at }, this.#codes);
  }

  #keep(what: 'dictionary' | 'page', bytes: number): void {
    this.#kept[what] = bytes;
    this.#share.set(this.#kept.dictionary + this.#kept.page);
  }
}

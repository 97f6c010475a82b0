import type { ByteReader, Bytes } from '../bytes/bytes.js';
import { bytesOf, textOf } from '../bytes/text.js';
import { badFile, FileError, truncated } from '../file-error.js';
import { mostColumns, tooManyColumns } from '../table/most-columns.js';
import { wasTextRounded } from '../table/rounded-integers.js';

/** Bytes in view at once; more if an element is longer. */
const WINDOW = 1 << 20;
/** Deepest nesting: records of numbers need two levels. */
const DEEPEST = 100;

const [QUOTE, BACKSLASH, OPEN, CLOSE, START, END, COMMA] = bytesOf('"\\[]{},');

/** The structure of the file: rows one after the other, or the elements of one list. */
export type JsonLayout = 'sequence' | 'list';

export interface JsonOptions {
  readonly memory: number;
  /** For tests that cut elements everywhere. */
  readonly window?: number | undefined;
  /** Called for each row with integers that were rounded, with the rounded numbers. */
  readonly rounded?: ((row: object, values: ReadonlySet<number>) => void) | undefined;
}

/**
 * The rows of a JSON file, parsed, some at a time: their ends are found by counting brackets, so that neither a
 * list of a gigabyte nor a million brackets are in memory at once.
 */
export async function* jsonElements(
  bytes: Bytes,
  layout: JsonLayout,
  { memory, window = WINDOW, rounded }: JsonOptions,
): AsyncGenerator<unknown[], void, void> {
  const reader = bytes.open();
  try {
    const longest = Math.max(2 * WINDOW, Math.floor(memory / 8));
    yield* new Elements(reader, bytes.path, layout, { longest, window, rounded, memory }).all();
  } finally {
    await reader.close();
  }
}

class Elements {
  readonly #reader: ByteReader;
  readonly #path: string;
  readonly #layout: JsonLayout;
  readonly #longest: number;
  readonly #memory: number;
  readonly #rounded: JsonOptions['rounded'];
  #window: Uint8Array;
  #at = 0;
  #end = 0;
  #last = false;
  #row = 0;
  /** The tokens that may come next in a list of rows. */
  #state: 'begin' | 'first' | 'element' | 'after' | 'closed';

  constructor(
    reader: ByteReader,
    path: string,
    layout: JsonLayout,
    {
      longest,
      window,
      rounded,
      memory,
    }: { longest: number; window: number; rounded: JsonOptions['rounded']; memory: number },
  ) {
    this.#memory = memory;
    this.#rounded = rounded;
    this.#reader = reader;
    this.#path = path;
    this.#layout = layout;
    this.#longest = longest;
    this.#window = new Uint8Array(window);
    this.#state = layout === 'list' ? 'begin' : 'element';
  }

  async *all(): AsyncGenerator<unknown[], void, void> {
    await this.#more();
    const [a, b, c] = this.#window;
    if (this.#end >= 3 && a === 0xef && b === 0xbb && c === 0xbf) this.#at = 3;
    for (;;) {
      const elements = this.#scan();
      if (elements.length > 0) yield elements;
      if (!(await this.#more())) break;
    }
    this.#skipBlanks();
    if (this.#at < this.#end)
      throw truncated(this.#path, `row ${this.#row + 1} does not end`, { row: this.#row, reason: 'unfinished-row' });
    if (this.#layout === 'list' && this.#state !== 'closed')
      throw truncated(this.#path, 'its list of rows does not end');
  }

  /** All complete elements in the window. */
  #scan(): unknown[] {
    const elements: unknown[] = [];
    const start = this.#at;
    // ASCII is decoded at once: to start a decoder takes longer than a short row.
    let ascii: string | undefined;
    for (;;) {
      this.#skipBlanks();
      if (this.#at === this.#end) return elements;
      const byte = this.#window[this.#at];
      if (this.#state === 'closed') throw badFile(this.#path, 'more follows its list of rows');
      if (this.#state === 'begin') {
        if (byte !== OPEN) throw badFile(this.#path, 'it should begin with a list');
        this.#at++;
        this.#state = 'first';
      } else if (byte === CLOSE && (this.#state === 'first' || this.#state === 'after')) {
        this.#at++;
        this.#state = 'closed';
      } else if (this.#state === 'after') {
        if (byte !== COMMA)
          throw badFile(this.#path, `a comma is missing after row ${this.#row}`, {
            row: this.#row - 1,
            reason: 'missing-comma',
          });
        this.#at++;
        this.#state = 'element';
      } else {
        const stop = this.#elementEnd();
        if (stop === -1) return elements;
        ascii ??= textOf(this.#window, start, this.#end);
        const plain = ascii.length === this.#end - start;
        const text = plain ? ascii.slice(this.#at - start, stop - start) : textOf(this.#window, this.#at, stop);
        const element = this.#parse(text);
        if (this.#rounded && LONG.test(text)) {
          const values = roundedIn(text);
          if (values.size > 0) this.#rounded(element as object, values);
        }
        elements.push(element);
        this.#at = stop;
        this.#row++;
        if (this.#layout === 'list') this.#state = 'after';
      }
    }
  }

  #skipBlanks(): void {
    while (this.#at < this.#end) {
      const byte = this.#window[this.#at];
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return;
      this.#at++;
    }
  }

  /** The end of the record or list that begins here; −1 if the end is not in the window. */
  #elementEnd(): number {
    const window = this.#window;
    const end = this.#end;
    const first = window[this.#at];
    if (first !== START && first !== OPEN)
      throw badFile(this.#path, `row ${this.#row + 1} is neither a record nor a list`, {
        row: this.#row,
        reason: 'not-a-record',
      });
    let depth = 0;
    let inText = false;
    let values = 1;
    const most = mostColumns(this.#memory);
    for (let at = this.#at; at < end; at++) {
      const byte = window[at];
      if (inText) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = true;
      else if (byte === START || byte === OPEN) {
        if (++depth > DEEPEST)
          throw badFile(this.#path, `row ${this.#row + 1} is nested more than ${DEEPEST} deep`, {
            row: this.#row,
            expected: DEEPEST,
            reason: 'nested-too-deep',
          });
      } else if (byte === END || byte === CLOSE) {
        if (--depth === 0) return at + 1;
      } else if (byte === COMMA && ++values > most) {
        // Checked before they are parsed: a value takes two bytes here and hundreds as a column.
        throw tooManyColumns(this.#path, this.#memory, `more than ${most} values in row ${this.#row + 1}`);
      }
    }
    return -1;
  }

  /** Moves the rest to the front of the window and reads on. Returns false at the end of the file. */
  async #more(): Promise<boolean> {
    if (this.#last) return false;
    const left = this.#end - this.#at;
    if (left === this.#window.length) {
      if (left >= this.#longest) {
        throw new FileError(
          'TOO_LARGE',
          this.#path,
          `Row ${this.#row + 1} of ${this.#path} is longer than ${this.#longest} bytes. Allow more memory, or save the data in another format.`,
          { row: this.#row, expected: this.#longest, reason: 'memory' },
        );
      }
      const larger = new Uint8Array(2 * left);
      larger.set(this.#window.subarray(this.#at, this.#end));
      this.#window = larger;
    } else this.#window.copyWithin(0, this.#at, this.#end);
    this.#at = 0;
    this.#end = left;
    const room = this.#window.subarray(left);
    const got = await this.#reader.read(room);
    this.#end += got;
    if (got < room.length) this.#last = true;
    return got > 0;
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      try {
        return JSON.parse(plainNumbers(text));
      } catch (error) {
        const what = (error as Error).message.split('\n')[0].slice(0, 120);
        throw badFile(this.#path, `row ${this.#row + 1} is no JSON (${what})`, {
          row: this.#row,
          value: what,
          reason: 'invalid-json',
        });
      }
    }
  }
}

/** Fewest digits of an integer beyond 2^53. */
const LONG = /\d{16}/;

/** The numbers that the integers of a text were rounded to. */
function roundedIn(text: string): Set<number> {
  const values = new Set<number>();
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (/^-?\d{16,}$/.test(found) && wasTextRounded(found, Number(found))) values.add(Number(found));
  }
  return values;
}

/** Python writes NaN and Infinity, which JSON does not know. */
function plainNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) => {
    if (found.startsWith('"')) return found;
    return found === 'NaN' ? 'null' : found.startsWith('-') ? '-1e999' : '1e999';
  });
}

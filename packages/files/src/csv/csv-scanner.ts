import type { DataError } from '@scree/core';
import type { BlockAssembler, Text } from '@scree/core/data';
import type { ByteReader, Bytes } from '../bytes/bytes.js';
import { bytesOf, latin1Of, utf8OrWindows1252Of, windows1252Of } from '../bytes/text.js';
import { FileError } from '../file-error.js';
import type { Conversion, ConvertedValues } from '../table/converted-values.js';
import { LARGEST_EXACT, type RoundedReading, wasTextRounded } from '../table/rounded-integers.js';
import { ambiguousMark, notANumber, raggedRow } from './csv-errors.js';
import { classifyCell, type DecimalMark, parseNumber } from './decimal-marks.js';
import { decimalNumber } from './decimal-number.js';
import type { Dialect } from './dialect.js';
import { stripNotation } from './notation.js';
import { openQuote } from './records.js';

/** Bytes in view at once; more if a record is longer. */
export const WINDOW = 1 << 20;

const [NEWLINE, RETURN, QUOTE, SPACE, TAB, MINUS, PLUS, ZERO, POINT, COMMA] = bytesOf('\n\r" \t-+0.,');

/** The role of a column: its index among the numbers, or one of these. If its numbers have a notation, it is WITH_NOTATION less the index. */
const SKIPPED = -1;
const TEXT = -2;
const WITH_NOTATION = -3;
/** How a column is read as text: as a label, as it is written, or both. */
const [AS_LABEL, AS_WRITTEN] = [1, 2] as const;
/** No byte. */
const NONE = -1;
/** The outcome of parsing a record: a record, a blank line, or a record that continues after the window. */
const [WHOLE, BLANK, CUT] = [0, 1, 2] as const;

/** Counts the values that one pass rounded or converted. */
export interface ReadingNotes {
  readonly rounded: RoundedReading;
  readonly converted: ReturnType<ConvertedValues['reading']>;
}

/** Reads records into rows of numbers; a window of bytes moves over the file and grows only with the longest record. */
export class Scanner {
  readonly #bytes: Bytes;
  readonly #reader: ByteReader;
  readonly #dialect: Dialect;
  readonly #delimiter: number;
  readonly #blankDelimited: boolean;
  /** The decimal mark of each column if it is known by now, and the byte to look for; NONE if it is unknown. */
  readonly #marks: (DecimalMark | undefined)[];
  readonly #markBytes: Int16Array;
  readonly #cols: number;
  /** The role of each column of the file. */
  readonly #slots: Int32Array;
  /** For every column of the file: how it is read as text, even if it is also read as a number. */
  readonly #asText: Uint8Array;
  readonly #decode: typeof utf8OrWindows1252Of;
  readonly #rounded: RoundedReading;
  /** Columns of the record with an integer that was rounded. It may be parsed again before it counts. */
  #roundedHere: number[] = [];
  readonly #converted: ReadingNotes['converted'];
  /** The same of values that were converted. */
  #convertedHere: [column: number, kind: Conversion, from: string, to: number][] = [];
  /** Columns that are read as text, and their cells in the record, by column. */
  readonly #textColumns: readonly number[];
  readonly #textsHere: Text[];
  /** The same for columns whose cells are wanted as they are written. */
  readonly #verbatimColumns: readonly number[];
  readonly #verbatimHere: Text[];
  readonly #longest: number;
  /** One byte longer than its content: a line end after the last byte stops every loop. */
  #window: Uint8Array;
  #at = 0;
  #end = 0;
  #isLastWindow = false;
  #begun = false;
  #record = 0;

  constructor(
    bytes: Bytes,
    dialect: Dialect,
    { numbers, texts, verbatim }: Readonly<Record<'numbers' | 'texts' | 'verbatim', readonly number[]>>,
    { memory, window, rounded, converted }: { memory: number; window: number } & ReadingNotes,
  ) {
    this.#rounded = rounded;
    this.#converted = converted;
    this.#bytes = bytes;
    this.#reader = bytes.open();
    this.#dialect = dialect;
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#blankDelimited = dialect.delimiter === ' ';
    this.#marks = dialect.numberFormats.map(({ mark }) => mark);
    this.#markBytes = Int16Array.from(this.#marks, (mark) => this.#markByte(mark));
    // A file may begin in ASCII alone: then each cell decides.
    this.#decode = dialect.windows1252 ? windows1252Of : utf8OrWindows1252Of;
    this.#cols = numbers.length;
    this.#slots = new Int32Array(dialect.columns.length).fill(SKIPPED);
    numbers.forEach((column, slot) => {
      this.#slots[column] = dialect.notations[column] ? WITH_NOTATION - slot : slot;
    });
    this.#textColumns = texts;
    this.#asText = new Uint8Array(dialect.columns.length);
    this.#verbatimColumns = verbatim;
    for (const column of texts) this.#asText[column] |= AS_LABEL;
    for (const column of verbatim) this.#asText[column] |= AS_WRITTEN;
    for (const column of [...texts, ...verbatim]) if (this.#slots[column] === SKIPPED) this.#slots[column] = TEXT;
    this.#textsHere = new Array(dialect.columns.length).fill(null);
    this.#verbatimHere = new Array(dialect.columns.length).fill(null);
    this.#window = new Uint8Array(window + 1);
    this.#longest = Math.max(2 * WINDOW, Math.floor(memory / 8));
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  /** Reads records until the block is full or the file ends. Returns their count. */
  async fill(block: BlockAssembler): Promise<number> {
    if (!this.#begun) await this.#begin();
    while (!block.isFull) {
      this.#parse(block);
      if (block.isFull || !(await this.#more())) break;
    }
    return block.rows;
  }

  async #begin(): Promise<void> {
    this.#begun = true;
    await this.#more();
    const [a, b, c] = this.#window;
    if (this.#end >= 3 && a === 0xef && b === 0xbb && c === 0xbf) this.#at = 3;
    for (let line = 0; line < this.#dialect.linesAbove; line++) await this.#passLine();
    if (!this.#dialect.header) return;
    // Blank lines may stand above the names.
    for (;;) {
      const start = this.#at;
      const next = this.#skipRecord();
      if (next === -1) {
        if (await this.#more()) continue;
        this.#at = this.#end;
        return;
      }
      this.#at = next;
      if (latin1Of(this.#window.subarray(start, next)).trim() !== '') return;
    }
  }

  /** Skips a line above the table. */
  async #passLine(): Promise<void> {
    for (;;) {
      const byte = this.#window[this.#at];
      const ends = byte === NEWLINE || byte === RETURN;
      // The line end may have a second half in the next window.
      if (this.#at + (ends ? 1 : 0) >= this.#end && (await this.#more())) continue;
      if (this.#at >= this.#end) return;
      this.#at += byte === RETURN && this.#window[this.#at + 1] === NEWLINE && this.#at + 1 < this.#end ? 2 : 1;
      if (ends) return;
    }
  }

  /** Moves the rest to the front of the window and reads on. Returns false at the end of the file. */
  async #more(): Promise<boolean> {
    if (this.#isLastWindow) return false;
    const left = this.#end - this.#at;
    if (left === this.#window.length - 1) {
      if (left >= this.#longest) {
        throw new FileError(
          'TOO_LARGE',
          this.#bytes.path,
          `Row ${this.#record + 1} of ${this.#bytes.path} is longer than ${this.#longest} bytes. A quote may be missing, or allow more memory.`,
          { row: this.#record, expected: this.#longest, reason: 'memory' },
        );
      }
      const larger = new Uint8Array(2 * left + 1);
      larger.set(this.#window.subarray(this.#at, this.#end));
      this.#window = larger;
    } else this.#window.copyWithin(0, this.#at, this.#end);
    this.#at = 0;
    this.#end = left;
    const room = this.#window.subarray(left, this.#window.length - 1);
    const got = await this.#reader.read(room);
    this.#end += got;
    if (got < room.length) this.#isLastWindow = true;
    this.#window[this.#end] = NEWLINE;
    return got > 0 || this.#at < this.#end;
  }

  /** The start of the next record; −1 if it is not in the window. */
  #skipRecord(): number {
    const window = this.#window;
    let at = this.#at;
    for (;;) {
      at = this.#cellEnd(at);
      if (at >= this.#end) return this.#isLastWindow && this.#at < this.#end ? this.#end : -1;
      if (window[at] !== NEWLINE && window[at] !== RETURN) {
        at++;
        continue;
      }
      if (window[at] === RETURN) {
        if (at + 1 >= this.#end && !this.#isLastWindow) return -1;
        if (window[at + 1] === NEWLINE && at + 1 < this.#end) at++;
      }
      return at + 1;
    }
  }

  /** The delimiter or line end after a cell. */
  #cellEnd(start: number): number {
    const window = this.#window;
    const [delimiter, end, blanks] = [this.#delimiter, this.#end, this.#blankDelimited];
    let at = start;
    while (window[at] === SPACE || (window[at] === TAB && delimiter !== TAB)) at++;
    if (window[at] === QUOTE) {
      at++;
      for (;;) {
        at = window.indexOf(QUOTE, at);
        if (at === -1 || at >= end) {
          if (this.#isLastWindow)
            throw openQuote(this.#bytes.path, this.#record, this.#decode(window, start, Math.min(end, start + 100)));
          return end;
        }
        if (window[at + 1] !== QUOTE) break;
        at += 2;
      }
      at++;
    }
    while (
      window[at] !== delimiter &&
      window[at] !== NEWLINE &&
      window[at] !== RETURN &&
      !(blanks && window[at] === TAB)
    )
      at++;
    return at;
  }

  /**
   * Parses the complete records of the window and returns their count. A record that continues after the window is parsed
   * again with the next window, and its numbers are overwritten.
   */
  #parse(block: BlockAssembler): void {
    const { data, height, texts, budget } = block;
    while (block.rows < height && this.#at < this.#end && !budget.spent) {
      const byte = this.#window[this.#at];
      // Blank lines do not count as records.
      if (byte === NEWLINE || byte === RETURN) {
        this.#at++;
        continue;
      }
      const found = this.#parseRecord(data, block.rows * this.#cols);
      if (found === CUT) break;
      if (found === BLANK) continue;
      if (this.#roundedHere.length > 0) for (const column of this.#roundedHere) this.#rounded.add(column);
      if (this.#convertedHere.length > 0) for (const each of this.#convertedHere) this.#converted(...each);
      const labels = this.#textColumns.length;
      for (let t = 0; t < texts.length; t++) {
        const cell =
          t < labels ? this.#textsHere[this.#textColumns[t]] : this.#verbatimHere[this.#verbatimColumns[t - labels]];
        texts[t].push(cell);
        budget.add(cell);
      }
      block.rows++;
      this.#record++;
    }
  }

  /** Parses the record at `#at`, writes its numbers from `base` on, and moves to its end unless it is cut off by the window. */
  #parseRecord(data: BlockAssembler['data'], base: number): typeof WHOLE | typeof BLANK | typeof CUT {
    const window = this.#window;
    const plan = this.#slots;
    const asText = this.#asText;
    const points = this.#markBytes;
    const end = this.#end;
    const delimiter = this.#delimiter;
    const blanks = this.#blankDelimited;
    const width = plan.length;
    let at = this.#at;
    if (this.#roundedHere.length > 0) this.#roundedHere = [];
    if (this.#convertedHere.length > 0) this.#convertedHere = [];
    for (let column = 0; ; column++) {
      if (column === width) {
        if (this.#isCut()) return CUT;
        throw this.#raggedRow();
      }
      const slot = plan[column];
      if (blanks) while (window[at] === SPACE || window[at] === TAB) at++;
      const start = at;
      if (slot >= 0) {
        // Digits, straight from the bytes. As a function of its own, this loop makes reading a tenth slower.
        while (window[at] === SPACE) at++;
        const sign = window[at];
        if (sign === MINUS || sign === PLUS) at++;
        let head = 0;
        let tail = 0;
        let more = 0;
        let digits = 0;
        let decimals = 0;
        const from = at;
        let fraction = false;
        const point = points[column];
        for (;;) {
          const digit = window[at] - ZERO;
          if (digit >= 0 && digit <= 9) {
            if (digits < 15) {
              head = head * 10 + digit;
              if (head > 0) digits++;
            } else {
              tail = tail * 10 + digit;
              more++;
            }
            if (fraction) decimals++;
          } else if (window[at] === point && !fraction) fraction = true;
          else break;
          at++;
        }
        let value = Number.NaN;
        if (at - from > (fraction ? 1 : 0)) {
          if (window[at] === 101 || window[at] === 69) {
            let to = at + 1;
            const down = window[to] === MINUS;
            if (down || window[to] === PLUS) to++;
            let exponent = 0;
            const before = to;
            while (window[to] >= ZERO && window[to] <= ZERO + 9 && to - before < 4)
              exponent = exponent * 10 + window[to++] - ZERO;
            if (to > before) {
              decimals += down ? exponent : -exponent;
              at = to;
            }
          }
          if (more <= 4) value = decimalNumber(head, tail, more, decimals);
          if (value >= LARGEST_EXACT && !fraction && decimals === 0)
            this.#noteRounded(latin1Of(window.subarray(from, at)), value, column);
          if (sign === MINUS) value = -value;
        }
        const stop = window[at];
        const empty = at === start && stop === delimiter && !blanks;
        // A cell that is not a plain number, or ends in another way, is parsed again.
        if ((Number.isNaN(value) && !empty) || (stop !== delimiter && stop !== NEWLINE && stop !== RETURN)) {
          at = this.#cellEnd(start);
          const read = this.#readCell(start, at, column);
          if (read === undefined) return CUT;
          value = read;
        }
        data[base + slot] = value;
        if (asText[column] !== 0) this.#keepText(start, at, column, Number.isNaN(value));
      } else {
        at = this.#cellEnd(start);
        if (slot === TEXT) this.#keepText(start, at, column, false);
        else if (slot <= WITH_NOTATION) {
          const value = this.#readCell(start, at, column);
          if (value === undefined) return CUT;
          data[base + WITH_NOTATION - slot] = value;
          if (asText[column] !== 0) this.#keepText(start, at, column, Number.isNaN(value));
        }
      }
      if (at >= end && !this.#isLastWindow) return CUT;
      if (blanks) {
        while (window[at] === SPACE || window[at] === TAB) at++;
        // The next cell, after these blanks, may begin in the next window.
        if (at >= end && !this.#isLastWindow) return CUT;
      }
      if (at >= end || window[at] === NEWLINE || window[at] === RETURN) {
        if (column + 1 === width) return this.#endRecord(at);
        // A line of blanks is blank too.
        if (!(column === 0 && this.#text(start, at) === '' && this.#isBlank(at))) throw this.#raggedRow();
        this.#at = at + 1;
        return BLANK;
      }
      if (!blanks) at++;
    }
  }

  /** Moves to the byte after the line end of a record. */
  #endRecord(start: number): typeof WHOLE | typeof CUT {
    let at = start;
    if (this.#window[at] === RETURN) {
      // The line end may have a second half in the next window.
      if (at + 1 >= this.#end && !this.#isLastWindow) return CUT;
      if (this.#window[at + 1] === NEWLINE && at + 1 < this.#end) at++;
    }
    this.#at = Math.min(this.#end, at + 1);
    return WHOLE;
  }

  /** True if the end of the record is not in the window yet. */
  #isCut(): boolean {
    return this.#skipRecord() === -1 && !this.#isLastWindow;
  }

  #noteRounded(text: string, value: number, column: number): void {
    if (/^[+-]?\d+$/.test(text) && wasTextRounded(text, value)) this.#roundedHere.push(column);
  }

  #isBlank(at: number): boolean {
    return latin1Of(this.#window.subarray(this.#at, at)).trim() === '';
  }

  /** A cell's text without quotes and the blanks around it. */
  #text(start: number, end: number): string {
    let text = this.#decode(this.#window, start, Math.min(end, this.#end)).trim();
    if (text.startsWith('"')) {
      const close = text.lastIndexOf('"');
      text = `${text.slice(1, Math.max(1, close)).replaceAll('""', '"')}${text.slice(close + 1)}`.trim();
    }
    return text;
  }

  /** Keeps the text of a cell, as a label, as it is written, or both. */
  #keepText(start: number, end: number, column: number, missing: boolean): void {
    if (this.#asText[column] & AS_LABEL) this.#textsHere[column] = missing ? null : this.#label(start, end, column);
    if (this.#asText[column] & AS_WRITTEN) this.#verbatimHere[column] = this.#text(start, end) || null;
  }

  /**
   * A cell's text; null if it is missing. In a column of text only empty cells are missing. The text of a number is as
   * JavaScript writes it, without decimal comma and thousands separators.
   */
  #label(start: number, end: number, column: number): string | null {
    const text = this.#text(start, end);
    const { kind } = this.#dialect.columns[column];
    if (kind === 'text') return text === '' ? null : text;
    if (this.#dialect.missing.has(text)) return null;
    if (kind !== 'number') return text;
    const point = this.#marks[column] === '.' || !text.includes('.');
    if (point && !text.includes(',') && !this.#dialect.notations[column]) return text;
    const value = this.#number(start, end, column);
    return value === undefined ? text : String(value);
  }

  /** Parses a cell's number in any notation, slowly; undefined if the record continues after the window. */
  #readCell(start: number, end: number, column: number): number | undefined {
    if (end >= this.#end && !this.#isLastWindow) return undefined;
    const value = this.#number(start, end, column);
    if (value === undefined) {
      if (this.#isCut()) return undefined;
      throw this.#notANumber(start, end, column);
    }
    const text = this.#text(start, end);
    if (Number.isNaN(value)) return value;
    if (Math.abs(value) >= LARGEST_EXACT) this.#noteRounded(text, value, column);
    const kind = this.#conversionOf(text, column);
    if (kind) this.#convertedHere.push([column, kind, text, value]);
    return value;
  }

  /** The notation of a number that is not plain. */
  #conversionOf(text: string, column: number): Conversion | undefined {
    const notation = this.#dialect.notations[column];
    if (notation?.sign)
      return notation.sign === '%' ? 'percent' : text.includes(notation.sign) ? 'currency' : undefined;
    if (/^[tf]/i.test(text)) return 'boolean';
    const separator = this.#marks[column] === ',' ? '.' : ',';
    return text.includes(separator) || (notation && /\d\D+\d{3}(?!\d)/.test(text)) ? 'thousands' : undefined;
  }

  /** A cell's number; NaN if it is missing, undefined if it is something else. */
  #number(start: number, end: number, column: number): number | undefined {
    const text = this.#text(start, end);
    if (this.#dialect.missing.has(text)) return Number.NaN;
    const notation = this.#dialect.notations[column];
    const digits = notation ? stripNotation(text, notation) : text;
    if (digits === undefined) return undefined;
    const mark = this.#marks[column] ?? this.#decideMark(digits, column);
    return parseNumber(digits, mark ?? '.');
  }

  /** Decides the decimal mark of a column by the first cell with a mark. Throws if the mark is ambiguous. */
  #decideMark(text: string, column: number): DecimalMark | undefined {
    const kind = classifyCell(text);
    if (typeof kind === 'string') return undefined;
    if ('ambiguous' in kind && !(kind.ambiguous === '.' && this.#dialect.numberFormats[column].pointIsDecimal)) {
      throw ambiguousMark(this.#bytes.path, this.#dialect, this.#record, column, text, kind.ambiguous);
    }
    const mark = 'ambiguous' in kind ? kind.ambiguous : kind.mark;
    this.#marks[column] = mark;
    this.#markBytes[column] = this.#markByte(mark);
    return mark;
  }

  #markByte(mark: DecimalMark | undefined): number {
    const point = mark === undefined ? NONE : mark === ',' ? COMMA : POINT;
    // Between quotes a comma may be a decimal mark even if it separates cells. Such cells take the slower path.
    return point === this.#delimiter ? NONE : point;
  }

  /** Throws the error of a cell that is not a number: it is a word, or its row lacks cells or is a title. */
  #notANumber(start: number, end: number, column: number): DataError {
    if (this.#countCells() !== this.#slots.length) return this.#raggedRow();
    const text = this.#text(start, end);
    return notANumber(this.#bytes.path, this.#dialect, this.#record, column, text, this.#marks[column]);
  }

  /** The number of cells in the record. */
  #countCells(): number {
    const stop = this.#skipRecord();
    const end = stop === -1 ? this.#end : stop;
    let cells = 1;
    for (let at = this.#at; ; cells++) {
      at = this.#cellEnd(at);
      if (this.#blankDelimited) while (this.#window[at] === SPACE || this.#window[at] === TAB) at++;
      if (at >= end || this.#window[at] === NEWLINE || this.#window[at] === RETURN) return cells;
      if (!this.#blankDelimited) at++;
    }
  }

  #raggedRow(): DataError {
    return raggedRow(this.#bytes.path, this.#dialect, this.#record, this.#countCells());
  }
}

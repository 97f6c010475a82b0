import { OptionError, type RowSource } from '@scree/core';
import { checkBlockWidth, identityScaler, packTile } from '@scree/core/data';
import { describeValue } from '@scree/core/pipeline';

/** A label; null, undefined and '' are rows without one. */
export type Label = string | number | boolean | null | undefined;

/** One label per row, in the order of the rows; from a stream, also lists of labels. */
export type RowLabels = Iterable<Label | readonly Label[]> | AsyncIterable<Label | readonly Label[]>;

/** Rows of a second source, handed out in the portions in which those of the first are read. */
export class AlignedRows {
  readonly cols: number;
  readonly #source: RowSource;
  readonly #blocks: AsyncGenerator<Float64Array, void, void>;
  #values: Float64Array = new Float64Array(0);
  #taken = 0;

  constructor(source: RowSource) {
    this.cols = source.cols;
    this.#source = source;
    this.#blocks = this.#read();
  }

  /** The next rows, packed. */
  async take(rows: number): Promise<Float64Array> {
    const out = new Float64Array(rows * this.cols);
    let filled = 0;
    while (filled < out.length) {
      if (this.#values.length === 0) {
        const next = await this.#blocks.next();
        if (next.done) throw otherLength('columns', 'supplementary columns', this.#taken + filled / this.cols);
        this.#values = next.value;
      }
      const part = this.#values.subarray(0, out.length - filled);
      out.set(part, filled);
      filled += part.length;
      this.#values = this.#values.subarray(part.length);
    }
    this.#taken += rows;
    return out;
  }

  /** Refuses rows past the end of the data. */
  async end(rows: number): Promise<void> {
    const more = this.#values.length > 0 || !(await this.#blocks.next()).done;
    if (more) throw otherLength('columns', 'supplementary columns', undefined, rows);
  }

  async close(): Promise<void> {
    await this.#blocks.return();
    await this.#source.close?.();
  }

  async *#read(): AsyncGenerator<Float64Array, void, void> {
    const scaler = identityScaler(this.cols);
    let rows = 0;
    for await (const block of this.#source.blocks()) {
      checkBlockWidth(block, this.#source, rows);
      const values = new Float64Array(block.rows * this.cols);
      packTile(block, scaler, { from: 0, to: block.rows, left: 0, right: this.cols }, values);
      rows += block.rows;
      if (values.length > 0) yield values;
    }
  }
}

/** Labels, handed out in the portions in which rows are read. */
export class AlignedLabels {
  readonly #name: string;
  readonly #iterator: LabelIterator;
  #waiting: readonly Label[] = [];
  #taken = 0;

  constructor(name: string, labels: RowLabels) {
    this.#name = name;
    this.#iterator = iteratorOf(labels, name);
  }

  async take(rows: number): Promise<(string | undefined)[]> {
    const out: (string | undefined)[] = [];
    while (out.length < rows) {
      if (this.#waiting.length === 0 && !(await this.#more())) {
        throw otherLength('groups', `groups ${describeValue(this.#name)}`, this.#taken + out.length);
      }
      const part = this.#waiting.slice(0, rows - out.length);
      for (const label of part) out.push(isMissing(label) ? undefined : String(label));
      this.#waiting = this.#waiting.slice(part.length);
    }
    this.#taken += rows;
    return out;
  }

  /** Refuses labels past the end of the data. */
  async end(rows: number): Promise<void> {
    const more = this.#waiting.length > 0 || (await this.#more());
    if (more) throw otherLength('groups', `groups ${describeValue(this.#name)}`, undefined, rows);
  }

  async close(): Promise<void> {
    await this.#iterator.return?.();
  }

  /**
   * Gets labels that are waiting to be taken; false at the end. A promise is awaited only if there is one, so that arrays are fast. Labels
   * that come in arrays are read one array at a time, so that they may come from the same reading as the rows, and not ahead of them.
   */
  async #more(): Promise<boolean> {
    const waiting: Label[] = [];
    while (waiting.length < PORTION) {
      const answer = this.#iterator.next();
      const next = 'then' in answer ? await answer : answer;
      if (next.done) break;
      if (!Array.isArray(next.value)) waiting.push(next.value as Label);
      else for (const label of next.value) waiting.push(label);
      if (Array.isArray(next.value) && waiting.length > 0) break;
    }
    this.#waiting = waiting;
    return waiting.length > 0;
  }
}

type LabelIterator = Iterator<Label | readonly Label[]> | AsyncIterator<Label | readonly Label[]>;

function iteratorOf(labels: RowLabels, name: string): LabelIterator {
  if (typeof labels === 'object' && labels !== null) {
    if (Symbol.asyncIterator in labels) return labels[Symbol.asyncIterator]();
    if (Symbol.iterator in labels) return labels[Symbol.iterator]();
  }
  throw new OptionError(
    'BAD_OPTION',
    `The groups ${describeValue(name)} are ${describeValue(labels)}; they must be one label per row.`,
    {
      option: 'groups',
      value: name,
    },
  );
}

/** Labels that are got at a time. */
const PORTION = 4096;

function isMissing(label: Label): boolean {
  return label === null || label === undefined || label === '' || Number.isNaN(label);
}

function otherLength(option: string, what: string, ended?: number, rows?: number): OptionError {
  const message =
    ended === undefined
      ? `The ${what} go on after the last of the ${rows} rows. Give one value per row.`
      : `The ${what} end after ${ended} rows, and the data have more. Give one value per row.`;
  return new OptionError('BAD_OPTION', message, { option, value: ended, expected: rows });
}

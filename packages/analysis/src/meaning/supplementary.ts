import { type Data, type Model, OptionError, type RowSource, type TableData } from '@scree/core';
import { checkBlockWidth, identityFrame, openSource, packTile } from '@scree/core/data';
import { checkObject, describeValue, keepAlive, ProgressTracker } from '@scree/core/pipeline';
import type { RowOptions } from '../reading/read-blocks.js';
import { scoredBlocks } from '../reading/scored-blocks.js';
import { GroupSums, type Groups } from './groups.js';
import { ColumnCorrelations, type SupplementaryColumn } from './supplementary-columns.js';

/** A label; null, undefined and '' are rows without one. */
export type Label = string | number | boolean | null | undefined;

/** One label per row, in the order of the rows; from a stream, also lists of labels. */
export type RowLabels = Iterable<Label | readonly Label[]> | AsyncIterable<Label | readonly Label[]>;

/** Options of `supplementary`. */
export interface SupplementaryOptions extends RowOptions {
  /** Numeric columns that had no part in the fit: rows in the same order as the data. NaN is a missing value. */
  readonly columns?: Data;
  /** Names of those columns, for data that do not carry them; for records, which of them to use. */
  readonly columnNames?: readonly string[];
  /** Columns of labels by name. */
  readonly groups?: Readonly<Record<string, RowLabels>>;
  /** Pairs of components, counted from 0, on which to compute convex hulls. Default the first two. */
  readonly hulls?: readonly (readonly [number, number])[];
}

/** Columns and labels that took no part in the fit, seen through its components. */
export interface Supplementary {
  readonly columns: readonly SupplementaryColumn[];
  readonly groups: readonly Groups[];
}

/**
 * How columns and groups that had no part in the fit are related to the components: correlations of numeric columns; centres,
 * v-tests, η², covariances and hulls of groups. The rows of the fit are read once, block by block, and the columns and
 * labels alongside.
 */
export function supplementary(
  model: Model,
  data: TableData,
  options: SupplementaryOptions = {},
): Promise<Supplementary> {
  return keepAlive(() => read(model, data, options));
}

async function read(model: Model, data: TableData, options: SupplementaryOptions): Promise<Supplementary> {
  checkObject(options);
  const { columns, columnNames, groups = {}, hulls, ...rowOptions } = options;
  const { k, d } = model;
  const pairs = checkPairs(hulls ?? (k > 1 ? [[0, 1]] : []), k);
  const labelled = Object.entries(groups).map(([name, labels]) => ({
    labels: new AlignedLabels(name, labels),
    sums: new GroupSums(name, k, d, pairs),
  }));
  const source = columns && (await openSource(columns, new ProgressTracker(rowOptions), columnNames));
  const alongside = source && new AlignedRows(source);
  try {
    const correlations = new ColumnCorrelations(source?.cols ?? 0, k);
    let unit = 1;
    let rows = 0;
    for await (const scored of scoredBlocks(model, data, rowOptions)) {
      const { block, scores, weights, progress } = scored;
      const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
      if (alongside) {
        const values = await alongside.take(block.rows);
        for (let i = 0; i < block.rows; i++) {
          correlations.add(values, i * alongside.cols, scores, i * k, weights ? weights[i] : 1);
          const pause = i % 256 === 255 ? onStep() : undefined;
          if (pause) await pause;
        }
      }
      for (const { labels, sums } of labelled) await sums.add(await labels.take(block.rows), scored, onStep);
      unit = scored.unit;
      rows += block.rows;
    }
    await alongside?.end(rows);
    for (const { labels } of labelled) await labels.end(rows);
    return {
      columns: correlations.result(source?.columnNames ?? columnNames),
      groups: labelled.map(({ sums }) => sums.result(unit)),
    };
  } finally {
    for (const { labels } of labelled) await labels.close();
    await alongside?.close();
  }
}

function checkPairs(pairs: SupplementaryOptions['hulls'] & object, k: number): readonly (readonly [number, number])[] {
  const isComponent = (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < k;
  const wrong = pairs.find((pair) => !(Array.isArray(pair) && pair.length === 2 && pair.every(isComponent)));
  if (wrong === undefined) return pairs;
  throw new OptionError(
    'BAD_OPTION',
    `hulls has ${describeValue(wrong)}; it must be pairs of components from 0 to ${k - 1}.`,
    {
      option: 'hulls',
      value: wrong,
    },
  );
}

/** Rows of a second source, handed out in the portions in which those of the first are read. */
class AlignedRows {
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
    const frame = identityFrame(this.cols);
    let rows = 0;
    for await (const block of this.#source.blocks()) {
      checkBlockWidth(block, this.#source, rows);
      const values = new Float64Array(block.rows * this.cols);
      packTile(block, frame, 0, block.rows, 0, this.cols, values);
      rows += block.rows;
      if (values.length > 0) yield values;
    }
  }
}

/** Labels, handed out in the portions in which rows are read. */
class AlignedLabels {
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
   * Gets labels that are waiting to be taken; false at the end. A promise is awaited only where there is one: arrays are fast. Labels that
   * come in arrays are read one array at a time, so that they may come from the same reading as the rows, and not ahead of them.
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

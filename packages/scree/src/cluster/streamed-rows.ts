import { DataError, type Warning } from '@scree/core';
import {
  BlockAssembler,
  type DenseBatch,
  openArrowBytes,
  type RoundedIntegers,
  streamedBytes,
  type Table,
  type TemporaryCopy,
  unsupported,
} from '@scree/files/platform';
import { copyToDisk } from '../disk/temporary-copy.js';
import { BATCH_MEMORY } from './executor-results.js';
import { alias, castTo, column, type Encoded, planOf, projection } from './messages.js';
import type { ColumnOrigin, SparkColumn } from './spark-fields.js';
import type { SparkSession } from './spark-session.js';

export interface StreamedOptions {
  readonly session: SparkSession;
  readonly relation: Encoded;
  readonly fields: readonly SparkColumn[];
  readonly origins: readonly ColumnOrigin[];
  /** Fields that can be read as numbers and as texts. */
  readonly numbers: readonly number[];
  readonly texts: readonly number[];
  readonly memory: number;
  readonly signal: AbortSignal | undefined;
  readonly integers: RoundedIntegers;
}

/**
 * Rows that are sent over the network. Spark may send them in another order every time, so the first reading stores them in a temporary file: weights, labels and
 * further passes then see the same rows in the same order.
 */
export class StreamedRows {
  readonly #options: StreamedOptions;
  #copy: Promise<TemporaryCopy> | undefined;

  constructor(options: StreamedOptions) {
    this.#options = options;
  }

  async close(): Promise<void> {
    await (await this.#copy?.catch(() => undefined))?.close();
  }

  /** Reads columns as numbers, and one as text. Each batch is opened as a small table and copied into blocks of the usual size. */
  async *read(
    numbers: readonly number[],
    text: number | undefined,
    Values: Float32ArrayConstructor | Float64ArrayConstructor,
  ): AsyncGenerator<DenseBatch, void, void> {
    const { session, fields, origins, memory, integers, texts } = this.#options;
    const { path } = session;
    const cols = numbers.length;
    const label = text === undefined ? undefined : origins[text].field;
    if (label !== undefined && !texts.includes(label)) {
      const { type, name } = fields[label];
      throw unsupported(
        path,
        `has ${type} in column ${JSON.stringify(name)}, which cannot name rows`,
        'Make it text in a query.',
      );
    }
    const own = new BlockAssembler({ cols, texts: label === undefined ? 0 : 1, memory, Values });
    const rounding = integers.reading();
    for await (const bytes of this.#batches()) {
      const part = await openArrowBytes(bytes, path, BATCH_MEMORY);
      if (part.rows === 0) continue;
      const slots = this.#slots(part, numbers);
      const asked = [...new Set(slots.filter((slot) => slot >= 0))];
      const from = slots.map((slot) => asked.indexOf(slot));
      const named = part.columns.findIndex(({ name }) => name === `t${label}`);
      const request = { numbers: asked, texts: label === undefined ? [] : [named] };
      for await (const { block, texts: found } of part.read(request)) {
        if (block.kind === 'sparse') continue;
        for (let i = 0; i < block.rows; i++) {
          const { data } = own;
          const to = own.rows * cols;
          for (let j = 0; j < cols; j++)
            data[to + j] = from[j] < 0 ? Number.NaN : Number(block.data[i * block.stride + from[j]]);
          for (const labels of found) own.addText(0, labels[i]);
          own.rows++;
          if (own.isFull) yield own.take();
        }
      }
      for (const { name, count } of roundedIn(await part.warnings?.())) {
        const slot = part.columns.findIndex((each) => each.name === name);
        for (const [j, filled] of slots.entries()) if (filled === slot) rounding.add(numbers[j], count);
      }
    }
    if (own.rows > 0) yield own.take();
  }

  /** Reads the stored batches. Each follows four bytes with its length. */
  async *#batches(): AsyncGenerator<Uint8Array, void, void> {
    this.#copy ??= this.#store();
    const reader = (await this.#copy).bytes.open();
    try {
      const header = Buffer.alloc(4);
      while ((await reader.read(header)) === 4) {
        const bytes = new Uint8Array(header.readUInt32LE());
        await reader.read(bytes);
        yield bytes;
      }
    } finally {
      await reader.close();
    }
  }

  #store(): Promise<TemporaryCopy> {
    const { session, relation, fields, numbers, texts, signal } = this.#options;
    const expressions = [
      ...numbers.map((field) => alias(fields[field].expression, `n${field}`)),
      ...texts.map((field) => alias(castTo(column(`c${field}`), 'string'), `t${field}`)),
    ];
    async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
      for await (const bytes of session.execute(planOf(projection(relation, expressions)), { signal })) {
        const header = Buffer.alloc(4);
        header.writeUInt32LE(bytes.length);
        yield header;
        yield bytes;
      }
    }
    return copyToDisk(streamedBytes(session.path, chunks()));
  }

  /** The index of each number in an opened batch; −1 if all arrays of the batch are NULL. */
  #slots(part: Table, numbers: readonly number[]): number[] {
    const { fields, origins, session } = this.#options;
    const starts = new Map<number, { first: number; count: number }>();
    part.columns.forEach(({ name, kind }, at) => {
      const field = Number(/^n(\d+)(\[\d+\])?$/.exec(name)?.[1] ?? -1);
      const known = starts.get(field) ?? { first: at, count: 0 };
      if (kind === 'number') known.count++;
      starts.set(field, known);
    });
    return numbers.map((j) => {
      const { field, entry } = origins[j];
      const { first, count } = starts.get(field) ?? { first: -1, count: 0 };
      const { length, name } = fields[field];
      if (length >= 0 && count !== 0 && count !== length) {
        throw new DataError(
          'RAGGED_ROWS',
          `${session.path} has an array of ${count} in column ${JSON.stringify(name)}, but the first has ${length}. Exclude the column, or make all arrays equally long.`,
          { columnName: name, value: count, expected: length, reason: 'list-length' },
        );
      }
      return count === 0 ? -1 : first + entry;
    });
  }
}

/** Names of columns with rounded whole numbers and their counts, from the warnings of a batch. */
function roundedIn(warnings: readonly Warning[] = []): readonly { readonly name: string; readonly count: number }[] {
  const found = warnings.find(({ code }) => code === 'INTEGERS_ROUNDED')?.details?.columns;
  return Array.isArray(found) ? found : [];
}

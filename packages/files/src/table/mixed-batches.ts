import { OptionError } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import { decoded, identityScaler, packTile } from '@scree/core/data';
import type { Batch, Table } from './table.js';

/** Numbers and several columns of text of the same rows. */
export interface MixedBatch {
  readonly block: DenseBlock;
  readonly texts: readonly (readonly (string | null)[])[];
}

/**
 * Reads numbers and columns of text together: in one reading where the format gives several columns as text, otherwise in one
 * reading per column, side by side. Formats by columns lose nothing by that.
 */
export async function* readMixed(
  table: Table,
  numbers: readonly number[] | 'all',
  texts: readonly number[],
): AsyncGenerator<MixedBatch, void, void> {
  if (table.manyTexts) {
    for await (const { block, texts: read = [] } of table.read({ numbers, texts }))
      yield { block: dense(block), texts: read };
    return;
  }
  if (!table.rereadable && texts.length > 1) {
    throw new OptionError(
      'BAD_OPTION',
      `${texts.length} columns of text of this file are read one by one, and it can be read only once. Save it as a file of its own first.`,
      { option: 'categories' },
    );
  }
  const [first, ...others] = texts;
  const readers = others.map((column) => new TextReader(table, column));
  try {
    for await (const { block, text } of table.read({ numbers, ...(first === undefined ? {} : { text: first }) })) {
      const further: (string | null)[][] = [];
      for (const reader of readers) further.push(await reader.take(block.rows));
      yield { block: dense(block), texts: first === undefined ? [] : [text ?? [], ...further] };
    }
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** The block with its numbers as they are, filled in where it is sparse. */
function dense(block: Batch['block']): DenseBlock {
  if (block.kind === 'dense') return decoded(block);
  const { rows, cols } = block;
  const data = new Float64Array(rows * cols);
  packTile(block, identityScaler(cols), { from: 0, to: rows, left: 0, right: cols }, data);
  return { kind: 'dense', rows, cols, stride: cols, data };
}

/** A column of text, taken in the portions in which the numbers come. */
export class TextReader {
  readonly #batches: AsyncIterator<Batch>;
  #waiting: readonly (string | null)[] = [];

  constructor(table: Table, column: number) {
    this.#batches = table.read({ numbers: [], text: column })[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<(string | null)[]> {
    const taken: (string | null)[] = [];
    while (taken.length < count) {
      if (this.#waiting.length === 0) {
        const next = await this.#batches.next();
        if (next.done) break;
        this.#waiting = next.value.text ?? [];
      }
      const part = this.#waiting.slice(0, count - taken.length);
      for (const text of part) taken.push(text);
      this.#waiting = this.#waiting.slice(part.length);
    }
    return taken;
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

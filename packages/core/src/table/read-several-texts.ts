import { OptionError } from '../errors.js';
import { changeTable, type ReadRequest, type Table, type TableBatch } from './table.js';

/**
 * The table with as many columns of text as are asked for. A format that reads one column of text at a time is read once per
 * column, side by side; a format stored by columns loses nothing by that.
 */
export function readSeveralTexts<Value>(table: Table<Value>): Table<Value> {
  if (table.manyTexts) return table;
  return changeTable<Value>(table, {
    manyTexts: true,
    read: (request) => ((request.texts?.length ?? 0) > 1 ? sideBySide(table, request) : table.read(request)),
  });
}

async function* sideBySide<Value>(
  table: Table<Value>,
  { numbers, texts = [] }: ReadRequest,
): AsyncGenerator<TableBatch<Value>, void, void> {
  if (!table.rereadable) {
    throw new OptionError(
      'BAD_OPTION',
      `${texts.length} columns of text of this file are read one by one, and it can be read only once. Save it as a file of its own first.`,
      { option: 'categories' },
    );
  }
  const [first, ...others] = texts;
  const readers = others.map((column) => new TextReader(table, column));
  try {
    for await (const batch of table.read({ numbers, texts: [first] })) {
      const further: Value[][] = [];
      for (const reader of readers) further.push(await reader.take(batch.block.rows));
      yield { ...batch, texts: [...batch.texts, ...further] };
    }
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** A column of text, taken in the portions in which the numbers come. */
export class TextReader<Value> {
  readonly #batches: AsyncIterator<TableBatch<Value>>;
  #waiting: readonly Value[] = [];
  #at = 0;

  constructor(table: Table<Value>, column: number) {
    this.#batches = table.read({ numbers: [], texts: [column] })[Symbol.asyncIterator]();
  }

  /** The next texts; fewer than `count` at the end. */
  async take(count: number): Promise<Value[]> {
    const taken: Value[] = [];
    while (taken.length < count) {
      if (this.#at === this.#waiting.length) {
        const next = await this.#batches.next();
        if (next.done) break;
        this.#waiting = next.value.texts[0];
        this.#at = 0;
      }
      const end = Math.min(this.#waiting.length, this.#at + count - taken.length);
      for (; this.#at < end; this.#at++) taken.push(this.#waiting[this.#at]);
    }
    return taken;
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}

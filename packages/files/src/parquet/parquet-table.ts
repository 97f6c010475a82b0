import { DataError, ScreeError } from '@scree/core';
import {
  BlockAssembler,
  type DenseBatch,
  MemoryBudget,
  type ReadRequest,
  type Table,
  type TableColumn,
} from '@scree/core/data';
import type { SeekableBytes } from '../archive/zip.js';
import { BufferPool } from '../bytes/buffer-pool.js';
import { badFile, unsupported } from '../file-error.js';
import { arrowDurations } from '../reader-notes.js';
import { checkColumns } from '../table/most-columns.js';
import { RoundedIntegers, type RoundedReading } from '../table/rounded-integers.js';
import { type PageTools, plainPageTools } from './codecs.js';
import { type Footer, readFooter } from './footer.js';
import { listLength } from './list-length.js';
import type { NumberColumnSpec } from './number-column.js';
import { LocalDecoder, type NumberDecoder, type NumberTask, windowOf } from './number-decoder.js';
import { PageReader, pageBudget, Scratch, Share } from './pages.js';
import { columnsOf, FLOAT32_TYPES, type ParquetColumn } from './schema.js';
import { TextColumn } from './text-column.js';

/** What a platform adds. */
export interface ParquetPlatform {
  readonly tools: PageTools;
  /** Starts a reading whose numbers are decoded in threads. Undefined if this is not worth it, or not possible. */
  readonly decodeInThreads?: ((task: NumberTask) => NumberDecoder | undefined) | undefined;
}

const plainPlatform: ParquetPlatform = { tools: plainPageTools };

/** A column of the table: a column of the file, or an entry of its lists. */
interface TablePlace {
  readonly column: ParquetColumn;
  readonly entry: number;
  /** Length of the lists; undefined if there are none. */
  readonly length: number | undefined;
}

/**
 * A Parquet file. Only the columns that are asked for are read, page by page, so that memory is bounded by pages and not by row
 * groups. Columns of lists of numbers become several columns, one per entry; others that are nested are left out. Every count and
 * offset in the file is checked.
 */
export function openParquet(
  file: SeekableBytes,
  { memory }: { readonly memory: number },
  platform: ParquetPlatform = plainPlatform,
): Promise<Table> {
  return errorsAsBadFile(file.path, () => open(file, memory, platform));
}

/** Decodes the numbers of a reading that was begun in another thread. Errors are as if it was this one. */
export function decodeParquet(
  file: SeekableBytes,
  tools: PageTools,
  task: NumberTask,
  pool: BufferPool,
): NumberDecoder {
  const decoder = new LocalDecoder(file, tools, task, pool);
  return {
    fill: (block, rows) => errorsAsBadFile(file.path, () => decoder.fill(block, rows)),
    close: () => decoder.close(),
  };
}

/** Verifies the checksums and sizes of all pages of a file, for a program that does not. */
export function verifyParquet(
  file: SeekableBytes,
  { memory }: { readonly memory: number },
  tools: PageTools = plainPageTools,
): Promise<void> {
  return errorsAsBadFile(file.path, async () => {
    const { groups, chunks, emptyLeaves } = await readFooter(file, memory);
    const budget = pageBudget(new MemoryBudget(memory).share('decoder'));
    const scratch = new Scratch(new Share(file.path, budget), new BufferPool());
    const pages = new PageReader(file, { window: windowOf(memory, 1), tools, scratch });
    for (const group of groups.keys()) {
      for (const leaf of emptyLeaves.keys()) {
        const place = chunks.place(file, group, leaf);
        pages.open(place);
        for (let left = place.values; left > 0; ) {
          const { kind, values } = (await pages.next()).header;
          if (kind !== 'data' && kind !== 'data v2') continue;
          if (!(values > 0 && values <= left)) throw new RangeError(`a page of ${values} values`);
          left -= values;
        }
      }
    }
  });
}

async function open(file: SeekableBytes, memory: number, platform: ParquetPlatform): Promise<Table> {
  const { path } = file;
  const footer = await readFooter(file, memory);
  const { rows } = footer;
  const places: TablePlace[] = [];
  for (const column of columnsOf(footer, await arrowDurations(footer.notes.get('ARROW:schema')))) {
    const length = column.list && (await listLength(file, footer, column, memory, platform.tools));
    checkColumns(places.length + (length ?? 1), memory, path);
    if (length === 0)
      places.push({ column: { ...column, kind: 'other', type: 'LIST', leaf: -1 }, entry: 0, length: undefined });
    else for (let entry = 0; entry < (length ?? 1); entry++) places.push({ column, entry, length });
  }
  if (places.length === 0) throw new DataError('EMPTY_DATA', `${path} has no columns.`);
  const columns = places.map(({ column: { name, kind, type, index }, entry, length }) => ({
    name: length === undefined ? name : `${name}[${entry}]`,
    kind,
    type,
    index,
  }));
  const reader = new ParquetReader(file, footer, { places, columns }, memory, platform);
  return {
    format: 'Parquet',
    columns,
    width: columns.length,
    named: true,
    uniform: false,
    rows,
    dtype: (numbers) => (reader.fitsFloat32(reader.columnsOf(numbers)) ? 'float32' : 'float64'),
    mayMissValues: true,
    checkMissing: true,
    rereadable: file.rereadable,
    manyTexts: true,
    read: (request) => reader.read(request),
    warnings: () => reader.integers.warnings(path, (j) => columns[j].name),
    close: async () => {},
  };
}

/** The columns of a table: what they are called, and where their numbers and texts are in the file. */
interface TableColumns {
  readonly columns: readonly TableColumn[];
  readonly places: readonly TablePlace[];
}

/** Reads batches of rows, several times one after the other with the same buffers. */
class ParquetReader {
  readonly #file: SeekableBytes;
  readonly #footer: Footer;
  readonly #table: TableColumns;
  readonly #memory: MemoryBudget;
  readonly #platform: ParquetPlatform;
  readonly integers = new RoundedIntegers();
  readonly #pool = new BufferPool();
  readonly #shared = new BufferPool(true);

  constructor(file: SeekableBytes, footer: Footer, table: TableColumns, memory: number, platform: ParquetPlatform) {
    this.#file = file;
    this.#footer = footer;
    this.#table = table;
    this.#memory = new MemoryBudget(memory);
    this.#platform = platform;
  }

  columnsOf(numbers: ReadRequest['numbers']): readonly number[] {
    return numbers === 'all' ? [...this.#table.columns.keys()] : numbers;
  }

  fitsFloat32(numbers: readonly number[]): boolean {
    return numbers.every((j) => FLOAT32_TYPES.test(this.#table.columns[j].type));
  }

  async *read({ numbers: asked, texts = [] }: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const [file, platform, path] = [this.#file, this.#platform, this.#file.path];
    const { rows, groups, chunks } = this.#footer;
    const [bytes, pool] = [this.#memory, this.#pool];
    const numbers = this.columnsOf(asked);
    const budget = pageBudget(bytes.share('decoder'), platform.decodeInThreads !== undefined);
    const specs = this.#specsOf(numbers);
    const ahead = Math.floor(bytes.share('reader') / 2);
    const task: NumberTask = {
      columns: specs,
      groups,
      places: await errorsAsBadFile(path, async () =>
        groups.map((_, group) => specs.map(({ leaf }) => chunks.place(file, group, leaf))),
      ),
      stride: numbers.length,
      ahead,
      budget,
    };
    const threaded = specs.length > 0 ? platform.decodeInThreads?.(task) : undefined;
    const decoder = threaded ?? new LocalDecoder(file, platform.tools, task, pool);
    const scratch = new Scratch(new Share(path, budget), pool);
    const window = windowOf(ahead, texts.length);
    const labels = texts.map((j) => {
      const context = { file, tools: platform.tools, budget, scratch, window };
      return new TextColumn(this.#readable(j).element, context);
    });
    const Values = this.fitsFloat32(numbers) ? Float32Array : Float64Array;
    const blocks = threaded ? this.#shared : pool;
    const cols = numbers.length;
    const block = new BlockAssembler({
      cols,
      texts: texts.length,
      memory: bytes.bytes,
      rows,
      Values,
      allocate: (size) => blocks.take(size),
    });
    const position = { group: -1, left: 0, rounded: this.integers.reading() };
    const next = (): Promise<DenseBatch | undefined> =>
      errorsAsBadFile(path, () => this.#nextBatch(block, decoder, { labels, texts, numbers }, position));
    let coming: ReturnType<typeof next> | undefined;
    try {
      // Threads fill a block while the block before is used.
      for (let batch = await next(); batch; batch = await (coming ?? next())) {
        coming = threaded && next();
        // The error is thrown when the block is awaited.
        coming?.catch(() => {});
        yield batch;
      }
    } finally {
      await coming?.catch(() => {});
      await decoder.close();
      scratch.release();
      blocks.give(...block.buffers);
    }
  }

  async #nextBatch(
    block: BlockAssembler,
    decoder: NumberDecoder,
    wanted: {
      readonly labels: readonly TextColumn[];
      readonly texts: readonly number[];
      readonly numbers: readonly number[];
    },
    position: { group: number; left: number; rounded: RoundedReading },
  ): Promise<DenseBatch | undefined> {
    const { groups, chunks } = this.#footer;
    while (!block.isFull) {
      while (position.left === 0) {
        if (++position.group >= groups.length) break;
        position.left = groups[position.group];
        if (position.left === 0) continue;
        for (const [i, label] of wanted.labels.entries())
          label.start(chunks.place(this.#file, position.group, this.#readable(wanted.texts[i]).leaf), position.left);
      }
      if (position.left === 0) break;
      let count = Math.min(block.height - block.rows, position.left);
      // A batch of long texts ends early: the first column of text decides.
      for (const [i, label] of wanted.labels.entries()) {
        const most = count;
        count = await label.take(most, (text) => {
          block.addText(i, text);
          return i > 0 || !block.budget.spent;
        });
      }
      block.rows += count;
      position.left -= count;
    }
    if (block.rows === 0) return undefined;
    for (const [slot, count] of await decoder.fill(block.data, block.rows))
      position.rounded.add(wanted.numbers[slot], count);
    return block.take();
  }

  /** A column that can be read as text. */
  #readable(j: number): ParquetColumn {
    const { column } = this.#table.places[j];
    if (column.leaf < 0 || column.list) throw this.#cannotRead(j);
    return column;
  }

  /** The columns of the file that some columns of the table come from, and where their numbers go. */
  #specsOf(numbers: readonly number[]): (NumberColumnSpec & { readonly leaf: number })[] {
    const specs: (NumberColumnSpec & { readonly leaf: number; entries: number[]; slots: number[] })[] = [];
    const lists = new Map<ParquetColumn, number>();
    numbers.forEach((j, slot) => {
      const { column, entry, length } = this.#table.places[j];
      const known = lists.get(column);
      if (known !== undefined) {
        specs[known].entries.push(entry);
        specs[known].slots.push(slot);
        return;
      }
      const { name, element, list, leaf, kind, type } = column;
      if (leaf < 0 || (kind === 'other' && type !== 'empty')) throw this.#cannotRead(j);
      if (list) lists.set(column, specs.length);
      specs.push({
        name,
        element,
        leaf,
        list: list && { ...list, length: length ?? 1 },
        entries: [entry],
        slots: [slot],
      });
    });
    return specs;
  }

  #cannotRead(j: number): Error {
    const { type, name } = this.#table.columns[j];
    return unsupported(this.#file.path, `has ${type} in column ${JSON.stringify(name)}`, 'Choose another column.');
  }
}

/** Turns errors of libraries, and our RangeErrors, into a FileError. */
async function errorsAsBadFile<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ScreeError || !(error instanceof Error)) throw error;
    throw badFile(path, `it is broken (${error.message.split('\n')[0].slice(0, 120)})`);
  }
}

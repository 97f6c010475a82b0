import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '@scree/files';
import {
  BlockAssembler,
  type Bytes,
  changeTable,
  type ReadRequest,
  type Table,
  type TableBatch,
  TextReader,
  truncated,
} from '@scree/files/platform';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { systemError } from '../disk/system-error.js';
import { collectGarbage } from './garbage-collection.js';

/**
 * Maximum number of columns per query. DuckDB needs time and memory for each column, for at least 2048 rows. Fewer columns per query would
 * not save memory, because every query keeps some memory until the file is closed.
 */
const MAX_COLUMNS = 1024;

export interface WideOptions {
  /** Folder of the temporary files. */
  readonly folder: string;
  readonly path: string;
  readonly memory: number;
  /** Called after DuckDB ran out of memory. */
  useLessMemory(): Promise<void>;
}

/** Some columns of all rows, in a temporary file. */
interface Part {
  readonly bytes: Bytes;
  readonly cols: number;
  readonly Values: typeof Float32Array | typeof Float64Array;
  close(): Promise<void>;
}

/**
 * Reads a table with more columns than fit in memory at once: it has very many columns, or its row groups, which DuckDB holds as a whole,
 * are too large. The values are written to temporary files once, some columns per file, and blocks of rows are assembled from these files.
 */
export function wideTable(table: Table, options: WideOptions): Table {
  const reader = new WideReader(table, options);
  return changeTable(table, {
    read: (request) => reader.read(request),
    close: async () => {
      await reader.close();
      await table.close();
    },
  });
}

/** Reads a table directly if it can, and through parts otherwise. */
class WideReader {
  readonly #table: Table;
  readonly #options: WideOptions;
  /** The parts that were written, by their columns. */
  readonly #partsByColumns = new Map<string, Promise<{ parts: Part[]; rows: number }>>();
  #files = 0;
  #maxColumns = MAX_COLUMNS;

  constructor(table: Table, options: WideOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Reads few columns directly. If DuckDB runs out of memory, or for more columns, continues through parts. */
  async *read(request: ReadRequest): AsyncGenerator<TableBatch, void, void> {
    const numbers = request.numbers === 'all' ? [...this.#table.columns.keys()] : request.numbers;
    let done = 0;
    if (numbers.length <= this.#maxColumns && !this.#partsByColumns.has(numbers.join())) {
      try {
        for await (const batch of this.#table.read(request)) {
          yield batch;
          done += batch.block.rows;
        }
        return;
      } catch (error) {
        if (!tooLarge(error) || numbers.length < 2) throw error;
        this.#maxColumns = Math.ceil(numbers.length / 2);
        await this.#options.useLessMemory();
      }
    }
    yield* this.#readParts(numbers, request.texts ?? [], done);
  }

  /** Assembles blocks from parts, beginning with row `first`. */
  async *#readParts(
    numbers: readonly number[],
    columns: readonly number[],
    first: number,
  ): AsyncGenerator<TableBatch, void, void> {
    const key = numbers.join();
    const known = this.#partsByColumns.get(key) ?? this.#writeParts(numbers);
    this.#partsByColumns.set(key, known);
    const { parts, rows } = await known;
    const cols = numbers.length;
    const Values = this.#table.dtype(numbers) === 'float32' ? Float32Array : Float64Array;
    const block = new BlockAssembler({ cols, memory: this.#options.memory, rows, Values });
    const readers = columns.map((column) => new TextReader(this.#table, column));
    try {
      if (first > 0) for (const reader of readers) await reader.take(first);
      for (let from = first; from < rows; from += block.height) {
        const some = Math.min(block.height, rows - from);
        const { data } = block;
        let left = 0;
        for (const part of parts) {
          const values = await readRows(part, from, some);
          for (let i = 0; i < some; i++) {
            data.set(values.subarray(i * part.cols, (i + 1) * part.cols), i * cols + left);
          }
          left += part.cols;
        }
        block.rows = some;
        block.texts = [];
        for (const reader of readers) block.texts.push(await reader.take(some));
        yield block.take();
      }
    } finally {
      for (const reader of readers) await reader.close();
    }
  }

  /** Writes columns to parts of at most `#maxColumns` columns, or fewer if DuckDB runs out of memory. */
  async #writeParts(numbers: readonly number[]): Promise<{ parts: Part[]; rows: number }> {
    const parts: Part[] = [];
    let rows = 0;
    for (let from = 0; from < numbers.length; ) {
      const group = numbers.slice(from, from + this.#maxColumns);
      try {
        const { part, rows: count } = await this.#writePart(group);
        parts.push(part);
        rows = count;
        from += group.length;
      } catch (error) {
        if (!tooLarge(error) || group.length < 2) {
          for (const part of parts) await part.close();
          throw error;
        }
        this.#maxColumns = Math.ceil(group.length / 2);
        await this.#options.useLessMemory();
      }
      collectGarbage('major');
    }
    return { parts, rows };
  }

  /** Writes some columns of all rows to a temporary file. */
  async #writePart(group: readonly number[]): Promise<{ part: Part; rows: number }> {
    const file = join(this.#options.folder, `part-${this.#files++}`);
    const Values = this.#table.dtype(group) === 'float32' ? Float32Array : Float64Array;
    let [size, rows] = [0, 0];
    let handle: FileHandle | undefined;
    try {
      handle = await open(file, 'wx+', 0o600);
      for await (const { block } of this.#table.read({ numbers: group })) {
        const { buffer, byteOffset } = block.data;
        const bytes = new Uint8Array(buffer, byteOffset, block.rows * group.length * Values.BYTES_PER_ELEMENT);
        await handle.writeFile(bytes);
        size += bytes.length;
        rows += block.rows;
      }
      const bytes = fileBytes(handle, this.#options.path, 0, size);
      const written = handle;
      return { part: { bytes, cols: group.length, Values, close: () => closeRead(written) }, rows };
    } catch (error) {
      await closeRead(handle);
      // If this fails, the file is removed with its folder.
      await rm(file, { force: true }).catch(() => {});
      throw systemError(error, file, 'written');
    }
  }

  async close(): Promise<void> {
    for (const known of this.#partsByColumns.values()) {
      const { parts } = await known.catch(() => ({ parts: [] as Part[] }));
      for (const part of parts) await part.close();
    }
  }
}

/** Reads `some` rows of a part, beginning with row `from`. */
async function readRows(
  { bytes, cols, Values }: Part,
  from: number,
  some: number,
): Promise<Float32Array | Float64Array> {
  const values = new Values(some * cols);
  const into = new Uint8Array(values.buffer);
  const got = await bytes.readAt?.(into, from * cols * Values.BYTES_PER_ELEMENT);
  if (got !== into.length) throw truncated(bytes.path, 'it was changed while it was read');
  return values;
}

/** Returns true if DuckDB ran out of memory. Fewer columns at once need less memory. */
function tooLarge(error: unknown): boolean {
  return error instanceof FileError && error.code === 'TOO_LARGE';
}

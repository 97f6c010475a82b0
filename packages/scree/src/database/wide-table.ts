import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '@scree/files';
import {
  type Bytes,
  blockHeight,
  changeTable,
  type DenseBatch,
  type ReadRequest,
  type Table,
  type Text,
  TextReader,
  truncated,
} from '@scree/files/platform';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { systemError } from '../disk/system-error.js';
import { temporaryFolder } from '../disk/temporary-copy.js';
import { collectGarbage } from './garbage-collection.js';

export interface WideOptions {
  readonly path: string;
  readonly memory: number;
  /** Columns that are read at once, at most. */
  readonly maxColumns?: number;
  /** Called when memory was not enough. */
  readonly useLessMemory?: () => Promise<void>;
}

/** Some columns of all rows, in a temporary file. */
interface Part {
  readonly bytes: Bytes;
  readonly cols: number;
  readonly Values: typeof Float32Array | typeof Float64Array;
  close(): Promise<void>;
}

/**
 * Reads a table with more columns than fit in memory at once: because there are very many, or because what their reader holds of each is
 * large. Their values are written to temporary files once, some columns per file, and blocks of rows are assembled from these.
 */
export function wideTable(table: Table, { path, memory, maxColumns: most, useLessMemory }: WideOptions): Table {
  /** Files that were written, by the columns in them. */
  const partsByColumns = new Map<string, Promise<{ parts: Part[]; rows: number }>>();
  let files = 0;
  let maxColumns = most ?? Number.POSITIVE_INFINITY;
  /** Folder of the temporary files. */
  let folder: ReturnType<typeof temporaryFolder> | undefined;

  async function* read(request: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const numbers = request.numbers === 'all' ? [...table.columns.keys()] : request.numbers;
    let done = 0;
    if (numbers.length <= maxColumns && !partsByColumns.has(numbers.join())) {
      try {
        for await (const batch of table.read(request) as AsyncIterable<DenseBatch>) {
          yield batch;
          done += batch.block.rows;
        }
        return;
      } catch (error) {
        if (!tooLarge(error) || numbers.length < 2) throw error;
        maxColumns = Math.ceil(numbers.length / 2);
        collectGarbage('major');
        await useLessMemory?.();
      }
    }
    yield* readParts(numbers, request.texts ?? [], done);
  }

  async function* readParts(
    numbers: readonly number[],
    columns: readonly number[],
    first: number,
  ): AsyncGenerator<DenseBatch, void, void> {
    const key = numbers.join();
    const known = partsByColumns.get(key) ?? writeParts(numbers);
    partsByColumns.set(key, known);
    const { parts, rows } = await known;
    const cols = numbers.length;
    const Values = table.dtype(numbers) === 'float32' ? Float32Array : Float64Array;
    const height = blockHeight(cols * Values.BYTES_PER_ELEMENT, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const readers = columns.map((column) => new TextReader(table, column));
    try {
      if (first > 0) for (const reader of readers) await reader.take(first);
      for (let from = first, turn = 0; from < rows; from += height, turn = 1 - turn) {
        const some = Math.min(height, rows - from);
        let left = 0;
        for (const part of parts) {
          const values = await readRows(part, from, some);
          for (let i = 0; i < some; i++) {
            buffers[turn].set(values.subarray(i * part.cols, (i + 1) * part.cols), i * cols + left);
          }
          left += part.cols;
        }
        const block = { kind: 'dense', rows: some, cols, stride: cols, data: buffers[turn] } as const;
        const texts: Text[][] = [];
        for (const reader of readers) texts.push(await reader.take(some));
        yield { block, texts };
      }
    } finally {
      for (const reader of readers) await reader.close();
    }
  }

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

  async function writeParts(numbers: readonly number[]): Promise<{ parts: Part[]; rows: number }> {
    const parts: Part[] = [];
    let rows = 0;
    for (let from = 0; from < numbers.length; ) {
      const group = numbers.slice(from, from + maxColumns);
      try {
        const { part, rows: count } = await writePart(group);
        parts.push(part);
        rows = count;
        from += group.length;
      } catch (error) {
        if (!tooLarge(error) || group.length < 2) {
          for (const part of parts) await part.close();
          throw error;
        }
        maxColumns = Math.ceil(group.length / 2);
        collectGarbage('major');
        await useLessMemory?.();
      }
      collectGarbage('major');
    }
    return { parts, rows };
  }

  async function writePart(group: readonly number[]): Promise<{ part: Part; rows: number }> {
    folder ??= temporaryFolder();
    const file = join((await folder).path, `part-${files++}`);
    const Values = table.dtype(group) === 'float32' ? Float32Array : Float64Array;
    let [size, rows] = [0, 0];
    let handle: FileHandle | undefined;
    try {
      handle = await open(file, 'wx+', 0o600);
      for await (const { block } of table.read({ numbers: group }) as AsyncIterable<DenseBatch>) {
        const { buffer, byteOffset } = block.data;
        const bytes = new Uint8Array(buffer, byteOffset, block.rows * group.length * Values.BYTES_PER_ELEMENT);
        await handle.writeFile(bytes);
        size += bytes.length;
        rows += block.rows;
      }
      const bytes = fileBytes(handle, path, 0, size);
      const written = handle;
      return { part: { bytes, cols: group.length, Values, close: () => closeRead(written) }, rows };
    } catch (error) {
      await closeRead(handle);
      // If this fails, the file is removed with its folder.
      await rm(file, { force: true }).catch(() => {});
      throw systemError(error, file, 'written');
    }
  }

  const closeParts = async (): Promise<void> => {
    for (const known of partsByColumns.values()) {
      const { parts } = await known.catch(() => ({ parts: [] as Part[] }));
      for (const part of parts) await part.close();
    }
    await folder?.then(
      (made) => made.remove(),
      () => {},
    );
  };
  return changeTable(table, {
    read,
    close: async () => {
      await closeParts();
      await table.close();
    },
  });
}

/** Whether memory was not enough. Fewer columns at once need less. */
function tooLarge(error: unknown): boolean {
  return error instanceof FileError && error.code === 'TOO_LARGE';
}

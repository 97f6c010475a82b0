import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '@scree/files';
import { type Bytes, blockRows, type DenseBatch, type Request, type Table, truncated } from '@scree/files/internal';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { systemError } from '../disk/system-error.js';
import { collectNow } from './collecting.js';

/**
 * Columns that are read at once: DuckDB takes memory and time for each, and some 2048 rows of all at least. Fewer would not take less:
 * every reading leaves a little behind until the file is closed.
 */
const PART = 1024;

export interface WideOptions {
  /** Where parts go. */
  readonly folder: string;
  readonly path: string;
  readonly memory: number;
  /** Makes readings take as little memory as they can. */
  alone(): Promise<void>;
}

/** Some columns of all rows, in a file of their own. */
interface Part {
  readonly bytes: Bytes;
  readonly cols: number;
  readonly Values: typeof Float32Array | typeof Float64Array;
  close(): Promise<void>;
}

/**
 * A table that may have more columns than can be read at once: very many, or so many rows of them in a group that DuckDB, which holds
 * a group at a time, has no memory for it. Then they are read in parts, which are laid down on disk once.
 */
export function wideTable(table: Table, { folder, path, memory, alone }: WideOptions): Table {
  const laid = new Map<readonly number[], Promise<{ parts: Part[]; rows: number }>>();
  let everything: readonly number[] | undefined;
  let files = 0;
  let most = PART;

  async function* read(request: Request): AsyncGenerator<DenseBatch, void, void> {
    if (request.numbers === 'all') everything ??= [...table.columns.keys()];
    const numbers = request.numbers === 'all' ? (everything as readonly number[]) : request.numbers;
    let done = 0;
    if (numbers.length <= most && !laid.has(numbers)) {
      try {
        for await (const batch of table.read(request) as AsyncIterable<DenseBatch>) {
          yield batch;
          done += batch.block.rows;
        }
        return;
      } catch (error) {
        if (!tooLarge(error) || numbers.length < 2) throw error;
        most = Math.ceil(numbers.length / 2);
        await alone();
      }
    }
    yield* readParts(numbers, request.text, done);
  }

  async function* readParts(
    numbers: readonly number[],
    text: number | undefined,
    first: number,
  ): AsyncGenerator<DenseBatch, void, void> {
    const known = laid.get(numbers) ?? lay(numbers);
    laid.set(numbers, known);
    const { parts, rows } = await known;
    const cols = numbers.length;
    const Values = table.dtype(numbers) === 'float32' ? Float32Array : Float64Array;
    const height = blockRows(cols * Values.BYTES_PER_ELEMENT, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const texts = text === undefined ? undefined : takeTexts(text);
    if (first > 0) await texts?.(first);
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
      yield { block, text: texts && (await texts(some)) };
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

  function takeTexts(column: number): (count: number) => Promise<(string | null)[]> {
    const batches = table.read({ numbers: [], text: column })[Symbol.asyncIterator]();
    let waiting: readonly (string | null)[] = [];
    return async (count) => {
      const taken: (string | null)[] = [];
      while (taken.length < count) {
        if (waiting.length === 0) {
          const next = await batches.next();
          if (next.done) break;
          waiting = next.value.text ?? [];
        }
        const part = waiting.slice(0, count - taken.length);
        for (const text of part) taken.push(text);
        waiting = waiting.slice(part.length);
      }
      return taken;
    };
  }

  async function lay(numbers: readonly number[]): Promise<{ parts: Part[]; rows: number }> {
    const parts: Part[] = [];
    let rows = 0;
    for (let from = 0; from < numbers.length; ) {
      const group = numbers.slice(from, from + most);
      try {
        const { part, rows: count } = await layPart(group);
        parts.push(part);
        rows = count;
        from += group.length;
      } catch (error) {
        if (!tooLarge(error) || group.length < 2) {
          for (const part of parts) await part.close();
          throw error;
        }
        most = Math.ceil(group.length / 2);
        await alone();
      }
      collectNow('major');
    }
    return { parts, rows };
  }

  async function layPart(group: readonly number[]): Promise<{ part: Part; rows: number }> {
    const file = join(folder, `part-${files++}`);
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
      // Where that fails the whole folder goes later.
      await rm(file, { force: true }).catch(() => {});
      throw systemError(error, file, 'written');
    }
  }

  return Object.create(table, {
    read: { value: read },
    close: {
      value: async () => {
        for (const known of laid.values()) {
          const { parts } = await known.catch(() => ({ parts: [] as Part[] }));
          for (const part of parts) await part.close();
        }
        await table.close();
      },
    },
  }) as Table;
}

/** DuckDB had not enough memory: fewer columns at once take less. */
function tooLarge(error: unknown): boolean {
  return error instanceof FileError && error.code === 'TOO_LARGE';
}

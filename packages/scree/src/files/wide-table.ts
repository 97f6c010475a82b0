import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bytes, blockRows, type DenseBatch, type Request, type Table, truncated } from '@scree/core/files';
import { fileBytes } from './file-bytes.js';
import { systemError } from './system-error.js';

/** Columns that are read at once: DuckDB takes memory and time for each, and some 2048 rows of all at least. */
const PART = 1024;

/** Some columns of all rows, in a file of their own. */
interface Part {
  readonly bytes: Bytes;
  readonly cols: number;
  readonly Values: typeof Float32Array | typeof Float64Array;
  close(): Promise<void>;
}

/** A table that may have very many columns: then they are read in parts, which are laid down on disk once. */
export function wideTable(table: Table, folder: string, path: string, memory: number): Table {
  const laid = new Map<readonly number[], Promise<{ parts: Part[]; rows: number }>>();
  let files = 0;

  function read(request: Request): AsyncIterable<DenseBatch> {
    const { numbers } = request;
    if (numbers === 'all' || numbers.length <= PART) return table.read(request) as AsyncIterable<DenseBatch>;
    return readParts(numbers, request.text);
  }

  async function* readParts(
    numbers: readonly number[],
    text: number | undefined,
  ): AsyncGenerator<DenseBatch, void, void> {
    const known = laid.get(numbers) ?? lay(numbers);
    laid.set(numbers, known);
    const { parts, rows } = await known;
    const cols = numbers.length;
    const Values = table.dtype(numbers) === 'float32' ? Float32Array : Float64Array;
    const height = blockRows(cols * Values.BYTES_PER_ELEMENT, memory, rows);
    const buffers = [new Values(height * cols), new Values(height * cols)];
    const texts = text === undefined ? undefined : takeTexts(text);
    for (let from = 0, turn = 0; from < rows; from += height, turn = 1 - turn) {
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
    if (got !== into.length) throw truncated(bytes.path, 'somebody changed it while it was read');
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
    for (let from = 0; from < numbers.length; from += PART) {
      const group = numbers.slice(from, from + PART);
      rows = 0;
      const file = join(folder, `part-${files++}`);
      const Values = table.dtype(group) === 'float32' ? Float32Array : Float64Array;
      try {
        const handle = await open(file, 'wx+', 0o600);
        let size = 0;
        parts.push({
          get bytes() {
            return fileBytes(handle, path, 0, size);
          },
          cols: group.length,
          Values,
          close: () => handle.close(),
        });
        for await (const { block } of table.read({ numbers: group }) as AsyncIterable<DenseBatch>) {
          const bytes = new Uint8Array(
            block.data.buffer,
            block.data.byteOffset,
            block.rows * group.length * Values.BYTES_PER_ELEMENT,
          );
          await handle.writeFile(bytes);
          size += bytes.length;
          rows += block.rows;
        }
      } catch (error) {
        throw systemError(error, file, 'written');
      }
    }
    return { parts, rows };
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

import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { FileError } from '@scree/files';
import {
  type Bytes,
  badFile,
  type PageHeader,
  readerAt,
  readPageHeader,
  showBytes,
  truncated,
} from '@scree/files/platform';
import { closeRead, fileBytes } from '../disk/file-bytes.js';
import { systemError } from '../disk/system-error.js';
import { nodeUnpackers } from '../disk/unpackers.js';
import { type DuckDb, duckError, fileName } from './duckdb.js';

/** Bytes that are read for the header of a page: at first, and at most. */
const [USUAL_HEADER, LONGEST_HEADER] = [1 << 9, 1 << 20];
/** Bytes of a page that are read at once. */
const READ_SIZE = 1 << 20;

/** A column chunk: the pages of one column in one row group. */
interface Chunk {
  readonly start: number;
  readonly gzip: boolean;
  /** Number of values in all its pages, including missing ones. */
  readonly values: number;
  /** Number of values that it must have: one per row, unless the column is nested. */
  readonly expected: number;
}

/**
 * Verifies what DuckDB 1.5 does not: the CRC-32 of pages that have one, the checksum of gzip-compressed pages, and that the
 * pages of a column have as many values as the footer says. (If they have fewer, DuckDB returns uninitialised memory for the
 * rest.) Of pages without a checksum only the header is read.
 */
export function parquetCheck(
  duck: DuckDb,
  { file, path }: { readonly file: string; readonly path: string },
): (columns: readonly string[] | 'all') => Promise<void> {
  let all: Promise<ReadonlyMap<string, Chunk[]>> | undefined;
  const verified = new Set<string>();
  return async (columns) => {
    all ??= chunksOf(duck, file).catch((error: unknown) => {
      throw duckError(error, path);
    });
    const chunks = await all;
    const missing = (columns === 'all' ? [...chunks.keys()] : columns).filter((name) => !verified.has(name));
    if (missing.length === 0) return;
    await withBytes(file, path, async (bytes) => {
      for (const name of missing) {
        await verifyColumn(bytes, name, chunks.get(name) ?? []);
        verified.add(name);
      }
    });
  };
}

/** The footer may take at most 1/8 of the memory, because it takes several times its size when it is parsed. */
const FOOTER_SHARE = 8;

/** Rejects a footer that is too large for the memory. DuckDB reads it as a whole and does not count it toward its limit. */
export async function checkFooter(file: string, path: string, memory: number): Promise<void> {
  await withBytes(file, path, async (bytes) => {
    const { size = 0 } = bytes;
    const tail = new Uint8Array(8);
    await bytes.readAt?.(tail, Math.max(0, size - 8));
    const length = new DataView(tail.buffer).getUint32(0, true);
    // DuckDB reports a footer that is longer than the file.
    if (length > size || length <= memory / FOOTER_SHARE) return;
    throw new FileError(
      'TOO_LARGE',
      path,
      `The footer of ${path} takes ${showBytes(length)}, and ${showBytes(memory / FOOTER_SHARE)} fit in the memory that reading may take. Allow more memory, or write fewer columns or row groups.`,
    );
  });
}

/** Opens a file, and closes it when the work is done. Errors name `path`. */
async function withBytes(file: string, path: string, work: (bytes: Bytes) => Promise<void>): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'r');
    await work(fileBytes(handle, path, 0, (await handle.stat()).size));
  } catch (error) {
    throw systemError(error, path, 'read');
  } finally {
    await closeRead(handle);
  }
}

/** The chunks of every column, in all row groups. A nested column has several leaves in the schema. */
async function chunksOf(duck: DuckDb, file: string): Promise<ReadonlyMap<string, Chunk[]>> {
  const names = await leafColumns(duck, file);
  const described = (await duck.rows(
    `SELECT column_id, compression, dictionary_page_offset, data_page_offset, num_values, row_group_num_rows FROM parquet_metadata(${fileName(file)})`,
  )) as [bigint, string, bigint | null, bigint, bigint, bigint][];
  const chunks = new Map<string, Chunk[]>();
  for (const [leaf, compression, dictionary, data, values, rows] of described) {
    const { name, flat } = names[Number(leaf)];
    const found = chunks.get(name) ?? [];
    const start = Number(dictionary || data);
    const [held, expected] = [Number(values), Number(flat ? rows : values)];
    found.push({ start, gzip: compression === 'GZIP', values: held, expected });
    chunks.set(name, found);
  }
  return chunks;
}

/** For each leaf of the schema: its column, and whether that column is not nested. The elements are in depth-first order, root first. */
async function leafColumns(duck: DuckDb, file: string): Promise<{ name: string; flat: boolean }[]> {
  const rows = (await duck.rows(
    `SELECT name, coalesce(num_children, 0), repetition_type FROM parquet_schema(${fileName(file)})`,
  )) as [string, bigint, string | null][];
  const leaves: { name: string; flat: boolean }[] = [];
  let [inside, column] = [0, ''];
  for (const [name, children, repetition] of rows.slice(1)) {
    if (inside === 0) column = name;
    if (children === 0n) leaves.push({ name: column, flat: inside === 0 && repetition !== 'REPEATED' });
    inside = (inside === 0 ? 0 : inside - 1) + Number(children);
  }
  return leaves;
}

async function verifyColumn(bytes: Bytes, name: string, chunks: readonly Chunk[]): Promise<void> {
  const { path, size = 0 } = bytes;
  const column = `column ${JSON.stringify(name)}`;
  const damaged = () => badFile(path, `a checksum says that ${column} was changed or damaged`);
  for (const { start, gzip, values, expected } of chunks) {
    if (values !== expected) throw badFile(path, `${column} has ${values} values for ${expected} rows`);
    let [at, left] = [start, values];
    for (let pages = 0; left > 0; pages++) {
      const { header, length } = await readHeader(bytes, at);
      const { kind, packed, crc } = header;
      at += length;
      if (packed > size - at) throw truncated(path, `a page of ${column} goes beyond its end`);
      if (kind === 'dictionary' && pages > 0) throw badFile(path, `${column} has a dictionary among its pages`);
      if (crc !== undefined && (await checksum(bytes, at, packed)) !== crc) throw damaged();
      if (gzip && !(await unpacks(bytes, at, header))) throw damaged();
      at += packed;
      if (kind === 'data' || kind === 'data v2') left -= header.values;
    }
    if (left < 0) throw badFile(path, `the pages of ${column} hold more values than its footer says`);
  }
}

async function readHeader(bytes: Bytes, at: number): Promise<{ header: PageHeader; length: number }> {
  for (let length = USUAL_HEADER; ; length *= 8) {
    const window = new Uint8Array(length);
    const there = window.subarray(0, await bytes.readAt?.(window, at));
    try {
      return readPageHeader(there);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (there.length === length && length < LONGEST_HEADER) continue;
      if (there.length < length)
        throw truncated(bytes.path, 'the pages of a column hold fewer values than its footer says');
      throw badFile(bytes.path, `the header of a page is broken (${error.message})`);
    }
  }
}

async function checksum(bytes: Bytes, start: number, length: number): Promise<number> {
  const part = new Uint8Array(Math.min(READ_SIZE, length));
  let sum = 0;
  for (let done = 0; done < length; ) {
    const some = part.subarray(0, length - done);
    if ((await bytes.readAt?.(some, start + done)) !== some.length)
      throw truncated(bytes.path, 'it became shorter while it was read');
    sum = crc32(some, sum);
    done += some.length;
  }
  return sum;
}

/** Whether a page can be decompressed, to as many bytes as its header says. gzip verifies its own checksum. */
async function unpacks({ path, readAt }: Bytes, start: number, header: PageHeader): Promise<boolean> {
  const { packed, size, levels, isPacked } = header;
  const before = levels.definition + levels.repetition;
  if (!isPacked || packed === before) return true;
  const reader = readerAt(async (into, position) => {
    const wanted = into.subarray(0, Math.max(0, packed - before - position));
    return (await readAt?.(wanted, start + before + position)) ?? 0;
  });
  let left = size - before;
  try {
    for (const chunks = nodeUnpackers.gzip(reader, path, READ_SIZE); ; ) {
      const next = await chunks.next();
      if (next.done) return left === 0;
      left -= next.value.length;
      if (left < 0) {
        await chunks.return?.();
        return false;
      }
    }
  } catch (error) {
    if (error instanceof FileError && (error.code === 'BAD_FILE' || error.code === 'FILE_TRUNCATED')) return false;
    throw error;
  }
}

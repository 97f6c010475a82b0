import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Bytes, badFile, FileError, readerAt, truncated } from '@scree/core/files';
import { type Duck, fileName } from './duckdb.js';
import { fileBytes } from './file-bytes.js';
import { readThrift, type ThriftStruct } from './thrift.js';
import { nodeUnpackers } from './unpackers.js';

/** Bytes of a page's header, at most, and of a page that are read at once. */
const LONGEST_HEADER = 1 << 16;
const PART = 1 << 20;

/** A column of a row group: where its pages are. */
interface Chunk {
  readonly start: number;
  readonly size: number;
  readonly gzip: boolean;
}

/** The header of a page, as far as it is needed to verify the page. */
interface Page {
  readonly packed: number;
  readonly size: number;
  /** The CRC-32 of the page as it is stored; undefined when it carries none. */
  readonly crc: number | undefined;
  /** Bytes before those that are packed. */
  readonly before: number;
  readonly isPacked: boolean;
}

/**
 * Verifies pages of a Parquet file, because DuckDB does not: their CRC-32 where they carry one, and the checksums of
 * gzip where they are packed with it. Other pages carry no checksum that could be verified. Whether a column's pages
 * carry one is told by its first page, so that a file without checksums costs one read per column.
 */
export function parquetCheck(
  duck: Duck,
  { file, path }: { readonly file: string; readonly path: string },
): (columns: readonly string[] | 'all') => Promise<void> {
  let all: Promise<ReadonlyMap<string, Chunk[]>> | undefined;
  const verified = new Set<string>();
  return async (columns) => {
    all ??= chunksOf(duck, file);
    const chunks = await all;
    const missing = (columns === 'all' ? [...chunks.keys()] : columns).filter((name) => !verified.has(name));
    if (missing.length === 0) return;
    const handle = await open(file, 'r');
    try {
      const bytes = fileBytes(handle, path, 0, (await handle.stat()).size);
      for (const name of missing) {
        await verifyColumn(bytes, name, chunks.get(name) ?? []);
        verified.add(name);
      }
    } finally {
      await handle.close();
    }
  };
}

/** The chunks of every column: leaves of the schema that belong to it, in all row groups. */
async function chunksOf(duck: Duck, file: string): Promise<ReadonlyMap<string, Chunk[]>> {
  const names = await leafColumns(duck, file);
  const rows = (await duck.rows(
    `SELECT column_id, compression, dictionary_page_offset, data_page_offset, total_compressed_size FROM parquet_metadata(${fileName(file)})`,
  )) as [bigint, string, bigint | null, bigint, bigint][];
  const chunks = new Map<string, Chunk[]>();
  for (const [leaf, compression, dictionary, data, size] of rows) {
    const name = names[Number(leaf)];
    const start = Number(dictionary || data);
    const found = chunks.get(name) ?? [];
    found.push({ start, size: Number(size), gzip: compression === 'GZIP' });
    chunks.set(name, found);
  }
  return chunks;
}

/** Of each leaf of the schema: the column it belongs to. Elements stand in depth-first order, the root first. */
async function leafColumns(duck: Duck, file: string): Promise<string[]> {
  const rows = (await duck.rows(
    `SELECT name, coalesce(num_children, 0) FROM parquet_schema(${fileName(file)})`,
  )) as [string, bigint][];
  const leaves: string[] = [];
  let [inside, column] = [0, ''];
  for (const [name, children] of rows.slice(1)) {
    if (inside === 0) column = name;
    if (children === 0n) leaves.push(column);
    inside = (inside === 0 ? 0 : inside - 1) + Number(children);
  }
  return leaves;
}

async function verifyColumn(bytes: Bytes, name: string, chunks: readonly Chunk[]): Promise<void> {
  const damaged = (): FileError =>
    badFile(bytes.path, `a checksum says that column ${JSON.stringify(name)} was changed or damaged`);
  for (const { start, size, gzip } of chunks) {
    for (let at = start; at < start + size; ) {
      const { page, length } = await readPage(bytes, at, start + size);
      if (page.crc === undefined && !gzip) return;
      at += length;
      if (page.packed > start + size - at) throw truncated(bytes.path, 'a page goes beyond its column');
      if (page.crc !== undefined && (await checksum(bytes, at, page.packed)) !== page.crc) throw damaged();
      if (gzip && page.isPacked && page.packed > page.before && !(await unpacks(bytes, at, page))) throw damaged();
      at += page.packed;
    }
  }
}

async function readPage(bytes: Bytes, at: number, end: number): Promise<{ page: Page; length: number }> {
  const window = new Uint8Array(Math.max(0, Math.min(LONGEST_HEADER, end - at)));
  const got = (await bytes.readAt?.(window, at)) ?? 0;
  try {
    const { struct, length } = readThrift(window.subarray(0, got));
    return { page: pageOf(struct), length };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badFile(bytes.path, `the header of a page is broken (${error.message})`);
  }
}

/** Fields of PageHeader and DataPageHeaderV2 in parquet.thrift. */
function pageOf(header: ThriftStruct): Page {
  const number = (from: ThriftStruct, field: number): number | undefined => {
    const value = from.get(field);
    return typeof value === 'number' ? value : undefined;
  };
  const [size, packed, crc] = [2, 3, 4].map((field) => number(header, field));
  const second = header.get(8);
  const levels = second instanceof Map ? [5, 6].map((field) => number(second, field) ?? 0) : [0, 0];
  const before = levels[0] + levels[1];
  if (!(size !== undefined && packed !== undefined && size >= 0 && packed >= 0 && before >= 0 && before <= packed))
    throw new RangeError('it has no size');
  return {
    packed,
    size,
    crc: crc === undefined ? undefined : crc >>> 0,
    before,
    isPacked: !(second instanceof Map) || second.get(7) !== false,
  };
}

async function checksum(bytes: Bytes, start: number, length: number): Promise<number> {
  const part = new Uint8Array(Math.min(PART, length));
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

/** Whether a page unpacks with gzip, which verifies its own checksum, to as many bytes as it says. */
async function unpacks({ path, readAt }: Bytes, start: number, { packed, size, before }: Page): Promise<boolean> {
  const reader = readerAt(async (into, position) => {
    const wanted = into.subarray(0, Math.max(0, packed - before - position));
    return (await readAt?.(wanted, start + before + position)) ?? 0;
  });
  let left = size - before;
  try {
    for (const chunks = nodeUnpackers.gzip(reader, path, PART); ; ) {
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

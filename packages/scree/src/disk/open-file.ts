import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { DataError, OptionError } from '@scree/core';
import { type DataFile, FileError, type FileFormat, type FileOptions } from '@scree/files';
import {
  type Bytes,
  type CheckedOptions,
  checkFileOptions,
  HEAD_BYTES,
  type Identified,
  identify,
  openData,
  openFormat,
  openSeveralTables,
  type Platform,
  packingOf,
  sniffFormat,
  streamedBytes,
  type Table,
  withClose,
} from '@scree/files/platform';
import { isSparkUrl } from '../cluster/spark-url.js';
import { hideSecrets, isAddress } from '../database/hide-secrets.js';
import { isServerUrl, typedUrl } from '../database/postgres-url.js';
import { DecodingThreads } from './decoding-threads.js';
import { expandPaths, namesSeveral, partitionsOf } from './expand-paths.js';
import { closeRead, fileBytes } from './file-bytes.js';
import { changedFiles, type FileState, FileWatch, fileState } from './file-watch.js';
import { openParquetFile } from './parquet-file.js';
import { openRegularFile } from './regular-file.js';
import { copyToDisk } from './temporary-copy.js';
import { isTextFormat } from './thread-messages.js';
import { nodeUnpackers } from './unpackers.js';

/** How a file is opened. */
export interface OpenOptions extends FileOptions {
  /** Ends queries on a database server, also while it is opened. Files do not need it, because `pca` stops reading them. */
  readonly signal?: AbortSignal | undefined;
}

/** Lets tests replace standard input. */
export interface OpenHooks {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * Opens a data file, whatever its format: .npy, .npz, IDX, .csv and .tsv (also compressed), .parquet, .json, .ndjson, .arrow and .feather,
 * DuckDB and SQLite databases, and .scree. `-` is standard input, and postgres://user@host/database and sc://host:15002 are servers. With
 * `sql`, the data are the result of a query over the tables of a database, over a file under the name `data`, or, without a path, over
 * files that the query names.
 *
 * A pattern or a folder stands for several files, as in `openFiles`. Rows are read in blocks, so a file may be larger than memory. Close
 * the file after use.
 */
export async function openFile(
  named: string | undefined,
  options: OpenOptions = {},
  hooks: OpenHooks = {},
): Promise<DataFile> {
  // A copied address may have spaces around it.
  const path = named !== undefined && isAddress(named) ? named.trim() : named;
  const checked = checkFileOptions(options);
  if (path !== undefined && path !== '-' && (await namesSeveral(path))) return openFiles([path], options);
  if (path === undefined) {
    if (options.sql === undefined)
      throw new OptionError('BAD_OPTION', 'Name a file, or ask for data with sql.', { option: 'sql' });
    const { openQuery } = await import('../database/duck-table.js');
    const table = await openQuery(options.sql, { path: 'the query', memory: checked.memory });
    return openData(table, checked, { path: 'the query', bytes: undefined });
  }
  if (isServerUrl(path)) return openDatabase(typedUrl(path), checked, options.signal);
  refuseAddresses([path]);
  if (path === '-') return openStandardInput(checked, hooks.stdin ?? process.stdin);
  const { handle, bytes } = await openHandle(path);
  try {
    const watch = await FileWatch.start(handle, path);
    const table = await openTableOrQuery(bytes, { name: basename(path) }, checked, watch);
    const facts = { path, bytes: bytes.size, warnings: () => watch.warnings() };
    return await openData(table, checked, facts, () => closeRead(handle));
  } catch (error) {
    await closeRead(handle);
    throw error;
  }
}

/**
 * Opens several files as one table: names, patterns such as data/*.parquet, and folders. Rows come one file after the other, in the natural
 * order of their names. Columns are matched by name, and an error names a file whose columns differ. Folders such as year=2024 become
 * columns, which can be labels and weights. They are analysed only if `columns` names them.
 */
export async function openFiles(names: string | readonly string[], options: OpenOptions = {}): Promise<DataFile> {
  const given = typeof names === 'string' ? [names] : names;
  if (given.length === 0) throw new OptionError('BAD_OPTION', 'Name at least one file.', { option: 'names' });
  const [only] = given;
  if (given.length === 1 && (only === '-' || !(await namesSeveral(only)))) return openFile(only, options);
  if (given.includes('-'))
    throw new OptionError('BAD_OPTION', 'Standard input cannot be one of several files. Save it to a file first.');
  const checked = checkFileOptions(options);
  refuseForSeveral(checked);
  refuseAddresses(given);
  const paths = await expandPaths(given);
  const before = new Map<string, FileState>();
  const sizes = new Map<string, number>();
  const threads = new DecodingThreads();
  const parquet: Platform['readers']['parquet'] = (content, { memory }) =>
    openParquetFile(content, { memory, threads });
  const platform = { ...node, readers: { ...node.readers, parquet } };
  const parts = paths.map((path) => ({
    path,
    partitions: partitionsOf(path),
    bytes: () => sizes.get(path),
    open: async (): Promise<Table> => {
      const { handle, bytes: content } = await openHandle(path);
      try {
        if (!before.has(path)) {
          before.set(path, await fileState(handle, path));
          sizes.set(path, content.size ?? 0);
        }
        return withClose(await openTableOrQuery(content, { name: basename(path) }, checked, undefined, platform), () =>
          closeRead(handle),
        );
      } catch (error) {
        await closeRead(handle);
        throw error;
      }
    },
  }));
  const table = await openSeveralTables(parts, checked).catch(async (error: unknown) => {
    await threads.close();
    throw error;
  });
  const path = given.length === 1 ? only : `${paths[0]} and ${paths.length - 1} more`;
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return openData(table, checked, { path, bytes, warnings: () => changedFiles(before) }, () => threads.close());
}

/** Refuses options that make no sense for several files. */
function refuseForSeveral({ sql }: CheckedOptions): void {
  if (sql === undefined) return;
  throw new OptionError(
    'BAD_OPTION',
    'A query names the files that it reads itself, also by patterns such as data/*.parquet. Leave the other names out.',
    { option: 'sql', value: sql },
  );
}

function refuseAddresses(paths: readonly string[]): void {
  // A file may have such a name.
  const address = paths.find((path) => isAddress(path) && (isServerUrl(path) || !existsSync(path)));
  if (address === undefined) return;
  const path = hideSecrets(address);
  throw new FileError(
    'UNSUPPORTED',
    path,
    isServerUrl(address)
      ? `${path} is a database, which cannot be one of several files. Name it alone.`
      : `${path} is an address that scree does not read: those of databases begin with postgres:// or sc://. Download the data, or export them to a file.`,
  );
}

async function openDatabase(url: string, options: CheckedOptions, signal?: AbortSignal): Promise<DataFile> {
  const path = hideSecrets(url);
  if (options.format !== undefined)
    throw new OptionError('BAD_OPTION', `format is for files, and ${path} is a database.`, { option: 'format' });
  if (isSparkUrl(url)) {
    if (options.transpose)
      throw new OptionError('BAD_OPTION', 'Tables on Spark have no order of rows, so they cannot be transposed.', {
        option: 'transpose',
      });
    if (options.na)
      throw new OptionError(
        'BAD_OPTION',
        'na is for data that are read here, and Spark computes with its tables itself. Ask for missing values with sql: select nullif(x, -99) as x.',
        { option: 'na' },
      );
    const { openSpark } = await import('../cluster/spark-table.js');
    const { memory, member: table, sql, columns, exclude, label, name, color, weight } = options;
    const { supplementary = [], groups = [], categories } = options;
    const others = [
      label,
      name,
      color,
      weight,
      ...supplementary,
      ...groups,
      ...(Array.isArray(categories) ? categories : []),
    ];
    const wanted = { columns, exclude, others, categories: categories !== undefined };
    const { table: opened } = await openSpark(url, { memory, table, sql, signal, wanted });
    try {
      return await openData(opened, options, { path, bytes: undefined });
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
  const { openPostgres } = await import('../database/postgres-table.js');
  const { memory, member, sql } = options;
  const { table, bytes } = await openPostgres({ url, path }, { memory, member, sql, signal });
  return openData(table, options, { path, bytes });
}

async function openHandle(path: string): Promise<{ handle: FileHandle; bytes: Bytes }> {
  const remedy = `Pass its data on standard input (cat ${path} | scree fit -).`;
  const { handle, size } = await openRegularFile(path, remedy);
  if (size > 0) return { handle, bytes: { ...fileBytes(handle, path, 0, size), file: path } };
  await closeRead(handle);
  throw new DataError('EMPTY_DATA', `${path} is empty.`);
}

/** Formats that can be read from a stream. The others need the end of the file first, or its beginning twice. */
const STREAMABLE: readonly FileFormat[] = ['npy', 'idx'];

async function openStandardInput(options: CheckedOptions, stdin: AsyncIterable<Uint8Array>): Promise<DataFile> {
  const path = 'standard input';
  const chunks = stdin[Symbol.asyncIterator]();
  const { head, bytes } = await peekStream(chunks, path);
  if (head.length === 0) throw new DataError('EMPTY_DATA', 'Standard input is empty.');
  const packing = packingOf(head);
  const format = packing ? undefined : (options.format ?? sniffFormat(head, '', path));
  const twice =
    options.missing === 'mean' ||
    options.label !== undefined ||
    options.name !== undefined ||
    options.color !== undefined ||
    options.weight !== undefined ||
    options.supplementary !== undefined ||
    options.groups !== undefined ||
    options.supplementaryRows !== undefined ||
    options.transpose === true ||
    options.sql !== undefined;
  if (format && STREAMABLE.includes(format) && !twice && !isFortran(head)) {
    const table = await openTableOrQuery(bytes, { name: '', format }, options);
    return openData(table, options, { path, bytes: undefined }, async () => {
      await chunks.return?.();
    });
  }
  const whole = await copyToDisk(bytes);
  try {
    const table = await openTableOrQuery(whole.bytes, { name: '' }, options);
    return await openData(table, options, { path, bytes: whole.bytes.size }, whole.close);
  } catch (error) {
    await whole.close();
    throw error;
  }
}

/** Returns true if an array is stored column by column. Its rows cannot be read from a stream. */
function isFortran(head: Uint8Array): boolean {
  return /['"]fortran_order['"]\s*:\s*True/.test(Buffer.from(head.subarray(0, 1024)).toString('latin1'));
}

/** The first bytes of a stream, and the whole stream as bytes that can be read once. */
async function peekStream(
  chunks: AsyncIterator<Uint8Array>,
  path: string,
): Promise<{ head: Uint8Array; bytes: Bytes }> {
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    // A stream with an encoding yields strings.
    const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    first.push(chunk);
    length += chunk.length;
  }
  const head = Buffer.concat(first);
  async function* all(): AsyncGenerator<Uint8Array, void, void> {
    yield head;
    for (;;) {
      const next = await chunks.next();
      if (next.done) return;
      yield next.value;
    }
  }
  return { head, bytes: streamedBytes(path, all()) };
}

/** Node's unpackers, temporary copies and further readers for `@scree/files`. Readers of databases are loaded when they are needed. */
const node: Platform = {
  unpack: nodeUnpackers,
  copy: (bytes) => copyToDisk(bytes),
  readers: {
    parquet: openParquetFile,
    duckdb: async (bytes, options) =>
      (await import('../database/duck-table.js')).openDuckDb(onDisk(bytes, options.memory), options),
    sqlite: async (bytes, options) =>
      (await import('../database/sqlite-table.js')).openSqlite(onDisk(bytes, options.memory), options),
    scree: async (bytes, { memory }) =>
      (await import('../compress/compressed-table.js')).openCompressedTable(onDisk(bytes, memory).file),
  },
};

/** The path of a file on disk, for readers that open it themselves. */
function onDisk({ path, file }: Bytes, memory: number): { path: string; memory: number; file: string } {
  if (file === undefined) throw new TypeError('these bytes are not a file on disk');
  return { path, memory, file };
}

/** Returns true if DuckDB opens the path again. Databases are opened once and kept open. */
function readsByPath({ format }: Identified, sql: string | undefined): boolean {
  return sql !== undefined && format !== 'duckdb' && format !== 'sqlite';
}

/** Opens a file of any format, or the result of a query over it. */
async function openTableOrQuery(
  bytes: Bytes,
  name: { readonly name: string; readonly format?: FileFormat | undefined },
  options: CheckedOptions,
  watch?: FileWatch,
  platform = node,
): Promise<Table> {
  const found = await identify(bytes, name, options, node.unpack);
  const { sql, memory, na = [] } = options;
  await watch?.follow(found.format, readsByPath(found, sql));
  const { path } = bytes;
  if (sql === undefined) return openIdentified(found, options, platform);
  const { file } = onDisk(bytes, memory);
  if (found.format !== 'duckdb' && found.format !== 'sqlite') {
    const { openQuery } = await import('../database/duck-table.js');
    const { relationOf } = await import('../database/relation.js');
    return openQuery(sql, { path, memory, relation: (duck) => relationOf(found, file, duck, { na, memory }) });
  }
  return openFormat(found, options, platform);
}

/** Large text files are parsed in a thread. */
async function openIdentified(found: Identified, options: CheckedOptions, platform: Platform): Promise<Table> {
  const { bytes, format, packing } = found;
  if (isTextFormat(format) && bytes.file !== undefined) {
    const { openTextInThread, worthThread } = await import('./table-in-thread.js');
    const { path, size, file } = bytes;
    if (worthThread(size))
      return openTextInThread({ format, packing, path, size, file, memory: options.memory, na: options.na });
  }
  return openFormat(found, options, platform);
}

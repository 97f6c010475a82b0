import { availableParallelism } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DataError, OptionError, ScreeError } from '@scree/core';
import { FileError } from '@scree/files';
import { badFile } from '@scree/files/platform';
import { temporaryFolder } from '../disk/temporary-copy.js';
import { atExit, settled } from '../disk/temporary-files.js';
import { requireOptional } from '../optional-package.js';

/** DuckDB in this process, with limited memory and threads. It spills to disk what does not fit. */
export interface DuckDb {
  /** Every streaming query needs its own connection, because a stream ends when its connection runs another statement. */
  connect(): Promise<DuckDBConnection>;
  /** All rows of a small result. */
  rows(sql: string): Promise<unknown[][]>;
  /** From now on only these files and those in `folder` can be opened, and no extension is loaded. This cannot be undone. */
  confine(files: readonly string[]): Promise<void>;
  /** A temporary folder, removed by `close`. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Memory that Node and DuckDB take before anything is read. */
const BASE_MEMORY = 96 << 20;
/** DuckDB's share of the rest. The blocks and the fit use the other part. */
const SHARE = 0.4;
const MIN_LIMIT = 64 << 20;
/** Memory per thread. */
const MEMORY_PER_THREAD = 96 << 20;

/** Loads DuckDB, which happens only when the first file needs it, and starts an empty in-memory database. */
export async function startDuckDb(path: string, memory: number): Promise<DuckDb> {
  const { DuckDBInstance } = await requireOptional<typeof import('@duckdb/node-api')>('@duckdb/node-api', path);
  const folder = await temporaryFolder();
  const limit = Math.max(MIN_LIMIT, Math.floor((memory - BASE_MEMORY) * SHARE));
  const threads = Math.max(1, Math.min(availableParallelism(), Math.floor(limit / MEMORY_PER_THREAD)));
  try {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(limit / 1e6)}MB`,
      threads: String(threads),
      temp_directory: join(folder.path, 'duckdb'),
      // Memory of row groups that were read is returned to the system at once.
      allocator_bulk_deallocation_flush_threshold: '1MB',
      // Rows come in the same order every time they are read.
      preserve_insertion_order: 'true',
      // Nothing is downloaded.
      autoinstall_known_extensions: 'false',
    });
    const connections: DuckDBConnection[] = [];
    const connect = async (): Promise<DuckDBConnection> => {
      const made = await instance.connect();
      connections.push(made);
      return made;
    };
    // The process does not end before DuckDB's threads do, and a query may take hours.
    atExit(instance, () => {
      for (const made of connections) made.interrupt();
    });
    const connection = await connect();
    // The footer of a Parquet file is parsed once, not for every query.
    await connection.run('SET parquet_metadata_cache = true');
    return {
      folder: folder.path,
      connect,
      confine: async (files) => {
        // DuckDB first takes a name for a pattern: see fileName.
        const allowed = files.flatMap((file) => [quoted(pathOf(file)), fileName(file)]);
        await connection.run(`SET allowed_paths = [${allowed.join(', ')}]`);
        await connection.run(`SET allowed_directories = [${quoted(folder.path)}]`);
        await connection.run('SET enable_external_access = false');
      },
      rows: async (sql) => (await connection.runAndReadAll(sql)).getRows(),
      close: async () => {
        settled(instance);
        connection.closeSync();
        instance.closeSync();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw duckError(error, path);
  }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A file name for DuckDB's readers, escaped so that DuckDB does not read stars and brackets as a pattern, or a name like http:… as an
 * address.
 */
export function fileName(file: string): string {
  return quoted(pathOf(file).replace(/[*?[]/g, '[$&]'));
}

function pathOf(file: string): string {
  return isAbsolute(file) ? file : `./${file}`;
}

/** A Parquet file. Folders such as year=2020 in its path do not become columns. */
export function parquetRelation(file: string): string {
  return `read_parquet(${fileName(file)}, hive_partitioning = false)`;
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Turns an error of DuckDB into an error of scree. DuckDB's messages begin with the kind of error. */
export function duckError(error: unknown, path: string, sql = false): unknown {
  if (!(error instanceof Error) || error instanceof ScreeError) return error;
  const [, kind = '', rest = error.message] = /^([A-Z][A-Za-z ]*? Error): ([\s\S]*)$/.exec(error.message) ?? [];
  // For CSV, the reason is in the lines below the first one.
  const lines = /^CSV Error on Line/.test(rest) ? 3 : 1;
  const what = rest
    .split('\n', lines)
    .join(' ')
    .slice(0, 300)
    .replace(/[.\s]+$/, '');
  if (/not latin-1 encoded/.test(rest)) {
    return new OptionError(
      'BAD_OPTION',
      `sql cannot read ${path}: it is text in Windows-1252. Save it as UTF-8 first.`,
      {
        option: 'sql',
      },
    );
  }
  if (kind === 'Out of Memory Error') {
    return new FileError(
      'TOO_LARGE',
      path,
      `${path} needs more memory to be read than it may take (${what}). Allow more memory, or choose fewer columns.`,
    );
  }
  if (/no space left|disk is full|max_temp_directory_size/i.test(rest)) {
    return new FileError('DISK_FULL', path, `There is not enough room on the disk to read ${path} (${what}).`);
  }
  if (kind === 'Permission Error') {
    return new FileError(
      'NO_ACCESS',
      path,
      `${path} asks for something outside of it, and a view of a database may not read other files (${what}). Choose a table that is stored in it with member, or name the file in a query of your own with sql.`,
    );
  }
  if (/permission denied/i.test(rest))
    return new FileError('NO_ACCESS', path, `${path} must not be read by this user (${what}).`);
  if (/no such file|no files found|cannot open file|does not exist/i.test(rest) && kind === 'IO Error') {
    return new FileError('NO_FILE', path, `A file cannot be found: ${what}.`);
  }
  if (sql && kind !== 'IO Error') {
    return new OptionError('BAD_OPTION', `The query cannot be answered: ${what}.`, { option: 'sql', value: what });
  }
  if (kind === 'Conversion Error')
    return new DataError('NOT_A_NUMBER', `${path} holds text where numbers should be: ${what}.`);
  return badFile(path, what);
}

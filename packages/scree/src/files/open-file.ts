import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { DataError, OptionError } from '@scree/core';
import { type Bytes, chunkReader, fileBytes, peek, readTwice } from './bytes.js';
import { FileError, systemError } from './file-error.js';
import { type DataFile, FileSource } from './file-source.js';
import { checkFileOptions, type FileFormat, type FileOptions } from './options.js';
import { HEAD, sniffFormat } from './sniff.js';
import { spooled } from './spool.js';
import { type Table, withClose } from './table.js';
import { type Packing, packingOf, unpacked } from './unpack.js';
import { placed } from './zip.js';

/** Standard input, for tests to replace. */
export interface OpenHooks {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
}

/**
 * Opens a data file, whatever its format: .npy, .npz, IDX, .csv and .tsv (packed too), .parquet, .json, .ndjson, .arrow
 * and .feather, DuckDB and SQLite databases, .scree; `-` is standard input. With `sql` the result of a query is the data: of
 * the tables of a database, of a file under the name `data`, or, without a path, of files that the query names.
 *
 * Rows come in blocks: a file may be larger than memory. Close what you open.
 */
export async function openFile(
  path: string | undefined,
  options: FileOptions = {},
  hooks: OpenHooks = {},
): Promise<DataFile> {
  const checked = checkFileOptions(options);
  if (path === undefined) {
    if (options.sql === undefined)
      throw new OptionError('BAD_OPTION', 'Name a file, or ask for data with sql.', { option: 'sql' });
    const { openQuery } = await import('./duck-table.js');
    const table = await openQuery(options.sql, { path: 'the query', memory: checked.memory });
    return finish(table, checked, { path: 'the query', bytes: undefined }, async () => {});
  }
  if (path === '-') return openStandardInput(checked, hooks.stdin ?? process.stdin);
  const { handle, bytes } = await openHandle(path);
  try {
    const table = await openTable(bytes, { file: path, name: basename(path) }, checked);
    return await finish(table, checked, { path, bytes: bytes.size }, () => handle.close());
  } catch (error) {
    await handle.close();
    throw error;
  }
}

type Checked = FileOptions & { readonly memory: number };

async function openHandle(path: string): Promise<{ handle: FileHandle; bytes: Bytes }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const facts = await handle.stat();
    if (facts.isDirectory()) throw new FileError('BAD_FILE', path, `${path} is a folder. Name a file inside it.`);
    if (!facts.isFile())
      throw new FileError('BAD_FILE', path, `${path} is no plain file. Pass its data on standard input, as "-".`);
    if (facts.size === 0) throw new DataError('EMPTY_DATA', `${path} is empty.`);
    return { handle, bytes: fileBytes(handle, path, 0, facts.size) };
  } catch (error) {
    await handle?.close();
    throw systemError(error, path, 'read');
  }
}

/** Formats that can be read as they come; the others need to look at the end, or at the beginning twice. */
const FLOWING: readonly FileFormat[] = ['npy', 'idx'];

async function openStandardInput(options: Checked, stdin: AsyncIterable<Uint8Array>): Promise<DataFile> {
  const path = 'standard input';
  const chunks = stdin[Symbol.asyncIterator]();
  const { head, bytes } = await peekStream(chunks, path);
  if (head.length === 0) throw new DataError('EMPTY_DATA', 'Standard input is empty.');
  const packing = packingOf(head);
  const format = packing ? undefined : (options.format ?? sniffFormat(head, '', path));
  const twice =
    options.missing === 'mean' ||
    options.label !== undefined ||
    options.weight !== undefined ||
    options.sql !== undefined;
  if (format && FLOWING.includes(format) && !twice && !isFortran(head)) {
    const table = await openTable(bytes, { file: '', name: '', format }, options);
    return finish(table, options, { path, bytes: undefined }, async () => {
      await chunks.return?.();
    });
  }
  const whole = await spooled(bytes);
  try {
    const table = await openTable(whole.bytes, { file: whole.file, name: '' }, options);
    return await finish(table, options, { path, bytes: whole.bytes.size }, whole.close);
  } catch (error) {
    await whole.close();
    throw error;
  }
}

/** Columns that lie one after the other cannot be made rows while they stream by. */
function isFortran(head: Uint8Array): boolean {
  return /['"]fortran_order['"]\s*:\s*True/.test(Buffer.from(head.subarray(0, 1024)).toString('latin1'));
}

/** The first bytes of a stream, and all of it, which can be read once. */
async function peekStream(
  chunks: AsyncIterator<Uint8Array>,
  path: string,
): Promise<{ head: Uint8Array; bytes: Bytes }> {
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD) {
    const next = await chunks.next();
    if (next.done) break;
    // A stream with an encoding gives text.
    const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    first.push(chunk);
    length += chunk.length;
  }
  const head = Buffer.concat(first);
  let opened = false;
  async function* all(): AsyncGenerator<Uint8Array, void, void> {
    yield head;
    for (;;) {
      const next = await chunks.next();
      if (next.done) return;
      yield next.value;
    }
  }
  const bytes: Bytes = {
    path,
    size: undefined,
    rewindable: false,
    open() {
      if (opened) throw readTwice(path);
      opened = true;
      return chunkReader(all());
    },
  };
  return { head, bytes };
}

interface Name {
  /** The file on disk, for libraries that open it themselves. */
  readonly file: string;
  /** What it is called: its ending may tell the format. */
  readonly name: string;
  readonly format?: FileFormat;
}

async function openTable(bytes: Bytes, { file, name, format: known }: Name, options: Checked): Promise<Table> {
  const { path } = bytes;
  const { memory, member, sql } = options;
  let packing: Packing | undefined;
  let content = bytes;
  let format = known;
  if (!format) {
    const head = await peek(bytes, HEAD);
    packing = packingOf(head);
    if (packing) content = unpacked(bytes, packing);
    format = options.format ?? sniffFormat(packing ? await peek(content, HEAD) : head, name, path);
  }
  if (member !== undefined && !['npz', 'duckdb', 'sqlite'].includes(format)) {
    throw new OptionError(
      'BAD_OPTION',
      `member chooses an array of a .npz file or a table of a database; ${path} is neither.`,
      { option: 'member', value: member },
    );
  }
  const duck = { path, memory, file };
  const packed = (what: string) => (packing ? `${what}, ${packing}` : what);
  // Each format's reader is loaded when it is needed: together they take longer to load than a small file to read.
  if (sql !== undefined && !['duckdb', 'sqlite'].includes(format)) {
    const relation = relationOf(format, file, path, packing);
    return (await import('./duck-table.js')).openQuery(sql, { path, memory, relation });
  }
  switch (format) {
    case 'npy':
      return (await import('./npy.js')).openNpy(content, { memory, format: packed('NumPy .npy') });
    case 'idx':
      return (await import('./idx-table.js')).openIdx(content, { memory, format: packed('IDX') });
    case 'csv':
    case 'tsv':
      return (await import('./csv-table.js')).openCsv(content, { memory, format: packed(format.toUpperCase()) });
    case 'json':
    case 'ndjson':
      return (await import('./json-table.js')).openJson(content, {
        memory,
        lines: format === 'ndjson',
        format: packed(format.toUpperCase()),
      });
    default:
  }
  const whole = await unpackedFile(bytes, content, packing);
  try {
    const table = await openPlaced(format, whole, { ...duck, file: whole.file ?? file }, options);
    return withClose(table, whole.close);
  } catch (error) {
    await whole.close();
    throw error;
  }
}

/** Formats that are read at many places: a packed file is unpacked to disk first. */
async function unpackedFile(
  bytes: Bytes,
  content: Bytes,
  packing: Packing | undefined,
): Promise<{ bytes: Bytes; file?: string; close(): Promise<void> }> {
  return packing ? spooled(content) : { bytes, close: async () => {} };
}

async function openPlaced(
  format: 'npz' | 'parquet' | 'arrow' | 'duckdb' | 'sqlite' | 'scree',
  whole: { bytes: Bytes },
  duck: { path: string; memory: number; file: string },
  options: Checked,
): Promise<Table> {
  const file = placed(whole.bytes);
  if (!file) throw new TypeError('a file can be read at any place');
  switch (format) {
    case 'npz':
      return (await import('./npz.js')).openNpz(file, options);
    case 'parquet':
      return (await import('./duck-table.js')).openParquet(duck);
    case 'arrow':
      return (await import('./arrow-table.js')).openArrow(file, options);
    case 'duckdb':
      return (await import('./duck-table.js')).openDatabase(duck, options);
    case 'sqlite':
      return (await import('./sqlite-table.js')).openSqlite(duck, options);
    case 'scree':
      return (await import('../compress/compressed-table.js')).openCompressedTable(duck.file);
    default:
      return format satisfies never;
  }
}

/** What DuckDB calls the file, for queries over it. */
function relationOf(format: FileFormat, file: string, path: string, packing: Packing | undefined): string {
  const name = `'${file.replaceAll("'", "''")}'`;
  const packed = packing ? `, compression='${packing}'` : '';
  if (format === 'csv' || format === 'tsv') return `read_csv(${name}${packed})`;
  if (format === 'json' || format === 'ndjson') return `read_json(${name}${packed}, map_inference_threshold=-1)`;
  if (format === 'parquet') return `read_parquet(${name})`;
  throw new OptionError('BAD_OPTION', `sql reads .csv, .parquet, .json and databases; ${path} is .${format}.`, {
    option: 'sql',
  });
}

/** The table with what is chosen of it; whatever goes wrong, it is closed. */
async function finish(
  table: Table,
  options: Checked,
  facts: { path: string; bytes: number | undefined },
  close: () => Promise<void>,
): Promise<DataFile> {
  const closing = withClose(table, close);
  try {
    return new FileSource(closing, options, facts);
  } catch (error) {
    await table.close();
    throw error;
  }
}

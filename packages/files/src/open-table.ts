import { OptionError } from '@scree/core';
import { type Bytes, peek } from './bytes/bytes.js';
import { unsupported } from './file-error.js';
import { type DataFile, type FileFacts, FileSource } from './table/file-source.js';
import type { CheckedOptions, FileFormat } from './options.js';
import { HEAD, sniffFormat } from './sniff.js';
import { type Spool, spoolToBlob } from './bytes/temporary-copy.js';
import { type Table, withClose } from './table/table.js';
import { type Packing, packingOf, plainUnpackers, type Unpackers, unpacked } from './archive/unpack.js';
import { type Placed, placed } from './archive/zip.js';

/** Opens a file of a format that core does not read. What it throws should be a `FileError`. */
export type TableReader = (
  bytes: Placed,
  options: { readonly memory: number; readonly member?: string | undefined },
) => Promise<Table>;

/** Readers of formats that core has none for. */
export type TableReaders = { readonly [Format in 'parquet' | 'duckdb' | 'sqlite' | 'scree']?: TableReader | undefined };

/** What a place (a browser, Node) offers to those who read files there. */
export interface Place {
  readonly unpack: Unpackers;
  readonly spool: Spool;
  readonly readers: TableReaders;
}

/** Any place where the language runs. */
export const anyPlace: Place = { unpack: plainUnpackers, spool: spoolToBlob, readers: {} };

/** A file whose format is known, with its content unpacked. */
export interface Identified {
  readonly bytes: Bytes;
  readonly content: Bytes;
  readonly format: FileFormat;
  readonly packing: Packing | undefined;
}

/** Finds out a file's format and packing by its first bytes; its name decides only between kinds of text. */
export async function identify(
  bytes: Bytes,
  { name, format: known }: { readonly name: string; readonly format?: FileFormat | undefined },
  options: CheckedOptions,
  unpack: Unpackers,
): Promise<Identified> {
  const { path } = bytes;
  let packing: Packing | undefined;
  let content = bytes;
  let format = known;
  if (!format) {
    const head = await peek(bytes, HEAD);
    packing = packingOf(head);
    if (packing) content = unpacked(bytes, packing, unpack, { memory: options.memory });
    format = options.format ?? sniffFormat(packing ? await peek(content, HEAD) : head, name, path);
  }
  if (options.member !== undefined && !['npz', 'duckdb', 'sqlite'].includes(format)) {
    throw new OptionError(
      'BAD_OPTION',
      `member chooses an array of a .npz file or a table of a database; ${path} is neither.`,
      { option: 'member', value: options.member },
    );
  }
  return { bytes, content, format, packing };
}

/** Opens a file as columns and rows. */
export async function openTable(file: Identified, options: CheckedOptions, place: Place): Promise<Table> {
  const { bytes, content, format, packing } = file;
  const { memory } = options;
  const packed = (what: string) => (packing ? `${what}, ${packing}` : what);
  // Each format's reader is loaded when it is needed: together they take longer to load than a small file to read.
  switch (format) {
    case 'npy':
      return (await import('./numpy/npy.js')).openNpy(content, { memory, format: packed('NumPy .npy') }, place);
    case 'idx':
      return (await import('./idx/idx-table.js')).openIdx(content, { memory, format: packed('IDX') });
    case 'csv':
    case 'tsv':
      return (await import('./csv/csv-table.js')).openCsv(content, { memory, format: packed(format.toUpperCase()) });
    case 'json':
    case 'ndjson':
      return (await import('./json/json-table.js')).openJson(content, {
        memory,
        lines: format === 'ndjson',
        format: packed(format.toUpperCase()),
      });
    default:
  }
  if (format !== 'npz' && format !== 'arrow' && !place.readers[format]) throw noReader(format, bytes.path);
  // Formats that are read at many places: a packed file is unpacked first.
  const whole = packing ? await place.spool(content, memory) : { bytes, close: async () => {} };
  try {
    return withClose(await openPlaced(format, whole.bytes, options, place), whole.close);
  } catch (error) {
    await whole.close();
    throw error;
  }
}

async function openPlaced(
  format: 'npz' | 'arrow' | keyof TableReaders,
  bytes: Bytes,
  options: CheckedOptions,
  place: Place,
): Promise<Table> {
  const file = placed(bytes);
  if (!file) throw new TypeError('a file can be read at any place');
  if (format === 'npz') return (await import('./numpy/npz.js')).openNpz(file, options, place);
  if (format === 'arrow') return (await import('./arrow/arrow-table.js')).openArrow(file, options, place);
  const read = place.readers[format];
  if (!read) throw noReader(format, bytes.path);
  return read(file, options);
}

const CALLED = {
  parquet: 'a Parquet file',
  duckdb: 'a DuckDB database',
  sqlite: 'a SQLite database',
  scree: 'a file that scree compressed',
} as const;

function noReader(format: keyof TableReaders, path: string): Error {
  return unsupported(path, `is ${CALLED[format]}, which cannot be read here`, 'Save the data as .npy, .csv or .arrow.');
}

/** The table with what is chosen of it; whatever goes wrong, it is closed. */
export async function openData(
  table: Table,
  options: CheckedOptions,
  facts: FileFacts,
  close: () => Promise<void> = async () => {},
): Promise<DataFile> {
  try {
    return new FileSource(withClose(table, close), options, facts);
  } catch (error) {
    await table.close();
    throw error;
  }
}

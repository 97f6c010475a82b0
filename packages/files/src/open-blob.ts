import { DataError, OptionError } from '@scree/core';
import type { Table } from '@scree/core/data';
import type { Unpackers } from './archive/unpack.js';
import { blobBytes } from './bytes/blob-bytes.js';
import { identify, openData, openFormat } from './open-table.js';
import { type CheckedOptions, checkFileOptions, type FileOptions } from './options.js';
import { plainPlatform, type TableReaders } from './platform/platform.js';
import type { DataFile } from './table/data-file.js';
import { openSeveralTables } from './table/several-tables.js';

/** How a `File` or `Blob` is read. */
export interface BlobOptions extends FileOptions {
  /** The name of the file for messages. Its ending may distinguish formats of text. A `File` has a name of its own. */
  readonly name?: string | undefined;
  /** Unpackers to use instead of the plain ones. */
  readonly unpack?: Partial<Unpackers> | undefined;
  /** Readers of further formats, or replacements of the package's own readers. */
  readonly readers?: TableReaders | undefined;
}

/**
 * Opens a data file that is a `Blob` or a `File`, as browsers have them: .csv and .tsv, .json and .ndjson, .npy, .npz, IDX, .arrow,
 * .feather and .parquet, packed with gzip or zstd too.
 *
 * Rows come in blocks, read from the blob when they are asked for: a file may be larger than memory.
 */
export async function openBlob(blob: Blob, options: BlobOptions = {}): Promise<DataFile> {
  const { name, checked, table } = prepare(blob, options);
  return openData(await table(), checked, { path: name, bytes: blob.size });
}

/**
 * Opens several blobs or files as one table: their rows one after the other, in this order, and their columns by name. A file
 * with other columns is refused, and the message names it.
 */
export async function openBlobs(blobs: readonly Blob[], options: Omit<BlobOptions, 'name'> = {}): Promise<DataFile> {
  if (blobs.length === 0) throw new DataError('EMPTY_DATA', 'There are no files to open.');
  if (blobs.length === 1) return openBlob(blobs[0], options);
  const opened = blobs.map((blob, i) => {
    const name = nameOf(blob);
    return prepare(blob, { ...options, name: name === UNNAMED ? `file ${i + 1}` : name });
  });
  const [{ checked, name }] = opened;
  const parts = opened.map((each) => ({ path: each.name, open: each.table }));
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const path = `${name} and ${blobs.length - 1} more`;
  return openData(await openSeveralTables(parts, checked), checked, { path, bytes });
}

const UNNAMED = 'the file';

function prepare(
  blob: Blob,
  options: BlobOptions,
): { readonly name: string; readonly checked: CheckedOptions; table(): Promise<Table> } {
  const { name = nameOf(blob), unpack, readers = {}, ...rest } = options;
  const checked = checkFileOptions(rest);
  if (checked.sql !== undefined) {
    throw new OptionError('BAD_OPTION', 'sql needs a database to answer it, and there is none here.', {
      option: 'sql',
      value: checked.sql,
    });
  }
  if (blob.size === 0) throw new DataError('EMPTY_DATA', `${name} is empty.`);
  const platform = { ...plainPlatform, unpack: { ...plainPlatform.unpack, ...unpack }, readers };
  const table = async (): Promise<Table> =>
    openFormat(await identify(blobBytes(blob, name), { name }, checked, platform.unpack), checked, platform);
  return { name, checked, table };
}

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : UNNAMED;
}

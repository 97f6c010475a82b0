import { DataError, OptionError } from '@scree/core';
import type { Unpackers } from './archive/unpack.js';
import { blobBytes } from './bytes/blob-bytes.js';
import { identify, openData, openTable } from './open-table.js';
import { checkFileOptions, type FileOptions } from './options.js';
import { plainPlatform, type TableReaders } from './platform.js';
import type { DataFile } from './table/table-file.js';

export interface BlobOptions extends FileOptions {
  /** What messages call it; its ending may tell kinds of text apart. A `File` has a name of its own. */
  readonly name?: string | undefined;
  /** Unpackers to use instead of the plain ones. */
  readonly unpack?: Partial<Unpackers> | undefined;
  /** Readers of further formats, or to use instead of those that are there. */
  readonly readers?: TableReaders | undefined;
}

/**
 * Opens a data file that is a `Blob` or a `File`, as browsers have them: .csv and .tsv, .json and .ndjson, .npy, .npz, IDX, .arrow,
 * .feather and .parquet, packed with gzip or zstd too.
 *
 * Rows come in blocks, read from the blob when they are asked for: a file may be larger than memory.
 */
export async function openBlob(blob: Blob, options: BlobOptions = {}): Promise<DataFile> {
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
  const file = await identify(blobBytes(blob, name), { name }, checked, platform.unpack);
  return openData(await openTable(file, checked, platform), checked, { path: name, bytes: blob.size });
}

function nameOf(blob: Blob): string {
  return 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : 'the file';
}

import type { Table } from '@scree/core/data';
import { plainUnpackers, type Unpackers } from '../archive/unpack.js';
import type { SeekableBytes } from '../archive/zip.js';
import { copyToBlob, type MakeCopy } from '../bytes/temporary-copy.js';
import type { FileFormat } from '../formats.js';

/** Opens a file of one format. Its errors should be `FileError`s. */
export type TableReader = (
  bytes: SeekableBytes,
  options: { readonly memory: number; readonly member?: string | undefined },
) => Promise<Table>;

export type TableReaders = { readonly [Format in FileFormat]?: TableReader | undefined };

/** The services of a platform (a browser, Node) for readers. */
export interface Platform {
  readonly unpack: Unpackers;
  /** Copies packed files that must be read at many positions. */
  readonly copy: MakeCopy;
  /** Readers that replace readers of `formats.ts`, or read formats without a reader there. */
  readonly readers: TableReaders;
}

/** A platform that uses only JavaScript. */
export const plainPlatform: Platform = { unpack: plainUnpackers, copy: copyToBlob, readers: {} };

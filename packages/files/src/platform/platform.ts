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

/** What the surroundings (a browser, Node) offer to readers. */
export interface Platform {
  readonly unpack: Unpackers;
  /** Where packed files are unpacked to that must be read at many positions. */
  readonly copy: MakeCopy;
  /** Readers that take precedence over those of `formats.ts`, or stand in where it has none. */
  readonly readers: TableReaders;
}

/** A platform that needs nothing but the language. */
export const plainPlatform: Platform = { unpack: plainUnpackers, copy: copyToBlob, readers: {} };

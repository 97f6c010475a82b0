/**
 * `@scree/core/files`: data files as sources of rows, in browsers and Node. `openBlob` opens one; the rest is what readers
 * of other formats, and of files on disk, are built from, and is stable only together with scree.
 */

export { readAhead } from './bytes/read-ahead.js';
export { blobBytes } from './bytes/blob-bytes.js';
export {
  type ByteReader,
  type Bytes,
  chunkReader,
  chunksOf,
  readerAt,
  readTwice,
} from './bytes/bytes.js';
export type { LeftOut } from './table/choose-columns.js';
export type { CsvHead } from './csv/csv-head.js';
export type { Writing } from './csv/csv-marks.js';
export { badFile, FileError, truncated, unsupported } from './file-error.js';
export type { DataFile, LabelledBlock, MissingValues } from './table/file-source.js';
export type { LabelOptions, Labels } from './table/labels.js';
export { checkColumns, mostColumns } from './table/most-columns.js';
export { type BlobOptions, openBlob } from './open-blob.js';
export {
  anyPlace,
  type Identified,
  identify,
  openData,
  openTable,
  type Place,
  type TableReader,
  type TableReaders,
} from './open-table.js';
export {
  type CheckedOptions,
  checkFileOptions,
  DEFAULT_MEMORY,
  type FileFormat,
  type FileOptions,
  type Missing,
} from './options.js';
export { pandasIndex } from './table/pandas-index.js';
export { arrowDurations, csvHead } from './reader-notes.js';
export { LARGEST_EXACT, RoundedIntegers, wasRounded } from './table/rounded-integers.js';
export { showBytes } from './bytes/show-bytes.js';
export { HEAD, sniffFormat } from './sniff.js';
export type { Spool, Spooled } from './bytes/temporary-copy.js';
export {
  type Batch,
  blockRows,
  type Column,
  type ColumnKind,
  type DenseBatch,
  type Request,
  type Table,
  withClose,
} from './table/table.js';
export { textOf } from './bytes/text.js';
export { uniqueNames } from './table/unique-names.js';
export { type Packing, packingOf, plainUnpackers, type Unpack, type Unpackers, unpacked } from './archive/unpack.js';
export type { Placed } from './archive/zip.js';

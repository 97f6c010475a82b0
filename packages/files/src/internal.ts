/**
 * `@scree/files/internal`: what readers on another platform, and of other formats, are built from. It is stable only together
 * with scree.
 */

export { type Packing, packingOf, plainUnpackers, type Unpack, type Unpackers, unpacked } from './archive/unpack.js';
export type { SeekableBytes } from './archive/zip.js';
export { blobBytes } from './bytes/blob-bytes.js';
export {
  type ByteReader,
  type Bytes,
  chunkReader,
  chunksOf,
  readerAt,
  readTwice,
} from './bytes/bytes.js';
export { readAhead } from './bytes/read-ahead.js';
export { showBytes } from './bytes/show-bytes.js';
export type { MakeCopy, TemporaryCopy } from './bytes/temporary-copy.js';
export { textOf } from './bytes/text.js';
export type { NumberFormat } from './csv/decimal-marks.js';
export type { CsvLayout } from './csv/layout.js';
export { badFile, FileError, truncated, unsupported } from './file-error.js';
export { FORMAT_NAMES } from './formats.js';
export { type BlobOptions, openBlob, openBlobs } from './open-blob.js';
export {
  type Identified,
  identify,
  openData,
  openTable,
} from './open-table.js';
export {
  type CheckedOptions,
  checkFileOptions,
  DEFAULT_MEMORY,
  type FileFormat,
  type FileOptions,
  type Missing,
} from './options.js';
export { type PageHeader, readPageHeader } from './parquet/page-header.js';
export { type Platform, plainPlatform, type TableReader, type TableReaders } from './platform.js';
export { arrowDurations, csvLayout, openArrowBytes } from './reader-notes.js';
export { HEAD, sniffFormat } from './sniff.js';
export type { LeftOut } from './table/choose-columns.js';
export { type ConvertedColumn, convertedWarning } from './table/converted-values.js';
export type { DataFile, LabelledBlock, MissingValues, SupplementaryBlock } from './table/data-file.js';
export type { LabelOptions, Labels } from './table/labels.js';
export { TextReader } from './table/mixed-batches.js';
export { checkColumns, mostColumns } from './table/most-columns.js';
export { pandasIndex } from './table/pandas-index.js';
export { LARGEST_EXACT, RoundedIntegers, wasRounded } from './table/rounded-integers.js';
export { openSeveralTables, refuseForSeveral, type TablePart } from './table/several-tables.js';
export {
  type Batch,
  blockRows,
  type Column,
  type ColumnKind,
  type DenseBatch,
  type RemoteReading,
  type RemoteRequest,
  type Request,
  type Table,
  TEXT_BYTES,
  TextBudget,
  withClose,
} from './table/table.js';
export { uniqueNames } from './table/unique-names.js';

/**
 * `@scree/files/platform`: what readers for another platform or another format are built from. A `Platform` tells the readers of this
 * package what the machine or the browser offers. A reader of another format opens a `Table`, and `openData` makes it a `DataFile`.
 */

// Opening: the format of a file, its table, and the columns and rows that the options choose.

export { badFile, truncated, unsupported } from '../file-error.js';
export { type Identified, identify, openData, openFormat } from '../open-table.js';
export { type CheckedOptions, checkFileOptions } from '../options.js';
export { HEAD_BYTES, sniffFormat } from '../sniff.js';
export { openSeveralTables } from '../table/several-tables.js';
export { type Platform, plainPlatform } from './platform.js';

// Bytes, as they are stored or unpacked.

export { type Packing, packingOf, type Unpackers, unpacked } from '../archive/unpack.js';
export { blobBytes } from '../bytes/blob-bytes.js';
export { BufferPool } from '../bytes/buffer-pool.js';
export { type ByteReader, type Bytes, chunksOf, readerAt, streamedBytes } from '../bytes/bytes.js';
export { readAhead } from '../bytes/read-ahead.js';
export { showBytes } from '../bytes/show-bytes.js';
export type { TemporaryCopy } from '../bytes/temporary-copy.js';

// Tables: columns, and batches of rows.

export {
  BlockAssembler,
  blockHeight,
  changeTable,
  type DenseBatch,
  type ReadRequest,
  type RemoteRequest,
  type Table,
  type TableBatch,
  type TableColumn,
  TEXT_BYTES,
  type Text,
  TextBudget,
  TextReader,
  withClose,
} from '@scree/core/data';
export { rangeEnds } from '../table/column-ranges.js';
export { convertedWarning } from '../table/converted-values.js';
export { columnMeans } from '../table/missing-values.js';
export { checkColumns } from '../table/most-columns.js';
export { RoundedIntegers, wasRounded } from '../table/rounded-integers.js';
export { uniqueNames } from '../table/unique-names.js';

// Parts of single formats, for readers that leave the rest to a database.

export type { NumberFormat } from '../csv/decimal-marks.js';
export type { CsvLayout } from '../csv/layout.js';
export type { PageTools } from '../parquet/codecs.js';
export type { NumberDecoder, NumberTask, RoundedSlots } from '../parquet/number-decoder.js';
export type { ParquetPlatform } from '../parquet/parquet-table.js';
export { csvLayout, decodeParquet, openArrowBytes, openParquet, verifyParquet } from '../reader-notes.js';

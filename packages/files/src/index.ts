/** `@scree/files`: data files as sources of rows, in browsers and Node, larger than memory too. */

export { DEFAULT_MEMORY, type RowRanges } from '@scree/core/data';
export { FileError } from './file-error.js';
export { type BlobOptions, openBlob, openBlobs } from './open-blob.js';
export type { FileFormat, FileOptions, Missing } from './options.js';
export type { LeftOut } from './table/column-roles.js';
export type { ConvertedColumn } from './table/converted-values.js';
export type { DataFile, LabelledBlock, MissingValues, SupplementaryBlock } from './table/data-file.js';
export type { LabelOptions, Labels } from './table/labels.js';

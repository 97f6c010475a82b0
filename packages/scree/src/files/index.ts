export type { LeftOut } from './choose-columns.js';
export { FileError } from './file-error.js';
export type { DataFile, MissingValues } from './file-source.js';
export type { LabelOptions, Labels } from './labels.js';
export { openFile } from './open-file.js';
export type { FileFormat, FileOptions, Missing } from './options.js';
export type { StoredType } from './stored-type.js';
export { createFile, type OutputFormat, type RowWriter, type WriteOptions } from './write-file.js';

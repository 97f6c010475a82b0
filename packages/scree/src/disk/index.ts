export {
  type DataFile,
  FileError,
  type FileFormat,
  type FileOptions,
  type LabelOptions,
  type Labels,
  type LeftOut,
  type Missing,
  type MissingValues,
} from '@scree/files';
export { type OpenOptions, openFile, openFiles } from './open-file.js';
export type { StoredType } from './stored-type.js';
export { createFile, type OutputFormat, type RowWriter, type WriteOptions } from './write-file.js';

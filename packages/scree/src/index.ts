import { offerBlas } from './blas/offer.js';

export * from '@scree/core';
export { type BlasOptions, blasEngine } from './blas/blas.js';
export {
  type Compressed,
  type CompressedFile,
  type CompressOptions,
  compressFile,
  type OpenCompressedOptions,
  openCompressed,
  type Quantiser,
  type Recall,
  type RecallOptions,
  recallAtTen,
} from './compress/index.js';
export { type IdxArray, readIdx } from './disk/idx.js';
export {
  createFile,
  type DataFile,
  FileError,
  type FileFormat,
  type FileOptions,
  type LabelOptions,
  type Labels,
  type LeftOut,
  type Missing,
  type MissingValues,
  type OutputFormat,
  openFile,
  type RowWriter,
  type StoredType,
  type WriteOptions,
} from './disk/index.js';
export { readModel, writeModel } from './disk/model-file.js';
export { type Diagnosis, doctor, type EngineDiagnosis, formatDiagnosis } from './doctor.js';
export { makeReport, type Report, type ReportFigure, type ReportInput } from './report/report.js';
export { screePlot } from './scree-plot.js';

offerBlas();

import { offerEngines } from './offer-engines.js';

export * from '@scree/analysis';
export * from '@scree/core';
export {
  type ModelComponents,
  type ModelCovariance,
  modelFrom,
  type NumberRows,
  type OnnxOptions,
  type StoredNumbers,
  toOnnx,
} from '@scree/core/exchange';
export { pcaSync, type SyncData } from '@scree/core/sync';
export { type DenseMatrix, loadTransform, type StoredTransform } from '@scree/core/transform';
export { type BlasOptions, blasEngine } from './blas/blas.js';
export { type SparkOptions, sparkSource } from './cluster/spark-source.js';
export * from './compress/index.js';
export { type IdxArray, readIdx } from './disk/idx.js';
export * from './disk/index.js';
export { readModel, writeModel } from './disk/model-file.js';
export {
  type MergeFilesOptions,
  mergeSummaryFiles,
  openSummary,
  readManifest,
  readSummary,
  type SummarizeFileOptions,
  summarizeFile,
  writeSummary,
} from './disk/summary-file.js';
export { type Diagnosis, doctor, type EngineDiagnosis, formatDiagnosis, type PackageDiagnosis } from './doctor.js';
export { makeReport, type Report, type ReportFigure, type ReportInput } from './report/report.js';
export { screePlot } from './scree-plot.js';

offerEngines();

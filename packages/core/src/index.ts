export type { Blocking, Progress } from './base/progress.js';
export type { CsrMatrix } from './data/blocks/csr.js';
export { type Matrix, type NumberArray, toRows } from './data/blocks/matrix.js';
export { RowMatrix } from './data/blocks/row-matrix.js';
export type { DType, RowSource } from './data/blocks/row-source.js';
export type { Encoding, Transform } from './data/encoding/encoding.js';
export type { CooMatrix } from './data/inputs/coo.js';
export type { Data, NumberColumns } from './data/inputs/open-source.js';
export type { Row } from './data/inputs/row-gatherer.js';
export type { Scale } from './data/statistics/scaling.js';
export { wasmEngine } from './engines/choose.js';
export type { Engine } from './engines/engine.js';
export { referenceEngine } from './engines/reference/reference.js';
export type { WasmOptions } from './engines/wasm/wasm.js';
export {
  ConvergenceError,
  DataError,
  EngineError,
  type ErrorCode,
  type ErrorDetails,
  ModelError,
  OptionError,
  ScreeError,
} from './errors.js';
export { makePlan } from './fit/make-plan.js';
export { type AddOptions, Moments } from './fit/moments.js';
export type { Biplot } from './model/biplot.js';
export type { Certificate } from './model/certificate.js';
export type { Choice, Criterion } from './model/choice.js';
export { type ApplyOptions, loadModel, Model } from './model/model.js';
export type { ModelRecord, Whiten } from './model/record.js';
export type { Interval, Stability } from './model/stability.js';
export type { Determination, Uniqueness } from './model/uniqueness.js';
export type { PcaOptions } from './options.js';
export { pca } from './pca.js';
export type { Plan } from './plan.js';
export type { Epoch } from './solvers/learned/epoch.js';
export type { LearnOptions } from './solvers/learned/learn-options.js';
export type { SolverName } from './solvers/names.js';
export { SOLVERS } from './solvers/registry.js';
export type { SketchOptions } from './solvers/sketch/sketch-options.js';
export { Stream, type StreamAddOptions, type StreamOptions, stream } from './stream.js';
export type { TableData } from './table/to-table.js';
export type { Warning, WarningCode } from './warning.js';

export type { Block, DenseBlock, Frame, SparseBlock } from './data/block.js';
export type {
  CategoryColumn,
  CodedColumn,
  CodedCovariate,
  CodedGroup,
  CodedRegression,
  Coding,
  GapRule,
  NumberColumn,
  Transform,
  UnseenRule,
} from './data/coding.js';
export type { CooMatrix } from './data/coo.js';
export type { CsrMatrix } from './data/csr.js';
export type { ReconstructedColumn } from './data/decode.js';
export type {
  ArqueroLike,
  ArrowLike,
  DanfoLike,
  DuckDbLike,
  ForeignData,
  NdarrayLike,
  PolarsLike,
  TensorLike,
} from './data/foreign-data.js';
export type { Row } from './data/gather.js';
export { type FloatArray, type IntegerArray, type Matrix, type NumberArray, toRows } from './data/matrix.js';
export type { Data, DType, NumberColumns, RowSource } from './data/open-source.js';
export type { RowMatrix } from './data/row-matrix.js';
export type { Scale, ScalingRule } from './data/scaling.js';
export type { Cell, ColumnTable, TableBatch, TableColumn, TableData, TableRow, TableSource } from './data/table.js';
export { wasmEngine } from './engines/choose.js';
export type { Engine, LoadedBlock, OnStep, Products, Rates, RowsAt } from './engines/engine.js';
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
export type { Certificate } from './model/certificate.js';
export type { Choice, Criterion, CriterionName } from './model/choice.js';
export { loadModel } from './model/load.js';
export { type ApplyOptions, Model } from './model/model.js';
export type { ModelRecord, Whiten } from './model/record.js';
export type {
  Alignment,
  AngleSpread,
  BootstrapKind,
  Interval,
  MatrixLimits,
  Stability,
} from './model/stability.js';
export type { Determination, Uniqueness } from './model/uniqueness.js';
export { type AddOptions, Moments } from './moments.js';
export type { PcaOptions } from './options.js';
export { type ColumnNameOf, pca } from './pca.js';
export { makePlan, type Plan, type PlanRequest, type Shape } from './plan.js';
export type { Blocking, Progress } from './progress.js';
export type { Epoch } from './solvers/learned/epoch.js';
export type {
  HebbianRule,
  LearnOptions,
  LearnState,
  PointsRule,
} from './solvers/learned/learn-options.js';
export type { DescentKind } from './solvers/learned/rule.js';
export type { SolverName } from './solvers/names.js';
export { SOLVERS } from './solvers/registry.js';
export type { SketchOptions, SketchRule } from './solvers/sketch/sketch-options.js';
export type { SolverDeclaration } from './solvers/solver.js';
export { Stream, type StreamAddOptions, type StreamOptions, stream } from './stream.js';
export type { Warning, WarningCode } from './warning.js';

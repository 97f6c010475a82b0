export { type BootstrapOptions, bootstrap } from './analysis/bootstrap/bootstrap.js';
export { defaultReplicates } from './analysis/bootstrap/default-replicates.js';
export {
  type AdjustedInertias,
  adjustedInertias,
  type Category,
  type CategoryLevel,
  categories,
  type MfaGroupPart,
  mfaGroups,
} from './analysis/categories.js';
export { type ChooseOptions, chooseComponents } from './analysis/choose-components.js';
export { type ColumnContribution, columnContributions } from './analysis/column-contributions.js';
export type { ColumnFacts, Steps } from './analysis/columns.js';
export { compareModels, congruence, type ModelComparison } from './analysis/compare-models.js';
export { type CompareTablesOptions, type Procrustes, procrustes, rvCoefficient } from './analysis/compare-tables.js';
export type { Point } from './analysis/convex-hull.js';
export type { CovariateColumns, Covariates } from './analysis/covariates.js';
export { type Ellipse, type EllipseOptions, groupEllipse } from './analysis/ellipse.js';
export {
  betweenGroups,
  type GroupLabels,
  type GroupPca,
  type GroupPcaOptions,
  withinGroups,
} from './analysis/group-pca.js';
export type { GroupLevel, Groups, Hull } from './analysis/groups.js';
export {
  type ProbabilisticOptions,
  ProbabilisticPca,
  probabilistic,
  type SampleOptions,
} from './analysis/likelihood.js';
export { type ColumnsLook, type LookOptions, lookAtColumns, watchColumns } from './analysis/look-at-columns.js';
export {
  type FamdOptions,
  famd,
  type McaOptions,
  type MfaGroup,
  type MfaOptions,
  mca,
  mfa,
} from './analysis/mca-famd-mfa.js';
export {
  hotellingT2,
  type LimitOptions,
  type MonitoredRows,
  monitorRows,
  type RowLimits,
  type RowsOf,
  rowLimits,
} from './analysis/monitoring.js';
export { Pcr, type PcrOptions, pcr } from './analysis/pcr.js';
export { principalAngles } from './analysis/principal-angles.js';
export type { RowOptions } from './analysis/read-blocks.js';
export { type Regression, type Residuals, residualize } from './analysis/residualize.js';
export {
  type RotateOptions,
  Rotation,
  type RotationMethod,
  rotate,
} from './analysis/rotation.js';
export {
  type RowContributions,
  rowContributionBlocks,
  rowContributions,
  type SupplementaryRows,
  supplementaryRows,
} from './analysis/row-contributions.js';
export {
  type Label,
  type RowLabels,
  type Supplementary,
  type SupplementaryOptions,
  supplementary,
} from './analysis/supplementary.js';
export type { SupplementaryColumn } from './analysis/supplementary-columns.js';
export type { BootstrapChoices } from './bootstrap-options.js';
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
export type { SummaryHead, SummaryPart } from './summary/head.js';
export { type SummarizeOptions, summarize } from './summary/summarize.js';
export { type MergeOptions, type SummaryInput, TableSummary } from './summary/table-summary.js';
export type { Warning, WarningCode } from './warning.js';

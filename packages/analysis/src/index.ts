/** `@scree/analysis`: what people ask of a table and of its principal components. */

export type { RobustFit, RobustMethod } from '@scree/core/pipeline';
export type {
  AnalysedRows,
  AnalysedTable,
  Analysis,
  AnalysisRecord,
  ComparedRows,
  CompletedRows,
  EncodedMeaning,
} from './analysis.js';
export { analysisJson, betweenJson, modelJson } from './analysis.js';
export {
  type AnalyzeOptions,
  type AnalyzeTableOptions,
  analyze,
  analyzeTable,
  compareRows,
  keptComponents,
  nameColumns,
} from './analyze.js';
export { type AnalyzeModelOptions, analyzeModel } from './analyze-model.js';
export { type AnalyzeSummaryOptions, analyzeSummary, fitSummary } from './analyze-summary.js';
export { type BootstrapOptions, bootstrap } from './bootstrap/bootstrap.js';
export type { BootstrapChoices } from './bootstrap/bootstrap-options.js';
export { defaultReplicates } from './bootstrap/default-replicates.js';
export { type ChooseOptions, chooseComponents } from './choose/choose-components.js';
export type { CriterionName } from './choose/criteria/registry.js';
export { compareModels, congruence, type ModelComparison } from './compare/compare-models.js';
export { type CompareTablesOptions, type Procrustes, procrustes, rvCoefficient } from './compare/compare-tables.js';
export { principalAngles } from './compare/principal-angles.js';
export type { Finding } from './findings.js';
export { type Between, fitTable, type TableFit, type TableFitOptions } from './fit-table.js';
export { adviseColumns, type ColumnAdvice } from './inspect/advise-columns.js';
export type { ScaleChoice, ScaleReason } from './inspect/choose-scale.js';
export type { AccessColumn, ColumnAccess } from './inspect/column-access.js';
export type { ColumnFacts, Steps } from './inspect/column-inspector.js';
export {
  type ColumnInspection,
  type InspectOptions,
  inspectColumns,
  inspectWhileReading,
} from './inspect/inspect-columns.js';
export { type OtherColumns, otherColumns, type RowsOfTable } from './inspect/other-columns.js';
export { type ColumnToLeaveOut, type LeftOutReason, tellsRowsApart } from './inspect/row-markers.js';
export type { RowOrder } from './inspect/row-order.js';
export {
  type AdjustedInertias,
  adjustedInertias,
  type Category,
  type CategoryLevel,
  categories,
  type MfaGroupPart,
  mfaGroups,
} from './meaning/categories.js';
export { type ColumnContribution, columnContributions } from './meaning/column-contributions.js';
export type { ComponentMeaning, RelatedColumn, RelatedGroups } from './meaning/component-meaning.js';
export type { Point } from './meaning/convex-hull.js';
export { convexHull } from './meaning/convex-hull.js';
export type { CovariateRelation } from './meaning/covariate-relations.js';
export type { CovariateColumns, Covariates } from './meaning/covariates.js';
export { type Ellipse, type EllipseOptions, groupEllipse } from './meaning/ellipse.js';
export { type GroupOutline, groupOutlines, type OutlineKind, type OutlineRequest } from './meaning/group-outlines.js';
export type { GroupLevel, Groups, Hull } from './meaning/groups.js';
export { GroupSums } from './meaning/groups.js';
export { type Supplementary, type SupplementaryOptions, supplementary } from './meaning/supplementary.js';
export type { SupplementaryColumn } from './meaning/supplementary-columns.js';
export { type EncodedTable, type EncodeTableOptions, encodeTable } from './methods/encode-table.js';
export {
  betweenGroups,
  type GroupLabels,
  type GroupPca,
  type GroupPcaOptions,
  withinGroups,
} from './methods/group-pca.js';
export {
  type ProbabilisticOptions,
  ProbabilisticPca,
  probabilistic,
  type SampleOptions,
} from './methods/likelihood.js';
export {
  type FamdOptions,
  famd,
  type McaOptions,
  type MfaGroup,
  type MfaOptions,
  mca,
  mfa,
} from './methods/mca-famd-mfa.js';
export { Pcr, type PcrOptions, pcr } from './methods/pcr.js';
export { type Regression, type Residuals, residualize } from './methods/residualize.js';
export {
  type RotateOptions,
  Rotation,
  type RotationMethod,
  rotate,
} from './methods/rotation.js';
export { withEncoding, withoutEncoding } from './methods/with-encoding.js';
export { type CompletedTable, completeTable, type MissingValuesRecord } from './missing/complete-table.js';
export type { GapDifference, GapSummary } from './missing/gap-summary.js';
export type { AnalyzeMissing, PredictOptions } from './missing/missing-options.js';
export type { Label, RowLabels } from './reading/aligned.js';
export type { AnalysisTable, TablePart } from './reading/analysis-table.js';
export type { RowOptions } from './reading/read-blocks.js';
export type { AnalysisPart, NotComputed, Reason } from './reasons.js';
export type { InfluentialRow } from './robust/influence.js';
export { type RobustChoices, type RobustOptions, robust } from './robust/robust.js';
export type { MappedRow, SecondLook } from './robust/second-look.js';
export { type CalibrationRows, calibrationLimits } from './rows/calibration-limits.js';
export {
  type ColumnDrift,
  type Drift,
  type DriftOptions,
  type DriftTest,
  type DriftWindow,
  drift,
} from './rows/drift.js';
export {
  type BlockMonitor,
  blockMonitor,
  type FlaggedRow,
  type Monitored,
  type MonitoredBlock,
  type MonitoredRow,
  type MonitorOptions,
  monitor,
  monitorBlocks,
  monitorSync,
} from './rows/monitor.js';
export {
  type RowContributions,
  rowContributionBlocks,
  rowContributions,
  type SupplementaryRows,
  supplementaryRows,
} from './rows/row-contributions.js';
export { type FarthestRows, RowDistances } from './rows/row-distances.js';
export type { RowFacts } from './rows/row-facts.js';
export {
  hotellingT2,
  type LimitOptions,
  type RowLimits,
  type RowsOf,
  rowLimits,
  unusualLevel,
} from './rows/row-limits.js';
export type { RowStatistics } from './rows/row-monitor.js';
export type { RowFlag, RowReason } from './rows/row-reasons.js';
export { type RowShares, rowShares } from './rows/row-shares.js';
export { type SubspaceChange, subspaceChange } from './rows/subspace-change.js';
export type { RankedRow, UnusualRows } from './rows/unusual-rows.js';
export { type SummarizeOptions, summarize } from './summary/summarize.js';
export type { SummaryHeader, SummaryPart } from './summary/summary-header.js';
export { type MergeOptions, type SummaryInput, TableSummary } from './summary/table-summary.js';

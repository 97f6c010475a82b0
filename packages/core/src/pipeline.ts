/** `@scree/core/pipeline`: the stages of a fit, for packages that compute more than `pca` from the same rows. */

export {
  CONTROL_OPTIONS,
  type ControlOptions,
  checkControl,
  checkObject,
  checkOption,
  type OptionCheck,
} from './base/control.js';
export { keepAlive } from './base/keep-alive.js';
export { LARGEST_SQUARE, WIDEST_SCATTER } from './base/limits.js';
export { ProgressTracker, runTask, runTaskSync, type Task } from './base/progress.js';
export { unknownOption } from './base/suggest-option.js';
export {
  type FillMethodName,
  type FillOptions,
  fillOptionsOf,
  MISSING_OPTION,
  type MissingChoice,
} from './data/inputs/missing-option.js';
export { availableEngines, chooseEngine } from './engines/choose.js';
export { enginesFor } from './engines/remote.js';
export { describeValue, withDetails } from './errors.js';
export { transformColumns, transformsOf } from './fit/column-options.js';
export { type FitResult, fit } from './fit/fit.js';
export { refuseForMoments } from './fit/fit-moments.js';
export { fitAny, fitOpened, type Opened, prepareColumns } from './fit/fit-opened.js';
export { rereadable } from './fit/reading.js';
export { completeRows } from './missing/complete-rows.js';
export type { FillReport } from './missing/fill-by-model.js';
export type { Predictor } from './missing/gappy-block.js';
export type { Obstacle } from './model/choice.js';
export {
  ConditionalMeans,
  type ConditionalModel,
  type ConditionalScores,
  conditionalScores,
} from './model/conditional.js';
export { fixSigns, type NestedModels } from './model/finish.js';
export { recordOfComponents } from './model/from-components.js';
export { readOneRow } from './model/one-row.js';
export { type Reconstruction, reconstructBlock, removeComponents } from './model/reconstruction.js';
export { deviationOf, deviationsOf } from './model/record.js';
export type { RobustFit, RobustMethod } from './model/robust-fit.js';
export { scalerOf } from './model/scaler-of.js';
export type { Alignment, AngleSpread, BootstrapKind, MatrixLimits } from './model/stability.js';
export { stabilityOfFirst } from './model/stability.js';
export { checkColumnOptions, checkOptions, type Settings } from './options.js';
export { type ColumnNameOf, nestedModels } from './pca.js';
export type { PlanRequest, Shape } from './plan.js';
export { KrylovSpace } from './solvers/direct/krylov-space.js';
export type { HebbianRule, LearnState, PointsRule } from './solvers/learned/learn-options.js';
export type { DescentKind } from './solvers/learned/rule.js';
export { residualNorms } from './solvers/residuals.js';
export type { Sketch } from './solvers/sketch/sketch.js';
export type { SketchRule } from './solvers/sketch/sketch-options.js';
export { sketchSize } from './solvers/sketch/sketch-options.js';
export type { SolverDeclaration } from './solvers/solver.js';
export { modelOfSketch } from './stream.js';

/** Loads the code of sketches. */
export const loadSketch = (): Promise<typeof import('./solvers/sketch/sketch.js')> =>
  import('./solvers/sketch/sketch.js');
/** Loads the code that stores sketches. */
export const loadSketchBytes = (): Promise<typeof import('./solvers/sketch/sketch-bytes.js')> =>
  import('./solvers/sketch/sketch-bytes.js');

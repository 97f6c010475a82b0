/** `@scree/core/pipeline`: the parts of a fit, for packages that ask more of data than `pca` does. */

export { codeColumns, transformColumns, transformsOf } from './code-columns.js';
export {
  CONTROL_OPTIONS,
  type ControlOptions,
  checkControl,
  checkObject,
  checkOption,
  type OptionCheck,
} from './control.js';
export { enginesFor } from './engines/remote.js';
export { withDetails } from './error-with-details.js';
export { describeValue } from './errors.js';
export { type Fitted, fit } from './fit.js';
export { fitSmall, smallFit } from './fit-small.js';
export { keepAlive } from './keep-alive.js';
export { LARGEST_SQUARE, WIDEST_SCATTER } from './limits.js';
export { CRITERION_NAMES, type Obstacle } from './model/choice.js';
export { fixSigns, type NestedModels } from './model/finish.js';
export { frameOf } from './model/frame-of.js';
export { type Reconstruction, reconstructBlock, removeComponents } from './model/reconstruction.js';
export type { Alignment, AngleSpread, BootstrapKind, MatrixLimits } from './model/stability.js';
export { firstOf as stabilityOfFirst } from './model/stability.js';
export { refuseForMoments } from './moments-options.js';
export { checkColumnOptions, checkOptions, type Settings } from './options.js';
export { fitOpened, nestedModels, type Opened, prepareColumns } from './pca.js';
export type { PlanRequest, Shape } from './plan.js';
export { ProgressTracker, runTask, runTaskSync, type Task } from './progress.js';
export { rereadable } from './reading.js';
export { KrylovSpace } from './solvers/direct/krylov-space.js';
export type { HebbianRule, LearnState, PointsRule } from './solvers/learned/learn-options.js';
export type { DescentKind } from './solvers/learned/rule.js';
export { residualNorms } from './solvers/residuals.js';
export type { Sketch } from './solvers/sketch/sketch.js';
export type { SketchRule } from './solvers/sketch/sketch-options.js';
export { sketchSize } from './solvers/sketch/sketch-options.js';
export type { SolverDeclaration } from './solvers/solver.js';
export { modelOfSketch } from './stream.js';
export { unknownOption } from './suggest-option.js';

/** Code of sketches, which is loaded when it is first needed. */
export const loadSketch = (): Promise<typeof import('./solvers/sketch/sketch.js')> =>
  import('./solvers/sketch/sketch.js');
/** Code that stores sketches, likewise. */
export const loadSketchBytes = (): Promise<typeof import('./solvers/sketch/sketch-bytes.js')> =>
  import('./solvers/sketch/sketch-bytes.js');

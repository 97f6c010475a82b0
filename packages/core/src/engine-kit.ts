/**
 * `@scree/core/engine`: what an engine outside core, or anything else that reads rows itself, is built from. Stable only
 * together with the engine contract. Programs that only fit models do not need it.
 */

export { type CodedTable, type CodeTableOptions, codeTable } from './analysis/code-table.js';
export { convexHull } from './analysis/convex-hull.js';
export { GroupSums } from './analysis/groups.js';
export { unusualLevel } from './analysis/monitoring.js';
export { identityFrame, packTile } from './data/block.js';
export { changeOf, refuseChanged } from './data/changes.js';
export { codedSource, openForModel } from './data/coded-source.js';
export { codedNames, hasCategories, inputNames, partsOf, reversible, termNames } from './data/coding.js';
export { crc32 } from './data/crc32.js';
export { decodeNumbers } from './data/decode.js';
export { decoded, decodeHalf, numbersOf } from './data/float16.js';
export { mergeWarnings } from './data/merge-warnings.js';
export { openSource } from './data/open-source.js';
export { TermEncoder } from './data/regression.js';
export {
  addRowCounts,
  type ColumnStatistics,
  checkFinite,
  emptyStatistics,
  mergeScatter,
  mergeStatistics,
} from './data/statistics.js';
export { toBlock } from './data/to-block.js';
export { chooseEngine, type OfferedEngine, offerEngine } from './engines/choose.js';
export { dualByMultiply } from './engines/dual-by-multiply.js';
export { type EarlyDual, writeEarly } from './engines/early-products.js';
export type { EarlyFrame, Streaming } from './engines/engine.js';
export {
  type Pilot,
  PilotSums,
  pilotFrame,
  samplePilot,
  scatterAboutMeans,
  statisticsFromSums,
} from './engines/pilot.js';
export type { RemoteRows } from './engines/remote.js';
export { summariseTwice } from './engines/summarise.js';
export { addressSpaceLeft } from './engines/wasm/address-space.js';
export { compileKernels } from './engines/wasm/kernels.js';
export { resetThreadTimes, threadTimes } from './engines/wasm/threads/thread-times.js';
export { whyNoWorker } from './engines/wasm/threads/worker-pool.js';
export { wasmEngineOrWhy } from './engines/wasm/wasm.js';
export { type GpuProvider, openDevice, provideGpu } from './engines/webgpu/offer.js';
export { describeValue, withDetails } from './errors.js';
export { keepAlive } from './keep-alive.js';
export type { Count, SymmetricEigen } from './linalg/symmetric-eigen.js';
export { maxAbs, powerOfTwo } from './linalg/vector.js';
export { withoutZeroRows } from './linalg/zero-rows.js';
export { frameOf } from './model/frame-of.js';
export { type Reconstruction, reconstructBlock, removeComponents } from './model/reconstruction.js';
export { firstOf as stabilityOfFirst } from './model/stability.js';
export { type NestedModels, nestedModels } from './pca.js';
export { ProgressTracker } from './progress.js';

/**
 * `@scree/core/engine`: building blocks for engines outside core. They change with the engine contract. Programs that only fit models do
 * not need them.
 */

export { type EngineChoice, type OfferedEngine, offerEngine } from './choose.js';
export { dualByMultiply } from './dual-by-multiply.js';
export type { DualScaler, DualTarget, Engine, LoadedBlock, OnStep, Rates, RowsAt, Streaming } from './engine.js';
export { type PrecomputedDual, writePrecomputedDual } from './precomputed-dual.js';
export {
  type ProvisionalMeans,
  provisionalScaler,
  ShiftedSums,
  sampleMeans,
  scatterAboutMeans,
  statisticsFromSums,
} from './provisional-means.js';
export type { RemoteRows } from './remote.js';
export { summariseTwoPass } from './summarise-two-pass.js';
export { addressSpaceLeft } from './wasm/address-space.js';
export { compileKernels } from './wasm/kernels.js';
export { resetThreadTimes, threadTimes } from './wasm/threads/thread-times.js';
export { whyNoWorker } from './wasm/threads/worker-pool.js';
export { wasmEngineOrWhy } from './wasm/wasm.js';
export { type GpuProvider, openDevice, provideGpu } from './webgpu/offer.js';

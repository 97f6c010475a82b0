import type { Kernels } from './kernels.js';
import type { JobRunner } from './threads/job-runner.js';

/**
 * Runs a pass of `flops` flops with a job runner, and releases the runner afterwards. The runner's jobs can copy from `rows` if that buffer
 * is shared.
 */
export type WithRunner = <Result>(
  flops: number,
  pass: (runner: JobRunner) => Promise<Result>,
  rows?: ArrayBufferLike,
) => Promise<Result>;

/** Runs passes, with kernels from the pool or with kernels that a block keeps. */
export interface RunnerProvider {
  readonly withRunner: WithRunner;
  /** Takes kernels for a block to keep. Returns undefined if the system has too little memory. */
  takeKernels(): Kernels | undefined;
  returnKernels(kernels: Kernels): void;
  runOn<Result>(
    kernels: Kernels,
    flops: number,
    pass: (runner: JobRunner) => Promise<Result>,
    rows?: ArrayBufferLike,
  ): Promise<Result>;
}

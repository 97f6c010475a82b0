import type { Kernels } from './kernels.js';
import type { JobRunner } from './threads/job-runner.js';

/** Runs a pass of so many flops with a job runner, which can copy from `rows` where these are shared, and releases the runner afterwards. */
export type WithRunner = <Result>(
  flops: number,
  pass: (runner: JobRunner) => Promise<Result>,
  rows?: ArrayBufferLike,
) => Promise<Result>;

/** Runs passes: with kernels from the pool, or with kernels that a block keeps until it returns them. */
export interface RunnerProvider {
  readonly withRunner: WithRunner;
  /** Undefined where the system has no memory for it. */
  takeKernels(): Kernels | undefined;
  returnKernels(kernels: Kernels): void;
  runOn<Result>(
    kernels: Kernels,
    flops: number,
    pass: (runner: JobRunner) => Promise<Result>,
    rows?: ArrayBufferLike,
  ): Promise<Result>;
}

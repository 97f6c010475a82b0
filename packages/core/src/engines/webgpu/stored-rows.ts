import type { Gpu } from './device.js';
import { PassBuffers } from './pass-buffers.js';
import type { ResidentRows } from './resident.js';

/** Rows that a pass reads: on the device, or not uploaded yet. */
export interface StoredRows {
  readonly gpu: Gpu;
  readonly resident: ResidentRows;
  readonly rows: number;
  readonly cols: number;
}

/** Work for the processor while the device computes. It is called after all commands of a pass are submitted and before the result is read. */
export type Meanwhile = () => Promise<void>;

/** Runs a pass on the device, and frees its buffers afterwards. */
export async function withBuffers<Result>(gpu: Gpu, pass: (use: PassBuffers) => Promise<Result>): Promise<Result> {
  const use = new PassBuffers(gpu);
  try {
    const result = await pass(use);
    // The device reports errors late.
    gpu.check();
    return result;
  } finally {
    use.release();
  }
}

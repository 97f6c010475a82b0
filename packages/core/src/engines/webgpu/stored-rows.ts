import type { Gpu } from './device.js';
import { PassBuffers } from './pass-buffers.js';
import type { ResidentRows } from './resident.js';

/** Rows that a pass reads: on the device, or still to be uploaded. */
export interface StoredRows {
  readonly gpu: Gpu;
  readonly resident: ResidentRows;
  readonly rows: number;
  readonly cols: number;
}

/** Work for the processor while the device computes: called when all commands of a pass are submitted, before its result is read. */
export type Meanwhile = () => Promise<void>;

/** Runs a pass on the device, and frees the buffers that it took. */
export async function withBuffers<Result>(gpu: Gpu, pass: (use: PassBuffers) => Promise<Result>): Promise<Result> {
  const use = new PassBuffers(gpu);
  try {
    const result = await pass(use);
    // Errors of the device are reported late.
    gpu.check();
    return result;
  } finally {
    use.release();
  }
}

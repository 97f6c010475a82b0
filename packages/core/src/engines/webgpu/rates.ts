import { identityScaler } from '../../data/blocks/block.js';
import { GpuDense } from './dense.js';
import { DeviceFailure, type Gpu } from './device.js';
import type { DeviceRates } from './open-device.js';

/** Rows and columns of a short and a long pass. The difference of their times excludes the fixed cost of a pass. */
const COLS = 1024;
const SHORT = 1024;
const LONG = 16384;

/** Rates of a software driver, which is not measured, because it is slower than the wasm engine. */
const SOFTWARE: DeviceRates = { float32: 0.1, two: 0.02, reading: 0.01, upload: 1 };

/** Measures a device once after it is opened, in some milliseconds on a GPU. The first pass compiles kernels and is not counted. */
export async function measureDevice(gpu: Gpu): Promise<DeviceRates> {
  if (gpu.software) return SOFTWARE;
  const data = new Float32Array(LONG * COLS).fill(0.5);
  const scaler = identityScaler(COLS);
  const scatter = new Float64Array(COLS * COLS);
  const device = {
    gpu,
    confirms: false,
    load: () => Promise.reject(new DeviceFailure('it failed while it was measured')),
    failed: () => {},
  };
  /** Measures the seconds of passes over `rows` rows: the first pass, which uploads them, and the fastest of three later passes. */
  const gram = async (rows: number, float32: boolean): Promise<{ first: number; again: number }> => {
    const loaded = new GpuDense({ kind: 'dense', rows, cols: COLS, stride: COLS, data }, device, float32);
    const time = async (): Promise<number> => {
      const start = performance.now();
      await loaded.gram(scaler, scatter, () => {});
      return (performance.now() - start) / 1e3;
    };
    try {
      const first = await time();
      const again = Math.min(await time(), await time(), await time());
      return { first, again };
    } finally {
      loaded.release();
    }
  };
  const speed = async (float32: boolean): Promise<{ operations: number; upload: number }> => {
    const [short, long] = [await gram(SHORT, float32), await gram(LONG, float32)];
    // Less than a millisecond is within the noise.
    const seconds = Math.max(1e-3, long.again - short.again);
    const upload = (LONG * COLS * 4) / Math.max(1e-3, long.first - long.again) / 1e9;
    return { operations: ((LONG - SHORT) * COLS * COLS) / seconds / 1e9, upload };
  };
  const [rough, two] = [await speed(true), await speed(false)];
  return {
    float32: rough.operations,
    two: two.operations,
    // With this many columns, decoding takes at most an eighth of a pass.
    reading: (8 * rough.operations) / COLS,
    upload: Math.max(rough.upload, two.upload),
  };
}

import { identityScaler } from '../../data/blocks/block.js';
import { GpuDense } from './dense.js';
import { DeviceFailure, type Gpu } from './device.js';
import type { DeviceRates } from './open-device.js';

/** A short and a long pass: their difference leaves out what every pass takes. */
const COLS = 1024;
const SHORT = 1024;
const LONG = 16384;

/** A software driver is not worth measuring: it is slower than the wasm engine. */
const SOFTWARE: DeviceRates = { float32: 0.1, two: 0.02, reading: 0.01, upload: 1 };

/** Measures a device once, after it is opened: some milliseconds on a GPU. The first pass compiles and is not counted. */
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
  /** Seconds of passes over so many rows: the first, which uploads them, and the fastest of three after it. */
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
    // Decoding is a small part of a pass of so many columns: an eighth at most.
    reading: (8 * rough.operations) / COLS,
    upload: Math.max(rough.upload, two.upload),
  };
}

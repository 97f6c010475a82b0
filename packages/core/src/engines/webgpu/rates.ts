import { type DenseBlock, identityFrame } from '../../data/block.js';
import { GpuDense } from './dense.js';
import { DeviceFailure, type Gpu } from './device.js';

/** Speeds of a device: billions of operations, numbers or bytes per second. */
export interface DeviceRates {
  /** `gram` in float32, counted n·d². */
  readonly float32: number;
  /** The same in two parts, and other products. */
  readonly two: number;
  /** Numbers that a pass over rows on the device decodes, besides the products. */
  readonly reading: number;
  /** Bytes that are uploaded. */
  readonly upload: number;
}

/** Rows are doubled until a pass takes so many milliseconds, or they are this many. */
const LONG_ENOUGH = 4;
const COLS = 512;
const FEWEST_ROWS = 256;
const MOST_ROWS = 16384;

/** A software driver is not worth measuring: it is slower than the wasm engine. */
const SOFTWARE: DeviceRates = { float32: 0.1, two: 0.02, reading: 0.01, upload: 1 };

/** Measures a device once, after it is opened: some milliseconds on a GPU. The first pass compiles and is not counted. */
export async function measureDevice(gpu: Gpu): Promise<DeviceRates> {
  if (gpu.software) return SOFTWARE;
  const data = new Float32Array(MOST_ROWS * COLS).fill(0.5);
  const frame = identityFrame(COLS);
  const scatter = new Float64Array(COLS * COLS);
  const device = {
    gpu,
    confirms: false,
    load: () => Promise.reject(new DeviceFailure('it failed while it was measured')),
    failed: () => {},
  };
  const none = (): void => {};
  const time = async (run: () => unknown): Promise<number> => {
    const start = performance.now();
    await run();
    return performance.now() - start;
  };
  /** Seconds per row of `gram`, and rows per second that are uploaded. */
  const gram = async (float32: boolean): Promise<{ perRow: number; upload: number }> => {
    for (let rows = FEWEST_ROWS; ; rows *= 4) {
      const block: DenseBlock = { kind: 'dense', rows, cols: COLS, stride: COLS, data };
      const loaded = new GpuDense(block, device, float32);
      try {
        const first = await time(() => loaded.gram(frame, scatter, none));
        const again = Math.min(await time(() => loaded.gram(frame, scatter, none)), first);
        if (again < LONG_ENOUGH && rows < MOST_ROWS) continue;
        return { perRow: again / 1e3 / rows, upload: rows / Math.max(1e-6, (first - again) / 1e3) };
      } finally {
        loaded.release();
      }
    }
  };
  const [float32, two] = [await gram(true), await gram(false)];
  return {
    float32: (COLS * COLS) / float32.perRow / 1e9,
    two: (COLS * COLS) / two.perRow / 1e9,
    // Decoding is a small part of a pass in float32; an eighth is the most.
    reading: (8 * COLS) / float32.perRow / 1e9,
    upload: Math.min(32, (two.upload * COLS * 4) / 1e9),
  };
}

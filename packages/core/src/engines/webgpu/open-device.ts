import type { Engine } from '../engine.js';

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

/** An open device, and the engine on it. */
export interface OpenDevice {
  readonly gpu: {
    readonly adapter: string;
    /** True for a software driver, which is correct but slower than the wasm engine. */
    readonly software: boolean;
    /** Why the device is not used any more. */
    readonly failure: string | undefined;
  };
  readonly rates: DeviceRates;
  /** The engine; what the device does not do runs on the processor with that many threads. */
  engine(threads?: number): Promise<Engine>;
}

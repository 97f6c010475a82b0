import { messageOf } from '../../errors.js';
import type { Arithmetic } from './arithmetic.js';

/** Thrown if a device was lost, ran out of memory, or computed a wrong result. The fallback engine repeats the pass. */
export class DeviceFailure extends Error {
  override readonly name = 'DeviceFailure';
}

/** Number of staging buffers, and their bytes. Uploads through a few reused buffers of 16 or 32 MB are four times as fast as `writeBuffer`. */
const STAGING_BUFFERS = 3;
const STAGING_BYTES = 32 * 2 ** 20;
/** Uploads up to this number of bytes are faster without staging. */
const SMALL_UPLOAD = 2 ** 18;
/** Target milliseconds of one slice of submitted work. Below 50, desktops stay responsive. */
const SLICE_MS = 25;
/** Commands are submitted when they make up this share of a slice: about a millisecond of work. */
const SUBMISSION = 1 / SLICE_MS;
/** A device that does not answer for this many milliseconds counts as lost. */
const HANGS_MS = 30_000;
/** Operations of the first slice: a millisecond of a slow device. */
const FIRST_SLICE = 1e7;

/** Maximum bytes of buffers that are kept for later passes, and the milliseconds for which they are kept. */
const MOST_SPARE = 1024 * 2 ** 20;
const IDLE_MS = 5000;

/** Maximum dispatches of one submission, the distance between the uniforms of two dispatches in bytes, and the bytes of a uniform. */
const MOST_DISPATCHES = 256;
const UNIFORM_STEP = 256;
const UNIFORM_BYTES = 64;
/** Maximum threads of a workgroup in any kernel. */
const MOST_THREADS = 1024;

const sizeOf = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);

const USAGE = { mapRead: 1, mapWrite: 2, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const;

/** One WebGPU device: buffers, pipelines, transfers, and work in slices. */
export class Gpu {
  /** This reference keeps Dawn alive: in Node, Dawn stops when the object is garbage-collected. */
  readonly instance: GPU;
  readonly device: GPUDevice;
  readonly adapter: string;
  /** True for a software driver, which is correct but slower than the wasm engine. */
  readonly software: boolean;
  /** Maximum bytes of a buffer that a kernel can read. */
  readonly largestBinding: number;
  /** Maximum bytes of data that stay on the device. */
  readonly memory: number;
  /** True if kernels can multiply four bytes at a time. */
  readonly packedProducts: boolean;
  /** Maximum threads of a workgroup. */
  readonly threads: number;
  /** Number of created and destroyed buffers, and bytes of the existing ones. */
  readonly buffers = { created: 0, destroyed: 0, bytes: 0 };
  /** The exact forms of arithmetic, set by the probe. */
  arithmetic: Arithmetic = { sum: 'plain', product: 'fma' };
  /** The reason why the device can no longer be used. */
  failure: string | undefined;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  readonly #layouts = new Map<GPUComputePipeline, GPUBindGroupLayout>();
  readonly #spare = new Map<number, GPUBuffer[]>();
  #spareBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Parameters of the added dispatches, and the buffer to which `submit` writes them. */
  readonly #params = new Uint32Array((MOST_DISPATCHES * UNIFORM_STEP) / 4);
  readonly #uniforms: GPUBuffer;
  #dispatches = 0;
  readonly #staging: { buffer: GPUBuffer; ready: Promise<unknown> }[] = [];
  #nextStaging = 0;
  #readBuffer: GPUBuffer | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  /** Operations since the last wait for the device, and operations of commands that are not submitted yet. */
  #work = 0;
  #added = 0;
  #slice = FIRST_SLICE;
  #lost: Promise<never>;

  private constructor(instance: GPU, device: GPUDevice, info: GPUAdapterInfo, software: boolean) {
    this.instance = instance;
    this.device = device;
    this.adapter = [info.vendor, info.architecture, info.description || info.device].filter(Boolean).join(' ');
    this.software = software;
    this.largestBinding = Math.min(device.limits.maxStorageBufferBindingSize, 2 ** 30);
    this.memory = device.limits.maxBufferSize;
    this.packedProducts = instance.wgslLanguageFeatures?.has('packed_4x8_integer_dot_product') ?? false;
    this.threads = Math.min(device.limits.maxComputeInvocationsPerWorkgroup, device.limits.maxComputeWorkgroupSizeX);
    this.#uniforms = this.#create(this.#params.byteLength, USAGE.uniform | USAGE.copyTarget);
    const [one] = new Uint32Array(Float32Array.of(1).buffer);
    for (let at = 0; at < this.#params.length; at += UNIFORM_STEP / 4) this.#params[at] = one;
    this.#lost = device.lost.then(({ message, reason }) => {
      this.failure ??= reason === 'destroyed' ? 'it was closed' : `it was lost (${message || 'no reason given'})`;
      throw new DeviceFailure(this.failure);
    });
    this.#lost.catch(() => {});
    device.addEventListener?.('uncapturederror', (event) => {
      this.failure ??= `it reported an error (${(event as GPUUncapturedErrorEvent).error.message})`;
    });
  }

  /** Opens the device of this GPU, or returns the reason why it cannot be opened. If `hardwareOnly` is true, a software driver is not opened. */
  static async open(gpu: GPU, hardwareOnly = false): Promise<Gpu | string> {
    try {
      const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
      if (!adapter) return 'WebGPU finds no graphics adapter';
      const { info } = adapter;
      const software =
        info.isFallbackAdapter ||
        /swiftshader|llvmpipe|lavapipe|basic render/i.test(`${info.architecture} ${info.device} ${info.description}`);
      if (software && hardwareOnly) return 'its driver is software';
      const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
      const [maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX] = [
        adapter.limits.maxComputeInvocationsPerWorkgroup,
        adapter.limits.maxComputeWorkgroupSizeX,
      ].map((limit) => Math.min(limit, MOST_THREADS));
      const requiredLimits = {
        maxBufferSize,
        maxStorageBufferBindingSize,
        maxComputeInvocationsPerWorkgroup,
        maxComputeWorkgroupSizeX,
      };
      const device = await adapter.requestDevice({ requiredLimits });
      return new Gpu(gpu, device, info, software);
    } catch (error) {
      return `WebGPU refuses a device (${messageOf(error)})`;
    }
  }

  close(): void {
    this.#dropSpare();
    for (const { buffer } of this.#staging) this.#destroy(buffer);
    this.#destroy(this.#uniforms);
    if (this.#readBuffer) this.#destroy(this.#readBuffer);
    this.failure ??= 'it was closed';
    this.device.destroy();
  }

  check(): void {
    if (this.failure !== undefined) throw new DeviceFailure(this.failure);
  }

  /** Returns a buffer for kernels with arbitrary content. Throws if the device has too little memory. */
  async allocate(bytes: number): Promise<GPUBuffer> {
    this.check();
    const spare = this.#spare.get(sizeOf(bytes))?.pop();
    if (spare) {
      this.#spareBytes -= spare.size;
      return spare;
    }
    this.device.pushErrorScope('out-of-memory');
    this.device.pushErrorScope('validation');
    const buffer = this.#create(bytes, USAGE.storage | USAGE.copySource | USAGE.copyTarget);
    const problems = [await this.device.popErrorScope(), await this.device.popErrorScope()];
    const problem = problems.find((one) => one !== null);
    if (problem) {
      this.#destroy(buffer);
      if (this.#spareBytes > 0) {
        this.#dropSpare();
        return this.allocate(bytes);
      }
      throw new DeviceFailure(`it has no memory for ${Math.ceil(bytes / 2 ** 20)} MB more (${problem.message})`);
    }
    return buffer;
  }

  #create(bytes: number, usage: number): GPUBuffer {
    const size = sizeOf(bytes);
    const buffer = this.device.createBuffer({ size, usage });
    this.buffers.created++;
    this.buffers.bytes += size;
    return buffer;
  }

  /** Frees a buffer from `allocate`. Some buffers are kept for later passes, because creating one takes a millisecond or more. */
  free(buffer: GPUBuffer): void {
    if (this.failure === undefined && this.#spareBytes + buffer.size <= MOST_SPARE) {
      const same = this.#spare.get(buffer.size) ?? [];
      this.#spare.set(buffer.size, same);
      same.push(buffer);
      this.#spareBytes += buffer.size;
      this.#dropLater();
      return;
    }
    this.#destroy(buffer);
    if (this.failure === undefined && this.#spareBytes > 0) this.#dropSpare();
  }

  /** Bytes of buffers in use, without spare ones. */
  get inUse(): number {
    return this.buffers.bytes - this.#spareBytes;
  }

  /** Destroys spare buffers when no buffer has been freed for some seconds. */
  #dropLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#dropSpare(), IDLE_MS);
    // Otherwise the timer would keep a Node process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #dropSpare(): void {
    clearTimeout(this.#timer);
    for (const buffers of this.#spare.values()) for (const buffer of buffers) this.#destroy(buffer);
    this.#spare.clear();
    this.#spareBytes = 0;
  }

  #destroy(buffer: GPUBuffer): void {
    this.buffers.destroyed++;
    this.buffers.bytes -= buffer.size;
    buffer.destroy();
  }

  /** Returns the pipeline of this name, compiled on first use. `createComputePipelineAsync` crashes some releases of Dawn, so it is not used. */
  pipeline(name: string, code: () => string): GPUComputePipeline {
    let pipeline = this.#pipelines.get(name);
    if (!pipeline) {
      const module = this.device.createShaderModule({ label: name, code: code() });
      pipeline = this.device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
      this.#pipelines.set(name, pipeline);
    }
    return pipeline;
  }

  /** Adds a dispatch to the commands that the next slice submits. Binding 0 is the uniform of `params`, the others are `buffers`. */
  dispatch(
    pipeline: GPUComputePipeline,
    params: readonly number[],
    buffers: readonly GPUBuffer[],
    [x, y = 1, z = 1]: readonly [number, number?, number?],
  ): void {
    if (this.#dispatches === MOST_DISPATCHES) this.submit();
    const offset = this.#dispatches++ * UNIFORM_STEP;
    this.#params.set(params, offset / 4 + 2);
    const entries: GPUBindGroupEntry[] = [
      { binding: 0, resource: { buffer: this.#uniforms, offset, size: UNIFORM_BYTES } },
    ];
    for (const buffer of buffers) entries.push({ binding: entries.length, resource: { buffer } });
    let layout = this.#layouts.get(pipeline);
    if (!layout) {
      layout = pipeline.getBindGroupLayout(0);
      this.#layouts.set(pipeline, layout);
    }
    this.#pass ??= this.#commands.beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, this.device.createBindGroup({ layout, entries }));
    this.#pass.dispatchWorkgroups(x, y, z);
  }

  /** Ends the compute pass and returns the encoder for other commands. */
  get #commands(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder ??= this.device.createCommandEncoder();
    return this.#encoder;
  }

  /** Sets the whole buffer to zero. */
  clear(buffer: GPUBuffer): void {
    this.#commands.clearBuffer(buffer);
  }

  /** Copies the first `bytes` bytes of `from` to offset `at` of `to`. */
  copy(from: GPUBuffer, to: GPUBuffer, at: number, bytes: number): void {
    this.#commands.copyBufferToBuffer(from, 0, to, at, bytes);
  }

  /** Submits the added commands. Uniforms may be overwritten afterwards, because the queue keeps the order. */
  submit(): void {
    if (!this.#encoder) return;
    const { queue } = this.device;
    if (this.#dispatches > 0)
      queue.writeBuffer(this.#uniforms, 0, this.#params, 0, (this.#dispatches * UNIFORM_STEP) / 4);
    queue.submit([this.#commands.finish()]);
    this.#encoder = undefined;
    this.#dispatches = 0;
    this.#added = 0;
  }

  /** Maximum operations of one slice. */
  get slice(): number {
    return this.#slice;
  }

  /** Counts the operations of added commands. Submits the commands, and waits when they fill a slice. `onSlice` may throw to cancel. */
  async step(operations: number, onSlice: () => void | Promise<void>): Promise<void> {
    this.#work += operations;
    this.#added += operations;
    if (this.#added >= this.#slice * SUBMISSION) this.submit();
    if (this.#work < this.#slice) return;
    await this.finish();
    await onSlice();
  }

  /** Submits the commands, waits until all work is done, and adapts the size of slices. */
  async finish(): Promise<void> {
    const start = performance.now();
    this.submit();
    await this.wait(this.device.queue.onSubmittedWorkDone());
    const ratio = SLICE_MS / Math.max(0.1, performance.now() - start);
    if (this.#work >= this.#slice || ratio < 1) {
      this.#slice = Math.max(1e6, Math.min(this.#work, this.#slice) * Math.min(8, Math.max(0.1, ratio)));
    }
    this.#work = 0;
  }

  /** Waits for a promise of the device. Throws if the device is lost or does not answer. */
  async wait<Value>(promise: Promise<Value>): Promise<Value> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.failure ??= `it did not answer for ${HANGS_MS / 1000} seconds`;
        reject(new DeviceFailure(this.failure));
      }, HANGS_MS);
    });
    try {
      const value = await Promise.race([promise, this.#lost, hangs]);
      this.check();
      return value;
    } catch (error) {
      if (error instanceof DeviceFailure) throw error;
      this.failure ??= `a transfer failed (${messageOf(error)})`;
      throw new DeviceFailure(this.failure);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Writes numbers into a buffer through the queue, for small or packed arrays. */
  write(buffer: GPUBuffer, numbers: Float32Array, at = 0): void {
    // Commands that were added before must read the old content of the buffer.
    this.submit();
    this.device.queue.writeBuffer(buffer, at, numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.byteLength);
  }

  /** Uploads `bytes` bytes in pieces. `fill` writes the piece that begins at `start` into staging memory. */
  async upload(
    target: GPUBuffer,
    bytes: number,
    fill: (into: Uint8Array, start: number) => void,
    onSlice: () => void | Promise<void>,
  ): Promise<void> {
    this.submit();
    if (bytes <= SMALL_UPLOAD) {
      const all = new Uint8Array(Math.ceil(bytes / 4) * 4);
      fill(all.subarray(0, bytes), 0);
      this.device.queue.writeBuffer(target, 0, all);
      return;
    }
    for (let start = 0; start < bytes; start += STAGING_BYTES) {
      const count = Math.min(STAGING_BYTES, bytes - start);
      const padded = Math.ceil(count / 4) * 4;
      const staging = this.#stagingBuffer();
      await this.wait(staging.ready);
      fill(new Uint8Array(staging.buffer.getMappedRange(0, padded), 0, count), start);
      staging.buffer.unmap();
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(staging.buffer, 0, target, start, padded);
      this.device.queue.submit([encoder.finish()]);
      staging.ready = staging.buffer.mapAsync(USAGE.mapWrite);
      staging.ready.catch(() => {});
      await onSlice();
    }
  }

  #stagingBuffer(): { buffer: GPUBuffer; ready: Promise<unknown> } {
    if (this.#staging.length < STAGING_BUFFERS) {
      const buffer = this.#create(STAGING_BYTES, USAGE.mapWrite | USAGE.copySource);
      const ready = buffer.mapAsync(USAGE.mapWrite);
      ready.catch(() => {});
      this.#staging.push({ buffer, ready });
      return this.#staging[this.#staging.length - 1];
    }
    this.#nextStaging = (this.#nextStaging + 1) % STAGING_BUFFERS;
    return this.#staging[this.#nextStaging];
  }

  /**
   * Reads floats from buffers of the same size, piece by piece. `visit` receives the same piece of each buffer and its start. Pieces are
   * multiples of `unit` floats.
   */
  async read(
    sources: readonly GPUBuffer[],
    floats: number,
    visit: (pieces: Float32Array[], start: number) => void,
    unit = 1,
  ): Promise<void> {
    // All reads share one buffer, so they run one after the other.
    const before = this.#reading;
    let done: () => void = () => {};
    this.#reading = new Promise<void>((resolve) => {
      done = resolve;
    });
    try {
      await before;
      this.check();
      this.#readBuffer ??= this.#create(STAGING_BYTES, USAGE.mapRead | USAGE.copyTarget);
      const buffer = this.#readBuffer;
      const most = Math.floor(STAGING_BYTES / 4 / sources.length / unit) * unit;
      for (let start = 0; start < floats; start += most) {
        const count = Math.min(most, floats - start);
        // Mapped ranges must start at multiples of 8 bytes.
        const room = Math.ceil(count / 2) * 8;
        for (const [i, source] of sources.entries()) {
          this.#commands.copyBufferToBuffer(source, start * 4, buffer, i * room, count * 4);
        }
        this.submit();
        await this.wait(buffer.mapAsync(USAGE.mapRead, 0, sources.length * room));
        const mapped = buffer.getMappedRange(0, sources.length * room);
        visit(
          sources.map((_, i) => new Float32Array(mapped, i * room, count)),
          start,
        );
        buffer.unmap();
      }
    } finally {
      done();
    }
  }
}

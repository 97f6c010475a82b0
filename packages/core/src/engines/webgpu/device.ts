import { messageOf } from '../../errors.js';
import type { Arithmetic } from './arithmetic.js';

/** Why a device cannot go on: it was lost, it has no memory left, or it computed something wrong. The pass is repeated elsewhere. */
export class DeviceFailure extends Error {
  override readonly name = 'DeviceFailure';
}

/** Staging buffers, and their bytes: with some of 16 or 32 MB, mapped again and again, uploads are four times as fast as `writeBuffer`. */
const STAGING_BUFFERS = 3;
const STAGING_BYTES = 32 * 2 ** 20;
/** Uploads of up to so many bytes take less time without staging. */
const SMALL_UPLOAD = 2 ** 18;
/** Milliseconds that the work submitted at a time should take: below 50, desktops stay responsive. */
const SLICE_MS = 25;
/** Commands are submitted when they are such a part of a slice: about a millisecond of work. */
const SUBMISSION = 1 / SLICE_MS;
/** Milliseconds after which a device that does not answer counts as lost. */
const HANGS_MS = 30_000;
/** Work of the first slice, in operations: a millisecond of a slow device. */
const FIRST_SLICE = 1e7;

/** Bytes of buffers that are kept for later passes, and for how many milliseconds. */
const MOST_SPARE = 1024 * 2 ** 20;
const IDLE_MS = 5000;

/** Dispatches of one submission, and bytes from the uniforms of one to those of the next. */
const MOST_DISPATCHES = 256;
const UNIFORM_STEP = 256;
const UNIFORM_BYTES = 64;
/** Most threads of a workgroup that some kernel uses. */
const MOST_THREADS = 1024;

const sizeOf = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);

const USAGE = { mapRead: 1, mapWrite: 2, copySource: 4, copyTarget: 8, uniform: 64, storage: 128 } as const;

/** One WebGPU device: buffers, pipelines, transfers, and work in slices. */
export class Gpu {
  /** Kept alive: Dawn in Node stops when this object is collected. */
  readonly instance: GPU;
  readonly device: GPUDevice;
  readonly adapter: string;
  /** Whether it is a software driver: correct, and slower than the wasm engine. */
  readonly software: boolean;
  /** Most bytes of a buffer that a kernel can read. */
  readonly largestBinding: number;
  /** Bytes of data that may stay on the device. */
  readonly memory: number;
  /** Whether kernels can multiply four bytes at a time. */
  readonly packedProducts: boolean;
  /** Threads of a workgroup, at most. */
  readonly threads: number;
  /** Buffers that were created and destroyed, and bytes that are in use now. */
  readonly buffers = { created: 0, destroyed: 0, bytes: 0 };
  /** Set when the probe has found the forms that are exact here. */
  arithmetic: Arithmetic = { sum: 'plain', product: 'fma' };
  /** Why the device is not used any more. */
  failure: string | undefined;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  readonly #layouts = new Map<GPUComputePipeline, GPUBindGroupLayout>();
  readonly #spare = new Map<number, GPUBuffer[]>();
  #spareBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Parameters of the dispatches that were added, and the buffer that they are written to when these are submitted. */
  readonly #params = new Uint32Array((MOST_DISPATCHES * UNIFORM_STEP) / 4);
  readonly #uniforms: GPUBuffer;
  #dispatches = 0;
  readonly #staging: { buffer: GPUBuffer; ready: Promise<unknown> }[] = [];
  #nextStaging = 0;
  #readBuffer: GPUBuffer | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  /** Operations since the device was waited for, and of commands that are not submitted yet. */
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

  /** The device of this GPU, or why there is none. `hardwareOnly` opens no software driver. */
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

  /** A buffer for kernels, with anything in it. Fails where the device has not that much memory. */
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

  /** Gives a buffer of `allocate` back. Some are kept for the next passes: creating one takes a millisecond or more. */
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

  /** Bytes of buffers that something uses. */
  get inUse(): number {
    return this.buffers.bytes - this.#spareBytes;
  }

  /** Spare buffers are destroyed when nothing has been freed for some seconds. */
  #dropLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#dropSpare(), IDLE_MS);
    // In Node a timer would keep the process alive.
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

  /** The pipeline of this name, compiled on first use. Not `createComputePipelineAsync`: that ends the process in some releases of Dawn. */
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

  /** Where commands other than dispatches are added. */
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

  /** Copies the first bytes of a buffer to that place of another. */
  copy(from: GPUBuffer, to: GPUBuffer, at: number, bytes: number): void {
    this.#commands.copyBufferToBuffer(from, 0, to, at, bytes);
  }

  /** Submits what was added so far. Uniforms may be written again then: the queue keeps the order. */
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

  /** Operations that one slice may take. */
  get slice(): number {
    return this.#slice;
  }

  /** Counts the operations that were added; submits them, and waits, where they are enough for a slice. `onSlice` may throw to cancel. */
  async step(operations: number, onSlice: () => void | Promise<void>): Promise<void> {
    this.#work += operations;
    this.#added += operations;
    if (this.#added >= this.#slice * SUBMISSION) this.submit();
    if (this.#work < this.#slice) return;
    await this.finish();
    await onSlice();
  }

  /** Submits and waits until all work is done; the next slices are as long as this one suggests. */
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

  /** Waits for a promise of the device, at most until it is lost or seems to hang. */
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

  /** Writes numbers into a buffer, by the queue: for small arrays, and what is already packed. */
  write(buffer: GPUBuffer, numbers: Float32Array, at = 0): void {
    // Commands that were added before read what the buffer held before.
    this.submit();
    this.device.queue.writeBuffer(buffer, at, numbers.buffer as ArrayBuffer, numbers.byteOffset, numbers.byteLength);
  }

  /** Uploads `bytes` bytes; `fill` writes part of them, from `start` on, into the staging memory that it is given. */
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
   * Reads floats of buffers of the same size back, piece by piece; `visit` gets the same piece of each and where it starts. Pieces are
   * multiples of `unit` floats.
   */
  async read(
    sources: readonly GPUBuffer[],
    floats: number,
    visit: (pieces: Float32Array[], start: number) => void,
    unit = 1,
  ): Promise<void> {
    // There is one buffer to read through, so reads queue up.
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
        // Ranges that are mapped start at multiples of 8 bytes.
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

import { availableParallelism } from 'node:os';
import { type DenseBlock, type Engine, referenceEngine } from '@scree/core';
import { compileKernels, openDevice, wasmEngineOrWhy } from '@scree/core/engine';
import { blasEngine, loadBlas } from './blas/blas.js';
import type { EngineName } from './engine-names.js';
import { provideNodeGpu } from './webgpu/provide.js';

const reference = referenceEngine();

/** Whether an engine is available on this machine, and how fast it is. */
export interface EngineDiagnosis {
  readonly name: string;
  readonly available: boolean;
  /** What it runs on: the library with its version, or the kind of SIMD. */
  readonly what: string;
  /** Where the library was found. */
  readonly path?: string;
  readonly threads?: number;
  /** Whether the dense eigenproblem goes to LAPACK. */
  readonly lapack?: boolean;
  /** Measured on a `gram` pass, counting n·d² operations: in float64, and in float32 where the engine has it. */
  readonly gflops?: number;
  readonly singleGflops?: number;
  /** Measured upload to the device, in GB/s. */
  readonly upload?: number;
  /** Why it is not available, and what to do. */
  readonly why?: string;
}

/** The machine as scree sees it; as a string, a table for people. */
export interface Diagnosis {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly engines: readonly EngineDiagnosis[];
  toString(): string;
}

/** Approximate milliseconds of a measurement. */
const MEASURING_TIME = 150;
/** Rows of the largest block that is measured. */
const MAX_ROWS = 8192;

const DIAGNOSES: Readonly<Record<EngineName, () => Promise<EngineDiagnosis>>> = {
  reference: diagnoseReference,
  wasm: diagnoseWasm,
  blas: diagnoseBlas,
  webgpu: diagnoseWebGpu,
};

/** Lists the engines of this machine, what they run on, and a measured speed of each. Takes about a second. */
export async function doctor(): Promise<Diagnosis> {
  const engines: EngineDiagnosis[] = [];
  // One after the other, so that the measurements do not disturb each other.
  for (const diagnose of Object.values(DIAGNOSES)) engines.push(await diagnose());
  const facts = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    engines,
  };
  return { ...facts, toString: () => formatDiagnosis(facts) };
}

async function diagnoseReference(): Promise<EngineDiagnosis> {
  return {
    name: 'reference',
    available: true,
    what: 'plain TypeScript',
    threads: reference.threads,
    gflops: await measure(reference),
  };
}

async function diagnoseWasm(): Promise<EngineDiagnosis> {
  const [engine, kernels] = [await wasmEngineOrWhy(), await compileKernels()];
  if (typeof engine === 'string') return { name: 'wasm', available: false, what: 'WebAssembly', why: engine };
  return {
    name: 'wasm',
    available: true,
    what: kernels?.relaxed ? 'relaxed SIMD (fused multiply-add)' : 'plain SIMD',
    threads: engine.threads,
    gflops: await measure(engine),
    ...(engine.float32 ? { singleGflops: await measure(engine.float32) } : {}),
  };
}

async function diagnoseBlas(): Promise<EngineDiagnosis> {
  const [engine, blas] = [await blasEngine(), await loadBlas()];
  if (typeof blas === 'string') return { name: 'blas', available: false, what: 'native BLAS', why: blas };
  if (!engine) return { name: 'blas', available: false, what: 'native BLAS', why: 'it could not be made' };
  const { library, lapack } = blas;
  return {
    name: 'blas',
    available: true,
    what: `${library.kind} ${library.version}`,
    path: library.path,
    threads: engine.threads,
    lapack: lapack !== undefined,
    gflops: await measure(engine),
    ...(engine.float32 ? { singleGflops: await measure(engine.float32) } : {}),
  };
}

async function diagnoseWebGpu(): Promise<EngineDiagnosis> {
  provideNodeGpu();
  const opened = await openDevice();
  if (typeof opened === 'string') return { name: 'webgpu', available: false, what: 'a GPU', why: opened };
  const { gpu } = opened;
  const { rates, float32, threads } = await opened.engine();
  const driver = gpu.software ? ' (a software driver: slower than wasm, and never chosen)' : '';
  return {
    name: 'webgpu',
    available: true,
    what: `${gpu.adapter}${driver}`,
    threads,
    // A software driver would take minutes to measure.
    ...(gpu.software
      ? {}
      : { gflops: rates.products, singleGflops: float32?.rates.products ?? 0, upload: rates.upload ?? 0 }),
  };
}

/** Billions of operations per second in `gram`: the best of several passes. */
async function measure(engine: Engine): Promise<number> {
  const cols = 384;
  let state = 1;
  const data = new Float64Array(MAX_ROWS * cols);
  for (let i = 0; i < 64 * cols; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2 ** 32;
  }
  for (let rows = 64; rows < MAX_ROWS; rows *= 2) data.copyWithin(rows * cols, 0, rows * cols);
  const frame = { shift: new Float64Array(cols).fill(0.5), factor: new Float64Array(cols).fill(1) };
  const scatter = new Float64Array(cols * cols);
  let rows = 64;
  let best = 0;
  // The first pass starts threads and compiles, so time starts after it.
  for (let end = Number.POSITIVE_INFINITY; ; ) {
    const block: DenseBlock = { kind: 'dense', rows, cols, stride: cols, data: data.subarray(0, rows * cols) };
    const loaded = await engine.load(block);
    const start = performance.now();
    await loaded.gram(frame, scatter, () => {});
    const now = performance.now();
    loaded.release();
    best = Math.max(best, (rows * cols * cols) / (now - start) / 1e6);
    if (now > end) return best;
    end = Math.min(end, now + MEASURING_TIME);
    // Short passes are repeated with more rows.
    if (now - start < MEASURING_TIME / 8) rows = Math.min(MAX_ROWS, rows * 2);
  }
}

/** A diagnosis as lines of text. */
export function formatDiagnosis({ node, platform, cores, engines }: Omit<Diagnosis, 'toString'>): string {
  const lines = engines.map(({ name, available, what, path, threads, lapack, gflops, singleGflops, upload, why }) => {
    if (!available) return `  ${name.padEnd(10)}not available: ${why}.`;
    const facts = [
      what,
      `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
      ...(gflops === undefined ? [] : [`${gflops.toPrecision(3)} GFLOP/s`]),
      ...(singleGflops === undefined ? [] : [`${singleGflops.toPrecision(3)} in float32`]),
      ...(upload === undefined ? [] : [`upload ${upload.toPrecision(2)} GB/s`]),
      ...(lapack === undefined ? [] : [lapack ? 'LAPACK' : 'no LAPACK']),
      ...(path === undefined ? [] : [path]),
    ];
    return `  ${name.padEnd(10)}${facts.join(', ')}`;
  });
  return [`Node ${node}, ${platform}, ${cores} ${cores === 1 ? 'core' : 'cores'}`, 'Engines:', ...lines].join('\n');
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Engine, referenceEngine } from '@scree/core';
import { compileKernels, openDevice, wasmEngineOrWhy } from '@scree/core/engine';
import { blasEngine, loadBlas } from './blas/blas.js';
import type { EngineName } from './engine-names.js';
import { loadOptional, OPTIONAL_PACKAGES, type OptionalPackage } from './optional-package.js';
import { provideNodeGpu } from './webgpu/provide.js';

const reference = referenceEngine();

/** An engine on this machine: its library and speed, or the reason why it is not available. */
export interface EngineDiagnosis {
  readonly name: string;
  readonly available: boolean;
  /** The library with its version, or the kind of SIMD. */
  readonly what: string;
  /** The path of the library. */
  readonly path?: string;
  readonly threads?: number;
  /** True if LAPACK solves the dense eigenproblem. */
  readonly lapack?: boolean;
  /** Measured on the pass of the covariance solver, counting n·d² operations: in float64, and in float32 if the engine has it. */
  readonly gflops?: number;
  readonly singleGflops?: number;
  /** Measured upload to the device, in GB/s. */
  readonly upload?: number;
  /** Why the engine is not available, and what to do. */
  readonly why?: string;
}

/** An optional package: its purpose, and its version or the reason why it is not available. */
export interface PackageDiagnosis {
  readonly name: string;
  readonly purpose: string;
  /** Undefined if the package is not available. */
  readonly version?: string;
  /** Why the package is not available, and how to install it. */
  readonly why?: string;
}

/** The machine, its engines and the optional packages. `toString` writes a table. */
export interface Diagnosis {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly engines: readonly EngineDiagnosis[];
  readonly packages: readonly PackageDiagnosis[];
  toString(): string;
}

/** Rows of the first and of the largest block that is measured: 200 MB. */
const FIRST_ROWS = 128;
const MAX_ROWS = 32_768;
/** Minimum duration, in seconds, of a measured pass. */
const MIN_SECONDS = 0.04;

const DIAGNOSES: Readonly<Record<EngineName, () => Promise<EngineDiagnosis>>> = {
  reference: diagnoseReference,
  wasm: diagnoseWasm,
  blas: diagnoseBlas,
  webgpu: diagnoseWebGpu,
};

/** Lists the engines of this machine with a measured speed of each, and the optional packages. Takes some seconds. */
export async function doctor(): Promise<Diagnosis> {
  const engines: EngineDiagnosis[] = [];
  // One after the other, so that measurements do not disturb each other.
  for (const diagnose of Object.values(DIAGNOSES)) engines.push(await diagnose());
  const facts = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
    engines,
    packages: await diagnosePackages(),
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
  const { gpu, rates } = opened;
  const driver = gpu.software ? ' (a software driver: slower than wasm, and never chosen)' : '';
  return {
    name: 'webgpu',
    available: true,
    what: `${gpu.adapter}${driver}`,
    threads: (await opened.engine()).threads,
    // A software driver would take minutes to measure.
    ...(gpu.software ? {} : { gflops: rates.two, singleGflops: rates.float32, upload: rates.upload }),
  };
}

async function diagnosePackages(): Promise<PackageDiagnosis[]> {
  const names = Object.keys(OPTIONAL_PACKAGES) as OptionalPackage[];
  return Promise.all(
    names.map(async (name) => {
      const { purpose } = OPTIONAL_PACKAGES[name];
      const loaded = await loadOptional(name);
      if (typeof loaded === 'string') return { name, purpose, why: loaded };
      return { name, purpose, version: await versionOf(name) };
    }),
  );
}

/** The version of an installed package. Reads package.json from the folders of node_modules, because few packages export it. */
async function versionOf(name: string): Promise<string> {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const manifest = await readFile(join(folder, name, 'package.json'), 'utf8').catch(() => undefined);
    if (manifest !== undefined) return (JSON.parse(manifest) as { readonly version: string }).version;
  }
  return 'installed';
}

/**
 * Billions of operations per second in the pass of the covariance solver, which reads rows from the caller's memory, centres them and sums
 * their products. The number of columns is that of images. The number of rows grows until a pass takes long enough that the start of threads and
 * libraries does not count. The result is the median of three passes.
 */
async function measure(engine: Engine): Promise<number> {
  const cols = 768;
  const at = { first: 0, weights: undefined, columnNames: undefined };
  const seconds = async (rows: number): Promise<number> => {
    const loaded = await engine.load({ kind: 'dense', rows, cols, stride: cols, data: data.subarray(0, rows * cols) });
    const scatter = new Float64Array(cols * cols);
    const start = performance.now();
    await loaded.summarise(at, scatter, () => {});
    const time = performance.now() - start;
    loaded.release();
    return time / 1000;
  };
  let rows = FIRST_ROWS;
  let data = pseudoRandomRows(rows, cols);
  // The first pass starts threads and compiles.
  await seconds(rows);
  while ((await seconds(rows)) < MIN_SECONDS && rows < MAX_ROWS) {
    rows *= 4;
    data = pseudoRandomRows(rows, cols);
  }
  const times = [await seconds(rows), await seconds(rows), await seconds(rows)].sort((a, b) => a - b);
  return (rows * cols * cols) / times[1] / 1e9;
}

/** Pseudo-random rows. The first ones are repeated. */
function pseudoRandomRows(rows: number, cols: number): Float64Array {
  const data = new Float64Array(rows * cols);
  let state = 1;
  for (let i = 0; i < Math.min(rows, FIRST_ROWS) * cols; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2 ** 32;
  }
  for (let done = FIRST_ROWS; done < rows; done *= 2) data.copyWithin(done * cols, 0, done * cols);
  return data;
}

/** Writes a diagnosis as lines of text. */
export function formatDiagnosis({ node, platform, cores, engines, packages }: Omit<Diagnosis, 'toString'>): string {
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
  const width = Math.max(...packages.map(({ name }) => name.length)) + 2;
  const installed = packages.map(
    ({ name, version, purpose, why }) => `  ${name.padEnd(width)}${why ?? version}; for ${purpose}`,
  );
  const machine = `Node ${node}, ${platform}, ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  return [machine, 'Engines:', ...lines, 'Optional packages:', ...installed].join('\n');
}

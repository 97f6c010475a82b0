import { type Engine, OptionError, referenceEngine, wasmEngine } from '@scree/core';
import type { Block } from '@scree/core/data';
import { addressSpaceLeft } from '@scree/core/engine';
import { BlasDense } from './dense.js';
import { lapackEigen } from './eigen.js';
import { bindLapack, bindProducts, type Lapack, type MatrixProducts } from './functions.js';
import { findLibrary, howToInstall, type Library, loadKoffi } from './library.js';
import { canPack, type FloatBlock } from './pack.js';
import { MOST_CLASSES } from './row-widths.js';
import { ThreadSetting } from './thread-setting.js';
import { DUAL_COLS, rowsPerTile } from './tiles.js';

const reference = referenceEngine();

/** The threads of the BLAS library. */
export interface BlasOptions {
  /** Number of threads of the library, for the whole process. Default: the library's choice. */
  readonly threads?: number | undefined;
}

/** A library with its thread setting and the functions that the engine uses. */
export interface Blas {
  readonly library: Library;
  readonly threadSetting: ThreadSetting;
  readonly double: MatrixProducts;
  readonly single: MatrixProducts | undefined;
  readonly lapack: Lapack | undefined;
}

/** Number of threads that the plan assumes, on every machine: see `Engine.rates`. */
const PLAN_THREADS = 4;
/** Maximum number of threads: less than the number of simultaneous calls that koffi allows. */
export const MAX_THREADS = 128;
/** Minimum address space in bytes. A library needs less for its threads and their buffers. */
const ADDRESS_SPACE = 2 ** 31;
/** Minimum rows and columns of a product that is enough work for more than four threads. */
const LARGE = 512;
/** Up to this size, the eigenproblem is faster without the library. */
const SMALL = 32;

/** The library, or the reason why there is none. Cached for the process. */
let loading: Promise<Blas | string> | undefined;
/** The engine that uses the library. Cached for the process. */
let made: Engine | undefined;

/** Returns the fast BLAS library of this machine, or the reason why none was found. The search runs once. */
export function loadBlas(): Promise<Blas | string> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Blas | string> {
  const koffi = await loadKoffi();
  if (typeof koffi === 'string') return koffi;
  if (addressSpaceLeft() < ADDRESS_SPACE) {
    return 'the address space of this process is limited (ulimit -v), and OpenBLAS may wait forever if it gets too little';
  }
  const library = findLibrary(koffi);
  if (typeof library === 'string') return library;
  if (!canPack()) {
    return 'it needs WebAssembly memory to pack rows, which is not available: WebAssembly is switched off (node --jitless), or the address space is limited (ulimit -v)';
  }
  const threadSetting = new ThreadSetting(library);
  const double = bindProducts(library, threadSetting, false);
  if (!double) return `${library.path} has no cblas_dsyrk and cblas_dgemm. ${howToInstall()}`;
  return {
    library,
    threadSetting,
    double,
    single: bindProducts(library, threadSetting, true),
    lapack: bindLapack(library, threadSetting),
  };
}

/**
 * Returns the engine on the OpenBLAS, MKL or Accelerate of this machine, called through koffi. SCREE_BLAS names another library. Returns
 * undefined if the library or koffi is missing; `doctor()` reports the reason.
 */
export async function blasEngine(options: BlasOptions = {}): Promise<Engine | undefined> {
  const { threads } = options;
  if (threads !== undefined && !(Number.isSafeInteger(threads) && threads >= 1 && threads <= MAX_THREADS)) {
    throw new OptionError('BAD_OPTION', `threads is ${threads}; it must be a whole number from 1 to ${MAX_THREADS}.`, {
      option: 'threads',
      value: threads,
    });
  }
  const blas = await loadBlas();
  if (typeof blas === 'string') return undefined;
  if (threads !== undefined) blas.threadSetting.threads = threads;
  made ??= makeEngine(blas, await wasm());
  return made;
}

/**
 * Makes the engine. It uses the Krylov basis of the wasm engine, which projects few vectors in one reading on all threads. BLAS needs two
 * readings.
 */
function makeEngine(blas: Blas, { basis }: Engine): Engine {
  const single = blas.single && engineOf(blas, 'blas float32', blas.single, 2 ** -24, 80);
  return engineOf(blas, 'blas', blas.double, 2 ** -53, 40, {
    ...(single && { float32: single }),
    ...(basis && { basis }),
  });
}

/** Returns true if BLAS can read a block: rows of float32 or float64. Sparse rows, integers and float16 use the wasm engine, which is as accurate. */
function isFloats(block: Block): block is FloatBlock {
  return (
    block.kind === 'dense' && !block.half && (block.data instanceof Float64Array || block.data instanceof Float32Array)
  );
}

async function wasm(): Promise<Engine> {
  return (await wasmEngine()) ?? reference;
}

/** Makes the engine in one precision. `u` is its unit roundoff, `rate` the speed of a thread in GFLOP/s. */
function engineOf(
  { library, threadSetting, lapack }: Blas,
  name: string,
  products: MatrixProducts,
  u: number,
  rate: number,
  more: Pick<Engine, 'float32' | 'basis'> = {},
): Engine {
  // One thread packs the numbers. With few columns, packing takes most of the time.
  const ratesOn = (threads: number): Engine['rates'] => ({
    products: rate * threads,
    sparse: reference.rates.sparse,
    eigen: lapack ? 12 : 4,
    reading: 0.42,
  });
  return {
    name,
    get threads() {
      return threadSetting.threads;
    },
    rates: ratesOn(PLAN_THREADS),
    // One thread packs, so more than eight threads save nothing (bench/scaling.ts).
    machineRates: ratesOn(Math.min(8, library.threads())),
    load: async (block) => {
      if (!isFloats(block)) return (await wasm()).load(block);
      const large = threadSetting.many && Math.min(block.rows, block.cols) >= LARGE;
      return new BlasDense(block, large ? products.singleLane : products);
    },
    keepsMatrix: true,
    async symmetricEigen(a, size, count, onStep) {
      const found = lapack && size > SMALL ? await lapackEigen(library, lapack, a, size, count, onStep) : undefined;
      return found ?? (await wasm()).symmetricEigen(a.slice(), size, count, onStep);
    },
    roundoff(n, d, sparse) {
      if (sparse) return reference.roundoff(n, d, sparse);
      // The bound holds for both tile sizes: of several calls at the same time, and of a single call on all threads.
      const worst = (lanes: number): number => {
        const height = rowsPerTile(n, d, products.bytes, lanes);
        // With classes of rows there are more and smaller tiles.
        const least = rowsPerTile(n, d, products.bytes, lanes, lanes + MOST_CLASSES);
        const tiles = 2 ** -53 * (Math.ceil(n / least) + MOST_CLASSES + lanes);
        // The order of additions in BLAS is unknown, so the rows of a tile count as one chain, in the precision of the products. If the
        // provisional mean is off by half a standard deviation, squares about it are larger by a quarter. Rows that are read in place have
        // up to half of their energy in the shift: √1.5 + √0.5 times the energy in total.
        const chain = 2 * (u * (d + height + 16) + tiles);
        // The error of the means: sums over strips of up to 64 rows, then over the strips of a tile, then over the tiles.
        return chain + 1.2 * (2 ** -53 * (64 + height) + tiles);
      };
      return Math.max(worst(products.lanes), worst(1));
    },
    // Rows are multiplied in tiles of columns, whose products are added up. Images of few vectors sum over all rows in one product. Blocks
    // in the wasm engine have tiles of 256 columns.
    dualRoundoff: (n, d) => u * (16 + products.lanes + Math.max(DUAL_COLS + Math.ceil(d / 256), n)),
    ...more,
  };
}

import { type Block, type Engine, OptionError, referenceEngine, wasmEngine } from '@scree/core';
import { addressSpaceLeft } from '@scree/core/engine';
import { BlasDense, type FloatBlock } from './dense.js';
import { lapackEigen } from './eigen.js';
import { bindLapack, bindProducts, type Lapack, type Products } from './functions.js';
import { findLibrary, howToInstall, type Library, loadKoffi } from './library.js';
import { canPack } from './pack.js';
import { Crew } from './thread-count.js';
import { tileRows } from './tiles.js';

const reference = referenceEngine();

export interface BlasOptions {
  /** Threads to work on, for the whole process. Default what the library would choose itself. */
  readonly threads?: number;
}

/** A library with what of it is used. */
export interface Blas {
  readonly library: Library;
  readonly crew: Crew;
  readonly double: Products;
  readonly single: Products | undefined;
  readonly lapack: Lapack | undefined;
}

/** Calls that koffi can have under way are more; machines have fewer cores. */
export const MOST_THREADS = 128;
/** Address space that a library needs for its threads and their buffers, with room to spare. */
const ADDRESSES = 2 ** 31;
/** Matrices up to this size are not worth a call. */
const SMALL = 32;

let loading: Promise<Blas | string> | undefined;
let made: Engine | undefined;

/** The fast BLAS of this machine, or why there is none. Looked for once. */
export function loadBlas(): Promise<Blas | string> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Blas | string> {
  const koffi = await loadKoffi();
  if (typeof koffi === 'string') return koffi;
  if (addressSpaceLeft() < ADDRESSES) {
    return 'the address space of this process is limited (ulimit -v), and OpenBLAS may wait for ever where it gets too little';
  }
  const library = findLibrary(koffi);
  if (typeof library === 'string') return library;
  if (!canPack()) {
    return 'rows are packed for it in WebAssembly memory, and there is none: WebAssembly is switched off (node --jitless), or the address space is limited (ulimit -v)';
  }
  const crew = new Crew(library);
  const double = bindProducts(library, crew, false);
  if (!double) return `${library.path} has no cblas_dsyrk and cblas_dgemm. ${howToInstall()}`;
  return { library, crew, double, single: bindProducts(library, crew, true), lapack: bindLapack(library, crew) };
}

/**
 * The engine on OpenBLAS, MKL or Accelerate as found on this machine (SCREE_BLAS names another), through koffi;
 * undefined where one of the two is missing. `doctor()` tells why.
 */
export async function blasEngine(options: BlasOptions = {}): Promise<Engine | undefined> {
  const { threads } = options;
  if (threads !== undefined && !(Number.isSafeInteger(threads) && threads >= 1 && threads <= MOST_THREADS)) {
    throw new OptionError('BAD_OPTION', `threads is ${threads}; it must be a whole number from 1 to ${MOST_THREADS}.`, {
      option: 'threads',
      value: threads,
    });
  }
  const blas = await loadBlas();
  if (typeof blas === 'string') return undefined;
  if (threads !== undefined) blas.crew.threads = threads;
  made ??= makeEngine(blas);
  return made;
}

function makeEngine(blas: Blas): Engine {
  const single = blas.single && engineOf(blas, 'blas float32', blas.single, 2 ** -24, 80);
  return engineOf(blas, 'blas', blas.double, 2 ** -53, 40, single);
}

/** What BLAS reads: floats, row by row. Sparse rows, integers and float16 are for the wasm engine, which is as accurate. */
function isFloats(block: Block): block is FloatBlock {
  return (
    block.kind === 'dense' && !block.half && (block.data instanceof Float64Array || block.data instanceof Float32Array)
  );
}

async function wasm(): Promise<Engine> {
  return (await wasmEngine()) ?? reference;
}

/** The engine in one precision; `u` is its unit roundoff, `rate` what a thread does in GFLOP/s. */
function engineOf(
  { library, crew, lapack }: Blas,
  name: string,
  products: Products,
  u: number,
  rate: number,
  single?: Engine,
): Engine {
  return {
    name,
    get threads() {
      return crew.threads;
    },
    get rates() {
      // Numbers are packed by one thread: where columns are few, that is all the work.
      return { products: rate * crew.threads, sparse: reference.rates.sparse, eigen: lapack ? 12 : 4, reading: 0.42 };
    },
    load: async (block) => (isFloats(block) ? new BlasDense(block, products) : (await wasm()).load(block)),
    async symmetricEigen(a, size, count, onStep) {
      const found = lapack && size > SMALL ? await lapackEigen(library, lapack, a, size, count, onStep) : undefined;
      return found ?? (await wasm()).symmetricEigen(a, size, count, onStep);
    },
    roundoff(n, d, sparse) {
      if (sparse) return reference.roundoff(n, d, sparse);
      // Either way of cutting, side by side or alone; the worse counts.
      const worst = (lanes: number): number => {
        const height = tileRows(n, d, products.bytes, lanes);
        const tiles = 2 ** -53 * (Math.ceil(n / height) + lanes);
        // BLAS adds in an order of its own: the rows of a tile are a chain, in the products' own precision. About a pilot
        // half a deviation off, energies are larger by a quarter.
        const chain = u * (d + 1.25 * height + 16) + 1.25 * tiles;
        // δ of the pilot: sums over strips of up to 64 rows, the strips of a tile, the tiles.
        return chain + 1.2 * (2 ** -53 * (64 + height) + tiles);
      };
      return Math.max(worst(products.lanes), worst(1));
    },
    ...(single ? { float32: single } : {}),
  };
}

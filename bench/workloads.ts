import type { CsrMatrix, Matrix } from 'scree';
import { type FloatType, iris, mixture, mnist, texts } from './data.js';

/** What is measured, and what it should reach. The data are made only when a workload is run. */
export interface Workload {
  readonly name: string;
  readonly what: string;
  readonly rows: number;
  readonly cols: number;
  readonly type: FloatType;
  readonly k: number;
  readonly make: () => Matrix | CsrMatrix | Promise<Matrix | CsrMatrix>;
  /**
   * scikit-learn's solvers that make sense here, beside 'auto'; the others take minutes, or more memory than machines have. In float32
   * its fast solvers lose digits, so there they may also run on a float64 copy.
   */
  readonly sklearn: readonly string[];
  readonly peers: readonly JavaScriptPeer[];
  readonly targets: readonly Target[];
}

export interface JavaScriptPeer {
  readonly name: 'ml-pca SVD' | 'ml-pca covariance' | 'druidjs';
  /** It takes more than a minute: measured on so many rows only, and continued by a straight line, unless --slow is given. */
  readonly from?: readonly [number, number];
}

/** How many times as fast as the best of `against` an engine should be. */
export interface Target {
  readonly engine: 'wasm' | 'blas';
  readonly against: 'scikit-learn' | 'ml-pca';
  readonly ratio: number;
  /** Why it is missed, where it is. */
  readonly why?: string | undefined;
}

/** iris is about overhead: microseconds of a warm fit, milliseconds from `import` to the first model. */
export const OVERHEAD = {
  workload: 'iris',
  fitMicroseconds: 30,
  why: 'two passes for means and certificate, checks, uniqueness and the frozen record take three times as long as the decomposition',
  startMilliseconds: 60,
};
/** A file of 4 GB: how many times as fast as scikit-learn, what share of the bare reading's speed, bytes at most; transform against copying; help. */
export const FILES = {
  rows: 2_000_000,
  cols: 256,
  k: 10,
  parquet: { rows: 4_200_000, cols: 64 },
  times: 3,
  reading: 0.7,
  bytes: 2 ** 30,
  copying: 0.7,
  helpMilliseconds: 80,
};
/** The lab: bytes of its scripts, milliseconds to its first paint, of iris drawn, of a fit of 10,000 digits, of a task while k is dragged; points that are panned, and how many times as long as empty ones their frames may take. */
export const LAB = { bytes: 400 * 1024, paint: 1000, iris: 100, mnist: 1000, longest: 50, points: 60_000, frames: 1.1 };
/** Widths of .npy files of one size: where does a fit keep up with the reading? */
export const WIDTHS = { cols: [8, 32, 128, 256], bytes: 2 ** 31 };
/** How many times as long as two passes an epoch of points may take, and how many rows a second hebbian learning should see, of MNIST. */
export const LEARNING = { rows: 60_000, over: 3, rate: 200_000 };
/** How many times as long as from moments a model from a sketch may take, and of what data. */
export const STREAMING = { rows: 60_000, cols: 784, over: 2 };
/** How much longer than the bare syrk a fit on blas may take, and on what data that is asked. */
export const SYRK = { over: 1.15, rows: 50_000, cols: 1000, k: 50 };
/** What `gram` should do a thread, in GFLOP/s, and how many times as much on two. */
export const KERNEL = { float64: 0.9 * 25, float32: 0.9 * 50, twice: 1.85 };
/** How much time the plan's choice may lose against the best solver. */
export const REGRET = 0.2;

const faster = (wasm: number, blas?: number, why: { wasm?: string; blas?: string } = {}): Target[] => [
  { engine: 'wasm', against: 'scikit-learn', ratio: wasm, why: why.wasm },
  ...(blas === undefined ? [] : [{ engine: 'blas', against: 'scikit-learn', ratio: blas, why: why.blas } as const]),
];
const javascript: JavaScriptPeer[] = [{ name: 'ml-pca SVD' }, { name: 'ml-pca covariance' }, { name: 'druidjs' }];

export const workloads: readonly Workload[] = [
  {
    name: 'iris',
    what: 'Fisher’s iris, real',
    ...{ rows: 150, cols: 4, type: 'float64', k: 2 },
    make: iris,
    sklearn: ['full', 'covariance_eigh', 'arpack', 'randomized'],
    peers: javascript,
    targets: [],
  },
  {
    name: 'mnist-small',
    what: 'MNIST, real',
    ...{ rows: 10_000, cols: 784, type: 'float64', k: 50 },
    make: () => mnist(10_000, 'float64'),
    sklearn: ['covariance_eigh', 'arpack', 'randomized'],
    peers: [{ name: 'ml-pca covariance', from: [1000, 2000] }, { name: 'druidjs' }],
    targets: [{ engine: 'wasm', against: 'ml-pca', ratio: 300 }, ...faster(1.2)],
  },
  {
    name: 'mnist',
    what: 'MNIST, real',
    ...{ rows: 60_000, cols: 784, type: 'float64', k: 50 },
    make: () => mnist(60_000, 'float64'),
    sklearn: ['covariance_eigh', 'arpack', 'randomized'],
    peers: [],
    targets: faster(1, 1.5, {
      blas: 'products of zeros are left out, which makes syrk 2.6 times as short; sorting rows by their width and summing up columns (0.13 s) run on one thread, and both cores are busy meanwhile: 0.72 s of processor time in all, 0.68 on wasm, which skips zeros in smaller groups',
    }),
  },
  {
    name: 'mnist-f32',
    what: 'MNIST, real',
    ...{ rows: 60_000, cols: 784, type: 'float32', k: 50 },
    make: () => mnist(60_000, 'float32'),
    sklearn: ['covariance_eigh', 'covariance_eigh/float64', 'arpack', 'randomized'],
    peers: [],
    targets: faster(1, 1.5),
  },
  {
    name: 'tall',
    what: 'correlated columns away from the origin, variances like 1/j',
    ...{ rows: 1_000_000, cols: 100, type: 'float64', k: 10 },
    make: () =>
      mixture({ rows: 1_000_000, cols: 100, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 }),
    sklearn: ['covariance_eigh', 'randomized'],
    peers: [],
    targets: faster(1.3, 1.8, {
      wasm: 'a number is multiplied only 100 times, so that bringing it in and packing it is half of the work',
      blas: 'syrk alone takes more than four fifths of the time',
    }),
  },
  {
    name: 'embeddings',
    what: 'unit rows, variances like 1/j over a floor of noise',
    ...{ rows: 100_000, cols: 1536, type: 'float32', k: 128 },
    make: () =>
      mixture({
        ...{ rows: 100_000, cols: 1536, type: 'float32', unit: true, offset: 0.02 },
        deviation: (j) => Math.sqrt(1 / (j + 1) + 1e-3),
      }),
    sklearn: ['covariance_eigh', 'covariance_eigh/float64', 'randomized'],
    peers: [],
    targets: faster(0.8, 1.4, {
      wasm: 'the float32 products alone take 3 s: 128-bit SIMD does half of what OpenBLAS does with 512 bits',
      blas: 'syrk alone takes 1.25 of the 1.4 s that would meet it; the check of the float32 sums in float64 takes 0.45 s, the eigenproblem of 1536 0.35 s, the columns’ statistics and float64 totals 0.15 s',
    }),
  },
  {
    name: 'wide',
    what: 'few rows, very many correlated columns',
    ...{ rows: 500, cols: 100_000, type: 'float64', k: 10 },
    make: () => mixture({ rows: 500, cols: 100_000, type: 'float64', deviation: (j) => (j + 1) ** -0.7, offset: 0.1 }),
    sklearn: ['arpack', 'randomized', 'full'],
    peers: [],
    targets: faster(1.5, 2, {
      wasm: 'columns and products together take 0.75 s at best, and one thread copies the data in for them and once more for the components',
      blas: 'syrk alone takes 0.3 s; one thread packs the data twice meanwhile: for columns and products together, and for the components',
    }),
  },
  {
    name: 'square',
    what: 'variances like 1/j²',
    ...{ rows: 4000, cols: 4000, type: 'float64', k: 20 },
    make: () => mixture({ rows: 4000, cols: 4000, type: 'float64', deviation: (j) => 1 / (j + 1), offset: 0.01 }),
    sklearn: ['arpack', 'randomized', 'covariance_eigh'],
    peers: [],
    targets: faster(1.5, 2, {
      wasm: 'eleven passes for a dozen vectors take 25 ms each, but the first, which copies the rows into new memory, takes 80; the columns’ statistics take 45 ms, and a worker is started for every fit because so much memory is not kept between fits',
      blas: 'eleven passes multiply in place, 18 to 25 ms each, for a dozen vectors, where 128 MB take 13 ms to read twice; what is left is the columns’ statistics on one thread (45 ms) and keeping the basis orthogonal',
    }),
  },
  {
    name: 'sparse',
    what: 'words of short texts, 0.2 % filled',
    ...{ rows: 100_000, cols: 20_000, type: 'float64', k: 50 },
    make: () => texts(100_000, 20_000, 40),
    sklearn: ['arpack'],
    peers: [],
    targets: faster(1.5),
  },
];

/** Samples that are drawn again, and the loop in NumPy that they are compared with. */
export interface Resampling {
  readonly kind: 'bootstrap' | 'permutation';
  readonly n: number;
  readonly d: number;
  readonly k: number;
  readonly repeats: number;
  /** Most seconds it may take, where there is a limit. */
  readonly target?: number;
}

export const RESAMPLING = {
  /** How many times as fast as the loop they must be, but for tables so small that the loop takes a tenth of a second. */
  over: 5,
  works: [
    { kind: 'bootstrap', n: 178, d: 13, k: 10, repeats: 1000, target: 1 },
    { kind: 'bootstrap', n: 5000, d: 30, k: 10, repeats: 1000 },
    { kind: 'bootstrap', n: 60_000, d: 50, k: 10, repeats: 200, target: 10 },
    { kind: 'permutation', n: 1000, d: 50, k: 10, repeats: 1000 },
  ] as readonly Resampling[],
};

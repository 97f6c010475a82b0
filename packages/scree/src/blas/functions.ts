import { type Library, lookUp, type Native } from './library.js';
import type { ThreadSetting } from './thread-setting.js';

export type Numbers = Float64Array | Float32Array;

/** The two matrix products of all passes, row-major, in one precision. They run on other threads. */
export interface MatrixProducts {
  readonly bytes: 4 | 8;
  /** Maximum number of simultaneous calls, with one thread each. */
  readonly lanes: number;
  /** The same products with one call at a time on all threads, for sums that are too large for one per lane. */
  readonly singleLane: MatrixProducts;
  make(length: number): Numbers;
  /** C = β·C + AᵀA (`transposed`: A is k × n) or AAᵀ (A is n × k), upper triangle of n × n. */
  syrk(
    transposed: boolean,
    n: number,
    k: number,
    a: Numbers,
    aStride: number,
    beta: number,
    c: Numbers,
    cStride: number,
  ): Promise<void>;
  /** C = β·C + op(A)·op(B), m × n, over k. */
  gemm(
    transposeA: boolean,
    transposeB: boolean,
    m: number,
    n: number,
    k: number,
    a: Numbers,
    aStride: number,
    b: Numbers,
    bStride: number,
    beta: number,
    c: Numbers,
    cStride: number,
  ): Promise<void>;
}

/** Enum values of CBLAS. */
const ROW_MAJOR = 101;
const UPPER = 121;
const transpose = (yes: boolean): number => (yes ? 112 : 111);

/** Returns the products of a library in one precision, or undefined if the library lacks them. */
export function bindProducts(
  library: Library,
  threadSetting: ThreadSetting,
  single: boolean,
): MatrixProducts | undefined {
  const { handle, prefix, suffix } = library;
  const int = library.integers === 8 ? 'int64_t' : 'int';
  const real = single ? 'float' : 'double';
  const letter = single ? 's' : 'd';
  const array = 'void *';
  const syrk = lookUp(handle, `${prefix}cblas_${letter}syrk${suffix}`, 'void', [
    ...['int', 'int', 'int', int, int],
    ...[real, array, int, real, array, int],
  ]);
  const gemm = lookUp(handle, `${prefix}cblas_${letter}gemm${suffix}`, 'void', [
    ...['int', 'int', 'int', int, int, int],
    ...[real, array, int, array, int, real, array, int],
  ]);
  if (!syrk || !gemm) return undefined;
  const products = (all: boolean): Omit<MatrixProducts, 'lanes' | 'singleLane'> => ({
    bytes: single ? 4 : 8,
    make: (length) => (single ? new Float32Array(length) : new Float64Array(length)),
    syrk: (transposed, n, k, a, aStride, beta, c, cStride) =>
      threadSetting.run(all, () =>
        callAsync(syrk, ROW_MAJOR, UPPER, transpose(transposed), n, k, 1, a, aStride, beta, c, cStride),
      ),
    gemm: (transposeA, transposeB, m, n, k, a, aStride, b, bStride, beta, c, cStride) =>
      threadSetting.run(all, () =>
        callAsync(
          gemm,
          ...[ROW_MAJOR, transpose(transposeA), transpose(transposeB), m, n, k],
          ...[1, a, aStride, b, bStride, beta, c, cStride],
        ),
      ),
  });
  const singleLane: MatrixProducts = {
    ...products(true),
    lanes: 1,
    get singleLane() {
      return singleLane;
    },
  };
  return {
    ...products(false),
    get lanes() {
      return threadSetting.lanes;
    },
    singleLane,
  };
}

/** Calls a function on another thread, and references its arrays until it returns. */
export function callAsync(native: Native, ...values: unknown[]): Promise<void> {
  return new Promise((resolve, reject) => {
    native.async(...values, (error: unknown) => {
      values.length = 0;
      if (error) reject(error);
      else resolve();
    });
  });
}

/** LAPACK routines for the eigenproblem. As in Fortran, all arguments are passed by address. */
export interface Lapack {
  call(name: Routine, ...values: readonly Argument[]): Promise<void>;
}

/** A character, an integer, an array of numbers, or an output array of integers. */
export type Argument = string | number | Float64Array | Integers;
export type Routine = keyof typeof ROUTINES;

/** Integers of the library's size, 4 or 8 bytes. */
export class Integers {
  readonly values: Int32Array | BigInt64Array;

  constructor(library: Pick<Library, 'integers'>, length: number) {
    this.values = library.integers === 8 ? new BigInt64Array(length) : new Int32Array(length);
  }

  get first(): number {
    return Number(this.values[0]);
  }
}

/**
 * The number of character arguments and of other arguments of each routine. Fortran compilers pass the lengths of characters after all
 * other arguments.
 */
const ROUTINES = {
  dlatrd: [1, 8],
  dsyr2k: [2, 10],
  dsytd2: [1, 7],
  dsterf: [0, 4],
  dstemr: [2, 19],
  dstedc: [1, 10],
  dormtr: [3, 10],
} as const;

/** Returns the LAPACK routines of the library, or undefined if some are missing. */
export function bindLapack(library: Library, threadSetting: ThreadSetting): Lapack | undefined {
  const bound = new Map<string, Native>();
  for (const [name, [letters, others]] of Object.entries(ROUTINES)) {
    const parameters = [...Array<string>(letters + others).fill('void *'), ...Array<string>(letters).fill('size_t')];
    const native = lookUp(library.handle, `${library.prefix}${name}_${library.suffix}`, 'void', parameters);
    if (!native) return undefined;
    bound.set(name, native);
  }
  const address = (value: Argument): unknown => {
    if (typeof value === 'string') return Uint8Array.of(value.charCodeAt(0));
    if (value instanceof Integers) return value.values;
    if (typeof value !== 'number') return value;
    return library.integers === 8 ? BigInt64Array.of(BigInt(value)) : Int32Array.of(value);
  };
  return {
    call(name, ...values) {
      const lengths = Array<number>(ROUTINES[name][0]).fill(1);
      return threadSetting.run(threadSetting.many, () =>
        callAsync(bound.get(name) as Native, ...values.map(address), ...lengths),
      );
    },
  };
}

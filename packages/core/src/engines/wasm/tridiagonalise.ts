import type { Tridiagonal } from '../../linalg/tridiagonalise.js';
import type { Steps } from '../../pace.js';
import type { Kernels } from './kernels.js';

/** Below this the copies cost more than the kernel saves; above the other the matrix does not fit beside its copy. */
const SMALLEST = 48;
const LARGEST = 8192;
/** Columns reduced between two looks at the clock. */
const COLUMNS = 16;

/** Whether the kernel is worth it, and fits. */
export function suits(size: number): boolean {
  return size >= SMALLEST && size <= LARGEST;
}

/** `tridiagonalise` of src/linalg in WebAssembly: the same reflectors up to rounding, several times as fast. */
export function* wasmTridiagonalise(a: Float64Array, size: number, kernels: Kernels): Steps<Tridiagonal> {
  const matrix = kernels.put(a);
  const empty = new Float64Array(size);
  const [diagonal, offDiagonal, taus] = [kernels.put(empty), kernels.put(empty), kernels.put(empty)];
  const [w, p] = [kernels.put(empty), kernels.put(empty)];
  for (let from = 0; from < size; from += COLUMNS) {
    const to = Math.min(size, from + COLUMNS);
    kernels.run.tridiagonaliseSteps(matrix, size, diagonal, offDiagonal, taus, w, p, from, to);
    yield 4 * (size - from) * (size - from) * (to - from);
  }
  a.set(kernels.doubles(matrix, size * size));
  return {
    size,
    diagonal: kernels.doubles(diagonal, size).slice(),
    offDiagonal: kernels.doubles(offDiagonal, size).slice(),
    reflectors: a,
    taus: kernels.doubles(taus, size).slice(),
  };
}

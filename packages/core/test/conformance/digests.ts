import { compileKernels } from '../../src/engines/wasm/kernels.js';
import { pca, type SolverName } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import type { EngineSetup } from './setups.js';

/** Fits large enough for several tiles and threads. */
const fits: readonly { readonly solver: SolverName; readonly rows: number; readonly cols: number }[] = [
  { solver: 'covariance', rows: 3000, cols: 200 },
  { solver: 'krylov', rows: 3000, cols: 200 },
  { solver: 'svd', rows: 1000, cols: 100 },
  { solver: 'dual', rows: 200, cols: 3000 },
  { solver: 'krylov', rows: 200, cols: 1500 },
];

/**
 * Digests that show whether two machines computed the same bits, of variances and components, and of scores. The name includes everything
 * besides the data that affects the bits, so that the same name has the same digest on every machine:
 * - the kernels, which fuse multiplications with additions if the machine can (scores always use the best kernels, whatever engine the fit
 *    used);
 * - the random numbers from which krylov starts.
 */
export async function digests(setup: EngineSetup): Promise<Record<string, string>> {
  const kernels = await kernelsHere();
  const result: Record<string, string> = {};
  for (const { solver, rows, cols } of fits) {
    for (const [dtype, array] of [
      ['float64', Float64Array],
      ['float32', Float32Array],
    ] as const) {
      const data = { rows, cols, data: new array(numbers(rows, cols)) };
      const model = await pca(data, { k: 8, solver, ...setup });
      const scores = await model.transform(data);
      const random = solver === 'krylov' ? `, random numbers ${randomNumbers()}` : '';
      const name = `${solver}, ${dtype}, ${rows} × ${cols}${random}, kernels:`;
      const fitted = setup.engine === 'reference' ? 'none' : kernels;
      result[`${name} ${fitted}`] = fnv1a(model.variances, model.components.data);
      result[`${name} ${fitted}, scores: ${kernels}`] = fnv1a(scores.data);
    }
  }
  return result;
}

/** Returns the digests that two machines or two setups have in common. They must agree. */
export function shared(ours: Record<string, string>, theirs: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(ours).filter(([name]) => name in theirs));
}

/** Returns the kernels of the wasm engine on this machine. */
export async function kernelsHere(): Promise<'relaxed' | 'plain' | 'none'> {
  const compiled = await compileKernels();
  return compiled ? (compiled.relaxed ? 'relaxed' : 'plain') : 'none';
}

function randomNumbers(): string {
  return fnv1a(new Float64Array(1000).map(random(0).normal));
}

/**
 * Correlated columns whose spread falls like 1/(j + 1). All operations are exactly rounded by IEEE 754, so the data are the same on every
 * machine.
 */
export function numbers(rows: number, cols: number): Float64Array {
  const { uniform } = random(5);
  const data = new Float64Array(rows * cols);
  for (let at = 0; at < data.length; at++) {
    const j = at % cols;
    data[at] = (uniform() - 0.25) / (j + 1) + (j > 0 ? 0.5 * data[at - 1] : 0);
  }
  return data;
}

/** FNV-1a, 32 bits, of the bytes of all arrays. */
export function fnv1a(...arrays: ArrayBufferView[]): string {
  let hash = 0x811c9dc5;
  for (const { buffer, byteOffset, byteLength } of arrays)
    for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

import { random, transpose } from '@scree/core/linalg';
import type { Evidence } from '../criteria/criterion.js';

/** Tables made of one shuffle. */
const ROTATIONS = 16;

/** A function that permutes the columns of a table and returns its squared singular values: see `criteria/permutation.ts`. */
export function permutedSpectra(
  rows: Float64Array,
  n: number,
  d: number,
  evidence: Evidence,
): () => Promise<Float64Array> {
  const { uniform } = random(evidence.options.seed);
  const columns = transpose(rows, n, d);
  const shuffled = new Float64Array(n * d);
  let table = 0;
  return () => {
    const shuffle = table++ % ROTATIONS === 0;
    // The first column may stay: only the orders of columns relative to each other matter.
    if (shuffle) for (let j = 1; j < d; j += 2) shuffleTwo(columns, j * n, Math.min(j + 1, d - 1) * n, n, uniform);
    for (let j = 0; j < d; j++) {
      const turn = shuffle || j === 0 ? 0 : Math.floor(uniform() * n);
      let at = j;
      for (let i = turn; i < n; i++, at += d) shuffled[at] = columns[j * n + i];
      for (let i = 0; i < turn; i++, at += d) shuffled[at] = columns[j * n + i];
    }
    return squaredSingularValues(shuffled, n, d, evidence);
  };
}

/**
 * Shuffles two columns independently (Fisher & Yates). The 53 bits of one random number give two indexes: the whole part of u·(i + 1),
 * and that of its remainder times i + 1.
 */
function shuffleTwo(columns: Float64Array, one: number, two: number, n: number, uniform: () => number): void {
  for (let i = n - 1; i > 0; i--) {
    const scaled = uniform() * (i + 1);
    const first = Math.floor(scaled);
    const second = Math.floor((scaled - first) * (i + 1));
    const value = columns[one + i];
    columns[one + i] = columns[one + first];
    columns[one + first] = value;
    const other = columns[two + i];
    columns[two + i] = columns[two + second];
    columns[two + second] = other;
  }
}

/** σ² of an n × d matrix, largest first: eigenvalues of BᵀB, or of BBᵀ if there are fewer rows than columns. */
async function squaredSingularValues(
  data: Float64Array,
  n: number,
  d: number,
  { engine, progress }: Evidence,
): Promise<Float64Array> {
  const size = Math.min(n, d);
  const products = new Float64Array(size * size);
  const frame = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  const block = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data });
  try {
    if (d <= n) await block.gram(frame, products, onStep);
    else await block.dual(frame, block, frame, { products, size, row: 0, column: 0 }, onStep);
  } finally {
    block.release();
  }
  return (await engine.symmetricEigen(products, size, 0, onStep)).values;
}

import { random, transpose } from '@scree/core/linalg';
import type { Evidence } from '../criteria/criterion.js';

/** Tables made of one shuffle. */
const ROTATIONS = 16;
/** Numbers of the permuted table that are in memory at a time: 8 MB. */
const TILE_NUMBERS = 1 << 20;

/**
 * A function that permutes the columns of a table and returns its squared singular values: see `criteria/permutation.ts`. Only the columns
 * are kept whole: the permuted table is put together and summed up a few thousand rows at a time.
 */
export function permutedSpectra(n: number, d: number, evidence: Evidence): () => Promise<Float64Array> {
  const { uniform } = random(evidence.options.seed);
  const { rows = new Float64Array(0), columns = transpose(rows, n, d) } = evidence;
  const turns = new Int32Array(d);
  let table = 0;
  return () => {
    const shuffle = table++ % ROTATIONS === 0;
    // The first column may stay: only the orders of columns relative to each other matter.
    if (shuffle) for (let j = 1; j < d; j += 2) shuffleTwo(columns, j * n, Math.min(j + 1, d - 1) * n, n, uniform);
    for (let j = 0; j < d; j++) turns[j] = shuffle || j === 0 ? 0 : Math.floor(uniform() * n);
    return squaredSingularValues(columns, turns, n, evidence);
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

/** σ² of the n × d table whose column j is rotated by turns[j], largest first: eigenvalues of BᵀB, or of BBᵀ if rows are fewer. */
async function squaredSingularValues(
  columns: Float64Array,
  turns: Int32Array,
  n: number,
  { engine, progress }: Evidence,
): Promise<Float64Array> {
  const d = turns.length;
  const size = Math.min(n, d);
  const products = new Float64Array(size * size);
  const scaler = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const onStep = (): void | Promise<void> => progress.yieldToEventLoop();
  // Products of rows with each other need all rows at once.
  const height = d <= n ? Math.min(n, Math.max(d, Math.floor(TILE_NUMBERS / d))) : n;
  const tile = new Float64Array(height * d);
  for (let from = 0; from < n; from += height) {
    const rows = Math.min(height, n - from);
    const data = tile.subarray(0, rows * d);
    writeRotatedRows(columns, turns, n, from, data);
    const block = await engine.load({ kind: 'dense', rows, cols: d, stride: d, data });
    try {
      if (d <= n) await block.gram(scaler, products, onStep);
      else await block.dual(scaler, block, scaler, { products, size, row: 0, column: 0 }, onStep);
    } finally {
      block.release();
    }
  }
  return (await engine.symmetricEigen(products, size, 0, onStep)).values;
}

/** Writes rows of the rotated columns, beginning with row `from`, into `out`. */
function writeRotatedRows(columns: Float64Array, turns: Int32Array, n: number, from: number, out: Float64Array): void {
  const d = turns.length;
  for (let j = 0; j < d; j++) {
    let row = (from + turns[j]) % n;
    for (let at = j; at < out.length; at += d) {
      out[at] = columns[j * n + row];
      if (++row === n) row = 0;
    }
  }
}

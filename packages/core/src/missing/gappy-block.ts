import { isFloatArray } from '../base/built-in-name.js';
import type { DenseBlock } from '../data/blocks/block.js';
import { decoded } from '../data/blocks/float16.js';
import type { FloatArray } from '../data/blocks/matrix.js';
import type { Engine } from '../engines/engine.js';
import type { ConditionalMeans } from '../model/conditional.js';

/** The rows of a block that miss values: row `rows[r]` misses columns[starts[r]], …, columns[starts[r + 1] − 1]. */
export interface Gaps {
  readonly rows: Int32Array;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
}

/** A block whose gaps are filled in place, as often as the model changes. */
export interface GappyBlock {
  readonly block: DenseBlock & { readonly data: FloatArray };
  readonly gaps: Gaps;
}

/** Predicts scaled rows b = (x − mean)/scale. */
export interface Predictor {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly means: ConditionalMeans;
}

/** Called for every row with gaps after it was filled: `means` has its posterior. */
export type OnFilled = (row: number, missing: Int32Array, means: ConditionalMeans) => void;

/** If at least this share of the rows has gaps, Wᵀb of all rows is one product of the engine. */
const PRODUCT_SHARE = 0.25;
/** Numbers in a block from which a product of the engine saves time. */
const PRODUCT_NUMBERS = 1 << 14;

/** Copies a block that has gaps, with `fill` in its gaps. Returns undefined if it has none. */
export function gappyBlock(given: DenseBlock, fill: Float64Array): GappyBlock | undefined {
  const { rows, cols, stride, data } = decoded(given);
  if (!isFloatArray(data)) return undefined;
  const counts = new Int32Array(rows);
  let [withGaps, missing] = [0, 0];
  for (let i = 0; i < rows; i++) {
    let count = 0;
    for (let at = i * stride, end = at + cols; at < end; at++) if (Number.isNaN(data[at])) count++;
    counts[i] = count;
    missing += count;
    if (count > 0) withGaps++;
  }
  if (missing === 0) return undefined;
  const copy = packed(data, rows, cols, stride);
  const [which, starts, columns] = [withGaps, withGaps + 1, missing].map((length) => new Int32Array(length));
  let [r, g] = [0, 0];
  for (let i = 0; i < rows; i++) {
    if (counts[i] === 0) continue;
    which[r++] = i;
    for (let j = 0, at = i * cols; j < cols; j++, at++) {
      if (!Number.isNaN(copy[at])) continue;
      columns[g++] = j;
      copy[at] = fill[j];
    }
    starts[r] = g;
  }
  const block = { kind: 'dense', rows, cols, stride: cols, data: copy } as const;
  return { block, gaps: { rows: which, starts, columns } };
}

/** A copy of the rows without space between them. */
function packed(data: FloatArray, rows: number, cols: number, stride: number): FloatArray {
  if (stride === cols) return data.slice(0, rows * cols);
  const copy = new (data.constructor as new (length: number) => FloatArray)(rows * cols);
  for (let i = 0; i < rows; i++) copy.set(data.subarray(i * stride, i * stride + cols), i * cols);
  return copy;
}

/**
 * Fills the gaps of a block with their conditional means. Cost per row with gaps: k(d + k²) for the observed columns, or m·k² + k³ after a
 * product of the engine, if many rows have gaps.
 */
export async function fillBlock(
  { block, gaps }: GappyBlock,
  { mean, scale, means }: Predictor,
  engine: Engine,
  onStep: (rows: number) => void | Promise<void>,
  onFilled?: OnFilled,
): Promise<void> {
  const { cols: d, rows, data } = block;
  const { k, loadings, latent } = means;
  const whole = gaps.rows.length >= PRODUCT_SHARE * rows && data.length >= PRODUCT_NUMBERS;
  const y = whole ? await products(block, mean, scale, means, engine) : undefined;
  const b = new Float64Array(d);
  const factor = scale.map((s) => 1 / s);
  const { rows: which, starts, columns } = gaps;
  for (let r = 0; r < which.length; r++) {
    const start = which[r] * d;
    const [from, to] = [starts[r], starts[r + 1]];
    if (y) {
      for (let g = from; g < to; g++) {
        const j = columns[g];
        b[j] = (data[start + j] - mean[j]) * factor[j];
      }
      means.solveFrom(y, which[r] * k, b, columns, from, to);
    } else {
      for (let j = 0; j < d; j++) b[j] = (data[start + j] - mean[j]) * factor[j];
      means.solve(b, 0, columns.subarray(from, to));
    }
    for (let g = from; g < to; g++) {
      const j = columns[g];
      let sum = 0;
      for (let c = 0, at = j * k; c < k; c++, at++) sum += loadings[at] * latent[c];
      data[start + j] = mean[j] + scale[j] * sum;
    }
    onFilled?.(which[r], columns.subarray(from, to), means);
    if (r % 1024 === 1023) {
      const pause = onStep(0);
      if (pause) await pause;
    }
  }
}

/** Wᵀb of every row, with gaps as they are filled now. */
async function products(
  block: DenseBlock,
  shift: Float64Array,
  scale: Float64Array,
  { k, d, loadings }: ConditionalMeans,
  engine: Engine,
): Promise<Float64Array> {
  const vectors = new Float64Array(k * d);
  for (let j = 0; j < d; j++) for (let c = 0; c < k; c++) vectors[c * d + j] = loadings[j * k + c];
  const scores = new Float64Array(block.rows * k);
  const loaded = await engine.load(block);
  try {
    await loaded.multiply({ shift, factor: scale.map((s) => 1 / s) }, vectors, k, scores, () => {});
  } finally {
    loaded.release();
  }
  return scores;
}

import { type DenseBlock, packTile, type Scaler } from '../data/blocks/block.js';
import type { DualTarget, LoadedBlock, OnStep } from './engine.js';

/** Rows packed at a time. */
const TILE = 256;

/** The dual pass between dense rows and a block of another layout: multiplies the other block by the packed dense rows. */
export async function dualByMultiply(
  block: DenseBlock,
  scaler: Scaler,
  other: LoadedBlock,
  otherScaler: Scaler,
  { products, size, row, column }: DualTarget,
  onStep: OnStep,
): Promise<void> {
  const vectors = new Float64Array(Math.min(TILE, block.rows) * block.cols);
  for (let from = 0; from < block.rows; from += TILE) {
    const rows = Math.min(TILE, block.rows - from);
    packTile(block, scaler, { from, to: from + rows, left: 0, right: block.cols }, vectors);
    const scores = new Float64Array(other.rows * rows);
    await other.multiply(otherScaler, vectors, rows, scores, () => {});
    for (let j = 0; j < other.rows; j++) {
      for (let i = 0; i < rows; i++) products[(row + from + i) * size + column + j] = scores[j * rows + i];
    }
    await onStep(rows);
  }
}

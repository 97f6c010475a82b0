import type { DenseBlock } from './block.js';
import { numbersOf } from './half.js';

/** Rows and entries that are looked at, at most. */
const ROWS = 64;
const ENTRIES = 1 << 17;

/** The share of four and of eight neighbouring entries that are not all zero, in rows spread evenly over the block. */
export function sampleFilling(block: DenseBlock): { four: number; eight: number } {
  const { rows, cols, stride } = block;
  const count = Math.min(rows, ROWS, Math.max(1, Math.floor(ENTRIES / cols)));
  let [fours, eights, filledFours, filledEights] = [0, 0, 0, 0];
  for (let s = 0; s < count; s++) {
    const start = Math.floor((s * rows) / count) * stride;
    const row = numbersOf(block, start, start + cols);
    for (let j = 0; j < cols; j += 8) {
      const low = isFilled(row, j, Math.min(cols, j + 4));
      const high = isFilled(row, j + 4, Math.min(cols, j + 8));
      fours += j + 4 < cols ? 2 : 1;
      eights++;
      filledFours += (low ? 1 : 0) + (high ? 1 : 0);
      filledEights += low || high ? 1 : 0;
    }
  }
  return { four: filledFours / fours, eight: filledEights / eights };
}

function isFilled(row: ArrayLike<number>, from: number, to: number): boolean {
  for (let j = from; j < to; j++) if (row[j] !== 0) return true;
  return false;
}

import type { DenseBlock } from './block.js';
import { numbersOf } from './float16.js';

/** Facts from a sample of rows that are spread evenly over dense data. */
export interface SampleFacts {
  /** Share of groups of four, and of eight, neighbouring entries that are not all zero. */
  readonly four: number;
  readonly eight: number;
  /** Share of distinct values among those that are not zero: small for bytes and counts, 1 for measurements. */
  readonly distinct: number;
}

/** Largest number of rows and of entries in a sample. */
const SAMPLE_ROWS = 64;
const MOST_ENTRIES = 1 << 17;
/** Largest number of values that are compared. */
const MOST_VALUES = 4096;

export function sampleRows(block: DenseBlock): SampleFacts {
  const { rows, cols, stride } = block;
  const count = Math.min(rows, SAMPLE_ROWS, Math.max(1, Math.floor(MOST_ENTRIES / cols)));
  let [fours, eights, filledFours, filledEights, seen] = [0, 0, 0, 0, 0];
  const values = new Set<number>();
  const valueStep = Math.max(1, Math.floor((count * cols) / MOST_VALUES));
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
    for (let j = s % valueStep; j < cols; j += valueStep) {
      if (row[j] === 0) continue;
      seen++;
      values.add(row[j]);
    }
  }
  return { four: filledFours / fours, eight: filledEights / eights, distinct: seen === 0 ? 1 : values.size / seen };
}

function isFilled(row: ArrayLike<number>, from: number, to: number): boolean {
  for (let j = from; j < to; j++) if (row[j] !== 0) return true;
  return false;
}

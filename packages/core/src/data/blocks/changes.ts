import { DataError } from '../../errors.js';
import type { Warning } from '../../warning.js';
import type { Block } from './block.js';
import type { RowSource } from './row-source.js';

/**
 * Largest number of entries of a block that are compared. Every row has at least one of them if there are at most this number of
 * rows.
 */
const MOST_SAMPLES = 4096;
/** The fractional part of the golden ratio. Its multiples spread the columns evenly over the rows. */
const GOLDEN_RATIO = 0.6180339887498949;

/**
 * Detects changes of arrays that are read in place, by comparing checksums. Returns a function that returns a warning if there
 * was a change.
 */
export function detectChanges(blocks: readonly Block[]): () => readonly Warning[] {
  const before = checksum(blocks);
  return () => {
    if (checksum(blocks) === before) return [];
    return [
      {
        code: 'SOURCE_CHANGED',
        message:
          'The matrix was changed while it was read, so these may be rows that never existed together. Wait for the result before you change the array, or pass a copy.',
      },
    ];
  };
}

/** Throws if the data changed while they were read. For results that cannot contain a warning. */
export async function refuseChanged(source: RowSource): Promise<void> {
  const changed = await changeOf(source);
  if (changed) throw new DataError('SOURCE_CHANGED', changed.message);
}

/** The warning that the data changed while they were read; undefined if they did not. */
export async function changeOf(source: RowSource): Promise<Warning | undefined> {
  return (await source.warnings?.())?.find(({ code }) => code === 'SOURCE_CHANGED');
}

const number = new Float64Array(1);
const words = new Int32Array(number.buffer);

/** A checksum of entries that are spread over rows and columns. A change of one of these entries changes it. */
function checksum(blocks: readonly Block[]): number {
  let sum = 0;
  const add = (value: number): void => {
    number[0] = value;
    sum = Math.imul(sum ^ words[0], 0x01000193);
    sum = Math.imul(sum ^ words[1], 0x01000193);
  };
  for (const block of blocks) {
    if (block.kind === 'sparse') {
      for (const part of [block.indptr, block.indices, block.data]) {
        const count = Math.min(part.length, MOST_SAMPLES);
        for (let s = 0; s < count; s++) add(part[Math.floor((s * part.length) / count)]);
      }
      continue;
    }
    const { rows, cols, stride, data } = block;
    if (rows * cols <= MOST_SAMPLES && stride === cols && data instanceof Float64Array) {
      sum = Math.imul(sum ^ checksumOfBits(data, rows * cols), 0x01000193);
      continue;
    }
    const count = Math.min(rows * cols, MOST_SAMPLES);
    const whole = count === rows * cols;
    for (let s = 0; s < count; s++) {
      const row = Math.floor((s * rows) / count);
      const column = whole ? s % cols : Math.floor((s * GOLDEN_RATIO - Math.floor(s * GOLDEN_RATIO)) * cols);
      add(data[row * stride + column]);
    }
  }
  return sum;
}

/** A checksum of all bits of an array, as two interleaved sums. */
function checksumOfBits({ buffer, byteOffset }: Float64Array, count: number): number {
  const bits = new Int32Array(buffer, byteOffset, 2 * count);
  let [low, high] = [0, 0];
  for (let at = 0; at < 2 * count; at += 2) {
    low = Math.imul(low ^ bits[at], 0x01000193);
    high = Math.imul(high ^ bits[at + 1], 0x01000193);
  }
  return Math.imul(low, 0x01000193) ^ high;
}

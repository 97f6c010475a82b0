import type { DenseBlock } from '@scree/core/data';
import type { ProvisionalMeans } from '@scree/core/engine';

/** Rows of the sample. */
const SAMPLE = 256;
/** Cumulative shares of the rows in the classes, without the last class. */
const SHARES = [0.2, 0.4, 0.6, 0.8, 0.95];
export const MOST_CLASSES = SHARES.length + 1;
/** Classes are used if they need less than this share of all products. */
const WORTH = 0.8;
/** With fewer columns, arranging rows takes longer than it saves. */
const FEWEST_COLUMNS = 256;

/**
 * An order of the columns, and classes of rows by how many of the columns they need in that order.
 *
 * In many tables (images, counts, indicators) most columns have one value, usually 0, in most rows. If this value is the column's
 * provisional mean, the shifted entry is 0. With such columns last, a row needs only the columns up to its last nonzero entry. Rows of
 * about the same width are multiplied together, so that most products of zeros are left out.
 */
export interface RowWidths {
  readonly order: Int32Array;
  /** Widths of the classes, ascending. The last is the number of columns. */
  readonly widths: readonly number[];
}

/** Returns classes for the rows of a block, from a sample of the rows, or undefined if they would save too little. */
export function findRowWidths(block: DenseBlock, { shift }: ProvisionalMeans): RowWidths | undefined {
  const { rows, cols, stride, data } = block;
  if (cols < FEWEST_COLUMNS) return undefined;
  const sampled = Math.min(rows, SAMPLE);
  const startOf = (s: number): number => Math.floor((s * rows) / sampled) * stride;
  const filled = new Float64Array(cols);
  for (let s = 0; s < sampled; s++) {
    const start = startOf(s);
    for (let j = 0; j < cols; j++) if (data[start + j] !== shift[j]) filled[j]++;
  }
  const order = Int32Array.from({ length: cols }, (_, j) => j).sort((i, j) => filled[j] - filled[i] || i - j);
  const needed = Int32Array.from({ length: sampled }, (_, s) => {
    const start = startOf(s);
    let width = cols;
    while (width > 0 && data[start + order[width - 1]] === shift[order[width - 1]]) width--;
    return width;
  }).sort();
  const some = SHARES.map((share) => Math.max(1, needed[Math.floor(share * sampled)]));
  const widths = [...new Set([...some, cols])];
  let products = 0;
  for (const width of needed) products += widths[classOf(widths, width)] ** 2;
  return products < WORTH * sampled * cols * cols ? { order, widths } : undefined;
}

/** Returns the index of the first class that is wide enough. */
export function classOf(widths: readonly number[], needed: number): number {
  let index = 0;
  while (widths[index] < needed) index++;
  return index;
}

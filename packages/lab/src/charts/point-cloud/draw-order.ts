import type { CloudPoints } from './types.js';
import { NEAREST_DEPTH, type View } from './view.js';

/** Rows that stay together: as many as one line of the processor's cache holds, which makes a million of them several times faster. */
const RUN_LENGTH = 16;

/**
 * How many runs further the next one is: about their number divided by the golden ratio, and of the numbers near it the one that
 * spreads best. That is told by Euclid's algorithm: a large quotient on its way means that some multiple of the step nearly comes
 * back to where it began.
 */
function strideOf(runs: number): number {
  const first = Math.max(1, Math.round(runs * 0.6180339887498949));
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let stride = first; stride < first + 50; stride++) {
    const quotient = largestQuotient(stride, runs);
    if (quotient < least) [best, least] = [stride, quotient];
  }
  return best;
}

/** Of Euclid's algorithm; infinite where there is a common divisor, with which not all runs would have their turn. */
function largestQuotient(a: number, b: number): number {
  if (b === 0) return a === 1 ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(Math.floor(a / b), largestQuotient(b, a % b));
}

/**
 * Points are drawn in the order of indexes, not of rows: runs of rows, dealt out in steps of the table's length divided by the golden
 * ratio. So any first part of the indexes is an even sample of the rows, which is what a slow machine draws while a cloud turns;
 * and no group hides another only because its rows come later in the table.
 *
 * Calls with every run: its first index, its first row, and how many.
 */
function eachRun(count: number, take: (index: number, row: number, size: number) => void): void {
  const runs = Math.floor(count / RUN_LENGTH);
  const stride = strideOf(runs);
  for (let index = 0, run = 0; index < runs * RUN_LENGTH; index += RUN_LENGTH) {
    take(index, run * RUN_LENGTH, RUN_LENGTH);
    run = (run + stride) % runs;
  }
  // What is left over stays at the end.
  take(runs * RUN_LENGTH, runs * RUN_LENGTH, count - runs * RUN_LENGTH);
}

/** Which row has which index. */
export function rowsInDrawOrder(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  eachRun(count, (index, first, length) => {
    for (let i = 0; i < length; i++) rows[index + i] = first + i;
  });
  return rows;
}

/** Places in the order of indexes, two or three numbers each, as the graphics card takes them. */
export function positionsInDrawOrder({ x, y, z }: CloudPoints): Float32Array {
  const count = x.length;
  const size = z ? 3 : 2;
  const positions = new Float32Array(count * size);
  eachRun(count, (index, first, length) => {
    for (let row = first, at = index * size; row < first + length; row++, at += size) {
      positions[at] = x[row];
      positions[at + 1] = y[row];
      if (z) positions[at + 2] = z[row];
    }
  });
  return positions;
}

/** A byte per point in the order of indexes; 0 where one is missing. */
export function bytesInDrawOrder(bytes: Uint8Array, count: number): Uint8Array {
  const result = new Uint8Array(count);
  eachRun(count, (index, first, length) => {
    for (let i = 0; i < length; i++) result[index + i] = bytes[first + i];
  });
  return result;
}

/** The indexes of some rows, in their order; rows that do not exist are left out. */
export function drawIndexesOf(rows: Uint32Array, count: number): Uint32Array {
  const chosen = new Uint8Array(count);
  let size = 0;
  for (const row of rows) {
    if (row >= count || chosen[row] === 1) continue;
    chosen[row] = 1;
    size++;
  }
  const indexes = new Uint32Array(size);
  let at = 0;
  eachRun(count, (index, first, length) => {
    for (let i = 0; i < length; i++) if (chosen[first + i] === 1) indexes[at++] = index + i;
  });
  return indexes;
}

const DEPTH_STEPS = 4096;
/** What is no number is farther than this. */
const FARTHEST = 1e9;

/**
 * Slots from the farthest to the nearest, so that near points cover far ones and edges blend as they should. Sorted into a few
 * thousand steps of depth, which takes about a millisecond for 100,000 points; what lies behind the eye is left out.
 */
export function sortByDepth(view: View, positions: Float32Array, indexes: Uint32Array | number): Uint32Array {
  const count = typeof indexes === 'number' ? indexes : indexes.length;
  const indexAt = (i: number): number => (typeof indexes === 'number' ? i : indexes[i]);
  const { origin, matrix } = view;
  const [ox, oy, oz] = origin;
  const [wx, wy, wz] = matrix.slice(6);
  const depths = new Float32Array(count);
  let low = Number.POSITIVE_INFINITY;
  let high = NEAREST_DEPTH;
  for (let i = 0; i < count; i++) {
    const at = 3 * indexAt(i);
    depths[i] = 1 + wx * (positions[at] - ox) + wy * (positions[at + 1] - oy) + wz * (positions[at + 2] - oz);
    // As it was rounded, so that none is beyond the others.
    const depth = depths[i];
    if (!(depth > NEAREST_DEPTH && depth < FARTHEST)) continue;
    if (depth < low) low = depth;
    if (depth > high) high = depth;
  }
  const ends = new Uint32Array(DEPTH_STEPS + 1);
  const steps = new Uint16Array(count);
  const scale = high > low ? (DEPTH_STEPS - 1) / (high - low) : 0;
  for (let i = 0; i < count; i++) {
    // Step 0 is what is not seen.
    steps[i] = depths[i] > NEAREST_DEPTH && depths[i] < FARTHEST ? 1 + Math.floor((high - depths[i]) * scale) : 0;
    ends[steps[i]]++;
  }
  const hidden = ends[0];
  for (let step = 1; step <= DEPTH_STEPS; step++) ends[step] += ends[step - 1];
  const order = new Uint32Array(count);
  for (let i = count - 1; i >= 0; i--) order[--ends[steps[i]]] = indexAt(i);
  return order.subarray(hidden);
}

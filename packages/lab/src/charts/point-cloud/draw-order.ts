import type { CloudPoints } from './types.js';
import { type CameraView, NEAREST_DEPTH } from './view.js';

/** Rows that stay together. They fill a cache line, which makes reordering a million rows several times faster. */
const RUN_LENGTH = 16;

/**
 * The step from one run to the next: a number near the number of runs divided by the golden ratio. Euclid's algorithm finds the
 * number that spreads the runs best: a large quotient means that some multiple of the step nearly returns to the start.
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

/** The largest quotient of Euclid's algorithm; infinite if there is a common divisor, because then some runs would never be reached. */
function largestQuotient(a: number, b: number): number {
  if (b === 0) return a === 1 ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(Math.floor(a / b), largestQuotient(b, a % b));
}

/**
 * Points are not drawn in the order of rows, but in runs of rows that are taken in steps of about 1/φ of the table (φ is the
 * golden ratio). So the first points in draw order are an even sample of the rows: a slow machine draws them while a cloud
 * rotates. And no group hides another only because its rows come later in the table.
 *
 * Calls `take` with every run: its first index in draw order, its first row, and its length.
 */
function eachRun(count: number, take: (index: number, row: number, size: number) => void): void {
  const runs = Math.floor(count / RUN_LENGTH);
  const stride = strideOf(runs);
  for (let index = 0, run = 0; index < runs * RUN_LENGTH; index += RUN_LENGTH) {
    take(index, run * RUN_LENGTH, RUN_LENGTH);
    run = (run + stride) % runs;
  }
  // The remaining rows come last.
  take(runs * RUN_LENGTH, runs * RUN_LENGTH, count - runs * RUN_LENGTH);
}

/** The rows in draw order. */
export function rowsInDrawOrder(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  eachRun(count, (index, first, length) => {
    for (let i = 0; i < length; i++) rows[index + i] = first + i;
  });
  return rows;
}

/** Positions in draw order, two or three numbers each, as the graphics card takes them. */
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

/** One byte per point, in draw order; 0 if the byte is missing. */
export function bytesInDrawOrder(bytes: Uint8Array, count: number): Uint8Array {
  const result = new Uint8Array(count);
  eachRun(count, (index, first, length) => {
    for (let i = 0; i < length; i++) result[index + i] = bytes[first + i];
  });
  return result;
}

/** The indexes in draw order of some rows, ascending; rows that do not exist are left out. */
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
/** NaN counts as farther than this. */
const FARTHEST = 1e9;

/**
 * Indexes from the farthest point to the nearest, so that near points cover far ones and edges blend correctly. Sorted into
 * a few thousand steps of depth, which takes about a millisecond for 100,000 points. Points behind the camera are left out.
 */
export function sortByDepth(view: CameraView, positions: Float32Array, indexes: Uint32Array | number): Uint32Array {
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
    // The rounded value, so that none is outside the range.
    const depth = depths[i];
    if (!(depth > NEAREST_DEPTH && depth < FARTHEST)) continue;
    if (depth < low) low = depth;
    if (depth > high) high = depth;
  }
  const ends = new Uint32Array(DEPTH_STEPS + 1);
  const steps = new Uint16Array(count);
  const scale = high > low ? (DEPTH_STEPS - 1) / (high - low) : 0;
  for (let i = 0; i < count; i++) {
    // Step 0 holds the points that are not visible.
    steps[i] = depths[i] > NEAREST_DEPTH && depths[i] < FARTHEST ? 1 + Math.floor((high - depths[i]) * scale) : 0;
    ends[steps[i]]++;
  }
  const hidden = ends[0];
  for (let step = 1; step <= DEPTH_STEPS; step++) ends[step] += ends[step - 1];
  const order = new Uint32Array(count);
  for (let i = count - 1; i >= 0; i--) order[--ends[steps[i]]] = indexAt(i);
  return order.subarray(hidden);
}

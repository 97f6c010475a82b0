import type { CloudPoints } from './types.js';
import { NEAREST_DEPTH, type View } from './view.js';

/**
 * Points are drawn in the order of slots, not of rows: slot s is row s·stride mod n, with a stride near n divided by the golden
 * ratio. So any first part of the slots is an even sample of the rows, which is what a slow machine draws while the picture moves;
 * and no group hides another only because its rows come later in the table.
 */
export function strideOf(count: number): number {
  let stride = Math.max(1, Math.round(count * 0.6180339887498949));
  while (divisor(stride, count) > 1) stride++;
  return stride % Math.max(1, count);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/** Places in the order of slots, two or three numbers each, as the graphics card takes them. */
export function placesBySlot({ x, y, z }: CloudPoints): Float32Array {
  const count = x.length;
  const stride = strideOf(count);
  const size = z ? 3 : 2;
  const places = new Float32Array(count * size);
  for (let slot = 0, row = 0; slot < count; slot++) {
    const at = slot * size;
    places[at] = x[row];
    places[at + 1] = y[row];
    if (z) places[at + 2] = z[row];
    row += stride;
    if (row >= count) row -= count;
  }
  return places;
}

/** A byte per point in the order of slots; 0 where one is missing. */
export function bytesBySlot(bytes: Uint8Array, count: number): Uint8Array {
  const stride = strideOf(count);
  const result = new Uint8Array(count);
  for (let slot = 0, row = 0; slot < count; slot++) {
    result[slot] = bytes[row];
    row += stride;
    if (row >= count) row -= count;
  }
  return result;
}

/** The slots of some rows, in their order; rows that do not exist are left out. */
export function slotsOf(rows: Uint32Array, count: number): Uint32Array {
  const chosen = new Uint8Array(count);
  let size = 0;
  for (const row of rows) {
    if (row >= count || chosen[row] === 1) continue;
    chosen[row] = 1;
    size++;
  }
  const slots = new Uint32Array(size);
  const stride = strideOf(count);
  for (let slot = 0, row = 0, at = 0; at < size; slot++) {
    if (chosen[row] === 1) slots[at++] = slot;
    row += stride;
    if (row >= count) row -= count;
  }
  return slots;
}

const STEPS = 4096;
/** What is no number is farther than this. */
const FARTHEST = 1e9;

/**
 * Slots from the farthest to the nearest, so that near points cover far ones and edges blend as they should. Sorted into a few
 * thousand steps of depth, which takes about a millisecond for 100,000 points; what lies behind the eye is left out.
 */
export function byDepth(view: View, places: Float32Array, slots: Uint32Array | number): Uint32Array {
  const count = typeof slots === 'number' ? slots : slots.length;
  const slotAt = (i: number): number => (typeof slots === 'number' ? i : slots[i]);
  const { origin, turn } = view;
  const [ox, oy, oz] = origin;
  const [wx, wy, wz] = turn.slice(6);
  const depths = new Float32Array(count);
  let low = Number.POSITIVE_INFINITY;
  let high = NEAREST_DEPTH;
  for (let i = 0; i < count; i++) {
    const at = 3 * slotAt(i);
    depths[i] = 1 + wx * (places[at] - ox) + wy * (places[at + 1] - oy) + wz * (places[at + 2] - oz);
    // As it was rounded, so that none is beyond the others.
    const depth = depths[i];
    if (!(depth > NEAREST_DEPTH && depth < FARTHEST)) continue;
    if (depth < low) low = depth;
    if (depth > high) high = depth;
  }
  const ends = new Uint32Array(STEPS + 1);
  const steps = new Uint16Array(count);
  const scale = high > low ? (STEPS - 1) / (high - low) : 0;
  for (let i = 0; i < count; i++) {
    // Step 0 is what is not seen.
    steps[i] = depths[i] > NEAREST_DEPTH && depths[i] < FARTHEST ? 1 + Math.floor((high - depths[i]) * scale) : 0;
    ends[steps[i]]++;
  }
  const hidden = ends[0];
  for (let step = 1; step <= STEPS; step++) ends[step] += ends[step - 1];
  const order = new Uint32Array(count);
  for (let i = count - 1; i >= 0; i--) order[--ends[steps[i]]] = slotAt(i);
  return order.subarray(hidden);
}

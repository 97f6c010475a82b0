import type { Scaler, SparseBlock } from '../../../data/blocks/block.js';
import type { Kernels } from '../kernels.js';

/** Maximum entries and rows of a part: a few milliseconds of work, 6 MB of entries. A row is never divided. */
const ENTRIES = 1 << 19;
const ROWS = 1 << 15;

/** Consecutive rows. */
export interface Part {
  readonly first: number;
  readonly rows: number;
  /** Their entries: [from, to). */
  readonly from: number;
  readonly to: number;
}

/**
 * Divides the rows into stages of up to `together` parts, by the shape of the data alone. The parts of a stage are in memory together, and
 * each is one job.
 */
export function cutRows({ rows, indptr }: SparseBlock, together: number): Part[][] {
  const entries = indptr[rows];
  const stages = Math.max(1, Math.ceil(entries / (together * ENTRIES)), Math.ceil(rows / (together * ROWS)));
  const mostEntries = Math.ceil(entries / (stages * together));
  const mostRows = Math.min(ROWS, rows);
  const parts: Part[] = [];
  for (let first = 0; first < rows; ) {
    let end = first + 1;
    while (end < rows && end - first < mostRows && indptr[end + 1] - indptr[first] <= mostEntries) end++;
    parts.push({ first, rows: end - first, from: indptr[first], to: indptr[end] });
    first = end;
  }
  return Array.from({ length: Math.ceil(parts.length / together) }, (_, s) =>
    parts.slice(s * together, (s + 1) * together),
  );
}

/** Implicit centring: a scaled sparse row is √w·(a − t). A stored entry x becomes the entry (x − lift)·factor of a. */
export interface ImplicitCentring {
  readonly scaler: Scaler;
  /** The shift of columns that are stored in every row of weight above 0; 0 for other columns. */
  readonly lift: Float64Array;
  /** t: the shift of the other columns, subtracted from every row. */
  readonly rest: Float64Array;
}

export function implicitCentring({ rows, cols, indptr, indices }: SparseBlock, scaler: Scaler): ImplicitCentring {
  const { shift, factor, rootWeights } = scaler;
  const counts = new Float64Array(cols);
  let counted = 0;
  for (let i = 0; i < rows; i++) {
    if (rootWeights && rootWeights[i] === 0) continue;
    counted++;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) counts[indices[at]]++;
  }
  const lift = shift.map((value, j) => (counts[j] === counted ? value : 0));
  const rest = shift.map((value, j) => (counts[j] === counted ? 0 : value * factor[j]));
  // A copy, because the caller may change its scaler.
  const roots = rootWeights && { rootWeights: rootWeights.slice() };
  return { scaler: { shift: shift.slice(), factor: factor.slice(), ...roots }, lift, rest };
}

/** Addresses of a part in the memory: its scaled entries, their columns, the first entry of each row, and roots of weights. */
export interface RowAddresses {
  readonly values: number;
  readonly columns: number;
  readonly starts: number;
  readonly roots: number;
  /** A copy of its entries by column, written by `sparseByColumn`. 0 without a copy. */
  readonly byColumn: number;
}

/** Returns the bytes of a part. */
export function partBytes(rows: number, entries: number, weighted: boolean): number {
  return entries * 12 + (rows + 1) * 4 + (weighted ? rows * 8 : 0) + 4 * 64;
}

/** Returns the bytes of the copy by column: starts, rows and values, each at a multiple of 64. */
export function byColumnBytes(entries: number, cols: number): number {
  return entries * 12 + (cols + 2) * 4 + 2 * 64;
}

/** Allocates a part, and a copy by column if `byColumnCols` is above 0. */
export function allocatePart(
  kernels: Kernels,
  rows: number,
  entries: number,
  weighted: boolean,
  byColumnCols = 0,
): RowAddresses {
  return {
    values: kernels.allocate(entries * 8),
    columns: kernels.allocate(entries * 4),
    starts: kernels.allocate((rows + 1) * 4),
    roots: weighted ? kernels.allocate(rows * 8) : 0,
    byColumn: byColumnCols > 0 ? kernels.allocate(byColumnBytes(entries, byColumnCols)) : 0,
  };
}

/** Copies a part into the memory. Its entries are shifted, scaled and weighted. */
export function fillPart(
  kernels: Kernels,
  at: RowAddresses,
  block: SparseBlock,
  part: Part,
  centred: ImplicitCentring,
): void {
  const { indptr, indices, data } = block;
  const { lift, scaler } = centred;
  const { factor, rootWeights } = scaler;
  const { first, rows, from, to } = part;
  const { buffer } = kernels.memory;
  const values = kernels.doubles(at.values, to - from);
  const starts = new Uint32Array(buffer, at.starts, rows + 1);
  new Uint32Array(buffer, at.columns, to - from).set(indices.subarray(from, to));
  for (let i = 0; i <= rows; i++) starts[i] = indptr[first + i] - from;
  if (!rootWeights) {
    for (let e = from; e < to; e++) {
      const j = indices[e];
      values[e - from] = (data[e] - lift[j]) * factor[j];
    }
    return;
  }
  kernels.doubles(at.roots, rows).set(rootWeights.subarray(first, first + rows));
  for (let i = first; i < first + rows; i++) {
    const root = rootWeights[i];
    for (let e = indptr[i]; e < indptr[i + 1]; e++) {
      const j = indices[e];
      values[e - from] = (data[e] - lift[j]) * factor[j] * root;
    }
  }
}

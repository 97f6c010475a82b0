import type { Frame, SparseBlock } from '../../../data/block.js';
import type { Kernels } from '../kernels.js';

/** Entries and rows of a part, at most (a row is never cut): a few milliseconds of work, 6 MB of entries. */
const ENTRIES = 1 << 19;
const ROWS = 1 << 15;

/** Some rows that follow one another. */
export interface Part {
  readonly first: number;
  readonly rows: number;
  /** Their entries: from…to − 1. */
  readonly from: number;
  readonly to: number;
}

/** The rows cut into parts, by the shape alone; those of one stage go through the memory together, each of them as one job. */
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

/** How a frame shows sparse rows: a row of B is √w·(a − t), and entry x of a in column j is (x − lift)·factor. */
export interface Centred {
  readonly frame: Frame;
  /** The shift of columns that are stored in every row that counts, 0 in others. */
  readonly lift: Float64Array;
  /** t: what the shift of all others takes off every row. */
  readonly rest: Float64Array;
}

export function centre({ rows, cols, indptr, indices }: SparseBlock, frame: Frame): Centred {
  const { shift, factor, rootWeights } = frame;
  const counts = new Float64Array(cols);
  let counted = 0;
  for (let i = 0; i < rows; i++) {
    if (rootWeights && rootWeights[i] === 0) continue;
    counted++;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) counts[indices[at]]++;
  }
  const lift = shift.map((value, j) => (counts[j] === counted ? value : 0));
  const rest = shift.map((value, j) => (counts[j] === counted ? 0 : value * factor[j]));
  // A copy: whoever made the frame may change it.
  const roots = rootWeights && { rootWeights: rootWeights.slice() };
  return { frame: { shift: shift.slice(), factor: factor.slice(), ...roots }, lift, rest };
}

/** Whether two frames show the same. */
export function sameFrame(a: Frame, b: Frame): boolean {
  return (
    sameNumbers(a.shift, b.shift) &&
    sameNumbers(a.factor, b.factor) &&
    (a.rootWeights === undefined
      ? b.rootWeights === undefined
      : b.rootWeights !== undefined && sameNumbers(a.rootWeights, b.rootWeights))
  );
}

function sameNumbers(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Where a part lies in the memory: its entries as the frame shows them, their columns, where rows start, roots of weights. */
export interface RowAddresses {
  readonly values: number;
  readonly columns: number;
  readonly starts: number;
  readonly roots: number;
  /** Its entries once more, column by column, as `sparseTurn` lays them out; 0 where there is no such copy. */
  readonly byColumn: number;
}

/** Bytes that a part of so many rows and entries takes. */
export function partBytes(rows: number, entries: number, weighted: boolean): number {
  return entries * 12 + (rows + 1) * 4 + (weighted ? rows * 8 : 0) + 4 * 64;
}

/** Bytes of the copy by column: starts, rows and values, each at a multiple of 64. */
export function byColumnBytes(entries: number, cols: number): number {
  return entries * 12 + (cols + 2) * 4 + 2 * 64;
}

/** Room for a part, and for its entries by column where `byColumnCols` is their number. */
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

/** Copies a part in, through the frame: entries are shifted, scaled and weighted. */
export function fillPart(kernels: Kernels, at: RowAddresses, block: SparseBlock, part: Part, centred: Centred): void {
  const { indptr, indices, data } = block;
  const { lift, frame } = centred;
  const { factor, rootWeights } = frame;
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

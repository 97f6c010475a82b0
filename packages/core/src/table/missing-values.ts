import { mapAsync } from '../base/map-async.js';
import type { DenseBlock } from '../data/blocks/block.js';
import { decoded } from '../data/blocks/float16.js';
import { filterRows } from './filter-rows.js';
import { GapCounts } from './gap-counts.js';
import { changeTable, isGap, type ReadRequest, type Table } from './table.js';
import { TwoBuffers } from './two-buffers.js';

/** Table steps for missing values: refuse them, drop their rows, or fill them in. Sparse rows have none. */

/** The table whose reading fails with `error` if a value of these columns is missing. */
export function refuseMissing<Value>(
  table: Table<Value>,
  columns: ReadRequest['numbers'],
  error: () => Promise<Error>,
): Table<Value> {
  return changeTable<Value>(table, {
    read: (request) => {
      const watched = watchedSlots(request.numbers, columns);
      if (watched?.length === 0) return table.read(request);
      return mapAsync(table.read(request), async (batch) => {
        const { block } = batch;
        if (block.kind === 'dense' && hasMissing(block, watched)) throw await error();
        return batch;
      });
    },
  });
}

/** How missing values are filled in. */
export interface Filling {
  readonly columns: ReadRequest['numbers'];
  /** Replacements in the order of `columns`. */
  values(): Promise<ArrayLike<number>>;
  readonly from: 'mean' | 'given';
  /** Called after a whole reading of all of the columns. */
  onRead(counts: GapCounts): void;
}

/** The table with missing values of some columns filled in. */
export function fillMissing<Value>(table: Table<Value>, { columns, values, from, onRead }: Filling): Table<Value> {
  return changeTable<Value>(table, {
    read: (request) => {
      const watched = watchedSlots(request.numbers, columns);
      if (watched?.length === 0) return table.read(request);
      const whole =
        columns === 'all' ? watched === undefined : watched === undefined || watched.length === columns.length;
      const indexes = watched && columnIndexes(request.numbers, columns, watched);
      const counts = new GapCounts(from);
      const buffers = new TwoBuffers();
      return mapAsync(
        table.read(request),
        async (batch) => {
          const { block } = batch;
          counts.rows += block.rows;
          if (block.kind === 'sparse' || !hasMissing(block, watched)) return batch;
          const replacements = await values();
          return { ...batch, block: fillCopy(block, replacements, counts, buffers, watched, indexes) };
        },
        () => {
          if (whole) onRead(counts);
        },
      );
    },
  });
}

/** The columns that decide whether a row is complete, and who learns how many rows were not. */
export interface Dropping {
  readonly numbers: ReadRequest['numbers'];
  readonly texts: readonly number[];
  /** Called after the first whole reading. Columns are counted in the order of `numbers`, then of `texts`. */
  onRead(counts: GapCounts): void;
}

/** The table without the rows that miss a value in these columns. */
export function dropMissing<Value>(table: Table<Value>, { numbers, texts, onRead }: Dropping): Table<Value> {
  const width = numbers === 'all' ? table.width : numbers.length;
  let counts: GapCounts;
  return filterRows(table, {
    numbers,
    texts,
    begin: () => {
      counts = new GapCounts();
      return (i, block, read) => {
        counts.rows++;
        if (!rowHasMissing(block, i) && !read.some((values) => isGap(values[i]))) return true;
        counts.drop([
          ...missingIn(block, i),
          ...[...read.keys()].filter((t) => isGap(read[t][i])).map((t) => width + t),
        ]);
        return false;
      };
    },
    end: () => onRead(counts),
  });
}

/** The positions in a request of the columns that are watched; undefined if these are all. */
function watchedSlots(
  requested: ReadRequest['numbers'],
  columns: ReadRequest['numbers'],
): readonly number[] | undefined {
  if (requested === columns || columns === 'all') return undefined;
  const watched = new Set(columns);
  if (requested === 'all') return [...watched].sort((a, b) => a - b);
  const slots = [...requested.keys()].filter((slot) => watched.has(requested[slot]));
  return slots.length === requested.length && slots.length === columns.length && sameOrder(requested, columns)
    ? undefined
    : slots;
}

function sameOrder(a: readonly number[], b: readonly number[]): boolean {
  return a.every((column, j) => column === b[j]);
}

/** The positions in `columns` of watched slots of a request. */
function columnIndexes(
  requested: ReadRequest['numbers'],
  columns: ReadRequest['numbers'],
  slots: readonly number[],
): readonly number[] {
  const numbers = slots.map((slot) => (requested === 'all' ? slot : requested[slot]));
  if (columns === 'all') return numbers;
  const places = new Map(columns.map((column, at) => [column, at]));
  return numbers.map((column) => places.get(column) ?? 0);
}

function hasMissing(block: DenseBlock, watched: readonly number[] | undefined): boolean {
  for (let i = 0; i < block.rows; i++) {
    if (!rowHasMissing(block, i)) continue;
    if (watched === undefined) return true;
    const missing = new Set(missingIn(block, i));
    if (watched.some((slot) => missing.has(slot))) return true;
  }
  return false;
}

/** A copy of the block with missing values filled in. */
function fillCopy(
  block: DenseBlock,
  values: ArrayLike<number>,
  counts: GapCounts,
  buffers: TwoBuffers,
  watched: readonly number[] = [...Array(block.cols).keys()],
  indexes: readonly number[] = watched,
): DenseBlock {
  const { rows, cols, stride, data } = decoded(block);
  const length = Math.max(0, rows - 1) * stride + cols;
  const copy = block.half ? data : buffers.next(data, length);
  if (!block.half) copy.set(data.subarray(0, length));
  for (let i = 0; i < rows; i++) {
    for (let w = 0; w < watched.length; w++) {
      const at = i * stride + watched[w];
      if (!Number.isNaN(copy[at])) continue;
      copy[at] = values[indexes[w]];
      counts.fill(indexes[w]);
    }
  }
  return { kind: 'dense', rows, cols, stride, data: copy };
}

/** True if the row misses a value. Half-precision numbers are looked at as bits. */
export function rowHasMissing({ data, cols, stride, half }: DenseBlock, row: number): boolean {
  const from = row * stride;
  if (half) {
    for (let at = from; at < from + cols; at++) if ((data[at] & 0x7fff) > 0x7c00) return true;
    return false;
  }
  for (let at = from; at < from + cols; at++) if (Number.isNaN(data[at])) return true;
  return false;
}

/** The columns of a block in which a row misses a value. */
export function missingIn({ data, cols, stride, half }: DenseBlock, row: number): number[] {
  const isMissing = half
    ? (at: number): boolean => (data[at] & 0x7fff) > 0x7c00
    : (at: number): boolean => Number.isNaN(data[at]);
  return [...Array(cols).keys()].filter((j) => isMissing(row * stride + j));
}

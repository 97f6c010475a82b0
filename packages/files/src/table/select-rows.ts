import { OptionError } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import type { Batch, DenseBatch, Table } from './table.js';

/** Ranges of rows of a file, counted from 0, both ends included. */
export type RowRanges = readonly (readonly [first: number, last: number])[];

export interface SelectedRows {
  readonly table: Table;
  /** Where a row of the selection is in the file. */
  placeOf(row: number): number;
}

/** The table, which is not sparse, with only the rows in the ranges, or with all others. A range past the last row is refused when that is found. */
export function selectRows(table: Table, given: RowRanges, which: 'inside' | 'outside', path: string): SelectedRows {
  const inside = merged(given);
  const last = inside[inside.length - 1][1];
  const ranges = which === 'inside' ? inside : between(inside);
  const check = (rows: number): void => {
    if (rows > last) return;
    throw new OptionError(
      'BAD_OPTION',
      `supplementaryRows has row ${last + 1}, and ${path} has ${rows} ${rows === 1 ? 'row' : 'rows'}.`,
      { option: 'supplementaryRows', value: last + 1, expected: rows },
    );
  };
  if (table.rows !== undefined) check(table.rows);
  async function* read(request: Parameters<Table['read']>[0]): AsyncGenerator<Batch, void, void> {
    let start = 0;
    let range = 0;
    for await (const batch of table.read(request)) {
      const end = start + batch.block.rows;
      const kept: number[] = [];
      for (let row = start; row < end; row++) {
        while (range < ranges.length && ranges[range][1] < row) range++;
        if (range < ranges.length && ranges[range][0] <= row) kept.push(row - start);
      }
      if (kept.length === batch.block.rows) yield batch;
      else if (kept.length > 0) yield rowsAt(batch as DenseBatch, kept);
      start = end;
    }
    check(start);
  }
  // Not a copy, as in `withClose`.
  const selected: Table = Object.create(table, {
    rows: { value: table.rows === undefined ? undefined : rowsIn(ranges, table.rows) },
    shape: { value: undefined },
    read: { value: read },
  });
  return { table: selected, placeOf: (row) => placeIn(ranges, row) };
}

/** In order, without overlaps. */
function merged(ranges: RowRanges): [number, number][] {
  const out: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = out[out.length - 1];
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else out.push([first, last]);
  }
  return out;
}

/** The rows before, between and after the ranges. */
function between(ranges: RowRanges): [number, number][] {
  const starts = [0, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), Number.POSITIVE_INFINITY];
  return starts.map((first, i): [number, number] => [first, ends[i]]).filter(([first, last]) => first <= last);
}

function rowsIn(ranges: RowRanges, rows: number): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, Math.min(last + 1, rows) - first), 0);
}

function placeIn(ranges: RowRanges, row: number): number {
  let left = row;
  for (const [first, last] of ranges) {
    if (left <= last - first) return first + left;
    left -= last - first + 1;
  }
  return row;
}

/** Some rows of a batch. */
export function rowsAt({ block, text, texts }: DenseBatch, kept: readonly number[]): Batch {
  const pick = <Value>(values: readonly Value[]): Value[] => kept.map((i) => values[i]);
  return {
    block: denseRows(block, kept),
    ...(text ? { text: pick(text) } : {}),
    ...(texts ? { texts: texts.map(pick) } : {}),
  };
}

/** A copy: the rows may be read from memory that others read too. */
function denseRows(block: DenseBlock, kept: readonly number[]): DenseBlock {
  const { cols, stride, data } = block;
  const copy = data.slice(0, kept.length * cols);
  kept.forEach((i, at) => {
    copy.set(data.subarray(i * stride, i * stride + cols), at * cols);
  });
  return { ...block, rows: kept.length, stride: cols, data: copy };
}

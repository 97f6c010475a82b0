import { readMixed } from './mixed-batches.js';
import { RowSet } from './row-set.js';
import { rowsAt, type SelectedRows } from './select-rows.js';
import type { Batch, DenseBatch, Table } from './table.js';

/** Whether rows are kept: decides for each row of a batch. */
export interface RowRule {
  /** What is read to decide. */
  readonly numbers: readonly number[] | 'all';
  readonly texts: readonly number[];
  keeps(row: number, numbers: DenseBatch['block'], texts: readonly (readonly (string | null)[])[]): boolean;
}

export interface FilteredRows extends SelectedRows {
  /** The rows that are kept, once the table was read. */
  readonly kept: RowSet | undefined;
}

/**
 * The table, which is not sparse, with only the rows that a rule keeps. The first reading is preceded by one that decides; its
 * answer is kept, one bit per row.
 */
export function filterRows(table: Table, { numbers, texts, keeps }: RowRule): FilteredRows {
  let kept: RowSet | undefined;
  let deciding: Promise<RowSet> | undefined;
  const decide = async (): Promise<RowSet> => {
    const rows = new RowSet();
    for await (const batch of readMixed(table, numbers, texts)) {
      for (let i = 0; i < batch.block.rows; i++) rows.push(keeps(i, batch.block, batch.texts));
    }
    kept = rows;
    return rows;
  };
  async function* read(request: Parameters<Table['read']>[0]): AsyncGenerator<Batch, void, void> {
    deciding ??= decide();
    const rows = await deciding;
    let start = 0;
    for await (const batch of table.read(request)) {
      const own = [...Array(batch.block.rows).keys()].filter((i) => rows.has(start + i));
      start += batch.block.rows;
      if (own.length === batch.block.rows) yield batch;
      else if (own.length > 0) yield rowsAt(batch as DenseBatch, own);
    }
  }
  // Not a copy, as in `withClose`.
  const filtered: Table = Object.create(table, {
    rows: { get: () => kept?.chosen },
    shape: { value: undefined },
    read: { value: read },
  });
  return {
    table: filtered,
    placeOf: (row) => kept?.nth(row) ?? row,
    get kept() {
      return kept;
    },
  };
}

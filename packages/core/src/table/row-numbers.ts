import { RowSet } from './row-set.js';
import { rowNumberOf, type TableBatch } from './table.js';

/** The numbers in the user's table of the rows that were read, from 0: one bit per row, if rows were left out. */
export class RowNumbers {
  /** Rows that were read. */
  count = 0;
  #rows: RowSet | undefined;

  add(batch: Pick<TableBatch, 'block' | 'rowNumbers'>): void {
    const first = this.count;
    this.count += batch.block.rows;
    if (batch.rowNumbers && !this.#rows) {
      this.#rows = new RowSet();
      for (let row = 0; row < first; row++) this.#rows.push(true);
    }
    const rows = this.#rows;
    if (!rows) return;
    for (let i = 0; i < batch.block.rows; i++) {
      const row = rowNumberOf(batch, i, first);
      while (rows.rows < row) rows.push(false);
      rows.push(true);
    }
  }

  /** The number of a row that was read. */
  of(row: number): number {
    return this.#rows ? this.#rows.nth(row) : row;
  }
}

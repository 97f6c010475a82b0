import { mapAsync } from '../base/map-async.js';
import { RowNumbers } from './row-numbers.js';
import { changeTable, type Table } from './table.js';

/** Who learns the numbers of the rows. */
export interface RowsReader {
  /** Called when a reading starts. It adds the numbers of its rows batch by batch. */
  begin(numbers: RowNumbers): void;
  /** Called after the last row. */
  end(numbers: RowNumbers): void;
}

/** The table whose readings count the rows and learn their numbers in the user's table. Empty batches are left out. */
export function numberRows<Value>(table: Table<Value>, reader: RowsReader): Table<Value> {
  return changeTable<Value>(table, {
    read: (request) => {
      const numbers = new RowNumbers();
      reader.begin(numbers);
      return mapAsync(
        table.read(request),
        (batch) => {
          numbers.add(batch);
          return batch.block.rows === 0 ? undefined : batch;
        },
        () => reader.end(numbers),
      );
    },
  });
}

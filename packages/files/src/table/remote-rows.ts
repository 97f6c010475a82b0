import type { RowSource } from '@scree/core';
import { GapCounts } from '@scree/core/data';
import type { FileRows } from './file-rows.js';
import { infiniteIn, missingError } from './table-errors.js';

/** The rows on a cluster, if the table is on one. If there are weights, the rows are read here as the weights are. */
export function remoteRows(rows: FileRows): RowSource['remote'] {
  const { table, roles, fill, facts } = rows;
  // A cluster cannot pass missing values on.
  const missing = rows.missing === 'keep' ? 'error' : rows.missing;
  const { used, cols, weight } = roles;
  if (!table.remote || weight !== undefined) return undefined;
  return table.remote({
    numbers: used === 'all' ? [...Array(cols).keys()] : used,
    missing,
    fill,
    onRead: (read) => {
      const { incomplete, gaps, infinite } = read;
      if (incomplete > 0 && missing === 'error') {
        const counts = [...gaps].map((count, j) => ({ name: rows.columnName(j), count }));
        const columns = counts.filter(({ count }) => count > 0);
        throw missingError(facts.path, { rows: read.read, incomplete, first: undefined, columns }, rows.place(0));
      }
      const j = infinite.findIndex((count) => count > 0);
      if (j >= 0) throw infiniteIn(facts.path, j, rows.columnName(j), infinite[j]);
      if (read.rows === 0) throw rows.emptyError();
      rows.rows = read.rows;
      rows.counts = GapCounts.of(read, rows.drops, fill ? 'given' : 'mean');
    },
  });
}

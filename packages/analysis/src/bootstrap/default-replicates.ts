import type { Reason } from '../reasons.js';

/** Numbers of a table up to which it is read again without being asked for, and a bootstrap is worth its time. */
export const SMALL_TABLE = 1e7;
/** Fewer rows than this are no sample to draw from. */
export const FEWEST_ROWS = 3;

/** How many replicates `analyze`, the command and the lab take by default: from the shape alone, so that results can be reproduced. */
export function defaultReplicates(rows: number, cols: number): number {
  return rows * cols <= SMALL_TABLE ? 200 : 0;
}

/** Replicates of a bootstrap: as asked for, or as the shape allows; or why there are none. */
export function replicatesFor(asked: number | undefined, rows: number, cols: number): number | Reason {
  if (asked === 0) return { code: 'NOT_ASKED' };
  if (rows < FEWEST_ROWS) return { code: 'FEW_ROWS', details: { rows, expected: FEWEST_ROWS } };
  const replicates = asked ?? defaultReplicates(rows, cols);
  return replicates > 0 ? replicates : { code: 'LARGE_TABLE', details: { rows, cols } };
}

import type { Reason } from '../reasons.js';

/** Most numbers of a table that is read again, and has a bootstrap, by default. */
export const SMALL_TABLE = 1e7;
/** Fewest rows of a bootstrap. */
export const FEWEST_ROWS = 3;

/**
 * The default number of replicates of `analyze`, the command and the lab. It follows from the shape alone, so that results can be
 * reproduced.
 */
export function defaultReplicates(rows: number, cols: number): number {
  return rows * cols <= SMALL_TABLE ? 200 : 0;
}

/** The number of replicates, requested or by default; or the reason for none. */
export function replicatesFor(asked: number | undefined, rows: number, cols: number): number | Reason {
  if (asked === 0) return { code: 'NOT_ASKED' };
  if (rows < FEWEST_ROWS) return { code: 'FEW_ROWS', details: { rows, expected: FEWEST_ROWS } };
  const replicates = asked ?? defaultReplicates(rows, cols);
  return replicates > 0 ? replicates : { code: 'LARGE_TABLE', details: { rows, cols } };
}

/** Numbers of a table up to which a bootstrap is worth its time without being asked for. */
const SMALL_TABLE = 1e7;

/** How many replicates the command, the report and the lab take by default: from the shape alone, so that results can be reproduced. */
export function defaultReplicates(rows: number, cols: number): number {
  return rows * cols <= SMALL_TABLE ? 200 : 0;
}

/** Memory that reading and fitting a table may take if the caller names no limit, in bytes. */
export const DEFAULT_MEMORY = 1e9;

/** The users of memory that grows with the data. Each has its own share of the budget. */
export type MemoryUser = keyof typeof MEMORY_SHARES;

/** The budget is divided in sixteenths, so that every limit in a message is a round fraction. The shares add up to the whole. */
export const MEMORY_SHARES = {
  /** Bytes read ahead of the parser, one record of text, one header or footer. Files that people keep have records of kilobytes. */
  reader: 1 / 16,
  /** Pages, dictionaries and windows of compressed data, and the memory limit of DuckDB. A page of every column may be decoded at once. */
  decoder: 4 / 16,
  /** Three blocks of rows of a sixteenth each: one is computed with, one is filled, and one is on its way between two threads. */
  blocks: 3 / 16,
  /**
   * Square matrices of the solver and their copies: at the default of 1 GB those of the widest covariance that is kept (2,896 columns). If
   * a table has enough columns for their names to need this memory, no square matrix is computed, so the names count here too.
   */
  engine: 5 / 16,
  /** Data that grow with the number of rows: rows kept for the next reading, their statistics, labels, and buffers of outputs. */
  results: 3 / 16,
} as const;

/**
 * The memory that one command or one call may take, divided into fixed shares. A share is a limit and not a reservation: nothing is
 * allocated here, and what one user leaves is not given to another, so that a limit depends on the option alone.
 */
export class MemoryBudget {
  /** The whole budget in bytes. */
  readonly bytes: number;

  constructor(bytes = DEFAULT_MEMORY) {
    this.bytes = bytes;
  }

  /** Bytes that all of one user's allocations may take together. */
  share(user: MemoryUser): number {
    return Math.floor(this.bytes * MEMORY_SHARES[user]);
  }

  /** The budget of each of `count` users of the same kind that work at the same time, such as the readers of several files. */
  divide(count: number): MemoryBudget {
    return new MemoryBudget(Math.floor(this.bytes / Math.max(1, count)));
  }
}

/**
 * A lock-free job queue at the start of shared memory. The main thread writes a table of jobs, then sets `remaining` to their
 * number. A thread claims a job by decrementing `remaining` atomically; the value it read is the index of its job. One atomic
 * word carries both "is there work" and "which job", so a worker that wakes late cannot run a stale job.
 */

/** Byte offset of the queue. Address 0 stays unused: it means "none". */
export const QUEUE_START = 64;
/** Bytes that the queue takes. */
export const QUEUE_BYTES = 64;
/** 32-bit words of a job: the index of its function, then the arguments. */
export const JOB_WORDS = 16;

/** Indexes of the queue's 32-bit words. */
export const word = {
  /** Incremented for every list of jobs, and when the pass ends. Idle workers wait on it. */
  wakeCount: 0,
  /** 1 while a pass is running; workers leave when it is 0. */
  active: 1,
  /** Jobs that no thread has claimed yet; 0 or less when there are none. */
  remaining: 2,
  /** Jobs that are done. */
  done: 3,
  /** 1 when a job failed. */
  failed: 4,
  /** Address of the table of jobs. */
  table: 5,
  /** Jobs of the list, so that the thread that does the last one can tell the main thread. */
  total: 7,
  /** 1 where workers note how long they work, and the microseconds that they did. */
  timed: 8,
  worked: 9,
  /** Size of the memory, in pages: a worker whose view is smaller makes a new one. */
  pages: 6,
} as const;

/** The functions that jobs can call, by index: exports of assembly/kernels.ts. */
export const FUNCTIONS = [
  'packColumns',
  'packRows',
  'multiplySlots',
  'scoreSlots',
  'reduceRows',
  'backTransform',
  'sparsePack',
  'sparseNormal',
  'sparseNormalTurned',
  'sparseTurn',
  'sparseScore',
  'sparseCollect',
  'sparseSettle',
  'basisProducts',
  'basisSubtract',
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

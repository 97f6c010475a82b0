/**
 * A lock-free job queue at the start of shared memory. The main thread writes a table of jobs, then sets `remaining` to their
 * number. A thread claims a job by decrementing `remaining` atomically; the value it read is the index of its job. One atomic
 * word carries "is there work", "which job" and "of which pass", so a worker that wakes late cannot run a stale job, and one that has not noticed
 * the end of its pass cannot take a job of the next, whose data it does not have.
 */

/** Bits of `remaining` that are the number of jobs; those above are the number of the pass. */
export const JOB_BITS = 20;
export const MOST_JOBS = 2 ** JOB_BITS - 1;
/** Numbers of passes, which come again. */
export const PASS_NUMBERS = 2 ** 11;

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
  /** The number of the pass, and the jobs that no thread has claimed yet. */
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
  /** The number of the pass. */
  pass: 10,
  /** Size of the memory, in pages: a worker whose view is smaller makes a new one. */
  pages: 6,
} as const;

/** The functions that jobs can call, by index: exports of assembly/kernels.ts. */
export const FUNCTIONS = [
  'packColumns',
  'packRows',
  'multiplySlots',
  'scoreSlots',
  'reduce',
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
  'normalRows',
  'collectColumns',
  'addParts',
] as const;
/** The index of a job that copies rows instead of calling a kernel. */
export const COPY = FUNCTIONS.length;
export type FunctionName = (typeof FUNCTIONS)[number];

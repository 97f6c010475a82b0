/**
 * A lock-free job queue at the start of shared memory. The main thread writes a table of jobs, then sets `remaining` to their
 * number. A thread claims a job by decrementing `remaining` atomically; the value it read is the index of its job.
 *
 * Workers may start late, wake late, leave late and die. These rules keep that harmless:
 *
 * 1. `wakeCount` only grows, for as long as the memory exists. A worker reads it, then looks for work, then sleeps only if it is still the same. So
 *    whatever was published after the worker looked has changed the count, and the worker does not sleep through it. If the count began again at 0
 *    for every pass, a worker that is still leaving one pass could fall asleep on the count of the next, and nobody would wake it.
 * 2. All sleeps of workers have a timeout, `WORKER_SLEEP`. Rule 1 makes it unnecessary; if rule 1 is ever broken, it costs milliseconds instead of the program.
 * 3. A job belongs to the thread whose compare-and-exchange decremented `remaining`, and to no other. That word also has the low bits of the pass's
 *    number. A worker that has not noticed the end of its pass takes no job of the next pass, whose data it does not have. The bits come again after
 *    2 ** (32 - JOB_BITS) passes, so a worker that has claimed a job also compares the whole number.
 * 4. The table of jobs and all words that describe a list are written before `remaining` is stored, and stay until all claimed jobs are done.
 *    A worker reads them after it has claimed a job.
 * 5. The main thread ends a pass when all claimed jobs are done, and not before. So nobody writes into a memory that belongs to the next pass. The exception
 *    is a lost worker: its memory is never used again (`Kernels.broken`).
 * 6. A worker that takes jobs has set its own word `BUSY`. If it dies with the word at 0, no job is lost, and other threads go on.
 * 7. Jobs that nobody claims are claimed by the main thread in the end: it claims jobs anyway, or, if it was to leave them to the workers, after
 *    `STALL_TIME` without progress. So a pass needs no worker.
 */

/** Bits of `remaining` that are the number of jobs; those above are the low bits of the pass's number. */
export const JOB_BITS = 20;
export const MOST_JOBS = 2 ** JOB_BITS - 1;

/** Milliseconds that a worker sleeps at most before it looks for work again. */
export const WORKER_SLEEP = 100;
/** Milliseconds without progress after which the main thread takes jobs that it was to leave to the workers. */
export const STALL_TIME = 100;

/** The word of a worker's own state: 1 while it may have claimed a job that is not done. */
export const BUSY = 0;

/** Byte offset of the queue. Address 0 stays unused: it means "none". */
export const QUEUE_START = 64;
/** Bytes that the queue takes. */
export const QUEUE_BYTES = 64;
/** 32-bit words of a job: the index of its function, then the arguments. */
export const JOB_WORDS = 16;

/** Indexes of the queue's 32-bit words. */
export const queueIndex = {
  /** Incremented for every list of jobs, and when the pass ends; never reset. Idle workers wait on it. */
  wakeCount: 0,
  /** 1 while a pass is running; workers leave when it is 0. */
  active: 1,
  /** Low bits of the number of the pass, and the jobs that no thread has claimed yet. */
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

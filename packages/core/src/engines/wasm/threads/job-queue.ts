/**
 * A lock-free job queue at the start of shared memory. The main thread writes a table of jobs, then sets `remaining` to their number. A
 * thread claims a job by decrementing `remaining` atomically; the value it read is the index of its job.
 *
 * Workers may start late, wake late, leave late and die. These rules keep that harmless:
 *
 * 1. `wakeCount` only grows while the memory exists. A worker reads it, then looks for work, and then sleeps only if the count is
 *    unchanged. Every list published after the worker looked has changed the count, so the worker does not sleep through it. If the count
 *    restarted at 0 for every pass, a worker that is still leaving one pass could fall asleep on the count of the next, and no thread would
 *    wake it.
 * 2. Workers sleep with a timeout, `WORKER_SLEEP`. Rule 1 makes the timeout unnecessary. If rule 1 is ever broken, the program loses
 *    milliseconds and does not hang.
 * 3. A job belongs only to the thread whose compare-and-exchange decremented `remaining`. This word also holds the low bits of the pass
 *    number, so a worker that missed the end of its pass takes no job of the next pass, whose data it does not have. The bits repeat after
 *    2 ** (32 - JOB_BITS) passes, so a worker that has claimed a job also compares the whole number.
 * 4. The table of jobs and all words that describe a list are written before `remaining`, and do not change until all claimed jobs are
 *    done. A worker reads them after it has claimed a job.
 * 5. The main thread ends a pass only after all claimed jobs are done, so no worker writes into a memory that belongs to the next pass. The
 *    exception is a lost worker: its memory is never used again (`Kernels.broken`).
 * 6. A worker sets its word `BUSY` before it claims a job. If it dies while this word is 0, no job is lost, and the other threads continue.
 * 7. The main thread claims the jobs that no worker claims. If it is to leave all jobs to the workers, it claims jobs after `STALL_TIME`
 *    without progress. So a pass ends even if no worker runs.
 */

/** Low bits of `remaining` that hold the number of jobs. The bits above hold the low bits of the pass number. */
export const JOB_BITS = 20;
export const MOST_JOBS = 2 ** JOB_BITS - 1;

/** Maximum milliseconds that a worker sleeps before it looks for work again. */
export const WORKER_SLEEP = 100;
/** Milliseconds without progress after which the main thread claims jobs that it was to leave to the workers. */
export const STALL_TIME = 100;

/** Index of the word in a worker's state that is 1 while the worker may have claimed a job that is not done. */
export const BUSY = 0;

/** Byte offset of the queue. Address 0 stays unused, because it means "none". */
export const QUEUE_START = 64;
/** Size of the queue in bytes. */
export const QUEUE_BYTES = 64;
/** 32-bit words per job: the index of its function, then the arguments. */
export const JOB_WORDS = 16;

/** Indexes of the queue's 32-bit words. */
export const queueIndex = {
  /** Incremented for every list of jobs and at the end of a pass. Never reset. Idle workers wait on it. */
  wakeCount: 0,
  /** 1 while a pass is running. Workers leave when it is 0. */
  active: 1,
  /** Low bits of the pass number, and the number of jobs that no thread has claimed yet. */
  remaining: 2,
  /** Number of jobs that are done. */
  done: 3,
  /** 1 after a job failed. */
  failed: 4,
  /** Address of the table of jobs. */
  table: 5,
  /** Number of jobs of the list. The thread that finishes the last job notifies the main thread. */
  total: 7,
  /** 1 if workers measure their working time, and its sum in microseconds. */
  timed: 8,
  worked: 9,
  /** The pass number. */
  pass: 10,
  /** Size of the memory in pages. A worker with a smaller view creates a new view. */
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
  'sparseNormalByColumn',
  'sparseByColumn',
  'sparseScore',
  'sparseCollect',
  'sparseAddParts',
  'basisProducts',
  'basisSubtract',
  'normalRows',
  'collectColumns',
  'addParts',
] as const;
/** The function index of a job that copies rows instead of calling a kernel. */
export const COPY = FUNCTIONS.length;
export type FunctionName = (typeof FUNCTIONS)[number];

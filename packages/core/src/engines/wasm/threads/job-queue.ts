/**
 * The board on which a team finds its work, at the start of the memory that it shares. A step's jobs are laid out in a
 * table, then `remaining` is set to their number; whoever takes one off it owns the job of that number. One atomic word
 * says both that there is work and which, so a worker that comes late or lags behind can do no harm.
 */

/** Byte offset of the board. Address 0 stays unused: it means "none". */
export const BOARD = 64;
/** Bytes that the board takes. */
export const BOARD_BYTES = 64;
/** Words of a job: the function's number and its arguments. */
export const JOB_WORDS = 16;

/** The board's words. */
export const word = {
  /** Grows with every step: what idle workers sleep on. */
  generation: 0,
  /** 1 while a pass is running: workers stay. */
  active: 1,
  /** Jobs that nobody has taken yet; 0 or less when there are none. */
  remaining: 2,
  /** Jobs of the step that are done. */
  done: 3,
  /** 1 when a job failed. */
  failed: 4,
  /** Address of the table of jobs. */
  table: 5,
  /** Size of the memory, in pages: a worker that knows a smaller one asks anew. */
  pages: 6,
} as const;

/** What jobs call, by number: exports of assembly/kernels.ts. */
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

/**
 * The whole reduction of tridiagonalise.ts on any number of threads. All threads that call `reduce` claim the jobs of a list: the parts of
 * a column's product, or of the update at the end of a panel. The thread that finishes a list also does the sequential work and publishes
 * the next list. So no thread controls another, and threads may join late and leave early. Lists and parts depend on the size alone, so the
 * result does not depend on the threads. A thread prefers the same parts every time, because their rows are in its cache.
 */

import { beginColumn, endColumn, multiplyUpper, updatePart } from './tridiagonalise';

/** A clock in milliseconds, imported by the module. */
declare function now(): f64;

/** Columns per panel. */
const PANEL: i32 = 16;
/** With fewer rows, one thread is faster than several that wait for each other. */
const SHARED: i32 = 256;
/**
 * Maximum parts, and the number of low bits of the claim, one per unclaimed job. The bits above hold the list: 2j for the product of column
 * j, 2j + 1 for the update before it.
 */
const PARTS: i32 = 16;
/** The claim at the end. Other negative numbers stop the work earlier. */
const END: i32 = -1;
/** Milliseconds that a thread spins for the next list before it sleeps or returns. */
const SPIN: f64 = 0.05;

/**
 * Maximum nanoseconds that a worker sleeps. Threads that publish a list or stop the work wake sleeping workers, so the timeout is only a
 * safeguard.
 */
const WAIT: i64 = 100000000;

/**
 * Byte offsets in the state. The claim is at offset 0. Then, one per cache line: the number of finished jobs, the number of sleeping
 * threads, and the microseconds that workers and (in the next word) the main thread waited.
 */
const DONE: usize = 64;
const SLEEPERS: usize = 128;
const IDLE: usize = 192;

/** Returns the number of parts of a matrix with `rows` rows. */
function partsOf(rows: i32): i32 {
  return rows < SHARED ? 1 : rows < 512 ? 8 : PARTS;
}

/** Returns the claim of a list with all jobs unclaimed. */
function claimOf(list: i32, size: i32): i32 {
  return (list << PARTS) | ((1 << partsOf(size - (list >> 1))) - 1);
}

/**
 * Works until the reduction is finished. The main thread passes a `slice` in milliseconds; it returns after this time, or when it would
 * have to wait. `state` starts with the claim of list 1 with one job, and zeros. `own` has the bits of the jobs that the thread prefers.
 */
export function reduce(
  state: usize,
  slice: i32,
  own: i32,
  a: usize,
  stride: i32,
  size: i32,
  rows: i32,
  diagonal: usize,
  offDiagonal: usize,
  taus: usize,
  panel: usize,
  p: usize,
): void {
  const bytes = (<usize>stride) << 3;
  const start = now();
  let idle = 0.0;
  for (;;) {
    const claim = atomic.load<i32>(state);
    if (claim < 0) break;
    const list = claim >> PARTS;
    const left = claim & ((1 << PARTS) - 1);
    if (left === 0) {
      const since = now();
      // The clock is read rarely, because every reading allocates garbage, whose collection stops the thread.
      do for (let i = 0; i < 1000 && atomic.load<i32>(state) === claim; i++);
      while (atomic.load<i32>(state) === claim && now() - since < SPIN);
      const same = atomic.load<i32>(state) === claim;
      if (same && slice === 0) {
        atomic.add<i32>(state + SLEEPERS, 1);
        atomic.wait<i32>(state, claim, WAIT);
        atomic.sub<i32>(state + SLEEPERS, 1);
      }
      idle += now() - since;
      if (same && slice > 0) break;
      continue;
    }
    const job = ctz((left & own) !== 0 ? left & own : left);
    if (atomic.cmpxchg<i32>(state, claim, claim & ~(1 << job)) !== claim) continue;
    const j = list >> 1;
    const jobs = list === 1 ? 1 : partsOf(size - j);
    if ((list & 1) === 0) {
      const v = panel + <usize>(2 * (j % PANEL)) * bytes;
      multiplyUpper(a, stride, rows, v, p + <usize>job * bytes, j, job, jobs);
    } else if (j > 0) {
      updatePart(a, stride, rows, panel, PANEL, j, job, jobs);
    }
    if (atomic.add<i32>(state + DONE, 1) + 1 < jobs) continue;
    atomic.store<i32>(state + DONE, 0);
    const next = alone(list, a, stride, size, rows, diagonal, offDiagonal, taus, panel, p);
    atomic.cmpxchg<i32>(state, list << PARTS, next);
    if (atomic.load<i32>(state + SLEEPERS) > 0) atomic.notify(state, -1);
    if (slice > 0 && now() - start > <f64>slice) break;
  }
  atomic.add<i32>(state + IDLE + (slice > 0 ? 4 : 0), <i32>(1000 * idle));
}

/** Does the sequential work after a list of jobs. Returns the claim of the next list. */
function alone(
  list: i32,
  a: usize,
  stride: i32,
  size: i32,
  rows: i32,
  diagonal: usize,
  offDiagonal: usize,
  taus: usize,
  panel: usize,
  p: usize,
): i32 {
  const bytes = (<usize>stride) << 3;
  let multiplied = (list & 1) === 0;
  let j = list >> 1;
  for (; ; multiplied = true) {
    if (multiplied) {
      endColumn(stride, taus, panel, p, bytes, j, j % PANEL, partsOf(size - j));
      j++;
      if (j % PANEL === 0) {
        if (size - j >= SHARED) return claimOf(2 * j + 1, size);
        updatePart(a, stride, rows, panel, PANEL, j, 0, 1);
      }
    }
    const column = j % PANEL;
    beginColumn(a, stride, size, diagonal, offDiagonal, taus, panel, j, column);
    if (j === size - 1) break;
    if (size - j >= SHARED) return claimOf(2 * j, size);
    multiplyUpper(a, stride, rows, panel + <usize>(2 * column) * bytes, p, j, 0, 1);
  }
  return END;
}

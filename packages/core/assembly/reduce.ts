/**
 * The whole reduction of tridiagonalise.ts, on as many threads as come. All threads that call `reduce` claim the jobs of a list: the parts
 * of a column's product, or of the update that ends a panel. The thread that does the last job of a list also does what one thread must do alone,
 * and makes the next list. So no thread tells another what to do, and threads may come late and leave early. Lists and parts follow from the size alone,
 * so the result does not depend on the threads. A thread prefers the same parts every time, whose rows are in its cache.
 */

import { beginColumn, endColumn, multiplyUpper, updatePart } from './tridiagonalise';

/** Milliseconds of a clock: an import of the module. */
declare function now(): f64;

/** Columns per panel. */
const PANEL: i32 = 16;
/** Rows below which one thread is faster than several that wait for each other. */
const SHARED: i32 = 256;
/** Most parts: bits of the claim for jobs that are left. Those above are the list: 2j for the product of column j, 2j + 1 for the update before it. */
const PARTS: i32 = 16;
/** The claim at the end. Other negative numbers stop the work before. */
const END: i32 = -1;
/** Milliseconds that a thread waits for the next list before it sleeps or returns. */
const SPIN: f64 = 0.05;

/** Nanoseconds that a worker sleeps at most. A thread that makes a list or stops the work wakes those that sleep, so this is a safety net only. */
const WAIT: i64 = 100000000;

/** Words of the state: the claim; after a cache line jobs that are done; threads that sleep; microseconds that workers and the main thread waited. */
const DONE: usize = 64;
const SLEEPERS: usize = 128;
const IDLE: usize = 192;

/** The parts of a matrix with so many rows. */
function partsOf(rows: i32): i32 {
  return rows < SHARED ? 1 : rows < 512 ? 8 : PARTS;
}

/** The claim of a list, all jobs left. */
function claimOf(list: i32, size: i32): i32 {
  return (list << PARTS) | ((1 << partsOf(size - (list >> 1))) - 1);
}

/**
 * Takes part until there is nothing left to do; the main thread, which has a `slice` in milliseconds, returns after that, and where it would have to wait.
 * `state` is zero but for the claim: list 1 with one job. `own` has the bits of the jobs that the thread prefers.
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
      // The clock is read now and then: every reading leaves garbage, whose collection stops the thread.
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

/** What follows a list of jobs, up to the next: returns its claim. */
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

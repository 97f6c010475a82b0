/**
 * Working times of threads, in milliseconds. Only `bench/` switches the measurement on. A list of jobs takes `wall`. This thread works for
 * `own` of it (its jobs, and its work while jobs run), and the workers together work for `workers`, by their own clocks.
 *
 * On two threads, at least one thread works until a list is done. So exactly one thread works for 2·wall − own − workers.
 */
export const threadTimes = { measured: false, wall: 0, own: 0, workers: 0 };

/** Sets the times to 0 and switches the measurement on or off. */
export function resetThreadTimes(measured: boolean): void {
  Object.assign(threadTimes, { measured, wall: 0, own: 0, workers: 0 });
}

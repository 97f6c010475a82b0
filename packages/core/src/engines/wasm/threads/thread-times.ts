/**
 * How long threads worked, for `bench/`: switched on there, and off everywhere else. A list of jobs takes `wall`; this thread works for `own` of
 * it (its jobs, and what it does meanwhile), and the workers for `workers` together, by their own clocks.
 *
 * On two threads at least one works all the time until a list is done, so only one of them works for 2·wall − own − workers.
 */
export const threadTimes = { measured: false, wall: 0, own: 0, workers: 0 };

/** Sets the times to 0, and says whether they are measured from now on. */
export function resetThreadTimes(measured: boolean): void {
  Object.assign(threadTimes, { measured, wall: 0, own: 0, workers: 0 });
}

import { nextTurn } from '../base/event-loop.js';
import type { ProgressTracker } from '../base/progress.js';

/**
 * The queue of fits. Fits of data in memory run one after the other, in the order in which they were called: one uses all cores, and two at a time
 * would take the workers from each other. Small fits do not wait. Nor do fits of streams and files, which may wait for a program that itself
 * awaits a fit.
 */

/** Fits at a time. With three, four fits took three times as long as one after the other, on 16 cores (bench/event-loop.ts). */
const MOST_FITS = 1;
let running = 0;
const waiting: (() => void)[] = [];

/** Waits for the fit's turn; undefined where it may begin at once. Every admitted fit calls `leave` when it ends. */
export function enter(progress: ProgressTracker): Promise<void> | undefined {
  if (running < MOST_FITS) {
    running++;
    return undefined;
  }
  let begin: () => void = () => {};
  const turn = new Promise<void>((resolve) => {
    begin = resolve;
    waiting.push(resolve);
  });
  return progress.orAbort(turn).catch(async (error) => {
    const at = waiting.indexOf(begin);
    // Its turn may have come at the moment of the abort.
    if (at >= 0) waiting.splice(at, 1);
    else leave();
    await nextTurn();
    throw error;
  });
}

/** Lets the next fit begin. */
export function leave(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}

import type { Moment } from '../../src/learn/shared/history.js';
import type { EpochRun } from '../../src/learn/shared/playback.js';

/** All remaining moments of a run. */
export function momentsOf<M extends Moment>(run: EpochRun<M>): M[] {
  const moments: M[] = [];
  for (let next = run.next(); next; next = run.next()) moments.push(next);
  return moments;
}

/** The last moment of a run. */
export function lastOf<M extends Moment>(run: EpochRun<M>): M {
  const last = momentsOf(run).pop();
  if (!last) throw new Error('The run has no moments.');
  return last;
}

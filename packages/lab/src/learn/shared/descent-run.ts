import { ConvergenceError } from '@scree/core';
import type { Descent, Snapshot } from '@scree/core/learn';
import type { Moment } from './history.js';
import type { EpochRun } from './playback.js';

interface Options<M extends Moment> {
  /** Applies the settings that the user has changed since the last epoch, such as the step. */
  readonly steer: (run: Descent) => void;
  /** Makes the moment that a screen shows from a state of the run. */
  readonly moment: (state: Snapshot) => M;
  /** The message of a run that has not ended after this number of epochs. */
  readonly tooSlow: (epochs: number) => string;
}

/**
 * The library's `descend` as a run that can be played. If a step is too long, the error's `best` is the moment with the lowest
 * loss, at the epoch of the error. The run returns to this moment, and continues from there.
 */
export function descentRun<M extends Moment>(run: Descent, { steer, moment, tooSlow }: Options<M>): EpochRun<M> {
  let epochs = 0;
  return {
    next() {
      steer(run);
      try {
        const { value } = run.next();
        epochs++;
        return value && moment(value);
      } catch (error) {
        if (!(error instanceof ConvergenceError)) throw error;
        const { message, best, details, code } = error as ConvergenceError<Snapshot>;
        if (code !== 'DIVERGED') throw new ConvergenceError(tooSlow(epochs), undefined, details);
        throw new ConvergenceError(message, { ...moment(best), epoch: epochs++ }, details, code);
      }
    },
  };
}

import type { ProgressTracker } from '../base/progress.js';
import { availableEngines } from '../engines/choose.js';
import { OptionError } from '../errors.js';
import type { NestedModels } from '../model/finish.js';
import type { Settings } from '../options.js';
import { SOLVERS } from '../solvers/registry.js';
import { fit } from './fit.js';
import type { MomentSums } from './moment-sums.js';

/** Fits moments with the engines that are available for their covariance. */
export async function fitMoments(
  moments: MomentSums,
  settings: Settings,
  progress: ProgressTracker,
): Promise<NestedModels> {
  refuseForMoments(settings, moments.cols);
  return fit(moments, settings, await availableEngines(settings, moments.cols ** 2), progress);
}

/** Throws if an option needs rows, because moments have none. */
export function refuseForMoments({ solver, learn, weights, columnTransform, missing }: Settings, cols: number): void {
  const needsRows = (learn: Settings['learn']): boolean =>
    solver !== 'auto' && SOLVERS[solver].needs({ cols, learn }) !== 'scatter';
  const { batch, ...fullBatch } = learn ?? {};
  const batches = batch !== undefined && needsRows(learn) && !needsRows(fullBatch);
  const option =
    weights !== undefined
      ? 'weights'
      : columnTransform !== undefined
        ? 'columnTransform'
        : missing !== 'error'
          ? 'missing'
          : batches
            ? 'learn.batch'
            : needsRows(learn)
              ? 'solver'
              : undefined;
  if (option === undefined) return;
  const remedy = {
    weights: 'Give weights when you add rows',
    columnTransform: 'Transform rows before you add them',
    missing: 'Leave it out',
    'learn.batch': 'Leave it out',
    solver: "Leave solver at 'auto' or 'covariance'",
  }[option];
  throw new OptionError(
    'BAD_OPTION',
    `${option} cannot be chosen for moments, which have no rows. ${remedy}, or pass the rows themselves.`,
    { option },
  );
}

import { useSignal } from '@preact/signals';
import { several, show } from '@scree/analysis/describe';
import { useEffect } from 'preact/hooks';
import { shorten, untangled } from '../shorten.js';
import { problem, runningTask } from '../state/data.js';
import { fitAgain, fitted, isOutdated } from '../state/fit.js';

/** Milliseconds before the progress bar appears: for shorter work it would only flicker. */
const PROGRESS_DELAY = 200;

/** The status line: progress, the last problem, or the result. */
export function Status() {
  const isWorking = runningTask.value !== undefined;
  const isDelayed = useSignal(true);
  useEffect(() => {
    isDelayed.value = true;
    if (!isWorking) return;
    const timer = setTimeout(() => (isDelayed.value = false), PROGRESS_DELAY);
    return () => clearTimeout(timer);
  }, [isWorking, isDelayed]);
  const now = fitted.value;
  const { progress, cancel } = runningTask.value ?? {};
  const what = shorten(runningTask.value?.what ?? '', 80);
  const share = progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
  const done = now
    ? `${several(now.model.k, 'component')} of ${several(now.model.n, 'row')} and ${several(now.model.d, 'column')} in ${show(now.milliseconds)} ms${now.model.plan.engine === 'webgpu' ? ' on the graphics card' : ''}`
    : '';
  return (
    <div class="status">
      {isWorking && !isDelayed.value ? (
        <>
          <p role="status">{`${what}${progress ? `: ${progress.phase}` : ''}…`}</p>
          <progress aria-label={`${what}`} {...(share === undefined ? {} : { value: share })} />
          <button type="button" onClick={() => cancel?.()}>
            Cancel
          </button>
        </>
      ) : (
        <p role="status" class="hint">
          {done}
        </p>
      )}
      {isOutdated.value && now && <p class="notice">Not fitted as chosen: this is still the previous fit.</p>}
      {isOutdated.value && problem.value === '' && (
        <button type="button" onClick={fitAgain}>
          Fit again
        </button>
      )}
      {problem.value !== '' && (
        <p role="alert" class="error">
          {untangled(problem.value)}
        </p>
      )}
    </div>
  );
}

import { useSignal } from '@preact/signals';
import { several, show } from '@scree/core/words';
import { useEffect } from 'preact/hooks';
import { shorten, untangled } from '../shorten.js';
import { problem, runningTask } from '../state/data.js';
import { fitAgain, fitted, isOutdated } from '../state/fit.js';

/** Milliseconds before the progress bar appears: for shorter work it would only flicker. */
const PROGRESS_DELAY = 200;

/** The status line: progress, the last problem, or the result. */
export function Status() {
  const working = runningTask.value !== undefined;
  const patient = useSignal(true);
  useEffect(() => {
    patient.value = true;
    if (!working) return;
    const timer = setTimeout(() => (patient.value = false), PROGRESS_DELAY);
    return () => clearTimeout(timer);
  }, [working, patient]);
  const now = fitted.value;
  const { progress, cancel } = runningTask.value ?? {};
  const what = shorten(runningTask.value?.what ?? '', 80);
  const share = progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
  const done = now
    ? `${several(now.model.k, 'component')} of ${several(now.model.n, 'row')} and ${several(now.model.d, 'column')} in ${show(now.milliseconds)} ms`
    : '';
  return (
    <div class="status">
      {working && !patient.value ? (
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
          {now && now.incompleteRows > 0 && (
            <span class="notice">
              {` · ${several(now.incompleteRows, 'row')} with missing values ${now.keptRows ? 'left out' : 'filled in'}`}
            </span>
          )}
        </p>
      )}
      {isOutdated.value && now && <p class="notice">Not fitted as chosen: what is shown is the fit before.</p>}
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

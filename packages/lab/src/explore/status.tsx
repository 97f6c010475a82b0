import { useSignal } from '@preact/signals';
import { several, show } from '@scree/core/words';
import { useEffect } from 'preact/hooks';
import { shorten, untangled } from '../shorten.js';
import { busy, problem } from '../state/data.js';
import { fitAgain, fitted, outdated } from '../state/fit.js';

/** Work that takes less than this many milliseconds shows no bar, which would only flicker. */
const PATIENCE = 200;

/** What is going on, or went wrong, or was done. */
export function Status() {
  const working = busy.value !== undefined;
  const patient = useSignal(true);
  useEffect(() => {
    patient.value = true;
    if (!working) return;
    const timer = setTimeout(() => (patient.value = false), PATIENCE);
    return () => clearTimeout(timer);
  }, [working, patient]);
  const now = fitted.value;
  const { progress, cancel } = busy.value ?? {};
  const what = shorten(busy.value?.what ?? '', 80);
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
          {now && now.incomplete > 0 && (
            <span class="notice">
              {` · ${several(now.incomplete, 'row')} with missing values ${now.kept ? 'left out' : 'filled in'}`}
            </span>
          )}
        </p>
      )}
      {outdated.value && now && <p class="notice">Not fitted as chosen: what is shown is the fit before.</p>}
      {outdated.value && problem.value === '' && (
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

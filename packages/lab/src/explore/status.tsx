import { useSignal } from '@preact/signals';
import { formatNumber, plural } from '@scree/analysis/describe';
import { useEffect, useRef } from 'preact/hooks';
import { shorten, untangled } from '../shorten.js';
import { loading, problem, runningTask } from '../state/data.js';
import { fitAgain, fitted, isOutdated } from '../state/fit.js';

/** Milliseconds before the progress bar appears. For shorter work it would only flicker. */
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
  const home = useRef<HTMLDivElement>(null);
  const isRefused = problem.value !== '';
  // The user may have dropped a file far below.
  useEffect(() => {
    if (isRefused) home.current?.scrollIntoView({ block: 'nearest' });
  }, [isRefused]);
  const now = fitted.value;
  const { progress, cancel } = runningTask.value ?? {};
  const what = shorten(runningTask.value?.what ?? '', 80);
  const share = progress?.total ? Math.min(1, progress.done / progress.total) : undefined;
  // While other data are opened, their name is shown, so the result of the previous data is hidden.
  const done =
    now && !loading.value
      ? `${plural(now.model.k, 'component')} of ${plural(now.model.n, 'row')} and ${plural(now.model.d, 'column')} in ${formatNumber(now.milliseconds)} ms${now.model.plan.engine === 'webgpu' ? ' on the graphics card' : ''}`
      : '';
  const isSlow = isWorking && !isDelayed.value;
  return (
    <div class={loading.value && isSlow ? 'status panel loading' : 'status'} ref={home}>
      {isSlow ? (
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
      {isOutdated.value && now && !loading.value && (
        <p class="notice">The chosen settings have not been fitted. The page still shows the previous fit.</p>
      )}
      {isOutdated.value && problem.value === '' && (
        <button type="button" onClick={fitAgain}>
          Fit again
        </button>
      )}
      {isRefused && (
        <p role="alert" class="error">
          {untangled(problem.value)}
        </p>
      )}
    </div>
  );
}

import { batch, computed, effect, signal, untracked } from '@preact/signals';
import { loadModel, type Model } from '@scree/core';
import type { FitReply, MethodName, Query, Reply } from '../worker/messages.js';
import { callWorker, cancelTask, endLoading, type OpenedData, runInWorker, runningTask } from './data.js';
import { ownCloud } from './own-cloud.js';
import { type FitSettings, type RequestedFit, request } from './settings.js';

/** A model with its data. Each fit is a new object, so that a view can detect that its data are out of date. */
export interface Fitted {
  /** Id in the worker. */
  readonly id: number;
  readonly data: OpenedData;
  /** The request. Settings may have changed since. */
  readonly request: RequestedFit['requestedFit'];
  readonly columns: FitSettings['columns'];
  readonly model: Model;
  readonly keptRows: FitReply['keptRows'];
  readonly incompleteRows: number;
  readonly milliseconds: number;
}

export const fitted = signal<Fitted | undefined>(undefined);

/** Sends a query about a fit to the worker. */
export function queryFit<Name extends MethodName>(
  { id }: Fitted,
  method: Name,
  query: Query<Name>,
): Promise<Reply<Name>> {
  return callWorker(method, query, { fit: id });
}

/** True if the shown fit does not match the settings and no fit is running, because the fit was cancelled or failed. */
export const isOutdated = computed(() => {
  const asked = request.value;
  return (
    !!asked &&
    !runningTask.value &&
    asked.requestedFit.columns.length > 0 &&
    fitted.value?.request !== asked.requestedFit
  );
});

const firstFitCallbacks = new WeakMap<OpenedData, (now: Fitted) => void>();

/** Registers a function that is called with the first fit of data, before this fit is shown. */
export function onFirstFit(data: OpenedData, then: (now: Fitted) => void): void {
  firstFitCallbacks.set(data, then);
}

effect(() => {
  const asked = request.value;
  if (asked) void untracked(() => fit(asked));
});

/** Fits again, after a cancellation. */
export function fitAgain(): void {
  const asked = request.peek();
  if (asked) void fit(asked);
}

async function fit(asked: RequestedFit): Promise<void> {
  const { data, requestedFit: wanted } = asked;
  if (wanted.columns.length === 0) {
    cancelTask();
    fitted.value = undefined;
    endLoading(data);
    return;
  }
  const fit = await runInWorker(`Fitting${fitted.peek()?.data === data ? '' : ` ${data.info.name}`}`, (control) =>
    callWorker('fit', wanted, control),
  );
  // Another fit was requested meanwhile. Its own call handles its result.
  if (request.peek() !== asked) return;
  if (!fit) {
    // After a failed fit, the previous fit stays only if it belongs to the same data.
    if (fitted.peek()?.data !== data) fitted.value = undefined;
    endLoading(data);
    return;
  }
  const { id, model, keptRows, incompleteRows, milliseconds } = fit;
  const now: Fitted = {
    id,
    data,
    request: wanted,
    columns: wanted.columns,
    model: loadModel(model),
    keptRows,
    incompleteRows,
    milliseconds,
  };
  batch(() => {
    fitted.value = now;
    firstFitCallbacks.get(data)?.(now);
    firstFitCallbacks.delete(data);
    endLoading(data);
  });
}

/** Number of rows that Learn draws. */
const SAMPLE_ROWS = 240;

effect(() => {
  const now = fitted.value;
  if (!now) return;
  const { n, k } = now.model;
  const cols = Math.min(3, k);
  const rows = Math.min(SAMPLE_ROWS, n);
  if (cols < 2) return;
  queryFit(now, 'sample', { rows, components: cols }).then(
    (data) => {
      if (fitted.peek() === now) ownCloud.value = { name: now.data.info.name, points: { rows, cols, data } };
    },
    () => {
      // Another fit began meanwhile. It gets its own sample.
    },
  );
});

/** The number of a row of the fit: its row in the table, from 1. */
export function rowNumber({ keptRows }: Fitted, index: number): number {
  return (keptRows ? keptRows[index] : index) + 1;
}

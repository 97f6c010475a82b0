import { computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { Progress } from '@scree/core';
import { describeProblem } from '../describe-problem.js';
import { route } from '../route.js';
import { isCancelled, WorkerError } from '../worker/client.js';
import type { MethodName, Query, Reply } from '../worker/messages.js';
import { callWorker, runningTask } from './data.js';
import { type Fitted, fitted } from './fit.js';

/** Work about a fit that may take longer than a query, with its progress. */
export interface Background<Result> {
  readonly now: Fitted;
  readonly progress?: Progress;
  /** Undefined until `isDone`, and if the worker has no result for such data. */
  readonly result?: Result | undefined;
  readonly isDone: boolean;
  /** A sentence that explains a missing result. */
  readonly problem?: string;
}

/** The query of a method of the worker, and the condition on which it is sent. */
interface Call<Name extends MethodName> {
  isReady(now: Fitted): boolean;
  query(): Query<Name>;
  onResult?(now: Fitted, result: Reply<Name>): void;
}

/**
 * Calls a method of the worker for every fit that is shown, as soon as `isReady` returns true. The call is cancelled when another fit
 * begins, when data are read, and when the user leaves Explore. If the same fit is still shown afterwards, the call starts again.
 * The worker answers queries in between.
 */
export function background<Name extends MethodName>(
  method: Name,
  { isReady, query, onResult }: Call<Name>,
): ReadonlySignal<Background<Reply<Name>> | undefined> {
  const state = signal<Background<Reply<Name>> | undefined>(undefined);
  // A separate signal, so that only another fit starts the work again.
  const ready = computed(() => {
    const now = fitted.value;
    const isIdle = !runningTask.value && route.value.path[0] !== 'learn';
    return now && isIdle && isReady(now) ? now : undefined;
  });
  effect(() => {
    const now = ready.value;
    const known = state.peek();
    if (!now || (known?.now === now && known.isDone)) return;
    const controller = new AbortController();
    const { signal: cancelled } = controller;
    untracked(() => void run(now, cancelled));
    return () => controller.abort();
  });
  return state;

  async function run(now: Fitted, cancelled: AbortSignal): Promise<void> {
    state.value = { now, isDone: false };
    try {
      const onProgress = (progress: Progress): void => {
        if (!cancelled.aborted) state.value = { now, progress, isDone: false };
      };
      const result = await callWorker(method, query(), { fit: now.id, signal: cancelled, onProgress });
      state.value = { now, result, isDone: true };
      onResult?.(now, result);
    } catch (error) {
      if (!isCancelled(error)) state.value = { now, isDone: true, problem: sentenceOf(error) };
    }
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof WorkerError) return describeProblem(error.problem);
  return error instanceof Error ? error.message : String(error);
}

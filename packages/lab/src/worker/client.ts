import type { Progress } from '@scree/core';
import type { FromWorker, MethodName, Query, Reply, ToWorker, WorkerProblem } from './messages.js';
import { worker } from './start.js';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Id of the fit that the query is about. */
  readonly fit?: number;
}

interface PendingCall {
  readonly resolve: (reply: never) => void;
  readonly reject: (problem: Error) => void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Calls a method of the worker. A call rejects with an `AbortError` if it was cancelled, and with a `WorkerError` if it failed. */
export type CallWorker = <Name extends MethodName>(
  method: Name,
  query: Query<Name>,
  options?: CallOptions,
) => Promise<Reply<Name>>;

/** Listens to the worker, and returns the function that calls it. */
export function connectWorker(): CallWorker {
  const pending = new Map<number, PendingCall>();
  let last = 0;
  const settle = (id: number): PendingCall | undefined => {
    const found = pending.get(id);
    pending.delete(id);
    return found;
  };
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if ('progress' in data) pending.get(data.id)?.onProgress?.(data.progress);
    else if ('problem' in data) settle(data.id)?.reject(new WorkerError(data.problem));
    else settle(data.id)?.resolve(data.reply as never);
  });
  worker.addEventListener('error', ({ message }) => {
    const problem = new Error(message || 'The worker that computes could not be started.');
    for (const id of [...pending.keys()]) settle(id)?.reject(problem);
  });
  return (method, query, { signal, onProgress, fit } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelled());
      const id = ++last;
      pending.set(id, { resolve, reject, onProgress });
      signal?.addEventListener('abort', () => {
        if (!pending.has(id)) return;
        settle(id)?.reject(cancelled());
        post({ id, cancel: true });
      });
      post({ id, method, query, fit });
    });

  function post(message: ToWorker): void {
    worker.postMessage(message);
  }
}

/** An error of the worker, with its code and details. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly problem: WorkerProblem;

  constructor(problem: WorkerProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

function cancelled(): DOMException {
  return new DOMException('Cancelled.', 'AbortError');
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

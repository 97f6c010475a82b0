import type { Progress } from '@scree/core';
import type { Answer, CallName, FromWorker, Question, ToWorker } from './messages.js';
import { worker } from './start.js';

export interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The fit that is asked about. */
  readonly fit?: number;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (problem: Error) => void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Asks the worker. Cancelled questions end in an `AbortError`, whatever else goes wrong in an error with its message. */
export type Ask = <Name extends CallName>(
  call: Name,
  question: Question<Name>,
  options?: AskOptions,
) => Promise<Answer<Name>>;

/** Listens to the worker, and gives the way to ask it. */
export function askWorker(): Ask {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if ('progress' in data) waiting.get(data.id)?.onProgress?.(data.progress);
    else if ('problem' in data) settle(data.id)?.reject(new Error(data.problem));
    else settle(data.id)?.resolve(data.answer as never);
  });
  worker.addEventListener('error', ({ message }) => {
    const problem = new Error(message || 'The worker that computes could not be started.');
    for (const id of [...waiting.keys()]) settle(id)?.reject(problem);
  });
  return (call, question, { signal, onProgress, fit } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelled());
      const id = ++last;
      waiting.set(id, { resolve, reject, onProgress });
      signal?.addEventListener('abort', () => {
        if (!waiting.has(id)) return;
        settle(id)?.reject(cancelled());
        post({ id, cancel: true });
      });
      post({ id, call, question, fit });
    });

  function post(message: ToWorker): void {
    worker.postMessage(message);
  }
}

function cancelled(): DOMException {
  return new DOMException('Cancelled.', 'AbortError');
}

export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

import { type Progress, ScreeError } from '@scree/core';
import type { Control, FromWorker, Handlers, MethodName, ToWorker, WorkerMethods, WorkerProblem } from './messages.js';
import { Session } from './session.js';

/** The worker's side of the messages: each query goes to the session, which has the data and the models. */

const session = new Session();
const running = new Map<number, AbortController>();

addEventListener('message', async ({ data: message }: MessageEvent<ToWorker>) => {
  const { id } = message;
  if ('cancel' in message) {
    running.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(id, controller);
  const control = {
    signal: controller.signal,
    onProgress: (progress: Progress) => post({ id, progress }),
  };
  try {
    if (message.fit !== undefined) session.show(message.fit);
    const reply = await answer(message.method, message.query, control);
    if (!controller.signal.aborted) post({ id, reply });
  } catch (error) {
    if (!controller.signal.aborted) post({ id, problem: problemOf(error) });
  } finally {
    running.delete(id);
  }
});

/** Calls the method of the session, or of the fit that the page shows. */
async function answer(method: MethodName, query: unknown, control: Control): Promise<unknown> {
  const handlers: Partial<Handlers<WorkerMethods>> = method in session ? session : session.shown;
  return handlers[method]?.(query as never, control);
}

function problemOf(error: unknown): WorkerProblem {
  if (error instanceof ScreeError) return { message: error.message, code: error.code, details: error.details };
  return { message: error instanceof Error ? error.message : String(error) };
}

function post(message: FromWorker): void {
  postMessage(message);
}

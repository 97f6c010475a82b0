import type { Progress } from '@scree/core';
import type { FromWorker, ToWorker } from './messages.js';
import { Session } from './session.js';

/** The worker's side of the conversation: each question goes to the desk, which has the data and the model. */

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
    const reply = await session[message.method](message.query as never, control);
    if (!controller.signal.aborted) post({ id, reply });
  } catch (error) {
    if (!controller.signal.aborted) post({ id, problem: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
});

function post(message: FromWorker): void {
  postMessage(message);
}

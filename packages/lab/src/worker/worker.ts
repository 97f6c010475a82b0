import type { Progress } from '@scree/core';
import { Desk } from './session.js';
import type { FromWorker, ToWorker } from './messages.js';

/** The worker's side of the conversation: each question goes to the desk, which has the data and the model. */

const desk = new Desk();
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
    onProgress: (progress: Progress) => tell({ id, progress }),
  };
  try {
    if (message.fit !== undefined) desk.show(message.fit);
    const answer = await desk[message.call](message.question as never, control);
    if (!controller.signal.aborted) tell({ id, answer });
  } catch (error) {
    if (!controller.signal.aborted) tell({ id, problem: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
});

function tell(message: FromWorker): void {
  postMessage(message);
}

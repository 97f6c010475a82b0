import { effect, type ReadonlySignal, signal } from '@preact/signals';

/**
 * The reply of the worker to a query that changes over time. A reply stays until the next one arrives. One query is sent at
 * a time: when its reply arrives, the newest query is sent, and older queries are dropped. So a slider can be dragged at any
 * speed.
 */
export function resource<Query, Reply>(
  query: () => Query | undefined,
  send: (query: Query) => Promise<Reply>,
  onError: (error: unknown) => void,
): ReadonlySignal<Reply | undefined> {
  const reply = signal<Reply | undefined>(undefined);
  let newest: Query | undefined;
  let isSending = false;
  effect(() => {
    newest = query();
    if (newest === undefined) reply.value = undefined;
    else if (!isSending) void sendNewest();
  });
  return reply;

  async function sendNewest(): Promise<void> {
    isSending = true;
    while (newest !== undefined) {
      const current = newest;
      try {
        const value = await send(current);
        if (newest !== undefined) reply.value = value;
      } catch (error) {
        if (current === newest) onError(error);
      }
      if (current === newest) break;
    }
    isSending = false;
  }
}

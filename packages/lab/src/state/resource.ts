import { effect, type ReadonlySignal, signal } from '@preact/signals';

/**
 * What the worker answers to a question that changes: the latest answer, until the next is there. While one question is
 * with the worker no other is sent; when it comes back the newest goes, and those in between are never asked. So a slider
 * can be dragged as fast as a hand moves.
 */
export function resource<Question, Answer>(
  question: () => Question | undefined,
  ask: (question: Question) => Promise<Answer>,
  fail: (error: unknown) => void,
): ReadonlySignal<Answer | undefined> {
  const answer = signal<Answer | undefined>(undefined);
  let newest: Question | undefined;
  let busy = false;
  effect(() => {
    newest = question();
    if (newest === undefined) answer.value = undefined;
    else if (!busy) void run();
  });
  return answer;

  async function run(): Promise<void> {
    busy = true;
    while (newest !== undefined) {
      const asked = newest;
      try {
        const given = await ask(asked);
        if (newest !== undefined) answer.value = given;
      } catch (error) {
        if (asked === newest) fail(error);
      }
      if (asked === newest) break;
    }
    busy = false;
  }
}

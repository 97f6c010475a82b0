/**
 * Turns of the event loop. Long work yields after some milliseconds and continues in a later turn. Fits that run at the same time share
 * turns: one of them continues per turn, so that four fits do not block the loop four times as long as one.
 */

const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop, in which no other work of the library continues. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) schedule(resume);
  });
}

function resume(): void {
  const next = waiting.shift();
  if (waiting.length > 0) schedule(resume);
  next?.();
}

/** Calls a function after the pending events. Faster than a timer, which waits for one millisecond, or four in browsers. */
function schedule(task: () => void): void {
  later ??= makeSchedule();
  later(task);
}

/** The fastest way to schedule a task on this platform. Cached for the process. */
let later: ((task: () => void) => void) | undefined;

function makeSchedule(): (task: () => void) => void {
  const surroundings = globalThis as {
    setImmediate?: (task: () => void) => unknown;
    MessageChannel?: new () => Channel;
  };
  // The edge runtime of Next.js has both names, but neither can be called.
  try {
    const { setImmediate: immediate } = surroundings;
    immediate?.(() => {});
    if (immediate) return (task) => void immediate(task);
    // Read only here, because reading it makes Node load the code of channels.
    const { MessageChannel: Channel } = surroundings;
    if (Channel) return throughChannel(new Channel());
  } catch {}
  return (task) => void setTimeout(task, 0);
}

function throughChannel({ port1, port2 }: Channel): (task: () => void) => void {
  const tasks: (() => void)[] = [];
  port1.onmessage = () => tasks.shift()?.();
  return (task) => {
    tasks.push(task);
    port2.postMessage(0);
  };
}

interface Channel {
  readonly port1: { onmessage: (() => void) | null };
  readonly port2: { postMessage(value: unknown): void };
}

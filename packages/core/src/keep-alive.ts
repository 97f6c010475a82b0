/**
 * Node takes a program whose event loop has nothing to wait for as finished, and a promise alone is nothing to wait for. Before
 * version 22 it then blocks its main thread until V8's background threads are done; one of them may be waiting for a
 * garbage collection that only the main thread can do, and the program hangs (nodejs/node#54918).
 *
 * So one timer that counts for the event loop exists while any work of the library is pending. Browsers need none.
 */

/** Milliseconds between two calls of a timer that does nothing: the longest that there is. */
const NEVER = 2 ** 31 - 1;
/** Before Node 22 the event loop stays idle for four turns of five milliseconds: time for V8's background threads to finish. */
const IDLE_TURNS = 4;
const IDLE_TURN = 5;

const { process } = globalThis as { process?: { versions?: { node?: string } } };
const version = process?.versions?.node;
const mayDeadlock = version !== undefined && Number.parseInt(version, 10) < 22;

let pending = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Does the work, and keeps Node's event loop running until it is done. */
export async function keepAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  if (version === undefined) return work();
  if (pending++ === 0) {
    clearInterval(timer);
    timer = setInterval(() => {}, NEVER);
  }
  try {
    return await work();
  } finally {
    if (--pending === 0) {
      clearInterval(timer);
      if (mayDeadlock) idleBriefly();
    }
  }
}

/** Turns are counted, not milliseconds: synchronous work of the program in between does not shorten the rest. */
function idleBriefly(): void {
  let turns = 0;
  const idle = setInterval(() => {
    if (++turns === IDLE_TURNS) clearInterval(idle);
  }, IDLE_TURN);
  timer = idle;
}

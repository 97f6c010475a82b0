/**
 * Node takes a program whose event loop has nothing to wait for as finished, and a promise alone is nothing to wait for. Before
 * version 22 it then blocks its main thread until V8's background threads are done; one of them may be waiting for a
 * garbage collection that only the main thread can do, and the program hangs (nodejs/node#54918).
 *
 * So one timer that counts for the event loop exists while any work of the library is pending. Browsers need none.
 */

/** Milliseconds between two calls of a timer that does nothing: the longest that there is. */
const NEVER = 2 ** 31 - 1;
/**
 * Before Node 22 the event loop then stays idle for four turns of five milliseconds, time for V8's background threads to
 * finish, and for up to a second as long as one of them has something to do: on a busy machine they get their turn late.
 */
const IDLE_TURNS = 4;
const MOST_TURNS = 200;
const IDLE_TURN = 5;

/** The parts of Node's `process` and `fs` that are used. */
interface NodeProcess {
  readonly pid: number;
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: 'fs'): NodeFiles | undefined;
}
interface NodeFiles {
  readdirSync(path: string): string[];
  readFileSync(path: string, encoding: 'latin1'): string;
}

const { process } = globalThis as { process?: NodeProcess };
const version = process?.versions?.node;
const mayDeadlock = version !== undefined && Number.parseInt(version, 10) < 22;

let pending = 0;
let timer: ReturnType<typeof setInterval> | undefined;
/** Turns that the event loop has stayed idle for; undefined where it need not. */
let idleTurns: number | undefined;

/** Does the work, and keeps Node's event loop running until it is done. */
export async function keepAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  if (version === undefined) return work();
  if (pending++ === 0) {
    stopTimer();
    timer = setInterval(() => {}, NEVER);
  }
  try {
    return await work();
  } finally {
    if (--pending === 0) {
      stopTimer();
      if (mayDeadlock) idleBriefly();
    }
  }
}

/** The same after work that was done at once. */
export function idleAfterWork(): void {
  if (mayDeadlock && pending === 0) idleBriefly();
}

function stopTimer(): void {
  clearInterval(timer);
  idleTurns = undefined;
}

/** Turns are counted, not milliseconds: synchronous work of the program in between does not shorten the rest. */
function idleBriefly(): void {
  const idling = idleTurns !== undefined;
  idleTurns = 0;
  if (idling) return;
  timer = setInterval(() => {
    idleTurns = (idleTurns ?? 0) + 1;
    if (idleTurns >= IDLE_TURNS && (idleTurns >= MOST_TURNS || !othersRun())) stopTimer();
  }, IDLE_TURN);
}

/** Whether a thread other than the first of this process is running or waits for a processor. Only Linux reports it. */
function othersRun(): boolean {
  const files = process?.getBuiltinModule?.('fs');
  if (!files) return false;
  try {
    return files.readdirSync('/proc/self/task').some((thread) => {
      if (thread === String(process?.pid)) return false;
      // "pid (name) state …"; the name may hold anything.
      const stat = files.readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      return stat[stat.lastIndexOf(')') + 2] === 'R';
    });
  } catch {
    return false;
  }
}

/**
 * Node ends a program when its event loop is empty, and a pending promise does not keep the loop alive. Before version 22, Node then blocks
 * its main thread until V8's background threads are done. If one of them waits for a garbage collection that only the main thread can run,
 * the program hangs (nodejs/node#54918).
 *
 * So a timer keeps the event loop alive while work of the library is pending. Browsers do not need it.
 */

/** The longest interval of a timer, in milliseconds. */
const NEVER = 2 ** 31 - 1;
/**
 * After the work, before Node 22, the event loop stays idle for at least four turns of five milliseconds, so that V8's background threads
 * can finish. It stays idle for up to a second while one of them is running or waits for a processor, which happens on busy machines.
 */
const IDLE_TURNS = 4;
const MOST_TURNS = 200;
const IDLE_TURN = 5;

/** The parts of Node's `process` and `fs` that this module uses. */
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

/** The state of the event loop's timer in this process. */
const state = {
  /** Number of calls that are pending. */
  pending: 0,
  timer: undefined as ReturnType<typeof setInterval> | undefined,
  /** Number of idle turns so far; undefined if the loop need not stay idle. */
  idleTurns: undefined as number | undefined,
};

/** Runs `work`, and keeps Node's event loop alive until it is done. */
export async function keepAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  if (version === undefined) return work();
  if (state.pending++ === 0) {
    stopTimer();
    state.timer = setInterval(() => {}, NEVER);
  }
  try {
    return await work();
  } finally {
    if (--state.pending === 0) {
      stopTimer();
      if (mayDeadlock) idleBriefly();
    }
  }
}

/** Keeps the event loop idle for a moment after synchronous work, before Node 22. */
export function idleAfterWork(): void {
  if (mayDeadlock && state.pending === 0) idleBriefly();
}

function stopTimer(): void {
  clearInterval(state.timer);
  state.idleTurns = undefined;
}

/** Counts turns instead of milliseconds, so that synchronous work of the program does not shorten the idle time. */
function idleBriefly(): void {
  const idling = state.idleTurns !== undefined;
  state.idleTurns = 0;
  if (idling) return;
  state.timer = setInterval(() => {
    state.idleTurns = (state.idleTurns ?? 0) + 1;
    if (state.idleTurns >= IDLE_TURNS && (state.idleTurns >= MOST_TURNS || !othersRun())) stopTimer();
  }, IDLE_TURN);
}

/** Returns true if a thread of this process other than the main thread is running or waits for a processor. Only Linux reports it. */
function othersRun(): boolean {
  const files = process?.getBuiltinModule?.('fs');
  if (!files) return false;
  try {
    return files.readdirSync('/proc/self/task').some((thread) => {
      if (thread === String(process?.pid)) return false;
      // "pid (name) state …". The name may contain any character.
      const stat = files.readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      return stat[stat.lastIndexOf(')') + 2] === 'R';
    });
  } catch {
    return false;
  }
}

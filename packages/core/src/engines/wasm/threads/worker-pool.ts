import { builtinModule } from '../../../base/builtin-module.js';
import { messageOf } from '../../../errors.js';
import { addressSpaceLeft } from '../address-space.js';
import { workerCode } from './worker-code.js';

/** A worker thread: a common interface for Node's worker_threads and Web Workers. */
export interface Worker {
  postMessage(message: unknown): void;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process end while the worker exists. */
  unref(): void;
  /** Terminates the worker, which must be idle. */
  end(): void;
  /** Shared words of this worker. job-queue.ts has their indexes. */
  readonly state: Int32Array;
  /** The value of `replacements` at its start. */
  readonly startedAfter: number;
  /** The reason why it can no longer run jobs; undefined while it can. */
  readonly failure: string | undefined;
}

/** The parts of Node's Worker and of a Web Worker that this module uses. */
interface NodeWorker {
  postMessage(message: unknown): void;
  terminate(): unknown;
  ref(): void;
  unref(): void;
  on(event: string, listener: (value: unknown) => void): void;
}
interface WebWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onerror: ((event: { message?: string }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
}

interface Pool {
  /**
   * Idle workers, reused by the next pass. An idle worker is unreferenced, so it does not keep the process alive; a worker with a job
   * is referenced, so the event loop never runs empty under a pending promise.
   */
  readonly idle: Worker[];
  /** Number of running workers, idle ones included. */
  running: number;
  /** Number of starting workers that have not reserved their address space yet. */
  starting: number;
  /** Number of times that all workers were replaced. */
  replacements: number;
  /** Number of memories so far. Workers identify memories by these numbers. */
  memories: number;
  /** Terminates the idle workers when it fires. */
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * A program may evaluate this module several times, for example through `jest.resetModules`, hot reloading, or a second installed copy. All
 * copies use one pool; otherwise each would leave its workers behind. Copies with another worker program have a separate pool. Increase the
 * number when `Pool` or `Worker` changes.
 */
const POOL = Symbol.for(`@scree/core worker pool 1 ${workerCode}`);
const pool: Pool = ((globalThis as { [key: symbol]: unknown })[POOL] as Pool | undefined) ?? {
  idle: [],
  running: 0,
  starting: 0,
  replacements: 0,
  memories: 0,
};
// If globalThis is frozen, each copy has a separate pool.
Reflect.defineProperty(globalThis, POOL, { value: pool });

/**
 * Idle workers are terminated after this many milliseconds without a pass, because each takes a thread and memory. Starting a worker takes
 * some tens of milliseconds.
 */
export const IDLE_TIME = 10_000;

/** The reason why the last attempt to start a worker was refused; undefined if none was refused. Cached for the process. */
let refusal: string | undefined;
/** False after it is known that workers cannot be started at all, for example because a policy forbids them. Cached for the process. */
let possible = true;
/** Address space per worker: about 850 MB on Node 20 (measured), and some for its work. */
const WORKER_ADDRESSES = 2 ** 30;

/** After this many new memories all workers are replaced, because workers keep memories (see `replaceWorkers`). A new memory takes some megabytes. */
const MANY_MEMORIES = 16;

/** Returns the number of a new memory. */
export function nextMemory(): number {
  pool.memories++;
  if (pool.memories % MANY_MEMORIES === 0) replaceWorkers();
  return pool.memories;
}

/** Takes up to `count` idle workers. Starts new workers while fewer than `limit` are running. */
export function acquireWorkers(count: number, limit: number): Worker[] {
  const acquired: Worker[] = [];
  while (acquired.length < count) {
    const free = pool.idle.pop();
    if (free?.failure !== undefined) continue;
    const worker = free ?? (pool.running < limit ? start() : undefined);
    if (!worker) break;
    worker.ref();
    acquired.push(worker);
  }
  return acquired;
}

/** Returns workers to the pool. */
export function releaseWorkers(workers: readonly Worker[]): void {
  for (const worker of workers) {
    worker.unref();
    if (worker.failure !== undefined) continue;
    if (worker.startedAfter === pool.replacements) pool.idle.push(worker);
    else worker.end();
  }
  clearTimeout(pool.timer);
  pool.timer = setTimeout(endIdle, IDLE_TIME);
  // In browsers a timer is a number.
  (pool.timer as { unref?(): void }).unref?.();
}

function endIdle(): void {
  for (const worker of pool.idle.splice(0)) worker.end();
}

/**
 * Terminates idle workers now and busy workers after their pass. Later passes start new workers. A worker keeps every memory that it has
 * received until it collects garbage, which happens rarely, because its program allocates nothing.
 */
export function replaceWorkers(): void {
  pool.replacements++;
  endIdle();
}

/** Returns the reason why passes run on fewer threads than requested, or undefined if no worker was refused. */
export function workersRefused(): string | undefined {
  return refusal;
}

/** The number of threads of the machine. Cached for the process. */
let cores: number | undefined;
/** The URL of the worker program, for browsers. Cached for the process. */
let programUrl: string | undefined;

/** Returns the number of threads that the machine can run at the same time. */
export function machineThreads(): number {
  cores ??= countCores();
  return cores;
}

function countCores(): number {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } };
  const os = builtinModule<{ availableParallelism(): number }>('os');
  return os?.availableParallelism() ?? navigator?.hardwareConcurrency ?? 1;
}

/**
 * Returns true if memory can be shared with workers. Browsers allow this only in cross-origin isolated pages. Node always allows it, unless
 * its permission model forbids workers.
 */
export function canShare(): boolean {
  if (possible && !permitted()) refuse(FORBIDDEN);
  const { crossOriginIsolated } = globalThis as { crossOriginIsolated?: boolean };
  return possible && typeof SharedArrayBuffer !== 'undefined' && crossOriginIsolated !== false;
}

function start(): Worker | undefined {
  if (!canShare()) return undefined;
  const why = whyNoWorker();
  if (why !== undefined) {
    refusal = why;
    return undefined;
  }
  const worker = {
    failure: undefined as string | undefined,
    postMessage: (_: unknown): void => {},
    ref: (): void => {},
    unref: (): void => {},
    end: (): void => {},
    state: new Int32Array(new SharedArrayBuffer(4)),
    startedAfter: pool.replacements,
  };
  const fail = (why: unknown): void => {
    if (worker.failure !== undefined) return;
    worker.failure = String(why);
    pool.running--;
  };
  try {
    const threads = nodeThreads();
    if (threads) {
      const thread = new threads.Worker(workerCode, { eval: true });
      // A message listener would reference the worker again, so job errors are reported through the queue.
      thread.on('error', fail);
      thread.on('exit', () => fail('it ended'));
      pool.starting++;
      let started = false;
      const begin = (): void => {
        if (!started) pool.starting--;
        started = true;
      };
      thread.on('online', begin);
      thread.on('exit', begin);
      worker.end = () => {
        fail('it was ended');
        void thread.terminate();
      };
      worker.ref = () => thread.ref();
      worker.unref = () => thread.unref();
      worker.postMessage = (message) => thread.postMessage(message);
    } else {
      const { Worker: Web } = globalThis as unknown as { Worker: new (url: string) => WebWorker };
      programUrl ??= URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }));
      const thread = new Web(programUrl);
      thread.onerror = ({ message }) => {
        // If a Content-Security-Policy forbids such workers, the page continues on one thread.
        refuse(message ?? 'it could not start');
        fail(message ?? 'it could not start');
      };
      worker.end = () => {
        fail('it was ended');
        thread.terminate();
      };
      worker.postMessage = (message) => thread.postMessage(message);
    }
  } catch (error) {
    refuse(`worker threads cannot be started (${messageOf(error)})`);
    return undefined;
  }
  pool.running++;
  return worker;
}

const FORBIDDEN = "Node's permission model forbids worker threads; --allow-worker allows them";

function permitted(): boolean {
  const { process } = globalThis as { process?: { permission?: { has(scope: string): boolean } } };
  return process?.permission?.has('worker') !== false;
}

/** Returns the reason why Node cannot start another worker thread, or would abort the process; undefined if it can. */
export function whyNoWorker(): string | undefined {
  if (!permitted()) return FORBIDDEN;
  if (addressSpaceLeft() >= (pool.starting + 1) * WORKER_ADDRESSES) return undefined;
  return 'the address space of this process is limited (ulimit -v) and too small for another worker thread';
}

function refuse(why: string): void {
  possible = false;
  refusal = why;
}

function nodeThreads(): { Worker: new (code: string, options: { eval: boolean }) => NodeWorker } | undefined {
  return builtinModule('worker_threads');
}

import { builtinModule } from '../../../base/builtin-module.js';
import { messageOf } from '../../../errors.js';
import { addressSpaceLeft } from '../address-space.js';
import { workerCode } from './worker-code.js';

/** A worker thread: the interface that Node's worker_threads and Web Workers share here. */
export interface Worker {
  postMessage(message: unknown): void;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process end although the worker exists. */
  unref(): void;
  /** Terminates it. It must be idle. */
  end(): void;
  /** Its own shared words, at the indexes of job-queue.ts. */
  readonly state: Int32Array;
  /** The number of `replacements` when it was started. */
  readonly startedAfter: number;
  /** Why it cannot run jobs any more; undefined while it can. */
  readonly failure: string | undefined;
}

/** The parts of Node's Worker and of a Web Worker that are used. */
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
  /** Workers that are running, idle ones included. */
  running: number;
  /** Workers that are starting and have not reserved their address space yet. */
  starting: number;
  /** How many times all workers were replaced. */
  replacements: number;
  /** Memories so far: workers know them by these numbers. */
  memories: number;
  /** Ends the idle workers. */
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * A program may evaluate the library's modules several times: `jest.resetModules` does, hot reloading does, and so does a second installed
 * copy. All of them use one pool, or each would leave its workers behind. Copies whose workers run another program have a pool of their own. Increase the
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
// Where globalThis is frozen, this copy keeps its pool to itself.
Reflect.defineProperty(globalThis, POOL, { value: pool });

/** Milliseconds after which workers end if no pass has used one: each takes a thread and its memory. Starting another takes some tens of milliseconds. */
export const IDLE_TIME = 10_000;

/** Why the last attempt to start a worker was refused; undefined if none was. */
let refusal: string | undefined;
/** False once it is known that workers cannot be started at all, for example because a policy forbids them. */
let possible = true;
/** Address space that a worker takes: about 850 MB on Node 20 (measured), and some for the work. */
const WORKER_ADDRESSES = 2 ** 30;

/** New memories after which all workers are replaced, because they keep them: see `replaceWorkers`. A memory has some megabytes, at first. */
const MANY_MEMORIES = 16;

/** A number for another memory. */
export function nextMemory(): number {
  pool.memories++;
  if (pool.memories % MANY_MEMORIES === 0) replaceWorkers();
  return pool.memories;
}

/** Up to `count` idle workers. Starts new ones while fewer than `limit` are running. */
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
  // In a page a timer is a number.
  (pool.timer as { unref?(): void }).unref?.();
}

function endIdle(): void {
  for (const worker of pool.idle.splice(0)) worker.end();
}

/**
 * Terminates idle workers now and the others after their pass; later passes start new ones. A worker keeps every memory that it
 * was sent until it collects garbage, and it rarely does, because its program allocates nothing.
 */
export function replaceWorkers(): void {
  pool.replacements++;
  endIdle();
}

/** Why passes run on fewer threads than requested; undefined where nothing was refused. */
export function workersRefused(): string | undefined {
  return refusal;
}

let cores: number | undefined;
/** Where pages find the program of a worker. */
let programUrl: string | undefined;

/** How many threads the machine can run at a time. */
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
 * Whether memory can be shared with workers. Browsers do that only for pages that are cross-origin isolated, Node always, unless
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
      // A message listener would reference the worker again, so errors of jobs are read from the queue instead.
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
        // A page whose Content-Security-Policy forbids such workers continues on one thread.
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

/** Why Node cannot start another worker thread, or would abort the process if it tried; undefined if it can. */
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

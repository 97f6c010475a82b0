import { messageOf } from '../../../errors.js';
import { addressSpaceLeft } from '../address-space.js';
import { workerCode } from './worker-code.js';

/** A thread that can join a pass: what worker_threads and Web Workers have in common. */
export interface Worker {
  postMessage(message: unknown): void;
  /** Whether it keeps the program alive: only while it has a pass to do. */
  ref(): void;
  unref(): void;
  /** Ends it: it must have nothing to do. */
  end(): void;
  /** How many times workers had been replaced when it was started. */
  readonly generation: number;
  /** Why it can work no more; undefined while it can. */
  readonly lost: string | undefined;
}

/** The shape of Node's worker_threads that is used, and of a Web Worker. */
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

/** Workers without a pass to do, for whoever comes next. They never keep a program alive. */
const idle: Worker[] = [];
let count = 0;
/** Why no worker, or no further one, can be started; undefined as long as none was refused. */
let refusal: string | undefined;
/** Whether workers can be had at all: not where a policy forbids them. */
let possible = true;
/** Address space that a worker takes: about 850 MB on Node 20 (measured), and some for the work. */
const WORKER_ADDRESSES = 2 ** 30;
/** Workers that have not taken their addresses yet. */
let starting = 0;

/** Up to `wanted` workers that are free, started if need be, as long as there are no more than `most` in all. */
export function hire(wanted: number, most: number): Worker[] {
  const hired: Worker[] = [];
  while (hired.length < wanted) {
    const free = idle.pop();
    if (free?.lost !== undefined) continue;
    const worker = free ?? (count < most ? start() : undefined);
    if (!worker) break;
    worker.ref();
    hired.push(worker);
  }
  return hired;
}

export function dismiss(workers: readonly Worker[]): void {
  for (const worker of workers) {
    worker.unref();
    if (worker.lost !== undefined) continue;
    if (worker.generation === generation) idle.push(worker);
    else worker.end();
  }
}

let generation = 0;

/**
 * Ends idle workers now and the others after their pass; passes to come start new ones. A worker holds every memory that it
 * was ever sent until it collects garbage, which it hardly ever does: it makes none.
 */
export function replaceWorkers(): void {
  generation++;
  for (const worker of idle.splice(0)) worker.end();
}

/** Why passes run on fewer threads than they would like to; undefined where nothing was refused. */
export function workersRefused(): string | undefined {
  return refusal;
}

let cores: number | undefined;

/** How many threads the machine can run at a time. */
export function machineThreads(): number {
  cores ??= countCores();
  return cores;
}

function countCores(): number {
  const { process, navigator } = globalThis as {
    process?: { getBuiltinModule?(name: 'os'): { availableParallelism(): number } | undefined };
    navigator?: { hardwareConcurrency?: number };
  };
  return process?.getBuiltinModule?.('os')?.availableParallelism() ?? navigator?.hardwareConcurrency ?? 1;
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
    lost: undefined as string | undefined,
    postMessage: (_: unknown): void => {},
    ref: (): void => {},
    unref: (): void => {},
    end: (): void => {},
    generation,
  };
  const lose = (why: unknown): void => {
    if (worker.lost !== undefined) return;
    worker.lost = String(why);
    count--;
  };
  try {
    const threads = nodeThreads();
    if (threads) {
      const thread = new threads.Worker(workerCode, { eval: true });
      // Listening for messages would take the reference again, so errors of jobs are read off the board instead.
      thread.on('error', lose);
      thread.on('exit', () => lose('it ended'));
      starting++;
      let started = false;
      const begin = (): void => {
        if (!started) starting--;
        started = true;
      };
      thread.on('online', begin);
      thread.on('exit', begin);
      worker.end = () => {
        lose('it was replaced');
        void thread.terminate();
      };
      worker.ref = () => thread.ref();
      worker.unref = () => thread.unref();
      worker.postMessage = (message) => thread.postMessage(message);
    } else {
      const { Worker: Web } = globalThis as unknown as { Worker: new (url: string) => WebWorker };
      const url = URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }));
      const thread = new Web(url);
      thread.onerror = ({ message }) => {
        // A page whose policy allows no workers of its own still has one thread.
        refuse(message ?? 'it could not start');
        lose(message ?? 'it could not start');
      };
      worker.end = () => {
        lose('it was replaced');
        thread.terminate();
      };
      worker.postMessage = (message) => thread.postMessage(message);
    }
  } catch (error) {
    refuse(`worker threads cannot be started (${messageOf(error)})`);
    return undefined;
  }
  count++;
  return worker;
}

const FORBIDDEN = "Node's permission model forbids worker threads; --allow-worker allows them";

function permitted(): boolean {
  const { process } = globalThis as { process?: { permission?: { has(scope: string): boolean } } };
  return process?.permission?.has('worker') !== false;
}

/** Why Node would not start another worker thread, or end the whole process instead; undefined where it would. */
export function whyNoWorker(): string | undefined {
  if (!permitted()) return FORBIDDEN;
  if (addressSpaceLeft() >= (starting + 1) * WORKER_ADDRESSES) return undefined;
  return 'the address space of this process is limited (ulimit -v) and too small for another worker thread';
}

function refuse(why: string): void {
  possible = false;
  refusal = why;
}

function nodeThreads(): { Worker: new (code: string, options: { eval: boolean }) => NodeWorker } | undefined {
  const { process } = globalThis as {
    process?: {
      getBuiltinModule?(
        name: 'worker_threads',
      ): { Worker: new (code: string, options: object) => NodeWorker } | undefined;
    };
  };
  return process?.getBuiltinModule?.('worker_threads');
}

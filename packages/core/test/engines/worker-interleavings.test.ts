import { describe, expect, it } from 'vitest';
import { JOB_BITS, JOB_WORDS, QUEUE_BYTES, QUEUE_START, queueIndex } from '../../src/engines/wasm/threads/job-queue.js';
import { workerCode } from '../../src/engines/wasm/threads/worker-code.js';

/* * Runs the workers' program and the main thread's part of the protocol in every possible order of their atomic operations. Sleeps never time * out, so no order is rescued by a timeout. */

/** An atomic operation that a thread is about to do, and its arguments. */
type Operation = readonly [name: string, words: Int32Array, index: number, ...values: number[]];
type Thread = Generator<Operation, void, number>;

interface Message {
  readonly id: number;
  readonly memory: { readonly buffer: ArrayBuffer; grow(): void };
  readonly pass: number;
  readonly state: Int32Array;
}

/** The program of a worker, with generators that stop before every atomic operation on the queue. */
const program = new Function('globalThis', 'WebAssembly', stopBeforeAtomics(workerCode));

function stopBeforeAtomics(code: string): string {
  let text = '';
  let from = 0;
  for (const match of code.matchAll(/Atomics\.(\w+)\((?!state)/g)) {
    const start = match.index + match[0].length;
    let end = start;
    for (let depth = 1; depth > 0; end++) depth += code[end] === '(' ? 1 : code[end] === ')' ? -1 : 0;
    text += `${code.slice(from, match.index)}(yield ['${match[1]}', ${code.slice(start, end - 1)}])`;
    from = end;
  }
  // Spinning is removed: a worker that checks again before it sleeps only sees what it would see after waking.
  return (text + code.slice(from)).replace('function work', 'function* work').replace('i < 4000', 'i < 0');
}

/** Returns a worker's reaction to a message. `run` is called with the first two arguments of every job. */
function makeWorker(run: (pass: number, job: number) => void): (message: Message) => Thread {
  const listeners: ((message: Message) => Thread)[] = [];
  const parentPort = { on: (_: string, listener: (message: Message) => Thread) => listeners.push(listener) };
  const surroundings = { process: { getBuiltinModule: () => ({ parentPort }) } };
  const Instance = class {
    readonly exports = new Proxy({}, { get: () => run });
  };
  program(surroundings, { Instance });
  return listeners[0];
}

const QUEUE = QUEUE_BYTES / 4;
/** Address of the table of jobs. */
const TABLE = 1024;

interface Size {
  readonly workers: number;
  readonly passes: number;
  readonly lists: number;
  readonly jobs: number;
  /** True to reset the wake count for every pass, which hangs. */
  readonly resets?: boolean;
}

/** One order of events. */
class Run {
  readonly memory = { buffer: new ArrayBuffer(65536), grow: () => {} };
  readonly queue = new Int32Array(this.memory.buffer, QUEUE_START, QUEUE);
  readonly mailboxes: Message[][];
  readonly done: string[] = [];
  readonly threads: Thread[];
  readonly pending: (Operation | undefined)[];
  readonly asleep: boolean[];
  /** The values that each thread has read since it last started its loop. */
  readonly seen: number[][];

  constructor(size: Size) {
    this.mailboxes = Array.from({ length: size.workers }, () => []);
    this.threads = [this.#main(size), ...this.mailboxes.map((mailbox) => this.#worker(mailbox, size.passes))];
    this.asleep = this.threads.map(() => false);
    this.seen = this.threads.map(() => []);
    this.pending = this.threads.map((thread) => thread.next().value ?? undefined);
  }

  /** The operations of JobRunner with `blocking: 'none'`. */
  *#main({ passes, lists, jobs, resets }: Size): Thread {
    const { queue } = this;
    const words = new Int32Array(this.memory.buffer);
    for (let pass = 1; pass <= passes; pass++) {
      if (resets) yield ['store', queue, queueIndex.wakeCount, 0];
      yield ['store', queue, queueIndex.pass, pass];
      yield ['store', queue, queueIndex.remaining, pass << JOB_BITS];
      yield ['store', queue, queueIndex.active, 1];
      for (const mailbox of this.mailboxes) {
        mailbox.push({ id: 1, memory: this.memory, pass, state: new Int32Array(1) });
      }
      for (let list = 0; list < lists; list++) {
        for (let job = 0; job < jobs; job++) words.set([0, pass, list * jobs + job], TABLE / 4 + job * JOB_WORDS);
        queue[queueIndex.table] = TABLE;
        yield ['store', queue, queueIndex.done, 0];
        yield ['store', queue, queueIndex.total, jobs];
        yield ['store', queue, queueIndex.remaining, (pass << JOB_BITS) | jobs];
        yield ['add', queue, queueIndex.wakeCount, 1];
        yield ['notify', queue, queueIndex.wakeCount];
        yield ['until', queue, queueIndex.done, jobs];
      }
      yield ['store', queue, queueIndex.active, 0];
      yield ['add', queue, queueIndex.wakeCount, 1];
      yield ['notify', queue, queueIndex.wakeCount];
    }
  }

  *#worker(mailbox: Message[], passes: number): Thread {
    let current = 0;
    const work = makeWorker((pass, job) => {
      expect(pass).toBe(current);
      this.done.push(`${pass}.${job}`);
    });
    for (let handled = 0; handled < passes; handled++) {
      yield ['receive', this.queue, 0];
      const message = mailbox.shift() as Message;
      current = message.pass;
      yield* work(message);
    }
  }

  /** Returns the threads that can do their next operation. */
  ready(): number[] {
    return this.pending.flatMap((operation, thread) => {
      if (!operation || this.asleep[thread]) return [];
      const [name, words, index, value] = operation;
      if (name === 'until') return words[index] === value ? [thread] : [];
      return name !== 'receive' || this.mailboxes[thread - 1].length > 0 ? [thread] : [];
    });
  }

  step(thread: number): void {
    const [name, words, index, ...values] = this.pending[thread] as Operation;
    // At the start of its loop a worker keeps no values from before.
    if (name === 'receive' || (name === 'load' && index === queueIndex.wakeCount)) this.seen[thread] = [];
    if (name === 'wait' && words[index] === values[0]) {
      this.asleep[thread] = true;
      return;
    }
    if (name === 'notify') for (const other of this.threads.keys()) this.#wake(other, index);
    this.#advance(thread, this.#apply(name, words, index, values));
  }

  #apply(name: string, words: Int32Array, index: number, [value, other]: number[]): number {
    const before = words[index];
    if (name === 'store') words[index] = value;
    if (name === 'add') words[index] += value;
    if (name === 'compareExchange' && before === value) words[index] = other;
    return before;
  }

  #wake(thread: number, index: number): void {
    if (!this.asleep[thread] || this.pending[thread]?.[2] !== index) return;
    this.asleep[thread] = false;
    this.#advance(thread, 0);
  }

  #advance(thread: number, result: number): void {
    this.seen[thread].push(result);
    this.pending[thread] = this.threads[thread].next(result).value ?? undefined;
  }

  /** Returns the state that determines the rest of the run. */
  state(): string {
    const threads = this.pending.map((operation, thread) => [
      operation?.[0],
      operation?.[2],
      this.asleep[thread],
      this.seen[thread].length,
      thread === 0 ? 0 : this.seen[thread],
      this.mailboxes[thread - 1]?.map(({ pass }) => pass),
    ]);
    return JSON.stringify([Array.from(this.queue), threads, [...this.done].sort()]);
  }
}

/** Tries all orders. Calls `end` for every run that cannot continue. Returns the number of states. */
function explore(start: () => Run, end: (run: Run) => unknown): number {
  const known = new Set<string>();
  const paths: number[][] = [[]];
  for (let path = paths.pop(); path; path = paths.pop()) {
    const run = start();
    for (const thread of path) run.step(thread);
    for (;;) {
      const state = run.state();
      if (known.has(state)) break;
      known.add(state);
      const [first, ...others] = run.ready();
      for (const other of others) paths.push([...path, other]);
      if (first === undefined) {
        end(run);
        break;
      }
      run.step(first);
      path.push(first);
    }
  }
  return known.size;
}

/** Returns true if every job was done once and all threads have read all messages and ended. */
function isRight(run: Run, { passes, lists, jobs }: Size): boolean {
  const all = Array.from({ length: passes * lists * jobs }, (_, i) => {
    const pass = Math.floor(i / (lists * jobs));
    return `${pass + 1}.${i % (lists * jobs)}`;
  });
  return run.pending.every((operation) => operation === undefined) && run.done.sort().join() === all.join();
}

describe('workers and the main thread, in any order of events,', () => {
  it.each([
    { workers: 1, passes: 3, lists: 1, jobs: 1 },
    { workers: 1, passes: 2, lists: 2, jobs: 2 },
    { workers: 2, passes: 1, lists: 1, jobs: 1 },
  ])(
    'do every job once, and nobody stays asleep: $workers workers, $passes passes, $lists lists of $jobs jobs',
    (size) => {
      const ends: boolean[] = [];
      const states = explore(
        () => new Run(size),
        (run) => ends.push(isRight(run, size)),
      );
      expect(states).toBeGreaterThan(1000);
      expect(ends).toContain(true);
      expect(ends).not.toContain(false);
    },
  );

  it('would hang if every pass reset the wake count to 0', () => {
    const size = { workers: 1, passes: 2, lists: 1, jobs: 1, resets: true };
    const ends: boolean[] = [];
    explore(
      () => new Run(size),
      (run) => ends.push(isRight(run, size)),
    );
    expect(ends).toContain(false);
  });
});

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FileError } from '@scree/files';
import type { Bytes, NumberDecoder, NumberTask, RoundedSlots } from '@scree/files/platform';
import type { DecodedMessage, DecodingMessage } from './decoding-worker.js';
import { hasThreads } from './table-in-thread.js';
import { receiveError } from './thread-messages.js';

/** The thread's program, beside this one; undefined in an application that was bundled as CommonJS, which has no address. */
const program = import.meta.url ? new URL('./decoding-worker.js', import.meta.url) : undefined;

/** Bytes of the columns to read from which threads are worth it. Starting one takes about 50 ms and 15 MB. */
const MIN_BYTES = 8 << 20;
/** Decoding is faster than what is computed with the numbers, so a few threads are enough. */
const MOST_THREADS = 4;
/** Memory per thread. */
const MEMORY_PER_THREAD = 64 << 20;

/** The threads that decode Parquet files, each some columns of every block. They start with the first reading that is worth it. */
export class DecodingThreads {
  readonly #threads: DecodingThread[] = [];

  /** True if threads can be used. */
  get available(): boolean {
    return availableParallelism() > 1 && hasThreads();
  }

  /** Begins a reading; undefined if threads are not worth it. */
  decode({ path, size, descriptor }: Bytes, task: NumberTask, memory: number): NumberDecoder | undefined {
    const bytes = task.columns.map((_, c) =>
      task.places.reduce((sum, group) => sum + group[c].end - group[c].start, 0),
    );
    const total = bytes.reduce((sum, each) => sum + each, 0);
    const most = Math.min(MOST_THREADS, availableParallelism(), Math.floor(memory / MEMORY_PER_THREAD), bytes.length);
    if (descriptor === undefined || size === undefined || most < 1) return undefined;
    // Threads that were started already have memory for pages.
    if (total < MIN_BYTES && this.#threads.length === 0) return undefined;
    const parts = splitColumns(bytes, most).map(([from, to], i) => {
      this.#threads[i] ??= new DecodingThread();
      const own: NumberTask = {
        ...task,
        columns: task.columns.slice(from, to),
        places: task.places.map((group) => group.slice(from, to)),
        ahead: task.ahead / most,
      };
      return this.#threads[i].start(own, { path, size, descriptor });
    });
    return {
      fill: async (block, rows) => {
        // All threads are awaited, because they write into the same block.
        const done = await Promise.allSettled(parts.map((part) => part.fill(block, rows)));
        return done.flatMap((each) => {
          if (each.status === 'rejected') throw each.reason;
          return each.value;
        });
      },
      close: async () => {
        await Promise.all(parts.map((part) => part.close()));
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }
}

/** Ranges of columns that take about as many bytes each. */
function splitColumns(bytes: readonly number[], most: number): [number, number][] {
  const total = bytes.reduce((sum, each) => sum + each, 0);
  const ranges: [number, number][] = [];
  let [from, sum] = [0, 0];
  bytes.forEach((each, c) => {
    sum += each;
    if (c + 1 < bytes.length && sum < (total * (ranges.length + 1)) / most) return;
    ranges.push([from, c + 1]);
    from = c + 1;
  });
  return ranges;
}

/** What waits for the answer of a thread. */
interface Waiting {
  resolve(rounded: RoundedSlots): void;
  reject(error: unknown): void;
}

/** The open file that a thread reads. */
export interface OpenFile {
  readonly path: string;
  readonly size: number;
  readonly descriptor: number;
}

/** One thread. It keeps the process alive only while an answer is awaited. */
class DecodingThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #paths = new Map<number, string>();
  #begun = 0;
  #lost: string | undefined;

  constructor() {
    // Node flags of the main program do not apply to the thread. It must not close the file.
    this.#worker = new Worker(program as URL, { execArgv: [], trackUnmanagedFds: false });
    this.#worker.on('message', (message: DecodedMessage) => this.#receive(message));
    this.#worker.on('error', (error: Error) => this.#lose(error.message));
    this.#worker.on('exit', () => this.#lose('it ended'));
    this.#worker.unref();
  }

  start(task: NumberTask, file: OpenFile): NumberDecoder {
    const reading = this.#begun++;
    this.#paths.set(reading, file.path);
    let last: Promise<unknown> = Promise.resolve();
    this.#send({ kind: 'start', reading, task, file });
    return {
      fill: (block, rows) => {
        const filled = this.#ask({ kind: 'fill', reading, block, rows });
        last = filled.catch(() => {});
        return filled;
      },
      close: async () => {
        await last;
        // A thread that was lost has nothing to end.
        await this.#ask({ kind: 'stop', reading }).catch(() => {});
        this.#paths.delete(reading);
      },
    };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Sends a message that is answered. */
  #ask(message: DecodingMessage): Promise<RoundedSlots> {
    const { reading } = message;
    if (this.#lost !== undefined) return Promise.reject(this.#lostError(reading, this.#lost));
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(reading, { resolve, reject });
      this.#send(message);
    });
  }

  #send(message: DecodingMessage): void {
    if (this.#lost === undefined) this.#worker.postMessage(message);
  }

  #receive(message: DecodedMessage): void {
    const waiting = this.#waiting.get(message.reading);
    this.#waiting.delete(message.reading);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (message.kind === 'error') waiting?.reject(receiveError(message.error));
    else waiting?.resolve(message.rounded);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    for (const [reading, { reject }] of this.#waiting) reject(this.#lostError(reading, this.#lost));
    this.#waiting.clear();
  }

  #lostError(reading: number, why: string): FileError {
    const path = this.#paths.get(reading) ?? 'the file';
    return new FileError('WORKER_LOST', path, `A thread that reads ${path} stopped: ${why}. Try again.`, {
      value: why,
    });
  }
}

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Warning } from '@scree/core';
import { whyNoWorker } from '@scree/core/engine';
import { FileError } from '@scree/files';
import type { DenseBatch, ReadRequest, Table } from '@scree/files/platform';
import { closeRead } from './file-bytes.js';
import { openRegularFile } from './regular-file.js';
import { type FromThread, receiveError, type TextTask, type ThreadTask, type ToThread } from './thread-messages.js';

/** Size of a file, in bytes, from which it is parsed in a thread. Starting one takes about 50 ms and 20 MB. */
const MIN_SIZE = 8 << 20;
/** Maximum number of batches that are sent ahead or in use. The thread parses one more at the same time, into the reader's own arrays. */
const BATCHES_AHEAD = 2;

/** The thread's program, next to this file. Undefined in an application that was bundled as CommonJS, which has no `import.meta.url`. */
const program = import.meta.url ? new URL('./table-worker.js', import.meta.url) : undefined;

/** Returns true if a file of this size is parsed in a thread. */
export function worthThread(size: number | undefined): size is number {
  return size !== undefined && size > MIN_SIZE && availableParallelism() > 1 && hasThreads();
}

/** Returns false if the package runs from its sources or Node may not start threads. */
export function hasThreads(): boolean {
  return program !== undefined && existsSync(fileURLToPath(program)) && whyNoWorker() === undefined;
}

export type ThreadedText = Omit<TextTask, 'kind' | 'file'> & {
  /** The file on disk. */
  readonly file: string;
};

/** Opens a table of text that is parsed in a thread. */
export async function openTextInThread({ file, ...task }: ThreadedText): Promise<Table> {
  const { handle } = await openRegularFile(file, 'It was a file a moment ago.');
  return openInThread({ ...task, kind: 'text', file: handle.fd }, () => closeRead(handle));
}

/**
 * Opens a table that is read in a thread, some batches ahead of the caller. Batches and errors are the same as without a thread. The
 * thread keeps the process alive only while a batch is awaited. `release` is called after the thread has ended.
 */
export async function openInThread(task: ThreadTask, release: () => Promise<void>): Promise<Table> {
  const thread = new Thread(task, release);
  try {
    const message = await thread.opened();
    const { dtype, ...facts } = message.facts;
    return {
      ...facts,
      dtype: () => dtype,
      read: (request) => thread.read(request),
      warnings: () => thread.warnings,
      close: () => thread.close(),
    };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** A queue of messages: those that were not taken yet, or the receiver that waits for the next one. */
class MessageQueue<Message> {
  readonly #came: Message[] = [];
  #error: Error | undefined;
  #taker: { resolve(message: Message): void; reject(error: Error): void } | undefined;

  put(message: Message): void {
    if (this.#taker) this.#taker.resolve(message);
    else this.#came.push(message);
    this.#taker = undefined;
  }

  /** No more messages will come. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#taker?.reject(error);
    this.#taker = undefined;
  }

  take(): Promise<Message> {
    const message = this.#came.shift();
    if (message !== undefined) return Promise.resolve(message);
    if (this.#error) return Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#taker = { resolve, reject };
    });
  }
}

type Opened = Extract<FromThread, { kind: 'open' }>;
type Sent = Extract<FromThread, { kind: 'batch' | 'end' }>;

class Thread {
  readonly #release: () => Promise<void>;
  readonly #worker: Worker;
  readonly #opened = new MessageQueue<Opened>();
  readonly #readings = new Map<number, MessageQueue<Sent>>();
  /** Warnings at the end of the last complete pass. */
  warnings: readonly Warning[] = [];
  #begun = 0;
  #waiting = 0;
  #lost: Error | undefined;
  #closed: Promise<void> | undefined;

  constructor(task: ThreadTask, release: () => Promise<void>) {
    this.#release = release;
    if (!program) throw new TypeError('this bundle has no threads');
    // Node flags of the main program, such as --input-type or --import, do not apply to the thread. It must not close the file.
    this.#worker = new Worker(program, { workerData: task, execArgv: [], trackUnmanagedFds: false });
    this.#worker.on('message', (message: FromThread) => this.#receive(message));
    this.#worker.on('error', (error: Error) => this.#lose(task.path, error.message));
    this.#worker.on('exit', () => this.#lose(task.path, 'it ended'));
    this.#worker.unref();
  }

  opened(): Promise<Opened> {
    return this.#wait(this.#opened);
  }

  async *read(request: ReadRequest): AsyncGenerator<DenseBatch, void, void> {
    const reading = this.#begun++;
    const inbox = new MessageQueue<Sent>();
    if (this.#lost) throw this.#lost;
    this.#readings.set(reading, inbox);
    this.#send({ kind: 'read', reading, request });
    for (let i = 0; i < BATCHES_AHEAD; i++) this.#send({ kind: 'more', reading, buffer: undefined });
    try {
      for (;;) {
        const message = await this.#wait(inbox);
        if (message.kind === 'end') {
          this.warnings = message.warnings;
          return;
        }
        const { rows, cols, data, texts } = message.batch;
        yield { block: { kind: 'dense', rows, cols, stride: cols, data }, texts };
        // The caller asks for the next batch, so it no longer uses this one.
        this.#send({ kind: 'more', reading, buffer: data.buffer }, [data.buffer]);
      }
    } finally {
      this.#readings.delete(reading);
      this.#send({ kind: 'stop', reading });
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    try {
      await this.#worker.terminate();
    } finally {
      // Only after the thread has ended, because it may have been reading.
      await this.#release();
    }
  }

  #send(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#lost) this.#worker.postMessage(message, transfer);
  }

  /** Keeps the process alive while a message is awaited. */
  async #wait<Message>(inbox: MessageQueue<Message>): Promise<Message> {
    if (this.#waiting++ === 0) this.#worker.ref();
    try {
      return await inbox.take();
    } finally {
      if (--this.#waiting === 0) this.#worker.unref();
    }
  }

  #receive(message: FromThread): void {
    if (message.kind === 'open') this.#opened.put(message);
    else if (message.kind !== 'error') this.#readings.get(message.reading)?.put(message);
    else {
      const inbox = message.reading === undefined ? this.#opened : this.#readings.get(message.reading);
      inbox?.fail(receiveError(message.error));
    }
  }

  #lose(path: string, why: string): void {
    this.#lost ??= new FileError('WORKER_LOST', path, `The thread that reads ${path} stopped: ${why}. Try again.`, {
      value: why,
    });
    for (const inbox of [this.#opened, ...this.#readings.values()]) inbox.fail(this.#lost);
  }
}

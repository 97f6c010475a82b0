import { read as readFile } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openFormat, plainPlatform, type ReadRequest, type Table, unpacked } from '@scree/files/platform';
import { fileBytes } from './file-bytes.js';
import { type FromThread, serializeError, type TextTask, type ThreadTask, type ToThread } from './thread-messages.js';
import { nodeUnpackers } from './unpackers.js';

/** The worker thread that parses text or queries a SQLite database. table-in-thread.ts starts it. */

const port = parentPort;
if (!port) throw new TypeError('this is the program of a worker thread');
const send = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);

/** Reads in progress, by number. */
const readings = new Map<number, BufferedReading>();

/** One read of the table. The main thread sends a buffer for every batch that it wants. */
class BufferedReading {
  readonly #free: (ArrayBuffer | undefined)[] = [];
  #wake: () => void = () => {};
  stopped = false;

  returnBuffer(buffer: ArrayBuffer | undefined): void {
    this.#free.push(buffer);
    this.#wake();
  }

  stop(): void {
    this.stopped = true;
    this.#wake();
  }

  /** Waits until the main thread asks for a batch. Its buffer is reused if it is large enough. */
  async acquireBuffer(bytes: number): Promise<ArrayBuffer> {
    while (this.#free.length === 0 && !this.stopped) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const buffer = this.#free.shift();
    return buffer && buffer.byteLength >= bytes ? buffer : new ArrayBuffer(bytes);
  }
}

const task: ThreadTask = workerData;
const opening = open(task);
opening.then(
  (table) => send({ kind: 'open', facts: factsOf(table) }),
  (error: unknown) => send({ kind: 'error', reading: undefined, error: serializeError(error) }),
);

port.on('message', (message: ToThread) => {
  if (message.kind === 'read') void read(message.reading, message.request);
  else if (message.kind === 'more') readings.get(message.reading)?.returnBuffer(message.buffer);
  else readings.get(message.reading)?.stop();
});

async function open(task: ThreadTask): Promise<Table> {
  if (task.kind === 'text') return openText(task);
  const { openSqliteInThisThread } = await import('../database/sqlite-table.js');
  return openSqliteInThisThread(task);
}

function openText({ file, size, path, packing, format, memory, na }: TextTask): Promise<Table> {
  // The main thread owns the file and closes it after this thread has ended. A FileHandle here would close it too.
  const handle = {
    read: (into: Uint8Array, offset: number, length: number, position: number) =>
      new Promise<{ bytesRead: number }>((resolve, reject) => {
        readFile(file, into, offset, length, position, (error, bytesRead) =>
          error ? reject(error) : resolve({ bytesRead }),
        );
      }),
  };
  const bytes = fileBytes(handle, path, 0, size);
  const content = packing ? unpacked(bytes, packing, nodeUnpackers, { memory }) : bytes;
  return openFormat({ bytes, content, format, packing }, { memory, na }, { ...plainPlatform, unpack: nodeUnpackers });
}

async function read(number: number, request: ReadRequest): Promise<void> {
  const reading = new BufferedReading();
  readings.set(number, reading);
  try {
    const table = await opening;
    for await (const batch of table.read(request)) {
      const { block, texts } = batch;
      if (block.kind === 'sparse') throw new TypeError('rows of text and of SQLite are dense');
      const { rows, cols, data } = block;
      const buffer = await reading.acquireBuffer(8 * data.length);
      if (reading.stopped) return;
      // The reader reuses its arrays, so a copy is sent.
      const sent = new Float64Array(buffer, 0, rows * cols);
      sent.set(data.subarray(0, rows * cols));
      send({ kind: 'batch', reading: number, batch: { rows, cols, data: sent, texts } }, [buffer]);
    }
    send({ kind: 'end', reading: number, warnings: (await table.warnings?.()) ?? [] });
  } catch (error) {
    send({ kind: 'error', reading: number, error: serializeError(error) });
  } finally {
    readings.delete(number);
  }
}

function factsOf(table: Table) {
  const { format, columns, width, named, uniform, rows, mayMissValues, checkMissing, rereadable, manyTexts, verbatim } =
    table;
  return {
    format,
    columns,
    width,
    named,
    uniform,
    rows,
    mayMissValues,
    checkMissing,
    manyTexts,
    verbatim,
    rereadable,
    dtype: table.dtype('all'),
  };
}

import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import {
  BufferPool,
  decodeParquet,
  type NumberDecoder,
  type NumberTask,
  type RoundedSlots,
} from '@scree/files/platform';
import type { OpenFile } from './decoding-threads.js';
import { fileBytes } from './file-bytes.js';
import { nodePageTools } from './page-tools.js';
import { type SentError, serializeError } from './thread-messages.js';

/** The worker thread that decodes columns of Parquet files. decoding-threads.ts starts it. */

/** Messages to the thread: begin a reading, fill the first rows of a block that is shared, end the reading. */
export type DecodingMessage =
  | { readonly kind: 'start'; readonly reading: number; readonly task: NumberTask; readonly file: OpenFile }
  | {
      readonly kind: 'fill';
      readonly reading: number;
      readonly block: Float32Array | Float64Array;
      readonly rows: number;
    }
  | { readonly kind: 'stop'; readonly reading: number };

/** The answer to `fill` and to `stop`. */
export type DecodedMessage =
  | { readonly kind: 'done'; readonly reading: number; readonly rounded: RoundedSlots }
  | { readonly kind: 'error'; readonly reading: number; readonly error: SentError };

const port = parentPort;
if (!port) throw new TypeError('this is the program of a worker thread');
const send = (message: DecodedMessage): void => port.postMessage(message);

/** The buffers of one reading are used again by the next. */
const pool = new BufferPool();
const readings = new Map<number, Promise<NumberDecoder>>();

port.on('message', (message: DecodingMessage) => {
  const { reading } = message;
  if (message.kind === 'start') readings.set(reading, start(message.task, message.file));
  else if (message.kind === 'stop') {
    close(reading).then(() => send({ kind: 'done', reading, rounded: [] }));
  } else
    fill(message).then(
      (rounded) => send({ kind: 'done', reading, rounded }),
      (error: unknown) => send({ kind: 'error', reading, error: serializeError(error) }),
    );
});

function start(task: NumberTask, { descriptor, path, size }: OpenFile): Promise<NumberDecoder> {
  // Nothing else happens in this thread, so reading need not be asynchronous, which takes longer.
  const handle = {
    read: async (into: Uint8Array, offset: number, length: number, position: number) => ({
      bytesRead: readSync(descriptor, into, offset, length, position),
    }),
  };
  const decoder = decodeParquet(fileBytes(handle, path, 0, size), nodePageTools, task, pool);
  // The error is sent when it is awaited.
  decoder.catch(() => {});
  return decoder;
}

async function fill({ reading, block, rows }: Extract<DecodingMessage, { kind: 'fill' }>): Promise<RoundedSlots> {
  const decoder = await readings.get(reading);
  if (!decoder) throw new TypeError('a reading that was not begun');
  return decoder.fill(block, rows);
}

async function close(reading: number): Promise<void> {
  const decoder = await readings.get(reading);
  readings.delete(reading);
  await decoder?.close();
}

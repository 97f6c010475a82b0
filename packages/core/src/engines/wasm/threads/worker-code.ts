import { copyRows, HALF } from './copy-rows.js';
import {
  BUSY,
  COPY,
  FUNCTIONS,
  JOB_BITS,
  JOB_WORDS,
  MOST_JOBS,
  QUEUE_START,
  queueIndex,
  WORKER_SLEEP,
} from './job-queue.js';

/** Number of checks for new jobs before a worker sleeps: they take about the time between two lists of jobs. */
const SPINS = 4000;

/**
 * The program of a worker. It is text, so that it starts in the same way from a module and from a bundle, without a second file. A message
 * contains the memory of a pass. The worker claims jobs from the queue in this memory until the pass ends. Its own state is one
 * number in `state`: whether it is busy.
 */
export const workerCode = `
const threads = globalThis.process?.getBuiltinModule?.('worker_threads');
const port = threads ? threads.parentPort : self;
const copyRows = ${copyRows.toString()};
let [last, other] = [];
function work({ id, memory, module, pass, rows, state }) {
  const queue = new Int32Array(memory.buffer, ${QUEUE_START}, 16);
  let words = new Int32Array(memory.buffer);
  for (;;) {
    const wakesSeen = Atomics.load(queue, ${queueIndex.wakeCount});
    if (Atomics.load(queue, ${queueIndex.active}) === 0 || Atomics.load(queue, ${queueIndex.pass}) !== pass) return;
    if (last?.id !== id) [last, other] = [other, last];
    if (last?.id !== id) {
      const { exports } = new WebAssembly.Instance(module, { env: { memory }, reduce: { now: () => performance.now() } });
      last = { id, calls: ${JSON.stringify(FUNCTIONS)}.map((name) => exports[name]) };
    }
    const timed = queue[${queueIndex.timed}] === 1;
    for (;;) {
      const left = Atomics.load(queue, ${queueIndex.remaining});
      if ((left & ${MOST_JOBS}) === 0 || left >>> ${JOB_BITS} !== pass << ${JOB_BITS} >>> ${JOB_BITS}) break;
      Atomics.store(state, ${BUSY}, 1);
      if (Atomics.compareExchange(queue, ${queueIndex.remaining}, left, left - 1) !== left) continue;
      const job = (left & ${MOST_JOBS}) - 1;
      const start = timed ? performance.now() : 0;
      // Memory that grew in another thread becomes visible here only after memory.grow(0).
      if (words.byteLength >>> 16 < Atomics.load(queue, ${queueIndex.pages})) {
        memory.grow(0);
        words = new Int32Array(memory.buffer);
      }
      const j = (queue[${queueIndex.table}] >>> 2) + job * ${JOB_WORDS};
      try {
        if (Atomics.load(queue, ${queueIndex.pass}) !== pass) throw new Error('a job of another pass');
        if (words[j] === ${COPY}) {
          const large = (k) => words[k] * ${HALF} + words[k + 1];
          copyRows(rows, words.buffer, words[j + 1] >>> 0, words[j + 2], words[j + 3], large(j + 4), large(j + 6));
        } else last.calls[words[j]](${Array.from({ length: JOB_WORDS - 1 }, (_, i) => `words[j + ${i + 1}]`).join(', ')});
      } catch {
        Atomics.store(queue, ${queueIndex.failed}, 1);
      }
      if (timed) Atomics.add(queue, ${queueIndex.worked}, Math.round(1000 * (performance.now() - start)));
      if (Atomics.add(queue, ${queueIndex.done}, 1) + 1 >= Atomics.load(queue, ${queueIndex.total})) Atomics.notify(queue, ${queueIndex.done});
    }
    Atomics.store(state, ${BUSY}, 0);
    for (let i = 0; i < ${SPINS} && Atomics.load(queue, ${queueIndex.wakeCount}) === wakesSeen; i++);
    Atomics.wait(queue, ${queueIndex.wakeCount}, wakesSeen, ${WORKER_SLEEP});
  }
}
if (threads) port.on('message', work);
else port.onmessage = ({ data }) => work(data);
`;

import { BOARD, FUNCTIONS, JOB_WORDS, word } from './job-queue.js';

/** Looks at the board before going to sleep: about as long as main takes between two steps. */
const LOOKS = 4000;

/**
 * What a worker runs: text, so that it starts from a bare `import` or a bundle alike, with no second file to find. A
 * message brings the memory of a pass; the worker takes jobs off its board until the pass ends. It never keeps what it
 * is given: all state is on the board.
 */
export const workerCode = `
const threads = globalThis.process?.getBuiltinModule?.('worker_threads');
const port = threads ? threads.parentPort : self;
let last;
function work({ id, memory, module }) {
  if (!last || last.id !== id) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    last = { id, calls: ${JSON.stringify(FUNCTIONS)}.map((name) => exports[name]) };
  }
  const board = new Int32Array(memory.buffer, ${BOARD}, 16);
  let words = new Int32Array(memory.buffer);
  for (;;) {
    const generation = Atomics.load(board, ${word.generation});
    if (Atomics.load(board, ${word.active}) === 0) return;
    while (Atomics.load(board, ${word.remaining}) > 0) {
      const job = Atomics.sub(board, ${word.remaining}, 1) - 1;
      if (job < 0) break;
      // What grew in another thread is known here only when asked for.
      if (words.byteLength >>> 16 < Atomics.load(board, ${word.pages})) {
        memory.grow(0);
        words = new Int32Array(memory.buffer);
      }
      const j = (board[${word.table}] >>> 2) + job * ${JOB_WORDS};
      try {
        last.calls[words[j]](${Array.from({ length: JOB_WORDS - 1 }, (_, i) => `words[j + ${i + 1}]`).join(', ')});
      } catch {
        Atomics.store(board, ${word.failed}, 1);
      }
      Atomics.add(board, ${word.done}, 1);
    }
    for (let i = 0; i < ${LOOKS} && Atomics.load(board, ${word.generation}) === generation; i++);
    Atomics.wait(board, ${word.generation}, generation);
  }
}
if (threads) port.on('message', work);
else port.onmessage = ({ data }) => work(data);
`;

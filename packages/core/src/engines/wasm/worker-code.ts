import { BOARD, FUNCTIONS, JOB_WORDS, word } from './board.js';

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
  for (;;) {
    const generation = Atomics.load(board, ${word.generation});
    if (Atomics.load(board, ${word.active}) === 0) return;
    while (Atomics.load(board, ${word.remaining}) > 0) {
      const job = Atomics.sub(board, ${word.remaining}, 1) - 1;
      if (job < 0) break;
      // What grew in another thread is known here only when asked for.
      if (memory.buffer.byteLength >>> 16 < Atomics.load(board, ${word.pages})) memory.grow(0);
      const j = new Int32Array(memory.buffer, (board[${word.table}] >>> 0) + job * ${JOB_WORDS * 4}, ${JOB_WORDS});
      try {
        last.calls[j[0]](j[1], j[2], j[3], j[4], j[5], j[6], j[7], j[8], j[9], j[10], j[11], j[12], j[13], j[14], j[15]);
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

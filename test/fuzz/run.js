/**
 * Coverage-guided fuzzing of everything that reads bytes: npm run fuzz -- --minutes 10 [--format csv] [--seed 1] [--runs 100000]
 *
 * The minutes are shared by the formats. Inputs that reach new branches are kept in test/corpus, as few as reach everything that was
 * reached; what crashes, hangs or takes too much memory goes to test/corpus/<format>.crashes.txt, and the exit code is 1.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { instrument } from './instrument.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Seconds that an input may take, and bytes that it and the whole program may. */
const SECONDS = 10;
const ALLOCATION = 256 * 2 ** 20;
const PROGRAM = 2 ** 31;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    format: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    runs: { type: 'string', default: 'Infinity' },
  },
});

const bundle = await build();
const { TARGETS } = await import(bundle);
const formats = flags.format === undefined ? Object.keys(TARGETS) : flags.format.split(',');
const unknown = formats.find((format) => !(format in TARGETS));
if (unknown !== undefined) {
  console.error(`There is no format ${unknown}. Choose among ${Object.keys(TARGETS).join(', ')}.`);
  process.exit(2);
}
let crashes = 0;
for (const format of formats) crashes += await fuzz(format, (60_000 * Number(flags.minutes)) / formats.length);
process.exit(crashes > 0 ? 1 : 0);

/** The readers and what they need, from their sources, in one file that counts its branches. */
async function build() {
  const source = (path) => here(`../../packages/${path}`);
  const made = await rolldown({
    input: here('entry.ts'),
    platform: 'node',
    // Its paths lead to compiled packages: errors would be of other classes than those of the sources.
    tsconfig: false,
    external: /^node:|^(@duckdb|koffi|linkedom|@observablehq|node-sqlite3-wasm)/,
    resolve: {
      alias: {
        '@scree/analysis/describe': source('analysis/src/describe/index.ts'),
        '@scree/analysis': source('analysis/src/index.ts'),
        '@scree/core/engine': source('core/src/engines/index.ts'),
        '@scree/core/data': source('core/src/data/index.ts'),
        '@scree/core/linalg': source('core/src/linalg/index.ts'),
        '@scree/core/pipeline': source('core/src/pipeline.ts'),
        '@scree/core/names': source('core/src/solvers/names.ts'),
        '@scree/files/platform': source('files/src/platform/index.ts'),
        '@scree/files': source('files/src/index.ts'),
        '@scree/core': source('core/src/index.ts'),
      },
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
    logLevel: 'silent',
  });
  const { output } = await made.generate({ format: 'esm', codeSplitting: false });
  await made.close();
  const folder = join(tmpdir(), 'scree-fuzz');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `readers-${process.pid}.mjs`);
  writeFileSync(file, instrument(output[0].code));
  process.on('exit', () => rmSync(file, { force: true }));
  return pathToFileURL(file).href;
}

/** Fuzzes a format for so many milliseconds. How many inputs were bad. */
async function fuzz(format, milliseconds) {
  const path = here(`../corpus/${format}.txt`);
  const inputs = linesOf(path);
  const end = Date.now() + milliseconds;
  const bad = [];
  for (let seed = Number(flags.seed); ; seed++) {
    const finished = await work(format, seed, inputs, bad, end);
    if (finished) {
      writeFileSync(path, `${finished.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).join('\n')}\n`);
      console.log(`${format}: ${finished.length} inputs kept, ${bad.length} bad`);
      break;
    }
  }
  if (bad.length > 0) {
    const stored = here(`../corpus/${format}.crashes.txt`);
    writeFileSync(stored, `${[...new Set([...linesOf(stored), ...bad])].join('\n')}\n`);
  }
  return bad.length;
}

/** Runs the thread until it ends or has to be ended; the inputs to keep, unless it has to be started again. */
function work(format, seed, inputs, bad, end) {
  const shared = new SharedArrayBuffer(8 + 65_536);
  const state = new Int32Array(shared, 0, 2);
  const runs = Number(flags.runs);
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./loop.js', import.meta.url), {
      workerData: { bundle, format, seed, inputs, runs, shared, allocation: ALLOCATION, end },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    let [number, since] = [0, Date.now()];
    const blame = (why) => {
      const bytes = Buffer.from(new Uint8Array(shared, 8, state[1])).toString('base64');
      clearInterval(watchdog);
      bad.push(bytes);
      console.log(`${format}: ${why} (seed ${seed})\n  ${bytes.slice(0, 200)}`);
      void worker.terminate().then(() => resolve(undefined));
    };
    const watchdog = setInterval(() => {
      if (Atomics.load(state, 0) !== number) [number, since] = [Atomics.load(state, 0), Date.now()];
      else if (Date.now() - since > 1000 * SECONDS) blame(`no answer within ${SECONDS} s`);
      if (process.memoryUsage.rss() > PROGRAM) blame('too much memory');
    }, 200);
    worker.on('message', (message) => {
      if (message.kind === 'input') inputs.push(message.bytes);
      if (message.kind === 'crash') {
        bad.push(message.bytes);
        console.log(`${format}: ${message.why} (seed ${seed})\n  ${message.bytes.slice(0, 200)}`);
      }
      if (message.kind === 'report') {
        const { runs: done, inputs: kept, branches, of } = message;
        console.log(`${format}: ${done} runs, ${kept} inputs, ${branches} of ${of} branches`);
      }
      if (message.kind === 'end') {
        clearInterval(watchdog);
        resolve(message.inputs);
      }
    });
    worker.on('error', (error) => blame(error.message));
  });
}

function linesOf(path) {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

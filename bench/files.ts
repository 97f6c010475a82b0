import { execFile } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readArguments } from './arguments.js';
import { mixture } from './data.js';
import { environment } from './environment.js';
import { megabytes, milliseconds } from './format.js';
import { spread } from './measure.js';
import { save } from './results.js';
import { python } from './setup.js';
import { Peer } from './sklearn.js';
import { temporaryFolder } from './temporary.js';
import { FILES } from './workloads.js';

/** Files larger than the memory that is allowed, through the real command, beside the bare reading and scikit-learn. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? 1 : 5;
const rows = quick ? Math.round(FILES.rows / 50) : FILES.rows;
const program = fileURLToPath(new URL('../../packages/scree/dist/command/scree.js', import.meta.url));
const folder = temporaryFolder();
const run = promisify(execFile);

const file = join(folder, 'data.npy');
writeNpy(file, rows, FILES.cols);
const small = join(folder, 'small.npy');
writeNpy(small, quick ? 20_000 : 1_000_000, 100);
const [model, scores, copy] = [join(folder, 'model.pca'), join(folder, 'scores.npy'), join(folder, 'copy.npy')];

const k = '10';
const parts: { name: string; measure: () => Promise<{ seconds: number; bytes?: number }> }[] = [
  { name: 'bare reading', measure: async () => ({ seconds: timed(() => readWhole(file)) }) },
  { name: 'scree fit', measure: () => scree(['fit', file, '-k', k, '--memory', '1GB', '-q', '-o', model]) },
  ...(existsSync(python) ? [{ name: 'scikit-learn IncrementalPCA', measure: () => incremental(file) }] : []),
  { name: 'copying 1,000,000 × 100', measure: async () => ({ seconds: timed(() => copyFileSync(small, copy)) }) },
  {
    name: 'scree transform of the same',
    measure: () => scree(['transform', join(folder, 'small.pca'), small, '-o', scores, '-q']),
  },
  { name: 'scree --help', measure: () => scree(['--help']) },
];
await scree(['fit', small, '-k', k, '-q', '-o', join(folder, 'small.pca')]);

const samples = parts.map(() => ({ times: [] as number[], bytes: 0 }));
for (let round = 0; round < rounds; round++) {
  for (const [i, part] of parts.entries()) {
    // The slowest does not need to be measured as often.
    if (round > 0 && part.name.startsWith('scikit')) continue;
    const { seconds, bytes = 0 } = await part.measure();
    samples[i].times.push(1000 * seconds);
    samples[i].bytes = Math.max(samples[i].bytes, bytes);
  }
}
const measured = parts.map(({ name }, i) => {
  const time = spread(samples[i].times);
  const { bytes } = samples[i];
  console.log(`  ${name}: ${milliseconds(time.median)}${bytes ? `, ${megabytes(bytes)} at most` : ''}`);
  return { name, time, ...(bytes ? { bytes } : {}) };
});
save(
  'files',
  {
    environment: await environment(threads, Peer.start(threads)),
    bytes: 8 * rows * FILES.cols,
    files: measured,
    skipped: existsSync(python) ? [] : ['scikit-learn is not set up'],
  },
  quick,
);
rmSync(folder, { recursive: true, force: true });
process.exit();

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) / 1000;
}

/** The command in a process of its own: what it took from start to end, and its peak. */
async function scree(args: string[]): Promise<{ seconds: number; bytes: number }> {
  const peak = `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS))`;
  const preload = `data:text/javascript,${encodeURIComponent(peak)}`;
  const start = performance.now();
  const { stderr } = await run(process.execPath, ['--import', preload, program, ...args], { maxBuffer: 1 << 26 });
  const seconds = (performance.now() - start) / 1000;
  return { seconds, bytes: 1024 * Number(/peak (\d+)$/.exec(stderr)?.[1] ?? Number.NaN) };
}

async function incremental(path: string): Promise<{ seconds: number; bytes: number }> {
  const script = fileURLToPath(new URL('../incremental_pca.py', import.meta.url));
  const env = { ...process.env, OPENBLAS_NUM_THREADS: `${threads}`, OMP_NUM_THREADS: `${threads}` };
  return JSON.parse((await run(python, [script, path, k], { env })).stdout);
}

function readWhole(path: string): void {
  const buffer = Buffer.allocUnsafe(1 << 24);
  const handle = openSync(path, 'r');
  while (readSync(handle, buffer, 0, buffer.length, null) > 0);
  closeSync(handle);
}

/** A .npy of float64, the same thousand rows again and again, each time a little larger. */
function writeNpy(path: string, count: number, cols: number): void {
  const block = mixture({ rows: 1000, cols, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${count}, ${cols}), }`;
  const header = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${text.padEnd(117)}\n`, 'latin1');
  header.writeUInt16LE(118, 8);
  const handle = openSync(path, 'w');
  writeSync(handle, header);
  for (let row = 0; row < count; row += 1000) {
    const part = block.data.map((value) => value * (1 + row / count)) as Float64Array;
    writeSync(handle, new Uint8Array(part.buffer, 0, 8 * cols * Math.min(1000, count - row)));
  }
  closeSync(handle);
}

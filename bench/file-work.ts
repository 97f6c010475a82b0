import { execFile, execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { python } from './setup.js';

/** What is measured with files: the command and its peers, each in a process of its own. */

export interface Taken {
  readonly seconds: number;
  /** Most memory it had. */
  readonly bytes?: number;
}

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../packages/scree/dist/bin/scree.js', import.meta.url));

/** The command from start to end, and its peak. */
export async function scree(...args: string[]): Promise<Taken> {
  const peak = `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS))`;
  const preload = `data:text/javascript,${encodeURIComponent(peak)}`;
  const { seconds, stderr } = await timeNode('--import', preload, program, ...args);
  return { seconds, bytes: 1024 * Number(/peak (\d+)$/.exec(stderr)?.[1] ?? Number.NaN) };
}

/** The command as people start it: asking for its peak takes longer than its help. */
export async function screePlain(...args: string[]): Promise<Taken> {
  return { seconds: (await timeNode(program, ...args)).seconds };
}

/** Node doing nothing. */
export async function bareNode(): Promise<Taken> {
  return { seconds: (await timeNode('-e', '0')).seconds };
}

async function timeNode(...args: string[]): Promise<{ seconds: number; stderr: string }> {
  const start = performance.now();
  const { stderr } = await run(process.execPath, args, { maxBuffer: 1 << 26 });
  return { seconds: (performance.now() - start) / 1000, stderr };
}

/** scikit-learn's IncrementalPCA on a .npy or .parquet; it times itself, without its start. */
export async function incrementalPca(path: string, k: number, threads: number): Promise<Taken> {
  const script = fileURLToPath(new URL('../incremental_pca.py', import.meta.url));
  const env = { ...process.env, OPENBLAS_NUM_THREADS: `${threads}`, OMP_NUM_THREADS: `${threads}` };
  return JSON.parse((await run(python, [script, path, `${k}`], { env })).stdout) as Taken;
}

/** Reads a file and does nothing with it. */
export async function bareReading(path: string): Promise<Taken> {
  return timed(() => {
    const buffer = Buffer.allocUnsafe(1 << 24);
    const handle = openSync(path, 'r');
    while (readSync(handle, buffer, 0, buffer.length, null) > 0);
    closeSync(handle);
  });
}

export function timed(work: () => void): Taken {
  const start = performance.now();
  work();
  return { seconds: (performance.now() - start) / 1000 };
}

/** Asks the system to forget what it has of a file in memory: coreutils' dd does. False where that cannot be asked. */
export function dropCache(path: string): boolean {
  try {
    execFileSync('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

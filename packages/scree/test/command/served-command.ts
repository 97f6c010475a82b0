import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('./command-server.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/command/main.js', import.meta.url));

/** Milliseconds that the process may take to start. */
const START = 30_000;

/** A process that runs one command line after another. A call blocks until the command has ended, as `spawnSync` does. */
export class ServedCommand {
  readonly #folder = mkdtempSync(join(tmpdir(), 'scree-served-'));
  readonly #child: ChildProcess;
  readonly #requests: number;
  readonly #replies: number;
  readonly #outputs: readonly [out: number, err: number];

  constructor() {
    const path = (name: string): string => join(this.#folder, name);
    execFileSync('mkfifo', [path('requests'), path('replies')]);
    // Opening a pipe for reading and writing does not wait for the other side.
    this.#requests = openSync(path('requests'), 'r+');
    this.#outputs = [openSync(path('out'), 'a+'), openSync(path('err'), 'a+')];
    this.#child = spawn(process.execPath, [SERVER, MAIN, path('replies')], {
      stdio: [this.#requests, ...this.#outputs],
    });
    waitForStart(path('replies'));
    // The other side has opened the pipe, so a read waits for a reply, and ends if the process has died.
    this.#replies = openSync(path('replies'), 'r');
  }

  run(args: readonly string[], folder: string): { code: number | null; out: string; err: string } {
    for (const output of this.#outputs) ftruncateSync(output);
    writeSync(this.#requests, `${JSON.stringify({ args, folder })}\n`);
    const bytes = Buffer.alloc(16);
    const reply = bytes.toString('latin1', 0, readSync(this.#replies, bytes)).trim();
    const [out, err] = ['out', 'err'].map((name) => readFileSync(join(this.#folder, name), 'utf8'));
    return { code: reply === '' ? null : Number(reply), out, err };
  }

  close(): void {
    this.#child.kill('SIGKILL');
    for (const file of [this.#requests, this.#replies, ...this.#outputs]) closeSync(file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits until the process says that it is ready. Before it has opened the pipe, reads end at once or fail with EAGAIN. */
function waitForStart(path: string): void {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const bytes = Buffer.alloc(16);
  const end = performance.now() + START;
  try {
    for (;;) {
      try {
        if (readSync(file, bytes) > 0) return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      if (performance.now() > end) throw new Error(`The process that runs commands has not started in ${START} ms.`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  } finally {
    closeSync(file);
  }
}

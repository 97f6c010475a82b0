import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '../../../../test/python.js';

/** A Python with Sail, a server of Spark Connect without Java, and with what its functions need. Undefined, and said aloud, when there is none. */
export function needSail(): string | undefined {
  const made = fileURLToPath(new URL('../../../../test/cluster/.venv-sail/bin/python', import.meta.url));
  const python = process.env.SCREE_SAIL_PYTHON ?? (existsSync(made) ? made : undefined);
  return python ?? pythonWith('pysail', 'pyspark', 'numpy', 'pyarrow', 'pandas');
}

export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Sail on a free port of this machine. It writes tables into `folder`. */
export async function startSail(python: string, folder: string): Promise<TestServer> {
  const port = await freePort();
  const program = join(dirname(python), 'sail');
  const server = spawn(program, ['spark', 'server', '--ip', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    cwd: folder,
  });
  await answers(port, server);
  return { url: `sc://127.0.0.1:${port}`, stop: () => ended(server) };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until something listens there. */
export async function answers(port: number, server: ChildProcess, seconds = 60): Promise<void> {
  for (let waited = 0; waited < 10 * seconds; waited++) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** Ends a process, and waits until it has ended. */
export async function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const closed = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGTERM');
  const timer = setTimeout(() => process.kill('SIGKILL'), 10_000);
  await closed;
  clearTimeout(timer);
}

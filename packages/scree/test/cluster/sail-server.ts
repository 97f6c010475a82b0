import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answers, ended, freePort } from '../../../../bench/spark-server.js';
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

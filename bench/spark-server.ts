import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real Spark on this machine, for tests and benchmarks. */
export interface SparkServer {
  readonly url: string;
  /** Where it writes tables. */
  readonly folder: string;
  /** Tasks that run now, as Spark's own page counts them. */
  activeTasks(): Promise<number>;
  /** Process identifiers of the executors. */
  executors(): number[];
  /** Jobs so far, as Spark's own page counts them. */
  jobs(): Promise<number>;
  stop(): Promise<void>;
}

interface SparkSettings {
  /** `cluster`: a master and two workers of one core each; otherwise one process with one core. */
  readonly mode: 'cluster' | 'local';
  readonly token?: string;
  /** The Python of the executors, if it is another. */
  readonly executorPython?: string;
  /** Further settings of Spark. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Seconds that a server may take to start on a machine where others work too. */
const PATIENCE = 240;

export async function startSpark(python: string, how: SparkSettings): Promise<SparkServer> {
  const { mode, token, executorPython } = how;
  const folder = mkdtempSync(join(tmpdir(), 'scree-spark-'));
  const [masterPort, connectPort, uiPort] = [await freePort(), await freePort(), await freePort()];
  const { home, version } = sparkOf(python);
  const env = {
    ...process.env,
    SPARK_HOME: home,
    SPARK_LOCAL_IP: '127.0.0.1',
    PYSPARK_PYTHON: executorPython ?? python,
    ...(token === undefined ? {} : { SPARK_CONNECT_AUTHENTICATE_TOKEN: token }),
  };
  const processes: ChildProcess[] = [];
  const start = (name: string, program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'w');
    const started = spawn(join(home, 'bin', program), args, { cwd: folder, env, stdio: ['ignore', log, log] });
    processes.push(started);
    // Nothing of it stays where this process ends early.
    process.once('exit', () => started.kill('SIGKILL'));
    return started;
  };
  const stop = async (): Promise<void> => {
    for (const each of processes.reverse()) await ended(each);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const master = `spark://127.0.0.1:${masterPort}`;
    if (mode === 'cluster') {
      const deploy = 'org.apache.spark.deploy';
      const own = ['--host', '127.0.0.1', '--webui-port', '0'];
      const leader = start('master', 'spark-class', [`${deploy}.master.Master`, ...own, '--port', String(masterPort)]);
      await answers(masterPort, leader, PATIENCE);
      for (const worker of ['worker1', 'worker2']) {
        const size = ['--cores', '1', '--memory', '2g', '--work-dir', join(folder, worker)];
        start(worker, 'spark-class', [`${deploy}.worker.Worker`, ...own, ...size, master]);
      }
    }
    const settings = {
      'spark.connect.grpc.binding.address': '127.0.0.1',
      'spark.connect.grpc.binding.port': connectPort,
      'spark.driver.host': '127.0.0.1',
      'spark.ui.port': uiPort,
      'spark.executor.memory': '1g',
      'spark.sql.warehouse.dir': join(folder, 'warehouse'),
      'spark.pyspark.python': executorPython ?? python,
      ...how.settings,
    };
    const connect = start('connect', 'spark-submit', [
      // Spark 3.5 has its Connect server in a package of its own.
      ...(version.startsWith('3.') ? ['--packages', `org.apache.spark:spark-connect_2.12:${version}`] : []),
      ...['--class', 'org.apache.spark.sql.connect.service.SparkConnectServer'],
      ...['--master', mode === 'cluster' ? master : 'local[1]'],
      ...Object.entries(settings).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
      'spark-internal',
    ]);
    await answers(connectPort, connect, PATIENCE);
    const ask = async (what: string): Promise<{ activeTasks: number }[]> => {
      const api = `http://127.0.0.1:${uiPort}/api/v1/applications`;
      const [{ id }] = (await (await fetch(api)).json()) as { id: string }[];
      return (await (await fetch(`${api}/${id}/${what}`)).json()) as { activeTasks: number }[];
    };
    return {
      url: `sc://127.0.0.1:${connectPort}`,
      folder,
      activeTasks: async () => (await ask('executors')).reduce((sum, each) => sum + each.activeTasks, 0),
      jobs: async () => (await ask('jobs')).length,
      executors: () => executorsOf(master),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where a Python has Spark, and which version. */
export function sparkOf(python: string): { home: string; version: string } {
  const lib = join(dirname(python), '..', 'lib');
  const [folder] = readdirSync(lib).filter((name) => name.startsWith('python'));
  const packages = join(lib, folder, 'site-packages');
  const [, version] = readdirSync(packages)
    .map((name) => /^pyspark-([\d.]+)\.(?:dist|egg)-info$/.exec(name))
    .find((match) => match !== null) ?? ['', ''];
  if (version === '') throw new Error(`${python} has no Spark`);
  return { home: join(packages, 'pyspark'), version };
}

/** Executors are started by the workers, with the driver's address in their arguments and the master's in that of the workers. */
function executorsOf(master: string): number[] {
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => ({ id: Number(id), command: commandOf(id), parent: parentOf(id) }));
  const workers = commands.filter(({ command }) => command.includes(master) && command.includes('worker.Worker'));
  return commands
    .filter(
      ({ command, parent }) =>
        command.includes('CoarseGrainedExecutorBackend') && workers.some(({ id }) => id === parent),
    )
    .map(({ id }) => id);
}

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

function parentOf(id: string): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1]);
  } catch {
    return 0;
  }
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

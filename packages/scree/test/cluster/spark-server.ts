import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { answers, ended, freePort } from './sail-server.js';

/** The Python of a real Spark, where the tests of a cluster were asked for: `npm run test:cluster`. */
export function needSpark(): string | undefined {
  const { SCREE_CLUSTER, SCREE_SPARK_PYTHON } = process.env;
  if (!SCREE_CLUSTER || !SCREE_SPARK_PYTHON) return undefined;
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
    return SCREE_SPARK_PYTHON;
  } catch {
    process.stderr.write('SKIPPED: no Java for the tests with Spark\n');
    return undefined;
  }
}

export interface SparkServer {
  readonly url: string;
  /** Where it writes tables. */
  readonly folder: string;
  /** Tasks that run now, as Spark's own page counts them. */
  activeTasks(): Promise<number>;
  /** Process identifiers of the executors. */
  executors(): number[];
  stop(): Promise<void>;
}

interface SparkSettings {
  /** `cluster`: a master and two workers of one core each; otherwise one process with one core. */
  readonly mode: 'cluster' | 'local';
  readonly token?: string;
  /** The Python of the executors, if it is another. */
  readonly executorPython?: string;
}

/** Seconds that a server may take to start on a machine where others work too. */
const PATIENCE = 240;

export async function startSpark(python: string, { mode, token, executorPython }: SparkSettings): Promise<SparkServer> {
  const folder = mkdtempSync(join(tmpdir(), 'scree-spark-'));
  const [masterPort, connectPort, uiPort] = [await freePort(), await freePort(), await freePort()];
  const home = homeOf(python);
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
    };
    const connect = start('connect', 'spark-submit', [
      ...['--class', 'org.apache.spark.sql.connect.service.SparkConnectServer'],
      ...['--master', mode === 'cluster' ? master : 'local[1]'],
      ...Object.entries(settings).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
      'spark-internal',
    ]);
    await answers(connectPort, connect, PATIENCE);
    const activeTasks = async (): Promise<number> => {
      const api = `http://127.0.0.1:${uiPort}/api/v1/applications`;
      const [{ id }] = (await (await fetch(api)).json()) as { id: string }[];
      const found = await (await fetch(`${api}/${id}/executors`)).json();
      return (found as { activeTasks: number }[]).reduce((sum, each) => sum + each.activeTasks, 0);
    };
    const url = `sc://127.0.0.1:${connectPort}`;
    return { url, folder, activeTasks, executors: () => executorsOf(master), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where a Python has Spark. */
function homeOf(python: string): string {
  const lib = join(dirname(python), '..', 'lib');
  const [version] = readdirSync(lib).filter((name) => name.startsWith('python'));
  const home = join(lib, version, 'site-packages', 'pyspark');
  if (!existsSync(home)) throw new Error(`${python} has no Spark`);
  return home;
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

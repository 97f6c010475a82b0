import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A Postgres server for tests: a cluster of its own in a temporary folder, on loopback, started and stopped by the test. */
export interface PostgresServer {
  /** Address of its database, through a Unix socket, without a password. */
  readonly url: string;
  /** Address through TCP, for a user who needs the password. */
  urlFor(user: string, password?: string, host?: string): string;
  readonly port: number;
  /** A connection of the owner, to fill tables and to look at what the server does. `stop` ends it. */
  connect(): Promise<pg.Client>;
  /** The statements that our clients are running on the server. */
  activity(): Promise<string[]>;
  /** Gives it a certificate for the host localhost, signed by itself. Returns the certificate's file; undefined without openssl. */
  useTls(): Promise<string | undefined>;
  /** Ends the server at once, as a crash does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const PASSWORD = 'secret-Pa55word';

/** The folder of the server's programs: SCREE_POSTGRES, or where Debian, Fedora and Homebrew put them. Undefined if no server was found. */
export function findPostgres(): string | undefined {
  const given = process.env.SCREE_POSTGRES;
  if (given === 'none') return undefined;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(given ? [given] : []),
    ...versions.map((version) => join(debian, version, 'bin')),
    '/usr/bin',
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** Finds Postgres, or installs Debian's where the tests are root's, as in most containers. Said aloud where there is none. */
export function needPostgres(): string | undefined {
  let found = findPostgres();
  if (
    !found &&
    process.env.SCREE_POSTGRES !== 'none' &&
    existsSync('/etc/debian_version') &&
    process.getuid?.() === 0
  ) {
    process.stderr.write('There is no Postgres for these tests: installing it with apt-get.\n');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = (...args: string[]): boolean =>
      spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=60', ...args], { env, timeout: 240_000 }).status === 0;
    const install = (): boolean => apt('install', '-y', '--no-install-recommends', 'postgresql');
    if (!install() && apt('update')) install();
    found = findPostgres();
  }
  if (!found)
    process.stderr.write(
      'SKIPPED: there is no Postgres for these tests (apt-get install postgresql, or SCREE_POSTGRES=folder of initdb)\n',
    );
  return found;
}

/** Postgres refuses to run as root; then it runs as the user that its package made, or as nobody. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return user && { uid: Number(user[2]), gid: Number(user[3]) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server whose programs are in `programs`. It asks for a password over TCP, and for none on its socket. */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  // The name of a socket may have only about a hundred characters.
  const folder = mkdtempSync(join(tmpdir(), 'scree-pg-'));
  const user = serverUser();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const settings = ['-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
  execFileSync(join(programs, 'initdb'), ['-D', data, ...settings], { ...user, cwd: folder, stdio: 'ignore' });
  writeFileSync(
    join(data, 'pg_hba.conf'),
    'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\nhost all all ::1/128 scram-sha-256\n',
  );
  const port = await freePort();
  const url = `postgres://owner@/postgres?host=${encodeURIComponent(folder)}&port=${port}`;
  let process_: ChildProcess | undefined;
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ host: folder, port, user: 'owner', database: 'postgres' });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = process_;
    process_ = undefined;
    if (!running || running.exitCode !== null) return;
    const exited = new Promise((resolve) => running.on('exit', resolve));
    running.kill(signal);
    await exited;
  };
  const server: PostgresServer = {
    url,
    port,
    urlFor: (name, password, host = '127.0.0.1') =>
      `postgres://${name}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@${host}:${port}/postgres`,
    connect,
    activity: async () => {
      const client = await connect();
      const { rows } = await client.query<{ query: string }>(
        "SELECT query FROM pg_stat_activity WHERE application_name = 'scree' AND state = 'active'",
      );
      await client.end();
      return rows.map(({ query }) => query);
    },
    useTls: async () => {
      const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')];
      const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
      const more = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate];
      if (spawnSync('openssl', [...words, ...more], { ...user, stdio: 'ignore' }).status !== 0) return undefined;
      const client = await connect();
      await client.query('ALTER SYSTEM SET ssl = on');
      await client.query('SELECT pg_reload_conf()');
      await client.end();
      return certificate;
    },
    kill: () => end('SIGQUIT'),
    start: async () => {
      const options = {
        listen_addresses: '127.0.0.1',
        port,
        unix_socket_directories: folder,
        fsync: 'off',
        shared_buffers: '64MB',
      };
      const words = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      process_ = spawn(join(programs, 'postgres'), ['-D', data, ...words], { ...user, cwd: folder, stdio: 'ignore' });
      const started = process_;
      process.once('exit', () => started.kill('SIGQUIT'));
      for (let tries = 0; ; tries++) {
        try {
          const client = await connect();
          await client.end();
          return;
        } catch (error) {
          if (tries === 100 || process_.exitCode !== null) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
    stop: async () => {
      // A fast shutdown: it ends the connections, also those that wait for a lock.
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  const owner = await connect();
  await owner.query(`CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'; GRANT pg_read_all_data TO reader`);
  return server;
}

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM, useBinary } from '../command/binary.js';
import { needPostgres, PASSWORD, type PostgresServer, startPostgres } from './postgres-server.js';

const programs = needPostgres();

describe.skipIf(!programs)('scree with a Postgres database', () => {
  const binary = useBinary('postgres');
  let server: PostgresServer;
  let owner: pg.Client;
  let url = '';

  beforeAll(async () => {
    server = await startPostgres(programs as string);
    owner = await server.connect();
    url = server.urlFor('reader', PASSWORD);
    await owner.query(`CREATE TABLE t (id int, x float8, y float8, z int8, kind text);
      INSERT INTO t SELECT i, sin(i), sin(i) + cos(7 * i) / 9, i % 17, 'k' || i % 3 FROM generate_series(1, 400) i;
      INSERT INTO t VALUES (401, 3, 4, 9007199254740993, 'k0');
      CREATE TABLE large AS SELECT random() AS a, random() AS b, random() AS c FROM generate_series(1, 700000)`);
  }, 300_000);
  afterAll(() => server?.stop());

  /** Everything in the folder. */
  const written = (): string =>
    readdirSync(binary.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');

  it('fits, transforms, analyses and reports, and tells the password nowhere', () => {
    const table = [url, '--member', 't', '--exclude', 'id', '--label', 'kind'];
    const outcomes = [
      binary.run(['fit', ...table, '-o', 'model.json', '--json']),
      binary.run(['fit', ...table, '--checkpoint', 'part', '--every', '0', '-o', 'model.pca']),
      binary.run(['transform', 'model.json', ...table, '-o', 'scores.csv']),
      binary.run(['report', ...table, '-o', 'report.html']),
      binary.run(['analyze', ...table]),
      binary.run(['compress', ...table, '-o', 'small.scree']),
      binary.run(['fit', url, '--sql', 'SELECT x, y FROM t', '-k', '1', '--explain']),
    ];
    for (const { code, err } of outcomes) expect({ code, err }).toMatchObject({ code: 0 });
    for (const { out, err } of outcomes) expect(out + err).not.toContain(PASSWORD);
    expect(outcomes[4].out).toContain(`scree report ${server.urlFor('reader')}`);
    expect(written()).not.toContain(PASSWORD);
    expect(JSON.parse(outcomes[0].out).warnings).toContainEqual(expect.objectContaining({ code: 'INTEGERS_ROUNDED' }));
  });

  it.each([
    ['a wrong command', (at: string) => [at]],
    ['too many arguments', (at: string) => ['fit', at, at]],
    ['a wrong password', (at: string) => ['fit', at.replace(PASSWORD, `${PASSWORD}x`)]],
    ['a wrong password and --debug', (at: string) => ['fit', at.replace(PASSWORD, `${PASSWORD}x`), '--debug']],
    ['a port without a server', (at: string) => ['fit', at.replace(/:\d+\//, ':1/')]],
    ['an unescaped password', (at: string) => ['fit', at.replace(PASSWORD, `${PASSWORD}/a?`)]],
    ['a password in the query', (at: string) => ['fit', `${at.replace(`:${PASSWORD}`, '')}?password=${PASSWORD}x`]],
    ['a database for the lab', (at: string) => ['lab', at, '--no-open']],
    ['a wrong query', (at: string) => ['fit', at, '--sql', 'SELECT']],
    ['a column that is not there', (at: string) => ['fit', at, '--member', 't', '--columns', 'q']],
    ['a missing model', (at: string) => ['transform', at, at, '-o', 'x.csv']],
  ])('tells no password in the error about %s', (_, args) => {
    const { code, out, err } = binary.run(args(url));
    expect([1, 2]).toContain(code);
    expect(out + err).not.toContain(PASSWORD);
    expect(err).toMatch(/^scree: /m);
    expect(err).not.toContain('should not have happened');
  });

  it('reads the password from a .pgpass file', () => {
    binary.write('pgpass', `127.0.0.1:*:*:reader:${PASSWORD}\n`);
    const mode = { before: 'chmod 600 pgpass', env: { PGPASSFILE: binary.path('pgpass') } };
    const { code, err } = binary.run(['fit', server.urlFor('reader'), '--member', 't', '--columns', 'x,y'], mode);
    expect({ code, err }).toMatchObject({ code: 0 });
  });

  it('takes host, user and database from PGHOST, PGPORT, PGUSER and PGDATABASE', () => {
    const env = {
      PGHOST: '127.0.0.1',
      PGPORT: String(server.port),
      PGUSER: 'reader',
      PGDATABASE: 'postgres',
      PGPASSWORD: PASSWORD,
    };
    const { code, err } = binary.run(['fit', 'postgres://', '--sql', 'SELECT x, y FROM t'], { env });
    expect({ code, err }).toMatchObject({ code: 0 });
  });

  const slow = ['--sql', 'SELECT x, y, pg_sleep(60)::text FROM t', '-o', 'never.json'];
  const reading = ['--member', 'large', '--solver', 'points', '-o', 'never.json'];
  const start = (
    args: readonly string[],
  ): { child: ReturnType<typeof spawn>; exit: Promise<number | null>; err: () => string } => {
    const child = spawn(process.execPath, [PROGRAM, 'fit', url, ...args], {
      cwd: binary.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr?.on('data', (text) => {
      err += text;
    });
    return { child, exit: new Promise((resolve) => child.on('exit', (code) => resolve(code))), err: () => err };
  };
  /** The server notices a killed client within two seconds, and its query must not be taken for that of the next command. */
  const isIdle = (): Promise<void> => expect.poll(() => server.activity(), { timeout: 8000 }).toEqual([]);
  const isActive = async (): Promise<void> => {
    while (!(await server.activity()).some((query) => /COPY/.test(query)))
      await new Promise((resolve) => setTimeout(resolve, 50));
  };

  it('continues from a checkpoint that has no password in it, unless the table has changed', async () => {
    const flags = [
      '--member',
      'large',
      '--weight',
      'c',
      '--checkpoint',
      'saved',
      '--every',
      '0',
      '-k',
      '1',
      '--bootstrap',
      '0',
      '--memory',
      '64MB',
    ];
    const { child, exit } = start(flags);
    while (!existsSync(binary.path('saved'))) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    await exit;
    const saved = readFileSync(binary.path('saved'));
    expect(saved.includes(PASSWORD)).toBe(false);
    expect(saved.includes('postgres://reader@127.0.0.1')).toBe(true);
    expect(binary.run(['fit', url, ...flags])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Going on after'),
    });
    writeFileSync(binary.path('saved'), saved);
    await owner.query("UPDATE large SET a = a + 1 WHERE ctid = '(0,1)'");
    expect(binary.run(['fit', url, ...flags])).toMatchObject({ code: 1, err: expect.stringMatching(/not those that/) });
    rmSync(binary.path('saved'));
  });

  it.each([
    ['Ctrl-C', 'SIGINT', 130, slow],
    ['Ctrl-C while rows are read', 'SIGINT', 130, reading],
    ['a killed command', 'SIGKILL', null, slow],
  ] as const)('the server stops its work after %s', async (_, signal, code, args) => {
    await isIdle();
    const { child, exit } = start(args);
    await isActive();
    child.kill(signal);
    expect(await exit).toBe(code);
    // After a kill the server finds out by itself, every two seconds.
    await expect.poll(() => server.activity(), { timeout: signal === 'SIGKILL' ? 8000 : 1000 }).toEqual([]);
    expect(readdirSync(binary.folder).filter((name) => name.startsWith('never'))).toEqual([]);
  });

  it.each([
    ['runs a query', slow],
    ['sends rows', reading],
  ] as const)('a server that dies while it %s is an error, and nothing is written', async (_, args) => {
    await isIdle();
    const { exit, err } = start(args);
    await isActive();
    await server.kill();
    try {
      expect(await exit).toBe(1);
      expect(err()).toMatch(/scree: .* ended the connection|scree: .*cannot be reached/);
      expect(err()).not.toContain(PASSWORD);
      expect(readdirSync(binary.folder).filter((name) => name.startsWith('never'))).toEqual([]);
    } finally {
      await server.start();
      owner = await server.connect();
    }
  });

  // The rows would take 160 MB.
  it.runIf(process.env.SCREE_FULL)(
    'fits a million rows of 20 columns in little memory',
    async () => {
      const columns = Array.from({ length: 20 }, (_, j) => `random() AS c${j}`).join(', ');
      await owner.query(`CREATE TABLE million AS SELECT ${columns} FROM generate_series(1, 1000000)`);
      const peakOf = (args: readonly string[]): number => {
        const report = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS))';
        const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}` };
        const { code, err } = binary.run(['fit', url, ...args, '-k', '3', '--threads', '1', '--bootstrap', '0'], {
          env,
        });
        expect({ code, err }).toMatchObject({ code: 0 });
        return 1024 * Number(/peak (\d+)/.exec(err)?.[1]);
      };
      const base = peakOf(['--member', 't']);
      expect(base).toBeGreaterThan(30e6);
      expect(peakOf(['--member', 'million']) - base).toBeLessThan(80e6);
      expect(peakOf(['--sql', 'SELECT * FROM million']) - base).toBeLessThan(80e6);
    },
    300_000,
  );
});

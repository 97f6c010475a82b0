import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Model, openFile, type PcaOptions, pca, principalAngles, sparkSource } from 'scree';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type SparkServer, sparkOf, startSpark } from '../../../../bench/spark-server.js';
import { PROGRAM, useBinary } from '../command/binary.js';
import { needSpark } from './need-spark.js';
import { certificate, TcpProxy } from './proxy.js';
import { bothModels, expectWithinCertificates, testRows, writeParquet } from './spark.js';

const python = needSpark();
const seed = Number(process.env.SCREE_SEED);
/** Size of the large table in gigabytes. */
const GIGABYTES = Number(process.env.SCREE_CLUSTER_GB ?? 2);
const LONG = 1_200_000;
/** Before version 4, Spark Connect has neither tokens nor Spark ML. The tests then start another Spark for Spark ML. */
const isOld = python !== undefined && sparkOf(python).version.startsWith('3.');
const loopback = { ...process.env, SPARK_LOCAL_IP: '127.0.0.1' };

const wide = (rows: number, cols: number, parts = 2): string =>
  `select transform(sequence(1, ${cols}), j -> sin(j * (id + 1) * 0.37) / (1 + j % 50)) v from range(0, ${rows}, 1, ${parts})`;

describe.skipIf(!python)('a Spark cluster', () => {
  // Nothing is created if the tests are skipped.
  const folder = python ? mkdtempSync(join(tmpdir(), 'scree-cluster-')) : '';
  const path = (name: string): string => join(folder, name);
  const all = (name: string): string => `select * from parquet.\`${path(name)}\``;
  const binary = python ? useBinary('spark') : (undefined as never);
  let server: SparkServer;

  beforeAll(async () => {
    await writeParquet(path('tall.parquet'), testRows({ rows: 50_000, cols: 20, seed }), 20);
    await writeParquet(path('far.parquet'), testRows({ rows: 20_000, cols: 6, seed: seed + 1, offset: 1e8 }), 6);
    // Streams end after two minutes, and are asked for again. Here it happens in every test.
    const settings = { 'spark.connect.execute.reattachable.senderMaxStreamDuration': '2s' };
    server = await startSpark(python as string, { mode: 'cluster', settings });
  }, LONG);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, LONG);

  const fit = async (
    sql: string,
    options: PcaOptions & { missing?: 'drop' | 'mean'; memory?: number } = {},
  ): Promise<Model> => {
    const { missing, memory = 2 ** 30, ...rest } = options;
    const source = await sparkSource({ url: server.url, sql, memory, ...(missing ? { missing } : {}) });
    return pca(source, { engine: 'spark', ...rest });
  };

  it.each([
    ['tall.parquet', { k: 5 }],
    ['tall.parquet', { k: 3, scale: 'unit', solver: 'krylov' }],
    ['far.parquet', { k: 3 }],
  ] as const)(
    'has the model of %s with %j, within the certificates',
    async (name, options) => {
      const { remote, local } = await bothModels(server.url, all(name), path(name), options);
      expectWithinCertificates(remote, local);
    },
    LONG,
  );

  it(
    'has 2000 columns of an array, merged here and on the executors',
    async () => {
      const here = await fit(wide(3000, 2000), { k: 3 });
      const there = await fit(wide(3000, 2000), { k: 3, memory: 2 ** 27 });
      const local = await pca(await sparkSource({ url: server.url, sql: wide(3000, 2000) }), { k: 3, engine: 'wasm' });
      expectWithinCertificates(here, local);
      expectWithinCertificates(there, local);
    },
    LONG,
  );

  it(
    'treats NULL and NaN as missing',
    async () => {
      const sql = `select if(id % 10 = 3, null, cast(id as double)) a, if(id % 10 = 5, double('nan'), sin(id)) b, cos(id) c from range(1000)`;
      await expect(fit(sql, { k: 1 })).rejects.toMatchObject({
        code: 'MISSING_VALUES',
        details: { affectedRows: 200 },
      });
      for (const missing of ['drop', 'mean'] as const) {
        const remote = await fit(sql, { k: 2, missing });
        const local = await fit(sql, { k: 2, missing, engine: 'wasm' });
        expectWithinCertificates(remote, local);
        expect(remote.warnings).toEqual(local.warnings);
      }
    },
    LONG,
  );

  it(
    'is right on sparse data far from zero, where the PCA of Spark is not',
    async () => {
      const zeros = Array.from({ length: 24 }, (_, j) => `0D z${j}`).join(', ');
      const far = Array.from({ length: 6 }, (_, j) => `1e8 + sin(id * ${j + 1}) * ${6 - j} + cos(id) f${j}`).join(', ');
      const sql = `select ${far}, ${zeros} from range(20000)`;
      const exact = await pca(await sparkSource({ url: server.url, sql }), { k: 3, engine: 'wasm', solver: 'svd' });
      const ours = await fit(sql, { k: 3 });
      expectWithinCertificates(ours, exact);
      const script = fileURLToPath(new URL('../../../../bench/spark_peer.py', import.meta.url));
      const spark = isOld ? 'local[1]' : server.url;
      const printed = execFileSync(python as string, [script, spark, sql, '3'], {
        encoding: 'utf8',
        env: loopback,
      });
      const theirs = JSON.parse(printed.trim().split('\n').at(-1) as string) as { components: number[][] };
      const components = { rows: 3, cols: 30, data: Float64Array.from(theirs.components.flat()) };
      const angle = Math.max(...principalAngles(components, exact.components));
      process.stderr.write(
        `sparse far data: Spark's PCA is ${angle.toFixed(2)} rad off, scree ${Math.max(...principalAngles(ours.components, exact.components)).toExponential(1)}\n`,
      );
      expect(angle).toBeGreaterThan(0.1);
    },
    LONG,
  );

  it(
    'reads the vectors of Spark ML',
    async () => {
      const sql = 'select id % 7 a, id % 11 b, id % 5 c from range(1000)';
      const spark = isOld ? 'local[1]' : server.url;
      execFileSync(python as string, ['-c', SAVE_VECTORS, spark, sql, path('vectors')], { env: loopback });
      expectWithinCertificates(await fit(all('vectors'), { k: 2 }), await fit(sql, { k: 2, engine: 'wasm' }));
    },
    LONG,
  );

  it(
    'has the same model where an executor is killed meanwhile',
    async () => {
      // Enough partitions for some to be unfinished.
      const sql = wide(24_000, 300, 24);
      const expected = await fit(sql, { k: 3 });
      const source = await sparkSource({ url: server.url, sql });
      let killed: number | undefined;
      const model = await pca(source, {
        k: 3,
        engine: 'spark',
        onProgress: () => {
          if (killed !== undefined) return;
          [killed] = server.executors();
          if (killed !== undefined) process.kill(killed, 'SIGKILL');
        },
      });
      expect(killed).toBeDefined();
      expect(server.executors()).not.toContain(killed);
      expectWithinCertificates(model, expected);
    },
    LONG,
  );

  it(
    'has the same model where the connection is cut meanwhile, and computes nothing twice',
    async () => {
      const sql = wide(24_000, 300, 24);
      const proxy = await TcpProxy.start(server.url);
      onTestFinished(() => proxy.stop());
      const jobsOf = async (cutting: () => void): Promise<{ model: Model; jobs: number }> => {
        const before = await server.jobs();
        const source = await sparkSource({ url: proxy.url, sql });
        const model = await pca(source, { k: 3, engine: 'spark', onProgress: cutting });
        return { model, jobs: (await server.jobs()) - before };
      };
      const whole = await jobsOf(() => {});
      const connections = proxy.connections;
      let reports = 0;
      const cut = await jobsOf(() => {
        if (++reports <= 3) proxy.cut();
      });
      // The first connection, and one after each cut; reports may come so close that they cut the same one.
      expect(proxy.connections - connections).toBeGreaterThan(1);
      expect(cut.jobs).toBe(whole.jobs);
      expectWithinCertificates(cut.model, whole.model);
    },
    LONG,
  );

  it(
    'reads every row once where the connection is cut in the middle of a result',
    async () => {
      const proxy = await TcpProxy.start(server.url);
      onTestFinished(() => proxy.stop());
      const source = await sparkSource({ url: proxy.url, sql: all('tall.parquet') });
      const { connections } = proxy;
      // 50,000 rows of 20 numbers are 8 MB: cut five times, wherever a message happens to be.
      let next = 1e6;
      proxy.onBytes = (bytes) => {
        if (bytes < next || next > 6e6) return;
        next = bytes + 1e6;
        proxy.cut();
      };
      const model = await pca(source, { k: 5, engine: 'wasm' });
      expect(proxy.connections - connections).toBeGreaterThan(1);
      const file = await openFile(path('tall.parquet'));
      expectWithinCertificates(model, await pca(file.source, { k: 5 }));
      await file.close();
    },
    LONG,
  );

  it(
    'is reached over TLS',
    async ({ skip }) => {
      const tls = certificate(folder);
      if (!tls) return skip('there is no openssl here');
      const proxy = await TcpProxy.start(server.url, tls);
      onTestFinished(() => proxy.stop());
      // Not spawnSync: the proxy is in this process.
      const run = async (env: NodeJS.ProcessEnv): Promise<{ code: number | null; text: string }> => {
        const sql = 'select id % 7 a, id % 11 b, id % 13 c from range(3000)';
        const words = ['fit', `${proxy.url}/;use_ssl=true`, '--sql', sql, '-k', '2', '--engine', 'spark', '--json'];
        const started = spawn(process.execPath, [PROGRAM, ...words], { env: { ...process.env, ...env } });
        let text = '';
        for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (text += chunk));
        const code = await new Promise<number | null>((resolve) => started.on('close', resolve));
        return { code, text };
      };
      expect(await run({})).toMatchObject({ code: 1, text: expect.stringMatching(/cannot be reached over TLS/) });
      expect(await run({ NODE_EXTRA_CA_CERTS: path('cert.pem') })).toMatchObject({ code: 0 });
    },
    LONG,
  );

  it(
    'leaves no task running when it is aborted',
    async () => {
      const controller = new AbortController();
      const source = await sparkSource({ url: server.url, sql: wide(100_000_000, 200) });
      const fitting = pca(source, { k: 1, engine: 'spark', signal: controller.signal });
      fitting.catch(() => {});
      await expect.poll(() => server.activeTasks(), { timeout: 120_000 }).toBeGreaterThan(0);
      controller.abort();
      await expect(fitting).rejects.toMatchObject({ name: 'AbortError' });
      await expect.poll(() => server.activeTasks(), { timeout: 30_000, interval: 500 }).toBe(0);
    },
    LONG,
  );

  it(
    'writes scores into a table, and refuses one that is there',
    async () => {
      const sql =
        'select id, cast(id % 97 as double) a, sin(id) b, cos(3 * id) c, date_add(date"2026-01-01", 3) day from range(4000)';
      const run = (...args: string[]): ReturnType<typeof spawnSync> =>
        spawnSync(process.execPath, [PROGRAM, ...args], { cwd: binary.folder, encoding: 'utf8', timeout: 600_000 });
      const fitted = run('fit', server.url, '--sql', sql, '--exclude', 'id', '-k', '2', '-o', 'model.json');
      expect(fitted.status, String(fitted.stderr)).toBe(0);
      const into = [
        'transform',
        'model.json',
        server.url,
        '--sql',
        sql,
        '--into',
        'scores',
        '--with',
        'scores,error,t2',
      ];
      const written = run(...into);
      expect(written.stderr).toMatch(/4,000 rows of 6 columns \(id, day, PC1, PC2, error, t2\)/);
      const back = await openFile(server.url, { member: 'scores', exclude: ['id'] });
      const model = await pca(back.source, { k: 2, engine: 'wasm' });
      await back.close();
      expect(model.columnNames).toEqual(['PC1', 'PC2', 'error', 't2']);
      expect(run(...into)).toMatchObject({ status: 1, stderr: expect.stringMatching(/has a table of that name/) });
    },
    LONG,
  );

  it(
    `takes less than 500 MB here for a table of ${GIGABYTES} GB`,
    async () => {
      const cols = 100;
      const rows = Math.round((GIGABYTES * 2 ** 30) / 8 / cols);
      const sql = `select transform(sequence(1, ${cols}), j -> cast((id * j) % 1009 + j as double)) v from range(0, ${rows}, 1, 16)`;
      const program = `import { pca, sparkSource } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const source = await sparkSource({ url: process.argv[1], sql: process.argv[2] });
      const start = performance.now();
      const { n } = await pca(source, { k: 5, engine: 'spark' });
      console.log(JSON.stringify({ n, seconds: (performance.now() - start) / 1000, kilobytes: process.resourceUsage().maxRSS }));`;
      const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program, server.url, sql], {
        encoding: 'utf8',
      });
      const { n, seconds, kilobytes } = JSON.parse(printed) as { n: number; seconds: number; kilobytes: number };
      process.stderr.write(`${GIGABYTES} GB: ${seconds.toFixed(0)} s, ${Math.round(kilobytes / 1024)} MB\n`);
      expect(n).toBe(rows);
      expect(kilobytes / 1024).toBeLessThan(500);
    },
    LONG,
  );
});

const SAVE_VECTORS = `
import sys
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
url = sys.argv[1]
spark = (SparkSession.builder.remote(url) if url.startswith("sc://") else SparkSession.builder.master(url)).getOrCreate()
data = spark.sql(sys.argv[2])
VectorAssembler(inputCols=data.columns, outputCol="v").transform(data).select("v").write.parquet(sys.argv[3])
spark.stop()
`;

describe.skipIf(!python)('a Spark with a token, whose executors have no numpy', () => {
  const folder = python ? mkdtempSync(join(tmpdir(), 'scree-bare-')) : '';
  let server: SparkServer;

  beforeAll(async () => {
    execFileSync(python as string, ['-m', 'venv', '--without-pip', folder]);
    server = await startSpark(python as string, {
      mode: 'local',
      token: 'hush',
      executorPython: join(folder, 'bin', 'python'),
    });
  }, LONG);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, LONG);

  it.skipIf(isOld)(
    'refuses no token and a wrong one, and says neither',
    async () => {
      for (const after of ['', '/;token=other-secret']) {
        const error = await sparkSource({ url: server.url + after, sql: 'select 1 a' }).catch(
          (problem: unknown) => problem,
        );
        expect(error).toMatchObject({ code: 'NO_ACCESS' });
        expect(String(error)).not.toMatch(/hush|other-secret/);
      }
    },
    LONG,
  );

  it(
    'reads rows over the network, and says why',
    async () => {
      const sql = 'select id % 7 a, id % 11 b, id % 13 c from range(3000)';
      const model = await pca(await sparkSource({ url: `${server.url}/;token=hush`, sql }), { k: 2 });
      const rows = Array.from({ length: 3000 }, (_, id) => [id % 7, id % 11, id % 13]);
      expectWithinCertificates(model, await pca(rows, { k: 2 }));
      expect(model.warnings).toContainEqual(
        expect.objectContaining({
          code: 'ENGINE_FALLBACK',
          message: expect.stringMatching(/lack the Python package (numpy|pyarrow)/),
        }),
      );
    },
    LONG,
  );
});

describe.skipIf(!python)('a Spark whose executors have no Python', () => {
  let server: SparkServer;

  beforeAll(async () => {
    server = await startSpark(python as string, { mode: 'local', executorPython: '/nowhere/python3' });
  }, LONG);
  afterAll(() => server?.stop(), LONG);

  it(
    'reads rows over the network, and says why',
    async () => {
      const sql = 'select id % 7 a, id % 11 b, id % 13 c from range(3000)';
      const model = await pca(await sparkSource({ url: server.url, sql }), { k: 2 });
      expect(model.n).toBe(3000);
      expect(model.warnings).toContainEqual(
        expect.objectContaining({ code: 'ENGINE_FALLBACK', message: expect.stringMatching(/have no Python/) }),
      );
    },
    LONG,
  );
});

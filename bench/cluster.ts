import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, type Matrix, openFile, pca, principalAngles, sparkSource } from 'scree';
import { readArguments } from './arguments.js';
import { fillPage } from './fill-page.js';
import { count, milliseconds, scientific, table, times } from './format.js';
import { spread } from './measure.js';
import { type ClusterResult, type ClusterRow, save, saved } from './results.js';
import { sparkOf, startSpark } from './spark-server.js';
import { temporaryFolder } from './temporary.js';

/**
 * Scree beside Spark's own PCA on the same Spark, a master and two workers with one core each, and dask-ml on the same files. It starts that Spark and stops it.
 * Times are from connecting to components, with reading the file. Writes its table into docs/scale.md.
 */

const { quick, reportOnly } = readArguments(process.argv.slice(2));
const ROUNDS = quick ? 1 : 3;
const SPARK = 'spark-4.3';

interface Shape {
  readonly name: string;
  readonly rows: number;
  readonly cols: number;
  readonly k: number;
  /** Entry of row i and column j, from a random number in (−½, ½) and the entry before. */
  entry(i: number, j: number, random: number, before: number): number;
}

/** Variances fall, and every column goes with the one before. */
function falling(all: number, cols: number): Shape {
  const rows = quick ? Math.max(all / 50, 2 * cols) : all;
  const entry: Shape['entry'] = (_, j, random, before) => random * 0.95 ** (j % 60) + (j > 0 ? 0.3 * before : 0);
  return { name: `${count(rows)} × ${count(cols)}`, rows, cols, k: 10, entry };
}

const SHAPES: readonly Shape[] = [
  falling(1_000_000, 20),
  falling(1_000_000, 100),
  falling(200_000, 300),
  falling(20_000, 2000),
  {
    name: '20,000 × 30, six columns at 1e8, the others zero',
    rows: 20_000,
    cols: 30,
    k: 3,
    entry: (i, j) => (j < 6 ? 1e8 + Math.sin(i * (j + 1)) * (6 - j) + Math.cos(i) : 0),
  },
];

const folder = temporaryFolder();
const failures: string[] = [];
const result = (reportOnly ? saved<ClusterResult>('cluster', quick) : undefined) ?? (await measureAll());
save('cluster', result, quick);
fillPage({ cluster: section(result) }, quick);
process.exit();

async function measureAll(): Promise<ClusterResult> {
  const [spark, dask] = [environmentOf(SPARK), environmentOf('dask')];
  const server = await startSpark(spark, { mode: 'cluster' });
  try {
    const rows: ClusterRow[] = [];
    for (const shape of SHAPES) rows.push(await measure(shape, { spark, dask, url: server.url }));
    const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores, with a load average of ${loadavg()[0].toFixed(1)}`;
    const versions = `Node ${process.version}, Spark ${sparkOf(spark).version}, dask-ml ${versionOf(dask, 'dask-ml')}`;
    const conditions = `Measured on ${new Date().toISOString().slice(0, 10)} on ${machine}; ${versions}.`;
    return { conditions, rows, failures };
  } finally {
    await server.stop();
  }
}

/** The table of docs/scale.md. */
function section({ conditions, rows, failures: failed }: ClusterResult): string[] {
  const time = ({ scree, ...others }: ClusterRow, who: 'spark' | 'dask'): string => {
    const other = others[who];
    return other ? `${milliseconds(other.time.median)} (${times(other.time.median / scree.time.median)})` : 'failed';
  };
  return [
    conditions,
    '',
    ...table(
      ['data', 'scree on the executors', 'Spark ML', 'dask-ml', 'angle: scree', 'Spark ML', 'dask-ml'],
      rows.map((row) => [
        row.name,
        milliseconds(row.scree.time.median),
        time(row, 'spark'),
        time(row, 'dask'),
        ...[row.scree, row.spark, row.dask].map((each) => scientific(each?.angle)),
      ]),
    ),
    ...failed.flatMap((why) => ['', why]),
  ];
}

/** The Pythons of the peers, and the Spark that runs. */
interface Peers {
  readonly spark: string;
  readonly dask: string;
  readonly url: string;
}

async function measure(shape: Shape, { spark, dask, url }: Peers): Promise<ClusterRow> {
  const { name, cols, k } = shape;
  const path = join(folder, 'data.parquet');
  await makeData(path, shape);
  const file = await openFile(path);
  const exact = await pca(file.source, { k });
  await file.close();
  const angle = (components: Matrix): number => Math.max(...principalAngles(components, exact.components));
  const sql = `select * from parquet.\`${path}\``;
  const contenders: [string, () => Promise<Fit>][] = [
    ['scree', () => ours(url, sql, k)],
    ['Spark ML', async () => peerFit(spark, 'spark_peer.py', cols, url, sql, String(k))],
    ['dask-ml', async () => peerFit(dask, 'dask_peer.py', cols, path, String(k))],
  ];
  const samples = contenders.map((): number[] => []);
  const angles: number[] = [];
  // The first round warms up: Java compiles what it runs often.
  for (let round = quick ? 1 : 0; round <= ROUNDS; round++) {
    for (const [i, [who, run]] of contenders.entries()) {
      try {
        const { components, seconds } = await run();
        if (round > 0) samples[i].push(seconds * 1000);
        angles[i] = angle(components);
      } catch (error) {
        const why = `${who} failed on ${name}: ${error instanceof Error ? error.message : error}`;
        if (!failures.includes(why)) failures.push(why);
        console.log(`  !! ${why}`);
      }
    }
  }
  rmSync(path);
  const cells = samples.map((each, i) => (each.length === 0 ? undefined : { time: spread(each), angle: angles[i] }));
  const [scree, sparkMl, daskMl] = cells;
  if (!scree) throw new Error(`scree failed on ${name}`);
  contenders.forEach(([who], i) => {
    const cell = cells[i];
    if (cell) console.log(`  ${name}, ${who}: ${milliseconds(cell.time.median)}, ${scientific(cell.angle)} rad`);
  });
  return { name, scree, ...(sparkMl ? { spark: sparkMl } : {}), ...(daskMl ? { dask: daskMl } : {}) };
}

interface Fit {
  readonly components: Matrix;
  readonly seconds: number;
}

async function ours(url: string, sql: string, k: number): Promise<Fit> {
  const start = performance.now();
  const source = await sparkSource({ url, sql });
  const { components } = await pca(source, { k, engine: 'spark' });
  return { components, seconds: (performance.now() - start) / 1000 };
}

/** The fit of a Python script, by its own clock. */
function peerFit(python: string, script: string, cols: number, ...parameters: string[]): Fit {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const { stdout, status, stderr } = spawnSync(python, [file, ...parameters], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  const { seconds, components } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    seconds: number;
    components: number[][];
  };
  return { seconds, components: { rows: components.length, cols, data: Float64Array.from(components.flat()) } };
}

/** Rows in parts, so that they need not fit into memory. */
async function makeData(path: string, { rows, cols, entry }: Shape): Promise<void> {
  const columnNames = Array.from({ length: cols }, (_, j) => `x${j}`);
  const writer = await createFile(path, { cols, columnNames, dtype: 'float64' });
  let state = 1;
  for (let first = 0; first < rows; first += 10_000) {
    const part = Math.min(10_000, rows - first);
    const data = new Float64Array(part * cols);
    for (let at = 0; at < data.length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const [i, j] = [first + Math.floor(at / cols), at % cols];
      data[at] = entry(i, j, state / 2 ** 32 - 0.5, data[at - 1] ?? 0);
    }
    await writer.write({ rows: part, cols, data });
  }
  await writer.close();
}

/** The Python of an environment that the tests of clusters use too; made where it is not there. */
function environmentOf(name: string): string {
  const tests = new URL('../../test/cluster/', import.meta.url);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL('run.js', tests)), '--make', name], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${name} could not be set up`);
  return fileURLToPath(new URL(`.venv-${name}/bin/python`, tests));
}

function versionOf(python: string, name: string): string {
  const program = 'import sys, importlib.metadata; print(importlib.metadata.version(sys.argv[1]))';
  return spawnSync(python, ['-c', program, name], { encoding: 'utf8' }).stdout.trim();
}

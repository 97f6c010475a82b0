/**
 * Scree beside Spark's own PCA on the same Spark, and dask-ml on the same files:
 *
 *     node bench/cluster.js sc://127.0.0.1:15002 PYTHON [DASK_PYTHON] [--quick]
 *
 * PYTHON has pyspark with Spark Connect (test/cluster/.venv-spark/bin/python after `npm run test:cluster`), DASK_PYTHON has dask-ml; without it that column is
 * empty. The files are read by Spark's executors, so the server must be on this machine. Prints a table for docs/benchmarks.md. Each figure is the median of three, in seconds, with
 * reading the file.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFile, openFile, pca, principalAngles, sparkSource } from '../packages/scree/dist/index.js';

const [url, python, dask] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
if (!url || !python) {
  console.error('Usage: node bench/cluster.js sc://127.0.0.1:15002 PYTHON [DASK_PYTHON] [--quick]');
  process.exit(2);
}
const quick = process.argv.includes('--quick');
const SHAPES = [
  [1_000_000, 20],
  [1_000_000, 100],
  [200_000, 300],
  [20_000, 2000],
].map(([rows, cols]) => [quick ? rows / 50 : rows, cols]);
const K = 10;
const ROUNDS = quick ? 1 : 3;
const folder = mkdtempSync(join(tmpdir(), 'scree-bench-'));

/** Rows with variances that fall, in parts, so that they need not fit into memory. */
async function makeData(path, rows, cols) {
  const columnNames = Array.from({ length: cols }, (_, j) => `x${j}`);
  const writer = await createFile(path, { cols, columnNames, dtype: 'float64' });
  let state = 1;
  for (let first = 0; first < rows; first += 10_000) {
    const count = Math.min(10_000, rows - first);
    const data = new Float64Array(count * cols);
    for (let at = 0; at < data.length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      data[at] = (state / 2 ** 32 - 0.5) * 0.95 ** ((at % cols) % 60) + (at % cols > 0 ? 0.3 * data[at - 1] : 0);
    }
    await writer.write({ rows: count, cols, data });
  }
  await writer.close();
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Seconds of a Python script's fit, and its components. */
function peer(program, script, ...parameters) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { stdout, status, stderr } = spawnSync(program, [file, ...parameters], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) return { failed: stderr.trim().split('\n').at(-1) };
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const seconds = (value) => (value === undefined ? '' : value.toFixed(1));
const radians = (value) => (value === undefined ? '' : value.toExponential(0));
console.log('| rows × columns | scree on the executors | angle | Spark ML | angle | dask-ml | angle |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
try {
  for (const [rows, cols] of SHAPES) {
    const path = join(folder, `${rows}x${cols}.parquet`);
    await makeData(path, rows, cols);
    const sql = `select * from parquet.\`${path}\``;
    const file = await openFile(path);
    const exact = await pca(file.source, { k: K });
    await file.close();
    const angle = (components) =>
      components &&
      Math.max(...principalAngles({ rows: K, cols, data: Float64Array.from(components.flat()) }, exact.components));
    const times = { scree: [], spark: [], dask: [] };
    let [ours, spark, other] = [undefined, {}, {}];
    for (let round = 0; round < ROUNDS; round++) {
      const source = await sparkSource({ url, sql });
      const start = performance.now();
      ours = await pca(source, { k: K, engine: 'spark' });
      times.scree.push((performance.now() - start) / 1000);
      spark = peer(python, 'spark_peer.py', url, sql, String(K));
      if (spark.seconds !== undefined) times.spark.push(spark.seconds);
      if (dask) other = peer(dask, 'dask_peer.py', path, String(K));
      if (other.seconds !== undefined) times.dask.push(other.seconds);
    }
    const own = Math.max(...principalAngles(ours.components, exact.components));
    const cells = [
      [median(times.scree), own],
      [median(times.spark), angle(spark.components)],
      [median(times.dask), angle(other.components)],
    ];
    console.log(
      `| ${rows} × ${cols} | ${cells.map(([time, turn]) => `${seconds(time)} | ${radians(turn)}`).join(' | ')} |`,
    );
    for (const { failed } of [spark, other]) if (failed) console.error(failed);
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

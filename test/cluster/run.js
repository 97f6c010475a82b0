/**
 * `npm run test:cluster`: the tests of Spark with a real Spark, a master and two workers on this machine, and with Sail.
 * `npm run test:cluster -- 4.0 3.5` takes these versions of Spark, one after the other. Needs Java 17, Python 3.10 or newer and, the first time, PyPI (and
 * for Spark 3.5 Maven's): every one goes into an environment of its own, test/cluster/.venv-…. `--make NAME` makes an environment and tests nothing;
 * `--make sail` is the small one, which `npm test` uses too where it is there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CONNECT = ['grpcio', 'grpcio-status', 'googleapis-common-protos', 'zstandard'];
/** Environments and their packages, the newest Spark first. Spark does not support pandas 3 yet, and Spark 3.5 not NumPy 2. */
const ENVIRONMENTS = {
  'spark-4.3': ['pyspark==4.3.0', 'numpy', 'pyarrow', 'pandas<3', ...CONNECT],
  'spark-4.0': ['pyspark==4.0.5', 'numpy', 'pyarrow', 'pandas<3', ...CONNECT],
  'spark-3.5': ['pyspark==3.5.7', 'numpy<2', 'pyarrow<20', 'pandas<2.3', ...CONNECT],
  sail: ['pysail', 'pyspark-client', 'numpy', 'pyarrow', 'pandas'],
  // For bench/cluster.ts.
  dask: ['dask-ml', 'dask[dataframe]', 'pyarrow'],
};
const names = Object.keys(ENVIRONMENTS);
const versions = names.filter((name) => name.startsWith('spark-')).map((name) => name.slice('spark-'.length));

/** The Python of an environment, which is made where it is not there. */
function environment(name) {
  const folder = fileURLToPath(new URL(`./.venv-${name}`, import.meta.url));
  const python = `${folder}/bin/python`;
  if (existsSync(python)) return python;
  const packages = ENVIRONMENTS[name];
  console.log(`setting up ${packages[0]} in test/cluster/.venv-${name} (once)`);
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' });
  } catch (error) {
    // Half an environment would be taken for a whole one the next time.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return python;
}

/** Runs the tests; whether they passed. */
function test(folder, spark) {
  const env = { ...process.env, SCREE_CLUSTER: '1', SCREE_SAIL_PYTHON: sail(), SCREE_SPARK_PYTHON: spark };
  return spawnSync('npx', ['vitest', 'run', folder], { stdio: 'inherit', env }).status === 0;
}

function sail() {
  return process.env.SCREE_SAIL_PYTHON ?? environment('sail');
}

const make = process.argv[2] === '--make';
const words = process.argv.slice(make ? 3 : 2);
const known = make ? names : versions;
const unknown = words.find((word) => !known.includes(word));
if (unknown !== undefined || (make && words.length === 0)) {
  console.error(`${unknown === undefined ? 'Name one' : `There is no ${unknown}`}: ${known.join(', ')}.`);
  process.exitCode = 2;
} else if (make) words.forEach(environment);
else {
  const [first = versions[0], ...others] = words;
  const folder = 'packages/scree/test/cluster/';
  // What does not differ between the versions of Spark runs once.
  const passed = [
    test(folder, process.env.SCREE_SPARK_PYTHON ?? environment(`spark-${first}`)),
    ...others.map((version) => test(`${folder}spark-cluster`, environment(`spark-${version}`))),
  ];
  process.exitCode = passed.every(Boolean) ? 0 : 1;
}

/**
 * `npm run test:cluster`: the tests of Spark with a real Spark, a master and two workers on this machine, and with Sail. Needs Java 17, Python 3.10 or newer and, the
 * first time, PyPI: both go into environments of their own, test/cluster/.venv-sail and .venv-spark. `--sail` makes only the small one, which `npm test` uses
 * too where it is there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SAIL = ['pysail', 'pyspark-client', 'numpy', 'pyarrow', 'pandas'];
const SPARK = [
  'pyspark==4.3.0',
  'numpy',
  'pyarrow',
  'pandas',
  'grpcio',
  'grpcio-status',
  'googleapis-common-protos',
  'zstandard',
];

/** The Python of an environment, which is made where it is not there. */
function environment(name, packages) {
  const folder = fileURLToPath(new URL(`./.venv-${name}`, import.meta.url));
  const python = `${folder}/bin/python`;
  if (existsSync(python)) return python;
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

const sail = process.env.SCREE_SAIL_PYTHON ?? environment('sail', SAIL);
if (!process.argv.includes('--sail')) {
  const spark = process.env.SCREE_SPARK_PYTHON ?? environment('spark', SPARK);
  const env = { ...process.env, SCREE_CLUSTER: '1', SCREE_SAIL_PYTHON: sail, SCREE_SPARK_PYTHON: spark };
  const { status } = spawnSync('npx', ['vitest', 'run', 'packages/scree/test/cluster/'], { stdio: 'inherit', env });
  process.exitCode = status ?? 1;
}

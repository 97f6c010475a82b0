import { execFileSync } from 'node:child_process';

/** The Python of a real Spark, if the tests of a cluster were requested: `npm run test:cluster`. */
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

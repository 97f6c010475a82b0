import fc from 'fast-check';
import { openForTests, quickChecks } from './grid.js';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Runs the checks in Node on the given GPU, and prints a line per check. Returns the number of failed checks. */
export async function runInNode(gpu: GPU, names: readonly string[]): Promise<number> {
  fc.configureGlobal({ seed: Number(process.env.SCREE_SEED ?? 1), numRuns: 4 });
  const opened = await openForTests(gpu);
  print(`device: ${opened.gpu.adapter}, ${opened.gpu.arithmetic.sum} ${opened.gpu.arithmetic.product}`);
  let failed = 0;
  for (const name of names) {
    try {
      await quickChecks[name](opened);
      print(`passed: ${name}`);
    } catch (error) {
      failed++;
      print(`failed: ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  opened.gpu.close();
  return failed;
}

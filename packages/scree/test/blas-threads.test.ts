import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pca } from 'scree';
import { describe, expect, it } from 'vitest';
import type { Library } from '../src/blas/library.js';
import { ThreadSetting } from '../src/blas/thread-setting.js';

function setting(threads: number): { setting: ThreadSetting; set: number[] } {
  const set: number[] = [];
  const library = { kind: 'OpenBLAS', threads: () => threads, setThreads: (count: number) => set.push(count) };
  return { setting: new ThreadSetting(library as unknown as Library), set };
}

describe('threads of the library', () => {
  it('are one per call if Node can run enough calls at the same time', async () => {
    const { setting: few, set } = setting(4);
    expect(few.lanes).toBe(4);
    let [running, most] = [0, 0];
    const call = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    };
    await Promise.all(Array.from({ length: 4 }, () => few.run(false, call)));
    expect([most, set]).toEqual([4, [1]]);
  });

  it('are used together by one large call if there are more threads than simultaneous calls', async () => {
    const { setting: many, set } = setting(16);
    expect([many.lanes, many.many]).toEqual([4, true]);
    await many.run(true, async () => {});
    await many.run(false, async () => {});
    // One core packs the next tile.
    expect(set).toEqual([15, 1]);
  });
});

describe("engine: 'auto'", () => {
  it('chooses the same engine and solver for any number of threads', async () => {
    const [rows, cols] = [6000, 300];
    const data = Float32Array.from({ length: rows * cols }, (_, i) => Math.sin(i * i) / (1 + (i % cols)));
    const plans = [];
    for (const threads of [1, 2, 3, 8]) plans.push((await pca({ rows, cols, data }, { k: 10, threads })).plan);
    for (const plan of plans) expect(plan).toEqual(plans[0]);
  });
});

/** Libraries to test: those that SCREE_TEST_BLAS names, and the library that a fit would use. The wheels of NumPy and MKL are good candidates. */
const libraries = [...(process.env.SCREE_TEST_BLAS?.split(delimiter) ?? []), ''];

describe.each(libraries)('the library %j', (path) => {
  it('computes the same components on 1, 3 and 8 threads, and has 8 threads on request', () => {
    const program = `
      import { readdirSync } from 'node:fs';
      import { blasEngine, pca, referenceEngine, doctor } from 'scree';
      const [rows, cols] = [4000, 520];
      const data = { rows, cols, data: Float64Array.from({ length: rows * cols }, (_, i) => Math.sin(i * i) / (1 + (i % cols))) };
      const tasks = () => { try { return readdirSync('/proc/self/task').length; } catch { return undefined; } };
      const found = await blasEngine();
      if (!found) { console.log('null'); process.exit(); }
      const truth = await pca(data, { k: 3, engine: referenceEngine(), solver: 'covariance' });
      const worst = [];
      const before = tasks();
      for (const threads of [1, 3, 8]) {
        const model = await pca(data, { k: 3, engine: 'blas', threads, solver: 'covariance' });
        worst.push(Math.max(...model.components.data.map((value, i) => Math.abs(value - truth.components.data[i]))));
      }
      console.log(JSON.stringify({ worst, started: tasks() === undefined ? undefined : tasks() - before }));
      process.exit();
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      env: { ...process.env, ...(path === '' ? {} : { SCREE_BLAS: path }) },
    });
    const found = JSON.parse(printed) as { worst: number[]; started?: number } | null;
    if (!found) {
      process.stderr.write(`SKIPPED: blas, ${path || 'no library'} cannot be used here\n`);
      return;
    }
    for (const difference of found.worst) expect(difference).toBeLessThan(1e-11);
    // The library starts its threads at their first use: at least three more than the four of Node.
    if (found.started !== undefined) expect(found.started).toBeGreaterThanOrEqual(3);
  });
});

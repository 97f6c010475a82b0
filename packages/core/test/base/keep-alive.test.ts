import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { Moments, pca, stream } from '../../src/index.js';

const rows = Array.from({ length: 12 }, (_, i) => [Math.sin(i), Math.cos(2 * i), Math.sin(3 * i + 1)]);
const model = await pca(rows, { k: 2 });

afterEach(() => vi.restoreAllMocks());

it.each([
  // A stream, because fits of small data in memory are synchronous.
  ['pca', () => pca(rows.values(), { k: 2 })],
  ['transform', () => model.transform(rows)],
  ['inverseTransform', () => model.inverseTransform([[1, 2]])],
  ['reconstructionError', () => model.reconstructionError(rows)],
  ['Moments.add', () => new Moments(3).add(rows)],
  ['Stream.add', () => stream({ k: 2 }).add(rows)],
  ['a call that fails', () => pca([[Number.NaN, 1]].values()).catch(() => {})],
])('%s keeps the event loop running while it is pending', async (_, work) => {
  const set = vi.spyOn(globalThis, 'setInterval');
  const clear = vi.spyOn(globalThis, 'clearInterval');
  const pending = work();
  const timer = set.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(true);
  expect(clear).not.toHaveBeenCalledWith(timer);
  await pending;
  expect(clear).toHaveBeenCalledWith(timer);
});

/** Runs a program in a separate process with the built package. Returns its output. */
function run(code: string): string {
  const index = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
  const program = `const { pca } = await import(${JSON.stringify(index)});
    const kinds = () => process.getActiveResourcesInfo().sort().join();
    const data = { rows: 4000, cols: 150, data: Float64Array.from({ length: 600_000 }, (_, i) => Math.sin(i * i)) };
    ${code}`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
}

it('a program that awaits only a promise of the library waits for it and then exits', () => {
  expect(run("pca(data, { k: 3, threads: 2 }).then(() => console.log('done'));")).toBe('done\n');
});

it('workers are referenced only while they have jobs', () => {
  const printed = run(`const during = new Set();
    await pca(data, { k: 3, threads: 2, solver: 'covariance', onProgress: () => during.add(kinds()) });
    // Longer than the idle time that keeps Node 20 running.
    await new Promise((resolve) => setTimeout(resolve, 500));
    console.log(JSON.stringify([[...during], kinds()]));`);
  const [during, after] = JSON.parse(printed) as [string[], string];
  for (const kinds of during) expect(kinds).toContain('Timeout');
  expect(after).not.toMatch(/Timeout|Worker|MessagePort/);
});

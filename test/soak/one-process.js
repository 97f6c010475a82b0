/**
 * Many fits in one process: one after the other, aborted, and at the same time; and how much memory and how many handles
 * are left after each part. The first part warms up, so growth is counted from its end.
 *
 *     npm run soak:process
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    fits: { type: 'string', default: '1000' },
    aborts: { type: 'string', default: '500' },
    concurrent: { type: 'string', default: '300' },
    packages: { type: 'string', default: fileURLToPath(new URL('../../packages', import.meta.url)) },
  },
});
const { pca } = await import(join(values.packages, 'core/dist/index.js'));

function matrix(rows, cols, seed) {
  const data = new Float64Array(rows * cols);
  let state = seed;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state / 2 ** 32;
  }
  return { rows, cols, data };
}

/** Solvers and shapes in turn; those with many rows use threads. */
const SHAPES = [
  { rows: 120, cols: 20, options: { k: 5 } },
  { rows: 4000, cols: 120, options: { k: 5, solver: 'covariance' } },
  { rows: 60, cols: 500, options: { k: 3, solver: 'dual' } },
  { rows: 2000, cols: 200, options: { k: 4, solver: 'krylov', tolerance: 1e-3 } },
];
const data = SHAPES.map(({ rows, cols }, i) => matrix(rows, cols, i + 1));
const fitOne = (i, more) => pca(data[i % data.length], { ...SHAPES[i % SHAPES.length].options, ...more });

/** Memory in MB, file descriptors, and the handles and requests that keep the event loop running. */
async function measure() {
  // Node 20 is kept running for 20 ms after the last fit.
  await wait(200);
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await wait(50);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const mb = (bytes) => Math.round(bytes / 2 ** 20);
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : Number.NaN;
  const handles = process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap' && name !== 'PipeWrap');
  return { rss: mb(rss), heap: mb(heapUsed), external: mb(external), files, handles: handles.length };
}

async function part(name, work) {
  const start = performance.now();
  const outcome = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const { rss, heap, external, files, handles } = await measure();
  console.log(
    `${name}: ${outcome}, ${seconds} s; resident ${rss} MB, heap ${heap} MB, external ${external} MB, ${files} files, ${handles} handles`,
  );
}

await part('warm-up', async () => {
  for (let i = 0; i < 40; i++) await fitOne(i);
  return '40 fits';
});
await part('one after the other', async () => {
  for (let i = 0; i < Number(values.fits); i++) await fitOne(i);
  return `${values.fits} fits`;
});
await part('aborted', async () => {
  let aborted = 0;
  let i = 0;
  for (; aborted < Number(values.aborts); i++) {
    const controller = new AbortController();
    const fitting = fitOne(i, { signal: controller.signal }).catch((error) => {
      if (error.name !== 'AbortError') throw error;
      aborted++;
    });
    // At once, after a turn of the event loop, or after some milliseconds.
    if (i % 3 === 1) await wait(0);
    if (i % 3 === 2) await wait(i % 17);
    controller.abort();
    await fitting;
  }
  return `${aborted} aborted, ${i - aborted} were done before`;
});
const together = async () => {
  const models = await Promise.all(Array.from({ length: Number(values.concurrent) }, (_, i) => fitOne(i)));
  const alone = await Promise.all(SHAPES.map((_, i) => fitOne(i)));
  const other = models.filter((model, i) => {
    const { variances } = alone[i % alone.length];
    return model.variances.some((value, c) => value !== variances[c]);
  });
  if (other.length > 0) throw new Error(`${other.length} models differ from those of fits that ran alone`);
  return `${models.length} fits, each with the same bits as a fit alone`;
};
await part('at the same time', together);
await part('at the same time, again', together);

/**
 * Rows per second of streams that forget: rows are monitored with the model so far, then added, and the model is made anew after every
 * batch. On one core: `npm run compile && node bench/dist/forgetting.js`.
 */
import { blockMonitor } from '@scree/analysis';
import { stream } from '@scree/core';
import { random } from '@scree/core/linalg';

const [COLS, K, BATCH, ROWS] = [20, 5, 1000, 400_000];
const rng = random(1);
const batches = Array.from({ length: 20 }, () =>
  Float64Array.from({ length: BATCH * COLS }, (_, at) => rng.normal() * (1 + (at % COLS)) + 50),
);

for (const [name, how] of [
  ['half-life of 10,000 rows', { halfLife: 10_000 }],
  ['window of 50,000 rows', { window: 50_000 }],
  ['everything', {}],
] as const) {
  for (const monitored of [false, true]) {
    const rows = stream({ k: K, engine: 'wasm', threads: 1, ...how });
    const start = process.cpuUsage();
    for (let done = 0; done < ROWS; done += BATCH) {
      const data = batches[(done / BATCH) % batches.length];
      if (monitored && done > 0) {
        const watch = blockMonitor(await rows.model(), { level: 0.99 });
        watch.measure({ kind: 'dense', rows: BATCH, cols: COLS, stride: COLS, data }, done);
      }
      await rows.add({ rows: BATCH, cols: COLS, data });
    }
    await rows.model();
    const { user, system } = process.cpuUsage(start);
    const rate = ROWS / ((user + system) / 1e6);
    console.log(
      `${name}${monitored ? ', each row monitored before it is added' : ''}: ${Math.round(rate).toLocaleString('en')} rows/s of CPU time`,
    );
  }
}

import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pca } from 'scree';
import { mixture } from './data.js';
import { environment } from './environment.js';
import { milliseconds } from './format.js';
import { type EventLoopResult, save } from './results.js';

/**
 * What a server feels while it fits: the delay of the event loop and the time of a ping over HTTP with four fits at a time, for each way of
 * `blocking`; and the memory of 300 fits that are called at once. Saves the result.
 */

const FITS = 4;
const CALLED = 300;
const data = mixture({ rows: 20_000, cols: 500, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
const server = createServer((_, response) => response.end('pong'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
await pca(data, { k: 10, engine: 'wasm' });
await ping();

const rows: EventLoopResult['rows'][number][] = [];
for (const blocking of ['full', 'short', 'none'] as const) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const pings: number[] = [];
  let fitting = true;
  const pinging = (async () => {
    while (fitting) pings.push(await ping());
  })();
  await new Promise((resolve) => setTimeout(resolve, 50));
  pings.length = 0;
  delay.enable();
  const start = performance.now();
  await Promise.all(Array.from({ length: FITS }, () => pca(data, { k: 10, engine: 'wasm', blocking })));
  const time = performance.now() - start;
  delay.disable();
  fitting = false;
  await pinging;
  pings.sort((a, b) => a - b);
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 1);
  // A loop that never turned was not sampled.
  const delays =
    delay.count === 0 ? undefined : [delay.percentile(50), delay.percentile(99), delay.max].map((each) => late(each));
  rows.push({ blocking, time, delays, pings: [pings[Math.floor((pings.length - 1) / 2)], pings[pings.length - 1]] });
  console.log(`  ${blocking}: ${milliseconds(time)}, delays ${delays?.map(milliseconds).join(', ')}`);
}

const small = mixture({ rows: 2000, cols: 200, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
let largest = 0;
const watch = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage().rss);
}, 5);
const before = process.memoryUsage().rss;
const start = performance.now();
await Promise.all(
  Array.from({ length: CALLED }, (_, i) =>
    pca(small, { k: 5, engine: 'wasm', solver: i % 2 ? 'krylov' : 'covariance' }),
  ),
);
clearInterval(watch);
const queue = { fits: CALLED, rows: small.rows, cols: small.cols, time: performance.now() - start, before, largest };
server.close();
save(
  'event-loop',
  {
    environment: await environment(availableParallelism(), undefined),
    ...{ fits: FITS, shape: [data.rows, data.cols], rows },
    queue: { ...queue, addresses: await virtualMemory() },
    skipped: [],
  },
  process.argv.includes('--quick'),
);
process.exit();

function ping(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - start));
    }).on('error', reject);
  });
}

/** Bytes of addresses; undefined where the system does not tell. */
async function virtualMemory(): Promise<number | undefined> {
  const { readFileSync } = await import('node:fs');
  try {
    return 1024 * Number(/VmSize:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

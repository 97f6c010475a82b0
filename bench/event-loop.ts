import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pca } from 'scree';
import { mixture } from './data.js';
import { milliseconds, table } from './format.js';

/**
 * What a server feels while it fits: the delay of the event loop and the time of a ping over HTTP with four fits at a time, for each way of
 * `blocking`; and the memory of 300 fits that are called at once. Prints tables; runs by itself.
 */

const FITS = 4;
const data = mixture({ rows: 20_000, cols: 500, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
const server = createServer((_, response) => response.end('pong'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
await pca(data, { k: 10, engine: 'wasm' });
await ping();

const rows: string[][] = [];
for (const blocking of ['full', 'short', 'none'] as const) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const pings: number[] = [];
  let fitting = true;
  const pinging = (async () => {
    while (fitting) pings.push(await ping());
  })();
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.enable();
  const start = performance.now();
  await Promise.all(Array.from({ length: FITS }, () => pca(data, { k: 10, engine: 'wasm', blocking })));
  const time = performance.now() - start;
  delay.disable();
  fitting = false;
  await pinging;
  const share = (part: number): string =>
    milliseconds(pings.sort((a, b) => a - b)[Math.floor(part * (pings.length - 1))]);
  // A loop that never turned was not sampled.
  const shown = (nanoseconds: number): string => (delay.count === 0 ? '' : milliseconds(nanoseconds / 1e6 - 1));
  const late = (percentile: number): string => shown(delay.percentile(percentile));
  rows.push([blocking, milliseconds(time), late(50), late(99), shown(delay.max), share(0.5), share(1)]);
}
console.log(`${FITS} fits of ${data.rows}×${data.cols} at a time\n`);
console.log(
  table(['blocking', 'all fits', 'delay, median', '99 %', 'largest', 'ping, median', 'largest'], rows).join('\n'),
);

const small = mixture({ rows: 2000, cols: 200, type: 'float64', deviation: (j) => (j + 1) ** -0.5, offset: 0.5 });
let largest = 0;
const watch = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage().rss);
}, 5);
const before = process.memoryUsage().rss;
const start = performance.now();
await Promise.all(
  Array.from({ length: 300 }, (_, i) => pca(small, { k: 5, engine: 'wasm', solver: i % 2 ? 'krylov' : 'covariance' })),
);
clearInterval(watch);
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;
console.log(
  `\n300 fits of ${small.rows}×${small.cols} called at once: ${milliseconds(performance.now() - start)}, resident memory from ${megabytes(before)} to ${megabytes(largest)} at most, ${await virtualMemory()} of addresses`,
);
server.close();
process.exit();

function ping(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - start));
    }).on('error', reject);
  });
}

async function virtualMemory(): Promise<string> {
  const { readFileSync } = await import('node:fs');
  try {
    const kilobytes = Number(/VmSize:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
    return `${(kilobytes / 2 ** 20).toFixed(0)} GB`;
  } catch {
    return 'unknown';
  }
}

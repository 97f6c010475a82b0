import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { createFile } from 'scree';
import { readArguments } from './arguments.js';
import { findChromium, launchChromium } from './chromium.js';
import { environment } from './environment.js';
import { spread } from './measure.js';
import { type LabResult, save } from './results.js';
import { Peer } from './sklearn.js';
import { temporaryFolder } from './temporary.js';
import { LAB } from './workloads.js';

/** The lab in Chromium, from its own server, on software rendering: how soon it is there, and whether it keeps up with a hand. Saves the result. */

const { threads, quick } = readArguments(process.argv.slice(2));
const rounds = quick ? 1 : 5;
const page = fileURLToPath(new URL('../../packages/scree/dist/lab-server/page/', import.meta.url));
const program = fileURLToPath(new URL('../../packages/scree/dist/bin/scree.js', import.meta.url));

const executablePath = findChromium();
if (!executablePath) throw new Error('There is no Chromium here.');
const folder = temporaryFolder();
const cloud = `${folder}/cloud.npy`;
await writeCloud(cloud, quick ? 6000 : LAB.points);
const browser = await launchChromium(executablePath);
const url = await startLab(cloud);

const samples = { paint: [] as number[], iris: [] as number[], mnist: [] as number[] };
for (let round = 0; round < rounds; round++) {
  const iris = await firstPaint(browser, `${url}#/explore?data=iris`);
  samples.paint.push(iris.paint);
  samples.iris.push(iris.drawn);
  samples.mnist.push(await fitMilliseconds(browser, `${url}#/explore?data=mnist`, '10,000 rows'));
}
const frames = await panning(browser, `${url}#/explore?file=data/cloud.npy`);
const longest = await draggingK(browser, `${url}#/explore?data=mnist`);
const result: LabResult = {
  environment: await environment(threads, Peer.start(threads)),
  bytes: packedBytes(),
  paint: spread(samples.paint),
  iris: spread(samples.iris),
  mnist: spread(samples.mnist),
  points: quick ? 6000 : LAB.points,
  frames,
  longest,
  skipped: [],
};
for (const [name, value] of Object.entries(result)) {
  if (name !== 'environment') console.log(`  ${name}: ${JSON.stringify(value)}`);
}
save('lab', result, quick);
await browser.close();
process.exit();

/** All scripts that Explore loads, the worker's too, as they travel; Learn and the readers of files come when they are asked for. */
function packedBytes(): number {
  const scripts = readdirSync(`${page}assets`).filter((name) => /^(index|worker|src)-.*\.js$/.test(name));
  return scripts.reduce((sum, name) => sum + gzipSync(readFileSync(`${page}assets/${name}`)).length, 0);
}

async function writeCloud(path: string, rows: number): Promise<void> {
  const writer = await createFile(path, { cols: 4, dtype: 'float32' });
  const data = Float32Array.from({ length: rows * 4 }, (_, i) => Math.sin(i * 12.9898 + (i % 4)) * (4 - (i % 4)));
  await writer.write({ rows, cols: 4, data });
  await writer.close();
}

async function startLab(file: string): Promise<string> {
  const child = spawn(process.execPath, [program, 'lab', file, '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    const hear = (chunk: Buffer): void => {
      text += chunk;
      const found = /http:\/\/\S+\//.exec(text);
      if (found) resolve(found[0].replace(/#.*$/, ''));
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => reject(new Error(`scree lab ended: ${text}`)));
  });
  // Also where measuring fails: no server is left running.
  process.on('exit', () => child.kill('SIGINT'));
  return address;
}

/** A fresh page in a fresh profile: nothing is in a cache. */
async function open(from: Browser, url: string): Promise<Page> {
  const context = await from.newContext({ viewport: { width: 1280, height: 900 } });
  const opened = await context.newPage();
  await opened.addInitScript(() => {
    const noted = { drawn: 0, long: [] as number[] };
    Object.assign(globalThis, { noted });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) noted.long.push(duration);
    }).observe({ entryTypes: ['longtask'] });
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.point-cloud canvas')) return;
      observer.disconnect();
      // Drawn is what the frame after the next shows.
      requestAnimationFrame(() => requestAnimationFrame(() => (noted.drawn = performance.now())));
    }).observe(document, { childList: true, subtree: true });
  });
  await opened.goto(url);
  await opened.waitForFunction(() => (globalThis as unknown as { noted: { drawn: number } }).noted.drawn > 0);
  return opened;
}

/** Milliseconds from the request to the first paint, and from the end of loading to the scores on the screen. */
async function firstPaint(from: Browser, url: string): Promise<{ paint: number; drawn: number }> {
  const opened = await open(from, url);
  const found = await opened.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const { drawn } = (globalThis as unknown as { noted: { drawn: number } }).noted;
    return { paint: paint.startTime, drawn: Math.max(0, drawn - navigation.loadEventEnd) };
  });
  await opened.context().close();
  return found;
}

/** What the page says of its fit. */
async function fitMilliseconds(from: Browser, url: string, rows: string): Promise<number> {
  const opened = await open(from, url);
  const status = opened.locator('.status', { hasText: rows });
  await status.waitFor();
  const text = (await status.textContent()) ?? '';
  await opened.context().close();
  const [, value, unit] = /in ([\d.,]+)\s(ms|s)\b/.exec(text) ?? [];
  return Number(value.replaceAll(',', '')) * (unit === 's' ? 1000 : 1);
}

/** Frames while the points are dragged, beside frames of a canvas of the same size that is only cleared: medians, in milliseconds. */
async function panning(from: Browser, url: string): Promise<LabResult['frames']> {
  const opened = await open(from, url);
  const box = (await opened.locator('.point-cloud canvas').first().boundingBox())!;
  await opened.waitForTimeout(1500);
  const count = async (): Promise<number[]> => {
    await opened.evaluate(() => {
      const times: number[] = [];
      Object.assign(globalThis, { times });
      const note = (now: number): void => {
        times.push(now);
        if (times.length < 1000) requestAnimationFrame(note);
      };
      requestAnimationFrame(note);
    });
    await opened.mouse.move(box.x + 100, box.y + 100);
    await opened.mouse.down();
    const end = Date.now() + 3000;
    for (let i = 0; Date.now() < end; i++) {
      await opened.mouse.move(box.x + 250 + 150 * Math.sin(i / 20), box.y + 200 + 80 * Math.cos(i / 20));
    }
    await opened.mouse.up();
    return opened.evaluate(() => (globalThis as unknown as { times: number[] }).times.splice(0));
  };
  const interval = (times: readonly number[]): number =>
    spread(times.slice(1).map((time, i) => time - times[i])).median;
  const drawing = interval(await count());
  await opened.evaluate(({ width, height }) => {
    document.body.replaceChildren();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    document.body.append(canvas);
    const context = canvas.getContext('webgl2');
    const clear = (): void => {
      context?.clear(context.COLOR_BUFFER_BIT);
      requestAnimationFrame(clear);
    };
    clear();
  }, box);
  const empty = interval(await count());
  await opened.context().close();
  return { drawing, empty };
}

/** The longest task of the page's own thread while k is dragged to and fro over MNIST, in milliseconds. */
async function draggingK(from: Browser, url: string): Promise<number> {
  const opened = await open(from, url);
  await opened.locator('.status', { hasText: '10,000 rows' }).waitFor();
  await opened.waitForTimeout(2000);
  const box = (await opened.locator('.scree-chart').boundingBox())!;
  await opened.evaluate(() => (globalThis as unknown as { noted: { long: number[] } }).noted.long.splice(0));
  await opened.mouse.move(box.x + 60, box.y + 80);
  await opened.mouse.down();
  for (let i = 0; i < 200; i++)
    await opened.mouse.move(box.x + 60 + (0.5 + 0.5 * Math.sin(i / 15)) * (box.width - 80), box.y + 80);
  await opened.mouse.up();
  await opened.waitForTimeout(1000);
  const long = await opened.evaluate(() => (globalThis as unknown as { noted: { long: number[] } }).noted.long);
  await opened.context().close();
  return Math.max(0, ...long);
}

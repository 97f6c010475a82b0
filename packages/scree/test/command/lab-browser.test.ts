import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { serve } from '../../../../test/serve.js';
import { RunningLab } from './running-lab.js';

const path = inject('chromium');

describe.skipIf(!path)('scree lab in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scree-lab-browser-'));
  const name = 'ä 100% #1.csv';
  const table = 'a,b,c\n1,2,3\n4,5,7\n8,9,1\n2,1,2\n';
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;
  let lab: RunningLab;

  beforeAll(async () => {
    writeFileSync(join(folder, name), table);
    [lab, browser] = await Promise.all([RunningLab.start(folder, [name]), sharedChromium(path)]);
    page = await browser.newPage();
    page.on('console', (message) => {
      const text = message.text();
      // A driver without a graphics card prints how it was used. This message is not an error of the page.
      if (/GL Driver Message.*Performance/.test(text)) return;
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(text);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const own = `http://127.0.0.1:${lab.port}/${lab.token}/`;
      if (!request.url().startsWith(own) && !/^(data|blob):/.test(request.url())) complaints.push(request.url());
    });
    await page.goto(lab.address);
  });
  afterAll(async () => {
    await closePages(browser);
    await lab?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('opens, isolated, without errors or requests to other servers', async () => {
    await page.waitForFunction(() => (document.getElementById('app')?.textContent ?? '').length > 20);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    // Every page of the lab brings its own script.
    await page.goto(lab.address.replace(/#.*/, '#/learn'));
    await page.goto(lab.address);
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('opens from the file that the browser is started with', async () => {
    const started = join(folder, 'started-with');
    const programs = mkdtempSync(join(folder, 'programs-'));
    writeFileSync(
      join(programs, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > '${started}.part'\nmv '${started}.part' '${started}'\n`,
      {
        mode: 0o755,
      },
    );
    const opened = await RunningLab.start(folder, [name], { PATH: `${programs}:${process.env.PATH}` });
    try {
      await expect.poll(() => existsSync(started)).toBe(true);
      const file = readFileSync(started, 'utf8');
      const tab = await browser.newPage();
      await tab.goto(pathToFileURL(file).href);
      await tab.waitForURL(opened.address);
      await tab.waitForFunction(() => (document.getElementById('app')?.textContent ?? '').length > 20);
      expect(await tab.evaluate(() => crossOriginIsolated)).toBe(true);
      expect(existsSync(file)).toBe(false);
      expect(opened.err).toBe('');
      await tab.close();
    } finally {
      await opened.stop();
    }
  });

  it('lets the page read its file in ranges, share memory and run WebAssembly in threads', async () => {
    const found = await page.evaluate(async (file) => {
      const whole = await (await fetch(file)).text();
      const slice = await fetch(file, { headers: { Range: 'bytes=2-4' } });
      const text = `const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
        onmessage = async ({ data }) => {
          await WebAssembly.compile(empty);
          Atomics.store(data, 0, 7);
          postMessage('done');
        };`;
      const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
      const shared = new Int32Array(new SharedArrayBuffer(4));
      await new Promise((resolve, reject) => {
        worker.onmessage = resolve;
        worker.onerror = reject;
        worker.postMessage(shared);
      });
      return { whole, slice: await slice.text(), status: slice.status, stored: shared[0] };
    }, lab.file);
    expect(found).toEqual({ whole: table, slice: table.slice(2, 5), status: 206, stored: 7 });
    expect(complaints).toEqual([]);
  });

  it('does not let the page connect to other servers or run foreign scripts', async () => {
    const other = await serve(new Map([['/index.html', 'other']]), { 'Access-Control-Allow-Origin': '*' });
    const elsewhere = await browser.newPage();
    await elsewhere.goto(lab.address);
    const done = await elsewhere.evaluate(async (url) => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.injected = true';
      document.body.append(script);
      return {
        talked: await fetch(url).then(
          () => true,
          () => false,
        ),
        injected: 'injected' in globalThis,
      };
    }, other.url);
    expect(done).toEqual({ talked: false, injected: false });
    await elsewhere.close();
    await other.close();
  });

  it('gives nothing to a page on another port, even with the right address', async () => {
    const other = await serve(new Map([['/index.html', '<!doctype html><title>other</title>']]));
    const foreign = await browser.newPage();
    await foreign.goto(other.url);
    const base = lab.address.replace(/#.*/, '');
    const [own] = /assets\/[^"]+\.js/.exec((await lab.ask('')).body.toString()) ?? [];
    const outcomes = await foreign.evaluate(
      async ({ base, file, own }) => {
        const tried = (promise: Promise<unknown>) =>
          promise.then(
            () => 'let through',
            () => 'refused',
          );
        const frame = document.createElement('iframe');
        frame.src = base;
        const framed = new Promise((resolve) => {
          frame.onload = resolve;
        });
        document.body.append(frame);
        await framed;
        const script = document.createElement('script');
        const scripted = new Promise((resolve, reject) => {
          script.onload = resolve;
          script.onerror = reject;
        });
        script.src = base + own;
        document.body.append(script);
        const image = new Image();
        image.src = base + file;
        return {
          cors: await tried(fetch(base + file)),
          opaque: await tried(fetch(base + file, { mode: 'no-cors' })),
          script: await tried(scripted),
          image: await tried(image.decode()),
          frame: frame.contentDocument === null ? 'refused' : 'let through',
        };
      },
      { base, file: lab.file, own },
    );
    expect(outcomes).toEqual({
      cors: 'refused',
      opaque: 'refused',
      script: 'refused',
      image: 'refused',
      frame: 'refused',
    });
    await foreign.close();
    await other.close();
  });
});

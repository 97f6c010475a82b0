import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { serve } from '../../../../test/serve.js';
import { bundlePage } from '../browser/bundle.js';
import { faultChecks } from './faults.js';
import { quickChecks } from './grid.js';

const executablePath = inject('chromium');
/** Chromium's software driver: the same on every machine. */
const SOFTWARE = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

describe.skipIf(!executablePath)('the WebGPU engine on the software driver of Chromium', () => {
  const toClose: (() => Promise<void>)[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const server = await serve(await bundlePage(new URL('.', import.meta.url)));
    toClose.push(server.close);
    browser = await sharedChromium(executablePath, SOFTWARE);
    toClose.unshift(() => closePages(browser));
    page = await browser.newPage();
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(server.url);
    if (!(await page.evaluate(() => 'webgpu' in globalThis)))
      throw new Error('The page did not start.', { cause: errors[0] });
    await page.evaluate((seed) => webgpu.seed(seed), Number(process.env.SCREE_SEED));
  });
  afterAll(async () => {
    for (const close of toClose) await close();
  });

  it('finds exact forms of arithmetic, and reports the name of the driver', async () => {
    const { software, arithmetic } = await page.evaluate(() => webgpu.open());
    expect(software).toBe(true);
    // Its multiply-add is not fused.
    expect(arithmetic).toMatch(/ split$/);
  });

  it.each(Object.keys(quickChecks))('%s', { timeout: 300_000 }, async (name) => {
    expect(await page.evaluate((name) => webgpu.check(name), name)).toBeUndefined();
  });

  it.each(Object.keys(faultChecks))('%s', { timeout: 300_000 }, async (name) => {
    expect(await page.evaluate((name) => webgpu.check(name), name)).toBeUndefined();
  });

  it('computes the same in a worker', { timeout: 300_000 }, async () => {
    const [name] = Object.keys(quickChecks);
    expect(await page.evaluate((name) => webgpu.checkInWorker(name), name)).toBeUndefined();
  });
});

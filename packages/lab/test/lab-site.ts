import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { expect } from 'vitest';
import { type Site, serve } from '../../../test/serve.js';

/** For tests of the lab in a real browser: the page as it is built from the sources, and a page that is watched. */

const root = fileURLToPath(new URL('..', import.meta.url));

/** The built site, in memory: a stale build can never make a test pass. */
export async function labSite(): Promise<Site> {
  execFileSync(process.execPath, [`${root}/pack-mnist.js`]);
  const output = await build({ root, logLevel: 'warn', build: { write: false } });
  const files = (output as Rolldown.RolldownOutput).output;
  return new Map(files.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]));
}

/** Headers under which memory can be shared, so that the fit has threads. */
export const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** What pages must not do: log errors, or ask anybody but their own server. */
export interface Watched {
  readonly page: Page;
  /** Fails when the page did something it must not. */
  check(): void;
  close(): Promise<void>;
}

/** Opens a page and keeps an eye on it. */
export async function watch(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(origin) && !/^(data|blob):/.test(address)) complaints.push(`request: ${address}`);
  });
  await page.goto(url);
  return {
    page,
    check: () => expect(complaints).toEqual([]),
    close: () => context.close(),
  };
}

/** Rules of accessibility that the page breaks, in short. The context needs `bypassCSP`. */
export async function violations(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.addScriptTag({ content: axe });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.replace(/\s+/g, ' ')}`),
    );
  });
}

export { serve };

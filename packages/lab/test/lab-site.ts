import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Site, serve } from '../../../test/serve.js';
import { BUILT_FROM, hashOfSources } from '../sources-hash.js';

/** Helpers for tests of the lab in a real browser: the site, built from the sources, and pages whose errors are recorded. */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The site, built from the sources. `npm run build` has built it before, or it is built once and kept in the folder for temporary
 * files. Both are recognised by a hash of the sources: a stale build can never make a test pass.
 */
export async function labSite(): Promise<Site> {
  const hash = hashOfSources();
  const isBuilt = existsSync(BUILT_FROM) && readFileSync(BUILT_FROM, 'utf8') === hash;
  const folder = isBuilt ? join(root, 'dist') : join(tmpdir(), `scree-lab-site-${hash}`);
  if (!existsSync(folder)) await onlyOneAtATime(`${folder}.lock`, () => buildInto(folder));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [`/${relative(folder, path)}`, readFileSync(path)];
    }),
  );
}

async function buildInto(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  for (const name of readdirSync(tmpdir())) {
    const old = join(tmpdir(), name);
    if (name.startsWith('scree-lab-site-') && Date.now() - statSync(old).mtimeMs > ONE_DAY)
      rmSync(old, { recursive: true });
  }
  execFileSync(process.execPath, [`${root}/pack-mnist.js`]);
  const unfinished = mkdtempSync(`${folder}-`);
  const { build } = await import('vite');
  await build({ root, logLevel: 'warn', build: { outDir: unfinished, emptyOutDir: true } });
  renameSync(unfinished, folder);
}

/** Runs work that only one test process may do at a time. */
async function onlyOneAtATime(lock: string, work: () => Promise<void>): Promise<void> {
  const end = Date.now() + LONGEST_BUILD;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      // A lock that is older than any build was left by a process that was killed.
      if (Date.now() > end) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

const LONGEST_BUILD = 50_000;
const ONE_DAY = 24 * 60 * 60_000;

/** Headers under which memory can be shared, so that the fit has threads. */
export const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** A page, with the errors that it logged and its requests to other servers. Both are forbidden. */
export interface Watched {
  readonly page: Page;
  /** Fails if the page logged an error or made a forbidden request since the last check. */
  check(): void;
  close(): Promise<void>;
}

/** Opens a page and records its errors and its requests to other servers. */
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
    check: () => expect(complaints.splice(0)).toEqual([]),
    close: () => context.close(),
  };
}

/** Waits until the page has drawn some frames, so that it has reacted to a new size or to an event. */
export function frames(page: Page, count: number): Promise<void> {
  return page.evaluate(
    (left) =>
      new Promise<void>((resolve) => {
        const tick = (): void => {
          if (left-- > 0) requestAnimationFrame(tick);
          else resolve();
        };
        tick();
      }),
    count,
  );
}

/** The rules of accessibility that the page breaks. The context needs `bypassCSP`. */
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

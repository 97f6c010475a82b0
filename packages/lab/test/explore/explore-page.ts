import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, inject } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { ISOLATED, labSite, serve, type Watched, watch } from '../lab-site.js';

/** 60 rows of three correlated columns, and the names of the columns. */
export const rows = Array.from({ length: 60 }, (_, i) => {
  const [a, b] = [Math.sin(i), Math.cos(2.3 * i)];
  return [3 * a + 0.1 * b + 5, a - 0.4 * b, 0.5 * b + 0.01 * i];
});
export const names = ['alpha', 'beta', 'gamma'];

/** WebGPU on Chromium's software driver, so that pages have it on every machine. */
const WEBGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/** Tests of Explore in a real browser. Each test starts with a new page, on which iris is fitted. */
export function describeExplore(title: string, tests: (explore: ExplorePage) => void): void {
  describePages(title, tests, false);
}

/** Tests of Explore that share one page. Iris is fitted again before each test, which takes less time than loading the page. */
export function describeExploreOnOnePage(title: string, tests: (explore: ExplorePage) => void): void {
  describePages(title, tests, true);
}

function describePages(title: string, tests: (explore: ExplorePage) => void, sharePage: boolean): void {
  const executablePath = inject('chromium');
  describe.skipIf(!executablePath)(`Explore, in Chromium: ${title}`, () => {
    const explore = new ExplorePage();
    beforeAll(() => explore.start(executablePath));
    afterAll(() => explore.stop());
    beforeEach(() => explore.openPage());
    afterEach(async ({ task }) => {
      explore.check();
      if (!sharePage || task.result?.state === 'fail') await explore.closePage();
    });
    tests(explore);
  });
}

export class ExplorePage {
  browser!: Browser;
  site!: Awaited<ReturnType<typeof labSite>>;
  /** A folder for the files of a test. */
  folder!: string;
  #server!: Awaited<ReturnType<typeof serve>>;
  #watched: Watched | undefined;

  get page(): Page {
    if (!this.#watched) throw new Error('No page is open.');
    return this.#watched.page;
  }

  get url(): string {
    return this.#server.url;
  }

  async start(executablePath: string): Promise<void> {
    this.site = await labSite();
    this.#server = await serve(this.site, ISOLATED);
    this.browser = await sharedChromium(executablePath, WEBGPU);
    this.folder = await mkdtemp(join(tmpdir(), 'scree-lab-'));
  }

  async stop(): Promise<void> {
    await closePages(this.browser);
    await this.#server?.close();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  async openPage(): Promise<void> {
    if (this.#watched) {
      // Other data are opened in between. Otherwise a page with iris would look ready too early.
      await this.page.getByLabel('Built-in data').selectOption('usarrests');
      await this.fitted(/of 50 rows and 4 columns/);
      await this.page.getByLabel('Built-in data').selectOption('iris');
      await this.fitted(/150 rows and 4 columns/);
      await this.page.getByRole('alert').waitFor({ state: 'detached' });
      return;
    }
    this.#watched = await watch(this.browser, this.url, { acceptDownloads: true });
    await this.fitted();
  }

  /** Fails if the page logged an error or made a forbidden request. */
  check(): void {
    this.#watched?.check();
  }

  async closePage(): Promise<void> {
    await this.#watched?.close();
    this.#watched = undefined;
  }

  status(): Locator {
    return this.page.locator('.status [role=status]');
  }

  kept(): Locator {
    return this.page.locator('.kept');
  }

  selection(): Locator {
    return this.page.locator('.selection');
  }

  panel(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true });
  }

  /** Waits for a fit with this status. */
  async fitted(text = /components? of/): Promise<void> {
    await this.status().filter({ hasText: text }).waitFor();
    await this.page.locator('.point-cloud canvas').first().waitFor();
  }

  async open(path: string): Promise<void> {
    await this.page.locator('input[type=file]').setInputFiles(path);
    const name = path.split('/').at(-1) ?? path;
    await this.page.locator('.facts').filter({ hasText: name }).waitFor();
  }

  /** The file that an action saves. */
  async saved(press: () => Promise<void>): Promise<{ name: string; bytes: Buffer; path: string }> {
    const [download] = await Promise.all([this.page.waitForEvent('download'), press()]);
    const path = join(this.folder, `${Date.now()}-${download.suggestedFilename()}`);
    await download.saveAs(path);
    return { name: download.suggestedFilename(), bytes: await readFile(path), path };
  }
}

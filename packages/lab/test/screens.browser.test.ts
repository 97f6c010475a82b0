import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../test/chromium.js';
import { frames, ISOLATED, labSite, serve, watch } from './lab-site.js';

/**
 * Every screen, on desktop and phone, light and dark: no errors, and nothing is wider than the page. With
 * `npm run screenshots` the pictures are saved for the documentation.
 */

const executablePath = inject('chromium');
const keeping = import.meta.env.MODE === 'screenshots';
/** With SCREE_SCREENSHOTS=folder, the pictures are of whole pages, in all sizes and themes, and saved in that folder. */
const whole = process.env.SCREE_SCREENSHOTS !== undefined;
const folder = process.env.SCREE_SCREENSHOTS ?? fileURLToPath(new URL('../../../docs/lab', import.meta.url));

const settled = (page: Page) => page.getByText('How it was computed').waitFor();

/** Pictures are taken after four seconds of a run, because the start shows less. */
const played = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForTimeout(4000);
};

/** The address of each screen, and the steps before its picture is taken. */
const screens: Record<string, { address: string; ready: (page: Page) => Promise<unknown> }> = {
  explore: { address: '#/explore?data=iris', ready: settled },
  'explore-digits': { address: '#/explore?data=mnist&k=40', ready: settled },
  'explore-solid': { address: '#/explore?data=penguins&view=3d', ready: settled },
  'explore-selection': {
    address: '#/explore?data=wine&colour=error',
    ready: async (page) => {
      await settled(page);
      await page.getByLabel('Find rows by label, text or number').fill('cultivar 2');
      await page.keyboard.press('Enter');
      await page.getByText('71 rows selected').waitFor();
      await page.evaluate(() => scrollTo(0, 0));
    },
  },
  'explore-error': {
    address: '#/explore?data=iris',
    ready: async (page) => {
      await settled(page);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'broken.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n3\n') });
      await page.getByRole('alert').waitFor();
    },
  },
  'explore-nothing': {
    address: '#/explore?file=http%3A%2F%2F127.0.0.1%3A9%2Fx.csv',
    ready: (page) => page.getByText('Nothing to show yet').waitFor(),
  },
  ...Object.fromEntries(
    ['variance', 'forces', 'autoencoder', 'charges', 'race', 'uniqueness'].map((name) => [
      `learn-${name}`,
      { address: `#/learn/${name}`, ready: (page: Page) => (keeping ? played(page) : frames(page, 10)) },
    ]),
  ),
};

const PLACES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

describe.skipIf(!executablePath)('every screen, in Chromium', () => {
  let browser: Browser;
  let server: { url: string; close(): Promise<void> };
  beforeAll(async () => {
    server = await serve(await labSite(), ISOLATED);
    browser = await sharedChromium(executablePath);
    if (keeping) mkdirSync(folder, { recursive: true });
  });
  afterAll(async () => {
    await closePages(browser);
    await server?.close();
  });

  it.each(Object.keys(screens))('on a phone, and enlarged to a desktop: %s', async (name) => {
    const { address, ready } = screens[name];
    const watched = await watch(browser, server.url + address, { viewport: PLACES.phone, colorScheme: 'light' });
    const { page } = watched;
    try {
      await ready(page);
      for (const [place, viewport] of Object.entries(PLACES)) {
        await page.setViewportSize(viewport);
        await frames(page, 3);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(wide, `pixels to the right of the page on a ${place}`).toBeLessThanOrEqual(0);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          if (!keeping) continue;
          await page.evaluate(() => scrollTo(0, 0));
          await page.waitForTimeout(500);
          const picture = { type: 'jpeg', quality: 82, fullPage: whole } as const;
          // The documentation shows desktops in light and phones in dark; `whole` saves all four.
          if (whole || (place === 'desktop') === (colorScheme === 'light'))
            writeFileSync(`${folder}/${name}-${place}-${colorScheme}.jpg`, await page.screenshot(picture));
        }
      }
      watched.check();
    } finally {
      await watched.close();
    }
  });
});

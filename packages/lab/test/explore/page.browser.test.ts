import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations, watch } from '../lab-site.js';
import { describeExploreOnOnePage } from './explore-page.js';

/** The colours of the page, of its text and of the first group of points. */
const THEMES = {
  light: { backgroundColor: 'rgb(245, 246, 248)', color: 'rgb(27, 31, 38)', swatch: 'rgb(14, 77, 210)' },
  dark: { backgroundColor: 'rgb(17, 20, 24)', color: 'rgb(231, 234, 238)', swatch: 'rgb(110, 154, 254)' },
};

const backgroundOf = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

describeExploreOnOnePage('the page', (explore) => {
  it('starts with iris: fitted, drawn and described', async () => {
    await expect.poll(() => explore.kept().textContent()).toMatch(/k = 1 keeps 92\.5\s%/);
    expect(await explore.page.evaluate(() => crossOriginIsolated)).toBe(true);
    await explore.page.getByText('PC1 is stable (±3°).').waitFor();
    expect(await explore.page.locator('.table-scroll tbody tr').count()).toBe(25);
    expect(await explore.page.locator('.pager').textContent()).toContain('page 1 of 6');
  });

  it('loads less than 400 KB of compressed scripts, including the worker', async () => {
    await explore.page.getByText('PC1 is stable').waitFor();
    const asked = await explore.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const names = [...explore.site.keys()].filter(
      (name) => name.endsWith('.js') && (/worker-/.test(name) || asked.some((address) => address.endsWith(name))),
    );
    expect(names.length).toBeGreaterThan(2);
    const bytes = names.reduce((sum, name) => sum + gzipSync(explore.site.get(name)!).length, 0);
    expect(bytes).toBeLessThan(400 * 1024);
  });

  it.each(['light', 'dark'] as const)('has the chosen theme if the system is %s', async (colorScheme) => {
    const other = await watch(explore.browser, explore.url, { colorScheme });
    /** Colours from the style sheet, and from scripts: the background, the text, the first group of points. */
    const seen = () =>
      other.page.evaluate(() => {
        const { backgroundColor, color } = getComputedStyle(document.body);
        const swatch = document.querySelector<HTMLElement>('.swatch')!.style.background;
        const probe = document.body.appendChild(document.createElement('span'));
        probe.style.color = 'var(--group-0)';
        const group = getComputedStyle(probe).color;
        probe.remove();
        return { backgroundColor, color, swatch, agree: swatch === group };
      });
    const { light, dark } = THEMES;
    const system = colorScheme === 'light' ? light : dark;
    await other.page.locator('.swatch').first().waitFor();
    for (const [choice, colours] of [
      ['dark', dark],
      ['light', light],
      ['auto', system],
      [colorScheme === 'light' ? 'dark' : 'light', colorScheme === 'light' ? dark : light],
    ] as const) {
      await other.page.getByLabel('Theme').selectOption(choice);
      await expect.poll(seen).toEqual({ ...colours, agree: true });
      await other.page.reload();
      await other.page.locator('.swatch').first().waitFor();
      expect(await seen()).toEqual({ ...colours, agree: true });
    }
    other.check();
    await other.close();
  });

  it('fetches nothing from another server, even if the address names one', async () => {
    await explore.page.goto('about:blank');
    await explore.page.goto(`${explore.url}#/explore?file=${encodeURIComponent('http://127.0.0.1:9/x.csv')}`);
    await expect.poll(() => explore.page.getByRole('alert').textContent()).toContain('another server');
  });

  it.each(['data=iris', 'data=mnist', 'data=penguins&view=3d', 'data=wine'])(
    'passes axe in both themes: %s',
    async (query) => {
      const other = await watch(explore.browser, `${explore.url}#/explore?${query}`, { bypassCSP: true });
      const { page } = other;
      await page.locator('.point-cloud canvas').first().waitFor();
      await page.getByText('How it was computed').waitFor();
      await page.locator('.table-scroll tbody tr').nth(2).hover();
      await page.locator('.row-card').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => backgroundOf(page)).toBe(THEMES[colorScheme].backgroundColor);
        expect(await violations(page), colorScheme).toEqual([]);
      }
      await other.close();
    },
  );
});

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { violations, watch } from '../lab-site.js';
import { describeExplore } from './explore-page.js';

describeExplore('the page', (explore) => {
  it('starts with iris: fitted, drawn and described', async () => {
    await expect.poll(() => explore.kept().textContent()).toMatch(/97\.8\s%/);
    expect(await explore.page.evaluate(() => crossOriginIsolated)).toBe(true);
    await explore.page.getByText('Every axis is determined by the data').waitFor();
    expect(await explore.page.locator('.table-scroll tbody tr').count()).toBe(25);
    expect(await explore.page.locator('.pager').textContent()).toContain('page 1 of 6');
    await explore.page.getByRole('button', { name: 'row 101 (virginica)' }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('1 row selected');
  });

  it('loads less than 400 KB of compressed scripts, including the worker', async () => {
    await explore.page.getByText('Every axis is determined by the data').waitFor();
    const asked = await explore.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const names = [...explore.site.keys()].filter(
      (name) => name.endsWith('.js') && (/worker-/.test(name) || asked.some((address) => address.endsWith(name))),
    );
    expect(names.length).toBeGreaterThan(2);
    const bytes = names.reduce((sum, name) => sum + gzipSync(explore.site.get(name)!).length, 0);
    expect(bytes).toBeLessThan(400 * 1024);
  });

  it.each(['light', 'dark'] as const)('has the chosen theme where the system is %s', async (colorScheme) => {
    const other = await watch(explore.browser, explore.url, { colorScheme });
    /** What the style sheet paints, and what scripts do: the ground, the words, the colours of the points. */
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
    const light = { backgroundColor: 'rgb(245, 246, 248)', color: 'rgb(27, 31, 38)', swatch: 'rgb(61, 102, 196)' };
    const dark = { backgroundColor: 'rgb(17, 20, 24)', color: 'rgb(231, 234, 238)', swatch: 'rgb(123, 160, 245)' };
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

  it('fetches nothing from another server, whatever the address says', async () => {
    await explore.page.goto('about:blank');
    await explore.page.goto(`${explore.url}#/explore?file=${encodeURIComponent('http://127.0.0.1:9/x.csv')}`);
    await expect.poll(() => explore.page.getByRole('alert').textContent()).toContain('another server');
  });

  describe.each(['', '#/explore?data=mnist', '#/explore?data=penguins&view=3d', '#/explore?data=wine'])(
    'passes axe: %s',
    (address) => {
      it.each(['light', 'dark'] as const)('%s', async (colorScheme) => {
        const other = await watch(explore.browser, explore.url + address, { colorScheme, bypassCSP: true });
        await other.page.locator('.point-cloud canvas').first().waitFor();
        await other.page.getByText('Determined by the data?').waitFor();
        await other.page.locator('.table-scroll tbody tr').nth(2).hover();
        await other.page.locator('.row-card').waitFor();
        expect(await violations(other.page)).toEqual([]);
        await other.close();
      });
    },
  );
});

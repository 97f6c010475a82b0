import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatNumber } from '@scree/analysis/describe';
import { pca } from 'scree';
import { expect, it } from 'vitest';
import { frames, watch } from '../lab-site.js';
import { describeExplore, names, rows } from './explore-page.js';

describeExplore('the scores', (explore) => {
  it('lets the wheel scroll the page when zoomed out fully, and when the page is scrolling already', async () => {
    const cloud = explore.page.locator('.point-cloud canvas').first();
    await explore.page.getByText('How it was computed').waitFor();
    const ticks = () => explore.page.locator('.point-cloud .ticks-x').textContent();
    const scroll = () => explore.page.evaluate(() => scrollY);
    const before = await ticks();
    await cloud.hover();
    // The second event belongs to the same turn of the wheel, so it scrolls the page too.
    await explore.page.mouse.wheel(0, 120);
    await explore.page.mouse.wheel(0, -60);
    await expect.poll(scroll).toBe(60);
    expect(await ticks()).toBe(before);
    await explore.page.waitForTimeout(400);
    await explore.page.mouse.wheel(0, -240);
    await expect.poll(ticks).not.toBe(before);
    expect(await scroll()).toBe(60);
  });

  it('selects rows in every view by lasso, by search and by click', async () => {
    const cloud = explore.page.locator('.point-cloud canvas').first();
    await explore.page.getByRole('button', { name: 'Lasso' }).click();
    const box = (await cloud.boundingBox())!;
    await explore.page.mouse.move(box.x + 10, box.y + 10);
    await explore.page.mouse.down();
    for (const [x, y] of [
      [0.42, 0.02],
      [0.42, 0.98],
      [0.02, 0.98],
      [0.02, 0.03],
    ]) {
      await explore.page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 6 });
    }
    await explore.page.mouse.up();
    // The left cloud of iris is setosa.
    await expect.poll(() => explore.selection().textContent()).toMatch(/^\d+ rows selected/);
    const cells = await explore.page.locator('.table-scroll tbody td:nth-child(2)').allTextContents();
    expect(new Set(cells)).toEqual(new Set(['setosa']));
    await explore.page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('Click a point');
    for (const _ of [1, 2]) await explore.page.getByRole('button', { name: 'Next' }).click();
    await explore.page.getByLabel('Find rows by label, text or number').fill('virgin');
    await explore.page.keyboard.press('Enter');
    await expect.poll(() => explore.selection().textContent()).toContain('50 rows selected');
    await explore.page.getByText('page 1 of 2', { exact: true }).waitFor();
    await explore.page.getByLabel('Find rows by label, text or number').fill('nobody');
    await explore.page.keyboard.press('Enter');
    await explore.page.getByText('nothing found').waitFor();
    await explore.page.getByRole('button', { name: 'Clear' }).click();
    await explore.page.getByRole('button', { name: '7', exact: true }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('1 row selected');
    // The other rows stay listed and can be added.
    await explore.page.getByRole('button', { name: '9', exact: true }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('2 rows selected');
  });

  it.each([60, -300])('draws and describes data of size 10^%s in their own units', async (power) => {
    const path = join(explore.folder, `units${power}.csv`);
    const line = (row: number[]): string => row.map((value) => `${value}e${power}`).join(',');
    await writeFile(path, `${names.join(',')}\n${rows.map(line).join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
    await explore.page.getByLabel('Divide columns by').selectOption('none');
    await explore.page.getByLabel('Components kept (k)').fill('1');
    const raised = power === 60 ? '10⁶⁰' : '10⁻³⁰⁰';
    await expect.poll(() => explore.page.locator('.point-cloud .names').textContent()).toContain(raised);
    expect(await explore.page.locator('.point-cloud .arrow-names').textContent()).toContain('alpha');
    await expect
      .poll(() => explore.panel('In words').textContent())
      .toMatch(power === 60 ? /rows are within 4\.591\s×\s10⁵⁹ of/ : /rows are within 4\.591\s×\s10⁻³⁰¹ of/);
    const table = explore.page.locator('.table-scroll tbody tr').first();
    const model = await pca(rows, { k: 1 });
    const [score] = (await model.transform(rows)).data;
    await expect.poll(() => table.textContent()).toContain(formatNumber(score * 10 ** power));
    await explore.page.getByRole('button', { name: 'Lasso' }).click();
    const box = (await explore.page.locator('.point-cloud canvas').boundingBox())!;
    const corner = (x: number, y: number) => explore.page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await corner(0.001, 0.001);
    await explore.page.mouse.down();
    for (const [x, y] of [
      [0.999, 0.001],
      [0.999, 0.999],
      [0.001, 0.999],
      [0.001, 0.01],
    ])
      await corner(x, y);
    await explore.page.mouse.up();
    await expect.poll(() => explore.selection().textContent()).toContain('60 rows selected');
  });

  it.each([390, 1280])('places the name of each arrow nearest to its own tip, %s pixels wide', async (width) => {
    const other = await watch(explore.browser, explore.url, {
      viewport: { width, height: 900 },
      hasTouch: width < 400,
    });
    await other.page.locator('.arrow-names text').first().waitFor();
    const seen = await other.page.evaluate(() => {
      const tips = Array.from(document.querySelectorAll('.arrow-lines path'), (path) =>
        path.getAttribute('d')!.split(/[ML]/)[2].split(',').map(Number),
      );
      const names = Array.from(document.querySelectorAll<SVGTextElement>('.arrow-names text'), (text, i) => {
        const { x, y, width, height } = text.getBBox();
        const away = tips.map(([tx, ty]) => Math.hypot(tx - x - width / 2, ty - y - height / 2));
        const over = tips.filter(([tx, ty]) => tx > x && tx < x + width && ty > y && ty < y + height).length;
        return { name: text.textContent, over, nearest: away.indexOf(Math.min(...away)) === i };
      });
      return names.filter(({ name }) => name !== '');
    });
    expect(seen.map(({ name }) => name)).toContain('petal length');
    for (const { name, ...where } of seen) expect([name, where]).toEqual([name, { over: 0, nearest: true }]);
    if (width < 400) {
      // A finger cannot hover. A tap shows the row, and scrolling hides it.
      await other.page.locator('.table-scroll tbody tr').first().waitFor();
      const cloud = other.page.locator('.point-cloud');
      await cloud.evaluate((figure) => figure.scrollIntoView({ block: 'center' }));
      // Scrolling ends in the next frame.
      await frames(other.page, 3);
      await other.page.locator('.table-scroll tbody tr').nth(2).dispatchEvent('pointerenter');
      const { x, y, width: wide } = (await other.page.locator('.rings circle').first().boundingBox())!;
      await other.page.touchscreen.tap(x + wide / 2, y + wide / 2);
      const card = other.page.locator('.row-card').filter({ hasText: 'Row 3' });
      await card.waitFor();
      await other.page.evaluate(() => scrollBy(0, 40));
      await card.waitFor({ state: 'detached' });
    }
    await other.close();
  });

  it.each([
    [1440, 900],
    [390, 844],
  ])('shows the row under the pointer, at the pointer and inside the screen: %s × %s', async (width, height) => {
    const { page } = explore;
    await page.setViewportSize({ width, height });
    const card = page.locator('.row-card');
    const ring = page.locator('.rings circle').first();
    /** Moves the pointer to an element, checks that the card is inside the screen, and returns its distance from the pointer. */
    const away = async (x: number, y: number): Promise<number> => {
      await page.mouse.move(x, y);
      await card.waitFor();
      const box = (await card.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      const across = Math.max(box.x - x, 0, x - box.x - box.width);
      const down = Math.max(box.y - y, 0, y - box.y - box.height);
      return Math.hypot(across, down);
    };
    await page.getByText('How it was computed').waitFor();
    const row = page.locator('.table-scroll tbody tr').nth(2);
    await row.scrollIntoViewIfNeeded();
    const { x, y, height: high } = (await row.boundingBox())!;
    expect(await away(x + 40, y + high / 2)).toBeLessThan(24);
    expect(await card.textContent()).toMatch(/Row 3.*setosa/);
    // The ring marks the same row in the figure.
    await page.locator('.point-cloud').evaluate((cloud) => cloud.scrollIntoView({ block: 'center' }));
    await frames(page, 3);
    await row.dispatchEvent('pointerenter');
    const point = (await ring.boundingBox())!;
    const distance = await away(point.x + point.width / 2, point.y + point.height / 2);
    expect(distance).toBeGreaterThan(4);
    expect(distance).toBeLessThan(24);
    const box = (await card.boundingBox())!;
    expect(point.x >= box.x + box.width || point.x + point.width <= box.x || point.y >= box.y + box.height).toBe(true);
  });
});

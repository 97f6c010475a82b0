import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { show } from '@scree/analysis/describe';
import { pca } from 'scree';
import { expect, it } from 'vitest';
import { watch } from '../lab-site.js';
import { describeExplore, names, rows } from './explore-page.js';

describeExplore('the scores', (explore) => {
  it('lets the wheel scroll the page when zoomed out fully, and when the page is scrolling already', async () => {
    const cloud = explore.page.locator('.point-cloud canvas').first();
    await explore.page.getByText('How it was computed').waitFor();
    const ticks = () => explore.page.locator('.point-cloud .ticks-x').textContent();
    const scroll = () => explore.page.evaluate(() => scrollY);
    const before = await ticks();
    await cloud.hover();
    // The second is still the same turn of the wheel, back again: the page's.
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
    // The left cloud of iris is the setosa.
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
    // The other rows are still there to be added.
    await explore.page.getByRole('button', { name: '9', exact: true }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('2 rows selected');
  });

  it.each([60, -300])('draws and describes data of size 10^%s in their own units', async (power) => {
    const path = join(explore.folder, `units${power}.csv`);
    const line = (row: number[]): string => row.map((value) => `${value}e${power}`).join(',');
    await writeFile(path, `${names.join(',')}\n${rows.map(line).join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
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
    await expect.poll(() => table.textContent()).toContain(show(score * 10 ** power));
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
    const other = await watch(explore.browser, explore.url, { viewport: { width, height: 900 } });
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
    await other.close();
  });

  it('shows the row under the pointer', async () => {
    const card = explore.page.locator('.row-card');
    // Charts that come later move the table from under the pointer.
    await expect
      .poll(async () => {
        await explore.page.mouse.move(1, 1);
        await explore.page.locator('.table-scroll tbody tr').nth(2).hover();
        return (await card.count()) === 0 ? '' : card.textContent({ timeout: 1000 });
      })
      .toMatch(/Row 3.*setosa/);
  });

  it('places the row card next to the point', async () => {
    const ring = explore.page.locator('.rings circle').first();
    await explore.page.getByLabel('Built-in data').selectOption('wine');
    await explore.fitted(/178 rows/);
    for (const rows of [
      explore.page.getByRole('button', { name: 'row 96 (cultivar 2)' }),
      explore.page.locator('.table-scroll tbody tr').nth(2),
    ]) {
      await rows.waitFor();
      await explore.page.getByText('How it was computed').waitFor();
      await explore.page.mouse.move(1, 1);
      await rows.hover();
      await explore.page.locator('.row-card').waitFor();
      const [card, point] = [(await explore.page.locator('.row-card').boundingBox())!, (await ring.boundingBox())!];
      expect(point.x > card.x + card.width || point.x + point.width < card.x).toBe(true);
    }
  });
});

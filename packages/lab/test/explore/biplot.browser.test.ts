import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeExploreOnOnePage, rows } from './explore-page.js';

const LONG = 'a column whose name is much longer than an arrow has room for';

/** A table whose texts come last: groups and names of rows. */
const table = [
  ['first', LONG, 'third', 'kind', 'city'].join(','),
  ...rows.map((row, i) => [...row, row[0] > 5 ? 'upper half' : 'lower half', `city ${i}`].join(',')),
].join('\n');

describeExploreOnOnePage('arrows, ellipses and colours', (explore) => {
  const captions = () => explore.page.locator('.caption').allTextContents();

  it('draws the requested number of arrows, of the columns that contribute most, and says so', async () => {
    const scale =
      'Arrows show covariances with the standardised scores, scaled by one factor to the extent of the points.';
    expect(await captions()).toEqual([`Arrows: all 4 columns. ${scale}`]);
    const count = explore.page.getByLabel('Number of arrows');
    expect(await count.inputValue()).toBe('4');
    await count.fill('2');
    await expect.poll(captions).toEqual([`Arrows: the 2 of 4 columns that contribute most to PC1 and PC2. ${scale}`]);
    await expect.poll(() => explore.page.locator('.arrow-lines path').count()).toBe(2);
    // Petal length has the largest variance in iris.
    expect(await explore.page.locator('.arrow-names').textContent()).toContain('petal length');
    await expect.poll(() => explore.page.evaluate(() => location.hash)).toContain('arrows=2');
    await explore.page.getByRole('button', { name: 'Arrows' }).click();
    await expect.poll(captions).toEqual([]);
    expect(await count.count()).toBe(0);
  });

  it('draws ellipses of the means or of the rows at the chosen level, and hulls', async () => {
    const lines = explore.page.locator('.outline-lines path');
    const width = async () => (await lines.first().boundingBox())?.width ?? 0;
    const kind = explore.page.getByLabel('around groups');
    await kind.selectOption('confidence');
    await expect.poll(() => lines.count()).toBe(3);
    expect((await captions()).at(-1)).toMatch(
      /^Ellipses: each contains the true mean of its group with 95\s% confidence/,
    );
    const mean = await width();
    const grid = () => explore.page.locator('.point-cloud .grid').innerHTML();
    const axes = await grid();
    await kind.selectOption('concentration');
    await expect.poll(width).toBeGreaterThan(3 * mean);
    const most = await width();
    await explore.page.getByRole('combobox', { name: /^probability/ }).selectOption('0.99');
    await expect.poll(width).toBeGreaterThan(1.1 * most);
    // Ellipses may be larger than the figure, because only the points determine the axes.
    expect(await grid()).toBe(axes);
    await explore.page.getByRole('combobox', { name: /^probability/ }).selectOption('0.5');
    await expect.poll(width).toBeLessThan(0.7 * most);
    await expect.poll(async () => (await captions()).at(-1)).toMatch(/with a probability of 50\s%/);
    await expect.poll(() => explore.page.evaluate(() => location.hash)).toMatch(/outline=concentration.*level=0\.5/);
    await kind.selectOption('hull');
    await expect.poll(async () => (await captions()).at(-1)).toBe('Outlines: the convex hulls of the groups.');
    // The lines have the colours of the legend. Without groups there are none.
    const swatch = await explore.page
      .locator('.legend .swatch')
      .first()
      .evaluate((each) => getComputedStyle(each).backgroundColor);
    expect(await lines.first().evaluate((each) => getComputedStyle(each).stroke)).toBe(swatch);
    await explore.page.getByLabel('colour').selectOption('none');
    await expect.poll(() => lines.count()).toBe(0);
    expect(await kind.count()).toBe(0);
  });

  it('colours points and arrows by cos², and points by contribution', async () => {
    const legend = explore.page.locator('.legend');
    await explore.page.getByLabel('colour').selectOption('cos2');
    await expect.poll(() => legend.textContent()).toBe('cos² on PC1 and PC201');
    const strokes = () =>
      explore.page.locator('.arrow-lines path').evaluateAll((all) => all.map((each) => getComputedStyle(each).stroke));
    await expect.poll(async () => new Set(await strokes()).size).toBeGreaterThan(1);
    await explore.page.locator('.controls select').first().selectOption('2');
    await expect.poll(() => legend.textContent()).toMatch(/^cos² on PC3 and PC2/);
    await explore.page.locator('.controls .wide select').selectOption('contribution');
    await expect.poll(() => legend.textContent()).toMatch(/^contribution to PC3 and PC2, in %/);
    await expect.poll(async () => new Set(await strokes()).size).toBe(1);
    await expect.poll(() => explore.page.evaluate(() => location.hash)).toContain('colour=contribution');
  });

  it('shows correlations, contributions and cos² of the columns', async () => {
    await explore.page.getByLabel('Components kept (k)').fill('2');
    await explore.page.getByLabel('show').selectOption('contribution');
    const panel = explore.panel('Contributions of the columns, in %');
    const cells = panel.locator('table td');
    await expect.poll(() => cells.count()).toBe(8);
    const values = (await cells.allTextContents()).map(Number);
    for (const c of [0, 1]) {
      expect(values.filter((_, at) => at % 2 === c).reduce((sum, value) => sum + value, 0)).toBeCloseTo(100, 1);
    }
  });

  it('shows the view of a link', async () => {
    await explore.page.evaluate(() => {
      location.hash = '#/explore?data=iris&colour=4&arrows=1&outline=concentration&level=0.68&show=correlation';
    });
    await expect.poll(async () => (await captions()).join(' ')).toMatch(/^Arrows: the one of 4 columns.* of 68\s%/);
    expect(await explore.page.getByLabel('Number of arrows').inputValue()).toBe('1');
    await explore.panel('Correlations of the columns with the scores').waitFor();
    await explore.page.evaluate(() => {
      location.hash = '#/explore?data=iris&colour=cos2&arrows=0';
    });
    await expect
      .poll(async () => (await captions()).join(' '))
      .toMatch(/^cos²: the share of a row’s squared distance from the mean that PC1 and PC2 show\.$/);
  });

  it('describes the meaning of components after their stability', async () => {
    const words = explore.panel('In words');
    await words.getByText('What they mean').waitFor();
    expect(await words.textContent()).toMatch(
      /How stable.*What they mean.*PC1 \(92\s%\): more petal length.*separates the 3 levels of species \(η² \.93\): highest for virginica, lowest for setosa\..*How many/s,
    );
  });

  it('shows names, colours and texts before numbers, and whole names in files', async () => {
    const path = join(explore.folder, 'cities.csv');
    await writeFile(path, `${table}\n`);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
    await explore.page.getByLabel('Rows are named by').selectOption({ label: 'city' });
    const head = () => explore.page.locator('.table-scroll thead th').allTextContents();
    await expect.poll(async () => (await head()).slice(0, 4)).toEqual(['row', 'city', 'kind', 'first']);
    // Charts that are drawn later move the table away from the pointer.
    await expect
      .poll(async () => {
        await explore.page.mouse.move(1, 1);
        await explore.page.locator('.table-scroll tbody tr').nth(2).hover();
        return explore.page.locator('.row-card dt').allTextContents();
      })
      .toEqual([
        'city',
        'kind',
        'first',
        expect.stringContaining('a column'),
        'third',
        'PC1, PC2',
        'cos² on PC1, PC2',
        'error',
      ]);
    await explore.page.getByLabel('around groups').selectOption('concentration');
    await expect.poll(() => explore.page.locator('.outline-lines path').count()).toBe(2);
    for (const figure of ['scores', 'weights', 'component-1']) {
      const { bytes } = await explore.saved(() =>
        explore.page.getByRole('button', { name: `Save ${figure} as SVG` }).click(),
      );
      const text = await explore.page.evaluate(
        (svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement.textContent ?? '',
        bytes.toString(),
      );
      // A long name is broken into lines, never shortened.
      expect(text.replace(/\s+/g, ''), figure).toContain(LONG.replaceAll(' ', ''));
      expect(text, figure).not.toContain('…');
      if (figure !== 'scores') continue;
      expect(text).toMatch(/PC1 \([\d.]+\s%\) →/);
      expect(text).toMatch(/↑ PC2 \([\d.]+\s%\)/);
      expect(text).toMatch(/kind.*lower half \(\d+\).*upper half \(\d+\)/s);
      expect(text.replace(/\s+/g, ' ')).toContain('Arrows: all 3 columns. Arrows show covariances');
      expect(bytes.toString().match(/fill-opacity="0\.08"/g)?.length).toBe(2);
    }
  });

  it('saves a model with its choice and stability', async () => {
    await explore.page.getByText('and the advice of the criteria and the stability of the components').waitFor();
    const { bytes } = await explore.saved(() => explore.page.getByRole('button', { name: 'Model (JSON)' }).click());
    const model = JSON.parse(bytes.toString());
    expect([model.choice.k, model.stability.replicates]).toEqual([1, 200]);
  });
});

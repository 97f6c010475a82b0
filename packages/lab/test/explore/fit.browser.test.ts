import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from 'scree';
import { expect, it } from 'vitest';
import { describeExploreOnOnePage } from './explore-page.js';

describeExploreOnOnePage('settings and columns', (explore) => {
  it('drops rows with missing values, or fills them in, and says so', async () => {
    await explore.page.getByLabel('Built-in data').selectOption('penguins');
    await explore.fitted(/342 rows and 4 columns/);
    const notices = explore.panel('What was done to the data');
    await notices.getByText('2 of 344 rows have gaps and are left out (2 in bill_length_mm').waitFor();
    await notices.getByRole('button', { name: 'Fill in column means instead' }).click();
    await explore.fitted(/344 rows and 4 columns/);
    expect(await explore.page.getByLabel('Rows with missing values').inputValue()).toBe('mean');
    await notices.getByText('8 missing values were filled in with column means: 2 in bill_length_mm').waitFor();
    await notices.getByRole('button', { name: 'Leave these rows out instead' }).click();
    await explore.fitted(/342 rows and 4 columns/);
  });

  it('fits again for other columns and scales, and asks for a column when none is chosen', async () => {
    await explore.page.getByRole('checkbox', { name: 'petal width' }).uncheck();
    await explore.fitted(/150 rows and 3 columns/);
    await explore.page.getByLabel('Divide columns by').selectOption('unit');
    await expect.poll(() => explore.page.url()).toContain('scale=unit');
    await explore.page.getByRole('button', { name: 'None', exact: true }).click();
    await explore.page.getByText('Choose at least one column.').waitFor();
    await explore.page.getByRole('button', { name: 'All', exact: true }).click();
    await explore.fitted(/150 rows and 4 columns/);
  });

  it('requests any engine, or none on the graphics card if the switch is off', async () => {
    await explore.page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function record(this: Worker, message: unknown, ...rest: never[]) {
        const [, engine] = /"engine":"(\w+)"/.exec(JSON.stringify(message)) ?? [];
        if (engine) document.body.dataset.engine = engine;
        postMessage.call(this, message, ...rest);
      };
    });
    const engine = () => explore.page.locator('body').getAttribute('data-engine');
    const gpu = explore.page.getByLabel('Use the graphics card for large tables');
    if (!(await gpu.isVisible())) await explore.page.locator('summary', { hasText: 'Solver' }).click();
    expect(await gpu.isChecked()).toBe(true);
    await gpu.uncheck();
    await expect.poll(engine).toBe('wasm');
    await explore.fitted(/150 rows and 4 columns/);
    await gpu.check();
    await expect.poll(engine).toBe('auto');
    await explore.fitted(/150 rows and 4 columns/);
    await explore.page.locator('summary', { hasText: 'Solver' }).click();
  });

  it('cancels a fit and continues with other data', async () => {
    const path = join(explore.folder, 'slow.npy');
    const size = 1200;
    const writer = await createFile(path, { cols: size, dtype: 'float64' });
    const data = Float64Array.from({ length: size * size }, (_, i) => Math.sin(i * 1.7 + (i % 97)));
    await writer.write({ rows: size, cols: size, data });
    await writer.close();
    await explore.page.locator('summary', { hasText: 'Solver' }).click();
    await explore.open(path);
    await explore.page.getByLabel('Solver', { exact: true }).selectOption('svd');
    await explore.page.getByRole('button', { name: 'Cancel' }).click({ timeout: 20_000 });
    await explore.page.getByLabel('Built-in data').selectOption('iris');
    await explore.fitted(/150 rows/);
  });

  it('restores the second axis when there is a second component again', async () => {
    await explore.page.getByRole('button', { name: 'None', exact: true }).click();
    await explore.page.getByRole('checkbox', { name: 'petal width' }).check();
    await explore.fitted(/1 component of/);
    await expect.poll(() => explore.kept().textContent()).toMatch(/of the variance of 1 column$/);
    await explore.page.locator('[aria-label="Scores of 150 rows on component 1."]').waitFor();
    expect(await explore.page.locator('.table-scroll thead').textContent()).toMatch(/PC1error$/);
    await explore.page.getByRole('button', { name: 'All', exact: true }).click();
    await explore.fitted(/4 components of/);
    expect(await explore.page.getByRole('combobox', { name: 'y', exact: true }).inputValue()).toBe('1');
    await explore.page.getByText('page 1 of 6', { exact: true }).waitFor();
  });

  it('clears the selection when other rows are dropped', async () => {
    const path = join(explore.folder, 'gaps.csv');
    await writeFile(path, `a,b,c\n,1,2\n2,3,1\n4,,5\n7,8,1\n3,1,9\n6,2,2\n`);
    await explore.open(path);
    await explore.page.getByRole('checkbox', { name: 'b', exact: true }).uncheck();
    await explore.fitted(/5 rows and 2 columns/);
    await explore.page.getByRole('button', { name: '3', exact: true }).click();
    await expect.poll(() => explore.selection().textContent()).toContain('1 row selected');
    // The same number of rows, but different ones.
    await explore.page.evaluate(() => (location.hash = '#/explore?data=own&columns=1,2'));
    await explore.page.getByRole('button', { name: '1', exact: true }).waitFor();
    await expect.poll(() => explore.selection().textContent()).toContain('Click a point');
  });

  it('says that the shown fit is not the chosen one when a fit fails', async () => {
    const path = join(explore.folder, 'holes.csv');
    await writeFile(path, 'a,b,c\n1,2,\n2,4,\n3,1,\n,2,5\n,2,4\n');
    await explore.open(path);
    await explore.page.getByText('Not fitted', { exact: true }).waitFor();
    await explore.page.getByRole('checkbox', { name: 'c', exact: true }).uncheck();
    await explore.fitted(/3 rows and 2 columns/);
    expect(await explore.page.getByText('The chosen settings have not been fitted').count()).toBe(0);
    await explore.page.getByRole('checkbox', { name: 'c', exact: true }).check();
    await explore.page.getByText('The chosen settings have not been fitted').waitFor();
    expect(await explore.page.locator('pre').first().textContent()).toContain('--columns a,b');
  });
});

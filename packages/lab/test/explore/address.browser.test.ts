import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from 'scree';
import { expect, it } from 'vitest';
import { watch } from '../lab-site.js';
import { describeExplore, rows } from './explore-page.js';

describeExplore('the address', (explore) => {
  it('writes the address at intervals while a slider is dragged, and at the end', async () => {
    const before = await explore.status().textContent();
    const [written, milliseconds] = await explore.page.evaluate(async () => {
      let count = 0;
      const start = performance.now();
      const replace = history.replaceState.bind(history);
      history.replaceState = (...given) => {
        count++;
        replace(...given);
      };
      const slider = document.querySelector<HTMLInputElement>('#k')!;
      for (let i = 0; i < 60; i++) {
        slider.value = String(1 + (i % 4));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      return [count, performance.now() - start];
    });
    // At most one write in 400 ms, because Safari allows a hundred in 30 seconds.
    expect(written).toBeLessThanOrEqual(1 + milliseconds / 400);
    await expect.poll(() => explore.page.url()).toContain('k=4');
    // The page does not follow an address that it wrote itself: nothing is fitted again.
    expect(await explore.status().textContent()).toBe(before);
  });

  it('holds all choices, but no data', async () => {
    await explore.page.getByLabel('Built-in data').selectOption('wine');
    await explore.fitted(/178 rows/);
    await explore.page.getByLabel('Components kept (k)').fill('3');
    await explore.page.getByRole('button', { name: '3-D' }).click();
    await explore.page.getByRole('combobox', { name: 'colour' }).selectOption('error');
    await expect.poll(() => explore.page.url()).toMatch(/data=wine.*k=3.*view=3d.*colour=error/);
    const address = explore.page.url();
    await explore.page.goto('about:blank');
    await explore.page.goto(address);
    await explore.fitted(/178 rows/);
    await expect.poll(() => explore.kept().textContent()).toContain('k = 3');
    expect(await explore.page.getByRole('button', { name: '3-D' }).getAttribute('aria-pressed')).toBe('true');
    expect(await explore.page.getByRole('combobox', { name: 'colour' }).inputValue()).toBe('error');
  });

  it('belongs to the previous data until the new data have a fit, shows no figure beside their name, and goes back', async () => {
    await explore.page.getByLabel('Components kept (k)').fill('3');
    await expect.poll(() => explore.page.url()).toContain('data=iris&k=3&colour=4');
    // Back must not leave the page.
    const entries = await explore.page.evaluate(() => history.length);
    /** Records at every change of the page if figures are visible, and the name beside them. */
    await explore.page.evaluate(() => {
      const seen = new Set<string>();
      const note = (): void => {
        const figure = document.querySelector('.point-cloud');
        const isDrawn = figure !== null && getComputedStyle(figure).visibility === 'visible';
        const name = document.querySelector(':is(.facts, .opening) strong')?.textContent;
        seen.add(`${name} ${isDrawn ? 'beside a figure' : 'alone'}`);
        document.body.dataset.seen = JSON.stringify([...seen]);
      };
      new MutationObserver(note).observe(document.querySelector('.explore')!, { subtree: true, childList: true });
    });
    const path = join(explore.folder, 'slow-one.npy');
    const size = 1500;
    const writer = await createFile(path, { cols: size, dtype: 'float64' });
    const data = Float64Array.from({ length: size * size }, (_, i) => Math.sin(i * 1.7 + (i % 97)));
    await writer.write({ rows: size, cols: size, data });
    await writer.close();
    await explore.open(path);
    // Longer than the address waits between two writings; the fit takes seconds.
    await explore.page.getByRole('button', { name: 'Cancel' }).waitFor();
    const [url, status] = [explore.page.url(), await explore.page.locator('.status').textContent()];
    expect(status).toMatch(/(Reading|Fitting) slow-one\.npy/);
    expect(url).toContain('data=iris&k=3&colour=4');
    await explore.page.getByRole('button', { name: 'Cancel' }).click();
    // The open data have no fit, and so no view.
    await explore.page.getByText('Not fitted', { exact: true }).waitFor();
    await expect.poll(() => explore.page.url()).toMatch(/data=own$/);
    expect(await explore.page.evaluate(() => history.length)).toBe(entries + 1);
    await explore.page.goBack();
    await explore.fitted(/150 rows and 4 columns/);
    await expect.poll(() => explore.kept().textContent()).toContain('k = 3');
    expect(explore.page.url()).toContain('data=iris&k=3&colour=4');
    const seen: string[] = JSON.parse((await explore.page.locator('body').getAttribute('data-seen')) ?? '[]');
    expect(seen).toContain('slow-one.npy alone');
    expect(seen).toContain('iris.csv beside a figure');
    expect(seen).not.toContain('slow-one.npy beside a figure');
  });

  it('is followed when it changes, and is filled in when it is empty', async () => {
    await explore.page.evaluate(() => (location.hash = '#/explore?data=wine&k=5&columns=0-6'));
    await explore.fitted(/178 rows and 7 columns/);
    await expect.poll(() => explore.kept().textContent()).toContain('k = 5');
    for (const screen of ['Explore', 'Learn', 'Explore'])
      await explore.page.getByRole('link', { name: screen }).click();
    await expect.poll(() => explore.page.url()).toMatch(/data=wine&columns=0-6&k=5/);
    await explore.page.evaluate(() => (location.hash = '#/explore?data=wine&k=2'));
    await explore.fitted(/178 rows and 13 columns/);
    await explore.page.evaluate(() => (location.hash = '#/explore?file=http%3A%2F%2F%5B'));
    await explore.page.getByText('a file that is not a valid URL').waitFor();
  });

  it('is not overwritten when the user has just left and the event has not arrived yet', async () => {
    const visited = await watch(explore.browser, `${explore.url}#/explore?data=iris`);
    // This listener is the first, and delays the events.
    await visited.page.addInitScript(() => {
      for (const name of ['hashchange', 'popstate'])
        addEventListener(name, (event) => {
          if (event.isTrusted) event.stopImmediatePropagation();
        });
    });
    await visited.page.reload();
    await visited.page.locator('#k').waitFor();
    await visited.page.evaluate(async () => {
      const slider = document.querySelector<HTMLInputElement>('#k')!;
      // The first change is written at once and the second after a pause. The user leaves during the pause.
      for (const value of ['1', '2']) {
        slider.value = value;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      location.hash = '#/learn/forces';
      await new Promise((done) => setTimeout(done, 1000));
      dispatchEvent(new Event('hashchange'));
    });
    await visited.page.locator('[data-screen=forces]').waitFor();
    visited.check();
    await visited.close();
  });

  it('keeps the view of a local file until the file is opened again', async () => {
    const path = join(explore.folder, 'own.csv');
    await writeFile(path, `who,a,b,c\n${rows.map((row, i) => `p${i},${row}`).join('\n')}\n`);
    await explore.open(path);
    await explore.page.getByLabel('Divide columns by').selectOption('unit');
    await explore.page.getByRole('checkbox', { name: 'b', exact: true }).uncheck();
    await explore.fitted(/60 rows and 2 columns/);
    await expect
      .poll(() => explore.page.url())
      .toMatch(/data=own&columns=1,3&scale=unit|data=own&columns=1%2C3&scale=unit/);
    const address = explore.page.url();
    await explore.page.goto('about:blank');
    await explore.page.goto(address);
    await explore.page.getByText('This link belongs to a local file').waitFor();
    await explore.open(path);
    await explore.fitted(/60 rows and 2 columns/);
    expect(await explore.page.getByLabel('Divide columns by').inputValue()).toBe('unit');
    // Other local files have the same address, but separate entries in the history.
    for (const rows of ['1,2\n2,4\n5,1\n', '1,2\n2,4\n5,1\n7,8\n']) {
      const name = `other-${rows.length}.csv`;
      await writeFile(join(explore.folder, name), `a,b\n${rows}`);
      await explore.open(join(explore.folder, name));
      await explore.fitted(new RegExp(`of ${rows.split('\n').length - 1} rows and 2 columns`));
    }
    const own = explore.page.url();
    await explore.page.goBack();
    await explore.fitted(/of 3 rows and 2 columns/);
    expect(explore.page.url()).toBe(own);
    await explore.page.goForward();
    await explore.fitted(/of 4 rows and 2 columns/);
    await explore.page.evaluate(() => history.go(-2));
    await explore.fitted(/60 rows and 2 columns/);
    expect(await explore.page.getByLabel('Divide columns by').inputValue()).toBe('unit');
  });
});

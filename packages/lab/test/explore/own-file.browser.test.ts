import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations, watch } from '../lab-site.js';
import { describeExploreOnOnePage } from './explore-page.js';

const WINE = fileURLToPath(new URL('../../src/data/wine.csv', import.meta.url));
const PENGUINS = fileURLToPath(new URL('../../src/data/penguins.csv', import.meta.url));

/** 60 rows with an identifier, columns of very different spread, and a group that separates them. */
const table = `id,small,large,other,group\n${Array.from({ length: 60 }, (_, i) => {
  const group = i % 3;
  // Angles that grow by squares: neighbouring rows are unrelated, so that their order is no finding.
  const [a, b, c] = [7.1, 12.9, 31.7].map((step) => Math.sin(step * i * i));
  return [1000 + 7 * i, group + a, 500 * group + 90 * b, c, `g${group}`].join(',');
}).join('\n')}\n`;

describeExploreOnOnePage("the user's own file", (explore) => {
  const notices = (): Locator => explore.panel('What was done to the data');
  const undo = (about: string): Locator => notices().getByRole('button', { name: `Undo: ${about}` });
  const putBack = (about: string): Locator => notices().getByRole('button', { name: `Put back: ${about}` });
  const value = (label: string): Promise<string> => explore.page.getByLabel(label).inputValue();
  const colour = (): Promise<string> => explore.page.getByRole('combobox', { name: 'colour' }).inputValue();
  const openTable = async (): Promise<string> => {
    const path = join(explore.folder, 'mine.csv');
    await writeFile(path, table);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
    return path;
  };

  it.each([
    ['wine', WINE, /178 rows and 13 columns/],
    ['penguins', PENGUINS, /342 rows and 4 columns/],
  ])('looks like the built-in set if it is the same file: %s', async (name, path, status) => {
    /** The contents of the page: axes with their shares, k and its reason, groups, weights, sentences. */
    const picture = async (): Promise<(string | null)[]> => {
      await explore.fitted(status);
      await explore.page.getByText('this is about other samples').waitFor();
      // The description of rows follows k a little later.
      const k = /k = (\d+)/.exec((await explore.kept().textContent()) ?? '')?.[1];
      await explore.page.getByText(new RegExp(`from ${k} scores?\\.`)).waitFor();
      const parts = ['.point-cloud .names', '.kept', '.k-reason', '.legend', '.weights table', '.words'];
      return Promise.all(parts.map((part) => explore.page.locator(part).first().textContent()));
    };
    await explore.page.getByLabel('Built-in data').selectOption(name);
    const builtIn = await picture();
    await explore.open(path);
    await expect.poll(() => explore.page.url()).toContain('data=own');
    expect(await picture()).toEqual(builtIn);
  });

  it('is standardised, without identifiers, coloured by its groups, and each choice has an undo', async () => {
    await openTable();
    await notices().getByText('id is left out of the fit: it has the name of an identifier.').waitFor();
    await notices()
      .getByText(/Columns are divided by their standard deviations, because these differ \d+-fold/)
      .waitFor();
    await notices()
      .getByText(/Points are coloured by group: [\d.]+.% of the variance .* between its 3 groups/)
      .waitFor();
    expect([await value('Divide columns by'), await colour()]).toEqual(['unit', '4']);
    await undo('Points').click();
    await expect.poll(colour).toBe('none');
    await undo('Columns').click();
    await expect.poll(() => value('Divide columns by')).toBe('none');
    await putBack('id').click();
    await explore.fitted(/60 rows and 4 columns/);
    expect(await notices().count()).toBe(0);
  });

  it('is shown in the same way when its address is opened again, with choices and without them', async () => {
    const path = await openTable();
    await expect.poll(() => explore.page.url()).toMatch(/data=own&columns=1-3&scale=unit&colour=4$/);
    await undo('Columns').click();
    await putBack('id').click();
    await undo('Points').click();
    await expect.poll(() => explore.page.url()).toMatch(/data=own&columns=0-3&scale=none&colour=none$/);
    const address = explore.page.url();
    await explore.page.goto('about:blank');
    await explore.page.goto(address);
    await explore.page.getByText('This link belongs to a local file').waitFor();
    await explore.open(path);
    await explore.fitted(/60 rows and 4 columns/);
    expect([await value('Divide columns by'), await colour()]).toEqual(['none', 'none']);
    expect(await notices().count()).toBe(0);
  });

  it('has warnings that a click resolves', async () => {
    await openTable();
    await undo('Columns').click();
    await putBack('id').click();
    await explore.fitted(/60 rows and 4 columns/);
    const words = explore.panel('In words');
    await words.getByText(/standard deviations of the columns differ \d+-fold, .* \(large\)/).waitFor();
    await words.getByRole('button', { name: /^Leave out id: / }).click();
    await explore.fitted(/60 rows and 3 columns/);
    await words.getByRole('button', { name: /^Divide by standard deviations: / }).click();
    await expect.poll(() => value('Divide columns by')).toBe('unit');
    await expect.poll(() => words.locator('.warning').count()).toBe(0);
  });

  it('passes axe in both themes, with its notices and warnings', async () => {
    const path = await openTable();
    const other = await watch(explore.browser, explore.url, { bypassCSP: true });
    await other.page.locator('input[type=file]').setInputFiles(path);
    await other.page.getByRole('button', { name: 'Put back: id' }).click();
    await other.page.getByRole('button', { name: 'Leave out id: ' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await other.page.emulateMedia({ colorScheme });
      expect(await violations(other.page), colorScheme).toEqual([]);
    }
    other.check();
    await other.close();
  });

  it('counts rows with gaps per column, as the command does', async () => {
    const path = join(explore.folder, 'gaps.csv');
    const cell = (i: number, every: number): string => (i % every === 0 ? '' : String(Math.sin(i * every)));
    const lines = Array.from({ length: 40 }, (_, i) => `${Math.cos(i)},${cell(i, 8)},${cell(i, 20)}`);
    await writeFile(path, `a,b,c\n${lines.join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/34 rows and 3 columns/);
    await notices().getByText('6 of 40 rows have gaps and are left out (5 in b, 2 in c).').waitFor();
  });
});

describeExploreOnOnePage('the number of components', (explore) => {
  const reason = (): Promise<string | null> => explore.page.locator('.k-reason').textContent();

  it('follows the recommendation when the scaling changes, and is marked on the plot', async () => {
    await explore.page.getByLabel('Built-in data').selectOption('wine');
    await explore.fitted(/178 rows/);
    await expect.poll(reason).toBe('k = 3: the permutation test and the elbow agree');
    await expect
      .poll(() => explore.page.locator('.scree-chart svg').textContent())
      .toContain('permutation test, elbow: 3');
    await explore.page.getByLabel('Divide columns by').selectOption('none');
    await expect.poll(reason).toMatch(/^k = 1: the permutation test/);
    expect(explore.page.url()).not.toContain('k=');
  });

  it('stays as the user chose it, with a button to return to the advice', async () => {
    await explore.page.getByLabel('Built-in data').selectOption('wine');
    await expect.poll(reason).toBe('k = 3: the permutation test and the elbow agree');
    await explore.page.getByLabel('Components kept (k)').fill('5');
    await expect.poll(reason).toBe('k = 5: chosen by hand · permutation test: 3 · elbow: 3');
    await explore.page.getByLabel('Divide columns by').selectOption('none');
    await expect.poll(reason).toMatch(/^k = 5: chosen by hand · permutation test: 1/);
    await explore.page.getByRole('button', { name: 'permutation test: 1' }).click();
    await expect.poll(reason).toMatch(/^k = 1: the permutation test/);
    await explore.page.getByLabel('Divide columns by').selectOption('unit');
    await expect.poll(reason).toMatch(/^k = 3/);
  });

  it('is 1 if no component stands out from noise, and the components are called uncertain', async () => {
    const path = join(explore.folder, 'noise.csv');
    let state = 7;
    const random = (): number => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    const normal = (): number => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const lines = Array.from({ length: 200 }, () => Array.from({ length: 10 }, normal).join(','));
    await writeFile(path, `${Array.from({ length: 10 }, (_, j) => `x${j}`)}\n${lines.join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/200 rows and 10 columns/);
    await expect.poll(reason).toMatch(/^k = 1: the permutation test finds none above noise/);
    await explore.page.getByText(/^PC1 (and|to) PC\d+ may (swap|change places) in another sample/).waitFor();
    const words = await explore.panel('In words').innerText();
    expect(words).toContain('Nothing stands out of noise');
    expect(words).not.toMatch(/determined by the data/i);
  });
});

describeExploreOnOnePage('the bootstrap', (explore) => {
  it('does not block the slider or other data, and is stopped by another fit', async () => {
    const path = join(explore.folder, 'large.csv');
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      Array.from({ length: 60 }, (_, j) => Math.sin(i * (j + 1.7) + j * j).toFixed(4)).join(','),
    );
    await writeFile(path, `${Array.from({ length: 60 }, (_, j) => `x${j}`)}\n${lines.join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/20,000 rows and 60 columns/);
    await explore.page.getByRole('progressbar', { name: 'Drawing samples from these rows' }).waitFor();
    await explore.page.getByLabel('Components kept (k)').fill('7');
    await expect.poll(() => explore.kept().textContent()).toContain('k = 7');
    expect(await explore.page.getByRole('progressbar', { name: 'Drawing samples' }).count()).toBe(1);
    await watchCalls();
    await explore.page.getByLabel('Divide columns by').selectOption('unit');
    await expect.poll(() => noted('started')).toBe('yes');
    await explore.page.getByLabel('Built-in data').selectOption('iris');
    await explore.fitted(/150 rows/);
    expect(await noted('cancelled')).toBe('yes');
    await explore.page.getByText('PC1 is stable (±3°).').waitFor();
  });

  /** Records on the page when a bootstrap starts, and when a call is cancelled after that. */
  const watchCalls = (): Promise<void> =>
    explore.page.evaluate(() => {
      delete document.body.dataset.started;
      delete document.body.dataset.cancelled;
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (this: Worker, ...given: unknown[]) {
        const [message] = given as [{ cancel?: true; method?: string }];
        if (message.method === 'analysis') document.body.dataset.started = 'yes';
        if (message.cancel && document.body.dataset.started) document.body.dataset.cancelled = 'yes';
        return (post as (...all: unknown[]) => void).apply(this, given);
      };
    });
  const noted = (what: 'started' | 'cancelled'): Promise<string | undefined> =>
    explore.page.evaluate((name) => document.body.dataset[name], what);

  it('is stopped when the user leaves for Learn, and done on return', async () => {
    // Otherwise the analysis of iris could be the one that is noted.
    await explore.page.getByText('PC1 is stable (±3°).').waitFor();
    await watchCalls();
    await explore.open(join(explore.folder, 'large.csv'));
    await expect.poll(() => noted('started')).toBe('yes');
    await explore.page.getByRole('link', { name: 'Learn' }).click();
    await expect.poll(() => noted('cancelled')).toBe('yes');
    await explore.page.getByRole('link', { name: 'Explore' }).click();
    await explore.page.getByText('this is about other samples').waitFor();
  });
});

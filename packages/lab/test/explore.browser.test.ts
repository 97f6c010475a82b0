import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { show } from '@scree/core/words';
import type { Browser, Download, Page } from 'playwright-core';
import { createFile, loadModel, openFile, pca } from 'scree';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { launchChromium } from '../../../test/chromium.js';
import { ISOLATED, labSite, serve, violations, type Watched, watch } from './lab-site.js';

const executablePath = inject('chromium');

/** 60 rows of three correlated columns, and a name for each. */
const rows = Array.from({ length: 60 }, (_, i) => {
  const [a, b] = [Math.sin(i), Math.cos(2.3 * i)];
  return [3 * a + 0.1 * b + 5, a - 0.4 * b, 0.5 * b + 0.01 * i];
});
const names = ['alpha', 'beta', 'gamma'];

describe.skipIf(!executablePath)('Explore, in Chromium', () => {
  let browser: Browser;
  let server: { url: string; close(): Promise<void> };
  let site: Awaited<ReturnType<typeof labSite>>;
  let folder: string;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    site = await labSite();
    server = await serve(site, ISOLATED);
    browser = await launchChromium(executablePath);
    folder = await mkdtemp(join(tmpdir(), 'scree-lab-'));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    watched = await watch(browser, server.url, { acceptDownloads: true });
    page = watched.page;
    await fitted();
  });
  afterEach(async () => {
    watched.check();
    await watched.close();
  });

  const status = () => page.locator('.status [role=status]');
  const kept = () => page.locator('.kept');
  const selection = () => page.locator('.selection');
  const panel = (title: string) => page.getByRole('region', { name: title, exact: true });

  async function fitted(text = /components? of/): Promise<void> {
    await status().filter({ hasText: text }).waitFor();
    await page.locator('.point-cloud canvas').first().waitFor();
  }

  async function open(path: string): Promise<void> {
    await page.locator('input[type=file]').setInputFiles(path);
    await page
      .locator('.facts')
      .filter({ hasText: path.split('/').at(-1)! })
      .waitFor();
  }

  async function saved(press: () => Promise<void>): Promise<{ name: string; bytes: Buffer; path: string }> {
    const [download] = await Promise.all([page.waitForEvent('download'), press()]);
    const path = join(folder, `${Date.now()}-${(download as Download).suggestedFilename()}`);
    await download.saveAs(path);
    return { name: download.suggestedFilename(), bytes: await readFile(path), path };
  }

  it('begins with iris, fitted, drawn, and in words', async () => {
    await expect.poll(() => kept().textContent()).toMatch(/97\.8\s%/);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await page.getByText('Every axis is determined by the data').waitFor();
    expect(await page.locator('.table-scroll tbody tr').count()).toBe(25);
    expect(await page.locator('.pager').textContent()).toContain('page 1 of 6');
    await page.getByRole('button', { name: 'row 101 (virginica)' }).click();
    await expect.poll(() => selection().textContent()).toContain('1 row selected');
  });

  it('loads less than 400 KB of scripts, packed, the worker among them', async () => {
    await page.getByText('Every axis is determined by the data').waitFor();
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const names = [...site.keys()].filter(
      (name) => name.endsWith('.js') && (/worker-/.test(name) || asked.some((address) => address.endsWith(name))),
    );
    expect(names.length).toBeGreaterThan(2);
    const bytes = names.reduce((sum, name) => sum + gzipSync(site.get(name)!).length, 0);
    expect(bytes).toBeLessThan(400 * 1024);
  });

  it('keeps as many components as the handle says, by pointer and by keyboard', async () => {
    const box = (await page.locator('.scree-chart').boundingBox())!;
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 10, box.y + 80, { steps: 8 });
    await page.mouse.up();
    await expect.poll(() => kept().textContent()).toContain('k = 4');
    await page.getByText('Nothing is lost with k = 4').waitFor();
    await page.getByLabel('Components kept (k)').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => kept().textContent()).toContain('k = 1');
    await expect.poll(() => page.url()).toContain('k=1');
  });

  it('keeps k while a finger scrolls past the chart, and follows one that goes across or taps', async () => {
    const phone = await watch(browser, server.url, { viewport: { width: 390, height: 700 }, hasTouch: true });
    const chart = phone.page.locator('.scree-chart svg');
    await chart.waitFor();
    await phone.page.getByText('Determined by the data?').waitFor();
    await chart.scrollIntoViewIfNeeded();
    const devtools = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    const draw = async (dx: number, dy: number): Promise<void> => {
      const box = (await chart.boundingBox())!;
      const [x, y] = [box.x + 0.85 * box.width, box.y + 0.5 * box.height];
      await touch('touchStart', { x, y });
      for (let step = 1; step <= 10; step++) await touch('touchMove', { x: x + dx * step, y: y + dy * step });
      await touch('touchEnd');
    };
    const told = () => phone.page.locator('.kept').textContent();
    const before = await phone.page.evaluate(() => scrollY);
    await draw(0.4, -8);
    await expect.poll(() => phone.page.evaluate(() => scrollY)).toBeGreaterThan(before + 20);
    expect(await told()).toContain('k = 2');
    await draw(-22, 0.4);
    await expect.poll(told).toContain('k = 1');
    const box = (await chart.boundingBox())!;
    await phone.page.touchscreen.tap(box.x + box.width - 10, box.y + 80);
    await expect.poll(told).toContain('k = 4');
    await chart.click({ button: 'right', position: { x: 100, y: 80 } });
    expect(await told()).toContain('k = 4');
    phone.check();
    await phone.close();
  });

  it('leaves the wheel to the page where there is nothing more to see, and to whoever is scrolling already', async () => {
    const cloud = page.locator('.point-cloud canvas').first();
    await page.getByText('Determined by the data?').waitFor();
    const ticks = () => page.locator('.point-cloud .ticks-x').textContent();
    const scroll = () => page.evaluate(() => scrollY);
    const before = await ticks();
    await cloud.hover();
    // The second is still the same turn of the wheel, back again: the page's.
    await page.mouse.wheel(0, 120);
    await page.mouse.wheel(0, -60);
    await expect.poll(scroll).toBe(60);
    expect(await ticks()).toBe(before);
    await page.waitForTimeout(400);
    await page.mouse.wheel(0, -240);
    await expect.poll(ticks).not.toBe(before);
    expect(await scroll()).toBe(60);
  });

  it('writes its address now and then while a slider is dragged, and in the end', async () => {
    const before = await status().textContent();
    const written = await page.evaluate(async () => {
      let count = 0;
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
      return count;
    });
    expect(written).toBeLessThan(20);
    await expect.poll(() => page.url()).toContain('k=4');
    // What the page writes itself is nowhere that somebody went: nothing is fitted again.
    expect(await status().textContent()).toBe(before);
  });

  it('selects rows by lasso, by search and by click, in every view', async () => {
    const cloud = page.locator('.point-cloud canvas').first();
    await page.getByRole('button', { name: 'Lasso' }).click();
    const box = (await cloud.boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    for (const [x, y] of [
      [0.42, 0.02],
      [0.42, 0.98],
      [0.02, 0.98],
      [0.02, 0.03],
    ]) {
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 6 });
    }
    await page.mouse.up();
    // The left cloud of iris is the setosa.
    await expect.poll(() => selection().textContent()).toMatch(/^\d+ rows selected/);
    const cells = await page.locator('.table-scroll tbody td:nth-child(2)').allTextContents();
    expect(new Set(cells)).toEqual(new Set(['setosa']));
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => selection().textContent()).toContain('Click a point');
    for (const _ of [1, 2]) await page.getByRole('button', { name: 'Next' }).click();
    await page.getByLabel('Find rows by label, text or number').fill('virgin');
    await page.keyboard.press('Enter');
    await expect.poll(() => selection().textContent()).toContain('50 rows selected');
    await page.getByText('page 1 of 2', { exact: true }).waitFor();
    await page.getByLabel('Find rows by label, text or number').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('nothing found').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: '7', exact: true }).click();
    await expect.poll(() => selection().textContent()).toContain('1 row selected');
    // The other rows are still there to be added.
    await page.getByRole('button', { name: '9', exact: true }).click();
    await expect.poll(() => selection().textContent()).toContain('2 rows selected');
  });

  it.each([60, -300])('draws and tells data of ten to the %s as they are', async (power) => {
    const path = join(folder, `units${power}.csv`);
    const line = (row: number[]): string => row.map((value) => `${value}e${power}`).join(',');
    await writeFile(path, `${names.join(',')}\n${rows.map(line).join('\n')}\n`);
    await open(path);
    await fitted(/60 rows and 3 columns/);
    await page.getByLabel('Components kept (k)').fill('1');
    const raised = power === 60 ? '10⁶⁰' : '10⁻³⁰⁰';
    await expect.poll(() => page.locator('.point-cloud .names').textContent()).toContain(raised);
    expect(await page.locator('.point-cloud .arrow-names').textContent()).toContain('alpha');
    await expect
      .poll(() => panel('In words').textContent())
      .toMatch(power === 60 ? /rows are within 4\.591\s×\s10⁵⁹ of/ : /rows are within 4\.591\s×\s10⁻³⁰¹ of/);
    const table = page.locator('.table-scroll tbody tr').first();
    const model = await pca(rows, { k: 1 });
    const [score] = (await model.transform(rows)).data;
    await expect.poll(() => table.textContent()).toContain(show(score * 10 ** power));
    await page.getByRole('button', { name: 'Lasso' }).click();
    const box = (await page.locator('.point-cloud canvas').boundingBox())!;
    const corner = (x: number, y: number) => page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    await corner(0.001, 0.001);
    await page.mouse.down();
    for (const [x, y] of [
      [0.999, 0.001],
      [0.999, 0.999],
      [0.001, 0.999],
      [0.001, 0.01],
    ])
      await corner(x, y);
    await page.mouse.up();
    await expect.poll(() => selection().textContent()).toContain('60 rows selected');
  });

  it.each([390, 1280])(
    'names arrows where nobody takes the name for that of another, %s pixels wide',
    async (width) => {
      const other = await watch(browser, server.url, { viewport: { width, height: 900 } });
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
    },
  );

  it('shows the row under the pointer', async () => {
    const card = page.locator('.row-card');
    // Charts that come later move the table from under the pointer.
    await expect
      .poll(async () => {
        await page.mouse.move(1, 1);
        await page.locator('.table-scroll tbody tr').nth(2).hover();
        return (await card.count()) === 0 ? '' : card.textContent({ timeout: 1000 });
      })
      .toMatch(/Row 3.*setosa/);
  });

  it('tells about the row under the pointer beside its point', async () => {
    const ring = page.locator('.rings circle').first();
    for (const rows of [
      page.getByRole('button', { name: 'row 101 (virginica)' }),
      page.locator('.table-scroll tbody tr').nth(2),
    ]) {
      await rows.waitFor();
      await page.getByText('Determined by the data?').waitFor();
      await page.mouse.move(1, 1);
      await rows.hover();
      await page.locator('.row-card').waitFor();
      const [card, point] = [(await page.locator('.row-card').boundingBox())!, (await ring.boundingBox())!];
      expect(point.x > card.x + card.width || point.x + point.width < card.x).toBe(true);
    }
  });

  it('takes a column with a few words in it for text, says so, and writes a command that leaves it out', async () => {
    const path = join(folder, 'words-within.csv');
    const lines = rows.map((row, i) => `${row},${i === 41 ? 'ill' : i}`);
    await writeFile(path, `a,b,c,d\n${lines.join('\n')}\n`);
    await open(path);
    await fitted(/60 rows and 3 columns/);
    await page.getByText('taken as text: d (row 42 holds "ill")').waitFor();
    expect(await page.locator('pre').first().textContent()).toContain('--columns a,b,c');
  });

  it('keeps names that turn the direction of writing from turning its sentences', async () => {
    const path = join(folder, 'turned.csv');
    await writeFile(path, `a\u202eb,עברית,c\n${rows.map((row) => row.join(',')).join('\n')}\n`);
    await open(path);
    await fitted(/60 rows and 3 columns/);
    await page.locator('.weights svg').first().waitFor();
    const [said, svg] = await page.evaluate(() => [
      document.body.innerText,
      document.querySelector('.weights svg')!.outerHTML,
    ]);
    for (const text of [said, svg]) {
      expect(text).not.toContain('\u202e');
      expect(text.replaceAll('\u2068עברית\u2069', '')).not.toContain('עברית');
    }
  });

  describe('opens', () => {
    const csv = `name,${names.join(',')}\n${rows.map((row, i) => `row ${i},${row.join(',')}`).join('\n')}\n`;
    const flat = Float64Array.from(rows.flat());
    const files: Record<string, () => Promise<string | Uint8Array | undefined>> = {
      'table.csv': async () => csv,
      'table.tsv': async () => csv.replaceAll(',', '\t'),
      'table.csv.gz': async () => gzipSync(csv),
      'table.json': async () =>
        JSON.stringify(
          rows.map((row, i) => ({ name: `row ${i}`, ...Object.fromEntries(names.map((n, j) => [n, row[j]])) })),
        ),
      'table.npy': async () => undefined,
      'table.parquet': async () => undefined,
      'table.arrow': async () => undefined,
    };
    it.each(Object.keys(files))('%s, and finds what the library finds', async (name) => {
      const path = join(folder, name);
      const content = await files[name]();
      if (content !== undefined) await writeFile(path, content);
      else {
        const writer = await createFile(path, { cols: 3, columnNames: names, dtype: 'float64' });
        await writer.write({ rows: rows.length, cols: 3, data: flat });
        await writer.close();
      }
      await open(path);
      await fitted(/60 rows and 3 columns/);
      const model = await pca(rows, { k: 2 });
      const share = ((model.variances[0] + model.variances[1]) / model.totalVariance) * 100;
      await page.getByLabel('Components kept (k)').fill('2');
      await expect.poll(() => kept().textContent()).toContain(share.toFixed(1));
    });

    it('IDX images, as pictures', async () => {
      const pixels = Uint8Array.from({ length: 40 * 8 * 8 }, (_, i) => (i * 37 + (i % 64) * (i % 13)) % 256);
      const header = Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 40, 0, 0, 0, 8, 0, 0, 0, 8);
      const path = join(folder, 'tiny-images');
      await writeFile(path, Buffer.concat([header, pixels]));
      await open(path);
      await fitted(/40 rows and 64 columns/);
      await panel('A row, rebuilt').waitFor();
      expect(await panel('Components as pictures').locator('canvas').count()).toBeGreaterThan(20);
    });

    it('a table that is pasted', async () => {
      await page.getByRole('button', { name: 'Paste a table' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('a\tb\n1\t2\n2\t1\n4\t9\n');
      await page.getByRole('button', { name: 'Use it' }).click();
      await fitted(/3 rows and 2 columns/);
    });

    it('digits of MNIST, and rebuilds one better with more components', async () => {
      await page.getByLabel('Built-in data').selectOption('mnist');
      await fitted(/10,000 rows and 784 columns/);
      const keptOf = async () => Number(/([\d.]+).%/.exec((await panel('A row, rebuilt').textContent())!)![1]);
      await page.getByLabel('Components kept (k)').fill('5');
      await panel('A row, rebuilt').getByText('from 5 numbers').waitFor();
      const few = await keptOf();
      await page.getByLabel('Components kept (k)').fill('100');
      await panel('A row, rebuilt').getByText('from 100 numbers').waitFor();
      expect(await keptOf()).toBeGreaterThan(few);
      const pictures = panel('Components as pictures');
      await pictures.getByText('The first 28 of 100 components').waitFor();
      await pictures.getByRole('button', { name: /PC5$/ }).click();
      await pictures.getByText(/PC5 has [\d.]+.% of the variance/).waitFor();
      await pictures.getByRole('button', { name: 'Draw the scores along it' }).click();
      await expect.poll(() => page.locator('.point-cloud .names').textContent()).toContain('PC5');
      for (const [figure, images] of [
        ['components', 28],
        ['row-1-rebuilt', 3],
      ] as const) {
        const svg = await saved(() => page.getByRole('button', { name: `Save ${figure} as SVG` }).click());
        expect(svg.name).toBe(`mnist-images-${figure}.svg`);
        expect(svg.bytes.toString().match(/<image [^>]*href="data:image\/png/g)).toHaveLength(images);
        const png = await saved(() => page.getByRole('button', { name: `Save ${figure} as PNG` }).click());
        expect([...png.bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
      }
    });
  });

  it('leaves out rows with missing values, or fills them in, and says so', async () => {
    await page.getByLabel('Built-in data').selectOption('penguins');
    await fitted(/342 rows and 4 columns.*2 rows with missing values left out/);
    await page.getByLabel('Rows with missing values').selectOption('mean');
    await fitted(/344 rows and 4 columns.*2 rows with missing values filled in/);
  });

  it('fits other columns, other scales, and none at all', async () => {
    await page.getByRole('checkbox', { name: 'petal width' }).uncheck();
    await fitted(/150 rows and 3 columns/);
    await page.getByLabel('Divide columns by').selectOption('unit');
    await expect.poll(() => page.url()).toContain('scale=unit');
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.getByText('Choose at least one column.').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await fitted(/150 rows and 4 columns/);
  });

  it('gives the model, the scores and the figures, and takes them back', async () => {
    const model = await saved(() => page.getByRole('button', { name: 'Model (JSON)' }).click());
    const loaded = loadModel(model.bytes.toString());
    expect([loaded.k, loaded.d, loaded.n]).toEqual([2, 4, 150]);
    const scores = await saved(() => page.getByRole('button', { name: 'Scores (CSV)' }).click());
    expect(scores.bytes.toString().split('\n')[0]).toBe('row,species,PC1,PC2');
    const file = await openFile(scores.path, { columns: ['PC1', 'PC2'] });
    const again = await pca(file.source, { k: 2 });
    await file.close();
    for (const c of [0, 1]) expect(again.variances[c] / loaded.variances[c]).toBeCloseTo(1, 9);
    // The command and the program read a file that there is then.
    const data = await saved(() => page.getByRole('button', { name: 'Save these data' }).click());
    expect(await page.locator('pre').first().textContent()).toContain(`scree fit ${data.name} `);
    const table = await openFile(data.path);
    const same = await pca(table.source, { k: 2 });
    await table.close();
    for (const c of [0, 1]) expect(same.variances[c] / loaded.variances[c]).toBeCloseTo(1, 9);
    for (const figure of ['scree', 'scores', 'weights', 'component-1']) {
      const svg = await saved(() => page.getByRole('button', { name: `Save ${figure} as SVG` }).click());
      expect(svg.bytes.toString()).toMatch(/^<\?xml[\s\S]*<svg[\s\S]*<\/svg>\s*$/);
      expect(svg.bytes.toString()).not.toContain('var(--');
      const png = await saved(() => page.getByRole('button', { name: `Save ${figure} as PNG` }).click());
      expect([...png.bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    }
    await open(scores.path);
    await fitted(/150 rows and 3 columns/);
    expect(await page.getByRole('button', { name: 'Save these data' }).count()).toBe(0);
  });

  it('has all that was chosen in its address, and nothing of the data', async () => {
    await page.getByLabel('Built-in data').selectOption('wine');
    await fitted(/178 rows/);
    await page.getByLabel('Components kept (k)').fill('3');
    await page.getByRole('button', { name: '3-D' }).click();
    await page.getByRole('combobox', { name: 'colour' }).selectOption('error');
    await expect.poll(() => page.url()).toMatch(/data=wine.*k=3.*view=3d.*colour=error/);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await fitted(/178 rows/);
    await expect.poll(() => kept().textContent()).toContain('k = 3');
    expect(await page.getByRole('button', { name: '3-D' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('combobox', { name: 'colour' }).inputValue()).toBe('error');
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty.csv', '', /empty/],
    ['header.csv', 'a,b\n', /header\.csv has no rows/],
    ['words.csv', 'a,b\nx,y\nz,w\n', /No column of words.csv holds numbers/],
    ['cut.npy', Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118), /cut\.npy/],
    ['ragged.csv', 'a,b\n1,2\n3\n', /Row 2 of ragged\.csv/],
    ['noise.parquet', 'PAR1 nothing else', /noise\.parquet/],
    ['one.csv', 'a,b\n1,2\n', /at least 2/],
  ])('says what is wrong with %s', async (name, content, message) => {
    const path = join(folder, name);
    await writeFile(path, content);
    await page.locator('input[type=file]').setInputFiles(path);
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(message);
  });

  it('shows hostile names as text, and never runs them', async () => {
    const hostile = '<img src=x onerror="window.hacked=1">\u0001';
    const path = join(folder, 'hostile.csv');
    const quoted = `"${hostile.replaceAll('"', '""')}"`;
    await writeFile(path, `${quoted},b,who\n1,2,=1+1\n2,5,${quoted}\n7,1,"@SUM(A1)"\n3,3,x\n`);
    await open(path);
    await fitted(/4 rows and 2 columns/);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('.side').textContent()).toContain('<img src=x');
    expect(await page.locator('img[src=x]').count()).toBe(0);
    const scores = await saved(() => page.getByRole('button', { name: 'Scores (CSV)' }).click());
    expect(scores.bytes.toString()).toContain("'=1+1");
    expect(scores.bytes.toString()).toContain("'@SUM(A1)");
    const svg = await saved(() => page.getByRole('button', { name: 'Save weights as SVG' }).click());
    expect(svg.bytes.toString()).not.toContain('<img');
    const read = await page.evaluate((text) => {
      const found = new DOMParser().parseFromString(text, 'image/svg+xml');
      return [found.documentElement.localName, found.querySelector('parsererror')?.textContent];
    }, svg.bytes.toString());
    expect(read).toEqual(['svg', undefined]);
  });

  it('can be cancelled, and goes on', async () => {
    const path = join(folder, 'slow.npy');
    const size = 1200;
    const writer = await createFile(path, { cols: size, dtype: 'float64' });
    const data = Float64Array.from({ length: size * size }, (_, i) => Math.sin(i * 1.7 + (i % 97)));
    await writer.write({ rows: size, cols: size, data });
    await writer.close();
    await page.locator('summary', { hasText: 'Solver' }).click();
    await open(path);
    await page.getByLabel('Solver', { exact: true }).selectOption('svd');
    await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 20_000 });
    await page.getByLabel('Built-in data').selectOption('iris');
    await fitted(/150 rows/);
  });

  it('keeps address and names of figures with what is drawn until other data have a fit', async () => {
    await page.getByLabel('Components kept (k)').fill('3');
    await expect.poll(() => page.url()).toContain('data=iris&k=3&colour=4');
    const path = join(folder, 'slow-one.npy');
    const size = 1500;
    const writer = await createFile(path, { cols: size, dtype: 'float64' });
    const data = Float64Array.from({ length: size * size }, (_, i) => Math.sin(i * 1.7 + (i % 97)));
    await writer.write({ rows: size, cols: size, data });
    await writer.close();
    await open(path);
    // Longer than the address waits between two writings; the fit takes seconds.
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    const [url, status] = [page.url(), await page.locator('.status').textContent()];
    expect(status).toContain('Fitting');
    expect(url).toContain('data=iris&k=3&colour=4');
    const figure = await saved(() => page.getByRole('button', { name: 'Save scree as SVG' }).click());
    expect(figure.name).toBe('iris-scree.svg');
    await page.getByRole('button', { name: 'Cancel' }).click();
    // What is open now has no fit, and so no view.
    await page.getByText('Not fitted', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toMatch(/data=own$/);
  });

  it.each(['usarrests', 'wine'])('has %s built in', async (name) => {
    await page.getByLabel('Built-in data').selectOption(name);
    await expect.poll(() => page.url()).toContain(`data=${name}`);
    await fitted();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('goes where the address goes, and gives one that says nothing what is shown', async () => {
    await page.evaluate(() => (location.hash = '#/explore?data=wine&k=5&columns=0-6'));
    await fitted(/178 rows and 7 columns/);
    await expect.poll(() => kept().textContent()).toContain('k = 5');
    for (const screen of ['Explore', 'Learn', 'Explore']) await page.getByRole('link', { name: screen }).click();
    await expect.poll(() => page.url()).toMatch(/data=wine&columns=0-6&k=5/);
    await page.evaluate(() => (location.hash = '#/explore?data=wine&k=2'));
    await fitted(/178 rows and 13 columns/);
    await page.evaluate(() => (location.hash = '#/explore?file=http%3A%2F%2F%5B'));
    await page.getByText('a file that there cannot be').waitFor();
  });

  it('leaves the address to somebody who has just gone elsewhere, and whose event has not arrived yet', async () => {
    const visited = await watch(browser, `${server.url}#/explore?data=iris`);
    // First in the line of listeners: it lets events wait.
    await visited.page.addInitScript(() => {
      addEventListener('hashchange', (event) => {
        if (event.isTrusted) event.stopImmediatePropagation();
      });
    });
    await visited.page.reload();
    await visited.page.locator('#k').waitFor();
    await visited.page.evaluate(async () => {
      const slider = document.querySelector<HTMLInputElement>('#k')!;
      // The first is written at once, the second after a pause: within it, somebody leaves.
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

  it("keeps how a file of one's own was looked at, for whoever opens it again", async () => {
    const path = join(folder, 'own.csv');
    await writeFile(path, `who,a,b,c\n${rows.map((row, i) => `p${i},${row}`).join('\n')}\n`);
    await open(path);
    await page.getByLabel('Divide columns by').selectOption('unit');
    await page.getByRole('checkbox', { name: 'b', exact: true }).uncheck();
    await fitted(/60 rows and 2 columns/);
    await expect.poll(() => page.url()).toMatch(/data=own&columns=1,3&scale=unit|data=own&columns=1%2C3&scale=unit/);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByText('This link is about a file').waitFor();
    await open(path);
    await fitted(/60 rows and 2 columns/);
    expect(await page.getByLabel('Divide columns by').inputValue()).toBe('unit');
  });

  it('has another axis again when there is another component', async () => {
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.getByRole('checkbox', { name: 'petal width' }).check();
    await fitted(/1 component of/);
    await expect.poll(() => kept().textContent()).toMatch(/of the variance of 1 column$/);
    await page.locator('[aria-label="Scores of 150 rows on component 1."]').waitFor();
    expect(await page.locator('.table-scroll thead').textContent()).toMatch(/PC1error$/);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await fitted(/4 components of/);
    expect(await page.getByRole('combobox', { name: 'y', exact: true }).inputValue()).toBe('1');
    await page.getByText('page 1 of 6', { exact: true }).waitFor();
  });

  it('lets go of a selection when other rows are left out', async () => {
    const path = join(folder, 'gaps.csv');
    await writeFile(path, `a,b,c\n,1,2\n2,3,1\n4,,5\n7,8,1\n3,1,9\n6,2,2\n`);
    await open(path);
    await page.getByRole('checkbox', { name: 'b', exact: true }).uncheck();
    await fitted(/5 rows and 2 columns/);
    await page.getByRole('button', { name: '3', exact: true }).click();
    await expect.poll(() => selection().textContent()).toContain('1 row selected');
    // As many rows, but others.
    await page.evaluate(() => (location.hash = '#/explore?data=own&columns=1,2'));
    await page.getByRole('button', { name: '1', exact: true }).waitFor();
    await expect.poll(() => selection().textContent()).toContain('Click a point');
  });

  it('says that what is shown is not what is chosen, where a fit fails', async () => {
    const path = join(folder, 'holes.csv');
    await writeFile(path, 'a,b,c\n1,2,\n2,4,\n3,1,\n,2,5\n,2,4\n');
    await open(path);
    await page.getByText('Not fitted', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'c', exact: true }).uncheck();
    await fitted(/3 rows and 2 columns/);
    expect(await page.getByText('Not fitted as chosen').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'c', exact: true }).check();
    await page.getByText('Not fitted as chosen').waitFor();
    expect(await page.locator('pre').first().textContent()).toContain('--columns a,b');
  });

  it('takes a file that is dropped, also on Learn, and leaves text alone', async () => {
    await page.goto('about:blank');
    await page.goto(`${server.url}#/learn`);
    const drop = (type: string): Promise<boolean> =>
      page.evaluate((kind) => {
        const given = new DataTransfer();
        if (kind === 'text') given.setData('text/plain', 'a,b');
        else given.items.add(new File(['a,b\n1,2\n2,5\n7,1\n'], 'dropped.csv'));
        if (kind === 'two files') given.items.add(new File(['a'], 'other.csv'));
        return document.body.dispatchEvent(
          new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }),
        );
      }, type);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(() => {
      const given = new DataTransfer();
      given.items.add(new File(['a'], 'held.csv'));
      document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: given, bubbles: true, cancelable: true }));
    });
    // The whole of the window is where it can be let go.
    const overlay = (await page.getByText('Let go to open the file').boundingBox())!;
    expect([overlay.width > 1200, overlay.height > 800]).toEqual([true, true]);
    expect(await drop('text')).toBe(true);
    expect(await drop('two files')).toBe(false);
    await page.getByText('2 files were dropped, and none was opened').waitFor();
    expect(await drop('file')).toBe(false);
    await fitted(/3 rows and 2 columns/);
    expect(page.url()).toContain('#/explore');
  });

  it.each(['light', 'dark'] as const)('has the theme that was chosen where the system is %s', async (colorScheme) => {
    const other = await watch(browser, server.url, { colorScheme });
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

  it('fetches nothing from elsewhere, whatever the address says', async () => {
    await page.goto('about:blank');
    await page.goto(`${server.url}#/explore?file=${encodeURIComponent('http://127.0.0.1:9/x.csv')}`);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('another server');
  });

  it.each(['light', 'dark'] as const)('has nothing that axe objects to, %s', async (colorScheme) => {
    for (const address of ['', '#/explore?data=mnist', '#/explore?data=penguins&view=3d', '#/explore?data=wine']) {
      const other = await watch(browser, server.url + address, { colorScheme, bypassCSP: true });
      await other.page.locator('.point-cloud canvas').first().waitFor();
      await other.page.getByText('Determined by the data?').waitFor();
      await other.page.locator('.table-scroll tbody tr').nth(2).hover();
      await other.page.locator('.row-card').waitFor();
      expect(await violations(other.page)).toEqual([]);
      await other.close();
    }
  });
});

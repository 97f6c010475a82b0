import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createFile, pca } from 'scree';
import { describe, expect, it } from 'vitest';
import { describeExploreOnOnePage, names, rows } from './explore-page.js';

describeExploreOnOnePage('data', (explore) => {
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
    it.each(Object.keys(files))('%s with the same result as the library', async (name) => {
      const path = join(explore.folder, name);
      const content = await files[name]();
      if (content !== undefined) await writeFile(path, content);
      else {
        const writer = await createFile(path, { cols: 3, columnNames: names, dtype: 'float64' });
        await writer.write({ rows: rows.length, cols: 3, data: flat });
        await writer.close();
      }
      await explore.open(path);
      await explore.fitted(/60 rows and 3 columns/);
      const model = await pca(rows, { k: 2, scale: 'unit' });
      const share = ((model.variances[0] + model.variances[1]) / model.totalVariance) * 100;
      await explore.page.getByLabel('Components kept (k)').fill('2');
      await expect.poll(() => explore.kept().textContent()).toContain(share.toFixed(1));
    });

    it('IDX images as pictures', async () => {
      const pixels = Uint8Array.from({ length: 40 * 8 * 8 }, (_, i) => (i * 37 + (i % 64) * (i % 13)) % 256);
      const header = Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 40, 0, 0, 0, 8, 0, 0, 0, 8);
      const path = join(explore.folder, 'tiny-images');
      await writeFile(path, Buffer.concat([header, pixels]));
      await explore.open(path);
      await explore.fitted(/40 rows and 64 columns/);
      await explore.panel('Reconstruction').waitFor();
      expect(await explore.panel('Components as pictures').locator('canvas').count()).toBeGreaterThan(20);
    });

    it('a pasted table', async () => {
      await explore.page.getByRole('button', { name: 'Paste a table' }).click();
      await explore.page.getByRole('dialog').getByRole('textbox').fill('a\tb\n1\t2\n2\t1\n4\t9\n');
      await explore.page.getByRole('button', { name: 'Use it' }).click();
      await explore.fitted(/3 rows and 2 columns/);
    });

    it('MNIST digits, and reconstructs one better with more components', async () => {
      await explore.page.getByLabel('Built-in data').selectOption('mnist');
      await explore.fitted(/10,000 rows and 784 columns/);
      const keptOf = async () => Number(/([\d.]+).%/.exec((await explore.panel('Reconstruction').textContent())!)![1]);
      await explore.page.getByLabel('Components kept (k)').fill('5');
      await explore.panel('Reconstruction').getByText('from 5 numbers').waitFor();
      const few = await keptOf();
      await explore.page.getByLabel('Components kept (k)').fill('100');
      await explore.panel('Reconstruction').getByText('from 100 numbers').waitFor();
      expect(await keptOf()).toBeGreaterThan(few);
      const pictures = explore.panel('Components as pictures');
      await pictures.getByText('The first 28 of 100 components').waitFor();
      await pictures.getByRole('button', { name: / PC5 / }).click();
      await pictures.getByText(/PC5 has [\d.]+.% of the variance/).waitFor();
      await pictures.getByRole('button', { name: 'Draw the scores along it' }).click();
      await expect.poll(() => explore.page.locator('.point-cloud .names').textContent()).toContain('PC5');
      for (const [figure, images] of [
        ['components', 28],
        ['row-1-rebuilt', 3],
      ] as const) {
        const svg = await explore.saved(() =>
          explore.page.getByRole('button', { name: `Save ${figure} as SVG` }).click(),
        );
        expect(svg.name).toBe(`mnist-images-${figure}.svg`);
        expect(svg.bytes.toString().match(/<image [^>]*href="data:image\/png/g)).toHaveLength(images);
        const png = await explore.saved(() =>
          explore.page.getByRole('button', { name: `Save ${figure} as PNG` }).click(),
        );
        expect([...png.bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
      }
    });
  });

  it.each(['usarrests', 'wine'])('has %s built in', async (name) => {
    await explore.page.getByLabel('Built-in data').selectOption(name);
    await expect.poll(() => explore.page.url()).toContain(`data=${name}`);
    await explore.fitted();
    expect(await explore.page.getByRole('alert').count()).toBe(0);
  });

  it('opens a dropped file, on Learn too, and ignores dropped text', async () => {
    await explore.page.goto('about:blank');
    await explore.page.goto(`${explore.url}#/learn`);
    const drop = (type: string): Promise<boolean> =>
      explore.page.evaluate((kind) => {
        const given = new DataTransfer();
        if (kind === 'text') given.setData('text/plain', 'a,b');
        else given.items.add(new File(['a,b\n1,2\n2,5\n7,1\n'], 'dropped.csv'));
        if (kind === 'two files') given.items.add(new File(['a'], 'other.csv'));
        return document.body.dispatchEvent(
          new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true }),
        );
      }, type);
    await explore.page.getByRole('heading', { level: 1 }).waitFor();
    await explore.page.evaluate(() => {
      const given = new DataTransfer();
      given.items.add(new File(['a'], 'held.csv'));
      document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: given, bubbles: true, cancelable: true }));
    });
    // The file can be dropped anywhere in the window.
    const overlay = (await explore.page.getByText('Drop the file to open it').boundingBox())!;
    expect([overlay.width > 1200, overlay.height > 800]).toEqual([true, true]);
    expect(await drop('text')).toBe(true);
    expect(await drop('two files')).toBe(false);
    await explore.page.getByText('2 files were dropped, and none was opened').waitFor();
    expect(await drop('file')).toBe(false);
    await explore.fitted(/3 rows and 2 columns/);
    expect(explore.page.url()).toContain('#/explore');
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['empty.csv', '', /empty/],
    ['header.csv', 'a,b\n', /header\.csv has no rows/],
    ['words.csv', 'a,b\nx,y\nz,w\n', /No column of words.csv holds numbers/],
    ['cut.npy', Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118), /cut\.npy/],
    ['ragged.csv', 'a,b\n1,2\n3\n', /Row 2 of ragged\.csv/],
    ['noise.parquet', 'PAR1 nothing else', /noise\.parquet/],
    [
      'model.json',
      '{"format":"scree-model","version":1,"n":60,"d":3,"k":1,"components":[[1,0,0]]}',
      /model\.json is a stored model, not a table/,
    ],
  ])('says what is wrong with %s, and what is still shown', async (name, content, message) => {
    const path = join(explore.folder, name);
    await writeFile(path, content);
    // The message may be out of sight when a file is dropped.
    await explore.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await explore.page.locator('input[type=file]').setInputFiles(path);
    const alert = explore.page.getByRole('alert');
    await expect.poll(() => alert.textContent()).toMatch(message);
    const text = await alert.textContent();
    expect(text?.startsWith(`${name} was not opened. `)).toBe(true);
    expect(text?.endsWith(' What is shown is still iris.csv.')).toBe(true);
    await expect.poll(async () => ((await alert.boundingBox())?.y ?? -1) >= 0).toBe(true);
    expect(await explore.page.locator('.facts').textContent()).toContain('iris.csv');
    expect(await explore.page.locator('.point-cloud').isVisible()).toBe(true);
  });

  it('shows only the reason if data can be read but not fitted', async () => {
    const path = join(explore.folder, 'one.csv');
    await writeFile(path, 'a,b\n1,2\n');
    await explore.open(path);
    await expect.poll(() => explore.page.getByRole('alert').textContent()).toMatch(/at least 2/);
    await explore.page.getByText('Not fitted', { exact: true }).waitFor();
    expect(await explore.page.locator('.point-cloud').count()).toBe(0);
  });

  it('shows hostile names as text and never runs them', async () => {
    const hostile = '<img src=x onerror="window.hacked=1">\u0001';
    const path = join(explore.folder, 'hostile.csv');
    const quoted = `"${hostile.replaceAll('"', '""')}"`;
    await writeFile(path, `${quoted},b,who\n1,2,=1+1\n2,5,${quoted}\n7,1,"@SUM(A1)"\n3,3,x\n`);
    await explore.open(path);
    await explore.fitted(/4 rows and 2 columns/);
    expect(await explore.page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await explore.page.locator('.side').textContent()).toContain('<img src=x');
    expect(await explore.page.locator('img[src=x]').count()).toBe(0);
    const scores = await explore.saved(() => explore.page.getByRole('button', { name: 'Scores (CSV)' }).click());
    expect(scores.bytes.toString()).toContain("'=1+1");
    expect(scores.bytes.toString()).toContain("'@SUM(A1)");
    const svg = await explore.saved(() => explore.page.getByRole('button', { name: 'Save weights as SVG' }).click());
    expect(svg.bytes.toString()).not.toContain('<img');
    const read = await explore.page.evaluate((text) => {
      const found = new DOMParser().parseFromString(text, 'image/svg+xml');
      return [found.documentElement.localName, found.querySelector('parsererror')?.textContent];
    }, svg.bytes.toString());
    expect(read).toEqual(['svg', undefined]);
  });

  it('keeps right-to-left names from changing the direction of its sentences', async () => {
    const path = join(explore.folder, 'turned.csv');
    await writeFile(path, `a\u202eb,עברית,c\n${rows.map((row) => row.join(',')).join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
    await explore.page.locator('.weights svg').first().waitFor();
    const [said, svg] = await explore.page.evaluate(() => [
      document.body.innerText,
      document.querySelector('.weights svg')!.outerHTML,
    ]);
    for (const text of [said, svg]) {
      expect(text).not.toContain('\u202e');
      expect(text.replaceAll('\u2068עברית\u2069', '')).not.toContain('עברית');
    }
  });

  it('treats a column with a few words in it as text, says so, and writes a command that leaves it out', async () => {
    const path = join(explore.folder, 'words-within.csv');
    const lines = rows.map((row, i) => `${row},${i === 41 ? 'ill' : i}`);
    await writeFile(path, `a,b,c,d\n${lines.join('\n')}\n`);
    await explore.open(path);
    await explore.fitted(/60 rows and 3 columns/);
    await explore.page.getByText('read as text: d (row 42 holds "ill")').waitFor();
    expect(await explore.page.locator('pre').first().textContent()).toContain('--columns a,b,c');
  });
});

import { loadModel, openFile, pca } from 'scree';
import { expect, it } from 'vitest';
import { describeExplore } from './explore-page.js';

describeExplore('export', (explore) => {
  it('saves the model, the scores, the data and the figures as files that can be read again', async () => {
    await explore.page.getByLabel('Components kept (k)').fill('2');
    const model = await explore.saved(() => explore.page.getByRole('button', { name: 'Model (JSON)' }).click());
    const loaded = loadModel(model.bytes.toString());
    expect([loaded.k, loaded.d, loaded.n]).toEqual([2, 4, 150]);
    const scores = await explore.saved(() => explore.page.getByRole('button', { name: 'Scores (CSV)' }).click());
    expect(scores.bytes.toString().split('\n')[0]).toBe('row,species,PC1,PC2');
    const file = await openFile(scores.path, { columns: ['PC1', 'PC2'] });
    const again = await pca(file.source, { k: 2 });
    await file.close();
    for (const c of [0, 1]) expect(again.variances[c] / loaded.variances[c]).toBeCloseTo(1, 9);
    // The command and the program read the file that is saved here.
    const data = await explore.saved(() => explore.page.getByRole('button', { name: 'Save these data' }).click());
    expect(await explore.page.locator('pre').first().textContent()).toContain(`scree fit ${data.name} `);
    const table = await openFile(data.path);
    const same = await pca(table.source, { k: 2 });
    await table.close();
    for (const c of [0, 1]) expect(same.variances[c] / loaded.variances[c]).toBeCloseTo(1, 9);
    // Other programs understand hexadecimal colours, but have no style sheet.
    const colours = /\b(?:fill|stroke)="([^"]*)"/g;
    for (const figure of ['scree', 'scores', 'weights', 'component-1']) {
      const svg = await explore.saved(() =>
        explore.page.getByRole('button', { name: `Save ${figure} as SVG` }).click(),
      );
      const text = svg.bytes.toString();
      expect(text).toMatch(/^<\?xml[\s\S]*<svg[\s\S]*<\/svg>\s*$/);
      expect(text).not.toMatch(/var\(--|style=|color-mix|oklab/);
      const used = new Set([...text.matchAll(colours)].map(([, colour]) => colour));
      for (const colour of used) expect(colour, figure).toMatch(/^(#[0-9a-f]{6}|none)$/);
      // The background, the text, and colours of the data.
      expect(used.size, figure).toBeGreaterThan(3);
      const png = await explore.saved(() =>
        explore.page.getByRole('button', { name: `Save ${figure} as PNG` }).click(),
      );
      expect([...png.bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    }
    await explore.open(scores.path);
    // Row numbers are not measurements.
    await explore.fitted(/150 rows and 2 columns/);
    expect(await explore.page.getByRole('button', { name: 'Save these data' }).count()).toBe(0);
  });
});

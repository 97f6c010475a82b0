import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { bundlePage } from '../packages/core/test/browser/bundle.js';
import { closePages, sharedChromium } from './chromium.js';
import { serve } from './serve.js';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const run = (name: string): string =>
  execFileSync(process.execPath, [`${folder}dist/${name}.js`], { encoding: 'utf8' });

/** Programs of at most 30 lines, as a new user would write them. */
const PROGRAMS: readonly (readonly [name: string, output: RegExp])[] = [
  ['records', /ROWS_DROPPED: 1 of 6 rows[\s\S]*\nf 0\.83[\s\S]*"ratios":\[0\.95/],
  [
    'embeddings',
    /Reduce 256 to \d+ components: \d+ numbers of int8[\s\S]*\n\$1 = \[-?\d+,[\s\S]*ALTER TABLE documents ADD COLUMN reduced halfvec\(\d+\);\nCREATE INDEX[\s\S]*LIMIT 10;/,
  ],
  ['one-row-endpoint', /\{ PC1: 1\.405\d+, PC2: -0\.671\d+ \}/],
  ['rolling-windows', /201 windows, 0 flips; the last one: PCA of 50 × 4/],
  ['steering-direction', /cosine with the difference of the means: 1\.0000\ncalm -\d\.\d+, angry \d/],
  ['oriented-box', /half-length 4\.00 along 0\.80, 0\.60, -?0\.00[\s\S]*half-length 0\.50[\s\S]*8 × 3 matrix/],
  ['yield-curve', /explained together: 99\.\d %[\s\S]*curvature[\s\S]*PC1: 28\.\d/],
];

describe('the programs of examples/', () => {
  it.each(PROGRAMS)('%s prints what it should', (name, output) => {
    expect(run(name)).toMatch(output);
  });

  it('are short, and wrap, cast and assert nothing', () => {
    const page = readdirSync(`${folder}biplot-page`).filter((name) => name.endsWith('.ts'));
    for (const name of [
      ...PROGRAMS.map(([program]) => `${program}.ts`),
      ...page.map((each) => `biplot-page/${each}`),
    ]) {
      const code = readFileSync(folder + name, 'utf8');
      expect(code.trimEnd().split('\n').length, name).toBeLessThanOrEqual(30);
      // Without comments and texts.
      const plain = code.replace(/\/\*[\s\S]*?\*\/|\/\/.*|`[^`]*`|'[^'\n]*'/g, '');
      expect(plain, name).not.toMatch(/\bas (?!const\b)|[\w)\]]!(?!=)|\bany\b|@ts-/);
    }
  });

  it.skipIf(!inject('chromium'))('biplot-page draws points and arrows that a worker computes', async () => {
    const { url, close } = await serve(await bundlePage(new URL('../examples/biplot-page/', import.meta.url)));
    const browser = await sharedChromium(inject('chromium'));
    try {
      const page = await browser.newPage();
      await page.goto(url);
      await expect.poll(() => page.locator('circle').count()).toBe(80);
      expect(await page.locator('line').count()).toBe(4);
      expect(await page.locator('text').allTextContents()).toEqual(['length', 'width', 'height', 'weight']);
      expect(await page.locator('p').textContent()).toMatch(
        /^PCA of 80 × 4: 2 components.* — PC1 \(\d.*arrows are loadings/,
      );
    } finally {
      await closePages(browser);
      await close();
    }
  });
});

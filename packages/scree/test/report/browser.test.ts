import type { Browser, Page } from 'playwright-core';
import { chooseComponents, Model, makeReport, pca, type Report } from 'scree';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { closePages, sharedChromium } from '../../../../test/chromium.js';
import { analyzed } from '../../../analysis/test/support/analyzed.js';
import { digits, iris, labelsOf, noise, sourceOf } from './data.js';

const path = inject('chromium');

describe.skipIf(!path)('a report in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    browser = await sharedChromium(path);
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!/^(data|about):/.test(request.url())) complaints.push(`fetches ${request.url()}`);
    });
    page.on('dialog', (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  afterAll(() => closePages(browser));

  /** Shows a report at some width and returns what is wrong with it. */
  async function look({ html, figures }: Report, width: number, colorScheme: 'light' | 'dark'): Promise<string[]> {
    complaints = [];
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.setContent(html, { waitUntil: 'load' });
    const found = await page.evaluate(
      (svgs) => {
        const problems: string[] = [];
        const root = document.documentElement;
        for (const details of document.querySelectorAll('details')) details.open = true;
        if (root.scrollWidth > root.clientWidth)
          problems.push(`scrolls sideways: ${root.scrollWidth} of ${root.clientWidth}`);
        // Nothing that is written in a figure may be cut off by its edge.
        for (const svg of document.querySelectorAll('figure svg')) {
          const frame = svg.getBoundingClientRect();
          for (const text of svg.querySelectorAll('text')) {
            const box = text.getBoundingClientRect();
            if (
              box.width > 0 &&
              (box.left < frame.left - 2 || box.right > frame.right + 2 || box.bottom > frame.bottom + 2)
            ) {
              problems.push(`cut off in ${svg.parentElement?.id}: ${text.textContent}`);
            }
          }
        }
        for (const image of document.querySelectorAll('image')) {
          if (!image.getAttribute('href')?.startsWith('data:image/png')) problems.push('an image from elsewhere');
        }
        for (const svg of svgs) {
          const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
          if (parsed.querySelector('parsererror')) problems.push(`not XML: ${svg.slice(0, 200)}`);
        }
        return problems;
      },
      figures.map(({ svg }) => svg),
    );
    return [...complaints, ...found];
  }

  it.each([
    [390, 'light'],
    [1280, 'dark'],
  ] as const)('fits %i pixels, %s, fetches nothing and logs no errors', async (width, scheme) => {
    const { source, rows } = iris();
    const choice = await chooseComponents(source, { permutations: 60 });
    const model = new Model({ ...(await analyzed(source, { k: 3, bootstrap: 30 })), choice });
    const evil = '<img src=x onerror=alert(1)>';
    const names = labelsOf(rows.map((_, i) => `${evil} ${i}`));
    const labels = labelsOf(rows.map((_, i) => (i % 2 ? evil : '"><script>alert(2)</script>')));
    const report = await makeReport({ model, source, title: evil, labels, labelName: evil, names });
    expect(await look(report, width, scheme)).toEqual([]);
  });

  it('fits a phone with many variances, long names of columns and every criterion', async () => {
    const random = noise(4);
    const rows = Array.from({ length: 90 }, () => {
      const [a, b] = [3 * random(), 2 * random()];
      return Array.from({ length: 70 }, (_, j) => a * Math.sin(j) + b * Math.cos(3 * j) + random());
    });
    const source = sourceOf(
      rows,
      rows[0].map((_, j) => `a column with a name that is much too long, number ${j}`),
    );
    const choice = await chooseComponents(source, { permutations: 60, scale: 'unit' });
    const model = new Model({ ...(await analyzed(source, { k: 25, scale: 'unit', bootstrap: 20 })), choice });
    const report = await makeReport({ model, source, title: 'wide' });
    expect(await look(report, 390, 'light')).toEqual([]);
  });

  it('shows digits, and pictures that can be decoded', async () => {
    const { matrix, labels } = await digits(500);
    const model = await pca(matrix, { k: 10 });
    const report = await makeReport({
      model,
      source: matrix,
      title: 'digits',
      labels,
      image: { width: 28, height: 28 },
    });
    expect(await look(report, 390, 'dark')).toEqual([]);
    const broken = await page.evaluate(async () => {
      const sources = [...document.querySelectorAll('image')].map((image) => image.getAttribute('href') ?? '');
      const results = await Promise.all(
        sources.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode().catch(() => {});
          return image.naturalWidth;
        }),
      );
      return { pictures: results.length, broken: results.filter((width) => width !== 28).length };
    });
    expect(broken.pictures).toBeGreaterThan(40);
    expect(broken.broken).toBe(0);
  });
});

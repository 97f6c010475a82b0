import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatNumber, percent, runs } from '@scree/analysis/describe';
import { type Analysis, analyzeModel, type Data, type Model, pca } from 'scree';
import { describe, expect, it } from 'vitest';
import { EvenSample } from '../../../analysis/src/reading/even-sample.js';
import { RowValues } from '../../../analysis/src/rows/row-values.js';
import { encodePng } from '../../src/png.js';
import { plainText } from '../../src/report/plain-text.js';
import { iris, noise } from './data.js';

/** The facts from one reading of the rows. */
async function factsOf(model: Model, rows: Data): Promise<NonNullable<Analysis['rowFacts']>> {
  const { rowFacts } = await analyzeModel(model, rows);
  if (!rowFacts) throw new Error('the rows were not read');
  return rowFacts;
}

describe('reading rows', () => {
  it('gives errors that sum to the variance left out, and agree with the model row by row', async () => {
    const { source, rows } = iris();
    const model = await pca(source, { k: 2 });
    const facts = await factsOf(model, source);
    const errors = await model.reconstructionError(rows);
    const left = (150 - 1) * (model.totalVariance - model.variances[0] - model.variances[1]);
    expect(facts.rows).toBe(150);
    expect(facts.errorSum / left).toBeCloseTo(1, 10);
    for (const { row, error, columns } of facts.worst) {
      expect(error / errors[row]).toBeCloseTo(1, 10);
      expect(columns.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-12);
    }
    expect(facts.distances.largest).toBeCloseTo(Math.sqrt(Math.max(...errors)), 12);
  });

  it('is as exact as the model for errors much smaller than the rows', async () => {
    const random = noise(5);
    const rows = Array.from({ length: 300 }, () => {
      const a = random();
      return [1e6 * a, 2e6 * a, 3e6 * a].map((value) => value + 1e-4 * random());
    });
    const model = await pca(rows, { k: 1, solver: 'svd' });
    const facts = await factsOf(model, rows);
    const errors = await model.reconstructionError(rows);
    for (const { row, error } of facts.worst) expect(error / errors[row]).toBeCloseTo(1, 6);
    expect(facts.errorSum / errors.reduce((a, b) => a + b)).toBeCloseTo(1, 6);
  });
});

describe('an even sample', () => {
  it.each([
    [10, 10, 100],
    [1000, 1000, 100],
    [12345, 12345, 500],
  ])('of %i rows, %i expected, has one in each stretch', (rows, expected, most) => {
    const sample = new EvenSample<number>(expected, most);
    for (let row = 0; row < rows; row++) if (sample.wants(row)) sample.push(row);
    expect(sample.items.length).toBeGreaterThanOrEqual(Math.min(rows, most) - 1);
    expect(sample.items.length).toBeLessThanOrEqual(most);
    const gaps = sample.items.slice(1).map((row, i) => row - sample.items[i]);
    expect(Math.max(0, ...gaps)).toBeLessThanOrEqual(2 * Math.max(1, rows / most) + 1);
  });

  it('stays bounded if many more rows come than expected', () => {
    const sample = new EvenSample<number>(100, 100);
    for (let row = 0; row < 1e5; row++) if (sample.wants(row)) sample.push(row);
    expect(sample.items.length).toBeLessThanOrEqual(200);
    expect(sample.items.filter((row) => row > 5e4).length).toBeGreaterThan(sample.items.length / 3);
  });

  it('samples periodic rows fairly', () => {
    const sample = new EvenSample<number>(10_000, 500);
    for (let row = 0; row < 10_000; row++) if (sample.wants(row)) sample.push(row);
    const odd = sample.items.filter((row) => row % 2 === 1).length;
    expect(Math.abs(odd - 250)).toBeLessThan(75);
  });
});

describe('the histogram of errors', () => {
  it('counts every row once, whatever the range', () => {
    const random = noise(9);
    for (const spread of [1, 30]) {
      const histogram = new RowValues();
      const values = Array.from({ length: 5000 }, () => Math.exp(spread * random()));
      for (const value of values) histogram.add(value);
      const { bins, logarithmic } = histogram.bins(40);
      expect(logarithmic).toBe(spread > 1);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
      for (const { from, to, count } of bins) {
        expect(values.filter((value) => value >= from && value < to).length).toBe(count);
      }
      values.sort((a, b) => a - b);
      const counted = new RowValues(4999);
      for (const value of values) counted.add(value);
      expect([histogram.exact, counted.exact]).toEqual([true, false]);
      expect(counted.bins(40)).toEqual({ bins, logarithmic });
      for (const share of [0.25, 0.5, 0.99, 1]) {
        const exact = values[Math.ceil(share * 5000) - 1];
        expect(histogram.quantile(share)).toBe(exact);
        expect(histogram.above(exact)).toBe(5000 - Math.ceil(share * 5000));
        // To a quarter of a per cent if values are not kept.
        expect(Math.abs(counted.quantile(share) / exact - 1)).toBeLessThan(0.0028);
      }
    }
  });

  it('counts rows with an error of zero', () => {
    const histogram = new RowValues();
    for (const value of [0, 0, 0, 1, 2]) histogram.add(value);
    expect(histogram.quantile(0.5)).toBe(0);
    expect(histogram.rows).toBe(5);
    expect(histogram.largest).toBe(2);
  });
});

describe('text and numbers', () => {
  it('are plain text', () => {
    expect(plainText('a\u0000b\n\tc\u202Ed \ud800')).toBe('a\ufffdb cd \ufffd');
    expect(plainText('   ')).toBe('(empty)');
    expect(plainText('😀'.repeat(300), 5)).toBe('😀😀😀😀…');
  });

  it('never show 100 % for less than everything', () => {
    expect(percent(1)).toBe('100\u00a0%');
    expect(percent(0.99999)).toBe('99.999\u00a0%');
    expect(percent(0.5)).toBe('50.0\u00a0%');
    expect(percent(1e-12)).toBe('1\u00a0×\u00a010⁻¹⁰\u00a0%');
    expect(formatNumber(578612.3)).toBe('578,600');
    expect(formatNumber(-0.00012345, 3)).toBe('−1.23\u00a0×\u00a010⁻⁴');
    expect(formatNumber(999.96, 4)).toBe('1000');
    expect(formatNumber(12, 3)).toBe('12');
    expect(runs([1, 3, 4, 5, 9])).toBe('1, 3 to 5 and 9');
  });
});

describe('a PNG', () => {
  it('has the required chunks, with grey or a palette', () => {
    const grey = encodePng({ width: 3, height: 2, pixels: Uint8Array.of(0, 128, 255, 1, 2, 3) });
    expect([...grey.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    expect(grey.toString('latin1')).toMatch(/IHDR[\s\S]*IDAT[\s\S]*IEND/);
    const palette = encodePng({ width: 2, height: 1, pixels: Uint8Array.of(0, 1), palette: ['#000000', '#ff0000'] });
    expect(palette.toString('latin1')).toMatch(/IHDR[\s\S]*PLTE[\s\S]*IDAT[\s\S]*IEND/);
  });
});

describe('the drawing code', () => {
  it('is not loaded with the package: no chain of static imports leads to it', () => {
    const seen = new Set<string>();
    const outside = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = readFileSync(file, 'utf8');
      for (const [, kind, target] of text.matchAll(/^(?:import|export)\s(type\s)?[^;]*?from '([^']+)';/gm)) {
        if (kind) continue;
        if (target.startsWith('.')) visit(join(dirname(file), target.replace(/\.js$/, '.ts')));
        else outside.add(target);
      }
    };
    visit(fileURLToPath(new URL('../../src/index.ts', import.meta.url)));
    expect([...seen].some((file) => file.endsWith('report/report.ts'))).toBe(true);
    expect([...outside].sort()).not.toContain('@observablehq/plot');
    expect([...outside]).not.toContain('linkedom');
  });
});

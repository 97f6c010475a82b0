import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pythonWith, runPython } from '../../../../test/python.js';
import { ProgressTracker } from '../../src/base/progress.js';
import type { Block } from '../../src/data/blocks/block.js';
import type { RowSource } from '../../src/data/blocks/row-source.js';
import { FILL_METHODS, type FillMethodName } from '../../src/data/inputs/missing-option.js';
import { openSource } from '../../src/data/inputs/open-source.js';
import { type Data, type Model, type PcaOptions, pca } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { completeRows } from '../../src/missing/complete-rows.js';
import { checkOptions } from '../../src/options.js';

const { normal, uniform } = random(Number(process.env.SCREE_SEED));
const { NaN: gap } = Number;
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Columns of a CSV as rows; NA is a missing value. */
function columnsOf(text: string, names: readonly string[]): number[][] {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
  const columns = names.map((name) => head.indexOf(name));
  return lines.map((cells) => columns.map((j) => (cells[j] === 'NA' || cells[j] === '' ? gap : Number(cells[j]))));
}

const airquality = columnsOf(read('../../../files/test/tables/airquality.csv'), ['Ozone', 'Solar.R', 'Wind', 'Temp']);

/** Low-rank rows with noise, of which a share is missing at random. */
function gappyTable(n: number, d: number, share: number, rank = 2): { whole: number[][]; rows: number[][] } {
  const mixing = Array.from({ length: rank }, () => Array.from({ length: d }, normal));
  const whole = Array.from({ length: n }, () => {
    const z = Array.from({ length: rank }, (_, r) => (3 - r) * normal());
    return Array.from(
      { length: d },
      (_, j) => 5 * j + z.reduce((sum, own, r) => sum + own * mixing[r][j], 0.5 * normal()),
    );
  });
  const rows = whole.map((row) => row.map((x) => (uniform() < share ? gap : x)));
  rows.forEach((row, i) => {
    if (row.every(Number.isNaN)) row[i % d] = whole[i][i % d];
  });
  return { whole, rows };
}

async function complete(rows: number[][] | RowSource, options: PcaOptions) {
  const progress = new ProgressTracker({});
  const source = await openSource(rows as number[][], progress, undefined, false, true);
  const { source: completed, filled } = await completeRows(source, checkOptions(options), progress);
  const values: number[][] = [];
  for await (const block of completed.blocks() as AsyncIterable<Block>) {
    if (block.kind !== 'dense') continue;
    for (let i = 0; i < block.rows; i++)
      values.push([...block.data.subarray(i * block.stride, i * block.stride + block.cols)]);
  }
  return { values, filled };
}

const near = (found: ArrayLike<number>, expected: ArrayLike<number>, digits: number): void => {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < found.length; i++)
    expect(Math.abs(found[i] - expected[i])).toBeLessThan(digits * (1 + Math.abs(expected[i])));
};

describe('airquality[1:4], scaled, two components', () => {
  const options = (method: FillMethodName): PcaOptions => ({
    scale: 'unit',
    missing: { method, k: 2, tolerance: 1e-12 },
  });

  it('iterative has the values of the paper’s algorithm', async () => {
    const { values } = await complete(airquality, options('iterative'));
    near([values[4][0], values[4][1], values[5][1], values[9][0], values[24][0]], [-4.95962, 115.316248, 176.372492, 35.180559, -14.180885], 2e-7); // biome-ignore format: one line
    const model = await pca(airquality, { k: 2, ...options('iterative') });
    near(model.variances, [2.320923, 0.951322], 1e-6);
  });

  it('em has the maximum of the likelihood', async () => {
    const { values, filled } = await complete(airquality, options('em'));
    near([values[4][0], values[4][1], values[5][1], values[9][0]], [-6.06, 118.77, 175.01, 34.97], 2e-3);
    expect(filled?.objectives.at(-1)).toBeCloseTo(-732.5632, 3);
    const model = await pca(airquality, { k: 2, ...options('em') });
    expect((model.noiseVariance * 152) / 153).toBeCloseTo(0.39488, 4);
  });

  it('nipals explains what pcaMethods prints', async () => {
    const { filled } = await complete(airquality, options('nipals'));
    near(filled?.explained ?? [], [0.5550927, 0.8015496], 1e-5);
  });
});

describe.each(FILL_METHODS)('%s', (method) => {
  it('agrees with an independent NumPy implementation', async (context) => {
    const python = pythonWith('numpy');
    if (!python) return context.skip();
    for (const [n, d, k, share, scale] of [
      [25, 6, 2, 0.1, 'unit'],
      [12, 5, 1, 0.25, 'none'],
    ] as const) {
      // biome-ignore format: one line
      const { rows } = gappyTable(n, d, share);
      const given = {
        method,
        k,
        scale: scale === 'unit',
        rows: rows.map((row) => row.map((x) => (Number.isNaN(x) ? null : x))),
      };
      const expected = runPython(python, read('oracle.py'), JSON.stringify(given)) as number[][];
      const { values, filled } = await complete(rows, {
        scale,
        missing: { method, k, tolerance: 1e-10, iterations: 20_000 },
      });
      expect(filled?.converged).toBe(true);
      near(values.flat(), expected.flat(), method === 'em' ? 2e-3 : 1e-6);
    }
  });

  it('leaves a table without gaps as it is', async () => {
    const { whole } = gappyTable(20, 4, 0);
    const same = ({ variances, components }: Model): number[] => [...variances, ...components.data];
    expect(same(await pca(whole, { k: 2, missing: method }))).toEqual(same(await pca(whole, { k: 2 })));
  });

  it('predicts better than the mean, keeps what is there, and says what it did', async () => {
    const { whole, rows } = gappyTable(80, 8, 0.15);
    const { values, filled } = await complete(rows, { missing: { method, k: 2 } });
    const error = (found: number[][]): number =>
      rows.flat().reduce((sum, x, at) => sum + (Number.isNaN(x) ? (found.flat()[at] - whole.flat()[at]) ** 2 : 0), 0);
    const means = (await complete(rows, { missing: 'mean' })).values;
    expect(error(values)).toBeLessThan(0.8 * error(means));
    expect(rows.every((row, i) => row.every((x, j) => Number.isNaN(x) || values[i][j] === x))).toBe(true);
    const missing = rows.flat().filter(Number.isNaN).length;
    expect(filled).toMatchObject({ method, k: 2, converged: true, values: missing, rows: 80, share: missing / 640 });
    const model = await pca(rows, { k: 2, missing: method });
    expect(model.warnings.find(({ code }) => code === 'VALUES_FILLED')?.details).toMatchObject({
      with: method,
      values: missing,
    });
    expect([...model.components.data, ...model.variances].every(Number.isFinite)).toBe(true);
  });

  it('gives the same from a stream and from float32', async () => {
    const { rows } = gappyTable(60, 6, 0.1);
    const options: PcaOptions = { k: 2, scale: 'unit', missing: { method, k: 2, tolerance: 1e-9 } };
    const expected = await pca(rows, options);
    const blocks = [0, 20, 40].map((from) => ({
      rows: 20,
      cols: 6,
      data: Float64Array.from(rows.slice(from, from + 20).flat()),
    }));
    near((await pca<Data>(blocks, options)).variances, expected.variances, 1e-7);
    const half = rows.map((row) => Float32Array.from(row));
    near((await pca(half, options)).variances, expected.variances, 1e-4);
    // Rows that are read again for every pass.
    let readings = 0;
    const source: Data = {
      rows: 60,
      cols: 6,
      dtype: 'float64',
      rereadable: true,
      resident: false,
      blocks() {
        readings++;
        return blocks.map((block) => ({ kind: 'dense' as const, stride: 6, ...block, data: block.data.slice() }));
      },
    };
    near((await pca<Data>(source, options)).variances, expected.variances, 1e-7);
    expect(readings).toBeGreaterThan(2);
  });

  it('counts a row of weight 2 twice', async () => {
    const { rows } = gappyTable(20, 5, 0.1);
    const weights = rows.map((_, i) => (i % 3 === 0 ? 2 : 1));
    const twice = rows.flatMap((row, i) => (i % 3 === 0 ? [row, row] : [row]));
    const options: PcaOptions = { k: 2, missing: { method, k: 2, tolerance: 1e-11, iterations: 20_000 } };
    near((await pca(rows, { ...options, weights })).variances, (await pca(twice, options)).variances, 1e-6);
  });

  it('names empty columns, warns of empty rows, and never returns NaN', async () => {
    const { rows } = gappyTable(15, 5, 0.1);
    const without = rows.map((row) => row.map((x, j) => (j === 3 ? gap : x)));
    await expect(pca(without, { missing: method })).rejects.toMatchObject({
      code: 'MISSING_VALUES',
      details: { column: 3 },
    });
    const hard = rows.map((row, i) => row.map((x, j) => (i === 4 ? gap : i === 5 && j !== 2 ? gap : j === 0 ? 7 : x)));
    hard.forEach((row, i) => {
      if (i !== 9) row[1] = gap;
    });
    hard[9][1] = 3;
    hard[8][0] = gap;
    for (const scale of ['none', 'unit'] as const) {
      const model = await pca(hard, { k: 2, scale, missing: method });
      expect([...model.components.data, ...model.variances, ...model.mean].every(Number.isFinite)).toBe(true);
      expect(model.warnings.map(({ code }) => code)).toContain('EMPTY_ROWS');
      expect(model.mean[0]).toBeCloseTo(7, 10);
    }
  });
});

describe('em', () => {
  it('never lowers the likelihood, on any shape', async () => {
    for (let round = 0; round < 12; round++) {
      // The likelihood of few values may have no maximum: σ² falls to its lower bound.
      const [n, d] = [20 + Math.floor(20 * uniform()), 4 + Math.floor(5 * uniform())];
      const { rows } = gappyTable(n, d, 0.05 + 0.2 * uniform());
      if (rows[0].some((_, j) => rows.every((row) => Number.isNaN(row[j])))) continue;
      const { filled } = await complete(rows, { missing: { method: 'em', k: 1 + (round % 2), iterations: 60 } });
      const { objectives = [] } = filled ?? {};
      for (let t = 1; t < objectives.length; t++) {
        expect(objectives[t]).toBeGreaterThanOrEqual(objectives[t - 1] - 1e-9 * Math.abs(objectives[t - 1]));
      }
    }
  });
});

describe('missing', () => {
  it('refuses what it cannot do, with a remedy', async () => {
    const { rows } = gappyTable(10, 4, 0.1);
    await expect(pca(rows, { missing: { method: 'best' } as never })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(pca(rows, { missing: { method: 'em', k: 0 } })).rejects.toMatchObject({ code: 'BAD_OPTION' });
    await expect(pca(rows, { missing: 'iterative', scale: 'median' })).rejects.toThrow(/missing: 'drop'/);
    await expect(pca(rows, { missing: 'em', columnTransform: 'log1p' })).rejects.toThrow(/before missing: 'em'/);
  });

  it('warns if k is too large for what is observed, and if it did not converge', async () => {
    const { rows } = gappyTable(12, 6, 0.4);
    const many = await pca(rows, { k: 4, missing: { method: 'iterative', k: 4, iterations: 2 } });
    expect(many.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['FILLED_WITH_MANY', 'NOT_CONVERGED']),
    );
  });
});

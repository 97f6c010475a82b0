import { principalAngles } from '@scree/analysis';
import { describe, expect, it } from 'vitest';
import {
  DataError,
  type Matrix,
  type Model,
  OptionError,
  pca,
  type Stream,
  type StreamOptions,
  stream,
} from '../src/index.js';
import { random } from '../src/linalg/random.js';
import { toCsr, toMatrix, withSpectrum } from './support/data.js';

const rules = ['moments', 'incremental', 'frequent-directions'] as const;
/** Seven dimensions of variance: sketches of eight rows lose nothing. */
const rows = withSpectrum(400, 12, (i) => (i < 7 ? 0.6 ** i : 0), { offset: (j) => 3 * j });
const cuts = [[400], [1, 2, 397], [100, 100, 100, 100], [7, 393], Array(40).fill(10)];

async function addAll(options: StreamOptions, data: number[][], parts: readonly number[]): Promise<Stream> {
  const s = stream(options);
  let from = 0;
  for (const part of parts) {
    await s.add(data.slice(from, from + part));
    from += part;
  }
  return s;
}

/** The same model, up to rounding. */
function expectSame(model: Model, truth: Model, tolerance = 1e-11): void {
  expect(model.k).toBe(truth.k);
  expect(model.n).toBe(truth.n);
  const largest = truth.variances[0];
  for (let i = 0; i < model.k; i++) {
    expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThanOrEqual(tolerance * largest);
  }
  expect(Math.abs(model.totalVariance - truth.totalVariance)).toBeLessThanOrEqual(tolerance * truth.totalVariance);
  model.components.data.forEach((x, i) => {
    expect(Math.abs(x - truth.components.data[i])).toBeLessThan(1e4 * tolerance);
  });
  model.mean.forEach((x, j) => {
    expect(Math.abs(x - truth.mean[j])).toBeLessThanOrEqual(1e-13 * (1 + Math.abs(x)));
  });
}

describe.each(rules)('a stream that keeps %s', (rule) => {
  const options: StreamOptions = rule === 'moments' ? { k: 4, rule } : { k: 4, rule, size: 8 };

  it('gives the model of all rows, however they are divided into calls of add', async () => {
    const truth = await pca(rows, { k: 4, solver: 'svd' });
    for (const parts of cuts) {
      const s = await addAll(options, rows, parts);
      expect([s.rows, s.cols]).toEqual([400, 12]);
      expectSame(await s.model(), truth);
    }
  });

  it('gives a model at any time, and can be continued', async () => {
    const s = stream(options);
    for (let from = 0; from < 400; from += 80) {
      await s.add(rows.slice(from, from + 80));
      expectSame(await s.model(), await pca(rows.slice(0, from + 80), { k: 4, solver: 'svd' }));
    }
    const last = await s.model();
    expect((await s.model()).components.data).toEqual(last.components.data);
  });

  it('merges with others in any order', async () => {
    const truth = await pca(rows, { k: 4, solver: 'svd' });
    const parts = () =>
      Promise.all([0, 130, 260].map((from) => stream(options).add(rows.slice(from, from === 260 ? 400 : from + 130))));
    for (const [a, b, c] of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const all = await parts();
      await all[a].merge(all[b]);
      await all[a].merge(all[c]);
      expectSame(await all[a].model(), truth);
      expect(all[b].rows).toBe(b === 2 ? 140 : 130);
    }
    const [one, two] = await parts();
    const before = one.rows;
    await stream(options).merge(one);
    await one.merge(stream(options));
    expect(one.rows).toBe(before);
    await two.merge(two);
    expect(two.rows).toBe(260);
  });

  it('counts a row of weight 2 twice, and a row of weight 0 not at all', async () => {
    const weights = rows.map((_, i) => i % 3);
    const repeated = rows.flatMap((row, i) => Array<number[]>(weights[i]).fill(row));
    const s = await stream(options).add(rows, { weights });
    const twice = await stream(options).add(repeated);
    const truth = await twice.model();
    expectSame(await s.model(), { ...truth, k: truth.k, n: rows.length - Math.ceil(rows.length / 3) } as Model);
    expect((await s.model()).totalWeight).toBe(repeated.length);
    const wild = rows.map((row, i) => (i % 3 === 0 ? row.map(() => 1e30) : row));
    expectSame(await (await stream(options).add(wild, { weights })).model(), await s.model(), 1e-10);
  });

  it('centres, scales and whitens as pca does', async () => {
    const uneven = rows.map((row) => row.map((x, j) => x * 10 ** ((j % 4) - 2)));
    for (const center of [true, false]) {
      for (const scale of ['none', 'unit', 'pareto', 'range', Array.from({ length: 12 }, (_, j) => 1 + j)] as const) {
        for (const whiten of [false, 'pca', 'zca'] as const) {
          const asked = { center, scale, whiten, ddof: 0 };
          const s = await addAll({ ...options, ...asked }, uneven, cuts[2]);
          const model = await s.model();
          expectSame(model, await pca(uneven, { k: 4, solver: 'svd', ...asked }));
          expect(model.whiten).toBe(whiten);
        }
      }
    }
  });

  it.each([1e-200, 1e-20, 1e6, 1e150])('works on data of size %s', async (size) => {
    const scaled = rows.map((row) => row.map((x) => x * size));
    const model = await (await addAll(options, scaled, cuts[2])).model();
    const truth = await pca(rows, { k: 4, solver: 'svd' });
    expect(principalAngles(model.components, truth.components).at(-1)).toBeLessThan(1e-7);
    for (let i = 0; i < 4; i++) expect(model.singularValues[i] / size / truth.singularValues[i]).toBeCloseTo(1, 10);
  });

  it('works where rows are larger than earlier rows by hundreds of orders of magnitude, and smaller', async () => {
    const tiny = rows.map((row) => row.map((x) => x * 1e-150));
    for (const order of [
      [tiny, rows],
      [rows, tiny],
    ]) {
      const s = stream({ ...options, center: false });
      for (const part of order) await s.add(part);
      const truth = await pca(rows, { k: 4, solver: 'svd', center: false });
      const model = await s.model();
      for (let i = 0; i < 4; i++) {
        expect(model.singularValues[i] / truth.singularValues[i]).toBeCloseTo(1, 8);
      }
    }
  });

  it('has the same bits on one, two and three threads', async () => {
    const { normal } = random(3);
    const data = Float64Array.from({ length: 700 * 400 }, normal);
    const fits = [];
    for (const threads of [1, 2, 3]) {
      const s = stream({ ...options, engine: 'wasm', threads });
      for (let from = 0; from < 700; from += 350) {
        await s.add({ rows: 350, cols: 400, data: data.subarray(from * 400, (from + 350) * 400) });
      }
      fits.push(await s.model());
    }
    expect(fits[1].components.data).toEqual(fits[0].components.data);
    expect(fits[2].components.data).toEqual(fits[0].components.data);
    expect(fits[1].variances).toEqual(fits[0].variances);
  });

  it('takes records, sparse rows, integers, streams and blocks', async () => {
    const truth = await pca(rows, { k: 4, solver: 'svd' });
    const names = rows[0].map((_, j) => `c${j}`);
    const records = rows.map((row) => Object.fromEntries(row.map((x, j) => [names[j], x])));
    const s = stream(options);
    await s.add(records.slice(0, 100));
    // Keys in another order are the same columns.
    await s.add(records.slice(100, 200).map((record) => Object.fromEntries(Object.entries(record).reverse())));
    await s.add(toCsr(rows.slice(200, 300)));
    async function* later() {
      for (const row of rows.slice(300, 350)) yield row;
      yield toMatrix(rows.slice(350));
    }
    await s.add(later());
    const model = await s.model();
    expectSame(model, truth);
    expect(model.columnNames).toEqual(names);
    const bytes: Matrix<Uint8Array> = {
      rows: 60,
      cols: 3,
      data: Uint8Array.from({ length: 180 }, (_, i) => (i * 37) % 251),
    };
    const counted = await (await stream({ ...options, k: 2 }).add(bytes)).model();
    expectSame(counted, await pca(bytes, { k: 2, solver: 'svd' }));
    expect(counted.dtype).toBe('float32');
  });

  it('names the row and column of a NaN, and is unchanged after any error', async () => {
    const s = await stream(options).add(rows.slice(0, 200));
    const before = await s.model();
    const broken = rows.slice(200).map((row) => row.slice());
    broken[150][5] = Number.NaN;
    await expect(s.add(broken)).rejects.toMatchObject({ code: 'NOT_FINITE', details: { row: 150, column: 5 } });
    await expect(s.add(broken.values())).rejects.toBeInstanceOf(DataError);
    await expect(s.add(rows.map((row) => row.slice(1)))).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    await expect(s.add([...rows.slice(0, 90), [1, 2]].values())).rejects.toMatchObject({ code: 'RAGGED_ROWS' });
    await expect(s.add(rows, { weights: [1] })).rejects.toMatchObject({ code: 'BAD_WEIGHTS' });
    await expect(s.add([])).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await expect(s.add([].values())).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    const none = { cols: 12, dtype: 'float64' as const, rereadable: false, resident: false, blocks: () => [] };
    await expect(s.add(none)).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    const aborting = new AbortController();
    function* endless() {
      for (let i = 0; ; i++) {
        if (i === 5000) aborting.abort(new Error('enough'));
        yield rows[i % 400];
      }
    }
    await expect(s.add(endless(), { signal: aborting.signal })).rejects.toThrow('enough');
    const after = await s.model();
    expect(after.n).toBe(200);
    expect(after.components.data).toEqual(before.components.data);
    await s.add(rows.slice(200));
    expectSame(await s.model(), await pca(rows, { k: 4, solver: 'svd' }));
  });

  it('has no model before the first row, and needs two rows when it centres', async () => {
    const s = stream(options);
    expect([s.rows, s.cols]).toEqual([0, undefined]);
    await expect(s.model()).rejects.toMatchObject({ code: 'EMPTY_DATA' });
    await s.add([rows[0]]);
    await expect(s.model()).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await s.add([rows[1]]);
    await expect(s.model()).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
    await s.add(rows.slice(2, 5));
    expectSame(await s.model(), await pca(rows.slice(0, 5), { k: 4, solver: 'svd' }));
  });

  it('runs calls in their order, awaited or not', async () => {
    const s = stream(options);
    const adds = [0, 100, 200, 300].map((from) => s.add(rows.slice(from, from + 100)));
    const other = stream(options);
    other.add(rows.slice(0, 50));
    const merged = stream(options).merge(other);
    expectSame(await s.model(), await pca(rows, { k: 4, solver: 'svd' }));
    await Promise.all(adds);
    expect((await merged).rows).toBe(50);
  });

  it('reports progress', async () => {
    const seen: string[] = [];
    await stream(options).add(rows.values(), { onProgress: ({ phase }) => seen.push(phase) });
    expect(seen.length).toBeGreaterThan(1);
  });
});

describe('stream', () => {
  it('keeps moments of moderate width and a sketch of wide rows', async () => {
    const narrow = await (await stream({ k: 2 }).add(rows)).model();
    expect(narrow.plan.solver).toBe('covariance');
    const { normal } = random(1);
    const wide = { rows: 20, cols: 3000, data: Float64Array.from({ length: 60_000 }, normal) };
    const model = await (await stream({ k: 2 }).add(wide)).model();
    expect(model.plan).toMatchObject({ solver: 'streaming', keepsRows: false });
    expect(model.plan.reason).toContain('a sketch of 14 rows (incremental)');
    expectSame(model, await pca(wide, { k: 2, solver: 'dual' }));
  });

  it('rejects unknown options and invalid values', () => {
    expect(() => stream({ solver: 'svd' } as StreamOptions)).toThrow(/A stream has no option "solver"/);
    expect(() => stream(null as unknown as StreamOptions)).toThrow(OptionError);
    expect(() => stream({ rule: 'oja' } as unknown as StreamOptions)).toThrow(
      /rule is "oja"; it must be 'auto', 'moments'/,
    );
    expect(() => stream({ size: 1 })).toThrow(/size is 1; it must be a whole number from 2 up/);
    expect(() => stream({ k: 9, size: 5 })).toThrow(/cannot hold 9 components/);
    expect(() => stream({ k: 0 })).toThrow(expect.objectContaining({ code: 'K_OUT_OF_RANGE' }));
    expect(() => stream({ rule: 'moments', size: 8 })).toThrow(/size is for sketches/);
  });

  it('rejects widths and names that do not match', async () => {
    await expect(stream({ scale: [1, 2] }).add(rows)).rejects.toMatchObject({ code: 'BAD_SCALE' });
    await expect(stream({ columnNames: ['a'] }).add(rows)).rejects.toMatchObject({ code: 'BAD_OPTION' });
    const [a, b] = [stream(), stream()];
    await a.add([
      { x: 1, y: 2 },
      { x: 2, y: 3 },
    ]);
    await b.add([
      { y: 1, x: 2 },
      { y: 2, x: 3 },
    ]);
    await expect(a.merge(b)).rejects.toMatchObject({ code: 'MISSING_COLUMN', details: { column: 0, columnName: 'y' } });
    await expect(a.add([{ x: 1, z: 2 }])).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    await expect(
      a.merge(
        await stream({ rule: 'incremental' }).add([
          [1, 2],
          [2, 4],
        ]),
      ),
    ).rejects.toThrow(/keeps moments and the other a sketch \(incremental\)/);
    await expect(a.merge({} as Stream)).rejects.toThrow(/Streams merge with streams/);
    await expect(a.merge(await stream().add([[1], [2]]))).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
    expect(a.rows).toBe(2);
  });

  it('uses no more memory for more rows', async () => {
    const cols = 500;
    const { normal } = random(5);
    const block = { rows: 256, cols, data: Float64Array.from({ length: 256 * cols }, normal) };
    function* many(blocks: number) {
      for (let b = 0; b < blocks; b++) yield block;
    }
    const s = stream({ k: 5, rule: 'incremental' });
    await s.add(many(20));
    globalThis.gc?.();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    let peak = 0;
    function* watched() {
      for (const part of many(120)) {
        const now = process.memoryUsage();
        peak = Math.max(peak, now.arrayBuffers + now.heapUsed - arrayBuffers - heapUsed);
        yield part;
      }
    }
    await s.add(watched());
    expect(s.rows).toBe(140 * 256);
    // The rows are 120 MB.
    expect(peak / 2 ** 20).toBeLessThan(48);
  });
});

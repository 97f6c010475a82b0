import { loadModel, Moments, pca, type RowSource, type Warning } from '@scree/core';
import type { DenseBlock } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCsr, toMatrix } from '../../core/test/support/data.js';
import { readTable } from '../../core/test/support/table.js';
import { inspectColumns, inspectWhileReading } from '../src/index.js';
import { analyzed } from './support/analyzed.js';

type Columns = Record<string, (i: number) => number>;

/** Rows from one function per column. */
function records(n: number, columns: Columns): Record<string, number>[] {
  return Array.from({ length: n }, (_, i) =>
    Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, value(i)])),
  );
}

/** Independent normal columns with these standard deviations: nothing to warn about if they are similar. */
function normal(seed: number, deviations: readonly number[]): Columns {
  const rng = random(seed);
  return Object.fromEntries(deviations.map((deviation, j) => [`x${j}`, () => 5 + deviation * rng.normal()]));
}

async function codes(data: Parameters<typeof inspectColumns>[0], options = {}): Promise<string[]> {
  return (await inspectColumns(data, options)).warnings.map(({ code }) => code);
}

async function warned(data: Parameters<typeof inspectColumns>[0], code: string): Promise<Warning | undefined> {
  return (await inspectColumns(data)).warnings.find((warning) => warning.code === code);
}

const shapes = fc.record({ n: fc.integer({ min: 40, max: 400 }), d: fc.integer({ min: 4, max: 30 }), seed: fc.nat() });

describe('inspectColumns', () => {
  it('says nothing about normal columns of like spread, whatever their number', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async ({ n, d, seed }) => {
        const rng = random(seed);
        const deviations = Array.from({ length: d }, () => 1 + 2 * rng.uniform());
        expect(await codes(records(n, normal(seed, deviations)))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('finds a dominant column, and only in data that are not scaled', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async ({ n, d, seed }, which) => {
        const deviations = Array.from({ length: d }, (_, j) => (j === which % d ? 50 : 1));
        const rows = records(n, normal(seed, deviations));
        const found = await warned(rows, 'DOMINANT_COLUMN');
        expect(found?.details?.columns).toEqual([`x${which % d}`]);
        // One warning is enough: the remedy is the same.
        expect(await codes(rows)).toEqual(['DOMINANT_COLUMN']);
        expect(await codes(rows, { scale: 'unit' })).toEqual([]);
        const { totalVariance, covariance } = await fitted(rows);
        const at = which % d;
        expect(found?.details?.share).toBeCloseTo(covariance[at * d + at] / totalVariance, 10);
      }),
      { numRuns: 20 },
    );
  });

  it('needs more than half of the variance, and 3/d of it', async () => {
    // With d equal columns and one of deviation s, its share is s²/(s² + d − 1).
    const share = (d: number, part: number): Promise<string[]> => {
      const wave = (j: number) => (i: number) => Math.sin((2 * Math.PI * (j + 1) * i) / 100);
      const others = Array.from({ length: d - 1 }, (_, j) => [`x${j}`, wave(j)] as const);
      const large = Math.sqrt((part * (d - 1)) / (1 - part));
      return codes(records(100, Object.fromEntries([...others, ['large', (i: number) => large * wave(d)(i)]])));
    };
    expect(await share(4, 0.74)).toEqual([]);
    expect(await share(4, 0.76)).toEqual(['DOMINANT_COLUMN']);
    expect(await share(12, 0.49)).toEqual([]);
    expect(await share(12, 0.51)).toEqual(['DOMINANT_COLUMN']);
  });

  it('finds spreads that differ more than tenfold, but not of pixels and counts', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async ({ n, d, seed }) => {
        const deviations = Array.from({ length: d }, (_, j) => (j < d / 2 ? 20 : 1));
        const found = await warned(records(n, normal(seed, deviations)), 'UNEQUAL_SPREAD');
        expect(found?.details?.ratio).toBeGreaterThan(10);
      }),
      { numRuns: 20 },
    );
    // Intensities from 0 up, some of them rare, as at the border of pictures.
    const rng = random(3);
    const pixels = Object.fromEntries(
      Array.from({ length: 30 }, (_, j) => [
        `p${j}`,
        (i: number) => (i > 0 && rng.uniform() < 0.9 / (1 + j * j) ? Math.floor(255 * rng.uniform()) : 0),
      ]),
    );
    expect(await codes(records(500, pixels))).toEqual([]);
  });

  it.each<[string, string[], boolean]>([
    ['a unit in brackets', ['length (cm)', 'width (cm)', 'depth (cm)', 'girth (cm)'], true],
    ['a unit at the end', ['bill_length_mm', 'bill_depth_mm', 'flipper_mm', 'wing_mm'], true],
    ['wavelengths', ['X900.nm', 'X902.nm', 'X904.nm', 'X908.nm'], true],
    ['years', ['1990', '1991', '1992', '1993'], true],
    ['different units', ['length (cm)', 'weight (kg)', 'depth (cm)', 'girth (cm)'], false],
    ['numbers of columns', ['V1', 'V2', 'V3', 'V4'], false],
    ['numbers of columns that begin at 0', ['0', '1', '2', '3'], false],
    ['words', ['length', 'width', 'depth', 'girth'], false],
  ])('gives no advice to scale columns of one unit: %s', async (_, names, one) => {
    const table = (deviations: readonly number[]) =>
      records(60, Object.fromEntries(Object.values(normal(5, deviations)).map((value, j) => [names[j], value])));
    const unequal = await codes(table(names.map((_, j) => (j < 2 ? 20 : 1))));
    expect(unequal).toEqual(one ? [] : ['UNEQUAL_SPREAD']);
    const found = await warned(table(names.map((_, j) => (j === 0 ? 90 : 1))), 'DOMINANT_COLUMN');
    expect(found?.details?.remedy).toBe(one ? 'none' : 'scale');
    expect(/scale: 'unit'/.test(String(found?.message))).toBe(!one);
  });

  it('gives no advice to scale ratings, which all have the same range', async () => {
    const rng = random(8);
    const rating = (rare: number) => (i: number) => (i < 2 ? 1 + 8 * i : rng.uniform() < rare ? 9 : 1);
    const rows = records(4000, { a: rating(0.5), b: rating(0.4), c: rating(0.5), d: rating(0.0005) });
    expect(await codes(rows)).toEqual(['NEAR_CONSTANT_COLUMN']);
  });

  it.each([['index'], ['nr'], ['time'], ['period']])(
    'advises to leave out a column %s before it advises scaling',
    async (name) => {
      // The numbers of several series, one after the other.
      const rows = records(100, { ...normal(2, [3, 3, 3]), [name]: (i) => 1000 + 40 * (i % 25) });
      const found = await warned(rows, 'DOMINANT_COLUMN');
      expect(found?.details).toMatchObject({ columns: [name], remedy: 'leave-out' });
      expect(found?.message).toMatch(/leave it out; otherwise use scale: 'unit' if/);
    },
  );

  it.each<[string, string, (i: number) => number, string | undefined]>([
    ['numbers from 1', 'V1', (i) => i + 1, 'counting'],
    ['numbers from 0, downwards', 'V1', (i) => 99 - i, 'counting'],
    ['years', 'year', (i) => 1900 + i, 'counting'],
    ['row numbers, some of whose rows were left out', 'V1', (i) => i + Math.floor(i / 10), 'one-way'],
    ['shuffled numbers named no', 'no', (i) => (i * 37) % 101, 'unique'],
    ['identifiers that are there twice', 'patient_id', (i) => 1000 + ((i * 7) % 50), 'name'],
    ['shuffled numbers with another name', 'weight', (i) => (i * 37) % 101, undefined],
    ['numbers named no that are there twice', 'no', (i) => (i * 37) % 50, undefined],
    ['a price index', 'price_index', (i) => 100 + ((i * 37) % 101), undefined],
    ['fractions that count', 'V1', (i) => i + 0.5, undefined],
    ['every second number', 'V1', (i) => 2 * i, undefined],
    ['humid, not an id', 'humid', (i) => 1000 + ((i * 7) % 50), undefined],
  ])('tells identifiers: %s', async (_, name, value, reason) => {
    const found = await warned(records(100, { ...normal(1, [30, 30, 30]), [name]: value }), 'ID_COLUMN');
    expect(found?.details?.columns).toEqual(reason && [name]);
    expect(found?.details?.reasons).toEqual(reason && [reason]);
  });

  it('does not take the heights of 15 women, 58 to 72 inches, for row numbers', async () => {
    const women = records(15, { height: (i) => 58 + i, weight: (i) => 115 + 3 * i + (i * i) / 20 });
    expect(await codes(women)).toEqual([]);
  });

  it.each<[string, string, (i: number) => number, boolean]>([
    ['classes by name', 'class', (i) => (i * i) % 3, true],
    ['1 and 2 under the name sex', 'Sex', (i) => 1 + (i % 2), true],
    ['codes of many kinds', 'zip', (i) => 10000 + ((i * 7919) % 80), true],
    ['groups that the rows are sorted by', 'V1', (i) => 1 + Math.floor(i / 25), true],
    ['0 and 1', 'smoker', (i) => i % 2, false],
    ['a rating', 'stars', (i) => 1 + ((i * i) % 5), false],
    ['a count', 'children', (i) => [0, 0, 1, 1, 1, 2, 2, 3, 5][i % 9], false],
    ['a count that the rows are sorted by', 'rooms', (i) => Math.floor(Math.sqrt(i / 2)) + 1, false],
    ['the size of a group', 'group_size', (i) => 2 + ((i * i) % 5), false],
    ['a measured type', 'type', (i) => (i % 7) + 0.25, false],
  ])('tells codes of classes from counts and ratings: %s', async (_, name, value, expected) => {
    const found = await warned(records(100, { ...normal(1, [2, 2, 2]), [name]: value }), 'CATEGORY_CODES');
    expect(found?.details?.columns).toEqual(expected ? [name] : undefined);
  });

  it('finds columns that are the same but for unit and offset, in small and in large data', async () => {
    for (const n of [8, 100, 5000]) {
      const rng = random(n);
      const x = Array.from({ length: n }, () => rng.normal());
      const rows = records(n, {
        ...normal(n, [1, 1]),
        celsius: (i) => x[i],
        fahrenheit: (i) => 32 + 1.8 * x[i],
        cold: (i) => -x[i] + 0.001 * rng.normal(),
        like: (i) => x[i] + 0.3 * rng.normal(),
      });
      const found = await warned(rows, 'DUPLICATE_COLUMNS');
      expect(found?.details?.groups).toEqual([['celsius', 'fahrenheit', 'cold']]);
      expect(found?.message.includes('of 5000 rows')).toBe(n === 5000);
    }
  });

  it('does not take columns for duplicates if only a few distant rows make them similar', async () => {
    const rng = random(8);
    for (const far of [100, 1e6]) {
      const shifted = (): ((i: number) => number) => {
        const x = Array.from({ length: 66 }, (_, i) => rng.normal() + (i < 60 ? 0 : far));
        return (i) => x[i];
      };
      const a = shifted();
      const rows = records(66, { a, b: shifted(), c: shifted(), copy: (i) => 2 * a(i) + 3 });
      expect((await warned(rows, 'DUPLICATE_COLUMNS'))?.details?.groups).toEqual([['a', 'copy']]);
    }
  });

  it('does not warn of zeros in abundances, whose rare species have few different values', async () => {
    const rng = random(9);
    const species = Array.from({ length: 12 }, (_, j) => [
      `species${j}`,
      (i: number) => (j < 7 ? 1 + rng.uniform() : (i + j) % 24 < (j === 7 ? 11 : 4) ? rng.uniform() : 0),
    ]);
    expect(await codes(records(24, Object.fromEntries(species)))).toEqual([]);
  });

  it('does not take neighbours on a curve for duplicates', async () => {
    const rng = random(5);
    const phases = Array.from({ length: 80 }, () => 6 * rng.uniform());
    const spectra = Object.fromEntries(
      Array.from({ length: 40 }, (_, j) => [`nm${j}`, (i: number) => Math.sin(phases[i] + 0.02 * j)]),
    );
    expect(await codes(records(80, spectra))).toEqual(['ORDERED_COLUMNS']);
    const copied = records(80, { ...spectra, copy: (i) => 3 * Math.sin(phases[i]) - 1 });
    expect((await warned(copied, 'DUPLICATE_COLUMNS'))?.details?.groups).toEqual([['nm0', 'copy']]);
  });

  it('warns of few rows if and only if there are no more rows than columns', async () => {
    const rows = (n: number, d: number) => records(n, normal(n + d, new Array<number>(d).fill(1)));
    expect(await codes(rows(12, 12))).toEqual(['FEW_ROWS']);
    expect(await codes(rows(13, 12))).toEqual([]);
    expect((await warned(rows(5, 12), 'FEW_ROWS'))?.details).toEqual({ rows: 5, cols: 12, components: 4 });
  });

  it.each<[string, (i: number, u: number) => number, boolean]>([
    ['amounts that most rows lack', (i, u) => (i % 3 === 0 ? 1 + u : 0), true],
    ['indicators', (i) => (i % 3 === 0 ? 1 : 0), false],
    ['small counts', (i) => (i % 3 === 0 ? 1 + (i % 4) : 0), false],
    ['amounts that some rows lack', (i, u) => (i % 3 === 0 ? 0 : 1 + u), false],
    ['amounts about zero', (i, u) => (i % 3 === 0 ? u - 0.5 : 0), false],
  ])('finds columns with many zeros: %s', async (_, value, expected) => {
    const rng = random(9);
    const found = await warned(
      records(200, { ...normal(1, [1, 1, 1]), z: (i) => value(i, rng.uniform()) }),
      'ZERO_INFLATED',
    );
    expect(found?.details?.columns).toEqual(expected ? ['z'] : undefined);
  });

  it('finds the facts of a plain loop, for any blocks of rows', async () => {
    const values = fc.oneof(fc.integer({ min: -3, max: 40 }), fc.double({ min: -5, max: 5, noNaN: true }));
    const tables = fc
      .record({ d: fc.integer({ min: 1, max: 4 }), n: fc.integer({ min: 2, max: 60 }) })
      .chain(({ d, n }) => fc.array(fc.array(values, { minLength: d, maxLength: d }), { minLength: n, maxLength: n }));
    await fc.assert(
      fc.asyncProperty(tables, fc.integer({ min: 1, max: 20 }), async (rows, height) => {
        const { columns } = await inspectColumns(inBlocks(rows, height));
        for (const [j, facts] of columns.entries()) {
          const column = rows.map((row) => row[j]);
          const mean = column.reduce((sum, x) => sum + x, 0) / column.length;
          const squares = column.reduce((sum, x) => sum + (x - mean) ** 2, 0);
          const levels = [...new Set(column.map((x) => x + 0))].sort((a, b) => a - b);
          expect(facts.mean).toBeCloseTo(mean, 9);
          expect(facts.deviation).toBeCloseTo(Math.sqrt(squares / (column.length - 1)), 9);
          expect([facts.min, facts.max]).toEqual([Math.min(...column), Math.max(...column)].map((x) => x + 0));
          expect(facts.zeros).toBe(column.filter((x) => x === 0).length);
          expect(facts.integers).toBe(column.every(Number.isInteger));
          expect(facts.levels).toEqual(levels.length <= 32 ? levels : undefined);
          const steps = column.slice(1).map((x, i) => x - column[i]);
          const one = (by: number) => steps.every((step) => step === by);
          const way = steps.every((step) => step > 0) || steps.every((step) => step < 0);
          const groups = steps.every((step) => step === 0 || step === 1);
          const kind = one(1) || one(-1) ? 'counting' : way ? 'one-way' : groups ? 'groups' : undefined;
          expect(facts.steps).toBe(facts.integers ? kind : undefined);
        }
      }),
    );
  });

  it('has no negative zero', async () => {
    const { columns } = await inspectColumns(inBlocks([[-0], [1], [0]], 1));
    expect([columns[0].min, columns[0].max, columns[0].levels]).toEqual([0, 1, [0, 1]]);
  });

  it('gives the same for every type of number, and leaves out rows of weight 0', async () => {
    const { columns, rows } = readTable('usarrests');
    const options = { columnNames: columns };
    const expected = await inspectColumns(toMatrix(rows), options);
    const rounded = rows.map((row) => row.map((x) => Math.round(10 * x)));
    const whole = await inspectColumns(toMatrix(rounded), options);
    const integers = { rows: rows.length, cols: 4, data: Int32Array.from(rounded.flat()) };
    expect(await inspectColumns(integers, options)).toEqual(whole);
    const marked = rows.flatMap((row) => [row, row.map(() => 1e6)]);
    const weights = marked.map((_, i) => 1 - (i % 2));
    expect(await inspectColumns(toMatrix(marked), { ...options, weights })).toEqual(expected);
  });

  it('inspects the spreads of sparse rows, but no single values', async () => {
    const rng = random(4);
    const rows = Array.from({ length: 60 }, (_, i) => [i + 1, ...Array.from({ length: 5 }, () => rng.normal())]);
    const { columns, warnings } = await inspectColumns(toCsr(rows));
    expect(columns[0].integers).toBeUndefined();
    expect(warnings.map(({ code }) => code)).toEqual(['DOMINANT_COLUMN']);
  });

  it('refuses values that are not finite, and unknown options', async () => {
    await expect(
      inspectColumns([
        [1, 2],
        [Number.NaN, 3],
      ]),
    ).rejects.toMatchObject({ code: 'NOT_FINITE' });
    await expect(
      inspectColumns(
        [
          [1, 2],
          [2, 3],
        ],
        { signal: 7 as never },
      ),
    ).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('can be stopped', async () => {
    const signal = AbortSignal.abort();
    await expect(
      inspectColumns(
        [
          [1, 2],
          [2, 3],
        ],
        { signal },
      ),
    ).rejects.toThrow(/abort/i);
  });
});

describe('a fit that inspects its columns', () => {
  const { columns, rows } = readTable('usarrests');
  const table = rows.map((row) => Object.fromEntries(columns.map((name, j) => [name, row[j]])));

  it('warns of them only on request', async () => {
    expect((await pca(table)).warnings).toEqual([]);
    const { warnings } = await analyzed(table, { inspectColumns: true });
    // The fit sums up its columns in another order.
    const rounded = (found: unknown): unknown =>
      JSON.parse(JSON.stringify(found), (_, value) => (typeof value === 'number' ? value.toPrecision(12) : value));
    expect(rounded(warnings)).toEqual(rounded((await inspectColumns(table)).warnings));
    expect(warnings).toMatchObject([{ code: 'DOMINANT_COLUMN', details: { columns: ['Assault'] } }]);
    expect((await analyzed(table, { inspectColumns: true, scale: 'unit' })).warnings).toEqual([]);
  });

  it('has the same components to the last bit, with every solver', async () => {
    for (const solver of ['covariance', 'svd', 'dual', 'krylov', 'refined', 'streaming'] as const) {
      const plain = await pca(table, { k: 2, solver });
      const watched = await analyzed(table, { k: 2, solver, inspectColumns: true });
      expect(watched.components.data).toEqual(plain.components.data);
      expect(watched.warnings.map(({ code }) => code)).toContain('DOMINANT_COLUMN');
    }
  });

  it('does not warn of spreads about the mean if means are not subtracted', async () => {
    expect((await analyzed(table, { inspectColumns: true, center: false })).warnings).toEqual([]);
  });

  it('keeps the warnings in its JSON and its bytes', async () => {
    const model = await analyzed(table, { inspectColumns: true });
    expect(loadModel(JSON.stringify(model)).warnings).toEqual(model.warnings);
    expect(loadModel(model.toBinary()).warnings).toEqual(model.warnings);
  });

  it('uses the statistics of moments', async () => {
    const moments = await new Moments(4, columns).add(table);
    const { warnings } = await analyzed(moments, { inspectColumns: true });
    expect(warnings.map(({ code }) => code)).toEqual(['DOMINANT_COLUMN']);
  });

  it('reads the rows no more often than without, and closes the source', async () => {
    const count = { readings: 0, closed: 0 };
    const source = (): RowSource => ({
      ...inBlocks(rows, 7),
      blocks() {
        count.readings++;
        return inBlocks(rows, 7).blocks();
      },
      close() {
        count.closed++;
      },
    });
    await pca(source(), { solver: 'svd' });
    const { readings } = count;
    expect(readings).toBeGreaterThan(1);
    await analyzed(source(), { solver: 'svd', inspectColumns: true });
    // Few rows are kept when they are read for the first time.
    expect(count).toEqual({ readings: readings + 1, closed: 2 });
  });

  it('leaves values that are not finite to the fit', async () => {
    const broken = [...rows.slice(0, 9), [1, Number.NaN, 3, 4]];
    const error = await pca(broken).catch((reason) => reason);
    const watched = await analyzed(broken, { inspectColumns: true }).catch((reason) => reason);
    expect(watched.message).toBe(error.message);
  });
});

describe('a source that is inspected while it is read', () => {
  it('has its own warnings, and those of the columns after a complete reading', async () => {
    const own = { code: 'SOURCE_CHANGED', message: 'own' } as const;
    const rows = Array.from({ length: 50 }, (_, i) => [i + 1, Math.sin(i), Math.cos(i)]);
    const source = inspectWhileReading({ ...inBlocks(rows, 9), warnings: () => [own] }, { scale: 'unit' });
    for await (const block of source.blocks()) {
      expect(block.rows).toBe(9);
      break;
    }
    expect(await source.warnings?.()).toEqual([own]);
    let read = 0;
    for await (const block of source.blocks()) read += block.rows;
    expect(read).toBe(50);
    expect((await source.warnings?.())?.map(({ code }) => code)).toEqual(['SOURCE_CHANGED', 'ID_COLUMN']);
  });
});

async function fitted(rows: Record<string, number>[]): Promise<{ totalVariance: number; covariance: Float64Array }> {
  const moments = await new Moments(Object.keys(rows[0]).length, Object.keys(rows[0])).add(rows);
  const { totalVariance } = await pca(moments);
  return { totalVariance, covariance: moments.covariance().data };
}

/** Rows in blocks of some height, whose buffer is used again. */
function inBlocks(rows: readonly (readonly number[])[], height: number): RowSource {
  const cols = rows[0].length;
  return {
    rows: rows.length,
    cols,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    *blocks(): Generator<DenseBlock> {
      const data = new Float64Array(height * cols);
      for (let top = 0; top < rows.length; top += height) {
        const some = rows.slice(top, top + height);
        data.set(some.flat());
        yield { kind: 'dense', rows: some.length, cols, stride: cols, data };
      }
    },
  };
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Model, type Moments, pca, type RowSource } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { describeFinding, describeReason } from '../src/describe/index.js';
import {
  type Analysis,
  type AnalysisTable,
  analyze,
  analyzeTable,
  columnContributions,
  compareRows,
  encodeTable,
  monitor,
  type RowContributions,
  rowContributions,
  summarize,
  supplementary,
} from '../src/index.js';

/** Columns of a table that R or scikit-learn has. */
function fixture(name: string): { names: string[]; cells: string[][] } {
  const url = new URL(`../../core/test/fixtures/${name}.csv`, import.meta.url);
  const lines = readFileSync(fileURLToPath(url), 'utf8').trim().split('\n');
  const [names, ...cells] = lines.map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')));
  return { names, cells };
}

function numbersOf(
  { names, cells }: ReturnType<typeof fixture>,
  exclude: readonly string[] = [],
): { columnNames: string[]; rows: number[][] } {
  const numeric = names
    .map((_, j) => j)
    .filter((j) => !exclude.includes(names[j]) && cells.every((row) => row[j] !== '' && !Number.isNaN(Number(row[j]))));
  return { columnNames: numeric.map((j) => names[j]), rows: cells.map((row) => numeric.map((j) => Number(row[j]))) };
}

const wine = numbersOf(fixture('wine'), ['', 'cultivar']);
const cars = fixture('mtcars');

/** Numbers that look random and are always the same. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function noise(n: number, d: number, seed = 1): number[][] {
  const next = uniform(seed);
  return Array.from({ length: n }, () => Array.from({ length: d }, () => next() + next() + next()));
}

/** Rows as files give them: in blocks, counted. */
function counted(rows: readonly number[][]): RowSource & { readings: number } {
  const cols = rows[0].length;
  return {
    readings: 0,
    rows: rows.length,
    cols,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    *blocks() {
      this.readings++;
      for (let from = 0; from < rows.length; from += 50) {
        const part = rows.slice(from, from + 50);
        yield { kind: 'dense', rows: part.length, cols, stride: cols, data: Float64Array.from(part.flat()) };
      }
    },
  };
}

const quick = { bootstrap: 0, criteria: 'quick' } as const;

describe('analyze', () => {
  it('has the model of pca to the last bit, with the choice of k, the stability and the warnings', async () => {
    for (const scale of ['none', 'unit'] as const) {
      const { model } = await analyze(wine.rows, { scale, columnNames: wine.columnNames });
      const plain = await pca(wine.rows, { scale, columnNames: wine.columnNames });
      const { choice, stability, warnings, checksum: _, ...same } = JSON.parse(JSON.stringify(model.toJSON()));
      const { warnings: fewer, checksum: __, ...expected } = JSON.parse(JSON.stringify(plain.toJSON()));
      expect(same).toEqual(expected);
      expect(choice.criteria).toHaveLength(12);
      expect(stability.replicates).toBe(200);
      expect(warnings).toEqual(expect.arrayContaining(fewer));
    }
  });

  it('keeps the recommended or the requested number of components', async () => {
    const unit = { scale: 'unit', bootstrap: 0 } as const;
    expect((await analyze(wine.rows, unit)).kept).toBe(3);
    expect((await analyze(wine.rows, { ...unit, k: 5 })).kept).toBe(5);
    const auto = await analyze(wine.rows, { ...unit, k: 'auto' });
    expect([auto.kept, auto.model.k]).toEqual([3, 3]);
    expect((await analyze(noise(200, 6), unit)).kept).toBe(0);
  });

  it('finds the same unusual rows as monitor, with the kept components', async () => {
    const analysis = await analyze(wine.rows, { scale: 'unit', bootstrap: 0 });
    const { compared } = analysis;
    const { t2, q, limits, unusualLimits, unusual } = await monitor(analysis.first(3), wine.rows, { rows: 'fit' });
    expect(compared?.model.k).toBe(3);
    expect(compared?.found.limits).toMatchObject({ t2: limits.t2, q: limits.q });
    expect(compared?.found.unusualLimits.t2).toBe(unusualLimits.t2);
    expect(compared?.found.unusual.map(({ row }) => row).sort((a, b) => a - b)).toEqual(unusual);
    for (const { row, number, t2: own, error } of compared?.found.ranked ?? []) {
      expect(number).toBe(row + 1);
      expect(own / t2[row]).toBeCloseTo(1, 10);
      expect(error / q[row]).toBeCloseTo(1, 10);
    }
  });

  it('compares rows with the mean alone if nothing stands out of noise', async () => {
    const rows = noise(200, 6);
    rows[20][3] = 30;
    const { kept, compared, model } = await analyze(rows, { scale: 'none', bootstrap: 0 });
    expect(kept).toBe(0);
    expect(compared?.found.limits.t2).toBeNull();
    const [first] = compared?.found.unusual ?? [];
    const squared = model.mean.reduce((sum, mean, j) => sum + (rows[20][j] - mean) ** 2, 0);
    expect([first.number, first.t2]).toEqual([21, 0]);
    expect(first.error / squared).toBeCloseTo(1, 10);
    // Q of all rows adds up to the whole variance.
    expect((compared?.facts.errorSum ?? 0) / ((rows.length - 1) * model.totalVariance)).toBeCloseTo(1, 10);
  });

  it('takes names and supplementary columns, groups and rows', async () => {
    const numbers = numbersOf(cars);
    const at = (name: string): number => numbers.columnNames.indexOf(name);
    const [mpg, gear] = [at('mpg'), at('gear')];
    const others = numbers.columnNames.map((_, j) => j).filter((j) => j !== mpg && j !== gear);
    const rows = numbers.rows.map((row) => others.map((j) => row[j]));
    const columns = { mpg: numbers.rows.map((row) => row[mpg]) };
    const groups = { gear: numbers.rows.map((row) => row[gear]) };
    const apart = rows.slice(0, 3);
    const names = cars.cells.map(([name]) => name);
    const analysis = await analyze(rows, {
      scale: 'unit',
      names,
      supplementary: { columns, groups, rows: apart },
      ...quick,
    });
    const expected = await supplementary(analysis.model, rows, { columns, groups, hulls: [] });
    expect(analysis.supplementary.columns[0].correlation[0]).toBeCloseTo(expected.columns[0].correlation[0], 12);
    expect(analysis.supplementary.groups[0].levels.map(({ level }) => level)).toEqual(
      expected.groups[0].levels.map(({ level }) => level),
    );
    expect(analysis.supplementary.groups[0].eta2[0]).toBeCloseTo(expected.groups[0].eta2[0], 12);
    const { found } = analysis.supplementaryRows ?? {};
    const scores = await analysis.model.transform(apart);
    found?.scores.data.forEach((score, i) => {
      expect(score).toBeCloseTo(scores.data[i], 10);
    });
    expect(analysis.rowContributions?.names).toEqual(names);
    expect(analysis.meaning[0]?.groups[0].name).toBe('gear');
    await expect(analyze(rows, { names: names.slice(1), ...quick })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('lists rows as rowContributions does, and streams all of them', async () => {
    const analysis = await analyze(wine.rows, { scale: 'unit', ...quick });
    const expected = await rowContributions(analysis.model, wine.rows);
    const parts: RowContributions[] = [];
    const numbers: number[] = [];
    for await (const part of analysis.rows()) {
      parts.push(part);
      numbers.push(...part.numbers);
    }
    expect(numbers).toEqual(wine.rows.map((_, i) => i + 1));
    expect(parts.flatMap(({ cos2 }) => Array.from(cos2.data))).toEqual(Array.from(expected.cos2.data));
    const listed = analysis.rowContributions?.found.contributions.data ?? [];
    listed.forEach((share, i) => {
      expect(share).toBeCloseTo(expected.contributions.data[i], 10);
    });
    const without = await analyze(wine.rows, { listRows: false, ...quick });
    expect([without.rowContributions, without.notComputed.rows]).toEqual([undefined, undefined]);
  });

  it('encodes columns as pca does, and explains components by the encoded columns', async () => {
    const { rows, columnNames } = numbersOf(fixture('usarrests'));
    const options = { columnTransform: 'log1p', scale: 'unit', columnNames } as const;
    const [analysis, plain] = [await analyze(rows, { ...options, ...quick }), await pca(rows, options)];
    expect(analysis.model.coding).toEqual(plain.coding);
    expect(Array.from(analysis.model.variances)).toEqual(Array.from(plain.variances));
    expect(analysis.table.columns).toEqual(columnNames);
    expect(analysis.compared?.facts.rows).toBe(50);
  });

  it('is immutable, and becomes plain data as JSON', async () => {
    const analysis = await analyze(wine.rows, { scale: 'unit', rotate: 'varimax', columnNames: wine.columnNames });
    expect(() => Object.assign(analysis, { kept: 7 })).toThrow(TypeError);
    const json = JSON.parse(JSON.stringify(analysis));
    expect(json).toMatchObject({
      n: 178,
      d: 13,
      k: 10,
      kept: 3,
      notComputed: {},
      rotation: { method: 'varimax', k: 3 },
    });
    expect(json.rows).toHaveLength(178);
    expect(json.unusual.rows.map(({ row }: { row: number }) => row).sort()).toEqual([111, 122, 70, 96].sort());
    expect(json.columns).toEqual(
      JSON.parse(JSON.stringify(columnContributions(analysis.model))).map((column: object) => column),
    );
    expect(json.findings).toEqual(JSON.parse(JSON.stringify(analysis.findings)));
    expect(json.descriptions[0]).toMatch(/^PC1 \(36\s%\): more flavanoids/);
  });

  it('gives reasons for parts that were not computed', async () => {
    const reasons = async (data: Parameters<typeof analyze>[0], options = {}): Promise<Analysis['notComputed']> =>
      (await analyze(data, options)).notComputed;
    expect(await reasons([[1], [2], [4], [9]])).toMatchObject({ choice: { code: 'ONE_COLUMN' } });
    expect(
      await reasons(
        [
          [1, 2],
          [1, 2],
          [1, 2],
        ],
        { rotate: 'varimax' },
      ),
    ).toMatchObject({
      choice: { code: 'NO_VARIANCE' },
      stability: { code: 'NO_VARIANCE' },
      unusual: { code: 'NO_VARIANCE' },
      rotation: { code: 'NO_VARIANCE' },
    });
    expect(await reasons(wine.rows, { bootstrap: 0, criteria: 'none' })).toMatchObject({
      choice: { code: 'NOT_ASKED' },
      stability: { code: 'NOT_ASKED' },
    });
    const moments = await summarize(counted(wine.rows)).then((summary) => summary.moments());
    const found = await reasons(moments as Moments);
    expect(found).toMatchObject({
      stability: { code: 'NO_ROWS' },
      unusual: { code: 'NO_ROWS' },
      rows: { code: 'NO_ROWS' },
    });
    for (const [part, reason] of Object.entries(found))
      expect(describeReason(part as keyof typeof found, reason)).toMatch(/^[A-Z].*\.$/);
  });

  it('reads rows that it cannot keep twice in addition to the solver: for the criteria, and for all questions about rows', async () => {
    const source = counted(noise(400, 5).map((row) => [row[0] * 9, row[0] * 9 + row[1], ...row.slice(2)]));
    const names = Array.from({ length: 400 }, (_, i) => `row ${i}`);
    // A quarter of the memory keeps rows: 32 bytes are fewer than these need.
    const small = { memory: 128 } as const;
    await pca(source, { engine: 'reference', solver: 'covariance' });
    const own = source.readings;
    source.readings = 0;
    await analyze(source, {
      ...small,
      engine: 'reference',
      solver: 'covariance',
      bootstrap: 0,
      names,
      criteria: 'quick',
    }).catch((error) => error);
    expect(source.readings).toBeLessThanOrEqual(own + 2);
  });

  it('orders findings by importance, and has a sentence for each', async () => {
    const analysis = await analyze(wine.rows, { columnNames: wine.columnNames, scale: 'none' });
    const { findings } = analysis;
    const importance = findings.map((each) => each.importance);
    expect(importance).toEqual([...importance].sort((a, b) => b - a));
    expect(findings[0].code).toBe('DOMINANT_COLUMN');
    for (const finding of findings) expect(describeFinding(finding, analysis)).toMatch(/^[A-Z\d].*\.$/s);
    expect(new Set(findings.map(({ code }) => code))).toContain('COMPONENTS_TO_KEEP');
  });
});

describe('analyzeTable', () => {
  it('numbers and names rows as the table does, also if some were left out', async () => {
    const kept = wine.rows.map((_, i) => i).filter((i) => i % 10 !== 3);
    const source = counted(kept.map((i) => wine.rows[i]));
    const table: AnalysisTable = {
      source,
      columns: wine.columnNames,
      label: 'name',
      supplementary: [],
      groups: [],
      leftOut: [],
      dropped: wine.rows.length - kept.length,
      async *parts() {
        let first = 0;
        for (const block of source.blocks() as Iterable<never>) {
          const { rows } = block as { rows: number };
          const places = kept.slice(first, first + rows);
          first += rows;
          yield {
            block,
            places,
            names: places.map((place) => `wine ${place + 1}`),
            columns: new Float64Array(0),
            groups: [],
          };
        }
      },
    };
    const { compared, rowContributions: listed } = await analyzeTable(table, { scale: 'unit', ...quick });
    expect(listed?.numbers).toEqual(kept.map((i) => i + 1));
    for (const { number, name } of compared?.found.unusual ?? []) expect(name).toBe(`wine ${number}`);
    expect(compared?.found.unusual.map(({ number }) => number)).toContain(122);
  });

  it('reuses a given fit, and finds the same', async () => {
    const { columnNames, rows } = wine;
    const made = await analyze(rows, { scale: 'unit', columnNames });
    const source = counted(rows);
    const table = { source, columns: columnNames, supplementary: [], groups: [], leftOut: [], dropped: 0 };
    const given = await analyzeTable(table, {
      scale: 'unit',
      fitted: { model: made.model, first: made.first },
      ...quick,
    });
    expect(Array.from(given.model.variances)).toEqual(Array.from(made.model.variances));
    expect(given.compared?.found.unusual.map(({ row }) => row)).toEqual(
      made.compared?.found.unusual.map(({ row }) => row),
    );
    const again = await compareRows(table, made as { model: Model; first: Analysis['first'] }, made.kept);
    expect('found' in again).toBe(true);
    const own = 'found' in again ? again.found.unusual : [];
    made.compared?.found.unusual.forEach(({ row, t2, error }, i) => {
      expect(own[i].row).toBe(row);
      expect(own[i].t2 / t2).toBeCloseTo(1, 10);
      expect(own[i].error / error).toBeCloseTo(1, 10);
    });
  });

  it('does not compare rows of categories, and counts components above the limit of inertia', async () => {
    const { names, cells } = fixture('poison');
    const records = cells.map((row) => Object.fromEntries(row.map((cell, j) => [names[j], cell])));
    const meal = records.map(({ Nausea, Vomiting, Fever, Diarrhae }) => ({ Nausea, Vomiting, Fever, Diarrhae }));
    const { source, coding, options } = await encodeTable('mca', meal as never, {});
    const table = { source, coding, fit: options, columns: [], supplementary: [], groups: [], leftOut: [], dropped: 0 };
    const { notComputed, kept, coded, model } = await analyzeTable(table, quick);
    expect(notComputed).toMatchObject({ choice: { code: 'CATEGORIES' }, unusual: { code: 'CATEGORIES' } });
    expect(kept).toBe(model.variances.filter((variance) => variance > 1 / 4).length);
    expect(coded?.categories.map(({ column }) => column)).toEqual(['Nausea', 'Vomiting', 'Fever', 'Diarrhae']);
  });
});

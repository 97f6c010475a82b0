import { readFileSync } from 'node:fs';
import { type ColumnAdvice, chooseComponents, inspectColumns } from '@scree/analysis';
import { loadModel, pca } from '@scree/core';
import { openBlob } from '@scree/files';
import { describe, expect, it } from 'vitest';
import type { ColumnInfo } from '../../src/worker/messages.js';
import { Session } from '../../src/worker/session.js';

/** The advice of a session for a table, with names of columns. */
async function advised(text: string) {
  const session = new Session();
  const info = await session.open({ kind: 'text', name: 'a.csv', text }, {});
  return named(await session.advise(info.id, {}), info.columns);
}

function named({ leftOut, scaling, colour, label }: ColumnAdvice, columns: readonly ColumnInfo[]) {
  return {
    label: label === undefined ? undefined : columns[label].name,
    leftOut: Object.fromEntries(leftOut.map(({ column, reason }) => [columns[column].name, reason])),
    unequal: scaling.rule === 'unit' ? scaling.spreads?.map(({ column }) => column) : undefined,
    colour: colour && columns[colour.column].name,
    share: colour?.share,
    groups: colour?.groups,
  };
}

/** A table from functions of the row, by name of column. */
function table(rows: number, columns: Record<string, (row: number) => number | string>): string {
  const cells = Object.values(columns);
  const lines = Array.from({ length: rows }, (_, i) => cells.map((cell) => cell(i)).join(','));
  return `${Object.keys(columns).join(',')}\n${lines.join('\n')}\n`;
}

const wave =
  (speed: number, size = 1) =>
  (i: number): number =>
    size * Math.sin(speed * i + speed);

describe('advice for a file', () => {
  it.each([
    ['wine', {}, ['proline', 'nonflavanoid_phenols'], 'cultivar', undefined],
    ['penguins', { year: 'year' }, ['body_mass_g', 'bill_depth_mm'], 'species', undefined],
    ['usarrests', {}, ['Assault', 'Murder'], undefined, 'state'],
    ['iris', {}, undefined, 'species', undefined],
  ])('gives %s the settings that the built-in set has', async (name, leftOut, unequal, colour, label) => {
    const found = await advised(readFileSync(new URL(`../../src/data/${name}.csv`, import.meta.url), 'utf8'));
    expect(found).toMatchObject({ leftOut, unequal, colour, label });
  });

  it('leaves out columns that identify rows, also if other columns have gaps', async () => {
    const found = await advised(
      table(60, {
        row: (i) => i + 1,
        user_id: (i) => (i * 7919) % 1009,
        year: (i) => 2001 + (i % 5),
        a: (i) => (i % 4 === 0 ? '' : wave(2)(i)),
        b: wave(3),
        years: (i) => 2 + (i % 9) * 0.1,
      }),
    );
    expect(found.leftOut).toEqual({ row: 'counting', user_id: 'name', year: 'year' });
  });

  it('leaves out the column that colours the points, whether its name says that it has classes or not', async () => {
    const class3 = (i: number): number => i % 3;
    const measured = { a: (i: number) => 5 * class3(i) + wave(2)(i), b: (i: number) => 4 * class3(i) + wave(3)(i) };
    const named = { digit: class3, ...measured, c: wave(5), d: wave(7) };
    expect(await advised(table(90, named))).toMatchObject({ colour: 'digit', leftOut: { digit: 'colour' } });
    // A column of text is not fitted anyway.
    const text = { group: (i: number) => `g${i % 3}`, ...measured };
    expect(await advised(table(90, text))).toMatchObject({ colour: 'group', leftOut: {} });
  });

  it('leaves out numbers that start again within groups, also if a few rows are missing', async () => {
    const [a, b] = [wave(2), wave(3)];
    const groups = [17, 25, 8].flatMap((rows, g) => Array.from({ length: rows }, (_, i) => [g, i + 1]));
    const rows = groups.filter((_, i) => i % 11 !== 5);
    const leftOut = async (column: (i: number) => number) => {
      const columns = { study: (i: number) => `s${rows[i][0]}`, 'Sample Number': column, a, b };
      return (await advised(table(rows.length, columns))).leftOut;
    };
    expect(await leftOut((i) => rows[i][1])).toEqual({ 'Sample Number': 'restarts' });
    // Whole numbers that rise and fall are measurements: answers, counts, a slow wave.
    for (const column of [
      (i: number) => 1 + ((i * 7) % 5),
      (i: number) => Math.round(20 + 8 * Math.sin(i / 4)),
      (i: number) => rows[i][1] % 2,
      (i: number) => 3 * rows[i][1],
      (i: number) => rows[i][1] + 40 * rows[i][0],
    ]) {
      expect((await leftOut(column))['Sample Number']).not.toBe('restarts');
    }
  });

  it('leaves out parts of dates and points in time, by name and values', async () => {
    const measured = { a: wave(2), b: wave(3) };
    const dates = {
      Month: (i: number) => 5 + Math.floor(i / 31),
      Day: (i: number) => 1 + ((i * 3) % 31),
      hourOfDay: (i: number) => (i * 5) % 24,
      timestamp: (i: number) => 1.7e9 + 61.5 * ((i * 37) % 100),
      created_at: (i: number) => 1.7e12 + 5e6 * ((i * 37) % 100),
    };
    const { leftOut } = await advised(table(100, { ...measured, ...dates }));
    expect(leftOut).toEqual(Object.fromEntries(Object.keys(dates).map((name) => [name, 'date'])));
    // A name counts only if the numbers fit it. Durations may be measurements.
    const others = {
      month: (i: number) => 40 * wave(5)(i),
      time: (i: number) => 9 + wave(7)(i),
      days: (i: number) => (i * 7) % 30,
      rate: (i: number) => 1.7e9 + 1e8 * wave(11)(i),
    };
    expect((await advised(table(100, { ...measured, ...others }))).leftOut).toEqual({});
  });

  it('names rows by a column of different texts, and by no other', async () => {
    const columns = { study: (i: number) => `s${i % 3}`, a: wave(2), b: wave(3) };
    expect((await advised(table(40, columns))).label).toBeUndefined();
    expect((await advised(table(40, { ...columns, id: (i) => `N${i % 38}` }))).label).toBeUndefined();
    expect((await advised(table(40, { ...columns, id: (i) => (i === 7 ? '' : `N${i}`) }))).label).toBeUndefined();
    expect((await advised(table(40, { ...columns, id: (i) => `N${i}` }))).label).toBe('id');
  });

  it('changes nothing about a table that has only identifiers', async () => {
    expect((await advised(table(40, { id: (i) => i, no: (i) => i + 1 }))).leftOut).toEqual({});
  });

  it('does not leave out columns whose names are not unique', async () => {
    const text = table(40, { x: wave(2), id: wave(5) }).replace('x,id', 'id,id');
    expect((await advised(text)).leftOut).toEqual({});
  });

  it('standardises columns whose spreads differ more than twofold, and no others', async () => {
    const spread = async (factor: number) => (await advised(table(80, { a: wave(2), b: wave(2, factor) }))).unequal;
    expect(await spread(1.99)).toBeUndefined();
    expect(await spread(2.01)).toEqual(['b', 'a']);
    // Pixels and counts have one unit. Rare ones have a small spread.
    const counts = Object.fromEntries(
      Array.from({ length: 12 }, (_, j) => [
        `word${j}`,
        (i: number) => (i % (j + 2) === 0 ? 0 : (j + 1) ** 3 * (i % 3)),
      ]),
    );
    expect((await advised(table(80, counts))).unequal).toBeUndefined();
  });

  it('measures how much of the variance of standardised columns is between the groups', async () => {
    const text = table(90, { a: (i) => 5 * (i % 3) + wave(2)(i), b: wave(3, 100), group: (i) => `g${i % 3}` });
    const { colour, share, groups } = await advised(text);
    const between = (value: (i: number) => number): number => {
      const all = Array.from({ length: 90 }, (_, i) => value(i));
      const mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
      const total = all.reduce((sum, each) => sum + (each - mean(all)) ** 2, 0);
      const parts = [0, 1, 2].map((g) => mean(all.filter((_, i) => i % 3 === g)) - mean(all));
      return (30 * parts.reduce((sum, each) => sum + each ** 2, 0)) / total;
    };
    const expected = (between((i) => 5 * (i % 3) + wave(2)(i)) + between(wave(3, 100))) / 2;
    expect([colour, groups]).toEqual(['group', 3]);
    expect(share).toBeCloseTo(expected, 10);
  });

  it('colours by the column that separates most, and not by names or by too many groups', async () => {
    const measured = { a: (i: number) => (i % 4) + 0.3 * wave(2)(i), b: (i: number) => (i % 4) * 2 + wave(3)(i) };
    const candidates = {
      name: (i: number) => `person ${i}`,
      coarse: (i: number) => (i % 4 < 2 ? 'low' : 'high'),
      fine: (i: number) => `level ${i % 4}`,
      alternating: (i: number) => (i % 8 < 4 ? 'x' : 'y'),
      many: (i: number) => `m${i % 20}`,
    };
    expect((await advised(table(120, { ...measured, ...candidates }))).colour).toBe('fine');
    const { name, many } = candidates;
    expect((await advised(table(120, { ...measured, name, many }))).colour).toBeUndefined();
  });

  it('colours by few whole numbers if most columns are different, and not in a questionnaire', async () => {
    const size = (i: number): number => (i % 3) * 2 + 4;
    const measured = { a: (i: number) => size(i) + wave(2)(i), b: (i: number) => 3 * size(i) + wave(3)(i), c: wave(5) };
    expect((await advised(table(90, { ...measured, cylinders: size }))).colour).toBe('cylinders');
    const answers = Object.fromEntries(
      Array.from({ length: 8 }, (_, j) => [`q${j}`, (i: number) => 1 + ((i * (j + 1)) % 5)]),
    );
    expect((await advised(table(90, answers))).colour).toBeUndefined();
  });

  it('is empty if a value is infinite, because the fit reports it', async () => {
    const session = new Session();
    const { id } = await session.open({ kind: 'text', name: 'x.json', text: '[[0,1],[2,1e999],[3,4],[5,1]]' }, {});
    expect(await session.advise(id, {})).toEqual({
      leftOut: [],
      scaling: { rule: 'none', reason: 'one-column' },
    });
  });
});

describe('the analysis after a fit', () => {
  const rows = Array.from({ length: 80 }, (_, i) => [
    wave(2, 3)(i),
    wave(2, 3)(i) + wave(3)(i),
    wave(5)(i),
    wave(7)(i),
  ]);
  const text = `a,b,c,d\n${rows.map((row) => row.join(',')).join('\n')}\n`;
  const open = async (content = text, columns = [0, 1, 2, 3]) => {
    const session = new Session();
    const { id: data } = await session.open({ kind: 'text', name: 'a.csv', text: content }, {});
    const fit = await session.fit({ data, columns, scale: 'unit', missing: 'drop', solver: 'auto' }, {});
    session.show(fit.id);
    return { session, model: loadModel(fit.model) };
  };

  it('begins with the choice and the warnings of the library', async () => {
    const { session } = await open();
    const { kept, choice, warnings } = await session.shown.choose(null, {});
    expect(choice).toEqual(await chooseComponents(rows, { scale: 'unit' }));
    expect(kept).toBe(choice?.k);
    const looked = await inspectColumns(rows, { scale: 'unit', columnNames: ['a', 'b', 'c', 'd'] });
    // The rows are waves, so neighbours are alike.
    expect(warnings).toEqual([...looked.warnings, expect.objectContaining({ code: 'ORDERED_ROWS' })]);
  });

  it('can be cancelled, and leaves the fit as it is', async () => {
    const { session, model } = await open();
    const cancelled = { signal: AbortSignal.abort(new Error('cancelled')) };
    await expect(session.shown.choose(null, cancelled)).rejects.toThrow('cancelled');
    await expect(session.shown.analysis({}, cancelled)).rejects.toThrow('cancelled');
    await expect(session.shown.compare({ k: 2 }, cancelled)).rejects.toThrow('cancelled');
    expect(await session.shown.scores(0)).toHaveLength(model.n);
  });

  it('answers queries while an analysis runs', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      Array.from({ length: 30 }, (_, j) => wave(j + 2.5)(i).toFixed(5)).join(','),
    );
    const names = Array.from({ length: 30 }, (_, j) => `x${j}`);
    const { session } = await open(
      `${names}\n${many.join('\n')}\n`,
      names.map((_, j) => j),
    );
    let isDone = false;
    const running = session.shown.analysis({}, {}).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await session.shown.scores(0);
    expect(isDone).toBe(false);
    await running;
  });

  it('names the columns of dropped rows with the counts of the command', async () => {
    const gaps = text.replace(/^([^\n]*\n)[^,]*,/, '$1,');
    const { model } = await open(gaps);
    const file = await openBlob(new Blob([gaps]), { name: 'a.csv', missing: 'drop' });
    const own = await pca(file.source, { scale: 'unit' });
    expect(model.warnings).toEqual(own.warnings);
    expect(model.warnings).toMatchObject([{ code: 'ROWS_DROPPED', details: { count: 1, rows: 80 } }]);
  });
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModel, pca } from '@scree/core';
import { createFile } from 'scree';
import { describe, expect, it } from 'vitest';
import { exactText } from '../../src/worker/loaded-table.js';
import type { DataOrigin, FitRequest } from '../../src/worker/messages.js';
import { Session } from '../../src/worker/session.js';

const table = (rows: number, factor: number): DataOrigin => ({
  kind: 'text',
  name: `${factor}.csv`,
  text: `who,a,b\n${Array.from({ length: rows }, (_, i) => `r${i},${factor * Math.sin(i)},${Math.cos(2 * i)}`).join('\n')}\n`,
});
const usual = { columns: [1, 2], scale: 'none', missing: 'drop', solver: 'auto' } as const satisfies Omit<
  FitRequest,
  'data'
>;

describe('the session', () => {
  it('answers about the fit that the page shows, when newer data and fits were cancelled too late', async () => {
    const session = new Session();
    const first = await session.open(table(20, 3), {});
    const shown = await session.fit({ ...usual, data: first.id }, {});
    session.show(shown.id);
    const scores = await session.shown.scores(0);
    // The page has cancelled these two, but too late.
    await session.open(table(30, 100), {});
    await session.fit({ ...usual, data: first.id, columns: [1] }, {});
    session.show(shown.id);
    expect(await session.shown.scores(0)).toEqual(scores);
    expect(await session.shown.cells({ rows: [19], columns: [0] })).toEqual([['r19']]);
    const again = await session.fit({ ...usual, data: first.id, scale: 'unit' }, {});
    expect(loadModel(again.model).n).toBe(20);
    session.show(again.id);
    expect(() => session.show(shown.id)).toThrow('no longer');
  });

  it('keeps no results of work that was cancelled in time', async () => {
    const session = new Session();
    const first = await session.open(table(20, 3), {});
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(session.open(table(30, 100), { signal: cancelled })).rejects.toThrow('cancelled');
    await expect(session.fit({ ...usual, data: first.id }, { signal: cancelled })).rejects.toThrow('cancelled');
    expect(() => session.show(2)).toThrow();
  });

  it('releases data when others are shown', async () => {
    const session = new Session();
    const ids: number[] = [];
    for (const rows of [20, 30, 40]) {
      const { id } = await session.open(table(rows, 3), {});
      ids.push(id);
      session.show((await session.fit({ ...usual, data: id }, {})).id);
    }
    await expect(session.fit({ ...usual, data: ids[0] }, {})).rejects.toThrow('Open a file first');
    await expect(session.fit({ ...usual, data: ids[2] }, {})).resolves.toMatchObject({ incompleteRows: 0 });
  });

  it('reads names of very many rows', async () => {
    const session = new Session();
    const { id } = await session.open(table(250_000, 2), {});
    session.show((await session.fit({ ...usual, data: id }, {})).id);
    expect(await session.shown.cells({ rows: [0, 249_999], columns: [0] })).toEqual([['r0'], ['r249999']]);
    const found = await session.shown.colourCodes(0);
    expect(found).toMatchObject({ kind: 'groups', others: true });
  });

  it('reports the row and column of an infinite value as in the table', async () => {
    const session = new Session();
    const { id } = await session.open({ kind: 'text', name: 'x.json', text: '[[null,1],[2,1e999],[3,4],[5,1]]' }, {});
    await expect(session.fit({ ...usual, data: id, columns: [0, 1] }, {})).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 1, columnName: '1' },
    });
  });

  it('gives a model the names of its columns, if they have names', async () => {
    const session = new Session();
    const named = await session.open(table(20, 3), {});
    expect(loadModel((await session.fit({ ...usual, data: named.id }, {})).model).columnNames).toEqual(['a', 'b']);
    const plain = await session.open({ kind: 'text', name: 'x.json', text: '[[0,1],[2,1],[3,4],[5,1]]' }, {});
    const fit = await session.fit({ ...usual, data: plain.id, columns: [0, 1] }, {});
    expect(loadModel(fit.model).columnNames).toBeUndefined();
  });

  it('shows numbers with all their digits, and float32 numbers without noise digits', async () => {
    const ids = [123456789, 1000000000000007, 0.1 + 0.2];
    const session = new Session();
    const text = `id,a\n${ids.map((id, i) => `${id},${i * i}`).join('\n')}\n`;
    const { id } = await session.open({ kind: 'text', name: 'ids.csv', text }, {});
    session.show((await session.fit({ ...usual, data: id, columns: [1] }, {})).id);
    const cells = await session.shown.cells({ rows: [0, 1, 2], columns: [0] });
    expect(cells.flat()).toEqual(ids.map(String));
    for (const value of [0.1, 16777217, 3.4028235e38, 1e-40, 123456.79]) {
      expect(Math.fround(Number(exactText(Math.fround(value), true)))).toBe(Math.fround(value));
    }
    expect(exactText(Math.fround(0.1), true)).toBe('0.1');
  });

  it('does not count rounding as error, even far from zero', async () => {
    const session = new Session();
    const rows = Array.from({ length: 40 }, (_, i) => `${1.6e9 + 1000 * Math.sin(i)},${1e8 + Math.cos(3 * i)}`);
    const { id } = await session.open({ kind: 'text', name: 'far.csv', text: `a,b\n${rows.join('\n')}\n` }, {});
    session.show((await session.fit({ ...usual, data: id, columns: [0, 1] }, {})).id);
    expect(await session.shown.farRows(2)).toMatchObject({ largest: 0 });
    expect(await session.shown.compare({ k: 2 }, {})).toMatchObject({
      found: { limits: { q: null }, counts: { q: 0, either: 0 } },
    });
    expect((await session.shown.farRows(1)).largest).toBeGreaterThan(0.5);
  });

  it('returns the scores and distances of the library', async () => {
    const session = new Session();
    const { id } = await session.open(table(50, 3), {});
    session.show((await session.fit({ ...usual, data: id }, {})).id);
    const data = Float64Array.from({ length: 100 }, (_, at) =>
      at % 2 ? Math.cos(2 * Math.floor(at / 2)) : 3 * Math.sin(at / 2),
    );
    const rows = { rows: 50, cols: 2, data };
    const model = await pca(rows, { k: 1 });
    const expected = await model.transform(rows);
    const scores = await session.shown.scores(0);
    const errors = await model.reconstructionError(rows);
    const distances = await session.shown.distances({ rows: [...errors.keys()], k: 1 });
    for (let i = 0; i < 50; i++) {
      expect(scores[i]).toBeCloseTo(expected.data[i], 5);
      expect(distances[i]).toBeCloseTo(Math.sqrt(errors[i]), 9);
    }
  });

  it('marks the column that numbers the rows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scree-session-'));
    const path = join(folder, 'a.arrow');
    const writer = await createFile(path, { cols: 3, columnNames: ['x', 'y', '__index_level_0__'] });
    await writer.write({ rows: 3, cols: 3, data: Float64Array.of(1, 2, 1000, 3, 5, 2000, 4, 4, 3000) });
    await writer.close();
    const blob = new Blob([await readFile(path)]);
    await rm(folder, { recursive: true });
    const { columns } = await new Session().open({ kind: 'blob', name: 'a.arrow', blob }, {});
    expect(columns.map(({ usable, index }) => [usable, index ?? false])).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('tells a stored model from a table, as JSON and in its binary form', async () => {
    const model = await pca([
      [1, 2],
      [3, 5],
      [4, 1],
    ]);
    const json = JSON.stringify(model);
    for (const file of [json, JSON.stringify(model, null, 2), model.toBinary()]) {
      const opening = new Session().open({ kind: 'blob', name: 'my.model', blob: new Blob([file as BlobPart]) }, {});
      await expect(opening).rejects.toMatchObject({ code: 'BAD_FILE', details: { path: 'my.model' } });
      await expect(opening).rejects.toThrow(/^my\.model is a stored model, not a table/);
    }
    // A table may mention models.
    const text = '[{"format":1,"a":2},{"format":3,"a":5}]';
    await expect(new Session().open({ kind: 'text', name: 'a.json', text }, {})).resolves.toMatchObject({ rows: 2 });
  });

  it('treats a column as text if its numbers can be read in two ways, and names the cell', async () => {
    const text = 'a\tb\n58\t17,995\n41\t60,567\n30\t950\n';
    const { columns } = await new Session().open({ kind: 'text', name: 'two.tsv', text }, {});
    expect(columns).toMatchObject([{ usable: true }, { usable: false, firstNonNumber: { row: 0, value: '17,995' } }]);
  });

  it('stops reading a long text when cancelled', async () => {
    const text = `a,b\n${'1,2\n3,5\n'.repeat(1_000_000)}`;
    const controller = new AbortController();
    const opening = new Session().open({ kind: 'text', name: 'long.csv', text }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 1);
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' });
  });
});

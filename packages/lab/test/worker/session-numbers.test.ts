import { monitor } from '@scree/analysis';
import { loadModel, type Model, pca } from '@scree/core';
import { openBlob } from '@scree/files';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupCodes, numberCodes } from '../../src/worker/colour-codes.js';
import { cellOf } from '../../src/worker/csv.js';
import type { FitRequest } from '../../src/worker/messages.js';
import { Session } from '../../src/worker/session.js';

const NAMES = ['a', 'b', 'c', 'd'];
const rows = Array.from({ length: 40 }, (_, i) => NAMES.map((_, j) => Math.sin(3 * i + j * j) * (5 - j) + j));
const text = `who,${NAMES.join(',')}\n${rows.map((row, i) => `person ${i},${row.join(',')}`).join('\n')}\n`;
const plain: Omit<FitRequest, 'data'> = { columns: [1, 2, 3, 4], scale: 'none', missing: 'drop', solver: 'auto' };

async function fitted(content = text, request: Partial<FitRequest> = {}) {
  const session = new Session();
  const info = await session.open({ kind: 'text', name: 'people.csv', text: content }, {});
  const fit = await session.fit({ data: info.id, ...plain, ...request }, {});
  session.show(fit.id);
  return { session, info, fit, model: loadModel(fit.model) };
}

describe('the session', () => {
  it('lists the columns of a table', async () => {
    const { info } = await fitted();
    expect(info.rows).toBe(40);
    expect(info.columns.map(({ name, kind, usable }) => [name, kind, usable])).toEqual([
      ['who', 'text', false],
      ...NAMES.map((name) => [name, 'number', true]),
    ]);
  });

  it('fits the chosen columns as the library does', async () => {
    const { model } = await fitted(text, { columns: [2, 4], scale: 'unit' });
    const exact = await pca(
      rows.map((row) => [row[1], row[3]]),
      { k: 2, scale: 'unit' },
    );
    expect(model.columnNames).toEqual(['b', 'd']);
    for (const c of [0, 1]) expect(model.variances[c]).toBeCloseTo(exact.variances[c], 12);
  });

  it('computes the distance of every row from its reconstruction by any number of components', async () => {
    const { session } = await fitted();
    for (const k of [1, 2, 3, 4]) {
      const model = await pca(rows, { k });
      const expected = await model.reconstructionError(rows);
      const found = await session.shown.distances({ rows: rows.map((_, i) => i), k });
      found.forEach((distance, i) => {
        expect(distance ** 2).toBeCloseTo(expected[i], 10);
      });
    }
  });

  it.each([1e60, 1e-60, 1e-200, 1e-300])(
    'has scores and distances in the units of the data, also of size %s',
    async (unit) => {
      // More columns than components are fitted: the rest is part of the distance.
      const wide = (factor: number): string => {
        const line = (i: number): number[] =>
          Array.from({ length: 130 }, (_, j) => Math.sin(3 * i + j * j + i * j) * factor * (1 + (j === 3 ? i : 0)));
        const names = Array.from({ length: 130 }, (_, j) => `c${j}`);
        return `${names}\n${Array.from({ length: 120 }, (_, i) => line(i).join(',')).join('\n')}\n`;
      };
      const request = { columns: Array.from({ length: 130 }, (_, j) => j) };
      const [plainly, scaled] = [await fitted(wide(1), request), await fitted(wide(unit), request)];
      const close = (found: ArrayLike<number>, expected: ArrayLike<number>): void => {
        const most = Math.max(...Array.from(expected, Math.abs));
        Array.from(expected, (value, i) => expect(Math.abs(found[i] / unit - value)).toBeLessThan(1e-6 * most));
      };
      close(await scaled.session.shown.scores(0), await plainly.session.shown.scores(0));
      const rows = [0, 7, 119];
      for (const k of [1, 99, 100]) {
        close(await scaled.session.shown.distances({ rows, k }), await plainly.session.shown.distances({ rows, k }));
        const [found, expected] = [await scaled.session.shown.farRows(k), await plainly.session.shown.farRows(k)];
        close([found.median, found.largest], [expected.median, expected.largest]);
        expect(found.rows[0]).toBe(expected.rows[0]);
        const [compared, alike] = [
          await scaled.session.shown.compare({ k }, {}),
          await plainly.session.shown.compare({ k }, {}),
        ];
        if ('code' in compared || 'code' in alike) throw new Error('not compared');
        expect(compared.found.counts.t2).toBe(alike.found.counts.t2);
      }
    },
  );

  it('returns models of fewer components that equal those of separate fits', async () => {
    const { session } = await fitted();
    const model = loadModel(await session.shown.modelOf(2));
    const own = await pca(rows, { k: 2 });
    expect(model.k).toBe(2);
    expect(model.noiseVariance).toBeCloseTo(own.noiseVariance, 12);
    expect(model.uniqueness.subspace.gap).toBeCloseTo(own.uniqueness.subspace.gap as number, 10);
  });

  it('takes models of fewer components from the fit, without another fit', async () => {
    // Another fit of krylov, with other vectors to start from, would differ in the last bits.
    const { session, model } = await fitted(text, { solver: 'krylov' });
    for (const k of [1, 2, 3, 4]) {
      const { components } = loadModel(await session.shown.modelOf(k));
      expect(components.data).toEqual(model.components.data.slice(0, k * 4));
    }
  });

  it.each(['drop', 'mean'] as const)('handles missing values as the command does: %s', async (missing) => {
    const cell = fc.option(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { freq: 6, nil: null });
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 12, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(rows, fc.subarray([0, 1, 2], { minLength: 1 }), async (table, columns) => {
        const text = `x,y,z\n${table.map((row) => row.map((value) => value ?? 'NA').join(',')).join('\n')}\n`;
        const options = { name: 'gaps.csv', missing, columns: columns.map((column) => 'xyz'[column]) };
        const file = await openBlob(new Blob([text]), options);
        const outcome = (work: Promise<Model>) => work.catch(({ code }: { code: string }) => code);
        const expected = await outcome(pca(file.source, { k: 1 }));
        const session = new Session();
        const { id: data } = await session.open({ kind: 'text', name: 'gaps.csv', text }, {});
        const request = { ...plain, data, columns, missing };
        const fit = await session.fit(request, {}).catch(({ code }: { code: string }) => code);
        if (typeof fit === 'string' || typeof expected === 'string') {
          expect(fit).toBe(expected);
          return;
        }
        const { incomplete } = await file.countMissing();
        expect(fit.incompleteRows).toBe(incomplete);
        const found = loadModel(fit.model);
        expect(found.n).toBe(expected.n);
        const everyRow = Array.from({ length: found.n }, (_, i) => i);
        expect([...(fit.keptRows ?? everyRow)]).toEqual(await file.rowsInFile(everyRow));
        const scale = expected.totalVariance;
        expect(Math.abs(found.totalVariance - scale)).toBeLessThanOrEqual(1e-12 * scale);
        for (const [j, mean] of found.mean.entries()) expect(Math.abs(mean - expected.mean[j])).toBeLessThan(1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('drops rows with missing values, or fills in the mean, and numbers rows as in the table', async () => {
    const gaps = 'name,x,y\np,1,2\nq,,4\nr,3,5\ns,8,1\n';
    const request = { columns: [1, 2] };
    const dropped = await fitted(gaps, request);
    expect([dropped.model.n, dropped.fit.incompleteRows, [...dropped.fit.keptRows!]]).toEqual([3, 1, [0, 2, 3]]);
    expect(await dropped.session.shown.cells({ rows: [1], columns: [0, 1] })).toEqual([['r', '3']]);
    expect([...(await dropped.session.shown.search({ text: 'S', columns: [0], limit: 9 }))]).toEqual([2]);
    expect([...(await dropped.session.shown.search({ text: '#4', columns: [0], limit: 9 }))]).toEqual([2]);
    const filled = await fitted(gaps, { ...request, missing: 'mean' });
    expect([filled.model.n, filled.fit.incompleteRows, filled.fit.keptRows]).toEqual([4, 1, undefined]);
    expect((await filled.session.shown.row(1))[0]).toBe(4);
  });

  it('answers about the current fit until other data have one', async () => {
    const { session } = await fitted();
    const { id } = await session.open({ kind: 'text', name: 'one.csv', text: 'x,y\n1,2\n' }, {});
    await expect(session.fit({ data: id, ...plain, columns: [0, 1] }, {})).rejects.toThrow(/at least 2/);
    expect(await session.shown.cells({ rows: [3], columns: [0] })).toEqual([['person 3']]);
  });

  it('writes scores with labels that a spreadsheet does not run as formulas', async () => {
    const { session, model } = await fitted(text.replace('person 7', '=HYPERLINK("x")'));
    const lines = (await (await session.shown.scoresCsv({ k: 2, labels: [0] })).text()).trim().split('\n');
    expect(lines[0]).toBe('row,who,PC1,PC2');
    expect(lines).toHaveLength(41);
    expect(lines[8]).toContain(`"'=HYPERLINK(""x"")"`);
    const scores = await model.transform(rows);
    const [, , first] = lines[1].split(',');
    expect(Number(first)).toBeCloseTo(scores.data[0], 12);
  });
});

describe('cells of CSV', () => {
  it('are shown by a spreadsheet as text, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const cell = cellOf(value);
        const shown = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        if (!Number.isFinite(Number(value)) || value.trim() === '') expect(shown).not.toMatch(/^[=+\-@\t\r]/);
        expect(shown.replace(/^'/, '')).toBe(value.replace(/^'/, ''));
      }),
    );
  });
});

describe('colours of rows', () => {
  const inOrder = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

  it('are at most ten groups, the largest, and one for the others', () => {
    const texts = Array.from({ length: 300 }, (_, i) => `g${Math.floor(Math.sqrt(i))}`);
    const found = groupCodes(texts, inOrder);
    if (found.kind !== 'groups') throw new Error('groups');
    expect(found.names).toHaveLength(11);
    expect(found.names.at(-1)).toBe('8 others');
    expect(found.counts.reduce((sum, count) => sum + count)).toBe(300);
    expect(found.names[found.codes[288]]).toBe('g16');
  });

  it('are groups for few whole numbers, and otherwise a scale that one extreme value does not stretch', () => {
    expect(numberCodes(Float64Array.of(3, 1, 2, 1)).kind).toBe('groups');
    const numbers = Float64Array.from({ length: 1000 }, (_, i) => i / 7);
    numbers[5] = 1e12;
    const found = numberCodes(numbers);
    if (found.kind !== 'shades') throw new Error('shades');
    expect(found.high).toBeLessThan(150);
    expect(found.codes[5]).toBe(31);
    expect(numberCodes(Float64Array.of(0.5, Number.NaN, 1.5, 2.5)).codes[1]).toBe(32);
  });
});

describe('unusual rows', () => {
  it('are those that the library calls unusual, farthest beyond a limit first, for any number of components', async () => {
    const values = Array.from({ length: 300 }, (_, i) =>
      [0, 1, 2, 3].map((j) => Math.sin(i * (j + 1.3) + j) * (5 - j)),
    );
    values[77][3] = 40;
    values[200][0] = 60;
    const text = `${NAMES.join(',')}\n${values.map((row) => row.join(',')).join('\n')}\n`;
    const { session } = await fitted(text, { columns: [0, 1, 2, 3] });
    for (const k of [1, 2, 3, 4]) {
      const few = await pca(values, { k });
      const { unusual, q, t2, unusualLimits } = await monitor(few, values, { rows: 'fit' });
      const compared = await session.shown.compare({ k }, {});
      if ('code' in compared) throw new Error(compared.code);
      const { found } = compared;
      expect(found.unusual.map(({ row }) => row).sort((a, b) => a - b)).toEqual(unusual);
      expect(found.counts.either).toBe(unusual.length);
      expect(found.counts.t2).toBe(t2.filter((value) => value > (unusualLimits.t2 as number)).length);
      expect(unusual).toContain(200);
      const { rows: worst } = await session.shown.farRows(k);
      expect(worst).toHaveLength(200);
      // With all components, only rounding is left.
      if (k < 4) expect(q[worst[0]]).toBeCloseTo(Math.max(...q), 9);
    }
  });
});

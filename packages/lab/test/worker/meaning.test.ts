import { readFileSync } from 'node:fs';
import { columnContributions, defaultReplicates, groupEllipse, rowContributions, supplementary } from '@scree/analysis';
import { describeComponents, describeMeaning } from '@scree/analysis/describe';
import { loadModel, pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { random } from '../../../core/src/linalg/random.js';
import { SHADES } from '../../src/worker/messages.js';
import { Session } from '../../src/worker/session.js';

const csv = (columns: Record<string, readonly (number | string)[]>): string => {
  const cells = Object.values(columns);
  return `${Object.keys(columns).join(',')}\n${cells[0].map((_, i) => cells.map((column) => column[i]).join(',')).join('\n')}\n`;
};

/** A session with a fit of all numeric columns except the left-out ones. Advice is computed first, as for the user's own file. */
async function fitted(text: string, leftOut: readonly string[] = [], scale: 'none' | 'unit' = 'none') {
  const session = new Session();
  const info = await session.open({ kind: 'text', name: 'a.csv', text }, {});
  const advice = await session.advise(info.id, {});
  const ids = advice.leftOut.map(({ column }) => column);
  const columns = info.columns.flatMap(({ usable, name }, j) =>
    usable && !ids.includes(j) && !leftOut.includes(name) ? [j] : [],
  );
  const fit = await session.fit({ data: info.id, columns, scale, missing: 'drop', solver: 'auto' }, {});
  session.show(fit.id);
  const column = (name: string): number => info.columns.findIndex((each) => each.name === name);
  return { session, column, model: loadModel(fit.model) };
}

/** The sentences of the analysis about the meaning of the components. */
async function meanings(session: Session): Promise<string[]> {
  const { meaning } = await session.shown.analysis({}, {});
  return meaning.map((each) => (each && describeMeaning(each)) ?? '');
}

// A fixed table: the sentences about it are known.
const { normal } = random(7);
const rows = Array.from({ length: 60 }, () => {
  const [a, b] = [normal(), normal()];
  return [3 * a + 0.3 * normal(), -2 * a + 0.4 * normal(), b + 0.2 * normal(), 0.8 * b + 0.1 * normal()];
});
const side = rows.map(([x]) => (x > 0 ? 'right' : 'left'));
const table = csv(
  Object.fromEntries([
    ...['p', 'q', 'r', 's'].map((name, j) => [name, rows.map((row) => row[j])] as const),
    ['side', side],
  ]),
);

describe('shares of rows and columns', () => {
  it.each([
    [[0], 1],
    [[0, 1], 1],
    [[2, 0, 3], 1],
    [[0, 1], 1e-170],
  ])('are those of the library, over components %j, in units of %s', async (components, unit) => {
    const scaled = rows.map((row) => row.map((value) => value * unit));
    const { session } = await fitted(
      csv(Object.fromEntries('pqrs'.split('').map((n, j) => [n, scaled.map((r) => r[j])]))),
    );
    const model = await pca(rows, { k: 4 });
    const expected = await rowContributions(model, rows);
    const all = rows.map((_, i) => i);
    const { cos2, contribution } = await session.shown.rowShares({ rows: all, components }, {});
    const variance = components.reduce((sum, c) => sum + model.variances[c], 0);
    let total = 0;
    for (const i of all) {
      const of = ({ data }: { data: Float64Array }, c: number): number => data[4 * i + c];
      const quality = components.reduce((sum, c) => sum + of(expected.cos2, c), 0);
      const part = components.reduce(
        (sum, c) => sum + (model.variances[c] / variance) * of(expected.contributions, c),
        0,
      );
      expect(cos2[i]).toBeCloseTo(quality, 10);
      expect(contribution[i]).toBeCloseTo(part, 9);
      total += contribution[i];
    }
    expect(total).toBeCloseTo(100, 9);
  });

  it('show every row completely with all components', async () => {
    const { session } = await fitted(table);
    const { cos2 } = await session.shown.rowShares({ rows: rows.map((_, i) => i), components: [0, 1, 2, 3] }, {});
    for (const share of cos2) expect(share).toBeCloseTo(1, 12);
  });

  it('become colours, of cos² on a scale from 0 to 1', async () => {
    const { session } = await fitted(table);
    const components = [0, 1];
    const quality = await session.shown.shareColours({ of: 'cos2', components }, {});
    const { cos2 } = await session.shown.rowShares({ rows: rows.map((_, i) => i), components }, {});
    expect(quality).toMatchObject({ kind: 'shades', low: 0, high: 1 });
    expect([...quality.codes]).toEqual([...cos2].map((share) => Math.round((SHADES - 1) * share)));
    expect(await session.shown.shareColours({ of: 'contribution', components }, {})).toMatchObject({ kind: 'shades' });
  });

  it('have one line per component for columns', async () => {
    const { session } = await fitted(table);
    const expected = columnContributions(await pca(rows, { k: 3 }));
    const found = await session.shown.columnShares([2, 0]);
    for (const name of ['correlation', 'cos2', 'contribution'] as const) {
      const lines = [2, 0].flatMap((c) => expected.map((column) => column[name][c]));
      lines.forEach((value, at) => {
        expect(found[name][at]).toBeCloseTo(value, 9);
      });
    }
  });
});

describe('outlines of groups', () => {
  it.each([
    ['confidence', 0.95, 1],
    ['concentration', 0.5, 1],
    ['concentration', 0.95, 1e-170],
  ] as const)('are the library’s ellipses of %s at %s, in units of %s', async (kind, level, unit) => {
    const text = csv({
      ...Object.fromEntries('pqrs'.split('').map((n, j) => [n, rows.map((row) => row[j] * unit)])),
      side,
    });
    const { session, column } = await fitted(text);
    const model = await pca(rows, { k: 4 });
    const [groups] = (await supplementary(model, rows, { groups: { side } })).groups;
    const found = await session.shown.outlines({ column: column('side'), components: [1, 0], kind, level }, {});
    expect(found.map(({ group }) => group)).toEqual([0, 1]);
    for (const { group, points } of found) {
      const sums = groups.levels.find((each) => each.level === ['left', 'right'][group])!;
      const { center, semiAxes, angle } = groupEllipse(sums, [1, 0], { kind, level })!;
      for (let at = 0; at < points.length; at += 2) {
        const [x, y] = [points[at] / unit - center[0], points[at + 1] / unit - center[1]];
        const [along, across] = [x * Math.cos(angle) + y * Math.sin(angle), y * Math.cos(angle) - x * Math.sin(angle)];
        expect((along / semiAxes[0]) ** 2 + (across / semiAxes[1]) ** 2).toBeCloseTo(1, 8);
      }
    }
  });

  it('are ellipses of 6 rows or more, and hulls of fewer too', async () => {
    const few = rows.map((_, i) => (i < 5 ? 'five' : i < 11 ? 'six' : 'rest'));
    const columns = 'pqrs'.split('').map((name, j) => [name, rows.map((row) => row[j])] as const);
    const { session, column } = await fitted(csv({ ...Object.fromEntries(columns), few }));
    const what = { column: column('few'), components: [0, 1], level: 0.95 } as const;
    // In the order of their names: five, rest, six.
    for (const [kind, groups] of [
      ['confidence', [1, 2]],
      ['concentration', [1, 2]],
      ['hull', [0, 1, 2]],
    ] as const) {
      expect((await session.shown.outlines({ ...what, kind }, {})).map(({ group }) => group)).toEqual(groups);
    }
  });

  it('are the library’s hulls', async () => {
    const { session, column } = await fitted(table);
    const model = await pca(rows, { k: 4 });
    const [{ levels }] = (await supplementary(model, rows, { groups: { side }, hulls: [[0, 2]] })).groups;
    const found = await session.shown.outlines(
      { column: column('side'), components: [0, 2], kind: 'hull', level: 0.95 },
      {},
    );
    for (const { group, points } of found) {
      const hull = levels.find(({ level }) => level === ['left', 'right'][group])!.hulls[0].points.flat();
      expect(points.length).toBe(hull.length);
      hull.forEach((value, at) => {
        expect(points[at]).toBeCloseTo(value, 9);
      });
    }
  });

  it('leave out rows without a value, groups of two rows, and numbers that are no groups', async () => {
    const few = side.map((name, i) => (i < 2 ? 'two' : i % 5 === 0 ? '' : name));
    const { session, column } = await fitted(csv({ p: rows.map(([p]) => p), q: rows.map(([, q]) => q), side: few }));
    const request = { components: [0, 1], kind: 'confidence', level: 0.95 } as const;
    const codes = await session.shown.colourCodes(column('side'));
    expect(codes).toMatchObject({ names: ['left', 'right', 'two', '(missing)'], missing: 3 });
    const found = await session.shown.outlines({ ...request, column: column('side') }, {});
    expect(found.map(({ group }) => group)).toEqual([0, 1]);
    expect(await session.shown.outlines({ ...request, column: column('p') }, {})).toEqual([]);
  });
});

describe('the meaning of components', () => {
  it('names only significant columns, groups and numbers', async () => {
    const [noise, related] = [rows.map(() => (normal() > 0 ? 'x' : 'y')), rows.map(([p]) => p + normal())];
    const text = csv({
      id: rows.map((_, i) => `${1000 + i}`),
      ...Object.fromEntries('pqrs'.split('').map((n, j) => [n, rows.map((row) => row[j])])),
      side,
      'coin side': noise.map((_, i) => ['heads', 'tails'][i % 2]),
      outside: related,
    });
    const { session } = await fitted(text, ['outside']);
    const [first, second] = await meanings(session);
    expect(first).toMatch(
      /^PC1 \(\d+\s%\): more (p, less q|q, less p); correlates with outside \(r −?\.\d\d\); higher for (left than for right|right than for left) \(side, η² \.\d\d\)\.$/,
    );
    expect(second).toMatch(/^PC2 \(\d+\s%\): (more|less) (r and s|s and r)/);
  });

  it('is silent about columns of noise that a bootstrap does not confirm', async () => {
    const text = csv(Object.fromEntries('abcdef'.split('').map((name) => [name, Array.from({ length: 40 }, normal)])));
    const { session, model } = await fitted(text);
    const before = describeComponents(model).join(' ');
    const after = (await meanings(session)).join(' ');
    expect(after.length).toBeLessThan(before.length);
  });

  it('describes wine by its columns and cultivars', async () => {
    const text = readFileSync(new URL('../../src/data/wine.csv', import.meta.url), 'utf8');
    const { session } = await fitted(text, [], 'unit');
    const [first, second] = await meanings(session);
    expect(first).toMatch(
      /^PC1 \(36\s%\): .*flavanoids.*; separates the 3 levels of cultivar \(η² \.\d\d\): highest for cultivar \d, lowest for cultivar \d\.$/,
    );
    expect(second).toContain('alcohol');
  });
});

describe('an exported model', () => {
  it('has the choice of k and the stability, once they are known', async () => {
    const { session } = await fitted(table);
    const before = loadModel(await session.shown.exportedModel(2));
    expect([before.choice, before.stability]).toEqual([undefined, undefined]);
    const { choice } = await session.shown.choose(null, {});
    const { stability } = loadModel((await session.shown.analysis({}, {})).model);
    const after = loadModel(await session.shown.exportedModel(2));
    expect(after.choice).toEqual(choice);
    expect(after.stability?.replicates).toBe(defaultReplicates(60, 4));
    expect(after.stability?.angles).toEqual(stability?.angles.slice(0, 2));
    expect(after.stability?.loadings.low).toEqual(stability?.loadings.low.slice(0, 2 * 4));
    expect(after.components).toEqual(before.components);
    // The page saves JSON.
    expect(loadModel(JSON.stringify(after)).stability).toEqual(after.stability);
  });

  it('has no stability of more components than it was computed for', async () => {
    const wide = csv(
      Object.fromEntries('abcdefghijkl'.split('').map((name) => [name, Array.from({ length: 30 }, normal)])),
    );
    const { session } = await fitted(wide);
    await session.shown.analysis({}, {});
    expect(loadModel(await session.shown.exportedModel(10)).stability?.angles.length).toBe(10);
    expect(loadModel(await session.shown.exportedModel(11)).stability).toBeUndefined();
  });
});

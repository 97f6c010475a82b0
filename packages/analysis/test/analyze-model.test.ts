import { pca } from '@scree/core';
import { nestedModels } from '@scree/core/pipeline';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../core/test/support/table.js';
import { analyze, analyzeModel, monitor, supplementary } from '../src/index.js';

const { rows, columns: columnNames } = readTable('wine');
const options = { scale: 'unit', columnNames } as const;

describe('analyzeModel', () => {
  it('takes rows for those of the fit if their number and sums of squares agree, otherwise for new rows', async () => {
    const model = await pca(rows, { ...options, k: 4 });
    expect((await analyzeModel(model, rows)).kind).toBe('fit');
    expect((await analyzeModel(model, [...rows].reverse())).kind).toBe('fit');
    expect((await analyzeModel(model, rows.slice(1))).kind).toBe('new');
    expect((await analyzeModel(model, rows, { rows: 'new' })).kind).toBe('new');
  });

  it('compares rows with the recommended components, or with the requested number', async () => {
    const { model } = await analyze(rows, { ...options, bootstrap: 0 });
    expect([model.k, model.choice?.k]).toEqual([10, 3]);
    expect((await analyzeModel(model, rows)).compared?.model.k).toBe(3);
    const all = await analyzeModel(model, rows, { rows: 'new', kept: 10 });
    const { limits, unusual } = await monitor(model, rows);
    expect(all.compared?.found.limits).toEqual(limits);
    expect(all.compared?.found.unusual.map(({ row }) => row).sort((a, b) => a - b)).toEqual([...unusual]);
    const none = await analyzeModel(model, rows, { kept: 0 });
    expect(none.compared?.found.limits.t2).toBeNull();
    // A model that does not say how many to keep keeps all.
    expect((await analyzeModel(await pca(rows, { ...options, k: 4 }), rows)).kept).toBe(4);
    expect(() => analyzeModel(model, rows, { kept: 11 })).toThrow(/kept/);
  });

  it('gives reasons for parts that a stored model does not have', async () => {
    const { notComputed, model } = await analyzeModel(await pca(rows, { ...options, k: 2 }), rows);
    expect(notComputed).toMatchObject({ choice: { code: 'STORED' }, stability: { code: 'STORED' } });
    expect(model.choice).toBeUndefined();
    const examined = await analyze(rows, { ...options, bootstrap: 30 });
    expect((await analyzeModel(examined.model, rows)).notComputed).toEqual({ secondLook: { code: 'STORED' } });
    const same = Array.from({ length: 9 }, () => [1, 2, 3]);
    const flat = await analyzeModel(await pca(same), [[4, 5, 6]], { rows: 'new' });
    expect(flat.notComputed).toMatchObject({
      choice: { code: 'NO_VARIANCE' },
      unusual: { code: 'NO_VARIANCE', details: { rows: 'new' } },
    });
  });

  it('describes groups of new rows, and does not relate them to the fit', async () => {
    const model = await pca(rows, { ...options, k: 2 });
    const labels = rows.map((_, i) => (i < 59 ? 'first' : 'other'));
    const colours = { name: 'grower', labelOf: (row: number) => labels[row] };
    const { groups } = await supplementary(model, rows, { groups: { grower: labels } });
    const own = await analyzeModel(model, rows, { colours });
    expect(own.rowFacts?.groups?.eta2[0]).toBeCloseTo(groups[0].eta2[0], 12);
    expect(own.meaning[0]?.groups[0].name).toBe('grower');
    const others = await analyzeModel(model, rows, { colours, rows: 'new' });
    expect(others.rowFacts?.groups?.eta2[0]).toBeCloseTo(groups[0].eta2[0], 12);
    expect(others.meaning[0]?.groups).toEqual([]);
  });

  it('reads rows once, from a stream too, with their names', async () => {
    const model = await pca(rows, { ...options, k: 2 });
    async function* stream(): AsyncGenerator<number[], void, void> {
      for (const row of rows) yield row;
    }
    const names = rows.map((_, i) => `wine ${i}`);
    const found = await analyzeModel(model, stream(), { rows: 'fit', names });
    const known = await analyzeModel(model, rows, { rows: 'fit', names });
    expect(found.compared?.found.unusual).toEqual(known.compared?.found.unusual);
    const [first] = found.compared?.found.unusual ?? [];
    expect(first.name).toBe(`wine ${first.row}`);
  });

  it('refuses rows of another width', async () => {
    const model = await pca(rows, { ...options, k: 2 });
    await expect(analyzeModel(model, [[1, 2]])).rejects.toMatchObject({ code: 'WIDTH_MISMATCH' });
  });
});

describe('a truncated model', () => {
  it('has the first components of the fit, with bounds that are not tighter', async () => {
    const { model, first } = await nestedModels(rows, { ...options, k: 10 });
    for (const k of [1, 3, 9]) {
      const [cut, own] = [model.first(k), first(k)];
      for (const name of ['variances', 'varianceRatios', 'singularValues'] as const)
        expect(Array.from(cut[name])).toEqual(Array.from(own[name]));
      expect(Array.from(cut.components.data)).toEqual(Array.from(own.components.data));
      expect(cut.noiseVariance / own.noiseVariance).toBeCloseTo(1, 12);
      expect(cut.uniqueness.rank).toBe(own.uniqueness.rank);
      expect(cut.uniqueness.subspace.gap).toBeCloseTo(own.uniqueness.subspace.gap ?? 0, 10);
      expect(cut.certificate.subspaceAngleBound).toBeGreaterThan(0);
    }
    expect(model.first(10)).toBe(model);
  });

  it('has the stability of its components', async () => {
    const { model } = await analyze(rows, { ...options, bootstrap: 30 });
    const cut = model.first(2);
    expect(cut.stability?.angles).toEqual(model.stability?.angles.slice(0, 2));
    expect(cut.stability?.swaps).toEqual(model.stability?.swaps.slice(0, 1));
  });
});

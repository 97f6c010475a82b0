import { DataError, type Model, pca, ScreeError } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { toCsr, withSpectrum } from '../../core/test/support/data.js';
import { bootstrap, inspectColumns, summarize, TableSummary } from '../src/index.js';

const names = (d: number): string[] => Array.from({ length: d }, (_, j) => `c${j}`);

/** Cuts rows at random places into parts of at least one row. */
function cut<Row>(rows: readonly Row[], parts: number, seed: number): Row[][] {
  const { uniform } = random(seed);
  const places = new Set<number>();
  while (places.size < parts - 1) places.add(1 + Math.floor(uniform() * (rows.length - 1)));
  const ends = [...places].sort((a, b) => a - b);
  return [...ends, rows.length].map((end, i) => rows.slice(ends[i - 1] ?? 0, end));
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const { uniform } = random(seed);
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** Both models differ by no more than their certificates admit. */
function expectWithinCertificates(model: Model, truth: Model): void {
  expect(model.n).toBe(truth.n);
  for (let i = 0; i < truth.k; i++) {
    const bound = model.certificate.varianceBounds[i] + truth.certificate.varianceBounds[i];
    expect(Math.abs(model.variances[i] - truth.variances[i])).toBeLessThanOrEqual(bound);
  }
}

describe('summaries of the parts of a table', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { uniform } = random(seed);
    const [n, d] = [20 + Math.floor(200 * uniform()), 1 + Math.floor(9 * uniform())];
    const offset = seed % 3 === 0 ? 1e8 : 0;
    const rows = withSpectrum(n, d, (i) => 0.7 ** i, { offset: () => offset });
    const parts = cut(rows, 1 + Math.floor(9 * uniform()), seed);
    const weights = Array.from({ length: n }, () => Math.floor(3 * uniform()) + 0.5);

    it(`merge to the same bytes in any order, and to the moments of the whole (seed ${seed}: ${n}×${d}, ${parts.length} parts, offset ${offset})`, async () => {
      let from = 0;
      const each = [];
      for (const [i, part] of parts.entries()) {
        const own = weights.slice(from, from + part.length);
        from += part.length;
        each.push(await summarize(part, { name: `part ${i}`, ...(seed % 2 ? { weights: own } : {}) }));
      }
      const merged = await TableSummary.merge(each);
      const bytes = await merged.toBinary();
      for (let again = 0; again < 3; again++) {
        const other = await TableSummary.merge(shuffled(each, 100 * seed + again));
        expect(await other.toBinary()).toEqual(bytes);
      }
      const stored = await Promise.all(each.map(async (one) => TableSummary.fromBinary(await one.toBinary())));
      expect(await (await TableSummary.merge(stored.reverse())).toBinary()).toEqual(bytes);
      const truth = await pca(rows, { solver: 'svd', k: 'all', ...(seed % 2 ? { weights } : {}) });
      expectWithinCertificates(await merged.model({ k: 'all' }), truth);
      // The two-part mean: an offset of 1e8 costs no digits beyond those of the numbers themselves.
      const model = await merged.model({ k: 'all' });
      const error = Math.max(...model.variances.map((value, i) => Math.abs(value - truth.variances[i])));
      expect(error).toBeLessThan(1e-13 * truth.variances[0] * Math.sqrt(n));
    });
  }

  it('merge to the same bytes for sparse rows', async () => {
    const rows = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 8 }, (_, j) => ((i * 7 + j * 3) % 5 ? 0 : i + j)),
    );
    const each = await Promise.all(cut(rows, 5, 3).map((part) => summarize(toCsr(part))));
    const merged = await TableSummary.merge(each);
    expect(await (await TableSummary.merge([...each].reverse())).toBinary()).toEqual(await merged.toBinary());
    expectWithinCertificates(await merged.model({ k: 3 }), await pca(rows, { k: 3, solver: 'svd' }));
  });

  it('keep the leaves of merged summaries, so that a part in two of them is found', async () => {
    const rows = withSpectrum(90, 4, (i) => 0.5 ** i, {});
    const [a, b, c] = await Promise.all(cut(rows, 3, 5).map((part, i) => summarize(part, { name: `part ${i}` })));
    const ab = await TableSummary.merge([a, b]);
    const nested = await TableSummary.merge([ab, c]);
    expect(nested.header.parts.map(({ name }) => name).sort()).toEqual(['part 0', 'part 1', 'part 2']);
    expectWithinCertificates(await nested.model({ k: 4 }), await pca(rows, { k: 4 }));
    await expect(TableSummary.merge([ab, b])).rejects.toMatchObject({ details: { reason: 'repeated-part' } });
    // Merging does not change what is merged.
    expect(a.rows + b.rows).toBe(ab.rows);
  });

  it('of one part are that part', async () => {
    const one = await summarize(withSpectrum(30, 3, () => 1, {}));
    expect(await (await TableSummary.merge([one])).toBinary()).toEqual(await one.toBinary());
  });

  it('refuse other columns, other weights, other kinds and the same rows twice', async () => {
    const rows = withSpectrum(20, 3, () => 1, {});
    const make = (options: object, data: number[][] = rows) => summarize(data, { columnNames: names(3), ...options });
    const a = await make({ name: 'a' });
    const refused = async (other: Promise<TableSummary>): Promise<ScreeError> => {
      const error = await TableSummary.merge([a, await other]).catch((found: unknown) => found);
      expect(error).toBeInstanceOf(DataError);
      return error as ScreeError;
    };
    const more = rows.slice(1);
    expect((await refused(summarize(more.map((row) => row.slice(1))))).code).toBe('WIDTH_MISMATCH');
    expect((await refused(make({ columnNames: ['c1', 'c0', 'c2'] }, more))).message).toContain('another order');
    expect((await refused(make({ columnNames: ['c0', 'x', 'c2'] }, more))).message).toContain('"x"');
    expect((await refused(make({ weights: more.map(() => 2) }, more))).message).toContain('weights');
    expect((await refused(make({ keep: 'sketch' }, more))).message).toContain('sketch');
    expect((await refused(make({ bootstrap: 10 }, more))).message).toContain('10 replicates');
    const twice = await refused(make({ name: 'copy of a' }));
    expect(twice.details.reason).toBe('repeated-part');
    const both = await TableSummary.merge([a, await make({ name: 'copy of a' })], { allowDuplicates: true });
    expect(both.rows).toBe(40);
  });

  it('have a fingerprint of the rows that does not depend on blocks or dtype of the reader, but on every number', async () => {
    const rows = withSpectrum(40, 3, () => 1, {});
    const print = async (data: Parameters<typeof summarize>[0], options = {}) =>
      (await summarize(data, options)).header.parts[0].fingerprint;
    async function* stream(size: number) {
      for (let i = 0; i < rows.length; i += size) yield* rows.slice(i, i + size);
    }
    const flat = Float64Array.from(rows.flat());
    const whole = await print({ rows: 40, cols: 3, data: flat });
    const strided = new Float64Array(40 * 5);
    rows.forEach((row, i) => {
      strided.set(row, 5 * i);
    });
    expect(await print({ rows: 40, cols: 3, stride: 5, data: strided })).toBe(whole);
    expect(await print(rows)).toBe(whole);
    expect(await print(stream(7))).toBe(whole);
    for (const at of [0, 1, 60, 119]) {
      const other = flat.slice();
      other[at] += 2 ** -40;
      expect(await print({ rows: 40, cols: 3, data: other })).not.toBe(whole);
    }
    expect(await print(rows, { weights: rows.map(() => 1) })).not.toBe(whole);
  });
});

describe('the bytes of a summary', () => {
  const made = summarize(
    withSpectrum(30, 3, () => 1, {}),
    { bootstrap: 10 },
  ).then((one) => one.toBinary());

  it('are refused at every length but their own, and with any byte changed', async () => {
    const bytes = await made;
    for (let length = 0; length < bytes.length; length += 97) {
      const error = await TableSummary.fromBinary(bytes.slice(0, length)).catch((found: unknown) => found);
      expect(error).toBeInstanceOf(ScreeError);
    }
    for (let at = 0; at < bytes.length; at += 53) {
      const changed = bytes.slice();
      changed[at] ^= 0x41;
      const error = await TableSummary.fromBinary(changed).catch((found: unknown) => found);
      expect(error).toBeInstanceOf(ScreeError);
    }
  });

  it('have a header that can be read first', async () => {
    const bytes = await made;
    const first = TableSummary.headerOf(bytes.slice(0, 16));
    expect(first).toHaveProperty('needed');
    const found = TableSummary.headerOf(bytes.slice(0, (first as { needed: number }).needed));
    expect(found).toMatchObject({ size: bytes.length, header: { kind: 'moments', cols: 3, rows: 30, replicates: 10 } });
  });
});

describe('warnings about the columns of merged summaries', () => {
  it('are those of the rows: identifiers that continue from part to part, classes, zeros, duplicates', async () => {
    const { uniform, normal } = random(4);
    const columnNames = ['id', 'kind', 'rare', 'length', 'inches'];
    const rows = Array.from({ length: 300 }, (_, i) => {
      const length = normal();
      return [i + 1, Math.floor(3 * uniform()), uniform() < 0.8 ? 0 : 1 + uniform(), length, length / 2.54];
    });
    const each = await Promise.all(cut(rows, 6, 9).map((part) => summarize(part, { columnNames })));
    const merged = await TableSummary.merge(shuffled(each, 2));
    const model = await merged.model({ k: 2, inspectColumns: true });
    const { warnings } = await inspectColumns(rows, { columnNames });
    const codes = warnings.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['ID_COLUMN', 'DUPLICATE_COLUMNS', 'ZERO_INFLATED']));
    expect(model.warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
  });
});

describe('sketches of wide parts', () => {
  it('take the place of moments, merge to the same bytes in any order, and bound their error', async () => {
    const rows = withSpectrum(150, 60, (i) => 0.6 ** i, { offset: () => 5 });
    const options = { keep: 'sketch', k: 5 } as const;
    const each = await Promise.all(cut(rows, 4, 8).map((part) => summarize(part, options)));
    const merged = await TableSummary.merge(each);
    expect(merged.header.kind).toBe('sketch');
    const bytes = await merged.toBinary();
    expect(await (await TableSummary.merge(shuffled(each, 6))).toBinary()).toEqual(bytes);
    const again = await TableSummary.fromBinary(bytes);
    expect(await again.toBinary()).toEqual(bytes);
    expectWithinCertificates(await again.model({ k: 5 }), await pca(rows, { k: 5, solver: 'svd' }));
    await expect(again.model({ k: 'auto' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });

  it('are kept from 2897 columns, or if moments do not fit', async () => {
    const wide = [new Float64Array(2897).map((_, j) => j % 7), new Float64Array(2897).map((_, j) => j % 5)];
    expect((await summarize(wide)).header.kind).toBe('sketch');
    const narrow = wide.map((row) => row.slice(0, 500));
    expect((await summarize(narrow)).header.kind).toBe('moments');
    expect((await summarize(narrow, { memory: 1 << 22 })).header.kind).toBe('sketch');
  });
});

describe('a bootstrap by parts', () => {
  const rows = withSpectrum(400, 5, (i) => 0.5 ** i, { offset: () => 100 });
  const parts = cut(rows, 5, 12);
  const sum = (bootstrap: number) => Promise.all(parts.map((part) => summarize(part, { bootstrap })));

  it('agrees with one of all rows', async () => {
    const model = await (await TableSummary.merge(await sum(400))).model({ k: 3, scale: 'unit' });
    const truth = await bootstrap(rows, { k: 3, scale: 'unit', replicates: 400 });
    const found = model.stability;
    expect(found?.replicates).toBe(400);
    for (let i = 0; i < 3; i++) {
      const [low, high] = truth.variances[i];
      const width = high - low;
      expect(Math.abs((found?.variances[i][0] ?? 0) - low)).toBeLessThan(0.25 * width);
      expect(Math.abs((found?.variances[i][1] ?? 0) - high)).toBeLessThan(0.25 * width);
      expect(found?.angles[i].median).toBeGreaterThan(0.7 * truth.angles[i].median);
      expect(found?.angles[i].median).toBeLessThan(1.4 * truth.angles[i].median);
    }
  });

  it('draws differently in every part, once per row on average', async () => {
    const each = await sum(50);
    const weights = each.map((one) => one.replicates.map(({ weight }) => weight / one.rows));
    const all = weights.flat();
    const mean = all.reduce((total, weight) => total + weight, 0) / all.length;
    expect(Math.abs(mean - 1)).toBeLessThan(0.03);
    // Draws of two parts with rows of other parts' numbers would be the same if they did not know which part they are.
    const [a, b] = await Promise.all(
      [parts[0].slice(0, 20), parts[1].slice(0, 20)].map((part) => summarize(part, { bootstrap: 20 })),
    );
    expect(a.replicates.map(({ weight }) => weight)).not.toEqual(b.replicates.map(({ weight }) => weight));
  });

  it('is refused if replicates do not fit into the memory, and for sketches', async () => {
    const small = { bootstrap: 200, memory: 1 << 14 };
    await expect(summarize(rows, { ...small, keep: 'moments' })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(summarize(rows, { bootstrap: 200, keep: 'sketch' })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

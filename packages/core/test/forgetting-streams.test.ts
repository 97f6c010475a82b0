import { describe, expect, it } from 'vitest';
import { type Model, Moments, pca, Stream, stream } from '../src/index.js';
import { random } from '../src/linalg/random.js';

const seed = Number(process.env.SCREE_SEED ?? 1);

function normalRows(n: number, d: number, rng = random(seed)): number[][] {
  return Array.from({ length: n }, () => Array.from({ length: d }, (_, j) => 100 + (j + 1) * rng.normal()));
}

/** Compares what models say about the data, relative to the largest variance. */
function expectSame(a: Model, b: Model): void {
  expect(a.totalWeight / b.totalWeight).toBeCloseTo(1, 9);
  const [largest] = b.variances;
  a.variances.forEach((value, i) => {
    expect(Math.abs(value - b.variances[i])).toBeLessThan(1e-10 * largest);
  });
  a.mean.forEach((value, j) => {
    expect(Math.abs(value - b.mean[j])).toBeLessThan(1e-10 * 100);
  });
  a.components.data.forEach((value, at) => {
    expect(Math.abs(value - b.components.data[at])).toBeLessThan(1e-6);
  });
}

/** Row numbers at which a table is cut into batches. */
function cuts(n: number, rng = random(seed + 5)): number[] {
  const at = [0];
  while (at[at.length - 1] < n) at.push(Math.min(n, at[at.length - 1] + 1 + Math.floor(rng.uniform() ** 3 * 90)));
  return at;
}

async function fill(into: Stream, rows: number[][], at = cuts(rows.length)): Promise<Stream> {
  for (let i = 1; i < at.length; i++) await into.add(rows.slice(at[i - 1], at[i]));
  return into;
}

describe('a stream with a half-life', () => {
  it('has the model of all rows with the weights 2^(−age/halfLife), scaled to their effective number', async () => {
    const rows = normalRows(400, 5);
    const halfLife = 60;
    const weights = rows.map((_, i) => 2 ** (-(rows.length - 1 - i) / halfLife));
    const sum = weights.reduce((a, b) => a + b, 0);
    const effective = sum ** 2 / weights.reduce((a, b) => a + b * b, 0);
    const forgetting = await fill(stream({ k: 3, halfLife }), rows);
    expect(forgetting.effectiveRows / effective).toBeCloseTo(1, 9);
    expect(forgetting.rows).toBe(400);
    const scaled = weights.map((weight) => (weight * effective) / sum);
    expectSame(await forgetting.model(), await pca(rows, { k: 3, weights: scaled }));
  });

  it('is the same however the rows are cut into batches, and counts weights of rows', async () => {
    const rows = normalRows(200, 4);
    const once = stream({ k: 2, halfLife: 25 });
    await once.add(rows);
    expectSame(await (await fill(stream({ k: 2, halfLife: 25 }), rows)).model(), await once.model());
    const weighted = stream({ k: 2, halfLife: 25 });
    await weighted.add(rows, { weights: rows.map(() => 7) });
    expectSame(await weighted.model(), await once.model());
  });

  it('forgets: after a change it has the new rows, and its weights never grow', async () => {
    const rng = random(seed + 2);
    const forgetting = stream({ k: 1, halfLife: 20 });
    for (let batch = 0; batch < 40; batch++)
      await forgetting.add(Array.from({ length: 100 }, () => [5 * rng.normal(), rng.normal()]));
    for (let batch = 0; batch < 5; batch++)
      await forgetting.add(Array.from({ length: 100 }, () => [rng.normal(), 5 * rng.normal()]));
    const { components, totalWeight } = await forgetting.model();
    expect(Math.abs(components.data[1])).toBeGreaterThan(0.95);
    expect(totalWeight).toBeLessThan(3 * 20);
    // A batch that leaves nothing of what was before.
    await forgetting.add(Array.from({ length: 40_000 }, () => [5 * rng.normal(), rng.normal()]));
    expect(Math.abs((await forgetting.model()).components.data[0])).toBeGreaterThan(0.95);
  });
});

describe('a stream with a window', () => {
  it.each([2, 37, 64, 150])('of %i rows has the model of exactly these rows, at any time', async (window) => {
    const rows = normalRows(260, 4, random(seed + window));
    const sliding = stream({ k: 2, window });
    const at = cuts(rows.length, random(seed + window));
    for (let i = 1; i < at.length; i++) {
      await sliding.add(rows.slice(at[i - 1], at[i]));
      if (at[i] < 3 || i % 3 !== 0) continue;
      const last = rows.slice(Math.max(0, at[i] - window), at[i]);
      expect(sliding.rows).toBe(last.length);
      expect(sliding.effectiveRows).toBe(last.length);
      if (last.length > 2) expectSame(await sliding.model(), await pca(await new Moments(4).add(last), { k: 2 }));
    }
  });

  it('keeps its rows if a call fails', async () => {
    const rows = normalRows(90, 3);
    const sliding = stream({ k: 1, window: 50 });
    await sliding.add(rows.slice(0, 70));
    await expect(sliding.add([...rows.slice(70), [1, Number.NaN, 2]])).rejects.toMatchObject({ code: 'NOT_FINITE' });
    expectSame(await sliding.model(), await pca(rows.slice(20, 70), { k: 1 }));
    await sliding.add(rows.slice(70));
    expectSame(await sliding.model(), await pca(rows.slice(40), { k: 1 }));
  });
});

describe('streams that forget', () => {
  it.each([{ halfLife: 30 }, { window: 45 }])('%j are saved and restored to the same bits', async (how) => {
    const rows = normalRows(150, 4);
    const first = await fill(stream({ k: 2, ...how }), rows.slice(0, 100));
    const restored = await Stream.fromBinary(await first.toBinary());
    expect(await restored.toBinary()).toEqual(await first.toBinary());
    for (const each of [first, restored]) await each.add(rows.slice(100));
    expect((await restored.model()).toJSON()).toEqual((await first.model()).toJSON());
    expect(restored.effectiveRows).toBe(first.effectiveRows);
  });

  it('refuse damaged bytes', async () => {
    const bytes = await (await fill(stream({ k: 1, window: 9 }), normalRows(20, 2))).toBinary();
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = bytes.slice();
      damaged[at] ^= 1;
      await expect(Stream.fromBinary(damaged)).rejects.toMatchObject({ name: 'ModelError' });
    }
  });

  it('refuse options that contradict, and merging', async () => {
    for (const options of [
      { halfLife: 0 },
      { halfLife: '5' },
      { window: 1 },
      { window: 2.5 },
      { halfLife: 5, window: 5 },
      { window: 5, rule: 'incremental' },
    ])
      expect(() => stream(options as never), JSON.stringify(options)).toThrow(
        expect.objectContaining({ code: 'BAD_OPTION' }),
      );
    const [a, b] = [stream({ k: 1, window: 5 }), stream({ k: 1, window: 5 })];
    await a.add(normalRows(4, 2));
    await b.add(normalRows(4, 2));
    await expect(a.merge(b)).rejects.toMatchObject({ code: 'BAD_OPTION' });
  });
});

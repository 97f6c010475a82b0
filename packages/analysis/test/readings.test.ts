import { pca, type RowSource } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import {
  betweenGroups,
  monitor,
  pcr,
  probabilistic,
  procrustes,
  residualize,
  rotate,
  rowContributions,
  rvCoefficient,
  supplementaryRows,
  withinGroups,
} from '../src/index.js';

const ROWS = 60;

/** A source that is read from elsewhere, block by block, and counts how often it is read and closed. */
function counted(cols: number, seed: number, broken = false): RowSource & { readings: number; closed: number } {
  return {
    rows: ROWS,
    cols,
    dtype: 'float64',
    rereadable: true,
    resident: false,
    readings: 0,
    closed: 0,
    *blocks() {
      this.readings++;
      const { normal } = random(seed);
      for (let from = 0; from < ROWS; from += 7) {
        const rows = Math.min(7, ROWS - from);
        const data = new Float64Array(rows * cols).map(normal);
        if (broken && from > 20) data[3] = Number.NaN;
        yield { kind: 'dense', rows, cols, stride: cols, data };
      }
    },
    close() {
      this.closed++;
    },
  };
}

const labels = Array.from({ length: ROWS }, (_, i) => `group ${i % 3}`);
const y = Array.from({ length: ROWS }, (_, i) => Math.sin(i));

describe('analyses of a row source', () => {
  it('read it once if they promise it', async () => {
    const [x, other] = [counted(5, 1), counted(4, 2)];
    await rvCoefficient(x, other, { scale: 'unit' });
    expect([x.readings, other.readings]).toEqual([1, 1]);
    await procrustes(x, other);
    expect([x.readings, other.readings]).toEqual([2, 2]);
    const model = await pca(counted(5, 1), { k: 2 });
    const again = counted(5, 1);
    await probabilistic(model).scoreSamples(again);
    await probabilistic(model).posterior(again);
    await (await rotate(model, { method: 'varimax' })).transform(again);
    expect(again.readings).toBe(3);
    const data = counted(5, 1);
    const residuals = await residualize(data, counted(2, 3));
    expect(data.readings).toBe(1);
    for await (const block of residuals.blocks()) expect(block.rows).toBeGreaterThan(0);
    expect(data.readings).toBe(2);
  });

  it('close it', async () => {
    const sources = [1, 2, 3, 4, 5, 6].map((seed) => counted(5, seed));
    await rvCoefficient(sources[0], sources[1]);
    await pcr(sources[2], y, { k: 2, folds: 3 });
    await withinGroups(sources[3], labels, { k: 2 });
    await betweenGroups(sources[4], labels);
    await pca(await residualize(sources[5], { y }), { k: 1 });
    for (const source of sources) expect(source.closed).toBe(1);
  });

  it('close it after an error too', async () => {
    const broken = [1, 2, 3, 4, 5, 6].map((seed) => counted(5, seed, true));
    const whole = counted(5, 9);
    const error = { code: 'NOT_FINITE', details: { row: 21, column: 3 } };
    await expect(rvCoefficient(whole, broken[0])).rejects.toMatchObject(error);
    await expect(pcr(broken[1], y, { k: 2, folds: 3 })).rejects.toMatchObject(error);
    await expect(withinGroups(broken[2], labels)).rejects.toMatchObject(error);
    await expect(betweenGroups(broken[3], labels)).rejects.toMatchObject(error);
    await expect(residualize(broken[4], { y })).rejects.toMatchObject(error);
    await expect(probabilistic(await pca(counted(5, 1), { k: 2 })).score(broken[5])).rejects.toMatchObject(error);
    for (const source of [whole, ...broken]) expect(source.closed).toBe(1);
    const short = counted(5, 1);
    await expect(residualize(short, { y: y.slice(1) })).rejects.toThrow('59 rows');
    expect(short.closed).toBe(1);
  });
});

describe('one row, by position or as a record with further fields', () => {
  it('is accepted wherever a list of such rows is', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({
      a: Math.sin(i),
      b: Math.sin(i) + 0.1 * Math.cos(7 * i),
      c: Math.cos(3 * i),
    }));
    const target = rows.map(({ a }) => a);
    const model = await pca(rows, { k: 2 });
    const likelihood = probabilistic(model);
    const rotated = await rotate(model, { method: 'varimax' });
    const regression = await pcr(rows, target, { k: 2 });
    const { a, b, c } = rows[3];
    const record = { id: 'x', c, b, a, tags: ['p', 'q'] };
    type Given = Parameters<typeof model.transform>[0];
    const calls: Record<string, (given: Given) => Promise<unknown>> = {
      transform: (given) => model.transform(given),
      reconstructionError: (given) => model.reconstructionError(given),
      biplot: (given) => model.biplot(given),
      monitor: (given) => monitor(model, given),
      rowContributions: (given) => rowContributions(model, given),
      supplementaryRows: (given) => supplementaryRows(model, given),
      scoreSamples: (given) => likelihood.scoreSamples(given as never),
      posterior: (given) => likelihood.posterior(given as never),
      rotated: (given) => rotated.transform(given as never),
      predict: (given) => regression.predict(given as never),
    };
    for (const [name, call] of Object.entries(calls)) {
      const expected = JSON.stringify(await call([record]));
      for (const given of [record, [a, b, c], Float64Array.of(a, b, c)]) {
        expect(JSON.stringify(await call(given)), name).toBe(expected);
      }
    }
  });
});

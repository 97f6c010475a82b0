import { pca, stream } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { describeDrift } from '../src/describe/index.js';
import { drift, subspaceChange } from '../src/index.js';

/** Fixed, because tests of drift are wrong now and then, as often as their level says. */
const seed = 1;

/** Two hidden factors in six columns, with noise. `change` moves, widens or turns them. */
function plant(
  n: number,
  rng = random(seed),
  change: { shift?: number; noise?: number; turn?: boolean } = {},
): number[][] {
  const { shift = 0, noise = 0.5, turn = false } = change;
  return Array.from({ length: n }, () => {
    const [a, b] = [3 * rng.normal(), 2 * rng.normal()];
    const row = [a, a, turn ? -a : a, b, b, b].map((value) => value + noise * rng.normal());
    row[5] += shift;
    return row;
  });
}

const options = { permutations: 199 };

describe('drift', () => {
  it('is rarely found where there is none, with rows of comparison, rows of the fit, or simulated ones', async () => {
    const rng = random(seed + 3);
    const found = { rows: 0, fit: 0, simulated: 0 };
    const runs = 40;
    for (let run = 0; run < runs; run++) {
      const fitted = plant(60, rng);
      const model = await pca(fitted, { k: 2 });
      const rows = plant(50, rng);
      const any = async (reference?: number[][]): Promise<number> => {
        const { mean, covariance, subspace } = await drift(model, rows, { permutations: 99, seed: run, reference });
        return [mean, covariance, subspace].some(({ changed }) => changed) ? 1 : 0;
      };
      found.rows += await any(plant(60, rng));
      found.fit += await any(fitted);
      found.simulated += await any();
    }
    // 5 % are expected for all three tests together: 2 of 40 runs.
    for (const count of Object.values(found)) expect(count, JSON.stringify(found)).toBeLessThan(9);
  });

  it('says which of mean, covariance and subspace has changed', async () => {
    const rng = random(seed + 4);
    const good = plant(300, rng);
    const model = await pca(good, { k: 2 });
    const shifted = await drift(model, plant(200, rng, { shift: 2 }), options);
    expect([shifted.mean.changed, shifted.covariance.changed, shifted.subspace.changed]).toEqual([true, false, false]);
    const moved = [...shifted.columns].sort((a, b) => Math.abs(b.shift) - Math.abs(a.shift))[0];
    expect(moved.column).toBe(5);
    expect(moved.meanAfter - moved.meanBefore).toBeGreaterThan(1.4);
    expect(describeDrift(shifted)[0]).toMatch(/^The mean has moved \(p = 0\.005\)\.$/);
    const turned = await drift(model, plant(200, rng, { turn: true }), options);
    expect([turned.mean.changed, turned.covariance.changed, turned.subspace.changed]).toEqual([false, true, true]);
    expect(turned.explained).toBeLessThan(turned.explainedBefore - 0.1);
    const none = await drift(model, plant(200, rng), options);
    expect(describeDrift(none).at(-1)).toBe('Nothing here asks for a new fit.');
  });

  it('is found in the windows of time after which something changed', async () => {
    const rng = random(seed + 6);
    const model = await pca(plant(300, rng), { k: 2 });
    const rows = [...plant(240, rng), ...plant(120, rng, { noise: 1.5 })];
    const { windows } = await drift(model, rows, { ...options, windows: 3 });
    expect(windows.map(({ rows: count }) => count)).toEqual([120, 120, 120]);
    expect(windows.map(({ subspace }) => subspace.changed)).toEqual([false, false, true]);
    const days = rows.map((_, i) => `day ${1 + Math.floor(i / 180)}`);
    const labelled = await drift(model, rows, { ...options, labels: days });
    expect(labelled.windows.map(({ label }) => label)).toEqual(['day 1', 'day 2']);
  });

  it('refuses few rows, gaps, and invalid options', async () => {
    const model = await pca(plant(50), { k: 2 });
    await expect(drift(model, plant(5))).rejects.toMatchObject({ code: 'TOO_FEW_ROWS' });
    await expect(drift(model, [...plant(9), [1, 2, Number.NaN, 4, 5, 6]])).rejects.toMatchObject({
      code: 'NOT_FINITE',
    });
    expect(() => drift(model, plant(20), { level: 2 })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }));
  });
});

describe('a change of the subspace', () => {
  it('is an alarm with about the probability that the level says, if nothing has changed', async () => {
    const rng = random(seed + 11);
    let alarms = 0;
    const runs = 300;
    let before = await pca(plant(200, rng), { k: 2, solver: 'covariance' });
    for (let run = 0; run < runs; run++) {
      const after = await pca(plant(200, rng), { k: 2, solver: 'covariance' });
      const { changed, bound } = subspaceChange(before, after, 0.95);
      expect(bound).not.toBeNull();
      if (changed) alarms++;
      before = after;
    }
    expect(alarms / runs).toBeGreaterThan(0.015);
    expect(alarms / runs).toBeLessThan(0.1);
  });

  it('is an alarm of a stream whose columns are related in another way', async () => {
    const rng = random(seed + 12);
    const window = stream({ k: 2, window: 300 });
    await window.add(plant(300, rng));
    const before = await window.model();
    await window.add(plant(300, rng));
    expect(subspaceChange(before, await window.model(), 0.999).changed).toBe(false);
    await window.add(plant(300, rng, { turn: true }));
    const { changed, angle } = subspaceChange(before, await window.model(), 0.999);
    expect(changed).toBe(true);
    expect(angle).toBeGreaterThan(0.5);
  });

  it('has no bound if the rows do not determine the subspace', async () => {
    const rng = random(seed + 13);
    const noise = (): number[][] => Array.from({ length: 40 }, () => [rng.normal(), rng.normal(), rng.normal()]);
    const { bound, changed } = subspaceChange(await pca(noise(), { k: 1 }), await pca(noise(), { k: 1 }));
    expect([bound === null || bound < 0.5, changed && bound === null]).toEqual([true, false]);
  });
});

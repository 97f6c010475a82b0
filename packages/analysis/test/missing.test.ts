import { pca } from '@scree/core';
import { describe, expect, it } from 'vitest';
import { random } from '../../core/src/linalg/random.js';
import { describeFinding } from '../src/describe/index.js';
import { analyze } from '../src/index.js';

const { normal, uniform } = random(Number(process.env.SCREE_SEED));
const { NaN: gap } = Number;

/** Rows with three directions and noise, of which a share is missing at random. */
function gappyTable(n: number, d: number, share: number): { whole: number[][]; rows: number[][] } {
  const mixing = Array.from({ length: 2 }, () => Array.from({ length: d }, normal));
  const whole = Array.from({ length: n }, () => {
    const z = [3 * normal(), 2 * normal()];
    return Array.from({ length: d }, (_, j) => 5 * j + z[0] * mixing[0][j] + z[1] * mixing[1][j] + 0.5 * normal());
  });
  return { whole, rows: whole.map((row) => row.map((x, j) => (j > 0 && uniform() < share ? gap : x))) };
}

describe('analyze of rows with missing values', () => {
  it('chooses k by cross-validation, fits as pca does, and records what was missing', async () => {
    const { rows } = gappyTable(60, 8, 0.15);
    const names = [...'abcdefgh'];
    const analysis = await analyze(rows, { columnNames: names, scale: 'unit', missing: 'iterative', k: 3 });
    const missing = rows.flat().filter(Number.isNaN).length;
    expect(analysis.missing).toMatchObject({
      method: 'iterative',

      converged: true,
      draws: 20,
      values: missing,
      rows: 60,
    });
    // Two components and noise: cross-validation may find a third.
    const { k = 0 } = analysis.missing ?? {};
    expect([2, 3]).toContain(k);
    expect(analysis.missing?.share).toBeCloseTo(missing / 480, 12);
    expect(analysis.missing?.columns.map(({ name }) => name)).toEqual(names);
    const model = await pca(rows, { columnNames: names, scale: 'unit', missing: { method: 'iterative', k }, k: 3 });
    analysis.model.variances.forEach((variance, i) => {
      expect(Math.abs(variance / model.variances[i] - 1)).toBeLessThan(1e-5);
    });
    expect(JSON.parse(JSON.stringify(analysis)).missing).toMatchObject({ method: 'iterative', k, draws: 20 });
    expect(analysis.findings[0].code).toBe('MISSING_VALUES');
  });

  it('widens intervals and angles by what the draws differ', async () => {
    const { rows } = gappyTable(50, 6, 0.3);
    const options = { k: 2, scale: 'unit', bootstrap: 100 } as const;
    const [drawn, plain] = [
      await analyze(rows, { ...options, missing: { method: 'iterative', k: 2, draws: 10 } }),
      await analyze(rows, { ...options, missing: { method: 'iterative', k: 2, draws: 0 } }),
    ];
    const [a, b] = [drawn.model.stability, plain.model.stability];
    for (let i = 0; i < 2; i++) {
      expect(a?.angles[i].q95).toBeGreaterThan(b?.angles[i].q95 ?? Number.NaN);
      const width = ([low, high]: readonly [number, number]): number => high - low;
      expect(width(a?.ratios[i] ?? [0, 0])).toBeGreaterThan(0.999 * width(b?.ratios[i] ?? [0, 0]));
    }
    const text = describeFinding(plain.findings[0], plain);
    expect(text).toMatch(/do not include the uncertainty/);
    expect(describeFinding(drawn.findings[0], drawn)).not.toMatch(/do not include/);
  });

  it('says how rows with gaps differ', async () => {
    const { whole } = gappyTable(80, 4, 0);
    const low = whole.map((row) => row.map((x, j) => (j === 1 && row[0] < 0 ? gap : x)));
    const analysis = await analyze(low, { columnNames: ['age', 'b', 'c', 'd'], missing: { method: 'em', k: 1 } });
    const [finding] = analysis.findings;
    expect(describeFinding(finding, analysis)).toMatch(
      /rows with gaps differ from complete rows: on average .*age is −\d/,
    );
    const [first] = analysis.missing?.differences ?? [];
    const withGaps = low.filter((row) => Number.isNaN(row[1])).map(([x]) => x);
    expect(analysis.missing?.differences.find(({ name }) => name === 'age')?.withGaps).toBeCloseTo(
      withGaps.reduce((sum, x) => sum + x, 0) / withGaps.length,
      10,
    );
    expect(Math.abs(first.standardised)).toBeGreaterThan(1);
  });

  it('keeps names and groups with their rows', async () => {
    const { rows } = gappyTable(30, 5, 0.1);
    const names = rows.map((_, i) => `row ${i}`);
    const groups = { half: rows.map((_, i) => (i < 15 ? 'a' : 'b')) };
    const analysis = await analyze(rows, {
      names,
      supplementary: { groups },
      missing: { method: 'iterative', k: 2 },
      k: 2,
    });
    const found: string[] = [];
    for await (const part of analysis.rows()) {
      found.push(...(part.names as string[]));
      expect(part.scores.data.every(Number.isFinite)).toBe(true);
    }
    expect(found).toEqual(names);
    expect(analysis.supplementary.groups[0].levels.every(({ center }) => center.every(Number.isFinite))).toBe(true);
  });

  it('refuses options that it cannot combine', async () => {
    const { rows } = gappyTable(20, 4, 0.1);
    await expect(analyze(rows, { missing: 'iterative', columnTransform: 'rank' })).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
    await expect(analyze(rows, { missing: { method: 'nipals', draws: 5 } })).rejects.toThrow(/nipals/);
    await expect(analyze(rows, { missing: { method: 'em', draws: -1 } })).rejects.toThrow(/0 to 1000/);
  });
});

describe('completed', () => {
  it('yields the rows in order, in their units, and says which values were filled in', async () => {
    const { rows } = gappyTable(40, 5, 0.2);
    const analysis = await analyze(rows, { scale: 'unit', missing: { method: 'iterative', k: 2, draws: 0 }, k: 2 });
    let at = 0;
    for await (const { numbers, values, filled } of analysis.completed()) {
      numbers.forEach((number, i) => {
        expect(number).toBe(at + 1);
        const row = rows[at++];
        row.forEach((x, j) => {
          expect(filled[i * 5 + j]).toBe(Number.isNaN(x) ? 1 : 0);
          expect(Number.isNaN(x) ? Number.isFinite(values.row(i)[j]) : values.row(i)[j] === x).toBe(true);
        });
      });
    }
    expect(at).toBe(40);
  });
});

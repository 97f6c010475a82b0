import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pca } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { describeFinding } from '../../src/describe/index.js';
import { type Analysis, type AnalyzeOptions, analysisJson, analyze } from '../../src/index.js';
import { turnWithout } from '../../src/robust/influence.js';
import { hbk, octane, readTable } from './read-table.js';

const seed = Number(process.env.SCREE_SEED);
const DEGREE = Math.PI / 180;
const full = process.env.SCREE_FULL !== undefined;

const looked = (rows: number[][], options: AnalyzeOptions = {}): Promise<Analysis> =>
  analyze(rows, { bootstrap: 0, criteria: 'quick', listRows: false, ...options });

function sentence(analysis: Analysis, code: string): string | undefined {
  const finding = analysis.findings.find((each) => each.code === code);
  return finding && describeFinding(finding, analysis).replaceAll('\u00a0', ' ');
}

describe('the second look', () => {
  it('says that fourteen rows of hbk make PC1, and does not call it stable', async () => {
    const analysis = await analyze(hbk(), { bootstrap: 50 });
    expect(analysis.findings[0].code).toBe('FEW_ROWS_DRIVE');
    expect(sentence(analysis, 'FEW_ROWS_DRIVE')).toBe(
      '14 of 75 rows (1–14) make 81 % of PC1. Without them no component stands out.',
    );
    const stability = analysis.findings.find(({ code }) => code === 'STABILITY');
    expect(stability?.details).toMatchObject({ stable: [], driven: [1] });
    expect(sentence(analysis, 'STABILITY')).toContain('PC1 says nothing of other samples, because few rows make it.');
    const { secondLook } = JSON.parse(JSON.stringify(analysisJson(analysis)));
    expect(secondLook).toMatchObject({
      method: 'projection',
      flagged: Array.from({ length: 14 }, (_, i) => i + 1),
      kWithout: 0,
    });
    expect(secondLook.shares[0]).toBeCloseTo(0.81, 2);
    expect(secondLook.shares.every((share: number) => share >= 0 && share <= 1)).toBe(true);
    expect(secondLook.angle).toBeGreaterThan(20 * DEGREE);
  });

  it('says that six rows of octane make PC1, which turns without them', async () => {
    const analysis = await looked(octane(), { k: 3 });
    expect(sentence(analysis, 'FEW_ROWS_DRIVE')).toBe(
      '6 of 39 rows (25, 26 and 36–39) make 85 % of PC1. Without them PC1 turns by 69°.',
    );
    expect(analysis.secondLook?.shares[0]).toBeCloseTo(0.845, 3);
  });

  it('does not say of bushfire that no row is unusual', async () => {
    const analysis = await looked(readTable('bushfire'));
    expect(sentence(analysis, 'NO_UNUSUAL_ROWS')).toBeUndefined();
    expect(sentence(analysis, 'UNUSUAL_ROWS')).toContain('13 of 38 rows (7–11 and 31–38) are beyond the robust limits');
  });

  it('does not say of EuStockMarkets that no row is unusual, or that few rows make it', async () => {
    const analysis = await looked(readTable('eustock'));
    expect(analysis.findings.map(({ code }) => code)).not.toContain('NO_UNUSUAL_ROWS');
    expect(analysis.findings.map(({ code }) => code)).not.toContain('FEW_ROWS_DRIVE');
  });

  it('computes shares and angles as their definitions say', async () => {
    const rows = hbk();
    const analysis = await looked(rows, { scale: 'none' });
    const model = await pca(rows);
    const scores = await model.transform(rows);
    const own = analysis.secondLook;
    const square = (row: number): number => scores.data[row * model.k] ** 2;
    const all = rows.reduce((sum, _, i) => sum + square(i), 0);
    const few = rows.slice(0, 14).reduce((sum, _, i) => sum + square(i), 0);
    expect(own?.shares[0]).toBeCloseTo(few / all, 12);
    const rest = await pca(rows.slice(14));
    const cosine = model.components.row(0).reduce((sum, x, j) => sum + x * rest.components.row(0)[j], 0);
    expect(own?.turns[0]).toBeCloseTo(Math.acos(Math.abs(cosine)), 9);
  });

  it('is left out on request, and says why it is missing', async () => {
    const rows = hbk();
    expect((await looked(rows, { secondLook: false })).notComputed.secondLook).toEqual({ code: 'NOT_ASKED' });
    expect((await looked(rows.slice(0, 6))).notComputed.secondLook).toMatchObject({ code: 'FEW_ROWS' });
    expect((await looked(rows, { center: false })).notComputed.secondLook).toMatchObject({ code: 'UNSUITABLE' });
  });

  it('gives the same answer again', async () => {
    const [one, other] = [await looked(readTable('bushfire')), await looked(readTable('bushfire'))];
    expect(JSON.stringify(other.secondLook)).toBe(JSON.stringify(one.secondLook));
  });

  it.runIf(full)('finds few rows of a table that is sampled', async () => {
    const { normal } = random(seed);
    const [n, d] = [260_000, 40];
    const data = new Float32Array(n * d);
    for (let i = 0; i < data.length; i++) data[i] = ((i * 2_654_435_761) % 2 ** 32) / 2 ** 32 - 0.5;
    for (const row of [5, 70_001, 200_003]) for (let j = 0; j < d; j++) data[row * d + j] = 1e4 * (1 + 0.1 * normal());
    const sampled = await analyze(
      { rows: n, cols: d, data },
      { k: 2, criteria: 'none', bootstrap: 0, listRows: false },
    );
    expect(sampled.secondLook?.rows).toBeLessThan(n);
    expect(sampled.secondLook?.apart.map(({ number }) => number)).toEqual([6, 70_002, 200_004]);
    expect(sentence(sampled, 'FEW_ROWS_DRIVE')).toMatch(
      /^In a sample of [\d,]+ of 260,000 rows, 3 rows \(6, 70002 and 200004\) make 99\.\d+ % of PC1\. Without them PC1 turns by/,
    );
  });
});

describe('the influence of single rows', () => {
  it('is the angle of a fit without the row', async () => {
    const { normal } = random(seed + 1);
    const rows = Array.from({ length: 25 }, () => {
      const a = 2 * normal();
      return [a + normal(), a + 0.5 * normal(), normal(), 0.7 * normal()];
    });
    const model = await pca(rows);
    const scores = await model.transform(rows);
    const setting = { variances: Float64Array.from(model.variances), divisor: 24, totalWeight: 25 };
    for (const row of [0, 7, 24]) {
      const rest = await pca(rows.filter((_, i) => i !== row));
      for (let c = 0; c < 4; c++) {
        const cosine = model.components.row(c).reduce((sum, x, j) => sum + x * rest.components.row(c)[j], 0);
        const own = Float64Array.from(scores.data.subarray(row * 4, row * 4 + 4));
        expect(turnWithout(own, 1, c, setting)).toBeCloseTo(Math.acos(Math.min(1, Math.abs(cosine))), 6);
      }
    }
  });

  it('names the row that turns a component alone', async () => {
    const { normal } = random(seed + 2);
    const rows = Array.from({ length: 60 }, () => {
      const a = normal();
      return [3 * a + 0.2 * normal(), 3 * a + 0.2 * normal(), normal(), 2 * normal()];
    });
    rows[4] = [0, 0, 30, 0];
    const names = rows.map((_, i) => (i === 4 ? 'Karpov' : `row ${i}`));
    const analysis = await looked(rows, { names, k: 2 });
    const [first] = analysis.secondLook?.influence ?? [];
    expect(first).toMatchObject({ number: 5, name: 'Karpov', exact: true });
    expect(sentence(analysis, 'FEW_ROWS_DRIVE') ?? sentence(analysis, 'INFLUENTIAL_ROW')).toMatch(/Karpov/);
  });
});

describe('clean tables', () => {
  const folder = fileURLToPath(new URL('./tables/clean', import.meta.url));
  const names = readdirSync(folder).map((file) => file.replace('.csv', ''));
  const chosen = full ? names : names.filter((_, i) => i % 5 === seed % 5);

  it('are at least twenty', () => {
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it.each(chosen)('%s: few rows do not make a component', async (name) => {
    for (const scale of ['none', 'unit'] as const) {
      const analysis = await looked(readTable(`clean/${name}`), { scale });
      expect(analysis.findings.map(({ code }) => code)).not.toContain('FEW_ROWS_DRIVE');
    }
  });

  it('of normal rows raise no alarm', async () => {
    // Fixed seeds: a share of random tables has few extreme rows by chance, and a test must not fail by chance.
    const alarms: string[] = [];
    for (let table = 0; table < (full ? 20 : 5); table++) {
      const { normal } = random(100 + table);
      const [n, d] = [
        [40, 4],
        [60, 8],
        [100, 5],
        [80, 30],
        [30, 60],
      ][table % 5];
      const axes = Array.from({ length: table % 3 }, () => Array.from({ length: d }, normal));
      const rows = Array.from({ length: n }, () => {
        const scores = axes.map(() => 1.5 * normal());
        return Array.from(
          { length: d },
          (_, j) => normal() + scores.reduce((sum, score, a) => sum + score * axes[a][j], 0),
        );
      });
      const { findings } = await looked(rows);
      if (findings.some(({ code }) => code === 'FEW_ROWS_DRIVE')) alarms.push(`${n} × ${d}`);
    }
    expect(alarms).toEqual([]);
  });
});

/** Structure that was put into simulated tables is found, and nothing is said of clean ones. */

import { type Analysis, analyze } from '@scree/analysis';
import { describeFinding } from '@scree/analysis/describe';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { STRUCTURE } from './expected.js';
import { numbersOf } from './read-table.js';

type Rng = ReturnType<typeof random>;

/** Rows of a factor model: two factors and noise. */
function factorRows(rng: Rng, n: number, d: number): number[][] {
  const loadings = Array.from({ length: d }, () => [rng.normal(), rng.normal()]);
  return Array.from({ length: n }, () => {
    const [a, b] = [rng.normal(), rng.normal()];
    return loadings.map(([u, v]) => 10 + a * u + b * v + rng.normal());
  });
}

async function codesOf(rows: number[][]): Promise<string[]> {
  const { findings } = await analyze(rows, { bootstrap: 0, criteria: 'none', listRows: false, secondLook: false });
  return findings.map(({ code }) => code).filter((code) => STRUCTURE.some((each) => each === code));
}

describe('the structure of simulated tables', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('is not said of the clean table %i', async (seed) => {
    const rng = random(seed);
    const rows = factorRows(rng, 40 + 20 * seed, 3 + (seed % 9));
    // Every other table is sorted by three groups, whose means differ.
    const grouped =
      seed % 2 === 0 ? rows : rows.map((row, i) => row.map((x) => x + 6 * Math.floor((3 * i) / rows.length)));
    expect(await codesOf(grouped)).toEqual([]);
  });

  it('is found where it was put', async () => {
    const rng = random(7);
    const base = factorRows(rng, 200, 4);
    expect(await codesOf(base.map((row) => [...row, row[0] - 2 * row[2] + 5]))).toEqual(['LINEAR_RELATION']);
    expect(await codesOf(base.map((row, i) => [...row, i % 50 === 0 ? 3 : 1]))).toEqual(['NEAR_CONSTANT_COLUMN']);
    expect(await codesOf([...base, ...base.slice(20, 40)])).toEqual(['DUPLICATE_ROWS']);
    expect(await codesOf(base.map((row) => [...row, Math.exp(2 * rng.normal())]))).toEqual(['SKEWED_COLUMNS']);
    const parts = base.map((row) => row.map((x) => Math.exp(x / 10)));
    const total = (row: number[]): number => row.reduce((sum, x) => sum + x, 0);
    expect(await codesOf(parts.map((row) => row.map((x) => x / total(row))))).toEqual(['CONSTANT_SUM']);
    let state = 0;
    const series = base.map((row) => {
      state = 0.8 * state + rng.normal();
      return row.map((x) => x + 3 * state);
    });
    expect(await codesOf(series)).toEqual(['ORDERED_ROWS']);
  });
});

describe('the bootstrap of rows in an order', () => {
  it('draws blocks, and calls nothing stable in rows that wander', async () => {
    const { rows, columns } = await numbersOf({
      path: 'test/truth/tables/EuStockMarkets.csv',
      must: [],
      scale: 'unit',
    });
    const analysis = await analyze(rows, {
      columnNames: columns,
      bootstrap: 50,
      k: 2,
      criteria: 'none',
      secondLook: false,
    });
    expect(analysis.model.stability).toMatchObject({ kind: 'blocks' });
    const stability = analysis.findings.find(({ code }) => code === 'STABILITY');
    expect(stability?.details).toMatchObject({ stable: [], wanders: true });
    // R: prcomp(half, scale. = TRUE) of both halves, the angles of PC1 and PC2.
    const halves = stability?.details.halves as number[];
    expect(halves[0]).toBeCloseTo(1.692413, 3);
    expect(halves[1]).toBeCloseTo(39.660634, 3);
    expect(sentenceOf(analysis, 'STABILITY')).toMatch(
      /^The rows wander like a random walk, so no component is called stable/,
    );
    const single = await analyze(rows, { bootstrap: { replicates: 20, kind: 'rows' }, k: 1, criteria: 'none' });
    expect(single.model.stability?.kind).toBe('rows');
  });
});

describe('covariates', () => {
  it('are tested on all fitted components: sex is in PC2 of crabs, with k = 1', async () => {
    const { rows, columns, groups } = await numbersOf({
      ...{ path: 'test/truth/tables/crabs.csv', must: [], scale: 'unit', groups: ['sex', 'sp'], exclude: ['index'] },
    });
    const analysis = await analyze(rows, { columnNames: columns, supplementary: { groups }, bootstrap: 100 });
    expect(analysis.kept).toBe(1);
    const sex = analysis.covariates.filter(({ name }) => name === 'sex');
    expect(sex).toHaveLength(5);
    // R: summary(lm(prcomp(crabs[4:8], scale. = TRUE)$x[, 2] ~ crabs$sex))$r.squared
    expect(sex[1].effect).toBeCloseTo(0.7317894, 6);
    expect(sex.map(({ related }) => related)).toEqual([false, true, false, false, false]);
    const findings = analysis.findings.filter(({ code }) => code === 'COVARIATE');
    expect(findings.map(({ details }) => details.name).sort()).toEqual(['sex', 'sp']);
    const sentence = findings.map((each) => describeFinding(each, analysis)).find((text) => text.includes('sex'));
    expect(sentence).toMatch(
      /^Beyond the 1 kept component, PC2 separates the levels of sex \(η² \.73\), and is stable \(±\d°\)\.$/,
    );
    expect(sentenceOf(analysis, 'COMPONENT')).toMatch(/all columns rise together/);
  });

  it('correlate: y with PC2 of octane', async () => {
    const { rows, columns, supplementary } = await numbersOf({
      ...{ path: 'test/truth/tables/octane.csv', must: [], scale: 'none', supplementary: ['y'] },
    });
    const beside = { columns: supplementary.y.map((y) => [y]), columnNames: ['y'] };
    const analysis = await analyze(rows, {
      columnNames: columns,
      supplementary: beside,
      bootstrap: 0,
      criteria: 'none',
      secondLook: false,
    });
    const strongest = analysis.covariates.reduce((a, b) => (Math.abs(b.effect) > Math.abs(a.effect) ? b : a));
    // R: cor(octane[, 1], prcomp(octane[, -1])$x[, 2])
    expect([strongest.component, Math.abs(strongest.effect)]).toEqual([2, expect.closeTo(0.8736081, 6)]);
    // Neighbouring wavelengths are named as ranges.
    expect(analysis.meaning[0]?.ranges?.length).toBeGreaterThan(0);
  });
});

function sentenceOf(analysis: Analysis, code: string): string | undefined {
  const finding = analysis.findings.find((each) => each.code === code);
  return finding && describeFinding(finding, analysis);
}

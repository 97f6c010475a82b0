import { type Choice, type Criterion, loadModel, Moments, pca, type RowSource } from '@scree/core';
import { random } from '@scree/core/linalg';
import { describe, expect, it } from 'vitest';
import { solverNames, toMatrix, withSpectrum } from '../../core/test/support/data.js';
import { readTable } from '../../core/test/support/table.js';
import { componentsForShares } from '../src/choose/components-for.js';
import { CRITERION_NAMES, type CriterionName } from '../src/choose/criteria/registry.js';
import { hiddenStructure, recommend } from '../src/choose/recommend.js';
import { chooseComponents } from '../src/index.js';
import { analyzed } from './support/analyzed.js';

const wine = readTable('wine').rows;
const FAST = { permutations: 99 } as const;

/** n × d normal numbers plus factors of the given variances along random orthonormal directions. */
function factorModel(n: number, d: number, variances: readonly number[], seed: number): number[][] {
  const { normal } = random(seed);
  const rows = Array.from({ length: n }, () => Array.from({ length: d }, () => normal()));
  const axes: number[][] = [];
  for (const variance of variances) {
    let axis = Array.from({ length: d }, () => normal());
    for (const other of axes) {
      const overlap = other.reduce((sum, x, j) => sum + x * axis[j], 0);
      axis = axis.map((x, j) => x - overlap * other[j]);
    }
    const length = Math.hypot(...axis);
    axis = axis.map((x) => x / length);
    axes.push(axis);
    for (const row of rows) {
      const score = normal() * Math.sqrt(variance - 1);
      for (let j = 0; j < d; j++) row[j] += score * axis[j];
    }
  }
  return rows;
}

const noise = (n: number, d: number, seed: number): number[][] => factorModel(n, d, [], seed);
const by = ({ criteria }: Choice, name: string): Criterion => criteria.find((each) => each.name === name) as Criterion;

describe('chooseComponents', () => {
  it('recommends 3 for standardised wine, and names the criteria that agree and that do not', async () => {
    const choice = await chooseComponents(wine, { scale: 'unit' });
    expect(choice.k).toBe(3);
    expect(choice.criteria.map(({ name }) => name)).toEqual([...CRITERION_NAMES]);
    expect(choice.agree).toEqual(expect.arrayContaining(['parallel', 'permutation', 'kaiser', 'elbow']));
    expect(choice.reason).toMatch(
      /^Keep 3: the permutation test, parallel analysis, .* agree; cross-validation says \d+, /,
    );
    for (const { k, values, sentence, name } of choice.criteria) {
      expect(k, sentence).not.toBeNull();
      expect(values.every(Number.isFinite), name).toBe(true);
    }
  });

  it('does not take one column of large variance for structure', async () => {
    let found = 0;
    for (let seed = 0; seed < 20; seed++) {
      const rows = noise(100, 6, 300 + seed).map((row) => row.map((x, j) => (j === 2 ? 100 * x : x)));
      const choice = await chooseComponents(rows, { ...FAST, seed });
      if (choice.k > 0) found++;
      expect(by(choice, 'cross-validation').k).toBe(0);
      expect(by(choice, 'kaiser').k).toBeNull();
    }
    expect(found).toBeLessThanOrEqual(4);
  });

  it('does not say that nothing stands out if a column of large variance hides the others', async () => {
    // The first column is independent of the others, which share one factor.
    const rows = factorModel(200, 6, [8], 7).map((row, i) => [1e4 * Math.sin(i * i), ...row]);
    const choice = await chooseComponents(rows, FAST);
    expect(by(choice, 'permutation').k).toBe(0);
    expect(choice.k).toBe(1);
    expect(choice.reason).toMatch(/^Scale the columns.* 1 component stands out of noise/);
    const model = await analyzed(rows, { k: 'auto' });
    expect(model.warnings.map(({ code }) => code)).not.toContain('NO_STRUCTURE');
    expect((await chooseComponents(rows, { ...FAST, scale: 'unit' })).k).toBe(1);
  });

  it('makes no test against noise unless requested, and does not mention noise without one', async () => {
    const rows = factorModel(200, 6, [8], 7).map((row, i) => [1e4 * Math.sin(i * i), ...row]);
    const phases = new Set<string>();
    const choice = await chooseComponents(rows, {
      criteria: ['cross-validation', 'broken-stick'],
      onProgress: ({ phase }) => phases.add(phase),
    });
    expect(choice).toMatchObject({ k: 0, agree: ['cross-validation'] });
    expect(choice.reason).toMatch(/^Keep none: cross-validation/);
    expect([...phases].filter((phase) => phase.includes('tables'))).toEqual([]);
  });

  it('does not say that equal spreads differ', () => {
    const reason = hiddenStructure({ k: 0, reason: '', agree: [], criteria: [], spectrum: [2, 1] } as never, 2).reason;
    // Columns of about the same spread get this sentence too, if only one of the two tests finds something by chance.
    expect(reason).not.toContain('spreads differ');
    expect(reason).toContain('2 components stand out of noise');
  });

  it('calls a default a default, and not a median, if criteria without a test against noise say 0', () => {
    const said = (name: CriterionName, k: number): Criterion => ({ name, k, values: [], sentence: '' }) as never;
    const reason = (...ks: readonly number[]): string =>
      recommend([said('broken-stick', ks[0]), said('profile-likelihood', ks[1])]).reason;
    expect(reason(0, 3)).toBe(
      'Keep 1: a default for the criteria that apply here, none of which tests against noise; the broken stick says 0 and profile likelihood 3.',
    );
    expect(reason(2, 3)).toMatch(/^Keep 2: the lower median of the criteria that apply here, none/);
  });

  it('has a proper sentence for no component', async () => {
    const choice = await chooseComponents(noise(100, 8, 4), { ...FAST, scale: 'unit' });
    const said = ['map', 'gcv'].map((name) => by(choice, name as CriterionName));
    expect(said.map(({ k }) => k)).toEqual([0, 0]);
    for (const { sentence } of said) expect(sentence).not.toMatch(/no component/);
  });

  it('gives 0 on noise in 95 of 100 tables: tall, wide, scaled or not', async () => {
    const options = { ...FAST, criteria: ['parallel', 'permutation', 'cross-validation'] as const };
    const none = { choice: 0, parallel: 0, 'cross-validation': 0 };
    for (let seed = 0; seed < 100; seed++) {
      const rows = seed % 2 ? noise(60, 12, seed) : noise(25, 60, seed);
      const choice = await chooseComponents(rows, { ...options, scale: seed % 4 < 2 ? 'unit' : 'none', seed });
      if (choice.k === 0) none.choice++;
      if (by(choice, 'parallel').k === 0) none.parallel++;
      if (by(choice, 'cross-validation').k === 0) none['cross-validation']++;
    }
    // 95 are expected of the tests, with a standard deviation of 2.2.
    expect(none.choice).toBeGreaterThanOrEqual(90);
    expect(none.parallel).toBeGreaterThanOrEqual(90);
    expect(none['cross-validation']).toBeGreaterThanOrEqual(95);
  });

  it('finds the factors whose variances are at least twice the Marchenko–Pastur edge', async () => {
    const right = { parallel: 0, permutation: 0, 'cross-validation': 0 };
    for (let seed = 0; seed < 40; seed++) {
      const [n, d] = seed % 2 ? [150, 20] : [50, 80];
      const edge = (1 + Math.sqrt(d / n)) ** 2;
      const rows = factorModel(n, d, [3 * edge, 2.5 * edge, 2 * edge], 5000 + seed);
      const choice = await chooseComponents(rows, { ...FAST, scale: seed % 4 < 2 ? 'unit' : 'none', seed });
      for (const name of Object.keys(right) as (keyof typeof right)[]) if (by(choice, name).k === 3) right[name]++;
    }
    for (const count of Object.values(right)) expect(count).toBeGreaterThanOrEqual(38);
  });

  it('gives the same numbers for the same seed, any number of threads and any blocks', async () => {
    const rows = toMatrix(factorModel(300, 60, [12, 9], 5));
    const options = { scale: 'unit', permutations: 30, criteria: ['parallel', 'permutation', 'map'] } as const;
    const one = await chooseComponents(rows, { ...options, threads: 1 });
    expect(await chooseComponents(rows, { ...options, threads: 3 })).toEqual(one);
    const other = await chooseComponents(rows, { ...options, seed: 1 });
    expect(by(other, 'parallel').thresholds).not.toEqual(by(one, 'parallel').thresholds);
  });

  it('reads a source in blocks as it reads a matrix', async () => {
    const rows = factorModel(90, 8, [9, 6], 8);
    const source: RowSource = {
      rows: 90,
      cols: 8,
      dtype: 'float64',
      rereadable: true,
      resident: false,
      *blocks() {
        for (let at = 0; at < 90; at += 25) {
          const some = rows.slice(at, at + 25);
          yield { kind: 'dense', rows: some.length, cols: 8, stride: 8, data: Float64Array.from(some.flat()) };
        }
      },
    };
    const [whole, blocks] = [await chooseComponents(rows, FAST), await chooseComponents(source, FAST)];
    expect(blocks.k).toBe(whole.k);
    blocks.criteria.forEach(({ name, k, values }, i) => {
      expect([name, k]).toEqual([whole.criteria[i].name, whole.criteria[i].k]);
      values.forEach((value, j) => {
        expect(Math.abs(value - whole.criteria[i].values[j])).toBeLessThan(1e-9 * (1 + Math.abs(value)));
      });
    });
  });

  it('computes the criteria that need no rows for moments, models and streams, and explains the others', async () => {
    const rows = factorModel(120, 9, [10, 7], 21);
    const whole = await chooseComponents(rows, { ...FAST, scale: 'unit' });
    const moments = await new Moments(9).add(rows);
    const model = await pca(rows, { scale: 'unit', k: 2 });
    function* stream() {
      yield* rows;
    }
    const partial: [Choice, CriterionName[]][] = [
      [await chooseComponents(moments, { ...FAST, scale: 'unit' }), ['permutation', 'cross-validation']],
      [await chooseComponents(model, FAST), ['permutation', 'cross-validation', 'map']],
      [await chooseComponents(stream(), { ...FAST, scale: 'unit' }), ['permutation']],
    ];
    for (const [choice, absent] of partial) {
      expect(choice.k).toBe(2);
      expect(
        choice.criteria
          .filter(({ k }) => k === null)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(absent.sort());
      for (const name of absent) expect(by(choice, name).sentence).toMatch(/row|read|correlations/);
      for (const { name, k, values } of choice.criteria) {
        if (k === null) continue;
        expect(k, name).toBe(by(whole, name).k);
        expect(values.length, name).toBe(by(whole, name).values.length);
      }
    }
  });

  it('does not apply theory about rows to weights or to data that are not centred', async () => {
    const rows = factorModel(60, 5, [8], 2);
    const weighted = await chooseComponents(rows, { ...FAST, scale: 'unit', weights: rows.map((_, i) => 1 + (i % 3)) });
    expect(weighted.criteria.filter(({ k }) => k === null).map(({ name }) => name)).toEqual([
      'parallel',
      'permutation',
      'gavish-donoho',
      'mle',
      'gcv',
      'cross-validation',
      'tracy-widom',
    ]);
    expect(by(weighted, 'parallel').sentence).toContain('weights');
    const raw = await chooseComponents(rows, { ...FAST, center: false });
    expect(by(raw, 'parallel').k).toBeNull();
    expect(by(raw, 'parallel').sentence).toContain('not centred');
    expect(by(raw, 'gavish-donoho').k).not.toBeNull();
  });

  it('leaves constant columns out of what is simulated, and survives data without variance', async () => {
    const rows = factorModel(100, 6, [8, 5], 31);
    const padded = rows.map((row) => [...row, 7, 0]);
    const [plain, more] = [
      await chooseComponents(rows, { ...FAST, scale: 'unit' }),
      await chooseComponents(padded, { ...FAST, scale: 'unit' }),
    ];
    for (const name of ['parallel', 'permutation', 'cross-validation', 'map', 'kaiser', 'tracy-widom'] as const) {
      expect(by(more, name).k, name).toBe(by(plain, name).k);
    }
    const flat = await chooseComponents([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(flat.criteria.every(({ k }) => k === null)).toBe(true);
    expect(flat.reason).toContain('No criterion applies');
  });

  it.each([
    [2, 3],
    [3, 2],
    [5, 1],
    [4, 40],
    [6, 6],
  ])('says something true of %s rows and %s columns', async (n, d) => {
    for (const scale of ['none', 'unit'] as const) {
      const { k, criteria, spectrum } = await chooseComponents(noise(n, d, n * d), { ...FAST, scale });
      expect(k).toBeLessThanOrEqual(Math.min(n - 1, d));
      expect(spectrum).toHaveLength(Math.min(n - 1, d));
      for (const each of criteria) {
        expect(each.k === null || each.k <= Math.min(n, d), each.name).toBe(true);
        expect(each.values.every(Number.isFinite), each.name).toBe(true);
        expect(each.sentence).toMatch(/^[A-Z].*\.$/);
      }
    }
  });

  it('reports progress and can be aborted', async () => {
    const phases = new Set<string>();
    await chooseComponents(wine, { ...FAST, onProgress: ({ phase }) => phases.add(phase) });
    for (const phase of ['covariance', 'simulated tables', 'permuted tables', 'cross-validation'])
      expect(phases).toContain(phase);
    await expect(
      chooseComponents(noise(2000, 60, 1), { permutations: 1e6, signal: AbortSignal.timeout(200) }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('refuses options that it does not know, and options of data for a model', async () => {
    const refused = async (options: object, code: string, data: unknown = wine): Promise<void> => {
      await expect(chooseComponents(data as number[][], options)).rejects.toMatchObject({ code });
    };
    await refused({ criteria: ['horn'] }, 'BAD_OPTION');
    await refused({ permutations: 0 }, 'BAD_OPTION');
    await refused({ quantile: 95 }, 'BAD_OPTION');
    await refused({ kmax: 3 }, 'UNKNOWN_OPTION');
    await refused({ scale: 'unit' }, 'BAD_OPTION', await pca(wine));
    await refused({}, 'BAD_DATA', await pca(wine, { solver: 'krylov', k: 2 }));
  });
});

describe("k: 'auto' and names of criteria in pca", () => {
  it('fits the recommended number and keeps the choice in the model, also when it is stored', async () => {
    const model = await analyzed(wine, { scale: 'unit', k: 'auto' });
    expect(model.k).toBe(3);
    expect(model.choice?.k).toBe(3);
    expect(Object.isFrozen(model.choice)).toBe(true);
    for (const back of [loadModel(JSON.stringify(model)), loadModel(model.toBinary())]) {
      expect(back.choice).toEqual(model.choice);
      expect(back.spectrum).toEqual(model.spectrum);
    }
    const plain = await pca(wine, { scale: 'unit', k: 3 });
    expect(plain.choice).toBeUndefined();
    expect(plain.variances).toEqual(model.variances);
    expect(plain.components).toEqual(model.components);
  });

  it('fits one component and warns if nothing stands out of noise', async () => {
    const model = await analyzed(noise(100, 8, 6), { k: 'auto' });
    expect(model.choice?.k).toBe(0);
    expect(model.k).toBe(1);
    const warning = model.warnings.find(({ code }) => code === 'NO_STRUCTURE');
    expect(warning?.message).toMatch(/^Nothing stands out of noise: the permutation test/);
    expect((await analyzed(wine, { k: 'auto' })).warnings.some(({ code }) => code === 'NO_STRUCTURE')).toBe(false);
  });

  it('takes the name of a criterion, and refuses one that does not apply', async () => {
    expect((await analyzed(wine, { scale: 'unit', k: 'broken-stick' })).k).toBe(2);
    await expect(analyzed(wine, { k: 'kaiser' })).rejects.toMatchObject({
      code: 'K_OUT_OF_RANGE',
      message: expect.stringContaining("scale: 'unit'"),
    });
    await expect(pca(wine, { k: 'horn' as never })).rejects.toMatchObject({ code: 'K_OUT_OF_RANGE' });
  });

  it('fits streams that can be read once, and moments', async () => {
    const rows = factorModel(120, 9, [10, 7], 21);
    async function* stream() {
      yield* rows;
    }
    for (const data of [stream(), await new Moments(9).add(rows)]) {
      const model = await analyzed(data, { k: 'auto' });
      expect(model.k).toBe(2);
      expect(model.n).toBe(120);
    }
    expect((await analyzed(stream(), { k: 'auto', solver: 'svd' })).k).toBe(2);
  });
});

describe('the spectrum of a model', () => {
  it.each(solverNames)('holds all variances, the first k those of the model: %s', async (solver) => {
    for (const [n, d] of [
      [40, 7],
      [7, 30],
    ]) {
      const rows = withSpectrum(n, d, (i) => 0.8 ** i, { offset: (j) => 100 * j });
      const model = await pca(rows, { solver, k: 3, scale: 'pareto' });
      if (solver === 'krylov' || solver === 'refined') continue;
      const spectrum = model.spectrum as Float64Array;
      expect(spectrum).toHaveLength(Math.min(d, n - 1));
      expect(spectrum.subarray(0, 3)).toEqual(model.variances);
      const sum = spectrum.reduce((total, value) => total + value, 0);
      expect(Math.abs(sum / model.totalVariance - 1)).toBeLessThan(1e-12);
      const all = await pca(rows, { solver: 'svd', k: 'all', scale: 'pareto' });
      spectrum.forEach((value, i) => {
        expect(Math.abs(value - all.variances[i])).toBeLessThan(1e-12 * model.totalVariance);
      });
      expect(componentsForShares(model)).toEqual(componentsForShares(all));
    }
  });

  it('is refused in a forged stored model', async () => {
    const model = (await pca(wine, { k: 2 })).toJSON() as Record<string, unknown>;
    expect(model.spectrum).toHaveLength(13);
    const { checksum: _, ...body } = model;
    const { crc32 } = await import('../../core/src/data/storage/crc32.js');
    const load = (change: object) => {
      const changed = { ...body, ...change };
      const checksum = crc32(new TextEncoder().encode(JSON.stringify(changed)))
        .toString(16)
        .padStart(8, '0');
      return () => loadModel({ ...changed, checksum });
    };
    expect(load({})).not.toThrow();
    expect(load({ spectrum: [1, 2] })).toThrow(/spectrum/);
    expect(load({ spectrum: [...(model.spectrum as number[])].reverse() })).toThrow(/spectrum/);
    expect(load({ spectrum: 'all' })).toThrow(/spectrum/);
    expect(load({ choice: { k: -1 } })).toThrow(/choice/);
    expect(load({ choice: { k: 1, reason: '', agree: ['Horn'], criteria: [], spectrum: [] } })).toThrow(/choice/);
  });
});

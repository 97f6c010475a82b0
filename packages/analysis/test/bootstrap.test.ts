import {
  loadModel,
  type Model,
  Moments,
  type Progress,
  pca,
  type RowSource,
  type Scale,
  type Stability,
} from '@scree/core';
import type { Block } from '@scree/core/data';
import { openSource, rowWeights } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import { chooseEngine, ProgressTracker } from '@scree/core/pipeline';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../core/test/support/table.js';
import { analyze } from '../src/analyze.js';
import type { BootstrapSettings } from '../src/bootstrap/bootstrap-options.js';
import { blockDraws, type Draws, groupDraws, RowDraws } from '../src/bootstrap/draws.js';
import { andersonInterval, interpolatedQuantile, standardErrors } from '../src/bootstrap/intervals.js';
import { replicatesByScatter } from '../src/bootstrap/scatter.js';
import { type FittedSample, type ReplicateMethod, stabilityOf } from '../src/bootstrap/stability.js';
import { bootstrap, defaultReplicates } from '../src/index.js';
import { chiSquare } from '../src/statistics/gamma.js';
import { analyzed } from './support/analyzed.js';

const CHOSEN: BootstrapSettings = { replicates: 20, kind: 'rows', alignment: 'order', scores: false, seed: 3 };

/** Normal rows whose variances fall, far from the origin. */
function table(n: number, d: number, seed: number, offset = 0): { rows: number; cols: number; data: Float64Array } {
  const { normal } = random(seed);
  const mixing = Float64Array.from({ length: d * d }, normal);
  const data = new Float64Array(n * d);
  for (let i = 0; i < n; i++) {
    const z = Float64Array.from({ length: d }, (_, j) => normal() * 0.8 ** j);
    for (let j = 0; j < d; j++) {
      let sum = offset;
      for (let l = 0; l < d; l++) sum += z[l] * mixing[j * d + l];
      data[i * d + j] = sum;
    }
  }
  return { rows: n, cols: d, data };
}

/** Age, body mass index, hypertension and cholesterol of 13 people: the complete rows of nhanes (Schafer 1997), R package mice. */
const NHANES = [
  [2, 22.7, 1, 187],
  [1, 20.4, 1, 113],
  [1, 22.5, 1, 118],
  [1, 30.1, 1, 187],
  [2, 22.0, 1, 238],
  [3, 21.7, 1, 206],
  [2, 28.7, 2, 204],
  [3, 27.2, 2, 284],
  [2, 26.3, 2, 199],
  [1, 35.3, 1, 218],
  [1, 33.2, 1, 229],
  [1, 27.5, 1, 131],
  [2, 27.4, 1, 186],
];

/** n rows of d columns that go together, but for noise of a tenth, or of `noise`. */
function line(n: number, d: number, noise = 0.1): number[][] {
  const { normal } = random(n + d);
  return Array.from({ length: n }, () => {
    const along = normal();
    return Array.from({ length: d }, () => along + noise * normal());
  });
}

/** The stability that one way of computing gives. */
async function byMethod(
  data: ReturnType<typeof table>,
  method: ReplicateMethod,
  {
    scale = 'none',
    k = 3,
    weights,
    center = true,
  }: { scale?: Scale; k?: number; weights?: number[]; center?: boolean },
): Promise<Stability> {
  const progress = new ProgressTracker();
  const moments = await new Moments(data.cols).add(data, weights ? { weights } : {});
  const source = await openSource(data, progress);
  const sample: FittedSample = {
    source,
    read: data.rows,
    columns: moments.columns,
    weights,
    center,
    scale,
    ddof: 1,
    k,
  };
  return stabilityOf(sample, { ...CHOSEN, kind: 'rows' }, await chooseEngine({}), progress, method);
}

/** All numbers of a stability that must agree between methods. */
function numbersOf({ method, passes, ...rest }: Stability): number[] {
  return (
    JSON.stringify(rest)
      .match(/-?\d+(\.\d+)?(e[-+]?\d+)?/g)
      ?.map(Number) ?? []
  );
}

function expectSame(a: Stability, b: Stability, tolerance: number): void {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  expect(left.length).toBe(right.length);
  const size = Math.max(...left.map(Math.abs));
  left.forEach((value, i) => {
    expect(Math.abs(value - right[i]), `number ${i}: ${value} and ${right[i]}`).toBeLessThan(tolerance * size);
  });
}

describe('a replicate', () => {
  it('keeps small variances next to one that is 10¹² times larger, as that of an identifier', async () => {
    const { data } = table(400, 4, 11);
    const { uniform } = random(12);
    const others = Array.from({ length: 400 }, (_, i) => Array.from(data.subarray(4 * i, 4 * i + 4)));
    const { variances } = await pca(others);
    const size = Math.sqrt(variances[3] / 6e-13);
    const rows = others.map((row) => [size * (uniform() < 0.02 ? 5 : uniform()), ...row]);
    const [own, beside] = [await bootstrap(others, { k: 4 }), await bootstrap(rows, { k: 5 })];
    const model = await pca(rows);
    const ratio = model.variances[4] / model.variances[0];
    expect(ratio).toBeGreaterThan(5e-13);
    expect(ratio).toBeLessThan(2e-12);
    // The identifier has an axis to itself, and the others are as uncertain as without it.
    own.variances.forEach((interval, i) => {
      interval.forEach((limit, side) => {
        expect(Math.abs(Math.log(beside.variances[i + 1][side] / limit))).toBeLessThan(0.1);
      });
      expect(beside.angles[i + 1].q95).toBeLessThan(own.angles[i].q95 + 0.05);
    });
  });

  it('treats variances that are rounding as 0, in the sample too', async () => {
    for (const offset of [0, 1e6]) {
      const { data } = table(300, 4, 13, offset);
      const rows = Array.from({ length: 300 }, (_, i) => {
        const row = Array.from(data.subarray(4 * i, 4 * i + 4));
        return [...row, row[0] - offset + row[1], 2 * row[2] - row[3]];
      });
      const { variances } = await bootstrap(rows, { k: 6 });
      expect(variances[3][0]).toBeGreaterThan(0);
      expect(variances.slice(4)).toEqual([
        [0, 0],
        [0, 0],
      ]);
    }
  });

  it.each<[Scale, boolean, boolean]>([
    ['none', true, false],
    ['unit', true, false],
    ['pareto', true, true],
    ['range', true, false],
    ['unit', false, false],
    ['none', true, true],
  ])(
    'with weights on rows is the PCA of the rows that were drawn: scale %s, centred %s, weighted %s',
    async (scale, center, weighted) => {
      const data = table(40, 6, 5, 1000);
      const weights = weighted ? Array.from({ length: 40 }, (_, i) => (i % 7 === 0 ? 0 : 1 + (i % 3))) : undefined;
      const found = await byMethod(data, 'scatter', { scale, center, k: 3, ...(weights ? { weights } : {}) });
      // The straightforward way: copy the rows that were drawn, fit them, and take quantiles.
      const kept = Array.from({ length: 40 }, (_, i) => i).filter((i) => !weights || weights[i] > 0);
      const draws = new RowDraws(kept.length, CHOSEN.seed);
      const variances: number[][] = [];
      for (let b = 1; b <= CHOSEN.replicates; b++) {
        const counts = new Float64Array(kept.length);
        draws.write(b, 0, kept.length, counts, 0, 1);
        const copies = kept.flatMap((row, i) => Array.from({ length: counts[i] }, () => row));
        const rows = copies.map((row) => Array.from(data.data.subarray(row * 6, row * 6 + 6)));
        const own = weights ? { weights: copies.map((row) => weights[row]) } : {};
        variances.push(Array.from((await pca(rows, { k: 3, scale, center, ...own })).variances));
      }
      for (let i = 0; i < 3; i++) {
        const sorted = variances.map((each) => each[i]).sort((a, b) => a - b);
        const [low, high] = found.percentiles.variances[i];
        // Quantiles of 20 numbers: the (21·0.025)-th is the first, the (21·0.975)-th between the last two.
        expect(low / sorted[0]).toBeCloseTo(1, 9);
        expect(high / sorted[19]).toBeCloseTo(1, 9);
      }
    },
  );

  it.each<[number, number, Scale, boolean, boolean]>([
    [30, 12, 'none', true, false],
    [30, 12, 'unit', true, false],
    [12, 40, 'none', true, false],
    [12, 40, 'unit', true, true],
    [25, 60, 'none', true, true],
    [25, 60, 'none', false, false],
    [20, 30, 'pareto', true, false],
    [20, 30, 'range', true, false],
  ])(
    'is the same by every way of computing: %i×%i, scale %s, centred %s, weighted %s',
    async (n, d, scale, center, weighted) => {
      const data = table(n, d, n + d, 100);
      const options = { scale, center, ...(weighted ? { weights: Array.from({ length: n }, (_, i) => i % 3) } : {}) };
      const scatter = await byMethod(data, 'scatter', options);
      expectSame(await byMethod(data, 'dual', options), scatter, 1e-8);
      // The iteration stops at a thousandth of the sampling error.
      expectSame(await byMethod(data, 'iteration', options), scatter, 2e-3);
    },
  );
});

/** Models of the rows that were drawn, copied: the straightforward bootstrap. */
async function copiedModels(
  data: ReturnType<typeof table>,
  draws: Draws,
  replicates: number,
  options: object,
): Promise<Model[]> {
  const models: Model[] = [];
  for (let b = 1; b <= replicates; b++) {
    const counts = new Float64Array(data.rows);
    draws.write(b, 0, data.rows, counts, 0, 1);
    const rows = Array.from(counts).flatMap((times, i) =>
      Array.from({ length: times }, () => Array.from(data.data.subarray(i * data.cols, (i + 1) * data.cols))),
    );
    models.push(await pca(rows, options));
  }
  return models;
}

/** The same rows in blocks of another size, as a source that is read from elsewhere. */
function inBlocks(data: ReturnType<typeof table>, size: number, resident = false): RowSource {
  const { rows, cols } = data;
  return {
    rows,
    cols,
    dtype: 'float64',
    rereadable: true,
    resident,
    *blocks(): Iterable<Block> {
      for (let from = 0; from < rows; from += size) {
        const to = Math.min(rows, from + size);
        yield { kind: 'dense', rows: to - from, cols, stride: cols, data: data.data.slice(from * cols, to * cols) };
      }
    },
  };
}

describe('draws', () => {
  it('of rows sum to n, and vary as multinomial counts do', () => {
    for (const n of [10, 1000, 300_000]) {
      const draws = new RowDraws(n, 1);
      const counts = new Float64Array(n);
      let [sum, squares] = [0, 0];
      draws.write(1, 0, n, counts, 0, 1);
      for (const count of counts) {
        sum += count;
        squares += (count - 1) ** 2;
      }
      expect(sum).toBe(n);
      if (n >= 1000) expect(squares / n).toBeGreaterThan(1 - 8 / Math.sqrt(n));
      if (n >= 1000) expect(squares / n).toBeLessThan(1 + 8 / Math.sqrt(n));
    }
  });

  it('do not depend on the pieces in which they are read, and differ between replicates and seeds', () => {
    const n = 300_000;
    const whole = new Float64Array(n);
    new RowDraws(n, 5).write(3, 0, n, whole, 0, 1);
    const pieces = new Float64Array(n);
    const draws = new RowDraws(n, 5);
    for (let from = 0; from < n; from += 99_999) {
      const to = Math.min(n, from + 99_999);
      draws.write(2, from, to, new Float64Array(to - from), 0, 1);
      draws.write(3, from, to, pieces.subarray(from, to), 0, 1);
    }
    expect(pieces).toEqual(whole);
    for (const [replicate, seed] of [
      [4, 5],
      [3, 6],
      [3, 5 + 2 ** 40],
    ]) {
      const other = new Float64Array(n);
      new RowDraws(n, seed).write(replicate, 0, n, other, 0, 1);
      expect(other).not.toEqual(whole);
    }
  });

  it('of blocks are runs of neighbours that add up to n rows', () => {
    const counts = new Float64Array(103);
    blockDraws(103, 10, 2).write(1, 0, 103, counts, 0, 1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(103);
    // Counts change only at the ends of runs: eleven runs, at most 22 positions.
    expect(counts.filter((count, i) => count !== counts[(i + 1) % 103]).length).toBeLessThanOrEqual(22);
  });

  it('of groups are whole groups', () => {
    const groupOf = Int32Array.from({ length: 60 }, (_, i) => i % 12);
    const counts = new Float64Array(60);
    groupDraws(groupOf, 12, 2).write(1, 0, 60, counts, 0, 1);
    for (let i = 12; i < 60; i++) expect(counts[i]).toBe(counts[i % 12]);
    expect(counts.subarray(0, 12).reduce((sum, count) => sum + count, 0)).toBe(12);
  });

  it('of χ² have its mean and variance', () => {
    const rng = random(3);
    for (const freedom of [1, 2, 7, 200]) {
      const drawn = Float64Array.from({ length: 20_000 }, () => chiSquare(freedom, rng));
      const mean = drawn.reduce((sum, x) => sum + x, 0) / drawn.length;
      const variance = drawn.reduce((sum, x) => sum + (x - mean) ** 2, 0) / drawn.length;
      expect(Math.abs(mean - freedom)).toBeLessThan(5 * Math.sqrt((2 * freedom) / 20_000));
      expect(variance / (2 * freedom)).toBeGreaterThan(0.85);
      expect(variance / (2 * freedom)).toBeLessThan(1.15);
    }
  });
});

describe('the bootstrap', () => {
  const data = table(120, 5, 8, 50);

  it('is the same for the same seed, on any number of threads and in blocks of any size, and another for another seed', async () => {
    const whole = JSON.stringify(await bootstrap(data, { k: 3, replicates: 30, seed: 4 }));
    for (const size of [7, 50, 119]) {
      expect(JSON.stringify(await bootstrap(inBlocks(data, size), { k: 3, replicates: 30, seed: 4 }))).toBe(whole);
    }
    expect(JSON.stringify(await bootstrap(data, { k: 3, replicates: 30, seed: 5 }))).not.toBe(whole);
    const large = table(4000, 12, 3);
    const byThreads = await Promise.all(
      [1, 2, 3].map((threads) => bootstrap(large, { k: 3, replicates: 60, threads })),
    );
    expect(byThreads[1]).toEqual(byThreads[0]);
    expect(byThreads[2]).toEqual(byThreads[0]);
  });

  it.each<[number, number, ReplicateMethod]>([
    [20, 300, 'dual'],
    [300, 260, 'iteration'],
  ])('of %i×%i rows is the same in blocks of any size, by %s', async (n, d, method) => {
    const wide = table(n, d, 9);
    const whole = await bootstrap(wide, { k: 2, replicates: 10 });
    expect(whole.method).toBe(method);
    for (const resident of [true, false])
      expect(await bootstrap(inBlocks(wide, 7, resident), { k: 2, replicates: 10 })).toEqual(whole);
  });

  it('takes several readings if the sums of all replicates are too large, with the same result', async () => {
    const progress = new ProgressTracker();
    const engine = await chooseEngine({});
    const source = inBlocks(data, 50);
    const { columns } = await new Moments(5).add(data);
    const rows = { source, columns, weights: rowWeights(undefined, 120), scale: 'unit' as const, engine, progress };
    const all = async (most: number): Promise<Float64Array[]> => {
      const found: Float64Array[] = [];
      const options = { k: 3, replicates: 10, center: true, ddof: 1 };
      for await (const each of replicatesByScatter(rows, new RowDraws(120, 1), options, most, () => {})) {
        found.push(each.values, each.vectors);
      }
      return found;
    };
    const [once, often] = [await all(100), await all(3)];
    expect(once.length).toBe(22);
    once.forEach((numbers, i) => {
      numbers.forEach((value, j) => {
        expect(often[i][j]).toBeCloseTo(value, 12);
      });
    });
  });

  it.each<['blocks' | 'groups']>([['blocks'], ['groups']])('draws %s as the plain method does', async (kind) => {
    const labels = Array.from({ length: 120 }, (_, i) => `group ${i % 17}`);
    const found = await bootstrap(data, {
      k: 3,
      replicates: 20,
      seed: 6,
      kind,
      ...(kind === 'blocks' ? { block: 8 } : { groups: labels }),
    });
    const draws =
      kind === 'blocks'
        ? blockDraws(120, 8, 6)
        : groupDraws(
            Int32Array.from(labels, (_, i) => i % 17),
            17,
            6,
          );
    const models = await copiedModels(data, draws, 20, { k: 3 });
    for (let i = 0; i < 3; i++) {
      const sorted = Float64Array.from(models, ({ variances }) => variances[i]).sort();
      expect(found.percentiles.variances[i][0] / interpolatedQuantile(sorted, 0.025)).toBeCloseTo(1, 9);
      expect(found.percentiles.variances[i][1] / interpolatedQuantile(sorted, 0.975)).toBeCloseTo(1, 9);
    }
    expect(found[kind === 'blocks' ? 'block' : 'groups']).toBe(kind === 'blocks' ? 8 : 17);
  });

  it('has the angles, swaps, loadings and scores of the plain method', async () => {
    const [k, d, replicates] = [3, 5, 25];
    const found = await bootstrap(data, { k, replicates, seed: 2, scale: 'unit', scores: true });
    const sample = await pca(data, { k, scale: 'unit' });
    const models = await copiedModels(data, new RowDraws(120, 2), replicates, { k, scale: 'unit' });
    const cosine = (model: Model, i: number, j: number): number => {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += model.components.data[i * d + c] * sample.components.data[j * d + c];
      return sum;
    };
    const scores = (await sample.transform(data)).data;
    const squares = new Float64Array(scores.length);
    const zSquares = new Float64Array(k * d);
    for (const model of models) {
      const own = (await model.transform(data)).data;
      for (let at = 0; at < own.length; at++) {
        squares[at] += (Math.sign(cosine(model, at % k, at % k)) * own[at] - scores[at]) ** 2;
      }
      for (let at = 0; at < k * d; at++) {
        const sign = Math.sign(cosine(model, Math.floor(at / d), Math.floor(at / d)));
        zSquares[at] += (Math.atanh(sign * model.loadings.data[at]) - Math.atanh(sample.loadings.data[at])) ** 2;
      }
    }
    const reach = standardErrors(120);
    for (let at = 0; at < scores.length; at++) {
      expect(found.scores?.low[at]).toBeCloseTo(scores[at] - reach * Math.sqrt(squares[at] / replicates), 8);
    }
    for (let at = 0; at < k * d; at++) {
      const z = Math.atanh(sample.loadings.data[at]);
      expect(found.loadings.high[at]).toBeCloseTo(Math.tanh(z + reach * Math.sqrt(zSquares[at] / replicates)), 8);
    }
    for (let i = 0; i < k; i++) {
      const angles = Float64Array.from(models, (model) => Math.acos(Math.min(1, Math.abs(cosine(model, i, i))))).sort();
      expect(found.angles[i].median).toBeCloseTo(interpolatedQuantile(angles, 0.5), 6);
      expect(found.angles[i].q95).toBeCloseTo(interpolatedQuantile(angles, 0.95), 6);
      if (i === 0) continue;
      const swapped = models.filter(
        (model) =>
          Math.abs(cosine(model, i - 1, i)) > Math.abs(cosine(model, i - 1, i - 1)) &&
          Math.abs(cosine(model, i, i - 1)) > Math.abs(cosine(model, i, i)),
      );
      expect(found.swaps[i - 1]).toBe(swapped.length / replicates);
    }
    expect(found.subspaceAngles[0]).toEqual(found.angles[0]);
  });

  it.each<[number, number]>([
    [60, 8],
    [20, 80],
    [200, 150],
  ])('of sparse rows is that of the same rows in full: %i×%i', async (n, d) => {
    const { uniform, normal } = random(n);
    const full = {
      rows: n,
      cols: d,
      data: Float64Array.from({ length: n * d }, () => (uniform() < 0.3 ? normal() + 2 : 0)),
    };
    const [indptr, indices, values]: [number[], number[], number[]] = [[0], [], []];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < d; j++) {
        if (full.data[i * d + j] === 0) continue;
        indices.push(j);
        values.push(full.data[i * d + j]);
      }
      indptr.push(indices.length);
    }
    const sparse = { rows: n, cols: d, indptr, indices, data: Float64Array.from(values) };
    const options = { k: 2, replicates: 10 };
    const [a, b] = [await bootstrap(sparse, options), await bootstrap(full, options)];
    expect(a.method).toBe(b.method);
    expectSame(a, b, a.method === 'iteration' ? 2e-3 : 1e-9);
  });

  it('does not depend on the offset of the data', async () => {
    const moved = { ...data, data: data.data.map((x) => x + 2 ** 24) };
    const back = { ...data, data: moved.data.map((x) => x - 2 ** 24) };
    expectSame(
      await bootstrap(moved, { k: 3, replicates: 20 }),
      await bootstrap(back, { k: 3, replicates: 20 }),
      1e-10,
    );
  });

  it('of normal rows draws from the distribution of their covariance matrix', async () => {
    const found = await bootstrap(data, { k: 2, replicates: 2000, kind: 'parametric' });
    const { components, variances } = await pca(data, { k: 5 });
    const rng = random(77);
    const drawn: number[] = [];
    for (let b = 0; b < 400; b++) {
      const rows = Array.from({ length: 120 }, () => {
        const row = new Float64Array(5);
        for (let c = 0; c < 5; c++) {
          const z = Math.sqrt(variances[c]) * rng.normal();
          for (let j = 0; j < 5; j++) row[j] += z * components.data[c * 5 + j];
        }
        return row;
      });
      drawn.push((await pca(rows, { k: 1 })).variances[0]);
    }
    const sorted = Float64Array.from(drawn).sort();
    // The standard error of a quantile of 400 numbers at 2.5 % is a seventh of the interval's half width.
    const [low, high] = found.percentiles.variances[0];
    expect(Math.abs(low - interpolatedQuantile(sorted, 0.025)) / (high - low)).toBeLessThan(0.12);
    expect(Math.abs(high - interpolatedQuantile(sorted, 0.975)) / (high - low)).toBeLessThan(0.2);
  });

  it('also has the intervals of Anderson', async () => {
    const { asymptotic } = await bootstrap(data, { k: 2, replicates: 10 });
    const { variances } = await pca(data, { k: 2 });
    const error = 1.959963984540054 * Math.sqrt(2 / 119);
    expect(asymptotic.variances[0][0]).toBeCloseTo(variances[0] / (1 + error), 9);
    expect(asymptotic.variances[1][1]).toBeCloseTo(variances[1] / (1 - error), 9);
    expect(andersonInterval(1, 5)[1]).toBeGreaterThan(1);
  });

  it.each<[string, number[][], object]>([
    ['scale unit', NHANES, {}],
    ['scale unit and column weights', NHANES, { columnWeights: [1, 2, 0.5, 3] }],
    ['scale unit without centring', NHANES, { center: false }],
    ['scale unit of rows that are nearly on a line', line(12, 5), {}],
    ['scale unit of fewer rows than columns', line(8, 20, 1), { k: 6 }],
  ])('with %s keeps variances to what is possible, and agrees with the shares', async (_, rows, options) => {
    const found = await bootstrap(rows, { scale: 'unit', ...options });
    const { totalVariance, variances } = await pca(rows, { scale: 'unit', ...options });
    found.variances.forEach((interval, i) => {
      // i + 1 components have as much or more, and all together have the total.
      expect(interval[1]).toBeLessThanOrEqual((totalVariance / (i + 1)) * (1 + 1e-12));
      expect(interval[0]).toBeLessThan(interval[1]);
      interval.forEach((limit, side) => {
        expect(limit / totalVariance).toBeCloseTo(found.ratios[i][side], 12);
      });
    });
    // The largest is at least the average.
    expect(found.variances[0][0]).toBeGreaterThanOrEqual((totalVariance / rows[0].length) * (1 - 1e-12));
    expect(variances[0]).toBeLessThanOrEqual(totalVariance);
  });

  it('of any scaling has no shares above 1/j for component j', async () => {
    for (const scale of ['none', 'pareto', 'range'] as const) {
      const { ratios } = await bootstrap(line(10, 4, 3), { scale });
      ratios.forEach(([, high], i) => {
        expect(high).toBeLessThanOrEqual(1 / (i + 1));
      });
    }
  });

  it('of decathlon2 has the reference values', async () => {
    const { rows } = readTable('decathlon2-27');
    const found = await bootstrap(rows, { scale: 'unit', ddof: 0, k: 3, replicates: 4000 });
    const [low, high] = found.percentiles.variances[1];
    expect(low).toBeGreaterThan(1.5);
    expect(low).toBeLessThan(1.62);
    expect(high).toBeGreaterThan(2.63);
    expect(high).toBeLessThan(2.8);
    const { median, q95 } = found.angles[1];
    expect((median * 180) / Math.PI).toBeGreaterThan(36);
    expect((median * 180) / Math.PI).toBeLessThan(42);
    expect((q95 * 180) / Math.PI).toBeGreaterThan(74);
    expect((q95 * 180) / Math.PI).toBeLessThan(80);
  });

  it('turns the first component of pure noise by about 51° in half of all samples', async () => {
    const medians = await Promise.all(
      Array.from({ length: 20 }, async (_, seed) => {
        const { normal } = random(seed);
        const noise = { rows: 200, cols: 10, data: Float64Array.from({ length: 2000 }, normal) };
        return (await bootstrap(noise, { replicates: 200, k: 1 })).angles[0].median;
      }),
    );
    const middle = interpolatedQuantile(Float64Array.from(medians).sort(), 0.5);
    expect((middle * 180) / Math.PI).toBeGreaterThan(44);
    expect((middle * 180) / Math.PI).toBeLessThan(58);
  });

  it('has intervals that cover the truth about as often as they state', async () => {
    const [n, d, runs] = [100, 4, 150];
    let [variances, loadings] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const { normal } = random(1000 + run);
      const sizes = Float64Array.from({ length: d }, (_, j) => Math.sqrt(1.6 ** (d - 1 - j)));
      const rows = {
        rows: n,
        cols: d,
        data: Float64Array.from({ length: n * d }, (_, at) => sizes[at % d] * normal()),
      };
      const found = await bootstrap(rows, { k: 3, replicates: 200, seed: run });
      for (let i = 0; i < 3; i++) {
        const [low, high] = found.variances[i];
        if (low <= sizes[i] ** 2 && sizes[i] ** 2 <= high) variances++;
        const sign = found.loadings.low[i * d + i] + found.loadings.high[i * d + i] < 0 ? -1 : 1;
        for (let j = 0; j < d; j++) {
          const truth = i === j ? sign * sizes[i] : 0;
          if (found.loadings.low[i * d + j] <= truth && truth <= found.loadings.high[i * d + j]) loadings++;
        }
      }
    }
    // 450 and 1800 trials, those of a run dependent on each other: two standard errors are about 2 %.
    for (const share of [variances / (3 * runs), loadings / (3 * d * runs)]) {
      expect(share).toBeGreaterThan(0.915);
      expect(share).toBeLessThan(0.98);
    }
  }, 60_000);
});

describe('a model with a bootstrap', () => {
  const data = table(60, 4, 2);

  it('keeps its stability in JSON and in bytes, and without one has none', async () => {
    const model = await analyzed(data, { k: 2, bootstrap: 20 });
    expect(model.stability?.replicates).toBe(20);
    expect(model.stability).toEqual(await bootstrap(data, { k: 2, replicates: 20 }));
    for (const stored of [JSON.stringify(model), model.toBinary()]) {
      expect(loadModel(stored).stability).toEqual(model.stability);
    }
    expect((await pca(data, { k: 2 })).stability).toBeUndefined();
    expect((await analyzed(data, { k: 2, bootstrap: 0 })).stability).toBeUndefined();
    expect({ ...(await analyzed(data, { k: 2, bootstrap: 0 })) }).toEqual({ ...model, stability: undefined });
  });

  it('keeps the stability of its first components when it is truncated', async () => {
    const { first } = await analyze(data, { k: 3, bootstrap: 20 });
    const cut = first(2).stability as Stability;
    expectSame(cut, await bootstrap(data, { k: 2, replicates: 20 }), 1e-9);
    expect(loadModel(JSON.stringify(first(2))).stability).toEqual(cut);
  });

  it('is refused if the stored stability does not belong to the model', async () => {
    const model = await analyzed(data, { k: 2, bootstrap: 20 });
    const { Model } = await import('../../core/src/index.js');
    const stability = model.stability as Stability;
    for (const wrong of [
      { ...stability, variances: stability.variances.slice(1) },
      { ...stability, swaps: [] },
      { ...stability, level: 0.9 },
      { ...stability, angles: [{ median: 1 }, { median: 2 }] },
      { ...stability, loadings: { low: [1], high: [2] } },
      'none',
    ]) {
      expect(() => new Model({ ...model, stability: wrong as unknown as Stability })).toThrow(/stability/);
    }
  });

  it('reads a stream', async () => {
    async function* rows(): AsyncGenerator<number[]> {
      for (let i = 0; i < 60; i++) yield Array.from(data.data.subarray(i * 4, i * 4 + 4));
    }
    expect(await bootstrap(rows(), { k: 2, replicates: 20 })).toEqual(await bootstrap(data, { k: 2, replicates: 20 }));
    const chosen = await analyzed(rows(), { k: 'kaiser', scale: 'unit', bootstrap: 20 });
    expect(chosen.stability?.variances.length).toBe(chosen.k);
    const fromFile = await analyzed(inBlocks(data, 9), { k: 'kaiser', scale: 'unit', bootstrap: 20 });
    expect(fromFile.stability).toEqual(chosen.stability);
  });

  it('reports progress and can be aborted', async () => {
    const seen: Progress[] = [];
    await bootstrap(data, { replicates: 20, onProgress: (progress) => seen.push(progress) });
    const last = seen.filter(({ phase }) => phase === 'bootstrap').at(-1);
    expect(last?.done).toBe(last?.total);
    const stop = new AbortController();
    const running = bootstrap(table(2000, 30, 1), {
      replicates: 500,
      signal: stop.signal,
      onProgress: ({ phase }) => {
        if (phase === 'bootstrap') stop.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'moments',
      async () => bootstrap((await new Moments(4).add(data)) as never),
      /rows of moments are gone. Pass the rows/,
    ],
    [
      'moments in pca',
      async () => analyzed(await new Moments(4).add(data), { bootstrap: 50 }),
      /bootstrap cannot be chosen for moments/,
    ],
    ['an unknown option', () => bootstrap(data, { replicate: 3 } as never), /There is no option "replicate"/],
    [
      'an unknown choice',
      () => analyzed(data, { bootstrap: { reps: 3 } as never }),
      /A bootstrap has no option "reps"/,
    ],
    [
      'too few replicates',
      () => analyzed(data, { bootstrap: 3 }),
      /bootstrap is 3; it must be a whole number of replicates/,
    ],
    ['groups that are not given', () => bootstrap(data, { kind: 'groups' }), /needs groups/],
    ['groups for rows', () => bootstrap(data, { groups: [1] }), /groups is for kind: 'groups'/],
    [
      'labels of another number',
      () => bootstrap(data, { kind: 'groups', groups: [1, 2] }),
      /groups has 2 labels for 60 rows/,
    ],
    [
      'one group',
      () => bootstrap(data, { kind: 'groups', groups: Array(60).fill('a') }),
      /There is 1 group to draw from, and a bootstrap needs at least 3/,
    ],
    ['two rows', () => bootstrap(table(2, 4, 1), {}), /There are 2 rows to draw from/],
    ['a block that is too long', () => bootstrap(data, { kind: 'blocks', block: 31 }), /Use a block of at most 30/],
    ['ranges without rows', () => bootstrap(data, { kind: 'parametric', scale: 'range' }), /knows no ranges/],
  ])('refuses %s and says what to do', async (_, run, message) => {
    await expect(run()).rejects.toThrow(message);
  });

  it('is finite for few rows and for columns that do not vary', async () => {
    const few = await bootstrap(
      [
        [1, 2, 5],
        [2, 1, 5],
        [4, 4, 5],
        [0, 3, 5],
      ],
      { scale: 'unit', replicates: 50 },
    );
    expect(numbersOf(few).every(Number.isFinite)).toBe(true);
    const rare = Array.from({ length: 30 }, (_, i) => [i % 7, (i * i) % 11, i === 0 ? 1 : 0]);
    const found = await bootstrap(rare, { scale: 'unit', replicates: 50 });
    expect(JSON.stringify(found)).not.toContain('null');
    const constant = await bootstrap(Array(5).fill([1, 2]), { replicates: 10 });
    expect(constant.variances).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('the number of replicates by default', () => {
  it('follows from the shape alone', () => {
    expect(defaultReplicates(178, 13)).toBe(200);
    expect(defaultReplicates(100_000, 100)).toBe(200);
    expect(defaultReplicates(100_001, 100)).toBe(0);
  });
});

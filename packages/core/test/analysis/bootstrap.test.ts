import { describe, expect, it } from 'vitest';
import type { Chosen } from '../../src/analysis/bootstrap/choices.js';
import { RowDraws } from '../../src/analysis/bootstrap/draws.js';
import { type Method, type Sample, stabilityOf } from '../../src/analysis/bootstrap/stability.js';
import { openSource } from '../../src/data/open-source.js';
import type { Scale } from '../../src/data/scaling.js';
import { chooseEngine } from '../../src/engines/choose.js';
import { Moments, pca, type Stability } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';
import { ProgressTracker } from '../../src/progress.js';

const CHOSEN: Chosen = { replicates: 20, kind: 'rows', alignment: 'order', scores: false, seed: 3 };

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

/** The stability that one way of computing gives. */
async function byMethod(
  data: ReturnType<typeof table>,
  method: Method,
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
  const sample: Sample = { source, read: data.rows, columns: moments.columns, weights, center, scale, ddof: 1, k };
  return stabilityOf(sample, CHOSEN, await chooseEngine({}), progress, method);
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

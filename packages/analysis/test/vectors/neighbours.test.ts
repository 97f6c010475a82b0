import { matrixSource } from '@scree/core/data';
import { random } from '@scree/core/linalg';
import { ProgressTracker } from '@scree/core/pipeline';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NeighbourSearch } from '../../src/vectors/exact-neighbours.js';
import { recallInterval } from '../../src/vectors/interval.js';
import { VectorProducts } from '../../src/vectors/products.js';
import { RankCounter } from '../../src/vectors/rank-counter.js';
import { rowChunks } from '../../src/vectors/row-chunks.js';
import { plainNearest, plainNearness } from './support.js';

const progress = new ProgressTracker();

describe('exact neighbours', () => {
  it('are those of a search that sorts all rows, also with duplicates and rows of zeros', async () => {
    const products = await VectorProducts.open(2, progress);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom('cosine', 'dot', 'l2'),
        fc.integer({ min: 3, max: 80 }),
        fc.integer({ min: 1, max: 24 }),
        fc.constantFrom(0, 1000),
        async (seed, metric, n, d, away) => {
          const { normal, uniform } = random(seed);
          const data = Float32Array.from({ length: n * d }, () => away + Math.round(4 * normal()) / 4);
          for (let i = 1; i < n; i++)
            if (uniform() < 0.2)
              data.copyWithin(i * d, Math.floor(uniform() * i) * d, Math.floor(uniform() * i) * d + d);
          data.fill(0, 0, d);
          const at = Math.min(5, n - 1);
          const own = Int32Array.of(0, n - 1, 1);
          const queries = new Float32Array(3 * d);
          own.forEach((row, q) => {
            queries.set(data.subarray(row * d, (row + 1) * d), q * d);
          });
          const search = new NeighbourSearch({ data: queries, count: 3, d, own }, metric as 'l2', at, products);
          for await (const chunk of rowChunks(matrixSource({ rows: n, cols: d, data }), progress))
            await search.add(chunk);
          own.forEach((row, q) => {
            const x = (i: number): Float32Array => data.subarray(i * d, (i + 1) * d);
            const nearness = Array.from({ length: n }, (_, i) => {
              // The order of l2 as the search computes it, so that ties are the same.
              const square = x(i).reduce((sum, value) => sum + value * value, 0);
              return metric === 'l2'
                ? plainNearness('dot', x(row), x(i)) - square / 2
                : metric === 'cosine' && square > 0
                  ? plainNearness('dot', x(row), x(i)) * (1 / Math.sqrt(square))
                  : plainNearness(metric, x(row), x(i));
            });
            const least = nearness[plainNearest(nearness, row, at)[at - 1]];
            const expected = plainNearest(nearness, row, n).filter((i) => nearness[i] >= least);
            expect(search.neighbours[q].rows).toEqual(expected);
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('ranks of neighbours', () => {
  it('are those of sorted stored vectors, with ties by index, in any chunks', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 12, max: 200 }), fc.integer({ min: 1, max: 7 }), (seed, n, levels) => {
        const { uniform } = random(seed);
        const [at, wide, queries] = [3, 8, 4];
        const values = Array.from({ length: queries }, () =>
          Array.from({ length: n }, () => Math.floor(levels * uniform())),
        );
        const own = Int32Array.from({ length: queries }, (_, q) => (q === 0 ? -1 : q));
        const neighbours = values.map((_, q) => {
          const rows = [...new Set(Array.from({ length: at }, () => Math.floor(n * uniform())))].filter(
            (i) => i !== own[q],
          );
          return { rows, nearness: rows.map(() => 1) };
        });
        const counter = new RankCounter(neighbours, own, at, wide, (q, row) => values[q][row]);
        for (let first = 0; first < n; first += 11) {
          const rows = Math.min(11, n - first);
          const products = Float64Array.from(
            { length: rows * queries },
            (_, i) => values[i % queries][first + Math.floor(i / queries)] * 2 + 1,
          );
          counter.add(products, rows, first, new Float64Array(rows).fill(0.5), new Float64Array(rows).fill(0.5));
        }
        const among = (q: number, count: number): number =>
          plainNearest(values[q], own[q], count).filter((row) => neighbours[q].rows.includes(row)).length;
        expect(counter.found()).toEqual(
          values.map((_, q) => ({ first: among(q, at), reranked: Math.min(at, among(q, wide)) })),
        );
      }),
    );
  });
});

describe('the interval of a recall', () => {
  it('is that of Wilson for independent queries with one neighbour', () => {
    const shares = Array.from({ length: 200 }, (_, i) => (i < 150 ? 1 : 0));
    const { value, low, high } = recallInterval(shares, 1);
    expect(value).toBe(0.75);
    // Its ends are the proportions from which the measured one is 1.96 of their own standard errors away.
    for (const end of [low, high]) {
      expect(Math.abs(0.75 - end) / Math.sqrt((end * (1 - end)) / 200)).toBeCloseTo(1.959964, 5);
    }
  });

  it('is not empty if every neighbour was found', () => {
    const { low, high } = recallInterval(new Array(400).fill(1), 10);
    expect(low).toBeCloseTo(1 - 1.96 ** 2 / (400 + 1.96 ** 2), 4);
    expect(high).toBe(1);
  });

  it('contains the true recall for 95 % of samples of queries that differ in difficulty', () => {
    const { uniform } = random(Number(process.env.SCREE_SEED));
    const [samples, queries, at] = [400, 300, 10];
    let covered = 0;
    for (let s = 0; s < samples; s++) {
      const shares = Array.from({ length: queries }, () => {
        const p = 1 - 0.2 * uniform() ** 2;
        let hits = 0;
        for (let i = 0; i < at; i++) if (uniform() < p) hits++;
        return hits / at;
      });
      const { low, high } = recallInterval(shares, at);
      const truth = 1 - 0.2 / 3;
      if (low <= truth && truth <= high) covered++;
    }
    // 380 are expected, with a standard deviation of 4.4.
    expect(covered).toBeGreaterThan(355);
  });
});

import { describe, expect, it } from 'vitest';
import { makePlan } from '../src/index.js';
import type { PlanRequest, Shape } from '../src/pipeline.js';

const plan = (shape: Partial<Shape>, request: Partial<PlanRequest> = {}) =>
  makePlan(
    { cols: 1, rereadable: true, ...shape },
    { solver: 'auto', engine: { name: 'reference', rates: { products: 2.3, sparse: 1, eigen: 1.5 } }, ...request },
  );

describe('the plan', () => {
  it.each<[string, Partial<Shape>, Partial<PlanRequest>, string, RegExp]>([
    ['small data', { rows: 150, cols: 4 }, {}, 'svd', /150×4 is small: SVD, the most accurate solver/],
    ['tall data', { rows: 100000, cols: 100 }, { k: 10 }, 'covariance', /100×100 covariance is the cheapest/],
    ['wide data', { rows: 200, cols: 50000 }, { k: 100 }, 'dual', /200×200 dual problem is smaller/],
    ['wide data, few components', { rows: 2000, cols: 100000 }, { k: 5 }, 'krylov', /only passes over the data/],
    ['large square data, few components', { rows: 5000, cols: 5000 }, { k: 5 }, 'krylov', /only passes/],
    ['large square data, all components', { rows: 3000, cols: 3000 }, { k: 'all' }, 'covariance', /covariance/],
    ['sparse data', { rows: 100000, cols: 20000, nonzeros: 4e6 }, { k: 20 }, 'krylov', /a sparse 100000×20000/],
    ['a stream', { cols: 300, rereadable: false }, {}, 'covariance', /in one pass/],
    ['a wide stream', { cols: 30000, rereadable: false }, {}, 'krylov', /too wide.*kept in memory/],
    ['what was asked for', { rows: 150, cols: 4 }, { solver: 'dual' }, 'dual', /dual solver was asked for/],
    ['moments', { rows: 10, cols: 4, momentsOnly: true, rereadable: false }, {}, 'covariance', /Only moments/],
  ])('for %s', (_, shape, request, solver, reason) => {
    const made = plan(shape, request);
    expect(made.solver).toBe(solver);
    expect(made.reason).toMatch(reason);
  });

  it('estimates passes by the speed of the engine', () => {
    const shape = { rows: 5000, cols: 2000 };
    expect(plan(shape, { k: 200 }).solver).toBe('covariance');
    const fast = plan(shape, { k: 200, engine: { name: 'fast', rates: { products: 2300, sparse: 1, eigen: 1.5 } } });
    expect(fast.costs.covariance).toBeLessThan(plan(shape, { k: 200 }).costs.covariance as number);
    // Passes over sparse data have a rate of their own.
    const sparse = { ...shape, nonzeros: 1e5 };
    const dense = plan(sparse, { engine: { name: 'fast', rates: { products: 2300, sparse: 1, eigen: 1.5 } } });
    expect(dense.costs.covariance).toBe(plan(sparse).costs.covariance);
    const quick = plan(sparse, { engine: { name: 'fast', rates: { products: 2.3, sparse: 10, eigen: 1.5 } } });
    expect(quick.costs.krylov).toBeLessThan(plan(sparse).costs.krylov as number);
  });

  it('includes the time to read rows, which is most of the work where columns are few', () => {
    const rates = { products: 40, sparse: 1, eigen: 1.5 };
    const seconds = (cols: number, engineRates: object) =>
      plan(
        { rows: 1e6, cols, dtype: 'float64', rereadable: true },
        { k: 4, engine: { name: 'x', rates: { ...rates, ...engineRates } } },
      ).costs.covariance as number;
    expect(seconds(8, { reading: 0.25 })).toBeGreaterThan(1.5 * seconds(8, {}));
    expect(seconds(8, { reading: 0.42, products: 80 })).toBeGreaterThan(seconds(8, {}));
    expect(seconds(128, { reading: 0.42, products: 80 })).toBeLessThan(seconds(128, {}));
  });

  it('uses float32 sums where the engine has them and they are faster, and says so', () => {
    const rates = { products: 25, sparse: 1, eigen: 4 };
    const engine = { name: 'both', rates, float32: { rates: { ...rates, products: 50 } } };
    const embeddings = { rows: 100_000, cols: 1536, dtype: 'float32' as const };
    expect(plan(embeddings, { k: 128, engine }).solver).toBe('refined');
    expect(plan(embeddings, { k: 128, engine }).reason).toMatch(/summed in float32, which is twice as fast/);
    // Not where nearly all components are wanted, for a stream, or for sparse rows.
    expect(plan(embeddings, { k: 1000, engine }).costs).not.toHaveProperty('refined');
    expect(plan({ ...embeddings, rereadable: false }, { k: 10, engine }).costs).not.toHaveProperty('refined');
    expect(plan({ ...embeddings, nonzeros: 1e6 }, { k: 10, engine }).costs).not.toHaveProperty('refined');
    expect(plan(embeddings, { k: 0.9, engine }).costs).not.toHaveProperty('refined');
  });

  it('counts the upload of dense data once, and leading eigenvectors by products, where the engine has them', () => {
    const rates = { products: 1000, sparse: 65, eigen: 22, reading: 20 };
    const float32 = { rates: { ...rates, products: 10_000 } };
    const shape = { rows: 100_000, cols: 1536, dtype: 'float32' as const };
    const near = plan(shape, { k: 128, engine: { name: 'near', rates, float32 } });
    const far = plan(shape, { k: 128, engine: { name: 'far', rates: { ...rates, upload: 6 }, float32 } });
    // 614 MB at 6 GB/s.
    for (const solver of ['covariance', 'refined', 'krylov'] as const) {
      expect((far.costs[solver] as number) - (near.costs[solver] as number)).toBeCloseTo(0.1024, 6);
    }
    const sparse = { ...shape, nonzeros: 1e6 };
    const engine = { name: 'far', rates: { ...rates, upload: 6 } };
    expect(plan(sparse, { k: 5, engine }).costs).toEqual(plan(sparse, { k: 5, engine: { name: 'near', rates } }).costs);
    const leading = plan(shape, { k: 128, engine: { name: 'gpu', rates: { ...rates, leading: 1000 }, float32 } });
    expect(leading.costs.refined).toBeLessThan((near.costs.refined as number) / 2);
    expect(leading.costs.covariance).toBe(near.costs.covariance);
  });

  it('is pure: the same request gives the same plan', () => {
    expect(plan({ rows: 500, cols: 300 }, { k: 20 })).toEqual(plan({ rows: 500, cols: 300 }, { k: 20 }));
  });

  it('never plans a square matrix that does not fit', () => {
    for (const rows of [20000, 1e6]) {
      const made = plan({ rows, cols: 1e5 }, { k: 10 });
      expect(made.solver).toBe('krylov');
      expect(Object.keys(made.costs)).toEqual(['krylov']);
    }
  });

  it('respects the memory limit', () => {
    const shape = { rows: 50_000, cols: 3000 };
    expect(plan(shape, { k: 1000 }).solver).toMatch(/covariance|refined/);
    const tight = plan(shape, { k: 1000, memory: 200e6 });
    expect(tight.solver).toBe('krylov');
    expect(plan({ rows: undefined, cols: 2000, rereadable: true } as never, { k: 10, memory: 64e6 }).solver).toBe(
      'krylov',
    );
    expect(plan({ rows: undefined, cols: 500, rereadable: true } as never, { k: 10, memory: 64e6 }).solver).toBe(
      'covariance',
    );
  });
});

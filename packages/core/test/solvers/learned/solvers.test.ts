import { principalAngles } from '@scree/analysis';
import { beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../../../../test/sample.js';
import {
  ConvergenceError,
  type Engine,
  type LearnOptions,
  loadModel,
  type Matrix,
  type Model,
  pca,
  type RowSource,
  referenceEngine,
} from '../../../src/index.js';
import { toCsr, toMatrix, withSpectrum } from '../../support/data.js';

const reference = referenceEngine();

/** Every method to learn, with how far from the exact subspace it may end, in residuals: its stated tolerance. */
const methods: [string, { solver: 'points' | 'autoencoder' | 'hebbian'; learn: LearnOptions }][] = [
  ['points, factored', { solver: 'points', learn: {} }],
  ['points, pairwise', { solver: 'points', learn: { rule: 'pairwise' } }],
  ['points, plain', { solver: 'points', learn: { descent: 'plain' } }],
  ['points, Adam', { solver: 'points', learn: { descent: 'adam' } }],
  ['points, pairwise, Adam', { solver: 'points', learn: { rule: 'pairwise', descent: 'adam' } }],
  ['autoencoder', { solver: 'autoencoder', learn: {} }],
  ['autoencoder, plain', { solver: 'autoencoder', learn: { descent: 'plain' } }],
  ['autoencoder, α = 0.5', { solver: 'autoencoder', learn: { alpha: 0.5 } }],
  ['autoencoder, Adam', { solver: 'autoencoder', learn: { descent: 'adam' } }],
  ['autoencoder in batches', { solver: 'autoencoder', learn: { batch: 8 } }],
  ['autoencoder in batches, Adam', { solver: 'autoencoder', learn: { batch: 8, descent: 'adam' } }],
  ["Oja's subspace rule", { solver: 'hebbian', learn: {} }],
  ["Sanger's rule", { solver: 'hebbian', learn: { rule: 'sanger' } }],
  ['subspace rule in batches of 20', { solver: 'hebbian', learn: { batch: 20 } }],
];

const TOLERANCE = 1e-6;

/** The reference engine, with `seen` called at every block that it loads. */
function counting(seen: () => void): Engine {
  return {
    ...reference,
    load(block) {
      seen();
      return reference.load(block);
    },
  };
}

/** Spectra with a gap after the third value, in every shape. */
const falling = (i: number): number => [10, 8, 7, 3, 2.5, 2][i] ?? 2 * 0.9 ** i;
const shapes: Record<string, number[][]> = {
  tall: withSpectrum(150, 12, falling),
  wide: withSpectrum(24, 60, falling),
  square: withSpectrum(30, 30, falling),
  'rank-deficient': withSpectrum(60, 15, (i) => (i < 5 ? falling(i) : 0)),
  'of as many dimensions as are wanted': withSpectrum(60, 15, (i) => (i < 3 ? falling(i) : 0)),
  'with equal values': withSpectrum(80, 8, (i) => [9, 9, 9, 4, 4, 4, 1, 1][i]),
  'far from the origin': withSpectrum(90, 6, falling, { offset: () => 1e6 }),
};

const largest = (angles: ArrayLike<number>): number => angles[angles.length - 1];

describe.each(Object.entries(shapes).map(([name, rows], i) => [name, rows, i] as const))('on data %s', (_, rows, i) => {
  let exact: Model;
  beforeAll(async () => {
    exact = await pca(rows, { k: 3, solver: 'svd' });
  });

  it.each(sample(methods, 6, i))('%s reaches the subspace of the SVD', async (_, method) => {
    for (const seed of [0, 1]) {
      const model = await pca(rows, { k: 3, seed, ...method, learn: { ...method.learn, exact: exact.components } });
      const gap = (exact.uniqueness.subspace.gap as number) / exact.variances[0];
      const angle = largest(principalAngles(model.components, exact.components));
      expect(angle).toBeLessThan((3 * TOLERANCE) / gap);
      expect(angle).toBeLessThanOrEqual(model.certificate.subspaceAngleBound + 1e-12);
      expect(model.certificate.subspaceAngleBound).toBeLessThan(1e-3);
      model.variances.forEach((variance, i) => {
        const error = Math.abs(variance - exact.variances[i]);
        expect(error).toBeLessThanOrEqual(model.certificate.varianceBounds[i]);
        expect(error).toBeLessThan(TOLERANCE * exact.variances[0]);
      });
      expect(Math.max(...model.certificate.residuals)).toBeLessThanOrEqual(TOLERANCE);
      const last = model.trace?.at(-1);
      expect(last?.angle).toBeLessThan((3 * TOLERANCE) / gap);
      expect(last?.residual).toBeLessThanOrEqual(TOLERANCE);
    }
  });

  it("Oja's rule reaches the first axis", async () => {
    if (!exact.uniqueness.axes[0].determined) return;
    const model = await pca(rows, { k: 1, solver: 'hebbian', learn: { rule: 'oja' } });
    const first = { rows: 1, cols: exact.d, data: exact.components.data.slice(0, exact.d) };
    const gap = (exact.uniqueness.axes[0].gap as number) / exact.variances[0];
    expect(principalAngles(model.components, first)[0]).toBeLessThan((3 * TOLERANCE) / gap);
  });
});

describe('learning', () => {
  const rows = shapes.tall;

  it('leads to orthonormal rows although the loss does not ask for them', async () => {
    for (const alpha of [0, 0.3, 0.9]) {
      const { trace } = await pca(rows, { k: 3, solver: 'autoencoder', learn: { alpha, step: 0.1 } });
      expect(trace?.at(-1)?.defect).toBeLessThan(1e-6);
      expect(trace?.at(-1)?.terms.orthogonality).toBeLessThan(1e-12);
    }
  });

  it.each(methods)(
    '%s does not depend on units: scaling the data changes nothing but the scale of the result',
    async (_, method) => {
      const scaled = (factor: number): Matrix => toMatrix(rows.map((row) => row.map((value) => value * factor)));
      const one = await pca(scaled(1), { k: 2, ...method });
      for (const factor of [2 ** -20, 2 ** 20]) {
        const other = await pca(scaled(factor), { k: 2, ...method });
        expect(other.trace).toEqual(one.trace);
        expect(other.components.data).toEqual(one.components.data);
        expect(other.variances[0]).toBe(one.variances[0] * factor ** 2);
      }
      for (const factor of [1e-6, 1e6]) {
        const other = await pca(scaled(factor), { k: 2, ...method });
        expect(largest(principalAngles(other.components, one.components))).toBeLessThan(1e-4);
        expect(other.variances[0] / one.variances[0] / factor ** 2).toBeCloseTo(1, 9);
      }
    },
  );

  it.each(methods)(
    '%s gives the same bits on any number of threads, and for the same seed only',
    async (name, method) => {
      // More rows than a tile has. Pairs of rows are many more.
      const rows = name.includes('pairwise') ? 300 : 600;
      const many = toMatrix(withSpectrum(rows, 40, (i) => 10 * 0.8 ** i));
      const of = (options: object): Promise<Model> => pca(many, { k: 3, engine: 'wasm', ...method, ...options });
      const one = await of({ threads: 1 });
      for (const threads of [2, 3]) {
        const other = await of({ threads });
        expect(other.components.data).toEqual(one.components.data);
        expect(other.trace).toEqual(one.trace);
      }
      expect((await of({ seed: 9 })).trace).not.toEqual(one.trace);
    },
  );

  it.each(methods)('%s treats a weight as that many rows, and sparse rows like dense rows', async (name, method) => {
    const sparse = rows.map((row) => row.map((value, j) => (j % 3 === 1 && value < 0 ? 0 : value)));
    const weights = sparse.map((_, i) => [1, 2, 0, 3][i % 4]);
    const repeated = sparse.flatMap((row, i) => Array.from({ length: weights[i] }, () => row));
    const options = { k: 2, ...method };
    const truth = await pca(repeated, options);
    const gap = (truth.uniqueness.subspace.gap as number) / truth.variances[0];
    if (name.includes('pairwise')) {
      await expect(pca(sparse, { ...options, weights })).rejects.toThrow(/weights/);
      return;
    }
    for (const data of [toMatrix(sparse), toCsr(sparse)]) {
      const model = await pca(data, { ...options, weights });
      expect(model.n).toBe(weights.filter((weight) => weight > 0).length);
      expect(largest(principalAngles(model.components, truth.components))).toBeLessThan((6 * TOLERANCE) / gap);
      expect(model.variances[0] / truth.variances[0]).toBeCloseTo(1, 9);
    }
  });

  it('accepts streams, scaled columns and rows that are not centred', async () => {
    for (const options of [{ scale: 'unit' as const }, { center: false }, { whiten: 'pca' as const }]) {
      const truth = await pca(rows, { k: 3, solver: 'svd', ...options });
      const gap = (truth.uniqueness.subspace.gap as number) / truth.variances[0];
      for (const [name, method] of methods) {
        if ('center' in options && name.includes('pairwise')) continue;
        const model = await pca(rows.values(), { k: 3, ...options, ...method });
        expect(largest(principalAngles(model.components, truth.components))).toBeLessThan((3 * TOLERANCE) / gap);
      }
    }
  });

  it('with steps that decay goes where the weights say', async () => {
    const heavy = rows.map((_, i) => [50, 0.1, 1, 3][i % 4]);
    const exact = await pca(rows, { k: 2, weights: heavy });
    const gap = (exact.uniqueness.subspace.gap as number) / exact.variances[0];
    for (const solver of ['hebbian', 'autoencoder'] as const) {
      const learn = {
        decay: 5,
        batch: 10,
        epochs: 2000,
        ...(solver === 'hebbian' ? {} : { descent: 'plain' as const }),
      };
      const model = await pca(rows, { k: 2, weights: heavy, solver, tolerance: 0.01, learn });
      expect(largest(principalAngles(model.components, exact.components))).toBeLessThan(0.03 / gap);
    }
  });

  it('closes its batches, however it ends', async () => {
    let open = 0;
    const block = toMatrix(rows);
    const source = (): RowSource => ({
      rows: 150,
      cols: 12,
      dtype: 'float64',
      rereadable: true,
      resident: false,
      *blocks() {
        open++;
        try {
          yield { kind: 'dense', rows: 150, cols: 12, stride: 12, data: block.data };
        } finally {
          open--;
        }
      },
    });
    const ends: object[] = [
      { learn: { step: 50, batch: 10 } },
      { learn: { epochs: 2 } },
      { learn: { batch: 7 } },
      { solver: 'autoencoder', learn: { step: 80, batch: 10 } },
    ];
    for (const end of ends) {
      await pca(source(), { k: 2, solver: 'hebbian', ...end }).catch(() => {});
      expect(open).toBe(0);
    }
    const controller = new AbortController();
    let steps = 0;
    const aborted = pca(source(), {
      k: 2,
      solver: 'hebbian',
      learn: { batch: 5 },
      signal: controller.signal,
      engine: counting(() => ++steps === 40 && controller.abort()),
    });
    await expect(aborted).rejects.toThrow(/abort/i);
    expect(open).toBe(0);
  });

  it('reports every epoch, and the model keeps the trace', async () => {
    const losses: number[] = [];
    const exact = await pca(rows, { k: 2 });
    const model = await pca(rows, {
      k: 2,
      solver: 'points',
      learn: {
        exact: exact.components,
        onEpoch: ({ epoch, loss, angle }, state) => {
          losses.push(loss);
          expect(epoch).toBe(losses.length - 1);
          expect(state.rows.length).toBe(2 * 12);
          expect(state.points?.length).toBe(2 * 150);
          expect(angle).toBeGreaterThanOrEqual(0);
        },
      },
    });
    expect(model.trace?.map(({ loss }) => loss)).toEqual(losses);
    expect(losses[0]).toBeGreaterThan(losses.at(-1) as number);
    for (const stored of [model.toBinary(), JSON.stringify(model)])
      expect(loadModel(stored).trace).toEqual(model.trace);
    expect(Object.isFrozen(model.trace)).toBe(true);
  });

  it('throws an error with the best model and the numbers when it runs out of epochs', async () => {
    for (const [, method] of methods) {
      const error = await pca(rows, { k: 3, ...method, learn: { ...method.learn, epochs: 2 }, tolerance: 1e-12 }).catch(
        (e) => e,
      );
      expect(error).toBeInstanceOf(ConvergenceError);
      expect(error.code).toBe('NOT_CONVERGED');
      expect(error.message).toMatch(
        /After 2 epochs the residual is [\d.e-]+, above the tolerance 1e-12|is still missing/,
      );
      expect(error.best.k).toBe(3);
      expect(error.best.trace.length).toBe(2);
      expect(error.best.warnings.map(({ code }: { code: string }) => code)).toContain('NOT_CONVERGED');
      expect(error.details.value).toBeGreaterThan(1e-12);
    }
  });

  it('stops at once when the step is too long, and names a shorter step that works', async () => {
    const long: [string, (typeof methods)[number][1]][] = [
      ['points', { solver: 'points', learn: { step: 5, descent: 'plain' } }],
      ['points with momentum', { solver: 'points', learn: { step: 5 } }],
      ['autoencoder', { solver: 'autoencoder', learn: { step: 3, descent: 'plain' } }],
      ['autoencoder with momentum', { solver: 'autoencoder', learn: { step: 3 } }],
      ['autoencoder in batches', { solver: 'autoencoder', learn: { step: 30, batch: 10, descent: 'plain' } }],
      ['hebbian', { solver: 'hebbian', learn: { step: 9 } }],
      ['autoencoder with Adam', { solver: 'autoencoder', learn: { step: 2, descent: 'adam' } }],
      ['sanger', { solver: 'hebbian', learn: { step: 9, rule: 'sanger' } }],
    ];
    for (const [, method] of long) {
      let { step } = method.learn;
      for (let tries = 0; ; tries++) {
        const learn = { ...method.learn, step } as LearnOptions;
        const result = await pca(rows, { k: 3, solver: method.solver, learn }).catch((e) => e);
        if (!(result instanceof Error)) {
          expect(tries).toBeGreaterThan(0);
          break;
        }
        expect(result).toBeInstanceOf(ConvergenceError);
        expect((result as ConvergenceError).code).toBe('DIVERGED');
        expect(result.message).toMatch(/too long.*Try step: [\d.e-]+/);
        const { details, best } = result as ConvergenceError<Model>;
        expect(details.option).toBe('learn.step');
        // A growing loss is detected at once, and an oscillating one after a hundred epochs without progress.
        expect(best.trace?.length).toBeLessThan(tries === 0 ? 8 : 500);
        expect(best.components.data.every(Number.isFinite)).toBe(true);
        expect(tries).toBeLessThan(8);
        step = details.expected as number;
      }
    }
  });

  it('can be cancelled, and reports progress', async () => {
    const controller = new AbortController();
    const phases = new Set<string>();
    const running = pca(
      withSpectrum(400, 30, (i) => 1 + 1e-3 * i),
      {
        k: 3,
        solver: 'hebbian',
        signal: controller.signal,
        onProgress: ({ phase }) => phases.add(phase),
        learn: { onEpoch: ({ epoch }) => epoch === 3 && controller.abort() },
      },
    );
    await expect(running).rejects.toThrow(/abort/i);
    expect(phases).toContain('passes over the data');
  });

  it('rejects options that it does not support, and says what to use instead', async () => {
    const refused = (options: object): Promise<string> =>
      pca(rows, options as never).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
    expect(await refused({ solver: 'points', k: 0.9 })).toMatch(/must know how many components/);
    expect(await refused({ solver: 'hebbian', k: 2, learn: { rule: 'oja' } })).toMatch(/one neuron, so k must be 1/);
    expect(await refused({ solver: 'svd', learn: {} })).toMatch(/solvers that learn/);
    expect(await refused({ solver: 'points', learn: { alpha: 0.5 } })).toMatch(/no option "alpha" for points/);
    expect(await refused({ solver: 'autoencoder', learn: { alpha: 1 } })).toMatch(/learn.alpha is 1/);
    expect(await refused({ solver: 'autoencoder', learn: { step: -1 } })).toMatch(/learn.step is -1/);
    expect(await refused({ solver: 'hebbian', learn: { rule: 'pairwise' } })).toMatch(/learn.rule is "pairwise"/);
    expect(
      await refused({ solver: 'points', learn: { exact: { rows: 1, cols: 3, data: new Float64Array(3) } } }),
    ).toMatch(/1 × 3, and the data have 12 columns/);
    expect(await refused({ solver: 'points', learn: { rule: 'pairwise' }, center: false })).toMatch(/center/);
    const broken = rows.map((row) => row.slice());
    broken[7][2] = Number.NaN;
    for (const [, method] of methods) await expect(pca(broken, { k: 2, ...method })).rejects.toThrow(/row 8, column 3/);
  });

  it('has nothing to learn from rows that are all the same', async () => {
    for (const [, method] of methods) {
      const model = await pca(
        Array.from({ length: 5 }, () => [1, 2, 3]),
        { k: 2, ...method },
      );
      expect(Array.from(model.variances)).toEqual([0, 0]);
    }
  });

  it('with decaying steps needs no second reading of the rows', async () => {
    const [k, decay] = [2, 5];
    for (const solver of ['hebbian', 'autoencoder'] as const) {
      const exact = await pca(rows, { k });
      const learn = { decay, batch: 10, epochs: 400, exact: exact.components };
      const model = await pca(rows, { k, solver, learn, tolerance: 0.01 });
      expect(largest(principalAngles(model.components, exact.components))).toBeLessThan(0.1);
      const steps = model.trace?.map(({ step }) => step) as number[];
      expect(steps[5] / steps[0]).toBeCloseTo(0.5, 12);
    }
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ProgressTracker, runTaskSync } from '../../../src/base/progress.js';
import type { CanonicalCsr } from '../../../src/data/blocks/csr.js';
import { blockStatistics } from '../../../src/data/statistics/block-statistics.js';
import { DataChecksum } from '../../../src/data/statistics/checksum.js';
import { multiplySymmetric } from '../../../src/engines/vector-block.js';
import { type Engine, type PcaOptions, pca, referenceEngine, stream } from '../../../src/index.js';
import { random } from '../../../src/linalg/random.js';
import { axpy, dot, norm, scale } from '../../../src/linalg/vector.js';
import { certify } from '../../../src/model/certificate.js';
import { solveKrylov } from '../../../src/solvers/direct/block-krylov.js';
import { directionsAbove } from '../../../src/solvers/direct/directions-above.js';
import type { RowsProblem } from '../../../src/solvers/solver.js';
import { hiddenComponent, orthogonalToStart, toDense } from '../../support/hidden-component.js';

const seed = Number(process.env.SCREE_SEED);

/** Vectors of the block that krylov starts with for two components. */
const BLOCK = 6;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The numbers of the probe, drawn from the seed of this run. */
function seedProbe(): void {
  vi.spyOn(Math, 'random').mockImplementation(random(seed).uniform);
}

/** The seed of the start that a fit of these rows has. */
function startOf(rows: CanonicalCsr): number {
  const block = { kind: 'sparse', ...rows } as const;
  const checksum = new DataChecksum();
  checksum.add(block);
  return checksum.seed(0, runTaskSync(blockStatistics(block, undefined, 0)));
}

describe('data whose main axis is orthogonal to the random vectors of a seed', () => {
  const made = hiddenComponent(orthogonalToStart(0, 200, BLOCK));
  const forms: [string, Parameters<typeof pca>[0]][] = [
    ['sparse', made],
    ['dense', toDense(made, Float64Array)],
    ['float32', toDense(made, Float32Array)],
  ];

  it.each(forms)('have that axis as first component of krylov: %s', async (_, rows) => {
    for (const engine of ['wasm', 'reference'] as const) {
      for (const options of [{}, { center: false }, { weights: new Float64Array(made.rows).fill(1) }]) {
        const model = await pca(rows, { k: 2, solver: 'krylov', ddof: 0, engine, ...options });
        expect(model.variances[0]).toBeCloseTo(1, 7);
        expect(model.variances[1]).toBeCloseTo(0.16, 7);
      }
    }
  });

  it.each<PcaOptions & { readonly tolerated: number }>([
    { solver: 'streaming', tolerated: 1e-9 },
    { solver: 'refined', tolerated: 1e-9 },
    { solver: 'autoencoder', tolerated: 1e-4 },
    { solver: 'hebbian', tolerated: 1e-4 },
    { solver: 'points', tolerated: 1e-4 },
  ])('have it as first component of $solver', async ({ tolerated, ...options }) => {
    for (const [, rows] of forms) {
      const model = await pca(rows, { k: 2, ddof: 0, ...options });
      expect(Math.abs(model.variances[0] - 1)).toBeLessThan(tolerated + 1e-7);
      expect(Math.abs(model.variances[0] - 1)).toBeLessThan(model.certificate.varianceBounds[0] + 1e-7);
    }
  });

  it('have it in a stream that keeps a sketch', async () => {
    const kept = stream({ k: 2, ddof: 0, size: 14 });
    await kept.add(toDense(made, Float64Array));
    const model = await kept.model();
    expect(model.variances[0]).toBeCloseTo(1, 9);
  });

  it('cannot be made by following the start, which changes with the data', async () => {
    const starts = [0];
    for (let round = 0; round < 6; round++) {
      const rows = hiddenComponent(orthogonalToStart(starts[round], 200, BLOCK));
      starts.push(startOf(rows));
      const model = await pca(rows, { k: 2, solver: 'krylov', ddof: 0 });
      expect(model.variances[0]).toBeCloseTo(1, 9);
    }
    expect(new Set(starts).size).toBe(starts.length);
  });

  it('have one start, as all data have, whatever engine, threads, type and blocks', async () => {
    const [n, cols] = [300, 40];
    const data = new Float32Array(n * cols).map(random(seed).normal).map((x) => x + 0.3);
    const rows = { rows: n, cols, data };
    const asDoubles = { rows: n, cols, data: Float64Array.from(data) };
    const parts = [0, 120, 121].map((from, i, all) => {
      const to = all[i + 1] ?? n;
      return { rows: to - from, cols, data: data.subarray(from * cols, to * cols) };
    });
    const starts: number[] = [];
    const seeing = DataChecksum.prototype.seed;
    vi.spyOn(DataChecksum.prototype, 'seed').mockImplementation(function (this: DataChecksum, ...given) {
      starts.push(seeing.apply(this, given));
      return starts[starts.length - 1];
    });
    for (const options of [{ engine: 'reference' }, { threads: 1 }, { threads: 3 }] as const)
      for (const source of [rows, asDoubles, parts]) await pca(source, { k: 2, solver: 'krylov', ...options });
    expect(starts.length).toBe(9);
    expect(new Set(starts).size).toBe(1);
  });
});

const engine: Engine = referenceEngine();
const progress = new ProgressTracker({});

interface Axis {
  readonly variance: number;
  readonly axis: Float64Array;
}

/** A pass that a solver asked for: how many vectors, and whether a certificate rests on it. */
interface Pass {
  readonly count: number;
  readonly measured: boolean;
}

/**
 * A problem with a scatter of Σ λ·vvᵀ over axes plus a diagonal, and with the start of a seed. In `changing` data every pass on
 * which a certificate rests sees one more column with variance.
 */
function problemOf(
  axes: readonly Axis[],
  diagonal: Float64Array,
  { startSeed = seed, k = 2, changing = false } = {},
): { problem: RowsProblem; passes: Pass[] } {
  const d = diagonal.length;
  const passes: Pass[] = [];
  const trace = [...diagonal, ...axes.map(({ variance }) => variance)].reduce((sum, x) => sum + x, changing ? 1 : 0);
  const normal = (given: Float64Array, count: number, measured = false): Float64Array => {
    passes.push({ count, measured });
    const seen = diagonal.slice();
    if (changing && measured) seen[d - passes.filter((pass) => pass.measured).length] = 1;
    const out = given.subarray(0, count * d).map((x, at) => x * seen[at % d]);
    for (let r = 0; r < count; r++)
      for (const { variance, axis } of axes) axpy(variance * dot(given, r * d, axis, 0, d), axis, 0, out, r * d, d);
    return out;
  };
  const problem: Partial<RowsProblem> = {
    ...{ d, rankLimit: d, wanted: { count: k }, scatterTrace: trace, roundoff: 1e-14 * trace, scalingError: 0 },
    ...{ tolerance: 1e-10, learn: {}, unit: 1, centred: true, seed: 0, startSeed, engine },
    progress,
    passes: { normal: async (...given) => normal(...given), costs: 'vectors' } as Partial<
      RowsProblem['passes']
    > as RowsProblem['passes'],
  };
  return { problem: problem as RowsProblem, passes };
}

const measured = (passes: readonly Pass[]): number[] => passes.flatMap((pass) => (pass.measured ? [pass.count] : []));

describe('krylov from a start that misses an axis', () => {
  const d = 400;
  const axis = orthogonalToStart(seed, d, BLOCK);
  const diagonal = new Float64Array(d);
  [0.16, 0.09, 0.04, 0.01].forEach((variance, i) => {
    diagonal[100 + i] = variance;
  });

  it('finds it with the fresh vectors of its last pass, and goes on', async () => {
    seedProbe();
    for (const variance of [0.2, 1]) {
      const { problem, passes } = problemOf([{ variance, axis }], diagonal);
      const solution = await solveKrylov(problem);
      expect(solution.converged).toBe(true);
      expect(Math.abs(solution.values[0] - variance)).toBeLessThan(1e-12 * variance);
      expect(Math.abs(solution.values[1] - 0.16)).toBeLessThan(1e-12 * variance);
      expect(Math.abs(dot(solution.basis, 0, axis, 0, d))).toBeCloseTo(1, 9);
      // Two components and eight fresh vectors. After that the rest of the trace is too small for one more.
      expect(measured(passes)).toEqual([10, 2]);
      expect(solution.passes).toBe(passes.length);
    }
  });

  it('finds it among many other directions that have variance', async () => {
    seedProbe();
    const noise = diagonal.map((x, j) => Math.max(x, 0.001 * (1 + (j % 7))));
    const { problem } = problemOf([{ variance: 1, axis }], noise);
    const solution = await solveKrylov(problem);
    expect(solution.values[0]).toBeGreaterThan(1);
    expect(solution.values[0]).toBeLessThan(1.01);
  });

  it('finds several that it has missed', async () => {
    seedProbe();
    const found: Axis[] = [];
    for (const variance of [1, 0.5, 0.3]) {
      const other = orthogonalToStart(seed, d, BLOCK, seed + 2 + found.length);
      for (let round = 0; round < 2; round++)
        for (const { axis: before } of found) axpy(-dot(other, 0, before, 0, d), before, 0, other, 0, d);
      scale(1 / norm(other), other);
      found.push({ variance, axis: other });
    }
    const solution = await solveKrylov(problemOf(found, diagonal, { k: 3 }).problem);
    found.forEach(({ variance }, i) => {
      expect(Math.abs(solution.values[i] - variance)).toBeLessThan(1e-12);
    });
  });

  it('probes nothing where the rest of the trace is too small for another component', async () => {
    const { problem, passes } = problemOf([], diagonal);
    await solveKrylov(problem);
    expect(measured(passes)).toEqual([2]);
  });

  it.each<[string, (j: number) => number]>([
    ['flat', () => 1],
    ['slowly falling', (j) => 1 / (1 + j)],
    ['falling', (j) => 0.9 ** j],
    ['with many equal values', (j) => (j < 30 ? 3 : 1)],
    ['nearly flat', (j) => 1 - 1e-9 * j],
    ['of few values beside rounding', (j) => (j < 5 ? 5 - j : 1e-13)],
  ])('has no false alarm where the spectrum is %s', async (_, spectrum) => {
    seedProbe();
    for (const k of [2, 7]) {
      const values = Float64Array.from({ length: 80 }, (_, j) => spectrum(j));
      const { problem, passes } = problemOf([], values, { k });
      expect((await solveKrylov(problem)).converged).toBe(true);
      expect(measured(passes)).toHaveLength(1);
    }
  });

  it('has not converged, and has bounds that exclude nothing, where every probe finds something new', async () => {
    seedProbe();
    const { problem } = problemOf([], diagonal, { changing: true });
    const solution = await solveKrylov(problem);
    expect(solution.converged).toBe(false);
    const { valueBounds, certificate } = certify(solution, problem, 0, 1);
    expect(solution.values[0] + valueBounds[0]).toBeGreaterThanOrEqual(1);
    expect(certificate.subspaceAngleBound).toBe(Math.PI / 2);
    expect(certificate.angleBounds).toEqual([Math.PI / 2, Math.PI / 2]);
  });
});

describe('refined on an engine that finds few eigenvectors from a random start', () => {
  it('computes all of them where the start has missed one', async () => {
    const [n, cols] = [90, 40];
    const { normal } = random(seed);
    const data = Float64Array.from({ length: n * cols }, (_, at) => normal() / (1 + (at % cols)));
    const starts: number[] = [];
    let missing = 1;
    const found: Engine = {
      ...engine,
      async leadingEigen(upper, size, count, _, onStep, startSeed, also) {
        starts.push(startSeed);
        const all = await engine.symmetricEigen(upper.slice(), size, count + 1, onStep);
        const images = await multiplySymmetric(upper, all.vectors, count + 1, size, { engine, progress });
        const products = also && (await multiplySymmetric(upper, also, also.length / size, size, { engine, progress }));
        const from = missing * size;
        return {
          values: all.values.slice(missing),
          vectors: all.vectors.slice(from, from + count * size),
          images: images.slice(from, from + count * size),
          ...(products ? { products } : {}),
        };
      },
    };
    const truth = await pca({ rows: n, cols, data }, { k: 2, solver: 'svd', engine });
    for (const tolerance of [1e-10, 1e-6]) {
      for (missing of [1, 0]) {
        const model = await pca({ rows: n, cols, data }, { k: 2, solver: 'refined', engine: found, tolerance });
        expect(Math.abs(model.variances[0] - truth.variances[0])).toBeLessThan(1e-6 * truth.variances[0]);
      }
    }
    expect(starts).toHaveLength(4);
    expect(starts[0]).not.toBe(0);
  });
});

describe('a probe', () => {
  it('never sees more than there is, and sees an eigenvalue that is far above the rest', async () => {
    const rng = random(seed);
    for (let trial = 0; trial < 200; trial++) {
      const d = 2 + Math.floor(60 * rng.uniform());
      const count = Math.min(d, 8);
      const values = Float64Array.from({ length: d }, () => rng.uniform() ** 4);
      const largest = Math.max(...values);
      const vectors = new Float64Array(count * d).map(rng.normal);
      const images = vectors.map((x, at) => x * values[at % d]);
      const probe = { vectors, images, count, error: 1e-13 * largest };
      const above = async (limit: number) => (await directionsAbove(limit, probe, d, engine, progress)).length / d;
      expect(await above(largest)).toBe(0);
      // The Rayleigh quotient of M^½g is far above this but for tiny probabilities.
      expect(await above(0.01 * largest)).toBeGreaterThan(0);
    }
  });
});

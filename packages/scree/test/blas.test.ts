import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DenseBlock, Scaler } from '@scree/core/data';
import type { LoadedBlock, RowsAt } from '@scree/core/engine';
import fc from 'fast-check';
import { blasEngine, doctor, type Engine, Moments, pca, principalAngles, referenceEngine } from 'scree';
import { describe, expect, it, vi } from 'vitest';
import { runTaskSync } from '../../core/src/base/progress.js';
import { chooseScaler, columnScales, type FitScaler } from '../../core/src/data/statistics/scaling.js';
import type { DualScaler } from '../../core/src/engines/engine.js';
import { random } from '../../core/src/linalg/random.js';
import { symmetricEigen } from '../../core/src/linalg/symmetric-eigen.js';
import { toMatrix, withSpectrum } from '../../core/test/support/data.js';
import { Packer } from '../src/blas/pack.js';

const reference = referenceEngine();

const found = await blasEngine();
if (!found) process.stderr.write('blas: ITS TESTS ARE SKIPPED, there is no fast BLAS here\n');
const engine = found as Engine;
const single = engine?.float32 as Engine;
const none = (): void => {};
const at = (weights?: Float64Array): RowsAt => ({ first: 0, weights, columnNames: undefined });

interface Case {
  readonly block: DenseBlock;
  readonly scaler: Scaler;
  readonly weights: Float64Array | undefined;
  readonly k: number;
  readonly seed: number;
}

/** Blocks of any shape, type, stride and scaler. Some have columns that are constant or rarely change. */
const cases = fc
  .record({
    n: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(255, 257, 1025, 9000)),
    d: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(31, 70)),
    k: fc.integer({ min: 1, max: 9 }),
    gap: fc.integer({ min: 0, max: 3 }),
    float32: fc.boolean(),
    weighted: fc.boolean(),
    plain: fc.boolean(),
    offset: fc.constantFrom(0, 3, -1e5),
    seed: fc.integer(),
  })
  .map(({ n, d, k, gap, float32, weighted, plain, offset, seed }): Case => {
    const { normal, uniform } = random(seed);
    const stride = d + gap;
    const data = float32 ? new Float32Array(n * stride) : new Float64Array(n * stride);
    data.fill(Number.NaN);
    const late = Math.floor(uniform() * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < d; j++) {
        // Some columns are constant, and some change only in late rows.
        const still = j % 5 === 3 || (j % 5 === 4 && i < late);
        data[i * stride + j] = offset + (still ? 1 : normal() * (1 + j));
      }
    }
    const weights = weighted ? Float64Array.from({ length: n }, () => Math.floor(uniform() * 4) / 2) : undefined;
    const scaler: Scaler = {
      shift: Float64Array.from({ length: d }, () => (plain ? 0 : offset + normal() * 0.1)),
      factor: Float64Array.from({ length: d }, () => (plain ? 1 : 0.5 + uniform())),
      ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}),
    };
    return { block: { kind: 'dense', rows: n, cols: d, stride, data }, scaler, weights, k, seed };
  });

/** Returns the largest difference divided by the largest entry, of upper triangles if `upper` is true. */
function difference(a: Float64Array, b: Float64Array, upper = 0): number {
  let worst = 0;
  let size = Number.MIN_VALUE;
  for (let i = 0; i < b.length; i++) {
    if (upper > 0 && i % upper < Math.floor(i / upper)) continue;
    worst = Math.max(worst, Math.abs(a[i] - b[i]));
    size = Math.max(size, Math.abs(b[i]));
  }
  return worst / size;
}

/** Returns the results of every pass over a block. Passes that add start from ones. */
async function passes(loaded: LoadedBlock, other: LoadedBlock, { block, scaler, k, seed }: Case) {
  const [n, d] = [block.rows, block.cols];
  const { normal } = random(seed + 1);
  const vectors = Float64Array.from({ length: k * d }, normal);
  const given = Float64Array.from({ length: n * k }, normal);
  const rows = Math.min(n, 300);
  const size = rows + other.rows;
  const gram = new Float64Array(d * d).fill(1);
  const scores = new Float64Array(n * k);
  const transposed = new Float64Array(k * d).fill(1);
  const normals = new Float64Array(k * d).fill(1);
  const products = new Float64Array(size * size);
  let counted = 0;
  await loaded.gram(scaler, gram, (done) => {
    counted += done;
  });
  expect(counted).toBe(n);
  await loaded.multiply(scaler, vectors, k, scores, none);
  await loaded.multiplyTransposed(scaler, given, k, transposed, none);
  await loaded.normal(scaler, vectors, k, normals, none);
  if (n === rows) {
    const into = { products, size, row: 0, column: 0 };
    await loaded.dual(scaler, loaded, scaler, into, none);
    await loaded.dual(scaler, other, { shift: scaler.shift, factor: scaler.factor }, { ...into, column: n }, none);
  }
  return { gram, scores, transposed, normals, products };
}

describe.runIf(found)('the blas engine', () => {
  it.each([
    ['float64', 1e-12],
    ['float32', 3e-4],
  ])('computes the five passes as the reference does, in %s', (precision, allowed) =>
    fc.assert(
      fc.asyncProperty(cases, async (each) => {
        const tested = precision === 'float64' ? engine : single;
        const scaler = precision === 'float64' ? each.scaler : { ...each.scaler, ...small(each) };
        const more: DenseBlock = { ...each.block, rows: Math.min(7, each.block.rows) };
        const [ours, theirs] = [await tested.load(each.block), await reference.load(each.block)];
        const mine = await passes(ours, await tested.load(more), { ...each, scaler });
        const truth = await passes(theirs, await reference.load(more), { ...each, scaler });
        for (const pass of ['scores', 'transposed', 'normals'] as const)
          expect(difference(mine[pass], truth[pass]), pass).toBeLessThanOrEqual(allowed);
        expect(difference(mine.gram, truth.gram, each.block.cols), 'gram').toBeLessThanOrEqual(allowed);
        const size = Math.sqrt(truth.products.length);
        expect(difference(mine.products, truth.products, size), 'dual').toBeLessThanOrEqual(allowed);
      }),
      { numRuns: 60 },
    ),
  );

  /** A shift that loses no digits in float32. */
  const small = ({ block }: Case): Pick<Scaler, 'shift'> => ({
    shift: Float64Array.from(block.data.subarray(0, block.cols)),
  });

  it('divides wide data at the ends of tiles', async () => {
    const { normal } = random(5);
    for (const [n, d] of [
      [260, 5000],
      [70, 20000],
      [9, 300000],
    ]) {
      const data = Float32Array.from({ length: n * d }, normal);
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const scaler: Scaler = { shift: new Float64Array(d).fill(0.1), factor: new Float64Array(d).fill(2) };
      const each = { block, scaler, weights: undefined, k: 2, seed: 3 };
      const run = async (loaded: LoadedBlock) => {
        const vectors = Float64Array.from({ length: 2 * d }, random(9).normal);
        const [scores, out, products] = [2 * n, 2 * d, n * n].map((length) => new Float64Array(length));
        await loaded.multiply(scaler, vectors, 2, scores, none);
        await loaded.normal(scaler, vectors, 2, out, none);
        await loaded.dual(scaler, loaded, scaler, { products, size: n, row: 0, column: 0 }, none);
        return { scores, out, products, stats: await loaded.summarise(at(), undefined, none) };
      };
      const [ours, theirs] = [await run(await engine.load(each.block)), await run(await reference.load(each.block))];
      expect(difference(ours.scores, theirs.scores)).toBeLessThan(1e-12);
      expect(difference(ours.out, theirs.out)).toBeLessThan(1e-12);
      expect(difference(ours.products, theirs.products, n)).toBeLessThan(1e-12);
      expect(difference(ours.stats.spread, theirs.stats.spread)).toBeLessThan(1e-13);
      expect(ours.stats.min).toEqual(theirs.stats.min);
    }
  });

  it.each([
    ['none', false],
    ['unit', true],
  ] as const)(
    'computes the products of few long rows together with their statistics, within its bound (scale %s, weights %s)',
    async (scale, weighted) => {
      const [n, d, k] = [70, 9001, 3];
      const { normal, uniform } = random(21);
      // Columns are far from the origin, and one of them is constant.
      const data = Float64Array.from({ length: n * d }, (_, i) => (i % d === 7 ? 3 : normal() + 20));
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const weights = weighted ? Float64Array.from({ length: n }, (_, i) => (i === 4 ? 0 : uniform())) : undefined;
      const early: DualScaler = (columns) =>
        chooseScaler(columns, columnScales(columns, scale, columns.weight - 1, true).scale, true);
      const loaded = await engine.load(block);
      const columns = await loaded.summarise(at(weights), undefined, none, early);
      const truth = await (await reference.load(block)).summarise(at(weights), undefined, none);
      expect(difference(columns.mean, truth.mean)).toBeLessThan(1e-15);
      expect(difference(columns.spread, truth.spread)).toBeLessThan(1e-13);
      expect(columns.max).toEqual(truth.max);
      const announced: Scaler = {
        ...(early(columns, 0) as FitScaler),
        ...(weights ? { rootWeights: weights.map(Math.sqrt) } : {}),
      };
      for (const scaler of [announced, { ...announced, shift: new Float64Array(d).fill(19) }]) {
        const products = async (rows: LoadedBlock): Promise<Float64Array> => {
          const into = { products: new Float64Array(n * n), size: n, row: 0, column: 0 };
          await rows.dual(scaler, rows, scaler, into, none);
          return into.products;
        };
        const [mine, theirs] = [await products(loaded), await products(await reference.load(block))];
        let [error, trace] = [0, 0];
        for (let i = 0; i < n; i++) {
          trace += theirs[i * n + i];
          for (let j = i; j < n; j++) error = Math.max(error, Math.abs(mine[i * n + j] - theirs[i * n + j]));
        }
        expect(error).toBeLessThan((engine.dualRoundoff?.(n, d) ?? 0) * trace);
      }
      const scores = Float64Array.from({ length: n * k }, normal);
      const collect = async (rows: LoadedBlock): Promise<Float64Array> => {
        const out = new Float64Array(k * d).fill(1);
        await rows.multiplyTransposed(announced, scores, k, out, none);
        return out;
      };
      expect(difference(await collect(loaded), await collect(await reference.load(block)))).toBeLessThan(1e-13);
    },
  );

  it('rejects wide rows that are not finite, with row and column', async () => {
    const data = new Float64Array(50 * 9000).map((_, i) => i % 13);
    data[20 * 9000 + 8500] = Number.NaN;
    await expect(pca({ rows: 50, cols: 9000, data }, { k: 2, solver: 'dual', engine: 'blas' })).rejects.toMatchObject({
      code: 'NOT_FINITE',
      details: { row: 20, column: 8500 },
    });
  });

  it('uses one call on all threads for sums that are too large for one per thread', async () => {
    const [n, d] = [12, 4100];
    const data = Float32Array.from({ length: n * d }, random(15).normal);
    const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
    const scaler: Scaler = { shift: new Float64Array(d).fill(0.5), factor: new Float64Array(d).fill(1) };
    const [mine, truth] = [new Float64Array(d * d), new Float64Array(d * d)];
    await (await engine.load(block)).gram(scaler, mine, none);
    await (await reference.load(block)).gram(scaler, truth, none);
    expect(difference(mine, truth, d)).toBeLessThan(1e-14);
  });

  it('sums up columns and their scatter like two readings in plain TypeScript', () =>
    fc.assert(
      fc.asyncProperty(cases, async ({ block, weights }) => {
        const d = block.cols;
        const [mine, truth, statistics] = [1, 2, 3].map(() => new Float64Array(d * d));
        const [ours, theirs] = [await engine.load(block), await reference.load(block)];
        const a = await ours.summarise(at(weights), mine, none);
        const b = await theirs.summarise(at(weights), truth, none);
        const alone = await ours.summarise(at(weights), undefined, none);
        const float32 = await (await single.load(block)).summarise(at(weights), statistics, none);
        for (const stats of [a, alone, float32]) {
          expect([stats.rows, stats.weight]).toEqual([b.rows, b.weight]);
          if (b.rows === 0) continue;
          expect(stats.min).toEqual(b.min);
          expect(stats.max).toEqual(b.max);
          expect(stats.unit).toEqual(b.unit);
          for (let j = 0; j < d; j++) {
            const range = b.max[j] - b.min[j];
            expect(Math.abs(stats.mean[j] - b.mean[j])).toBeLessThanOrEqual(1e-14 * (Math.abs(b.mean[j]) + range));
            expect(Math.abs(stats.spread[j] - b.spread[j])).toBeLessThanOrEqual(1e-12 * b.spread[j]);
            if (range === 0) expect(stats.spread[j]).toBe(0);
          }
        }
        if (b.rows === 0) return;
        expect(difference(mine, truth, d)).toBeLessThan(1e-12);
        expect(difference(statistics, truth, d)).toBeLessThan(1e-5);
      }),
    ));

  it.each([
    ['float64', false, 1e-12],
    ['float64, weighted', true, 1e-12],
    ['float32', false, 1e-5],
  ])('sums up rows that are mostly zero by their width, in %s', async (precision, weighted, allowed) => {
    const [n, d, stride] = [3000, 300, 303];
    const { normal, uniform } = random(21);
    const data = new Float64Array(n * stride).fill(Number.NaN);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < d; j++) {
        // Column j is nonzero in a share e^(−j/30) of the rows. Some columns have another usual value than 0, and one differs in only one
        // row.
        const usual = j % 50 === 7 ? 3 : 0;
        const filled = j === 299 ? i === 1234 : uniform() < Math.exp(-j / 30);
        data[i * stride + j] = filled ? usual + normal() : usual;
      }
    }
    const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride, data };
    const weights = weighted ? Float64Array.from({ length: n }, (_, i) => i % 3) : undefined;
    const [mine, truth] = [new Float64Array(d * d), new Float64Array(d * d)];
    const tested = precision === 'float32' ? single : engine;
    const widths = vi.spyOn(Packer.prototype, 'packClasses');
    const a = await (await tested.load(block)).summarise(at(weights), mine, none);
    expect(widths).toHaveBeenCalledOnce();
    widths.mockRestore();
    const b = await (await reference.load(block)).summarise(at(weights), truth, none);
    expect(difference(mine, truth, d)).toBeLessThan(allowed);
    expect(difference(a.mean, b.mean)).toBeLessThan(1e-13);
    expect(difference(a.spread, b.spread)).toBeLessThan(1e-12);
    expect([a.min, a.max]).toEqual([b.min, b.max]);
  });

  it('reads rows near the origin in place, and packs other rows', async () => {
    const [n, d, k] = [2000, 40, 3];
    const { normal } = random(22);
    const noise = Float64Array.from({ length: n * d }, (_, i) => normal() / (1 + (i % d)));
    const vectors = Float64Array.from({ length: k * d }, normal);
    const rowSquare = noise.reduce((sum, x) => sum + x * x, 0) / n;
    const pack = vi.spyOn(Packer.prototype, 'pack');
    // The square of the shift is 0.4 or 10¹² times the square of the rows.
    for (const [size, packed] of [
      [0.4, false],
      [1e12, true],
    ] as const) {
      const shift = new Float64Array(d).fill(Math.sqrt((size * rowSquare) / d));
      const factor = Float64Array.from({ length: d }, (_, j) => (j % 2 === 0 ? 1 : 2));
      const data = noise.map((x, i) => x / factor[i % d] + shift[i % d] / factor[i % d]);
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const scaler = { shift: shift.map((s, j) => s / factor[j]), factor, rowSquare };
      const [mine, truth] = [1, 2].map(() => new Float64Array(k * d).fill(1));
      pack.mockClear();
      await (await engine.load(block)).normal(scaler, vectors, k, mine, none);
      expect(pack.mock.calls.length > 0).toBe(packed);
      await (await reference.load(block)).normal(scaler, vectors, k, truth, none);
      expect(difference(mine, truth)).toBeLessThan(1e-13);
    }
    pack.mockRestore();
  });

  it('loses no digits far from the origin, with one reading', async () => {
    const rows = withSpectrum(3000, 6, (i) => 30 / (1 + i), { offset: (j) => 1e8 * (j + 1) });
    const { data } = toMatrix(rows) as { data: Float64Array };
    const block: DenseBlock = { kind: 'dense', rows: 3000, cols: 6, stride: 6, data };
    const gram = vi.spyOn(Object.getPrototypeOf(await engine.load(block)), 'gram');
    const [mine, truth] = [new Float64Array(36), new Float64Array(36)];
    await (await engine.load(block)).summarise(at(), mine, none);
    expect(gram).not.toHaveBeenCalled();
    gram.mockRestore();
    await (await reference.load(block)).summarise(at(), truth, none);
    expect(difference(mine, truth, 6)).toBeLessThan(1e-13);
  });

  it.each([
    ['tiny', 1e-200],
    ['huge', 1e200],
  ])('sums up %s numbers without losing them', async (_, size) => {
    const { normal } = random(8);
    const data = Float64Array.from({ length: 900 }, () => size * normal());
    const block: DenseBlock = { kind: 'dense', rows: 300, cols: 3, stride: 3, data };
    const [mine, truth] = [new Float64Array(9), new Float64Array(9)];
    const a = await (await engine.load(block)).summarise(at(), mine, none);
    const b = await (await reference.load(block)).summarise(at(), truth, none);
    expect(a.unit).toEqual(b.unit);
    expect(difference(mine, truth, 3)).toBeLessThan(1e-13);
  });

  it('reads twice if the sample misleads and the mean is far from the provisional mean', async () => {
    // Evenly spaced rows have only the large values.
    const n = 256 * 16;
    const data = Float64Array.from({ length: n }, (_, i) => (i % 16 === 0 ? 1000 : (i % 7) / 7));
    const block: DenseBlock = { kind: 'dense', rows: n, cols: 1, stride: 1, data };
    const [mine, truth] = [new Float64Array(1), new Float64Array(1)];
    await (await engine.load(block)).summarise(at(), mine, none);
    await (await reference.load(block)).summarise(at(), truth, none);
    expect(Math.abs(mine[0] - truth[0])).toBeLessThanOrEqual(1e-13 * truth[0]);
  });

  it.each([
    [Number.NaN, 5000, 2],
    [Number.POSITIVE_INFINITY, 0, 0],
    [Number.NEGATIVE_INFINITY, 8999, 4],
  ])('refuses %s and says where it is', async (value, row, column) => {
    const data = new Float64Array(9000 * 5).fill(1);
    for (let i = 0; i < 9000; i++) data[i * 5] = i;
    data[row * 5 + column] = value;
    for (const options of [{ solver: 'covariance' }, { solver: 'krylov' }] as const) {
      await expect(
        pca({ rows: 9000, cols: 5, data }, { k: 2, engine, columnNames: ['a', 'b', 'c', 'd', 'e'], ...options }),
      ).rejects.toMatchObject({ code: 'NOT_FINITE', details: { row, column, columnName: 'abcde'[column] } });
    }
  });

  it('decomposes symmetric matrices like linalg: full, deficient, with zero rows, any count', async () => {
    for (const [size, rank, zeros, count] of [
      [33, 33, 0, 33],
      [40, 3, 4, 40],
      [70, 70, 7, 5],
      [130, 130, 0, 100],
      [131, 20, 30, 30],
      [300, 300, 1, 20],
    ]) {
      const { normal } = random(size);
      const b = Float64Array.from({ length: size * rank }, normal);
      for (let z = 0; z < zeros; z++) b.fill(0, z * 3 * rank, (z * 3 + 1) * rank);
      const a = new Float64Array(size * size);
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          for (let c = 0; c < rank; c++) a[i * size + j] += b[i * rank + c] * b[j * rank + c];
        }
      }
      const upper = a.map((value, i) => (i % size < Math.floor(i / size) ? Number.NaN : value));
      const clean = upper.map((value) => (Number.isNaN(value) ? 0 : value));
      let beats = 0;
      const onStep = (): void => void beats++;
      const found = await engine.symmetricEigen(clean, size, count, onStep);
      const plain = runTaskSync(symmetricEigen(a.slice(), size, count));
      expect(beats).toBeGreaterThanOrEqual(2);
      expect(found.count).toBe(count);
      expect(found.values).toHaveLength(size);
      expect(difference(found.values, plain.values)).toBeLessThan(1e-13);
      for (let r = 0; r < count; r++) {
        const v = found.vectors.subarray(r * size, (r + 1) * size);
        for (let other = 0; other <= r; other++) {
          const w = found.vectors.subarray(other * size, (other + 1) * size);
          const product = v.reduce((sum, x, i) => sum + x * w[i], 0);
          expect(Math.abs(product - (r === other ? 1 : 0))).toBeLessThan(1e-12);
        }
        for (let i = 0; i < size; i++) {
          const image = v.reduce((sum, x, j) => sum + x * a[i * size + j], 0);
          expect(Math.abs(image - found.values[r] * v[i])).toBeLessThanOrEqual(1e-12 * found.values[0]);
        }
      }
    }
  });

  it('accepts a count that depends on all eigenvalues, and solves zero and tiny matrices', async () => {
    const size = 50;
    const a = new Float64Array(size * size);
    for (let i = 0; i < size; i++) a[i * size + i] = i;
    const some = await engine.symmetricEigen(a.slice(), size, (values) => values.filter((v) => v > 44.5).length, none);
    expect(some.count).toBe(5);
    expect(Array.from(some.values.slice(0, 3))).toEqual([49, 48, 47]);
    expect(some.vectors[49]).toBe(1);
    const nothing = await engine.symmetricEigen(new Float64Array(size * size), size, 2, none);
    expect([nothing.count, ...nothing.values.slice(0, 2)]).toEqual([2, 0, 0]);
    expect((await engine.symmetricEigen(Float64Array.of(3), 1, 1, none)).values[0]).toBe(3);
  });

  it('gives the same bits every time', async () => {
    const { normal } = random(4);
    const data = Float64Array.from({ length: 5000 * 60 }, normal);
    const fit = () => pca({ rows: 5000, cols: 60, data }, { k: 5, engine });
    const [first, second] = [await fit(), await fit()];
    expect(second.components.data).toEqual(first.components.data);
    expect(second.variances).toEqual(first.variances);
  });

  it('keeps the event loop free, and stops at the next tile when the work is aborted', async () => {
    const { normal } = random(6);
    const [n, d] = [20000, 300];
    const row = Float64Array.from({ length: d * 7 }, normal);
    const data = Float64Array.from({ length: n * d }, (_, i) => row[i % row.length]);
    const stop = new AbortController();
    let phases = 0;
    const fit = pca(
      { rows: n, cols: d, data },
      {
        k: 5,
        engine,
        solver: 'covariance',
        signal: stop.signal,
        onProgress: ({ done }) => {
          if (done > 0 && phases++ === 0) stop.abort(new Error('enough'));
        },
      },
    );
    setTimeout(() => stop.abort(new Error('enough')), 5);
    await expect(fit).rejects.toThrow('enough');
    const loaded = await engine.load({ kind: 'dense', rows: n, cols: d, stride: d, data });
    let tiles = 0;
    const onStep = () => {
      if (++tiles === 2) throw new Error('stop');
    };
    const scaler = { shift: new Float64Array(d).fill(1), factor: new Float64Array(d).fill(1) };
    await expect(loaded.gram(scaler, new Float64Array(d * d), onStep)).rejects.toThrow('stop');
    expect(tiles).toBe(2);
  });

  it('runs passes at the same time without mixing them up', async () => {
    const { normal } = random(11);
    const data = Float64Array.from({ length: 3000 * 40 }, normal);
    const loaded = await engine.load({ kind: 'dense', rows: 3000, cols: 40, stride: 40, data });
    const gram = async (shift: number): Promise<Float64Array> => {
      const out = new Float64Array(1600);
      await loaded.gram({ shift: new Float64Array(40).fill(shift), factor: new Float64Array(40).fill(1) }, out, none);
      return out;
    };
    const together = await Promise.all([1, 2, 3, 4].map(gram));
    for (const [i, out] of together.entries()) expect(out).toEqual(await gram(i + 1));
  });

  it('has errors below its declared roundoff, in both precisions', async () => {
    for (const tested of [engine, single]) {
      const { normal } = random(13);
      const [n, d] = [12000, 20];
      const data = Float64Array.from({ length: n * d }, () => normal() + 5);
      const block: DenseBlock = { kind: 'dense', rows: n, cols: d, stride: d, data };
      const [mine, truth] = [new Float64Array(d * d), new Float64Array(d * d)];
      const stats = await (await tested.load(block)).summarise(at(), mine, none);
      await (await reference.load(block)).summarise(at(), truth, none);
      const energy = stats.spread.reduce((sum, s) => sum + s, 0);
      const off = Math.hypot(...mine.map((value, i) => (i % d < Math.floor(i / d) ? 0 : value - truth[i]))) * 2;
      expect(off).toBeLessThanOrEqual((tested.roundoff(n, d, false) + reference.roundoff(n, d, false)) * energy);
    }
    expect(single.roundoff(1e6, 100, false)).toBeLessThan(1e-3);
    expect(engine.roundoff(1e6, 100, false)).toBeLessThan(2e-12);
  });

  it.each(['covariance', 'dual', 'svd', 'krylov'] as const)('fits by %s like the wasm engine', async (solver) => {
    for (const [n, d, offset] of [
      [200, 12, 0],
      [400, 60, 1e5],
      [40, 90, 3],
    ]) {
      const data = toMatrix(withSpectrum(n, d, (i) => 10 * 0.7 ** i, { offset: () => offset }));
      for (const scale of ['none', 'unit'] as const) {
        const [ours, theirs] = [
          await pca(data, { k: 4, solver, scale, engine }),
          await pca(data, { k: 4, solver, scale, engine: 'wasm' }),
        ];
        ours.variances.forEach((variance, i) => {
          expect(Math.abs(variance - theirs.variances[i])).toBeLessThanOrEqual(1e-12 * theirs.variances[0]);
        });
        expect(Math.max(...principalAngles(ours.components, theirs.components))).toBeLessThan(1e-9);
      }
    }
  });

  it('is chosen by auto for large data and by its name, and does not delay small data', async () => {
    const large = { rows: 4000, cols: 600, data: Float64Array.from({ length: 2_400_000 }, random(1).normal) };
    expect((await pca(large, { k: 2 })).plan.engine).toBe('blas');
    expect((await pca(large, { k: 2, engine: 'blas' })).plan.engine).toBe('blas');
    expect(
      (
        await pca(
          [
            [1, 2],
            [3, 5],
            [4, 4],
          ],
          { k: 1 },
        )
      ).plan.engine,
    ).not.toBe('blas');
    // It accepts more threads than simultaneous calls.
    expect((await pca(large, { k: 2, engine: 'blas', threads: 200 })).k).toBe(2);
    const scores = await (await pca(large, { k: 2, threads: 2 })).transform(large);
    expect(scores.rows).toBe(4000);
  });

  it('adds moments, also weighted, like the reference engine', async () => {
    const { normal, uniform } = random(21);
    const data = { rows: 700, cols: 8, data: Float64Array.from({ length: 5600 }, normal) };
    const weights = Float64Array.from({ length: 700 }, uniform);
    const [ours, theirs] = [new Moments(8), new Moments(8)];
    await ours.add(data, { weights, engine });
    await theirs.add(data, { weights, engine: reference });
    expect(difference(ours.covariance().data, theirs.covariance().data)).toBeLessThan(1e-13);
  });
});

describe('without a library', () => {
  /** Runs a program with the built package and the given SCREE_BLAS. */
  const run = (program: string, library: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      env: { ...process.env, SCREE_BLAS: library },
    });

  it('everything works, and a request for blas by name says what is missing and how to install it', () => {
    const program = `
      import { blasEngine, doctor, pca } from 'scree';
      const data = { rows: 5000, cols: 50, data: Float64Array.from({ length: 250000 }, (_, i) => Math.sin(i * i)) };
      const refused = await pca(data, { engine: 'blas' }).catch((error) => error);
      const { plan } = await pca(data, { k: 2 });
      const { engines } = await doctor();
      console.log(JSON.stringify([await blasEngine() === undefined, refused.code, refused.message, plan.engine, engines]));
    `;
    const [missing, code, message, auto, engines] = JSON.parse(run(program, '/no/such/library.so'));
    expect([missing, code, auto]).toEqual([true, 'BAD_OPTION', 'wasm']);
    expect(message).toMatch(/not available: .*no such file.*SCREE_BLAS.*engine: 'auto'/s);
    expect(engines[2]).toMatchObject({ name: 'blas', available: false });
  });

  it('everything works without koffi too, and the reason says how to install it', async () => {
    vi.resetModules();
    vi.doMock('../src/load-unbundled.js', () => ({
      loadUnbundled: () => Promise.reject(new Error("Cannot find package 'koffi' imported from blas.js")),
    }));
    const { blasEngine: fresh, loadBlas } = await import('../src/blas/blas.js');
    expect(await fresh()).toBeUndefined();
    expect(await loadBlas()).toBe('the package koffi is not installed (npm install koffi)');
    vi.doUnmock('../src/load-unbundled.js');
    vi.resetModules();
  });

  it('rejects invalid numbers of threads', async () => {
    for (const threads of [0, 1.5, Number.NaN])
      await expect(blasEngine({ threads })).rejects.toMatchObject({
        code: 'BAD_OPTION',
        details: { option: 'threads' },
      });
  });

  it('files that are not libraries, and libraries that are not a fast BLAS, are rejected by name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'scree-'));
    const text = join(folder, 'text.so');
    writeFileSync(text, 'not a library');
    const why = "import { doctor } from 'scree'; console.log((await doctor()).engines[2].why)";
    expect(run(why, text)).toMatch(/cannot be loaded/);
    if (process.platform === 'linux') expect(run(why, 'libm.so.6')).toMatch(/not OpenBLAS, MKL or Accelerate/);
    rmSync(folder, { recursive: true });
  });
});

describe('doctor', () => {
  it('lists every engine with its speed, as data and as lines', async () => {
    const diagnosis = await doctor();
    expect(diagnosis.engines.map(({ name }) => name)).toEqual(['reference', 'wasm', 'blas', 'webgpu']);
    for (const each of diagnosis.engines) {
      if (each.available) expect(each.gflops).toBeGreaterThan(0.01);
      else expect(each.why).toMatch(/[Ii]nstall|runtime/);
    }
    expect(String(diagnosis)).toMatch(/Engines:\n {2}reference plain TypeScript, 1 thread, \S+ GFLOP\/s\n {2}wasm/);
  });
});

describe('packing', () => {
  it('keeps an idle workspace for the next pass, and two passes never share one', () => {
    const block: DenseBlock = {
      kind: 'dense',
      rows: 4,
      cols: 2,
      stride: 2,
      data: Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    };
    const scaler = { shift: Float64Array.of(1, 2), factor: Float64Array.of(1, 10) };
    const [a, b] = [new Packer(block, 2, 4, 2, false), new Packer(block, 2, 4, 2, true)];
    a.through(scaler);
    b.through(scaler);
    const tile = a.pack(0, 1, 2, undefined);
    expect(Array.from(b.pack(0, 2, 2, Float64Array.of(0, 0, 2, 1)))).toEqual([8, 80, 6, 60]);
    expect(Array.from(tile)).toEqual([2, 20, 4, 40]);
    a.release();
    b.release();
  });
});

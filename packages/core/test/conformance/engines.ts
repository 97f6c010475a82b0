import fc from 'fast-check';
import { runTaskSync } from '../../src/base/progress.js';
import type { Block, Scaler } from '../../src/data/blocks/block.js';
import { canonicalCsr } from '../../src/data/blocks/csr.js';
import type { LoadedBlock } from '../../src/engines/index.js';
import { type Engine, referenceEngine } from '../../src/index.js';
import { orthonormalityDefect } from '../../src/linalg/orthonormality.js';
import { random } from '../../src/linalg/random.js';
import { symmetricEigen } from '../../src/linalg/symmetric-eigen.js';
import { dot } from '../../src/linalg/vector.js';
import { atMost, below, equal, rejects, sameBits } from '../support/assert.js';
import { toCsr } from '../support/data.js';

const reference = referenceEngine();

interface Case {
  readonly block: Block;
  readonly scaler: Scaler;
  /** B itself, rows of numbers. */
  readonly b: number[][];
}

/** A block of any shape, type, stride, layout and scaler. Some blocks need several tiles. */
const cases = fc
  .record({
    n: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(255, 256, 257, 600)),
    d: fc.integer({ min: 1, max: 9 }),
    k: fc.integer({ min: 1, max: 9 }),
    gap: fc.integer({ min: 0, max: 3 }),
    float32: fc.boolean(),
    layout: fc.constantFrom('dense' as const, 'sparse' as const),
    weighted: fc.boolean(),
    offset: fc.constantFrom(0, 3, 1e5),
    seed: fc.integer(),
  })
  .map(({ k, seed, ...shape }) => ({ k, seed, ...makeCase(shape, seed) }));

function makeCase(
  shape: {
    n: number;
    d: number;
    gap: number;
    float32: boolean;
    layout: 'dense' | 'sparse';
    weighted: boolean;
    offset: number;
  },
  seed: number,
): Case {
  const { n, d, gap, float32, layout, weighted, offset } = shape;
  const { normal, uniform } = random(seed);
  const round = float32 ? Math.fround : (x: number) => x;
  const rows = Array.from({ length: n }, () =>
    Array.from({ length: d }, (_, j) =>
      layout === 'sparse' && j > 0 && uniform() < 0.5 ? 0 : round(normal() + offset),
    ),
  );
  const scaler: Scaler = {
    shift: Float64Array.from({ length: d }, () => offset + normal() * 0.1),
    factor: Float64Array.from({ length: d }, () => 0.5 + uniform()),
    ...(weighted ? { rootWeights: Float64Array.from({ length: n }, () => Math.floor(uniform() * 3)) } : {}),
  };
  const b = rows.map((row, i) =>
    row.map((x, j) => (x - scaler.shift[j]) * scaler.factor[j] * (scaler.rootWeights ? scaler.rootWeights[i] : 1)),
  );
  const stride = d + gap;
  const data = float32 ? new Float32Array(n * stride).fill(Number.NaN) : new Float64Array(n * stride).fill(Number.NaN);
  rows.forEach((row, i) => {
    data.set(row, i * stride);
  });
  const block: Block =
    layout === 'dense'
      ? { kind: 'dense', rows: n, cols: d, stride, data }
      : { kind: 'sparse', ...canonicalCsr(toCsr(rows, float32)) };
  return { block, scaler, b };
}

const vectorsOf = (k: number, d: number, seed: number): Float64Array =>
  Float64Array.from({ length: k * d }, random(seed + 1).normal);
const close = (actual: ArrayLike<number>, expected: number[], size: number, what: string): void => {
  equal(actual.length, expected.length, `length of ${what}`);
  expected.forEach((value, i) => {
    atMost(Math.abs(actual[i] - value), 1e-12 * size, `error of entry ${i} of ${what}`);
  });
};
const energy = (b: number[][], scaler: Scaler): number =>
  1 +
  b.flat().reduce((sum, x) => sum + x * x, 0) +
  b.length * 9 * scaler.shift.reduce((sum, s, j) => sum + (s * scaler.factor[j]) ** 2, 0);

interface LargeBlock {
  readonly n: number;
  readonly d: number;
  readonly block: Block;
  readonly run: (loaded: LoadedBlock) => Promise<{ normal: Float64Array; multiply: Float64Array; dual: Float64Array }>;
  /** The results of the reference engine. */
  readonly expected: { normal: Float64Array; multiply: Float64Array; dual: Float64Array };
}

let large: Promise<LargeBlock[]> | undefined;

/** Blocks that need several tiles in every engine. They and the results of the reference engine are computed once. A cache. */
function largeBlocks(): Promise<LargeBlock[]> {
  large ??= makeLargeBlocks();
  return large;
}

async function makeLargeBlocks(): Promise<LargeBlock[]> {
  const { normal } = random(12);
  const blocks: LargeBlock[] = [];
  for (const [n, d] of [
    [2100, 3],
    // Tiles end within the rows and within the columns, in products of rows and in passes over rows.
    [260, 5000],
    [100, 20000],
    [9, 300000],
  ]) {
    const data = Float32Array.from({ length: n * d }, normal);
    const block: Block = { kind: 'dense', rows: n, cols: d, stride: d, data };
    const scaler: Scaler = { shift: new Float64Array(d).fill(0.1), factor: new Float64Array(d).fill(2) };
    const vectors = Float64Array.from({ length: 2 * d }, normal);
    const run = async (loaded: LoadedBlock) => {
      const out = {
        normal: new Float64Array(2 * d),
        multiply: new Float64Array(2 * n),
        dual: new Float64Array(n * n),
      };
      await loaded.normal(scaler, vectors, 2, out.normal, () => {});
      await loaded.multiply(scaler, vectors, 2, out.multiply, () => {});
      if (n < 400 || d < 10)
        await loaded.dual(scaler, loaded, scaler, { products: out.dual, size: n, row: 0, column: 0 }, () => {});
      return out;
    };
    blocks.push({ n, d, block, run, expected: await run(await reference.load(block)) });
  }
  return blocks;
}

/** Checks of every engine, by name, against the definitions of the passes, entry by entry. */
export const engineChecks: Record<string, (engine: Engine) => void | Promise<void>> = {
  'gram: S += BᵀB, upper triangle, added to the given sums': (engine) =>
    fc.assert(
      fc.asyncProperty(cases, async ({ block, scaler, b }) => {
        const d = block.cols;
        const scatter = new Float64Array(d * d).fill(1);
        const loaded = await engine.load(block);
        let rows = 0;
        await loaded.gram(scaler, scatter, (done) => {
          rows += done;
        });
        const size = energy(b, scaler);
        for (let i = 0; i < d; i++) {
          const upper = Array.from(
            { length: d - i },
            (_, c) => 1 + b.reduce((sum, row) => sum + row[i] * row[i + c], 0),
          );
          close(scatter.subarray(i * d + i, (i + 1) * d), upper, size, `row ${i} of gram, from the diagonal on,`);
        }
        equal(rows, block.rows, 'number of rows reported by the onStep');
      }),
    ),

  'multiply: a value that is not finite makes all scores of its row not finite, and no scores of other rows': (
    engine,
  ) =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          n: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(257, 5000)),
          d: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(40, 300)),
          k: fc.integer({ min: 1, max: 9 }),
          gap: fc.integer({ min: 0, max: 2 }),
          float32: fc.boolean(),
          // Products may skip zeros. They must not skip other values among zeros.
          zeros: fc.boolean(),
          bad: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
          seed: fc.nat(),
        }),
        async ({ n, d, k, gap, float32, zeros, bad, seed }) => {
          const { normal, uniform } = random(seed);
          const stride = d + gap;
          const data = float32 ? new Float32Array(n * stride) : new Float64Array(n * stride);
          if (!zeros) for (let at = 0; at < data.length; at++) data[at] = normal();
          const [row, column] = [Math.floor(uniform() * n), Math.floor(uniform() * d)];
          data[row * stride + column] = bad;
          const scaler = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
          const vectors = Float64Array.from({ length: k * d }, () => (uniform() < 0.5 ? 0 : normal()));
          const scores = new Float64Array(n * k);
          const loaded = await engine.load({ kind: 'dense', rows: n, cols: d, stride, data });
          await loaded.multiply(scaler, vectors, k, scores, () => {});
          loaded.release();
          for (let i = 0; i < n; i++) {
            for (let c = 0; c < k; c++) {
              equal(Number.isFinite(scores[i * k + c]), i !== row, `whether score ${c} of row ${i} is finite`);
            }
          }
        },
      ),
      { numRuns: 60 },
    ),
  'multiply: Y = BVᵀ; multiplyTransposed: Z += YᵀB; normal: Z += VBᵀB': (engine) =>
    fc.assert(
      fc.asyncProperty(cases, async ({ block, scaler, b, k, seed }) => {
        const [n, d] = [block.rows, block.cols];
        const v = vectorsOf(k, d, seed);
        const loaded = await engine.load(block);
        const y = b.flatMap((row) =>
          Array.from({ length: k }, (_, c) => row.reduce((sum, x, j) => sum + x * v[c * d + j], 0)),
        );
        const size = energy(b, scaler) * 10;
        const scores = new Float64Array(n * k);
        await loaded.multiply(scaler, v, k, scores, () => {});
        close(scores, y, size, 'multiply');
        const z = Array.from({ length: k * d }, (_, at) => {
          const [c, j] = [Math.floor(at / d), at % d];
          return 1 + b.reduce((sum, row, i) => sum + y[i * k + c] * row[j], 0);
        });
        const collected = new Float64Array(k * d).fill(1);
        await loaded.multiplyTransposed(scaler, Float64Array.from(y), k, collected, () => {});
        close(collected, z, size, 'multiplyTransposed');
        const fused = new Float64Array(k * d).fill(1);
        await loaded.normal(scaler, v, k, fused, () => {});
        close(fused, z, size, 'normal');
      }),
    ),

  'dual: products of all pairs of rows, within a block and between two blocks of any layout': (engine) =>
    fc.assert(
      fc.asyncProperty(cases, fc.boolean(), async ({ block, scaler, b, seed }, float32) => {
        const n = block.rows;
        const other = makeCase(
          { n: 5, d: block.cols, gap: 0, float32, layout: float32 ? 'sparse' : 'dense', weighted: false, offset: 1 },
          seed + 7,
        );
        const size = n + 5;
        const products = new Float64Array(size * size);
        const [left, right] = [await engine.load(block), await engine.load(other.block)];
        await left.dual(scaler, left, scaler, { products, size, row: 0, column: 0 }, () => {});
        await left.dual(scaler, right, other.scaler, { products, size, row: 0, column: n }, () => {});
        const scale = energy(b, scaler) + energy(other.b, other.scaler);
        let worst = 0;
        for (let i = 0; i < n; i++) {
          for (let j = i; j < size; j++) {
            const row = j < n ? b[j] : other.b[j - n];
            const expected = b[i].reduce((sum, x, c) => sum + x * row[c], 0);
            worst = Math.max(worst, Math.abs(products[i * size + j] - expected));
          }
        }
        atMost(worst, 1e-12 * scale, 'worst error of dual');
      }),
      { numRuns: 40 },
    ),

  async 'passes agree with the reference across tiles: many rows, and more columns than a tile'(engine) {
    for (const { n, d, block, run, expected } of await largeBlocks()) {
      const [a, b] = [await run(await engine.load(block)), expected];
      for (const pass of ['normal', 'multiply'] as const) {
        const size = b[pass].reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        let worst = 0;
        for (let i = 0; i < a[pass].length; i++) worst = Math.max(worst, Math.abs(a[pass][i] - b[pass][i]));
        atMost(worst, 1e-12 * size, `worst error of ${pass}, ${n} × ${d},`);
      }
      let worst = 0;
      for (let i = 0; i < n; i++)
        for (let j = i; j < n; j++) worst = Math.max(worst, Math.abs(a.dual[i * n + j] - b.dual[i * n + j]));
      atMost(worst, 1e-12 * b.dual[0] * 4, `worst error of dual, ${n} × ${d},`);
    }
  },

  async 'symmetricEigen: VΛVᵀ is the matrix, for every size, also with zero rows'(engine) {
    // If the last number is given, every n-th row of the matrix is zero.
    for (const [size, rank, zeros = Number.NaN] of [
      [1, 1],
      [2, 2],
      [3, 1],
      [47, 47],
      [48, 48],
      [50, 7],
      [51, 51],
      [130, 130],
      [131, 20],
      [131, 20, 1],
      [131, 131, 2],
      [200, 200, 7],
      [301, 301],
    ]) {
      const { normal } = random(size);
      const b = Float64Array.from({ length: size * rank }, normal);
      const a = new Float64Array(size * size);
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          // A gap in the middle, where the reduction has nothing to reflect.
          if (i < size / 2 !== j < size / 2 || i % zeros === 0 || j % zeros === 0) continue;
          // Large odd sizes have negative eigenvalues, which follow the zeros.
          const shift = size > 100 && size % 2 === 1 && i === j ? rank / 2 : 0;
          a[i * size + j] = dot(b, i * rank, b, j * rank, rank) - shift;
        }
      }
      const given = a.slice();
      const { values, vectors, count } = await engine.symmetricEigen(given, size, size, () => {});
      if (engine.keepsMatrix) sameBits(given, a, `the matrix of size ${size}`);
      const plain = runTaskSync(symmetricEigen(a.slice(), size, size));
      for (let i = 0; i < size; i++)
        atMost(Math.abs(values[i] - plain.values[i]), 1e-13 * values[0], `error of eigenvalue ${i} of ${size}`);
      below(orthonormalityDefect(vectors, count, size), 1e-12, `orthonormality defect, size ${size},`);
      for (let r = 0; r < size; r++) {
        for (let i = 0; i < size; i++) {
          const image = dot(a, i * size, vectors, r * size, size);
          const error = Math.abs(image - values[r] * vectors[r * size + i]);
          atMost(error, 1e-12 * values[0], `residual ${i} of eigenvector ${r} of ${size}`);
        }
      }
    }
  },

  'the same input gives the same bits': (engine) =>
    fc.assert(
      fc.asyncProperty(cases, async ({ block, scaler, k, seed }) => {
        const run = async (): Promise<Float64Array> => {
          const out = new Float64Array(k * block.cols);
          await (await engine.load(block)).normal(scaler, vectorsOf(k, block.cols, seed), k, out, () => {});
          return out;
        };
        sameBits(await run(), await run(), 'normal');
      }),
      { numRuns: 20 },
    ),

  async 'stops at the next tile when onStep throws'(engine) {
    const { block, scaler } = makeCase(
      { n: 600, d: 4, gap: 0, float32: false, layout: 'dense', weighted: false, offset: 0 },
      1,
    );
    const loaded = await engine.load(block);
    const stop = () => {
      throw new Error('stop');
    };
    await rejects(() => loaded.gram(scaler, new Float64Array(16), stop), 'stop', 'gram');
    await rejects(() => loaded.normal(scaler, new Float64Array(4), 1, new Float64Array(4), stop), 'stop', 'normal');
  },
};

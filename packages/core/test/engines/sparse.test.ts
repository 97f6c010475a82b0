import { describe, expect, it } from 'vitest';
import type { Scaler, SparseBlock } from '../../src/data/blocks/block.js';
import { canonicalCsr } from '../../src/data/blocks/csr.js';
import { wasmEngine } from '../../src/engines/choose.js';
import type { LoadedBlock } from '../../src/engines/engine.js';
import { type Engine, referenceEngine } from '../../src/index.js';
import { random } from '../../src/linalg/random.js';

const reference = referenceEngine();

interface Shape {
  readonly rows: number;
  readonly cols: number;
  readonly perRow: number;
  readonly weighted?: boolean;
  readonly float32?: boolean;
}

/** Sparse rows with a column that is stored in all rows, far from zero, an empty column, and empty rows. */
function makeCase({ rows, cols, perRow, weighted = false, float32 = false }: Shape): {
  block: SparseBlock;
  scaler: Scaler;
} {
  const { normal, uniform } = random(rows + cols);
  const indptr = new Int32Array(rows + 1);
  const indices: number[] = [];
  const data: number[] = [];
  const roots = Float64Array.from({ length: rows }, () => Math.floor(uniform() * 3) / 2);
  for (let i = 0; i < rows; i++) {
    const empty = weighted && i % 7 === 3;
    if (empty) roots[i] = 0;
    const columns = new Set<number>();
    // The last column stays empty. The first column is full, except in rows of weight 0.
    if (!empty) {
      columns.add(0);
      while (columns.size < perRow) columns.add(1 + Math.floor(uniform() * (cols - 2)));
    }
    for (const column of [...columns].sort((a, b) => a - b)) {
      indices.push(column);
      data.push(column === 0 ? 1000 + normal() : normal());
    }
    indptr[i + 1] = indices.length;
  }
  const values = float32 ? Float32Array.from(data) : Float64Array.from(data);
  const csr = canonicalCsr({ rows, cols, indptr, indices: Int32Array.from(indices), data: values });
  return {
    block: { kind: 'sparse', ...csr },
    scaler: {
      shift: Float64Array.from({ length: cols }, (_, j) => (j === 0 ? 1000 : 0.1 * normal())),
      factor: Float64Array.from({ length: cols }, () => 0.5 + uniform()),
      ...(weighted ? { rootWeights: roots } : {}),
    },
  };
}

/** Shapes: one stage of parts; rows without entries; and several stages, which use two buffers in turn and have jobs for several threads. */
const shapes: Shape[] = [
  { rows: 3000, cols: 400, perRow: 20 },
  { rows: 5000, cols: 37, perRow: 5, weighted: true, float32: true },
  { rows: 300, cols: 2000, perRow: 100, weighted: true },
  { rows: 140000, cols: 60, perRow: 8 },
];
const counts = [1, 2, 3, 5, 8, 9, 17, 64, 70];
const none = (): void => {};
const numbers = (length: number, seed: number): Float64Array => Float64Array.from({ length }, random(seed).normal);

/** Computes all products of a block with k vectors, added to given sums. */
async function products(loaded: LoadedBlock, scaler: Scaler, k: number): Promise<Float64Array[]> {
  const [n, d] = [loaded.rows, loaded.cols];
  const vectors = numbers(k * d, 1);
  const given = numbers(n * k, 2);
  const scores = new Float64Array(n * k);
  const collected = new Float64Array(k * d).fill(1);
  const image = new Float64Array(k * d).fill(1);
  await loaded.multiply(scaler, vectors, k, scores, none);
  await loaded.multiplyTransposed(scaler, given, k, collected, none);
  await loaded.normal(scaler, vectors, k, image, none);
  return [scores, collected, image];
}

const sameBits = (a: Float64Array[], b: Float64Array[]): boolean =>
  a.every((numbers, i) => Buffer.compare(Buffer.from(numbers.buffer), Buffer.from(b[i].buffer)) === 0);

/** Σb² of the scaled block, plus the squares of the means that a pass subtracts from every row. */
function energyOf({ rows, indptr, indices, data }: SparseBlock, { shift, factor, rootWeights }: Scaler): number {
  let energy = 1;
  for (let i = 0; i < rows; i++) {
    const weight = rootWeights ? rootWeights[i] ** 2 : 1;
    for (let at = indptr[i]; at < indptr[i + 1]; at++) {
      const j = indices[at];
      energy += weight * ((data[at] - (j === 0 ? shift[0] : 0)) * factor[j]) ** 2;
    }
    for (let j = 1; j < shift.length; j++) energy += weight * (shift[j] * factor[j]) ** 2;
  }
  return energy;
}

describe('sparse passes in WebAssembly', () => {
  it.each(shapes)('agree with the reference: $rows × $cols', async (shape) => {
    const { block, scaler } = makeCase(shape);
    const engine = (await wasmEngine({ threads: 2 })) as Engine;
    const [ours, theirs] = [await engine.load(block), await reference.load(block)];
    const energy = energyOf(block, scaler);
    for (const k of shape.rows > 100000 ? [3] : counts) {
      const [actual, expected] = [await products(ours, scaler, k), await products(theirs, scaler, k)];
      actual.forEach((found, pass) => {
        let worst = 0;
        for (let i = 0; i < found.length; i++) worst = Math.max(worst, Math.abs(found[i] - expected[pass][i]));
        expect(worst, `pass ${pass}, k ${k}`).toBeLessThanOrEqual(1e-12 * energy);
      });
    }
    ours.release();
  });

  it.each(shapes)('give the same bits on 1, 2, 3 and 8 threads, copied again or kept: $rows × $cols', async (shape) => {
    const { block, scaler } = makeCase(shape);
    for (const k of shape.rows > 100000 ? [25] : [1, 13, 70]) {
      let first: Float64Array[] | undefined;
      for (const threads of [1, 2, 3, 8]) {
        const loaded = await ((await wasmEngine({ threads })) as Engine).load(block);
        for (let round = 0; round < 2; round++) {
          const found = await products(loaded, scaler, k);
          first ??= found;
          expect(sameBits(found, first)).toBe(true);
          // Gives new workers time to start.
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        loaded.release();
        expect(sameBits(await products(loaded, scaler, k), first as Float64Array[])).toBe(true);
        loaded.release();
      }
    }
  });

  it('detect a change of the scaler, even in place', async () => {
    const { block, scaler } = makeCase(shapes[0]);
    const engine = (await wasmEngine({ threads: 1 })) as Engine;
    const loaded = await engine.load(block);
    const before = await products(loaded, scaler, 4);
    const moved = { shift: scaler.shift.slice(), factor: scaler.factor.slice(), rootWeights: numbers(block.rows, 5) };
    moved.rootWeights.forEach((root, i) => {
      moved.rootWeights[i] = Math.abs(root);
    });
    await products(loaded, moved, 4);
    scaler.shift[3] += 1;
    const after = await products(loaded, scaler, 4);
    expect(sameBits(after, before)).toBe(false);
    expect(sameBits(after, await products(await engine.load(block), scaler, 4))).toBe(true);
    loaded.release();
  });

  it('may run at the same time on one block', async () => {
    const { block, scaler } = makeCase(shapes[2]);
    const loaded = await ((await wasmEngine({ threads: 2 })) as Engine).load(block);
    const alone = await products(loaded, scaler, 20);
    const together = await Promise.all([20, 20, 20].map((k) => products(loaded, scaler, k)));
    for (const found of together) expect(sameBits(found, alone)).toBe(true);
    loaded.release();
  });

  it('stop when onStep throws, and the next pass works', async () => {
    const { block, scaler } = makeCase(shapes[3]);
    const loaded = await ((await wasmEngine({ threads: 2 })) as Engine).load(block);
    const expected = await products(loaded, scaler, 5);
    const out = new Float64Array(5 * block.cols);
    const stop = (): void => {
      throw new Error('stop');
    };
    const stopped = async (): Promise<void> => loaded.normal(scaler, numbers(5 * block.cols, 1), 5, out, stop);
    await expect(stopped()).rejects.toThrow('stop');
    expect(out.every((value) => value === 0)).toBe(true);
    expect(sameBits(await products(loaded, scaler, 5), expected)).toBe(true);
    loaded.release();
  });

  it('report all rows once', async () => {
    for (const shape of shapes) {
      const { block, scaler } = makeCase(shape);
      const loaded = await ((await wasmEngine({ threads: 2 })) as Engine).load(block);
      let rows = 0;
      const onStep = (done: number): void => {
        rows += done;
      };
      await loaded.normal(scaler, numbers(70 * block.cols, 1), 70, new Float64Array(70 * block.cols), onStep);
      expect(rows).toBe(block.rows);
    }
  });

  it('accept a matrix without entries, and one without rows', async () => {
    for (const rows of [0, 5]) {
      const csr = {
        rows,
        cols: 3,
        indptr: new Int32Array(rows + 1),
        indices: new Int32Array(0),
        data: new Float64Array(0),
      };
      const block: SparseBlock = { kind: 'sparse', ...canonicalCsr(csr) };
      const scaler: Scaler = { shift: Float64Array.of(1, 2, 3), factor: Float64Array.of(1, 1, 2) };
      const [ours, theirs] = [
        await ((await wasmEngine({ threads: 1 })) as Engine).load(block),
        await reference.load(block),
      ];
      const [actual, expected] = [await products(ours, scaler, 2), await products(theirs, scaler, 2)];
      actual.forEach((found, pass) => {
        found.forEach((value, i) => {
          expect(value).toBeCloseTo(expected[pass][i], 10);
        });
      });
    }
  });
});
